"""The size of a Job."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from nvcre_render.planning import size
from nvcre_render.planning.exclusion import Exclusion

NOTHING = Exclusion(gpu_architecture="h100", need=8, cordoned=("c1",))
OTHERS = Exclusion(gpu_architecture="h100", other_architecture=("b1", "b2"))
SMALL = Exclusion(gpu_architecture="h100", need=8, too_small=(("s1", 4),))
BOTH = Exclusion(gpu_architecture="h100", need=8, other_architecture=("b1",), too_small=(("s1", 4),))


def refusal(declared: object, placement: str, exclusion: Exclusion = NOTHING) -> nr.Diagnostic:
    with pytest.raises(nr.RenderError) as refused:
        size.resolve(declared, 3, placement, exclusion)
    (found,) = refused.value.diagnostics
    return found


@pytest.mark.parametrize(
    ("declared", "placement", "expected"),
    [(2, "", 2), (3, "Unpinned", 3), (0, "Pinned", 3), (-1, "", 3)],
)
def test_the_declared_size_or_all(declared: int, placement: str, expected: int) -> None:
    assert size.resolve(declared, 3, placement, NOTHING) == expected


@pytest.mark.parametrize("declared", [None, "2", 2.0, True])
def test_no_size(declared: object) -> None:
    found = refusal(declared, "Pinned")
    assert found.message == "PartitionError: nodesPerJob is not known: the trainer has no numNodes"


def test_unpinned_needs_a_size_of_its_own() -> None:
    found = refusal(0, "Unpinned")
    assert found.message == "PartitionError: placement Unpinned needs an explicit size of at least 1, not 0"
    assert "numNodes in a WorkloadRun" in found.remedy
    assert "nodesPerJob in a Certification" in found.remedy


ADVICE = "the size is honoured exactly under placement Unpinned: make 5 qualifying nodes available"
HEAD = "PartitionError: a Job needs 5 nodes, and 3 are eligible"
ARCHITECTURE = "nodes are of another GPU architecture than h100, the one kept: b1, b2"
CAPACITY = "1 node is below the 8 nvidia.com/gpu a pod asks for: s1 has 4"


@pytest.mark.parametrize(
    ("placement", "exclusion", "message", "remedy"),
    [
        # cordoned nodes are no cause, and without a cause there is nothing to advise
        ("Pinned", NOTHING, HEAD, ""),
        (
            "Pinned",
            OTHERS,
            f"{HEAD}. 2 {ARCHITECTURE}",
            "set nodesPerJob (numNodes in a WorkloadRun) to 3, or narrow the target to nodes of one GPU architecture",
        ),
        (
            "Pinned",
            SMALL,
            f"{HEAD}. {CAPACITY}",
            "set nodesPerJob (numNodes in a WorkloadRun) to 3, or lower gpusPerNode",
        ),
        ("Unpinned", NOTHING, HEAD, ADVICE),
        (
            "Unpinned",
            BOTH,
            f"{HEAD}. 1 node is of another GPU architecture than h100, the one kept: b1. {CAPACITY}",
            f"{ADVICE}, or narrow the target to nodes of one GPU architecture, or lower gpusPerNode",
        ),
    ],
)
def test_a_job_larger_than_the_fleet(placement: str, exclusion: Exclusion, message: str, remedy: str) -> None:
    found = refusal(5, placement, exclusion)
    assert (found.message, found.remedy) == (message, remedy)
    assert found.field == "spec.jobTemplate.spec.workload.trainJob.trainer.numNodes"
