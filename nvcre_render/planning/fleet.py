"""The fleet a Workflow sees: its target's nodes, their platform, their GPU architecture."""

from __future__ import annotations

from nvcre_render.planning import detection, discovery, slices
from nvcre_render.planning.node import read
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from nvcre_render.planning.node import Node


class Fleet(Record):
    """What discovery and detection make of a node list; names and nodes are sorted by name.

    `nodes` are those of the primary architecture; `other_architecture` names the target's other nodes. `products`
    are the distinct product labels of `nodes`; `synthesized` names the nodes, of either kind, whose label was
    filled in from ResourceSlices. `dropped` pairs every node that is no target with the reason; `everyone` are
    all nodes of the list.
    """

    platform: str
    gpu_architecture: str
    nodes: tuple[Node, ...]
    products: tuple[str, ...]
    other_architecture: tuple[str, ...] = ()
    synthesized: tuple[str, ...] = ()
    cordoned: tuple[str, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    everyone: tuple[Node, ...] = ()

    def domains(self, topology_key: str) -> int:
        """Return the number of topology domains that conditions of overrides compare: non-empty labels of `nodes`."""
        values = {node.labels.get(topology_key) for node in self.nodes} if topology_key else set()
        return len(values - {None, ""})


def survey(
    target: Mapping[str, Any] | None,
    nodes: Iterable[Mapping[str, Any]],
    resource_slices: Iterable[Mapping[str, Any]] = (),
) -> Fleet:
    """Return the fleet that a target means among v1 Node objects with distinct names.

    Raises RenderError when no node is eligible, and when the eligible ones belong to several platforms.
    """
    everyone = [read(node) for node in nodes]
    found = discovery.require(target, everyone)
    eligible, synthesized = slices.label(found.eligible, resource_slices)
    platform = detection.common_platform(eligible)
    primary = detection.architecture(eligible)
    kept, others = detection.split(eligible, primary)
    return Fleet(
        platform=platform,
        gpu_architecture=primary,
        nodes=tuple(kept),
        products=detection.products(kept),
        other_architecture=tuple(node.name for node in others),
        synthesized=synthesized,
        cordoned=found.cordoned,
        dropped=found.dropped,
        everyone=tuple(everyone),
    )
