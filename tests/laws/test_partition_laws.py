"""What holds for every partition: groups, overflow, domains, and which groups start at once."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nvcre_render.planning.group import Group, PartitionError, first_wave
from nvcre_render.planning.partition import partition, screens

BOUNDED = settings(max_examples=80, deadline=None)
KEY = "rack"

Nodes = dict[str, dict[str, str]]
Shuffle = Any

# Names whose order by bytes is not that of their numbers, and some that sort before or behind all of them.
NAMES = st.one_of(st.integers(1, 120).map("node-{}".format), st.sampled_from(["A", "z", "é", "node-", "node-1a"]))
DOMAINS = st.sampled_from(["r1", "r10", "r2", "R", "b", "a"])
SIZES = st.integers(1, 12)


@st.composite
def fleets(draw: st.DrawFn, labels: st.SearchStrategy[str] = DOMAINS) -> Nodes:
    """Draw 1 to 30 nodes, their domains of very different sizes."""
    names = draw(st.lists(NAMES, min_size=1, max_size=30, unique=True))
    return {name: {KEY: draw(labels), "other": "x"} for name in names}


def regular(groups: tuple[Group, ...]) -> list[Group]:
    return [group for group in groups if not group.overflow]


def overflow(groups: tuple[Group, ...]) -> list[Group]:
    return [group for group in groups if group.overflow]


def check_every_mode(nodes: Nodes, groups: tuple[Group, ...]) -> None:
    members = [node for group in groups for node in group.nodes]
    assert set(members) == set(nodes)
    for group in groups:
        assert group.nodes
        assert list(group.nodes) == sorted(set(group.nodes))
    for kind in (regular(groups), overflow(groups)):
        assert all(set(left.nodes).isdisjoint(right.nodes) for left, right in combinations(kind, 2))
    assert list(groups) == regular(groups) + overflow(groups)
    assert [group.name for group in groups] == [
        f"group-{index}" + ("-overflow" if group.overflow else "") for index, group in enumerate(groups)
    ]


def check_domains(nodes: Nodes, groups: tuple[Group, ...]) -> None:
    for group in groups:
        assert group.domains == tuple(sorted({nodes[name][KEY] for name in group.nodes}))


def by_domain(nodes: Nodes) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(nodes):
        found.setdefault(nodes[name][KEY], []).append(name)
    return found


@BOUNDED
@given(fleets(), SIZES, st.booleans())
def test_simple(nodes: Nodes, size: int, strict: bool) -> None:
    groups = partition(nodes, size, strict=strict)
    check_every_mode(nodes, groups)
    assert all(group.domains is None for group in groups)
    assert groups == partition(nodes, size)
    ordered, count = sorted(nodes), len(nodes)
    if size > count:
        assert [group.nodes for group in groups] == [tuple(ordered)]
        assert not overflow(groups)
        return
    assert len(groups) == ceil(count / size)
    assert all(len(group.nodes) == size for group in groups)
    full = size * (count // size)
    assert [node for group in regular(groups) for node in group.nodes] == ordered[:full]
    assert len(overflow(groups)) == (1 if count % size else 0)
    for group in overflow(groups):
        borrowed = sorted(set(group.nodes) & set(ordered[:full]))
        assert list(group.nodes) == ordered[-size:]
        assert len(borrowed) == size - count % size
        assert borrowed == list(groups[-2].nodes[-len(borrowed) :])


@BOUNDED
@given(fleets(), SIZES, SIZES)
def test_strict_domains(nodes: Nodes, size: int, other: int) -> None:
    groups = partition(nodes, size, KEY, strict=True)
    check_every_mode(nodes, groups)
    check_domains(nodes, groups)
    assert not overflow(groups)
    found = by_domain(nodes)
    assert [(group.domains, list(group.nodes)) for group in groups] == [
        ((domain,), found[domain]) for domain in sorted(found, key=lambda name: (-len(found[name]), name))
    ]
    assert groups == partition(nodes, other, KEY, strict=True)


@settings(max_examples=200, deadline=None)
@given(fleets(), SIZES)
def test_topology(nodes: Nodes, size: int) -> None:
    groups = partition(nodes, size, KEY)
    check_every_mode(nodes, groups)
    check_domains(nodes, groups)
    found = by_domain(nodes)
    sizes = sorted(map(len, found.values()), reverse=True)
    budget = ceil(size / sizes[0])
    if sum(sizes[:budget]) < size:
        assert [group.to_data() for group in groups] == [
            {"name": "group-0", "nodes": sorted(nodes), "domains": sorted(found)}
        ]
        return
    packed = regular(groups)
    assert packed
    assert all(len(group.nodes) == size and len(group.domains or ()) == budget for group in packed)
    used = {node for group in packed for node in group.nodes}
    left = {domain: [name for name in names if name not in used] for domain, names in found.items()}
    for domain, names in found.items():
        assert left[domain] == names[len(names) - len(left[domain]) :]
    if budget == 1:
        assert len(packed) == sum(count // size for count in sizes)
        assert all(len(names) < size for names in left.values())
    check_overflow(nodes, size, overflow(groups), {name for names in left.values() for name in names})


def check_overflow(nodes: Nodes, size: int, groups: list[Group], left: set[str]) -> None:
    count, total = len(groups), len(nodes)
    assert (count > 0) == bool(left)
    if not groups:
        return
    held = [node for group in groups for node in group.nodes]
    assert all(held.count(node) == 1 for node in left)
    assert all(left.intersection(group.nodes) for group in groups)
    assert ceil(len(left) / size) <= count <= min(len(left), ceil(total / size))
    assert len(held) == min(count * size, total)
    assert all(len(group.nodes) == size for group in groups[:-1])
    if len(groups[-1].nodes) < size:
        assert sorted(held) == sorted(nodes)


@BOUNDED
@given(fleets(), SIZES)
def test_the_rules_word_for_word_give_the_same(nodes: Nodes, size: int) -> None:
    """The packing with heaps against one that ranks all domains anew for each group."""
    found = [(list(group.nodes), group.overflow) for group in partition(nodes, size, KEY)]
    assert found == plain(by_domain(nodes), size)


def plain(found: dict[str, list[str]], size: int) -> list[tuple[list[str], bool]]:
    budget = ceil(size / max(map(len, found.values())))
    free = {domain: list(names) for domain, names in found.items()}
    groups: list[tuple[list[str], bool]] = []
    while True:
        ranked = sorted((domain for domain in free if free[domain]), key=lambda name: (-len(free[name]), name))[:budget]
        if sum(len(free[domain]) for domain in ranked) < size:
            break
        taken: list[str] = []
        for domain in ranked:
            part = free[domain][: size - len(taken)]
            taken += part
            free[domain] = free[domain][len(part) :]
        groups.append((sorted(taken), False))
    if not groups:
        return [(sorted(name for names in found.values() for name in names), False)]
    used = {node for nodes, _ in groups for node in nodes}
    pools = {domain: free[domain] + [name for name in names if name in used] for domain, names in found.items()}
    left = {name for names in free.values() for name in names}
    while left:
        counts = {domain: len(left.intersection(pool)) for domain, pool in pools.items()}
        order = sorted(pools, key=lambda name: (-counts[name], -len(pools[name]), name))
        taken = []
        for domain in order:
            part = pools[domain][: size - len(taken)]
            taken += part
            pools[domain] = pools[domain][len(part) :]
        left -= set(taken)
        groups.append((sorted(taken), True))
    return groups


@BOUNDED
@given(fleets(), st.sampled_from(["", KEY]))
def test_one_node_and_all_nodes_a_group(nodes: Nodes, key: str) -> None:
    (everyone,) = partition(nodes, len(nodes), key)
    assert (everyone.name, list(everyone.nodes), everyone.overflow) == ("group-0", sorted(nodes), False)
    single = partition(nodes, 1, key)
    assert [len(group.nodes) for group in single] == [1] * len(nodes)
    assert not overflow(single)


@BOUNDED
@given(fleets(), SIZES, st.sampled_from(["", KEY]), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_nodes_never_matters(nodes: Nodes, size: int, key: str, strict: bool, random: Shuffle) -> None:
    shuffled = list(nodes.items())
    random.shuffle(shuffled)
    before = {name: dict(labels) for name, labels in nodes.items()}
    assert partition(dict(shuffled), size, key, strict=strict) == partition(nodes, size, key, strict=strict)
    assert nodes == before


@BOUNDED
@given(fleets(), SIZES, st.booleans())
def test_renaming_the_domains_in_order_changes_their_names_alone(nodes: Nodes, size: int, strict: bool) -> None:
    new = {domain: f"x{index:03}" for index, domain in enumerate(sorted(by_domain(nodes)))}
    renamed = {name: {KEY: new[labels[KEY]]} for name, labels in nodes.items()}
    for left, right in zip(
        partition(nodes, size, KEY, strict=strict), partition(renamed, size, KEY, strict=strict), strict=True
    ):
        assert (left.name, left.nodes) == (right.name, right.nodes)
        assert tuple(new[domain] for domain in left.domains or ()) == right.domains


@BOUNDED
@given(fleets(), SIZES, st.booleans(), st.data(), st.sampled_from([None, ""]))
def test_a_node_without_its_domain_is_refused(
    nodes: Nodes, size: int, strict: bool, data: st.DataObject, label: str | None
) -> None:
    name = data.draw(st.sampled_from(sorted(nodes)))
    broken = {**nodes, name: {} if label is None else {KEY: label}}
    with pytest.raises(PartitionError, match=rf"the node {name} has no topology label {KEY}"):
        partition(broken, size, KEY, strict=strict)


@BOUNDED
@given(fleets(), SIZES, st.sampled_from(["", KEY]), st.integers(0, 5))
def test_groups_that_start_at_once(nodes: Nodes, size: int, key: str, limit: int) -> None:
    groups = partition(nodes, size, key)
    everything = first_wave(groups)
    assert everything[0] == groups[0].name
    used = {node for group in regular(groups) for node in group.nodes}
    free = [group.name for group in overflow(groups) if used.isdisjoint(group.nodes)]
    assert list(everything) == [group.name for group in regular(groups)] + free
    assert key or not free
    assert first_wave(groups, limit) == (everything[:limit] if limit else everything)


@BOUNDED
@given(fleets(), st.sampled_from(["", KEY]))
def test_screens_hold_every_node_once(nodes: Nodes, key: str) -> None:
    groups = screens(nodes, key)
    assert sorted(node for group in groups for node in group.nodes) == sorted(nodes)
    assert [group.name for group in groups] == [f"screen-{index}" for index in range(len(groups))]
    if not key:
        size = max(2, ceil(len(nodes) ** 0.5))
        assert [node for group in groups for node in group.nodes] == sorted(nodes)
        assert all(len(group.nodes) == size for group in groups[:-1])
