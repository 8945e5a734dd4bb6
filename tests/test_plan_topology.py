"""Groups inside topology domains. Every expectation is worked out by hand from the rules."""

from __future__ import annotations

import pytest

from nvcre_render.planning.group import PartitionError
from nvcre_render.planning.partition import partition

Groups = list[tuple[str, str, str]]


def cut(size: int, *, strict: bool = False, racked: dict[str, str] | None = None, **racks: str) -> Groups:
    racks = racked or racks
    nodes = {name: {"rack": rack} for rack, names in racks.items() for name in names.split()}
    groups = partition(nodes, size, "rack", strict=strict)
    assert all(group.overflow == group.name.endswith("-overflow") for group in groups)
    return [(group.name, " ".join(group.nodes), " ".join(group.domains or ())) for group in groups]


def test_whole_groups_stay_inside_a_domain() -> None:
    assert cut(2, a="a1 a2 a3 a4", b="b1 b2") == [
        ("group-0", "a1 a2", "a"),
        ("group-1", "a3 a4", "a"),
        ("group-2", "b1 b2", "b"),
    ]


def test_the_domain_with_the_most_free_nodes_comes_first() -> None:
    # a has 3, b has 4: b, then b and a are at 2 and 3, so a.
    assert [group[1] for group in cut(2, a="a1 a2 a3", b="b1 b2 b3 b4")][:3] == ["b1 b2", "a1 a2", "b3 b4"]


def test_no_domain_is_large_enough_so_the_budget_grows() -> None:
    # 5 nodes need two domains of at most 3; then 2 of c and 1 of b are left, and no two domains hold 5. Left over are
    # c1 and c2, then b3, and b lends what it has before a is asked.
    assert cut(5, a="a1 a2 a3", b="b1 b2 b3", c="c1 c2") == [
        ("group-0", "a1 a2 a3 b1 b2", "a b"),
        ("group-1-overflow", "b1 b2 b3 c1 c2", "b c"),
    ]


def test_the_budget_can_leave_scattered_nodes_over() -> None:
    # One domain a group (the largest holds 2), so the single ones of b, c and d are left over. They rank before a,
    # which has none left; c's and d's nodes go with b's two at a time.
    assert cut(2, a="a1 a2", b="b1", c="c1", d="d1") == [
        ("group-0", "a1 a2", "a"),
        ("group-1-overflow", "b1 c1", "b c"),
        ("group-2-overflow", "a1 d1", "a d"),
    ]


def test_a_pool_gives_all_it_has_before_the_next_one() -> None:
    # a: 3 used and 2 left over; b: 1 left over. The pool of a comes first and gives its left-over and used nodes.
    assert cut(3, a="a1 a2 a3 a4 a5", b="b1") == [
        ("group-0", "a1 a2 a3", "a"),
        ("group-1-overflow", "a1 a4 a5", "a"),
        ("group-2-overflow", "a2 a3 b1", "a b"),
    ]


def test_borrowed_nodes_are_used_up_and_the_last_group_can_be_short() -> None:
    # 7 nodes: a gives a1-a4; left are a5, b1 and c1. Ranks: a (1 left, 5 in all), b, c.
    assert cut(4, a="a1 a2 a3 a4 a5", b="b1", c="c1") == [
        ("group-0", "a1 a2 a3 a4", "a"),
        ("group-1-overflow", "a1 a2 a3 a5", "a"),
        ("group-2-overflow", "a4 b1 c1", "a b c"),
    ]


def test_equal_pools_are_taken_in_domain_order() -> None:
    assert cut(2, y="y1 y2 y3", x="x1 x2 x3") == [
        ("group-0", "x1 x2", "x"),
        ("group-1", "y1 y2", "y"),
        ("group-2-overflow", "x1 x3", "x"),
        ("group-3-overflow", "y1 y3", "y"),
    ]


def test_a_single_domain_borrows_its_first_nodes() -> None:
    assert cut(2, a="a1 a2 a3") == [("group-0", "a1 a2", "a"), ("group-1-overflow", "a1 a3", "a")]


@pytest.mark.parametrize(
    ("size", "racks", "nodes"),
    [
        # two domains, the budget of 5 over 3, hold 4 nodes only: one group of all, larger than asked for
        (5, {"a": "a1 a2 a3", "b": "b1", "c": "c1", "d": "d1"}, "a1 a2 a3 b1 c1 d1"),
        # more than there is: one group of all, smaller
        (9, {"a": "a1 a2", "b": "b1"}, "a1 a2 b1"),
    ],
)
def test_where_nothing_packs_one_group_takes_all(size: int, racks: dict[str, str], nodes: str) -> None:
    assert cut(size, racked=racks) == [("group-0", nodes, " ".join(racks))]


def test_strict_domains_are_groups_whatever_the_size() -> None:
    expected = [("group-0", "b1 b2 b3", "b"), ("group-1", "a1 a2", "a"), ("group-2", "c1 c2", "c")]
    for size in (1, 2, 7):
        assert cut(size, strict=True, a="a2 a1", b="b3 b1 b2", c="c1 c2") == expected


@pytest.mark.parametrize("labels", [{}, {"rack": ""}])
def test_the_first_node_without_its_label_is_named(labels: dict[str, str]) -> None:
    nodes = {"c": {"rack": "r"}, "b": labels, "a": {"rack": "r"}, "d": {}}
    for strict in (False, True):
        with pytest.raises(PartitionError, match=r"^the node b has no topology label rack$"):
            partition(nodes, 2, "rack", strict=strict)
