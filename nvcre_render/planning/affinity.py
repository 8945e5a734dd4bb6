"""The required node affinity of a group's pods. (NVCRE guide, target and placement.)"""

from __future__ import annotations

from nvcre_render.planning.node import HOSTNAME, PRODUCT
from nvcre_render.planning.placement import is_unpinned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Expression = Mapping[str, Any]

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def hostnames(placement: str, target: Mapping[str, Any] | None, group: Sequence[str]) -> list[str]:
    """Return the host names a group's pods are held to: its nodes, or under Unpinned what target.nodeNames lists."""
    if is_unpinned(placement):
        return list((target or {}).get("nodeNames") or ())
    return list(group)


def wanted(target: Mapping[str, Any] | None, products: Sequence[str]) -> list[Expression]:
    """Return the expressions that target and products stand for, without repetitions.

    nodeSelector by key, then matchExpressions as written, then the products. Two expressions are the same when
    key, operator and the list of values are, its order included.
    """
    target = target or {}
    selector = sorted((target.get("nodeSelector") or {}).items())
    listed: list[Expression] = [_in(key, [value]) for key, value in selector]
    listed += target.get("matchExpressions") or ()
    if products:
        listed.append(_in(PRODUCT, products))
    found: dict[object, Expression] = {}
    for each in listed:
        found.setdefault((each.get("key"), each.get("operator"), tuple(each.get("values") or ())), each)
    return list(found.values())


def node_affinity(hosts: Sequence[str], expressions: Sequence[Expression]) -> dict[str, Any] | None:
    """Return the affinity to these hosts and expressions, all of them required; None when there is nothing to require.

    >>> node_affinity([], [])
    """
    required = [_in(HOSTNAME, hosts)] if hosts else []
    required += [_copied(each) for each in expressions]
    return {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": required}]}} if required else None


def _in(key: str, values: Sequence[str]) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def _copied(expression: Expression) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, list) else value for key, value in expression.items()}
