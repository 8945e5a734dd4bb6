"""What selects nodes: keys, values, operators, taints and names, in the target and in overrides of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.manifests import Json, complaint, faults, manifest, with_spec


def judged(target: Json) -> list[tuple[str, str]]:
    """Return the findings about a target, which are the same in an override of it."""
    found = faults(manifest(target=target))
    overrides = [{"when": {}, "orchestration": {"target": target}}]
    moved = [(code, field.replace("spec.target", "spec.overrides[0].orchestration.target")) for code, field in found]
    assert faults(manifest(overrides=overrides)) == moved
    return found


@pytest.mark.parametrize(
    "target",
    [
        {},
        {"nodeSelector": {"zone": "a", "topology.kubernetes.io/zone": "", "nvidia.com/gpu.clique": "Clique-0_1.x"}},
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]},
        {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]},
        {"matchExpressions": [{"key": "a/b", "operator": "Exists"}, {"key": "c", "operator": "DoesNotExist"}]},
        {"nodeNames": ["node-1", "node-1.example.com"]},
        {"taintSelectors": [{"key": "a"}, {"key": "a/b", "value": "x", "effect": "NoSchedule"}]},
        {"taintSelectors": [{"key": "a", "effect": "PreferNoSchedule"}, {"key": "a", "effect": "NoExecute"}]},
    ],
)
def test_targets(target: Json) -> None:
    assert judged(target) == []


@pytest.mark.parametrize(
    ("target", "code", "field"),
    [
        ({"nodeSelector": {"the zone": "a"}}, "NR261", 'nodeSelector["the zone"]'),
        ({"nodeSelector": {"Up/zone": "a"}}, "NR261", 'nodeSelector["Up/zone"]'),
        ({"nodeSelector": {"zone": "a b"}}, "NR262", "nodeSelector.zone"),
        ({"nodeSelector": {"zone": "a" * 64}}, "NR262", "nodeSelector.zone"),
        ({"matchExpressions": [{"key": "a b", "operator": "Exists"}]}, "NR261", "matchExpressions[0].key"),
        ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "NR263", "matchExpressions[0]"),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": []}]}, "NR263", "matchExpressions[0]"),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
            "NR263",
            "matchExpressions[0].values",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
            "NR263",
            "matchExpressions[0].operator",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "In", "values": ["x", "-"]}]},
            "NR262",
            "matchExpressions[0].values[1]",
        ),
        ({"nodeNames": ["node-1", "Node_2"]}, "NR262", "nodeNames[1]"),
        ({"nodeNames": [""]}, "NR262", "nodeNames[0]"),
        ({"taintSelectors": [{"key": "a b"}]}, "NR261", "taintSelectors[0].key"),
        ({"taintSelectors": [{"key": "a", "value": "b c"}]}, "NR262", "taintSelectors[0].value"),
        ({"taintSelectors": [{"key": "a", "effect": "noschedule"}]}, "NR264", "taintSelectors[0].effect"),
    ],
)
def test_what_no_node_matches(target: Json, code: str, field: str) -> None:
    assert judged(target) == [(code, f"spec.target.{field}")]


def test_an_operator_gets_the_near_one() -> None:
    found = complaint(with_spec("target:\n  matchExpressions: [{key: a, operator: @in, values: [x]}]"))
    assert found.code == "NR263"
    assert found.remedy.endswith("did you mean In?")


@pytest.mark.parametrize(
    "target",
    [
        {"nodeNames": [5]},
        {"matchExpressions": [{"key": "a", "operator": "In", "values": [5]}]},
        {"nodeSelector": {"a": 5}},
    ],
)
def test_a_wrong_type_is_one_finding(target: Any) -> None:
    assert [code for code, _ in judged(target)] == ["NR203"]
