"""Which nodes of a cluster a target means, and why each of the others is not one of them.

The filters apply in the order of `filters`; a node is decided alone. Conditions such as Ready, taints (except
through taintSelectors), the CPU architecture and running pods are not looked at. (NVCRE guide, target.)
"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.checks.names import is_label_value, is_qualified_name
from nvcre_render.planning.node import by_name
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from nvcre_render.planning.node import Node

    # Returns why a node is left out; empty for a node that passes.
    Filter = Callable[[Node], str]

GPU_PRESENT = "nvidia.com/gpu.present"
CORDON_TAINT = "node.kubernetes.io/unschedulable"
_SET_OPERATORS = ("In", "NotIn")
_KEY_OPERATORS = ("Exists", "DoesNotExist")


class Discovery(Record):
    """The nodes of a fleet by what becomes of them, each sorted by name.

    `cordoned` names the nodes that only their cordon keeps out; `dropped` pairs every other node that is left out
    with the reason.
    """

    eligible: tuple[Node, ...]
    cordoned: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]


def discover(target: Mapping[str, Any] | None, nodes: Iterable[Node]) -> Discovery:
    """Return which of the nodes the target of an orchestration means; None means all of them."""
    target = target or {}
    chain = filters(target)
    heeds_cordon = not tolerates_cordon(target)
    eligible: list[Node] = []
    cordoned: list[str] = []
    dropped: list[tuple[str, str]] = []
    for node in by_name(nodes):
        reason = next(filter(None, (each(node) for each in chain)), "")
        has_gpu = node.labels.get(GPU_PRESENT) == "true"
        if not reason and has_gpu and heeds_cordon and node.cordoned:
            cordoned.append(node.name)
        elif not reason and has_gpu:
            eligible.append(node)
        else:
            dropped.append((node.name, reason or _without_gpu(node)))
    return Discovery(eligible=tuple(eligible), cordoned=tuple(cordoned), dropped=tuple(dropped))


def require(target: Mapping[str, Any] | None, nodes: Sequence[Node]) -> Discovery:
    """Discover as `discover` does; raises RenderError when no node is eligible."""
    found = discover(target, nodes)
    if not found.eligible:
        counts = f"none of {len(nodes)} nodes"
        if found.cordoned:
            counts += f"; {len(found.cordoned)} would but for their cordon: {', '.join(found.cordoned)}"
        message = f"no target node matched the orchestration target ({counts})"
        path = (*rules.ORCHESTRATION, "target")
        raise rules.refusal(rules.NO_TARGET_NODE, message, path, rules.NO_TARGET_NODE.remedy)
    return found


def tolerates_cordon(target: Mapping[str, Any] | None) -> bool:
    """Tell whether the target asks for cordoned nodes, by naming their taint."""
    selectors = (target or {}).get("taintSelectors") or ()
    return any(selector.get("key") == CORDON_TAINT for selector in selectors)


def filters(target: Mapping[str, Any]) -> list[Filter]:
    """Return the filters that a target stands for, in their order; the cordon and the GPU label come after them."""
    chain: list[Filter] = []
    if target.get("nodeSelector"):
        chain.append(_selector(target["nodeSelector"]))
    for index, expression in enumerate(target.get("matchExpressions") or ()):
        chain.append(_expression(f"target.matchExpressions[{index}]", expression))
    if target.get("nodeNames"):
        names = frozenset(target["nodeNames"])
        chain.append(lambda node: "" if node.name in names else "not listed in target.nodeNames")
    if target.get("taintSelectors"):
        selectors = target["taintSelectors"]
        chain.append(lambda node: _missing_taint(node, selectors))
    return chain


def _selector(wanted: Mapping[str, str]) -> Filter:
    pairs = sorted(wanted.items())

    def reason(node: Node) -> str:
        for key, value in pairs:
            if node.labels.get(key) != value:
                return f"target.nodeSelector wants {key}={value}, {_has(node, key)}"
        return ""

    return reason


def _expression(where: str, expression: Mapping[str, Any]) -> Filter:
    key, operator = expression.get("key") or "", expression.get("operator") or ""
    values = expression.get("values") or []
    fault = _fault(key, operator, values)
    if fault:
        return lambda _: f"{where} matches no node: {fault}"
    members = frozenset(values)
    wanted = f"{where} wants {key} {operator}" + (f" [{', '.join(values)}]" if values else "")

    def reason(node: Node) -> str:
        present = key in node.labels
        inside = present and node.labels[key] in members
        holds = {"In": inside, "NotIn": not inside, "Exists": present, "DoesNotExist": not present}[operator]
        return "" if holds else f"{wanted}, {_has(node, key)}"

    return reason


def _fault(key: str, operator: str, values: Sequence[str]) -> str:
    """Return why Kubernetes does not accept the expression as a label selector; empty when it does."""
    if operator not in (*_SET_OPERATORS, *_KEY_OPERATORS):
        return f"{operator or 'an empty operator'} is none of {', '.join((*_SET_OPERATORS, *_KEY_OPERATORS))}"
    if not is_qualified_name(key):
        return f'"{key}" is no label key'
    if operator in _SET_OPERATORS and not values:
        return f"{operator} needs values"
    if operator in _KEY_OPERATORS and values:
        return f"{operator} takes no values"
    wrong = next((value for value in values if not is_label_value(value)), None)
    return "" if wrong is None else f'"{wrong}" is no label value'


def _has(node: Node, key: str) -> str:
    value = node.labels.get(key)
    return f"the node has no label {key}" if value is None else f"the node has {key}={value}"


def has_taints(node: Node, selectors: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether the node carries every taint selected; an empty value or effect matches any."""
    return not _missing_taint(node, selectors)


def _missing_taint(node: Node, selectors: Iterable[Mapping[str, Any]]) -> str:
    for selector in selectors:
        if not any(_selects(selector, taint) for taint in node.taints):
            value, effect = selector.get("value"), selector.get("effect")
            taint = selector.get("key", "") + (f"={value}" if value else "") + (f":{effect}" if effect else "")
            return f"target.taintSelectors wants the taint {taint}, the node does not carry it"
    return ""


def _selects(selector: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if selector.get("key") != taint.get("key"):
        return False
    return all(not selector.get(part) or selector[part] == (taint.get(part) or "") for part in ("value", "effect"))


def _without_gpu(node: Node) -> str:
    reason = f'the label {GPU_PRESENT} is not "true"'
    return f"{reason}, and the node is cordoned" if node.cordoned else reason
