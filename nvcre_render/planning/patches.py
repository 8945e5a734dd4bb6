"""The runtimePatches of a TrainJob spec: where NVCRE's controller writes. (NVCRE guide, runtime patches.)

The list is keyed by manager. Which replicated jobs there are is read from the patches of all managers; written is
only the controller's own entry. Functions return a new spec and share with the given one what did not change.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    TrainJob = Mapping[str, Any]

CONTROLLER = "nvcre.nvidia.com/controller"
WORKER, LAUNCHER = "node", "launcher"
_JOBS = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
_POD_TEMPLATE = ("template", "spec", "template")


def targets(train_job: TrainJob) -> list[str]:
    """Return the replicated jobs that the patches name, each once, in order of appearance; `node` when none does."""
    return list(dict.fromkeys(_names(train_job))) or [WORKER]


def worker(train_job: TrainJob) -> str:
    """Return the first replicated job that is not the launcher; `node` when there is none."""
    return next((name for name in _names(train_job) if name != LAUNCHER), WORKER)


def has_launcher(train_job: TrainJob) -> bool:
    """Tell whether some patch names a replicated job called launcher."""
    return LAUNCHER in _names(train_job)


def _names(train_job: TrainJob) -> Iterator[str]:
    for patch in train_job.get("runtimePatches") or ():
        for job in _get(patch, _JOBS) or ():
            if job.get("name"):
                yield job["name"]


def _get(value: Any, path: Sequence[str]) -> Any:
    for step in path:
        value = (value or {}).get(step)
    return value


def with_launcher(train_job: TrainJob) -> dict[str, Any]:
    """Return the spec with bare entries for worker and launcher, which mark it as one that has a launcher."""
    return _edited(train_job, [WORKER, LAUNCHER], lambda job: job)


def with_affinity(train_job: TrainJob, node_affinity: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the spec with this node affinity on every target, in place of any other; None changes nothing."""
    if node_affinity is None:
        return dict(train_job)
    return _on_pods(
        train_job,
        targets(train_job),
        ("spec", "affinity", "nodeAffinity"),
        lambda _: _copied(node_affinity),
    )


def with_tolerations(train_job: TrainJob, tolerations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the spec with these tolerations on every target, after those that the controller's entry has."""
    if not tolerations:
        return dict(train_job)
    return _on_pods(
        train_job,
        targets(train_job),
        ("spec", "tolerations"),
        lambda present: [*(present or ()), *_copied(tolerations)],
    )


def with_labels(train_job: TrainJob, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the spec with these labels on the worker pods, beside those that the controller's entry has."""
    path = ("metadata", "labels")
    return _on_pods(train_job, [worker(train_job)], path, lambda present: {**(present or {}), **labels})


def _on_pods(
    train_job: TrainJob, names: Sequence[str], path: tuple[str, ...], change: Callable[[Any], Any]
) -> dict[str, Any]:
    return _edited(train_job, names, lambda job: _at(job, _POD_TEMPLATE + path, change))


def _edited(train_job: TrainJob, names: Sequence[str], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Change the named replicated jobs of the controller's entry; entry and jobs are appended where missing."""
    listed = list(train_job.get("runtimePatches") or ())
    index = next((i for i, patch in enumerate(listed) if patch.get("manager") == CONTROLLER), len(listed))
    if index == len(listed):
        listed.append({"manager": CONTROLLER})
    listed[index] = _at(listed[index], _JOBS, lambda jobs: _changed(jobs or (), names, change))
    return {**train_job, "runtimePatches": listed}


def _changed(jobs: Sequence[Any], names: Sequence[str], change: Callable[[Any], Any]) -> list[Any]:
    jobs = list(jobs)
    places = {job.get("name"): index for index, job in reversed(list(enumerate(jobs)))}
    for name in names:
        if name in places:
            jobs[places[name]] = change(jobs[places[name]])
        else:
            jobs.append(change({"name": name}))
    return jobs


def _at(value: Any, path: Sequence[str], change: Callable[[Any], Any]) -> Any:
    """Return `value` with `change` applied at `path`, missing levels made."""
    if not path:
        return change(value)
    inner = value or {}
    return {**inner, path[0]: _at(inner.get(path[0]), path[1:], change)}


def _copied(value: Any) -> Any:
    """Copy what goes to several targets, so that no two of them share a list."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, (list, tuple)) else value
