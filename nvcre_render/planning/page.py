"""A plan as one HTML page that needs nothing but itself: the fleet as a picture, groups and manifests beside it.

The page is fragments/plan/page.html; what it shows goes in as one JSON value, which its script reads as text.
"""

from __future__ import annotations

import json
from functools import cache

from nvcre_render import emit, fragments
from nvcre_render.package_data import read_text
from nvcre_render.planning import summary
from nvcre_render.planning.placement import is_unpinned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.planning.group import Group
    from nvcre_render.planning.result import Plan

MANIFESTS = 200  # groups whose manifests are in the page; with more it would take too long to open
_MARK = "@plan@"
# Labels by which nodes are drawn together where the plan itself names none.
_DOMAINS = ("nvidia.com/gpu.clique", "topology.kubernetes.io/zone")


def html(plan: Plan) -> str:
    """Return the page as text."""
    data = json.dumps(_data(plan), ensure_ascii=False, separators=(",", ":"))
    # Inside a script element only these could end it or open a comment; JSON may escape any character.
    for character in "<>&":
        data = data.replace(character, f"\\u{ord(character):04x}")
    before, after = _page()
    return before + data + after


@cache
def _page() -> tuple[str, str]:
    """Return the page before and behind the place of its data."""
    before, _, after = read_text("fragments", "plan", "page.html").partition(_MARK)
    return before, after


def _data(plan: Plan) -> dict[str, Any]:
    starts = summary.starts(plan)
    reasons = summary.left_out(plan)
    key = _domain_key(plan)
    return {
        "headline": summary.headline(plan),
        "arithmetic": summary.arithmetic(plan),
        "facts": [summary.fleet_line(plan), summary.start_line(plan)],
        "unpinned": plan.unpinned,
        "domainKey": key,
        "domains": _domains(plan, key, list(reasons)),
        "reasons": [{"reason": reason, "nodes": nodes} for reason, nodes in reasons.items()],
        "groups": [_group(plan, group, index, starts) for index, group in enumerate(plan.groups)],
        "withoutManifests": (
            f"This page holds the manifests of the first {MANIFESTS} groups. "
            "All of them: nvcre-render plan FILE --nodes NODES -o yaml"
        ),
    }


def _domain_key(plan: Plan) -> str:
    """Return the label that the picture is ordered by: the plan's, or the first common one that the nodes carry."""
    platforms = {each["name"]: each for each in fragments.load("platforms.yaml")["platforms"]}
    usual = platforms.get(plan.fleet.platform, {}).get("topologyKey")
    candidates = [plan.topology_key] if plan.topology_key else [usual, *_DOMAINS]
    for key in filter(None, candidates):
        if any(node.labels.get(key) for node in plan.fleet.everyone):
            return str(key)
    return ""


def _domains(plan: Plan, key: str, reasons: list[str]) -> list[dict[str, Any]]:
    """Return the nodes by domain, both sorted, each with the numbers of its groups and of its reason (-1: none)."""
    groups: dict[str, list[int]] = {}
    for index, group in enumerate(plan.groups):
        for name in group.nodes:
            groups.setdefault(name, []).append(index)
    numbers = {reason: index for index, reason in enumerate(reasons)}
    left_out = {name: numbers[reason] for name, reason in plan.left_out}
    found: dict[str, list[list[Any]]] = {}
    for node in sorted(plan.fleet.everyone, key=lambda node: node.name):
        entry = [node.name, groups.get(node.name, []), left_out.get(node.name, -1)]
        found.setdefault((node.labels.get(key) or "") if key else "", []).append(entry)
    # Nodes without the label come last.
    return [{"name": name, "nodes": found[name]} for name in sorted(found, key=lambda name: (name == "", name))]


def _group(plan: Plan, group: Group, index: int, starts: dict[str, str]) -> dict[str, Any]:
    nodes = plan.nodes_per_job if is_unpinned(plan.template.placement) else len(group.nodes)
    job = plan.template.names.job(group.name)
    domains = f" in {', '.join(group.domains)}" if group.domains else ""
    made = {
        "name": group.name,
        "job": job,
        "start": starts[group.name],
        "detail": f"{summary.count(nodes, 'node')}{domains}, Job {job}",
        "overflow": group.overflow,
    }
    return {**made, "manifests": _manifests(plan, group, index)} if index < MANIFESTS else made


def _manifests(plan: Plan, group: Group, index: int) -> list[tuple[str, str]]:
    """Return titles and YAML texts of a group's objects."""
    objects = [plan.train_jobs[index], plan.jobs[index], *plan.dependencies[group.name]]
    return [(f"{each.get('kind')} {each['metadata'].get('name')}", emit.to_yaml(each)) for each in objects]
