"""GPUs asked for and offered."""

from __future__ import annotations

import math

import pytest

import nvcre_render as nr
from nvcre_render.planning import capacity
from tests.plans import GPU, runtime, seen


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("8", 8),
        (8, 8),
        (2.9, 2),
        ("8k", 8000),
        ("1Ki", 1024),
        ("8000m", 8),
        ("8.0", 8),
        ("1e1", 10),
        ("7500m", 0),
        ("0.5", 0),
        ("", 0),
        ("eight", 0),
        ("-4", 0),
        (-4, 0),
        (True, 0),
        (None, 0),
        (math.inf, 0),
        ("9" * 5000, 0),
    ],
)
def test_a_claim_is_a_count(value: object, count: int) -> None:
    assert capacity.required({"spec": {"requests": {GPU: value}}}, []) == count


def test_the_largest_claim_at_any_depth_counts() -> None:
    template = {"spec": {"workload": {"trainJob": {"trainer": {"resourcesPerNode": {"limits": {GPU: 2}}}}}}}
    assert capacity.required(template, []) == 2
    assert capacity.required(template, [runtime(gpus="8"), runtime(gpus="4")]) == 8


def test_only_requests_and_limits_are_claims() -> None:
    elsewhere = {
        "metadata": {"labels": {GPU: "64"}},
        "spec": {"topologyKey": GPU, "capacity": {GPU: "32"}, "limits": [{GPU: "16"}], "requests": GPU},
    }
    assert capacity.required({}, [elsewhere]) == 0
    assert capacity.required({"limits": {"cpu": "9"}}, []) == 0


@pytest.mark.parametrize(
    ("value", "gpus"),
    [("8", 8), (4, 4), ("7500m", 8), ("1e99999999", 10**30), ("0", None), ("x", None), (None, None), (math.nan, None)],
)
def test_what_a_node_offers(value: object, gpus: int | None) -> None:
    assert capacity.offered(value) == gpus


def test_only_a_known_smaller_count_excludes() -> None:
    nodes = [seen("a", gpus="8"), seen("b", gpus="4"), seen("c", gpus=None), seen("d", gpus="0"), seen("e", gpus="9")]
    kept, small = capacity.split(nodes, 8)
    assert [node.name for node in kept] == ["a", "c", "d", "e"]
    assert [(node.name, node.gpus) for node in small] == [("b", 4)]
    assert capacity.split(nodes, 0) == (nodes, [])


def test_no_node_left_is_a_refusal_with_the_best_count() -> None:
    with pytest.raises(nr.RenderError) as refusal:
        capacity.require([seen("a", gpus="4"), seen("b", gpus="6")], 8)
    (found,) = refusal.value.diagnostics
    assert found.message.startswith("PartitionError: every pod asks for 8 nvidia.com/gpu")
    assert found.message.endswith("the best has 6")
