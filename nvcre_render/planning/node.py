"""What a plan needs to know of one node of a cluster."""

from __future__ import annotations

from nvcre_render.planning import capacity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Taint = Mapping[str, Any]

PRODUCT = "nvidia.com/gpu.product"
HOSTNAME = "kubernetes.io/hostname"


class Node:
    """A node: its name, labels and taints, and what it offers. Not to be changed once made.

    `product` is the product label, empty when there is none. `gpus` is the allocatable count of nvidia.com/gpu, None
    when it is not known: absent, zero, or no number.
    """

    # A fleet can have 100,000 of them; a Record would take eight times as long to make.
    __slots__ = ("cordoned", "gpus", "labels", "name", "product", "provider_id", "taints")

    def __init__(
        self,
        name: str,
        labels: Mapping[str, str],
        provider_id: str = "",
        taints: Sequence[Taint] = (),
        *,
        cordoned: bool = False,
        gpus: int | None = None,
    ) -> None:
        """Take what is known of the node."""
        self.name = name
        self.labels = labels
        self.provider_id = provider_id
        self.taints = taints
        self.cordoned = cordoned
        self.gpus = gpus
        self.product = labels.get(PRODUCT) or ""

    def with_product(self, product: str) -> Node:
        """Return the node with another product label."""
        labels = {**self.labels, PRODUCT: product}
        return Node(self.name, labels, self.provider_id, self.taints, cordoned=self.cordoned, gpus=self.gpus)


def read(given: Mapping[str, Any]) -> Node:
    """Return the node of a v1 Node object, as `kubectl get nodes -o json` prints it; what is absent may be null."""
    metadata, spec, status = given["metadata"], given.get("spec") or {}, given.get("status") or {}
    labels = metadata.get("labels") or {}
    if None in labels.values():
        labels = {key: value or "" for key, value in labels.items()}
    return Node(
        metadata["name"],
        labels,
        spec.get("providerID") or "",
        spec.get("taints") or (),
        cordoned=spec.get("unschedulable") is True,
        gpus=capacity.offered((status.get("allocatable") or {}).get(capacity.GPU)),
    )


def by_name(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes sorted by name, byte by byte: node-10 comes before node-2."""
    return sorted(nodes, key=lambda node: node.name)
