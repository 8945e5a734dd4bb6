"""Advice on placement and gang scheduling."""

from __future__ import annotations

import pytest

from tests.manifests import Json, complaint, faults, manifest, with_spec

GANG: Json = {"gangScheduler": {"schedulerName": "kai-scheduler"}}
UNPINNED: Json = {"orchestration": {"placement": "Unpinned"}}


def test_unpinned_on_several_nodes_wants_a_gang_scheduler() -> None:
    found = complaint(with_spec("orchestration: {placement: @Unpinned}"))
    assert found.code == "NR521"
    assert found.message.startswith("2 pods are scheduled one by one")


@pytest.mark.parametrize(
    "fields",
    [
        {**UNPINNED, **GANG},
        {**UNPINNED, "numNodes": 1},
        {"orchestration": {"placement": "Pinned"}},
        {"orchestration": {}},
        GANG,
    ],
)
def test_placements_that_need_no_advice(fields: Json) -> None:
    assert faults(manifest(**fields)) == []


@pytest.mark.parametrize(
    ("gang", "expected"),
    [
        ({"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue", "queue": "a"}, []),
        ({"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue"}, [("NR522", "spec.gangScheduler")]),
        (
            {"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue", "queue": ""},
            [("NR522", "spec.gangScheduler")],
        ),
        ({"schedulerName": "runai-scheduler", "queue": "a"}, [("NR523", "spec.gangScheduler")]),
        (
            {"schedulerName": "runai-scheduler", "queue": "a", "queueLabelKey": "kai.scheduler/queue"},
            [("NR523", "spec.gangScheduler.queueLabelKey")],
        ),
        (
            {"schedulerName": "runai-scheduler"},
            [("NR522", "spec.gangScheduler"), ("NR523", "spec.gangScheduler")],
        ),
        ({"schedulerName": "other"}, []),
    ],
)
def test_runai(gang: Json, expected: list[tuple[str, str]]) -> None:
    assert faults(manifest(gangScheduler=gang)) == expected


TOPOLOGY: Json = {"topologyKey": "example.com/rack"}


@pytest.mark.parametrize(
    ("placement", "change", "expected"),
    [
        ("Unpinned", {"topology": TOPOLOGY}, True),
        ("Pinned", {"topology": TOPOLOGY}, False),
        ("", {"topology": TOPOLOGY}, False),
        ("Pinned", {"topology": TOPOLOGY, "placement": "Unpinned"}, True),
        ("Unpinned", {"topology": TOPOLOGY, "placement": "Pinned"}, False),
        ("Unpinned", {"topology": {**TOPOLOGY, "strictDomain": True}}, False),  # refused when it is applied
        ("Unpinned", {"iterations": 2}, False),
    ],
)
def test_a_topology_does_nothing_under_unpinned(placement: str, change: Json, expected: bool) -> None:
    overrides = [{"when": {}, "orchestration": change}]
    found = faults(manifest(orchestration={"placement": placement}, overrides=overrides, **GANG))
    field = "spec.overrides[0].orchestration.topology.topologyKey"
    assert found == ([("NR524", field)] if expected else [])


def test_a_node_count_does_nothing_under_intra_node() -> None:
    text = with_spec("orchestration: {testScale: intra-node}").replace("numNodes: 2", "numNodes: @2")
    found = complaint(text)
    assert found.code == "NR525"
    ((scale, _),) = found.related
    assert scale.line == 8
    assert faults(manifest(numNodes=1, orchestration={"testScale": "intra-node"})) == []
