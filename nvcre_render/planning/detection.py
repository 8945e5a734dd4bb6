"""Platform and GPU architecture of a fleet. (NVCRE guide, platform detection.)

The rules for platforms are data: the `detection` list of fragments/platforms.yaml.
"""

from __future__ import annotations

from collections import Counter

from nvcre_render import fragments
from nvcre_render.checks import plan_rules as rules
from nvcre_render.facts import UNKNOWN, parse_architecture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from nvcre_render.planning.node import Node


def platform(node: Node) -> str:
    """Return the platform of one node: that of the first rule whose conditions on providerID and labels all hold."""
    for rule in fragments.load("platforms.yaml")["detection"]:
        if _holds(rule["when"], node):
            return str(rule["platform"])
    raise ValueError("the last detection rule of fragments/platforms.yaml has to hold for every node")


def _holds(when: Mapping[str, Any], node: Node) -> bool:
    if "providerID" in when and not _matches(when["providerID"], node.provider_id):
        return False
    return all(_matches(matcher, node.labels.get(key)) for key, matcher in when.get("labels", {}).items())


def _matches(matcher: Mapping[str, Any], value: str | None) -> bool:
    for operator, operand in matcher.items():
        if operator == "exists":
            held = (value is not None) == operand
        elif value is None:
            held = False
        elif operator == "startsWith":
            held = value.startswith(operand)
        else:
            held = operand in value if operator == "contains" else operand == value
        if not held:
            return False
    return True


def common_platform(nodes: Sequence[Node]) -> str:
    """Return the one platform of all nodes; raises RenderError naming every platform and its count otherwise."""
    counts = Counter(map(platform, nodes))
    if len(counts) > 1:
        listed = ", ".join(f"{name} ({count} node{'s' * (count > 1)})" for name, count in sorted(counts.items()))
        message = f"the target's nodes belong to {len(counts)} platforms: {listed}"
        path = (*rules.ORCHESTRATION, "target")
        raise rules.refusal(rules.MIXED_PLATFORMS, message, path, rules.MIXED_PLATFORMS.remedy)
    return next(iter(counts))


def architecture(nodes: Sequence[Node]) -> str:
    """Return the GPU architecture that most labelled nodes carry, "unknown" when none is labelled.

    On a tie it is the one whose first node comes first; `nodes` are sorted by name.
    """
    votes: Counter[str] = Counter()
    for product, count in Counter(node.product for node in nodes).items():
        if product:
            votes[parse_architecture(product)] += count
    return max(votes, key=votes.__getitem__) if votes else UNKNOWN


def split(nodes: Sequence[Node], primary: str) -> tuple[list[Node], list[Node]]:
    """Return the nodes of the primary architecture and the others, both in the order given.

    Unlabelled nodes are among the others as soon as one node is labelled.
    """
    found = {node.product for node in nodes}
    if found == {""}:
        return list(nodes), []
    chosen = {product for product in found if product and parse_architecture(product) == primary}
    return [node for node in nodes if node.product in chosen], [node for node in nodes if node.product not in chosen]


def products(nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return the distinct product labels of the nodes, as they are, sorted."""
    return tuple(sorted({node.product for node in nodes if node.product}))
