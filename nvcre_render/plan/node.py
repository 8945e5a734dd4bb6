"""What a plan needs to know of one node of a cluster."""

from __future__ import annotations

from nvcre_render.plan import capacity
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

PRODUCT = "nvidia.com/gpu.product"
HOSTNAME = "kubernetes.io/hostname"


class Node(Record):
    """A node: its name, labels and taints, and what it offers.

    `gpus` is the allocatable count of nvidia.com/gpu, None when it is absent, zero or no number: not known.
    """

    name: str
    labels: Mapping[str, str]
    provider_id: str = ""
    taints: tuple[Mapping[str, Any], ...] = ()
    cordoned: bool = False
    gpus: int | None = None

    @property
    def product(self) -> str:
        """The product label, empty when there is none."""
        return self.labels.get(PRODUCT) or ""


def read(given: Mapping[str, Any]) -> Node:
    """Return the node of a v1 Node object, as `kubectl get nodes -o json` prints it; what is absent may be null."""
    metadata, spec, status = given["metadata"], given.get("spec") or {}, given.get("status") or {}
    labels = metadata.get("labels") or {}
    if None in labels.values():
        labels = {key: value or "" for key, value in labels.items()}
    return Node(
        name=metadata["name"],
        labels=labels,
        provider_id=spec.get("providerID") or "",
        taints=tuple(spec.get("taints") or ()),
        cordoned=spec.get("unschedulable") is True,
        gpus=capacity.offered((status.get("allocatable") or {}).get(capacity.GPU)),
    )


def by_name(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes sorted by name, byte by byte: node-10 comes before node-2."""
    return sorted(nodes, key=lambda node: node.name)
