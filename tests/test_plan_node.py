"""Nodes, read from what kubectl prints."""

from __future__ import annotations

from nvcre_render.planning.node import Node, by_name, read
from tests.plans import H100, PRODUCT, node, seen


def test_a_node_is_read_from_its_object() -> None:
    taint = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}
    found = read(node("n1", spec={"providerID": "aws:///a/i-1", "unschedulable": True, "taints": [taint]}))
    assert (found.name, found.product, found.provider_id) == ("n1", H100, "aws:///a/i-1")
    assert (found.cordoned, found.gpus, list(found.taints)) == (True, 8, [taint])


def test_what_is_absent_or_null_says_nothing() -> None:
    for given in (
        {"metadata": {"name": "n1"}},
        {"metadata": {"name": "n1", "labels": None}, "spec": None, "status": {"allocatable": None}},
    ):
        found = read(given)
        assert (found.labels, found.product, found.provider_id, found.cordoned) == ({}, "", "", False)
        assert (found.gpus, list(found.taints)) == (None, [])


def test_a_null_label_is_an_empty_one() -> None:
    assert read({"metadata": {"name": "n1", "labels": {"a": None, "b": "c"}}}).labels == {"a": "", "b": "c"}


def test_only_true_is_a_cordon() -> None:
    assert not read(node("n1", spec={"unschedulable": False})).cordoned


def test_a_filled_in_product_leaves_the_node_as_it_was() -> None:
    bare = seen("n1", product=None)
    filled = bare.with_product("NVIDIA-GB200")
    assert (bare.product, filled.product, filled.labels[PRODUCT]) == ("", "NVIDIA-GB200", "NVIDIA-GB200")
    assert PRODUCT not in bare.labels
    assert (filled.name, filled.gpus) == ("n1", 8)


def test_nodes_are_sorted_byte_by_byte() -> None:
    names = [each.name for each in by_name(Node(name, {}) for name in ("node-2", "node-10", "é", "Z", "a"))]
    assert names == ["Z", "a", "node-10", "node-2", "é"]
