"""The NIC resource of a fleet, found in what its nodes offer. (NVCRE guide, NIC resource detection.)"""

from __future__ import annotations

from nvcre_render.planning import capacity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PLATFORMS = ("onprem",)
ARCHITECTURES = ("gb200", "gb300", "b200", "b300")
_PREFIX, _EXACT = "rdma/", "nvidia.com/mlnxnics"


def detect(nodes: Sequence[Mapping[str, Any]], count: int) -> tuple[str | None, str]:
    """Return the one resource that every v1 Node offers at least max(`count`, 1) of, and what was found in words."""
    offers = [_offers(node) for node in nodes]
    names = sorted({name for offer in offers for name in offer})
    need = max(count, 1)
    fitting = [name for name in names if all(offer.get(name, 0) >= need for offer in offers)]
    if len(fitting) == 1:
        return fitting[0], f"every node offers {need} of {fitting[0]}, so it is requested"
    if fitting:
        return None, f"several resources would do ({', '.join(fitting)}), so none is requested"
    if names:
        return (
            None,
            f"no resource is offered at {need} by every node ({', '.join(names)} fall short), so none is requested",
        )
    return None, "the nodes offer no NIC resource, so none is requested"


def _offers(node: Mapping[str, Any]) -> dict[str, int]:
    allocatable = (node.get("status") or {}).get("allocatable") or {}
    return {
        name: capacity.offered(amount) or 0
        for name, amount in allocatable.items()
        if name.startswith(_PREFIX) or name == _EXACT
    }
