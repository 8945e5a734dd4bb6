"""What selects nodes: label keys and values, operators, taints, node names (NR261 to NR264).

(Kubernetes API, labels and taints; NVCRE guide, target: an expression that is no label selector matches no node.)
"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import is_dns_subdomain, is_label_value, is_qualified_name
from nvcre_render.diagnostics import ERROR, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.core import NodeSelectorRequirement
    from nvcre_render.model.workloadrun import TaintSelector, Target, WorkloadRun
    from nvcre_render.positions import Path


def _target(lines: str) -> str:
    return run().replace("  target: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}}\n", f"  target:\n{lines}")


_PRODUCT = "    nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}\n"

MALFORMED_KEY = Rule(
    code="NR261",
    name="malformed-selector-key",
    severity=ERROR,
    summary="A selector asks for a label or taint key that Kubernetes does not accept.",
    why="No node can have it, so no node is ever eligible, and the API server refuses the affinity made of it.",
    remedy="write a name of 63 letters, digits, '-', '_' or '.', with an optional DNS prefix and a slash before it",
    bad=_target("    nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200, the zone: a}  # error\n"),
    good=_target("    nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200, zone: a}\n"),
)
MALFORMED_VALUE = Rule(
    code="NR262",
    name="malformed-selector-value",
    severity=ERROR,
    summary="A selector asks for a label value, taint value or node name that Kubernetes does not accept.",
    why="No node can have it, so no node is ever eligible.",
    remedy="write letters, digits, '-', '_' or '.', beginning and ending with a letter or digit, 63 at most",
    bad=_target('    nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200, zone: "a, b"}  # error\n'),
    good=_target(f"{_PRODUCT}    matchExpressions: [{{key: zone, operator: In, values: [a, b]}}]\n"),
)
OPERATOR = Rule(
    code="NR263",
    name="impossible-expression",
    severity=ERROR,
    summary="An expression has an operator NVCRE does not know, or values that do not go with it.",
    why="Such an expression matches no node, without a word.",
    remedy="write In or NotIn with values, Exists or DoesNotExist without",
    bad=_target(f"{_PRODUCT}    matchExpressions: [{{key: zone, operator: Equals, values: [a]}}]  # error\n"),
    good=_target(f"{_PRODUCT}    matchExpressions: [{{key: zone, operator: In, values: [a]}}]\n"),
)
EFFECT = Rule(
    code="NR264",
    name="unknown-taint-effect",
    severity=ERROR,
    summary="A taint selector names an effect that Kubernetes does not have.",
    why="No node has such a taint, and the API server refuses the toleration made of it.",
    remedy="write NoSchedule, PreferNoSchedule or NoExecute, or leave effect out to match any",
    bad=_target(f"{_PRODUCT}    taintSelectors: [{{key: gpu, effect: NoScheduling}}]  # error\n"),
    good=_target(f"{_PRODUCT}    taintSelectors: [{{key: gpu, effect: NoSchedule}}]\n"),
)

WITH_VALUES, WITHOUT_VALUES = ("In", "NotIn"), ("Exists", "DoesNotExist")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what no node can match in spec.target, and in the targets that overrides set."""
    spec: Any = run["spec"]
    yield from _check_target(spec.get("target", {}), ("spec", "target"), document)
    for index, override in enumerate(spec.get("overrides", [])):
        path: Path = ("spec", "overrides", index, "orchestration", "target")
        yield from _check_target(override.get("orchestration", {}).get("target", {}), path, document)


def _check_target(target: Target, base: Path, document: Document) -> Iterator[Diagnostic]:
    for key, value in target.get("nodeSelector", {}).items():
        path = (*base, "nodeSelector", key)
        yield from _check_key(key, path, document, on_key=True)
        yield from _check_value(value, path, document)
    for index, expression in enumerate(target.get("matchExpressions", [])):
        yield from _check_expression(expression, (*base, "matchExpressions", index), document)
    for index, name in enumerate(target.get("nodeNames", [])):
        if isinstance(name, str) and not is_dns_subdomain(name):
            message = f'"{name}" is not the name of a node'
            remedy = "write the node's name as kubectl get nodes shows it"
            yield MALFORMED_VALUE.at(document, (*base, "nodeNames", index), message, remedy=remedy)
    for index, taint in enumerate(target.get("taintSelectors", [])):
        yield from _check_taint(taint, (*base, "taintSelectors", index), document)


def _check_expression(expression: NodeSelectorRequirement, path: Path, document: Document) -> Iterator[Diagnostic]:
    key, operator, values = expression.get("key", ""), expression.get("operator", ""), expression.get("values", [])
    if key:
        yield from _check_key(key, (*path, "key"), document)
    if operator in WITH_VALUES and not values:
        yield OPERATOR.at(document, path, f"{operator} without values matches no node", remedy="add values")
    elif operator in WITHOUT_VALUES and values:
        message = f"{operator} with values matches no node"
        yield OPERATOR.at(document, (*path, "values"), message, remedy="remove values, or write In", on_key=True)
    elif operator and operator not in WITH_VALUES + WITHOUT_VALUES:
        yield OPERATOR.at(document, (*path, "operator"), _unknown("operator", operator), remedy=_choice(operator))
    for index, value in enumerate(values):
        yield from _check_value(value, (*path, "values", index), document)


def _choice(operator: str) -> str:
    from nvcre_render.checks.spelling import suggestion

    near = suggestion(operator, WITH_VALUES + WITHOUT_VALUES)
    return f"{OPERATOR.remedy}; did you mean {near}?" if near else ""


def _unknown(noun: str, given: str) -> str:
    return f'"{given}" is an {noun} that matches no node'


def _check_taint(taint: TaintSelector, path: Path, document: Document) -> Iterator[Diagnostic]:
    if taint.get("key"):
        yield from _check_key(taint["key"], (*path, "key"), document)
    yield from _check_value(taint.get("value", ""), (*path, "value"), document)
    effect = taint.get("effect", "")
    if effect and effect not in EFFECTS:
        yield EFFECT.at(document, (*path, "effect"), _unknown("effect", effect))


def _check_key(key: str, path: Path, document: Document, *, on_key: bool = False) -> Iterator[Diagnostic]:
    if not is_qualified_name(key):
        yield MALFORMED_KEY.at(document, path, f'"{key}" is not a key of Kubernetes', on_key=on_key)


def _check_value(value: Any, path: Path, document: Document) -> Iterator[Diagnostic]:
    if isinstance(value, str) and not is_label_value(value):
        yield MALFORMED_VALUE.at(document, path, f'"{value}" is not a value of Kubernetes')
