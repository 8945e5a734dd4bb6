"""Nodes of the target that are not used."""

from __future__ import annotations

from nvcre_render.planning.exclusion import Exclusion

ALL = Exclusion(
    gpu_architecture="h100",
    need=8,
    cordoned=("c1",),
    other_architecture=("b1", "b2"),
    too_small=(("s1", 4), ("s2", 1)),
)


def test_every_cause_has_its_sentence_in_order() -> None:
    assert ALL.nodes == ("c1", "b1", "b2", "s1", "s2")
    assert ALL.reason == (
        "1 node is cordoned: c1. The target has several GPU architectures, only h100 is kept. 2 nodes are below the 8 "
        "nvidia.com/gpu a pod asks for: s1 has 4, s2 has 1"
    )


def test_nothing_excluded_says_nothing() -> None:
    nothing = Exclusion(gpu_architecture="h100", need=8)
    assert (nothing.nodes, nothing.reason, nothing.each()) == ((), "", [])


def test_each_node_has_a_reason_of_its_own() -> None:
    assert ALL.each() == [
        ("c1", "cordoned (spec.unschedulable)"),
        ("b1", "another GPU architecture than h100, the one kept"),
        ("b2", "another GPU architecture than h100, the one kept"),
        ("s1", "has 4 nvidia.com/gpu, a pod asks for 8"),
        ("s2", "has 1 nvidia.com/gpu, a pod asks for 8"),
    ]
