"""Node lists as data."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.planning.nodelist import read
from tests.plans import Json, fleet, node
from tests.test_plan_slices import device, resource_slice


def listed(*items: Any, kind: str = "List") -> Json:
    return {"apiVersion": "v1", "kind": kind, "items": list(items)}


def findings(*documents: Any) -> list[tuple[str, str]]:
    return [(found.rule.name, f"{found.field}: {found.message}") for found in read(documents)[1]]


BARE = {"metadata": {"name": "a"}}


@pytest.mark.parametrize(
    "documents",
    [
        [listed(*fleet("a", "b"))],
        [listed(*fleet("a", "b"), kind="NodeList")],
        [fleet("a", "b")],
        fleet("a", "b"),
        # the API leaves the kind of a list's items out
        [listed(BARE, {"metadata": {"name": "b"}}, kind="NodeList")],
        [listed(node("a")), listed(node("b"))],
        [listed({"kind": "Pod", "metadata": {"name": "a"}}, *fleet("a", "b"))],
    ],
)
def test_what_is_a_node_list(documents: list[Any]) -> None:
    nodes, found = read(documents)
    assert ([each["metadata"]["name"] for each in nodes.nodes], found) == (["a", "b"], [])


def test_slices_are_told_apart() -> None:
    mixed = listed(node("a"), resource_slice("a", device()))
    bare = listed({"spec": {"driver": "x"}}, kind="ResourceSliceList")
    nodes, found = read([mixed, bare])
    assert (len(nodes.nodes), len(nodes.slices), found) == (1, 2, [])


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "the node list is empty"),
        ([listed()], "the List is empty"),
        ([listed({"kind": "Pod"}, {"kind": "Job"})], "the List holds no nodes, only Job, Pod"),
        ([{"kind": "Deployment"}], "a Deployment is no list of nodes"),
        ([[]], "the list holds no nodes"),
        ([listed(kind="NodeList")], "the NodeList is empty"),
    ],
)
def test_what_is_none(documents: list[Any], message: str) -> None:
    assert findings(*documents) == [("not-a-node-list", f": {message}")]


@pytest.mark.parametrize(
    ("broken", "rule", "text"),
    [
        ({"metadata": {}}, "unnamed-node", "metadata.name: the node has no name"),
        ({"metadata": {"name": ""}}, "unnamed-node", "metadata.name: the node has no name"),
        ({"metadata": {"name": 7}}, "unnamed-node", "metadata.name: the name is the number 7, not a text"),
        ({"spec": {}}, "malformed-node", " a node is a mapping with metadata"),
        ("a", "malformed-node", " a text is no node"),
        (None, "malformed-node", " nothing is no node"),
        (
            {**BARE, "metadata": {"name": "a", "labels": {"x": True}}},
            "malformed-node",
            'metadata.labels["x"]: x is true,',
        ),
        ({**BARE, "metadata": {"name": "a", "labels": []}}, "malformed-node", "metadata.labels: a list where"),
        ({**BARE, "spec": "x"}, "malformed-node", "spec: spec is a text, not a mapping"),
        ({**BARE, "spec": {"providerID": 1}}, "malformed-node", "spec.providerID: providerID is the number 1, not"),
        ({**BARE, "spec": {"unschedulable": "true"}}, "malformed-node", "spec.unschedulable: unschedulable is a text"),
        ({**BARE, "spec": {"taints": {}}}, "malformed-node", "spec.taints: taints is a mapping, not a list"),
        ({**BARE, "spec": {"taints": ["x"]}}, "malformed-node", "spec.taints[0]: a text where a mapping belongs"),
        ({**BARE, "spec": {"taints": [{"key": 1}]}}, "malformed-node", "spec.taints[0].key: key is the number 1"),
        ({**BARE, "status": []}, "malformed-node", "status: status is a list, not a mapping"),
        ({**BARE, "status": {"allocatable": "8"}}, "malformed-node", "status.allocatable: allocatable is a text"),
    ],
)
def test_a_broken_node_is_a_finding_at_its_field(broken: Any, rule: str, text: str) -> None:
    ((found, shown),) = findings(listed(node("z"), broken))
    assert found == rule
    # The path begins with the number of the document.
    assert shown.startswith(f"[0].items[1]{'.' if not text.startswith(' ') else ':'}{text}")


def test_null_counts_as_absent() -> None:
    empty = {"metadata": {"name": "a", "labels": {"x": None}}, "spec": {"taints": None}, "status": None}
    assert findings(listed(empty)) == []


def test_a_repeated_name_says_where_it_stood_before() -> None:
    assert findings(listed(*fleet("a", "b", "a"))) == [
        ("repeated-node", "[0].items[2].metadata.name: a node a is listed before, at items[0]")
    ]


def test_all_faults_are_told_at_once() -> None:
    broken = {"metadata": {"labels": {"x": 1}}, "spec": {"unschedulable": 1}}
    assert [rule for rule, _ in findings(listed(broken))] == ["unnamed-node", "malformed-node", "malformed-node"]
