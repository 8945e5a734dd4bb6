"""A group: the nodes of one Job, and which groups can run at the same time."""

from __future__ import annotations

from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class PartitionError(ValueError):
    """The nodes cannot be cut into groups; the text says why."""


class Group(Record):
    """The nodes of one Job, sorted by name; none under placement Unpinned.

    `domains` are the sorted topology domains of the nodes, None when no topology key cut them. An `overflow` group
    holds left-over nodes and borrows what it lacks from other groups.
    """

    name: str
    nodes: tuple[str, ...]
    domains: tuple[str, ...] | None = None
    overflow: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the group as plain data: name and nodes, domains and overflow where they say something."""
        data: dict[str, Any] = {"name": self.name, "nodes": list(self.nodes)}
        if self.domains is not None:
            data["domains"] = list(self.domains)
        if self.overflow:
            data["overflow"] = True
        return data


def first_wave(groups: Sequence[Group], max_concurrent: int = 0) -> tuple[str, ...]:
    """Return the names of the groups that start at once: none shares a node with an earlier one; 0 is no limit.

    (NVCRE guide, concurrency.)
    """
    busy: set[str] = set()
    started: list[str] = []
    for group in groups:
        if max_concurrent > 0 and len(started) == max_concurrent:
            break
        if busy.isdisjoint(group.nodes):
            busy.update(group.nodes)
            started.append(group.name)
    return tuple(started)
