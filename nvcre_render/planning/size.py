"""How many nodes a Job takes. (NVCRE guide, numNodes.)"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.planning.capacity import GPU
from nvcre_render.planning.exclusion import Exclusion, counted
from nvcre_render.planning.placement import UNPINNED, is_unpinned

_PATH = (*rules.TRAIN_JOB, "trainer", "numNodes")


def resolve(declared: object, found: int, placement: str, exclusion: Exclusion) -> int:
    """Return the size of a Job: as declared, or under Pinned all `found` nodes when the size is below 1.

    `declared` is trainer.numNodes, None when absent. Raises RenderError when there is no size, and when it is
    larger than the number of eligible nodes; it is never reduced.
    """
    if not isinstance(declared, int) or isinstance(declared, bool):
        message = "nodesPerJob is not known: the trainer has no numNodes"
        raise rules.refusal(rules.NO_JOB_SIZE, message, _PATH, rules.NO_JOB_SIZE.remedy)
    if declared < 1:
        if not is_unpinned(placement):
            return found
        message = f"placement {UNPINNED} needs an explicit size of at least 1, not {declared}"
        remedy = "set numNodes in a WorkloadRun, nodesPerJob in a Certification"
        raise rules.refusal(rules.NO_JOB_SIZE, message, _PATH, remedy)
    if declared > found:
        message = ". ".join([f"a Job needs {declared} nodes, and {found} are eligible", *_causes(exclusion)])
        remedy = ", or ".join(_advice(declared, found, placement, exclusion))
        raise rules.refusal(rules.JOB_TOO_LARGE, message, _PATH, remedy)
    return declared


def _causes(exclusion: Exclusion) -> list[str]:
    texts = []
    if exclusion.other_architecture:
        count, names = len(exclusion.other_architecture), ", ".join(exclusion.other_architecture)
        kept = exclusion.gpu_architecture
        texts.append(f"{counted(count)} of another GPU architecture than {kept}, the one kept: {names}")
    if exclusion.too_small:
        count = len(exclusion.too_small)
        texts.append(f"{counted(count)} below the {exclusion.need} {GPU} a pod asks for: {exclusion.counts}")
    return texts


def _advice(declared: int, found: int, placement: str, exclusion: Exclusion) -> list[str]:
    advice = []
    if is_unpinned(placement):
        advice.append(
            f"the size is honoured exactly under placement {UNPINNED}: make {declared} qualifying nodes available"
        )
    elif exclusion.other_architecture or exclusion.too_small:
        advice.append(f"set nodesPerJob (numNodes in a WorkloadRun) to {found}")
    if exclusion.other_architecture:
        advice.append("narrow the target to nodes of one GPU architecture")
    if exclusion.too_small:
        advice.append("lower gpusPerNode")
    return advice
