"""A gang scheduler's marks on a TrainingRuntime: two queue labels and the scheduler of every replicated job.

(NVCRE guide, gang scheduling.) A WorkloadRun's runtime is built with them; here they are written into a runtime that
was built without, as certifications are, and put back after a launch has renamed what the runtime refers to.
"""

from __future__ import annotations

from nvcre_render.fragments import Parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from nvcre_render.lower.labels import Gang

    Data = dict[str, Any]
    Steps = Sequence[str]

GROUP = "trainer.kubeflow.org"
KIND = "TrainingRuntime"
JOBS = ("spec", "template", "spec", "replicatedJobs")
# Places in a replicated job.
JOB_LABELS = ("template", "metadata", "labels")
POD = ("template", "spec", "template", "spec")
POD_LABELS = (*POD[:-1], "metadata", "labels")
SCHEDULER = (*POD, "schedulerName")

_LAUNCHER = "launcher"
_GATE = [{"name": "node", "status": "Ready"}]


def is_runtime(dependency: Any) -> bool:
    """Tell whether a dependency is a TrainingRuntime of Kubeflow Trainer, in whatever version."""
    return (
        isinstance(dependency, dict)
        and dependency.get("kind") == KIND
        and str(dependency.get("apiVersion") or "").partition("/")[0] == GROUP
    )


def value_at(value: Any, path: Iterable[str]) -> Any:
    """Return what stands at a path of keys, None where a step is missing or no object."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def replaced_at(value: Any, path: Steps, new: Any) -> Data:
    """Return a copy with `new` at a path of keys, objects made where there is none."""
    own = value if isinstance(value, dict) else {}
    return {**own, path[0]: replaced_at(own.get(path[0]), path[1:], new) if path[1:] else new}


def restored(before: Mapping[str, Any], after: Data, scheduler: Gang) -> Data:
    """Return a renamed TrainingRuntime with the marks it had before: a queue may have the name of something renamed.

    Only what was there is put back, whatever its value, by the position of the replicated job; runtimes with
    different numbers of jobs are left alone.
    """
    old, new = value_at(before, JOBS), value_at(after, JOBS)
    if before.get("kind") != KIND or not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new):
        return after
    jobs = [_restored_job(was, job, scheduler) for was, job in zip(old, new, strict=True)]
    return replaced_at(after, JOBS, jobs)


def _restored_job(before: Any, after: Any, scheduler: Gang) -> Any:
    places = ((*JOB_LABELS, scheduler.queue_label_key), (*POD_LABELS, scheduler.queue_label_key), SCHEDULER)
    for place in places:
        value = value_at(before, place)
        if value is not None:
            after = replaced_at(after, place, value)
    return after


def written(dependencies: Iterable[Data], scheduler: Gang) -> list[Data]:
    """Return the dependencies with the scheduler's marks on every replicated job of every TrainingRuntime.

    Under KAI an mpi launcher is no longer held back until its workers are Ready; an init container waits instead.
    """
    return [_written(each, scheduler) if is_runtime(each) else each for each in dependencies]


def _written(runtime: Data, scheduler: Gang) -> Data:
    jobs = value_at(runtime, JOBS)
    if not isinstance(jobs, list):
        return runtime
    marked = [_marked(job, scheduler) if isinstance(job, dict) else job for job in jobs]
    gated = any(_is_gated(job) for job in jobs)
    if not (scheduler.is_kai and gated and value_at(runtime, ("spec", "mlPolicy", "mpi")) is not None):
        return replaced_at(runtime, JOBS, marked)
    result = replaced_at(runtime, JOBS, [_waiting(job) if _is_gated(job) else job for job in marked])
    jobset = value_at(result, JOBS[:-1])
    return replaced_at(result, JOBS[:-1], {key: item for key, item in jobset.items() if key != "startupPolicy"})


def _marked(job: Data, scheduler: Gang) -> Data:
    for labels in (JOB_LABELS, POD_LABELS):
        job = replaced_at(job, (*labels, scheduler.queue_label_key), scheduler.queue)
    return replaced_at(job, SCHEDULER, scheduler.scheduler_name)


def _is_gated(job: Any) -> bool:
    return isinstance(job, dict) and job.get("name") == _LAUNCHER and job.get("dependsOn") == _GATE


def _waiting(launcher: Data) -> Data:
    containers = value_at(launcher, (*POD, "containers")) or [{}]
    wait = {
        "name": "wait-for-workers",
        "image": value_at(containers[0], ("image",)) or "",
        "command": ["sh", "-c"],
        "args": [Parameters()["script.launcher-wait"]],
        "volumeMounts": [
            {"name": "mpi-ssh-auth", "mountPath": "/tmp/mpi-ssh-raw", "readOnly": True},  # noqa: S108  # in a container
            {"name": "mpi-hostfile", "mountPath": "/etc/mpi", "readOnly": True},
        ],
    }
    free = {key: item for key, item in launcher.items() if key != "dependsOn"}
    place = (*POD, "initContainers")
    return replaced_at(free, place, [*(value_at(free, place) or []), wait])
