"""A plan in words."""

from __future__ import annotations

import pytest

from nvcre_render.planning import summary
from tests.plans import RACK, Json, fleet, node, planned, racked

EIGHTEEN = fleet(*(f"gpu-{index:02}" for index in range(1, 19)))
SIZE_2 = "numNodes is the group size, not a total: each Job takes 2 nodes."

SCATTERED = f"the 6 eligible nodes lie too scattered over the domains of {RACK}"
SCREENS = "groups of about the square root of the fleet"

SAID: list[tuple[dict[str, object], str, list[str]]] = [
    (
        {"size": 2, "nodes": EIGHTEEN},
        "run: 9 Jobs of 2 nodes each, on 18 eligible nodes",
        [SIZE_2, "18 eligible nodes / 2 a group = 9 groups.", "For a single Job on all of them write numNodes: 18."],
    ),
    (
        {"size": 4},
        "run: 1 Job of 4 nodes, on 4 eligible nodes",
        [
            "numNodes is the group size, not a total: each Job takes 4 nodes.",
            "4 eligible nodes / 4 a group = 1 group.",
        ],
    ),
    (
        {"size": 2, "nodes": EIGHTEEN[:5], "iterations": 3},
        "run: 3 Jobs of 2 nodes each, on 5 eligible nodes, 3 times over",
        [
            SIZE_2,
            "5 eligible nodes / 2 a group = 2 full groups, 1 node left over.",
            "It joins 1 overflow group, filled up with nodes that also belong to another group.",
            "For a single Job on all of them write numNodes: 5.",
        ],
    ),
    (
        {"size": 1, "nodes": EIGHTEEN[:2]},
        "run: 2 Jobs of 1 node each, on 2 eligible nodes",
        [
            "numNodes is the group size, not a total: each Job takes 1 node (numNodes: 1, or testScale: intra-node).",
            "2 eligible nodes / 1 a group = 2 groups.",
            "For a single Job on all of them write numNodes: 2.",
        ],
    ),
    (
        {"size": 0, "nodes": EIGHTEEN[:3]},
        "run: 1 Job of 3 nodes, on 3 eligible nodes",
        [
            "numNodes is the group size, not a total: 0 means that one Job takes all of them.",
            "3 eligible nodes / 3 a group = 1 group.",
        ],
    ),
    (
        {"size": 2, "nodes": racked(r1="a b c", r2="d"), "topology": {"topologyKey": RACK}},
        "run: 3 Jobs of 2 nodes each, on 4 eligible nodes",
        [
            SIZE_2,
            f"4 eligible nodes, 2 a group from as few domains of {RACK} as possible: 1 full group, 2 nodes left over.",
            "They join 2 overflow groups, filled up with nodes that also belong to another group.",
            "For a single Job on all of them write numNodes: 4.",
        ],
    ),
    (
        {"size": 5, "nodes": racked(a="a1 a2 a3", b="b", c="c", d="d"), "topology": {"topologyKey": RACK}},
        "run: 1 Job of 6 nodes, on 6 eligible nodes",
        [
            "numNodes is the group size, not a total: each Job takes 5 nodes.",
            f"No group of 5 can be packed: {SCATTERED}. One group takes them all.",
        ],
    ),
    (
        {"size": 2, "nodes": racked(r1="a b", r2="c"), "topology": {"topologyKey": RACK, "strictDomain": True}},
        "run: 2 Jobs, on 3 eligible nodes",
        [
            f"strictDomain: one group for each domain of {RACK}, with all its nodes: 3 eligible nodes in 2 groups.",
            "numNodes (2) has no say in the size of a group; it only has to fit the whole fleet.",
        ],
    ),
    (
        {"size": 3, "placement": "Unpinned"},
        "run: 1 Job of 3 nodes, on 4 eligible nodes",
        [
            "placement Unpinned: exactly one Job of exactly 3 nodes (numNodes); the scheduler chooses which.",
            "4 eligible - 3 = 1 node stays without work.",
        ],
    ),
    (
        {"size": 3, "diagnose": {}},
        "run: 2 Jobs of 2 nodes each, on 4 eligible nodes",
        [f"orchestration.diagnose screens the nodes first, {SCREENS}; numNodes has no say in that."],
    ),
]


@pytest.mark.parametrize(("fields", "headline", "arithmetic"), SAID)
def test_the_number_of_jobs_is_explained(fields: Json, headline: str, arithmetic: list[str]) -> None:
    made = planned(**fields)
    assert summary.headline(made) == headline
    assert summary.arithmetic(made) == arithmetic


def test_who_waits_is_told_for_whom() -> None:
    made = planned(2, racked(a="a1 a2", b="b1", c="c1", d="d1"), topology={"topologyKey": RACK})
    assert summary.starts(made) == {
        "group-0": "at once",
        "group-1-overflow": "at once",
        "group-2-overflow": "after group-0",
    }
    assert summary.start_line(made) == "2 of 3 Jobs start at once, the others when their nodes are free."


def test_a_limit_is_told() -> None:
    made = planned(1, execution={"maxConcurrent": 3})
    assert summary.starts(made)["group-3"] == "later: maxConcurrent is 3"
    assert summary.start_line(made) == (
        "3 of 4 Jobs start at once (maxConcurrent 3), the others when their nodes are free."
    )
    assert summary.start_line(planned(2)) == "All 2 Jobs start at once."
    assert summary.start_line(planned(4)) == "The Job starts at once."


def test_borrowed_nodes() -> None:
    assert summary.borrowed(planned(3)) == {"group-1-overflow": {"b", "c"}}


def test_the_nodes_are_described() -> None:
    assert summary.fleet_line(planned()) == (
        "Platform onprem, GPU architecture h100 (NVIDIA-H100-80GB-HBM3), 8 GPUs a pod."
    )


def test_reasons_gather_their_nodes() -> None:
    nodes = [node("a"), node("y", gpus="1"), node("z", gpus="1"), node("b", spec={"unschedulable": True})]
    assert summary.left_out(planned(1, nodes)) == {
        "cordoned (spec.unschedulable)": ["b"],
        "has 1 nvidia.com/gpu, a pod asks for 8": ["y", "z"],
    }
