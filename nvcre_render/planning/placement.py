"""What placement Pinned and Unpinned allow. (NVCRE guide, placement.)"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.checks import scheduling
from nvcre_render.planning.exclusion import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.planning.fleet import Fleet

UNPINNED = "Unpinned"


def is_unpinned(placement: str | None) -> bool:
    """Tell whether the scheduler places a single Job; an empty placement is Pinned."""
    return placement == UNPINNED


def ignored_key(orchestration: Mapping[str, Any]) -> str:
    """Return the topologyKey that has no effect because the placement is Unpinned, empty when there is none."""
    key = (orchestration.get("topology") or {}).get("topologyKey") or ""
    return key if is_unpinned(orchestration.get("placement")) else ""


def require_products(fleet: Fleet) -> None:
    """Raise RenderError when an Unpinned Job could land on nodes of an architecture that the fleet leaves out.

    The scheduler cannot tell the architectures apart where the product labels are not real.
    """
    if not (fleet.synthesized and fleet.other_architecture):
        return
    bare, others = fleet.synthesized, fleet.other_architecture
    message = (
        "placement Unpinned leaves the choice of nodes to the scheduler, but "
        f"{len(bare)} of them {'has' if len(bare) == 1 else 'have'} no real nvidia.com/gpu.product label "
        f"({', '.join(bare)}) and {counted(len(others))} of another GPU architecture than {fleet.gpu_architecture} "
        f"({', '.join(others)})"
    )
    remedy = (
        "narrow target.nodeSelector or target.matchExpressions to nodes of one architecture, or use placement Pinned"
    )
    raise rules.refusal(rules.SYNTHESIZED_PRODUCTS, message, (*rules.ORCHESTRATION, "placement"), remedy)


def notes(spec: Mapping[str, Any], size: int) -> list[Diagnostic]:
    """Return the warnings about a resolved Workflow spec that is Unpinned: a key without effect, no gang scheduler."""
    orchestration = spec.get("orchestration") or {}
    found = []
    key = ignored_key(orchestration)
    if key:
        topology = (*rules.ORCHESTRATION, "topology", "topologyKey")
        message = f"{key} has no effect: placement Unpinned is one Job that the scheduler places"
        found.append(rules.finding(scheduling.IGNORED_TOPOLOGY, message, topology, scheduling.IGNORED_TOPOLOGY.remedy))
    gang = (spec.get("gangScheduler") or {}).get("schedulerName")
    if is_unpinned(orchestration.get("placement")) and size > 1 and not gang:
        message = f"nothing binds the {size} pods of the Unpinned Job together, so some can start and wait for ever"
        rule = scheduling.UNPINNED_WITHOUT_GANG
        found.append(rules.finding(rule, message, (*rules.ORCHESTRATION, "placement"), rule.remedy))
    return found
