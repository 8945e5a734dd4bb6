"""Groups as data, and which of them start at once."""

from __future__ import annotations

import pytest

from nvcre_render.planning.group import Group, first_wave

A, B = Group(name="group-0", nodes=("a", "b")), Group(name="group-1", nodes=("c", "d"))
BORROWING = Group(name="group-2-overflow", nodes=("d", "e"), overflow=True)
FREE = Group(name="group-3-overflow", nodes=("f",), overflow=True)
ALL = (A, B, BORROWING, FREE)


@pytest.mark.parametrize(
    ("limit", "started"),
    [
        (0, ("group-0", "group-1", "group-3-overflow")),
        (1, ("group-0",)),
        (2, ("group-0", "group-1")),
        (3, ("group-0", "group-1", "group-3-overflow")),
        (9, ("group-0", "group-1", "group-3-overflow")),
    ],
)
def test_groups_that_share_a_node_wait(limit: int, started: tuple[str, ...]) -> None:
    assert first_wave(ALL, limit) == started


def test_a_waiting_group_does_not_count_against_the_limit() -> None:
    assert first_wave((A, Group(name="x", nodes=("b",)), B), 2) == ("group-0", "group-1")


def test_a_group_without_nodes_starts() -> None:
    assert first_wave((Group(name="group-0", nodes=()),)) == ("group-0",)


def test_only_what_says_something_is_written() -> None:
    assert A.to_data() == {"name": "group-0", "nodes": ["a", "b"]}
    assert Group(name="g", nodes=(), domains=()).to_data() == {"name": "g", "nodes": [], "domains": []}
    assert FREE.to_data() == {"name": "group-3-overflow", "nodes": ["f"], "overflow": True}
