"""Which framework a run uses."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from nvcre_render.model.workloadrun import WorkloadRunSpec

    Framework = Literal["torch", "mpi", "exec"]


def framework(spec: WorkloadRunSpec) -> Framework:
    """Return the framework of a run: torch before mpi, exec for want of both. (NVCRE guide, frameworks.)"""
    given = spec.get("framework", {})
    return "torch" if "torch" in given else "mpi" if "mpi" in given else "exec"
