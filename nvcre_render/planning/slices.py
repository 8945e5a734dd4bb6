"""Product labels that ResourceSlices supply where the nodes lack them. (NVCRE guide, GPU product detection.)"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from nvcre_render.planning.node import Node

DRIVER = "gpu.nvidia.com"
_PASSED_THROUGH = "vfio"
_KEPT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_. ")


def products(slices: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the product of every node that resource.k8s.io ResourceSlices of the GPU driver cover.

    Of one slice the first device counts that is not passed through to a virtual machine and names its product; of
    several slices for a node the last one.
    """
    found = {}
    for each in slices:
        spec = each.get("spec") or {}
        if spec.get("driver") != DRIVER or not spec.get("nodeName"):
            continue
        names = filter(None, map(_product, spec.get("devices") or ()))
        product = normalised(next(names, ""))
        if product:
            found[spec["nodeName"]] = product
    return found


def _product(device: Mapping[str, Any]) -> str:
    # resource.k8s.io/v1beta1 wraps the attributes in `basic`, later versions do not.
    attributes = device.get("attributes") or (device.get("basic") or {}).get("attributes") or {}
    if (attributes.get("type") or {}).get("string") == _PASSED_THROUGH:
        return ""
    name = (attributes.get("productName") or {}).get("string")
    return name if isinstance(name, str) else ""


def normalised(product: str) -> str:
    """Return a product name as the label writes it.

    >>> normalised("NVIDIA GB300 (R)")
    'NVIDIA-GB300-R'
    """
    return "-".join("".join(filter(_KEPT.__contains__, product)).split())


def label(nodes: Sequence[Node], slices: Iterable[Mapping[str, Any]]) -> tuple[tuple[Node, ...], tuple[str, ...]]:
    """Return the nodes with missing product labels filled in, and the names of those that were filled."""
    if all(node.product for node in nodes):
        return tuple(nodes), ()
    known = products(slices)
    filled = [node.name for node in nodes if not node.product and node.name in known]
    if not filled:
        return tuple(nodes), ()
    wanting = frozenset(filled)
    labelled = (node.with_product(known[node.name]) if node.name in wanting else node for node in nodes)
    return tuple(labelled), tuple(filled)
