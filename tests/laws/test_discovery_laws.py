"""What holds for every discovery, architecture vote and capacity filter."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nvcre_render.facts import parse_architecture
from nvcre_render.planning import capacity, detection, discovery
from nvcre_render.planning.discovery import Discovery
from nvcre_render.planning.node import Node, by_name, read
from tests.fleets import EXPRESSIONS, SELECTORS, VALUES, Json, fleets, targets
from tests.plans import PRESENT

BOUNDED = settings(max_examples=80, deadline=None)


def found(target: Json, nodes: list[Json]) -> Discovery:
    return discovery.discover(target, map(read, nodes))


def names(nodes: Any) -> list[str]:
    return [node.name for node in nodes]


@BOUNDED
@given(targets(), fleets())
def test_every_node_has_one_lot(target: Json, nodes: list[Json]) -> None:
    before = copy.deepcopy((target, nodes))
    result = found(target, nodes)
    assert (target, nodes) == before
    lots = [names(result.eligible), list(result.cordoned), [name for name, _ in result.dropped]]
    assert all(lot == sorted(lot) for lot in lots)
    assert sorted(name for lot in lots for name in lot) == sorted(node["metadata"]["name"] for node in nodes)
    assert all(reason for _, reason in result.dropped)
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in nodes}
    assert all(labels[name][PRESENT] == "true" for name in (*lots[0], *lots[1]))
    if discovery.tolerates_cordon(target):
        assert not result.cordoned
    else:
        assert not any(node.cordoned for node in result.eligible)


@BOUNDED
@given(targets(), fleets(), st.randoms(use_true_random=False))
def test_a_node_is_decided_alone(target: Json, nodes: list[Json], random: Any) -> None:
    result = found(target, nodes)
    for node in nodes:
        alone = found(target, [node])
        name = node["metadata"]["name"]
        assert (name in names(alone.eligible)) == (name in names(result.eligible))
        assert (name in alone.cordoned) == (name in result.cordoned)
    shuffled = list(nodes)
    random.shuffle(shuffled)
    again = found(target, shuffled)
    assert (names(again.eligible), again.cordoned, again.dropped) == (
        names(result.eligible),
        result.cordoned,
        result.dropped,
    )


@BOUNDED
@given(targets(), fleets())
def test_discovering_again_changes_nothing(target: Json, nodes: list[Json]) -> None:
    eligible = names(found(target, nodes).eligible)
    again = found(target, [node for node in nodes if node["metadata"]["name"] in eligible])
    assert (names(again.eligible), again.cordoned, again.dropped) == (eligible, (), ())


@BOUNDED
@given(targets(), fleets(), st.one_of(EXPRESSIONS, SELECTORS, st.tuples(st.sampled_from(["pool", "zone"]), VALUES)))
def test_one_more_condition_never_adds_a_node(target: Json, nodes: list[Json], more: Any) -> None:
    before = found(target, nodes)
    grown = copy.deepcopy(target)
    if isinstance(more, tuple):
        if more[0] in grown.get("nodeSelector", {}):
            return  # another value for the same key is another condition, not one more
        grown.setdefault("nodeSelector", {})[more[0]] = more[1]
    else:
        grown.setdefault("matchExpressions" if "operator" in more else "taintSelectors", []).append(more)
    after = found(grown, nodes)
    eligible, cordoned = set(names(before.eligible)), set(before.cordoned)
    turned = discovery.tolerates_cordon(grown) and not discovery.tolerates_cordon(target)
    assert set(names(after.eligible)) <= (eligible | cordoned if turned else eligible)
    assert set(after.cordoned) <= cordoned


def architectures(nodes: list[Node]) -> list[str]:
    return [parse_architecture(node.product) for node in nodes if node.product]


@BOUNDED
@given(fleets())
def test_one_architecture_is_kept(given_nodes: list[Json]) -> None:
    nodes = by_name(map(read, given_nodes))
    primary = detection.architecture(nodes)
    kept, others = detection.split(nodes, primary)
    assert kept
    assert by_name([*kept, *others]) == nodes
    assert (by_name(kept), by_name(others)) == (kept, others)
    products = detection.products(kept)
    if not architectures(nodes):
        assert (primary, others, products) == ("unknown", [], ())
        return
    assert products == tuple(sorted({node.product for node in kept}))
    assert all(node.product for node in kept)
    assert set(architectures(kept)) == {primary}
    rivals = architectures(others)
    assert all(rivals.count(rival) <= len(kept) for rival in rivals)
    assert primary not in rivals


@BOUNDED
@given(fleets(), st.integers(0, 9), st.integers(0, 9))
def test_the_capacity_filter_splits(given_nodes: list[Json], need: int, more: int) -> None:
    nodes = by_name(map(read, given_nodes))
    kept, small = capacity.split(nodes, need)
    assert by_name([*kept, *small]) == nodes
    assert (by_name(kept), by_name(small)) == (kept, small)
    assert all(node.gpus is not None and 0 < node.gpus < need for node in small)
    assert all(node.gpus is None or node.gpus >= need for node in kept)
    assert set(names(small)) <= set(names(capacity.split(nodes, need + more)[1]))
    assert need or not small
