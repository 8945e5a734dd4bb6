"""Nodes to groups without a topology, and diagnostic screens."""

from __future__ import annotations

import pytest

from nvcre_render.planning.group import PartitionError
from nvcre_render.planning.partition import partition, screens

Groups = list[tuple[str, str]]


def cut(names: str, size: int, *, strict: bool = False) -> Groups:
    groups = partition({name: {} for name in names.split()}, size, strict=strict)
    assert all(group.domains is None and group.overflow == group.name.endswith("-overflow") for group in groups)
    return [(group.name, " ".join(group.nodes)) for group in groups]


@pytest.mark.parametrize(
    ("names", "size", "groups"),
    [
        ("b d a c", 2, [("group-0", "a b"), ("group-1", "c d")]),
        ("a b c", 1, [("group-0", "a"), ("group-1", "b"), ("group-2", "c")]),
        ("a b c", 3, [("group-0", "a b c")]),
        ("a b c d e", 2, [("group-0", "a b"), ("group-1", "c d"), ("group-2-overflow", "d e")]),
        ("a b c d e", 3, [("group-0", "a b c"), ("group-1-overflow", "c d e")]),
        ("a b c d e", 4, [("group-0", "a b c d"), ("group-1-overflow", "b c d e")]),
        ("node-2 node-10 node-1", 2, [("group-0", "node-1 node-10"), ("group-1-overflow", "node-10 node-2")]),
        # only a direct call can ask for more than there is
        ("b a", 5, [("group-0", "a b")]),
    ],
)
def test_chunks_in_name_order(names: str, size: int, groups: Groups) -> None:
    assert cut(names, size) == groups
    assert cut(names, size, strict=True) == groups


@pytest.mark.parametrize("size", [0, -3])
def test_a_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(PartitionError, match=rf"nodesPerJob must be at least 1, not {size}"):
        partition({"a": {}}, size)


def test_no_nodes_are_refused() -> None:
    with pytest.raises(PartitionError, match="no nodes"):
        partition({}, 1)


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(1, [1]), (2, [2]), (4, [2, 2]), (5, [3, 2]), (9, [3, 3, 3]), (10, [4, 4, 2]), (17, [5, 5, 5, 2])],
)
def test_screens_take_about_the_square_root(count: int, sizes: list[int]) -> None:
    names = [f"n{index:02}" for index in range(count)]
    groups = screens({name: {} for name in reversed(names)})
    assert [len(group.nodes) for group in groups] == sizes
    assert [group.name for group in groups] == [f"screen-{index}" for index in range(len(sizes))]
    assert [node for group in groups for node in group.nodes] == names


def test_screens_by_domain() -> None:
    nodes = {"d": {"r": "y"}, "a": {"r": "z"}, "c": {}, "b": {"r": "y"}, "e": {"r": ""}}
    groups = screens(nodes, "r")
    assert [(group.name, group.domains, group.nodes) for group in groups] == [
        ("screen-0", ("unknown",), ("c", "e")),
        ("screen-1", ("y",), ("b", "d")),
        ("screen-2", ("z",), ("a",)),
    ]
