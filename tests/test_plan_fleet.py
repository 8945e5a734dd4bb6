"""The fleet a Workflow sees."""

from __future__ import annotations

import copy

import pytest

import nvcre_render as nr
from nvcre_render.planning import fleet
from tests.plans import H100, RACK, node, racked
from tests.test_plan_slices import device, resource_slice


def test_a_fleet_tells_every_node_s_lot() -> None:
    nodes = [
        node("h2"),
        node("gb", product="NVIDIA-GB200"),
        node("h1"),
        node("off", spec={"unschedulable": True}),
        node("cpu", product=None, present=""),
    ]
    before = copy.deepcopy(nodes)
    found = fleet.survey(None, nodes)
    assert nodes == before
    assert (found.platform, found.gpu_architecture, found.products) == ("onprem", "h100", (H100,))
    assert [each.name for each in found.nodes] == ["h1", "h2"]
    assert (found.other_architecture, found.cordoned) == (("gb",), ("off",))
    assert found.dropped == (("cpu", 'the label nvidia.com/gpu.present is not "true"'),)
    assert len(found.everyone) == len(nodes)


def test_slices_fill_in_labels_before_the_vote() -> None:
    nodes = [node("a", product=None), node("b", product=None), node("c", product="NVIDIA-H100")]
    found = fleet.survey(None, nodes, [resource_slice("a", device()), resource_slice("b", device())])
    assert (found.gpu_architecture, found.other_architecture) == ("gb300", ("c",))
    assert (found.synthesized, found.products) == (("a", "b"), ("NVIDIA-GB300",))


def test_domains_are_the_distinct_labels_that_are_not_empty() -> None:
    nodes = [*racked(r1="a b", r2="c"), node("d")]
    found = fleet.survey(None, nodes)
    assert (found.domains(RACK), found.domains("other"), found.domains("")) == (2, 0, 0)


def test_an_empty_fleet_is_refused() -> None:
    with pytest.raises(nr.RenderError, match="no target node matched"):
        fleet.survey({"nodeNames": ["ghost"]}, [node("a")])
