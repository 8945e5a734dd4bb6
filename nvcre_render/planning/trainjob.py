"""The Kubeflow TrainJob of a Job. (NVCRE guide, jobs.)"""

from __future__ import annotations

from nvcre_render import fragments
from nvcre_render.fragments import ABSENT, Parameters
from nvcre_render.planning import naming, patches
from nvcre_render.planning.job import OBJECTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def train_job(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the TrainJob that a Job runs: its workload, with the Job's name on the worker pods."""
    name = job["metadata"]["name"]
    parameters = Parameters(
        job=name,
        trainJob=naming.train_job(name),
        namespace=job["metadata"].get("namespace") or ABSENT,
    )
    objects = fragments.load(OBJECTS)
    labels = objects["labels"]
    own = (job["spec"].get("workloadMetadata") or {}).get("labels") or {}
    parameters["labels"] = {**own, **fragments.fill(labels["trainJob"], parameters)}
    pod_labels = fragments.fill(labels["pod"], parameters)
    parameters["spec"] = patches.with_labels(job["spec"]["workload"]["trainJob"], pod_labels)
    filled: dict[str, Any] = fragments.fill(objects["trainJob"], parameters)
    return filled
