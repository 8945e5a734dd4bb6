"""A plan in words: how many Jobs, why so many, which start at once, who is left out and why."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.planning.group import Group
    from nvcre_render.planning.result import Plan


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "Job"), count(9, "Job"), count(2, "node")
    ('1 Job', '9 Jobs', '2 nodes')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def headline(plan: Plan) -> str:
    """Return the one sentence that a plan comes to."""
    sizes = {plan.nodes_per_job} if plan.unpinned else {len(group.nodes) for group in plan.groups}
    jobs = count(len(plan.groups), "Job")
    if len(sizes) == 1:
        jobs += f" of {count(next(iter(sizes)), 'node')}" + (" each" if len(plan.groups) > 1 else "")
    rounds = f", {plan.iterations} times over" if plan.iterations > 1 else ""
    return f"{plan.workflow}: {jobs}, on {_nodes(plan)}{rounds}"


def _nodes(plan: Plan) -> str:
    return count(len(plan.eligible), "eligible node")


def arithmetic(plan: Plan) -> list[str]:
    """Return sentences that say how the number of Jobs comes about."""
    if plan.unpinned:
        return _unpinned(plan)
    if plan.diagnosed:
        size = "one group for each domain" if plan.groups[0].domains else "groups of about the square root of the fleet"
        return [f"orchestration.diagnose screens the nodes first, {size}; numNodes has no say in that."]
    if plan.strict:
        return _strict(plan)
    lines = [f"numNodes is the group size, not a total: {_size(plan)}.", *_division(plan)]
    if len(plan.groups) > 1:
        lines.append(f"For a single Job on all of them write numNodes: {len(plan.eligible)}.")
    return lines


def _size(plan: Plan) -> str:
    declared = plan.template.spec["workload"]["trainJob"]["trainer"]["numNodes"]
    if declared < 1:
        return f"{declared} means that one Job takes all of them"
    why = " (numNodes: 1, or testScale: intra-node)" if declared == 1 else ""
    return f"each Job takes {count(declared, 'node')}{why}"


def _unpinned(plan: Plan) -> list[str]:
    size = count(plan.nodes_per_job, "node")
    lines = [f"placement Unpinned: exactly one Job of exactly {size} (numNodes); the scheduler chooses which."]
    if plan.unexercised:
        rest = "node stays" if plan.unexercised == 1 else "nodes stay"
        lines.append(
            f"{len(plan.eligible):,} eligible - {plan.nodes_per_job:,} = {plan.unexercised:,} {rest} without work."
        )
    return lines


def _strict(plan: Plan) -> list[str]:
    key, nodes, groups = plan.topology_key, _nodes(plan), count(len(plan.groups), "group")
    return [
        f"strictDomain: one group for each domain of {key}, with all its nodes: {nodes} in {groups}.",
        f"numNodes ({plan.nodes_per_job:,}) has no say in the size of a group; it only has to fit the whole fleet.",
    ]


def _division(plan: Plan) -> list[str]:
    nodes, size = len(plan.eligible), plan.nodes_per_job
    regular = [group for group in plan.groups if not group.overflow]
    overflow = len(plan.groups) - len(regular)
    if len(plan.groups) == 1 and len(plan.groups[0].nodes) != size:
        scattered = f"the {nodes:,} eligible nodes lie too scattered over the domains of {plan.topology_key}"
        return [f"No group of {size:,} can be packed: {scattered}. One group takes them all."]
    left = nodes - len(regular) * size
    full = count(len(regular), "full group" if left else "group")
    total = f"{nodes:,} eligible nodes / {size:,} a group = {full}"
    if plan.topology_key:
        key = plan.topology_key
        total = f"{nodes:,} eligible nodes, {size:,} a group from as few domains of {key} as possible: {full}"
    if not left:
        return [f"{total}."]
    they = "It joins" if left == 1 else "They join"
    return [
        f"{total}, {count(left, 'node')} left over.",
        f"{they} {count(overflow, 'overflow group')}, filled up with nodes that also belong to another group.",
    ]


def starts(plan: Plan) -> dict[str, str]:
    """Return for each group whether it starts at once, and if not what it waits for."""
    at_once = set(plan.first_wave)
    users: dict[str, list[str]] = {}
    for group in plan.groups:
        if group.name in at_once:
            for node in group.nodes:
                users.setdefault(node, []).append(group.name)
    return {group.name: "at once" if group.name in at_once else _waits(plan, group, users) for group in plan.groups}


def _waits(plan: Plan, group: Group, users: dict[str, list[str]]) -> str:
    lenders = list(dict.fromkeys(user for node in group.nodes for user in users.get(node, ())))
    if lenders:
        return f"after {_few(lenders)}"
    return f"later: maxConcurrent is {plan.max_concurrent}" if plan.max_concurrent else "later"


def _few(names: list[str]) -> str:
    shown = 3
    return ", ".join(names[:shown]) + (f" and {len(names) - shown} more" if len(names) > shown else "")


def fleet_line(plan: Plan) -> str:
    """Return what the nodes are."""
    fleet = plan.fleet
    products = f" ({', '.join(fleet.products)})" if fleet.products else ""
    gpus = f", {count(plan.gpus_per_node, 'GPU')} a pod" if plan.gpus_per_node else ""
    return f"Platform {fleet.platform}, GPU architecture {fleet.gpu_architecture}{products}{gpus}."


def start_line(plan: Plan) -> str:
    """Return how many Jobs start at once."""
    first, total = len(plan.first_wave), len(plan.groups)
    limit = f" (maxConcurrent {plan.max_concurrent})" if plan.max_concurrent else ""
    if first == total:
        return f"{'The Job starts' if total == 1 else f'All {total:,} Jobs start'} at once{limit}."
    return f"{first:,} of {total:,} Jobs start at once{limit}, the others when their nodes are free."


def borrowed(plan: Plan) -> dict[str, frozenset[str]]:
    """Return for each overflow group the nodes that it has in common with another group."""
    regular = {node for group in plan.groups if not group.overflow for node in group.nodes}
    return {group.name: regular.intersection(group.nodes) for group in plan.groups if group.overflow}  # type: ignore[misc]


def left_out(plan: Plan) -> dict[str, list[str]]:
    """Return reason to nodes, both in the order in which a plan lists them."""
    found: dict[str, list[str]] = {}
    for node, reason in plan.left_out:
        found.setdefault(reason, []).append(node)
    return found
