"""The required node affinity."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nvcre_render.planning import affinity

TARGET: dict[str, Any] = {
    "nodeSelector": {"zone": "z", "pool": "p"},
    "matchExpressions": [
        {"key": "pool", "operator": "In", "values": ["p"]},
        {"key": "gen", "operator": "Gt", "values": ["4"]},
        {"key": "hold", "operator": "DoesNotExist"},
    ],
    "nodeNames": ["n9", "ghost"],
    "taintSelectors": [{"key": "t"}],
}


@pytest.mark.parametrize(
    ("placement", "target", "hosts"),
    [
        ("Pinned", TARGET, ["a", "b"]),
        ("", None, ["a", "b"]),
        ("Unpinned", TARGET, ["n9", "ghost"]),
        ("Unpinned", None, []),
        ("Unpinned", {"nodeNames": None}, []),
    ],
)
def test_hosts(placement: str, target: dict[str, Any] | None, hosts: list[str]) -> None:
    assert affinity.hostnames(placement, target, ["a", "b"]) == hosts


def test_expressions_come_in_order_and_once() -> None:
    before = copy.deepcopy(TARGET)
    assert affinity.wanted(TARGET, ["X", "Y"]) == [
        {"key": "pool", "operator": "In", "values": ["p"]},
        {"key": "zone", "operator": "In", "values": ["z"]},
        {"key": "gen", "operator": "Gt", "values": ["4"]},
        {"key": "hold", "operator": "DoesNotExist"},
        {"key": "nvidia.com/gpu.product", "operator": "In", "values": ["X", "Y"]},
    ]
    assert before == TARGET


@pytest.mark.parametrize(("listed", "count"), [(["X", "Y"], 1), (["Y", "X"], 2), (["X", "Y", "Z"], 2)])
def test_only_the_very_same_expression_is_dropped(listed: list[str], count: int) -> None:
    expression = {"key": "nvidia.com/gpu.product", "operator": "In", "values": listed}
    assert len(affinity.wanted({"matchExpressions": [expression]}, ["X", "Y"])) == count


def test_hosts_come_first_and_are_never_dropped() -> None:
    host = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["a"]}
    made = affinity.node_affinity(["a"], [host])
    assert made == {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [host, host]}]}
    }


def test_nothing_to_require_is_no_affinity() -> None:
    assert affinity.wanted(None, []) == []
    assert affinity.node_affinity([], []) is None
