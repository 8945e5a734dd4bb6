"""Groups that stay inside as few topology domains as possible. (NVCRE guide, topology-aware partitioning.)

Both packings rank the domains anew for every group. A heap keeps that linear: a group uses up the domains it takes
from, the last one excepted, which goes back.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from nvcre_render.planning.group import Group, PartitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Labels = Mapping[str, str]
    Domains = dict[str, list[str]]
    Taken = list[tuple[str, list[str]]]

UNKNOWN = "unknown"


def domains(nodes: Mapping[str, Labels], key: str) -> Domains:
    """Return the nodes of every domain, sorted; raises PartitionError naming the first node without the label."""
    found: Domains = {}
    for name in sorted(nodes):
        domain = nodes[name].get(key)
        if not domain:
            raise PartitionError(f"the node {name} has no topology label {key}")
        found.setdefault(domain, []).append(name)
    return found


def screens(nodes: Mapping[str, Labels], key: str) -> tuple[Group, ...]:
    """Return one diagnostic group a domain, in domain order; nodes without the label form the domain "unknown"."""
    found: Domains = {}
    for name in sorted(nodes):
        found.setdefault(nodes[name].get(key) or UNKNOWN, []).append(name)
    return tuple(
        Group(name=f"screen-{index}", nodes=tuple(found[domain]), domains=(domain,))
        for index, domain in enumerate(sorted(found))
    )


def whole(domains: Domains) -> tuple[Group, ...]:
    """Return one group a domain, the largest first, equal ones in domain order; the job size has no say."""
    ranked = sorted(domains, key=lambda domain: (-len(domains[domain]), domain))
    return tuple(
        Group(name=f"group-{index}", nodes=tuple(domains[domain]), domains=(domain,))
        for index, domain in enumerate(ranked)
    )


def pack(domains: Domains, size: int) -> tuple[Group, ...]:
    """Return groups of `size`, each from the domains with the most free nodes and from no more than needed.

    Nodes left over, because too few remain or they lie too scattered, form overflow groups with nodes in use
    elsewhere. Where not even one group can be packed, a single group holds every node.
    """
    free = {domain: list(reversed(names)) for domain, names in domains.items()}
    groups = _regular(free, size, _budget(domains, size))
    if not groups:
        everyone = [(domain, names) for domain, names in domains.items()]
        return (_group("group-0", everyone),)
    left = {domain: names[::-1] for domain, names in free.items()}
    return tuple(groups + _overflow(domains, left, size, len(groups)))


def _budget(domains: Domains, size: int) -> int:
    """Return how many domains a group may span: those that the largest one would need if all were as large."""
    largest = max(map(len, domains.values()))
    return -(-size // largest)


def _regular(free: Domains, size: int, budget: int) -> list[Group]:
    """Pack full groups, taking the nodes off the ends of `free`; its lists run backwards by name."""
    ranked = [(-len(names), domain) for domain, names in free.items()]
    heapify(ranked)
    groups: list[Group] = []
    while True:
        chosen: list[str] = []
        missing = size
        while ranked and len(chosen) < budget and missing > 0:
            count, domain = heappop(ranked)
            chosen.append(domain)
            missing += count
        if missing > 0:
            return groups
        taken = [(domain, _take(free[domain], size)) for domain in chosen[:-1]]
        last = chosen[-1]
        taken.append((last, _take(free[last], size - sum(len(names) for _, names in taken))))
        if free[last]:
            heappush(ranked, (-len(free[last]), last))
        groups.append(_group(f"group-{len(groups)}", taken))


def _take(names: list[str], count: int) -> list[str]:
    """Remove up to `count` names from the end of a list and return them, the last one first."""
    taken = names[-count:][::-1]
    del names[-count:]
    return taken


def _overflow(domains: Domains, left: Domains, size: int, first: int) -> list[Group]:
    """Group the nodes left over; what a domain has left goes first, then what its other groups use.

    A pool gives all it has before the next one is touched, and nodes once borrowed are borrowed no more.
    """
    pools = {domain: _pool(domains[domain], left[domain]) for domain in domains}
    ranked = [(-len(left[domain]), -len(pool), domain) for domain, pool in pools.items()]
    heapify(ranked)
    groups: list[Group] = []
    waiting = sum(map(len, left.values()))
    while waiting > 0:
        taken: Taken = []
        missing = size
        while ranked and missing > 0:
            remaining, _, domain = heappop(ranked)
            names = _take(pools[domain], missing)
            taken.append((domain, names))
            missing -= len(names)
            served = min(-remaining, len(names))
            waiting -= served
            if pools[domain]:
                heappush(ranked, (remaining + served, -len(pools[domain]), domain))
        groups.append(_group(f"group-{first + len(groups)}-overflow", taken, overflow=True))
    return groups


def _pool(names: list[str], left: list[str]) -> list[str]:
    """Return a domain's nodes backwards: the left-over ones, which are its last by name, come off the end first."""
    used = names[: len(names) - len(left)]
    return (left + used)[::-1]


def _group(name: str, taken: Iterable[tuple[str, list[str]]], *, overflow: bool = False) -> Group:
    taken = list(taken)
    return Group(
        name=name,
        nodes=tuple(sorted(node for _, names in taken for node in names)),
        domains=tuple(sorted(domain for domain, _ in taken)),
        overflow=overflow,
    )
