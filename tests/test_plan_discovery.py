"""Which nodes a target means, and why the others are none of them."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.planning import discovery
from nvcre_render.planning.node import read
from tests.plans import Json, node, seen

TAINTED = [{"key": "dedicated", "value": "burn-in", "effect": "NoSchedule"}, {"key": "spare"}]


def names(target: Json | None, *nodes: Json) -> list[str]:
    return [each.name for each in discovery.discover(target, map(read, nodes)).eligible]


def expression(operator: str, *values: str, key: str = "rack") -> Json:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


R1, R2, NONE, EMPTY = node("r1"), node("r2"), node("none"), node("empty")
R1["metadata"]["labels"]["rack"] = "r1"
R2["metadata"]["labels"]["rack"] = "r2"
EMPTY["metadata"]["labels"]["rack"] = ""
RACKS = (R1, R2, NONE, EMPTY)


@pytest.mark.parametrize(
    ("target", "eligible"),
    [
        (None, ["empty", "none", "r1", "r2"]),
        ({"nodeSelector": {"rack": "r1"}}, ["r1"]),
        ({"nodeSelector": {"rack": ""}}, ["empty"]),
        (expression("In", "r1", ""), ["empty", "r1"]),
        (expression("NotIn", "r1", ""), ["none", "r2"]),
        (expression("Exists"), ["empty", "r1", "r2"]),
        (expression("DoesNotExist"), ["none"]),
        # what is no label selector matches nothing
        (expression("In"), []),
        (expression("NotIn"), []),
        (expression("Exists", "r1"), []),
        (expression("DoesNotExist", "r1"), []),
        (expression("Gt", "1"), []),
        (expression(""), []),
        (expression("DoesNotExist", key="rack id"), []),
        (expression("DoesNotExist", key=""), []),
        (expression("NotIn", "a b"), []),
        (expression("NotIn", "x" * 64), []),
        (expression("NotIn", "x" * 63), ["empty", "none", "r1", "r2"]),
        ({"nodeNames": ["r2", "ghost"]}, ["r2"]),
        ({"nodeNames": []}, ["empty", "none", "r1", "r2"]),
    ],
)
def test_labels_and_names(target: Json | None, eligible: list[str]) -> None:
    assert names(target, *RACKS) == eligible


@pytest.mark.parametrize(
    ("selectors", "matches"),
    [
        ([], True),
        ([{"key": "dedicated"}], True),
        ([{"key": "dedicated", "value": "burn-in", "effect": "NoSchedule"}], True),
        ([{"key": "dedicated", "value": "", "effect": ""}, {"key": "spare"}], True),
        ([{"key": "dedicated", "value": "other"}], False),
        ([{"key": "dedicated", "effect": "NoExecute"}], False),
        ([{"key": "dedicated"}, {"key": "absent"}], False),
        ([{"key": "spare", "value": "x"}], False),
    ],
)
def test_every_selected_taint_must_be_there(selectors: list[Json], matches: bool) -> None:
    assert discovery.has_taints(seen("n1", spec={"taints": TAINTED}), selectors) is matches


CORDONED: Json = {"unschedulable": True, "taints": [{"key": discovery.CORDON_TAINT, "effect": "NoSchedule"}]}


def test_cordoned_gpu_nodes_are_remembered_and_others_are_not() -> None:
    nodes = [node("a", spec=CORDONED), node("b"), node("c", spec=CORDONED)]
    nodes[2]["metadata"]["labels"]["nvidia.com/gpu.present"] = "no"
    found = discovery.discover(None, map(read, nodes))
    assert [each.name for each in found.eligible] == ["b"]
    assert found.cordoned == ("a",)
    assert found.dropped == (("c", 'the label nvidia.com/gpu.present is not "true", and the node is cordoned'),)


def test_naming_the_cordon_s_taint_takes_cordoned_nodes() -> None:
    target = {"taintSelectors": [{"key": discovery.CORDON_TAINT}]}
    found = discovery.discover(target, map(read, [node("a", spec=CORDONED), node("b")]))
    assert ([each.name for each in found.eligible], found.cordoned) == (["a"], ())
    # The taint decides, not the field.
    assert discovery.discover(target, [seen("a", spec={"unschedulable": True})]).eligible == ()


@pytest.mark.parametrize("value", ["True", "yes", "1", "false", ""])
def test_the_gpu_label_is_exactly_true(value: str) -> None:
    given = node("n1")
    given["metadata"]["labels"]["nvidia.com/gpu.present"] = value
    assert names(None, given) == []


def test_what_is_not_looked_at() -> None:
    broken = node("n1", spec={"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]})
    broken["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    assert names(None, broken) == ["n1"]


REASONS: list[tuple[Json, str]] = [
    ({"nodeSelector": {"pool": "gpu"}}, "target.nodeSelector wants pool=gpu, the node has no label pool"),
    ({"nodeSelector": {"rack": "r2"}}, "target.nodeSelector wants rack=r2, the node has rack=r1"),
    (expression("In", "r2", "r3"), "target.matchExpressions[0] wants rack In [r2, r3], the node has rack=r1"),
    (expression("DoesNotExist"), "target.matchExpressions[0] wants rack DoesNotExist, the node has rack=r1"),
    (
        expression("Gt", "4"),
        "target.matchExpressions[0] matches no node: Gt is none of In, NotIn, Exists, DoesNotExist",
    ),
    (expression("In"), "target.matchExpressions[0] matches no node: In needs values"),
    (expression("Exists", "x"), "target.matchExpressions[0] matches no node: Exists takes no values"),
    (expression("In", "a", key="a b"), 'target.matchExpressions[0] matches no node: "a b" is no label key'),
    (expression("In", "a b"), 'target.matchExpressions[0] matches no node: "a b" is no label value'),
    ({"nodeNames": ["other"]}, "not listed in target.nodeNames"),
    (
        {"taintSelectors": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
        "target.taintSelectors wants the taint k=v:NoSchedule, the node does not carry it",
    ),
]


@pytest.mark.parametrize(("target", "reason"), REASONS)
def test_every_node_left_out_has_its_reason(target: Json, reason: str) -> None:
    assert discovery.discover(target, [read(R1)]).dropped == (("r1", reason),)


def test_the_first_filter_that_fails_gives_the_reason() -> None:
    target: dict[str, Any] = {"nodeSelector": {"pool": "x"}, "nodeNames": ["other"]}
    ((_, reason),) = discovery.discover(target, [seen("n1", spec=CORDONED)]).dropped
    assert reason.startswith("target.nodeSelector")


def test_no_target_node_is_a_refusal_that_counts() -> None:
    with pytest.raises(nr.RenderError) as refusal:
        discovery.require(None, [seen("a", spec=CORDONED), seen("b", spec=CORDONED)])
    (found,) = refusal.value.diagnostics
    assert found.message == (
        "NodeDiscoveryError: no target node matched the orchestration target (none of 2 nodes; 2 would but for their "
        "cordon: a, b)"
    )
