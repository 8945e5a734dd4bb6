"""Nodes to groups, by name and label alone. (NVCRE guide, partitioning.)"""

from __future__ import annotations

from math import ceil, isqrt

from nvcre_render.planning import topology
from nvcre_render.planning.group import Group, PartitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Labels = Mapping[str, str]

SMALLEST_SCREEN = 2  # nodes of a diagnostic group


def partition(
    nodes: Mapping[str, Labels], size: int, topology_key: str = "", *, strict: bool = False
) -> tuple[Group, ...]:
    """Cut nodes (name to labels, in any order) into groups of `size`.

    Without a topology key: chunks in name order; a remainder borrows the last nodes of the last full chunk. With
    one: groups inside as few domains as possible, or one group a domain when `strict`. The flag means nothing
    without a key. Raises PartitionError for a size below 1, for no nodes, and for a node without its domain.

    >>> [group.nodes for group in partition({"a": {}, "b": {}, "c": {}}, 2)]
    [('a', 'b'), ('b', 'c')]
    """
    if size < 1:
        raise PartitionError(f"nodesPerJob must be at least 1, not {size}")
    if not nodes:
        raise PartitionError("there are no nodes")
    if not topology_key:
        return _chunks(sorted(nodes), size)
    domains = topology.domains(nodes, topology_key)
    return topology.whole(domains) if strict else topology.pack(domains, size)


def _chunks(names: list[str], size: int) -> tuple[Group, ...]:
    full = len(names) // size
    if full == 0:
        return (Group(name="group-0", nodes=tuple(names)),)
    groups = [
        Group(name=f"group-{index}", nodes=tuple(names[index * size : (index + 1) * size])) for index in range(full)
    ]
    if len(names) % size:
        # The last nodes in name order are the left-overs and what the last full chunk lends them.
        groups.append(Group(name=f"group-{full}-overflow", nodes=tuple(names[-size:]), overflow=True))
    return tuple(groups)


def screens(nodes: Mapping[str, Labels], topology_key: str = "") -> tuple[Group, ...]:
    """Return the groups of a diagnosis' first stage: one a domain, or chunks of about the square root of the fleet."""
    if topology_key:
        return topology.screens(nodes, topology_key)
    names = sorted(nodes)
    size = max(SMALLEST_SCREEN, _root(len(names)))
    chunks = (names[index * size : (index + 1) * size] for index in range(ceil(len(names) / size)))
    return tuple(Group(name=f"screen-{index}", nodes=tuple(chunk)) for index, chunk in enumerate(chunks))


def _root(number: int) -> int:
    root = isqrt(number)
    return root if root * root == number else root + 1
