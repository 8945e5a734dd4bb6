"""The readings of a Workflow's spec that render cases name in `covers`."""

import itertools
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from tests.cases.document import dig, named, names

_FRAMEWORK_LABEL = "trainer.kubeflow.org/framework"
_MPIRUN_WORDS = 9  # timeout 3600 mpirun -N GPUS --allow-run-as-root --mca plm_rsh_args OPTIONS


def jobs(spec: Any) -> list[Any]:
    """The replicated jobs of the first dependency."""
    return dig(spec, "dependencies", 0, "spec", "template", "spec", "replicatedJobs") or []


def pod(spec: Any, job: str) -> Any:
    """The pod spec of a replicated job of the first dependency, None where there is no such job."""
    found = named(jobs(spec), job)
    return None if found is None else dig(found, "template", "spec", "template", "spec") or {}


def container(of_pod: Any) -> Any:
    """The container `node` of a pod."""
    return named(dig(of_pod, "containers"), "node")


def trainer(spec: Any) -> Any:
    """The trainer of the job template's TrainJob."""
    return dig(spec, "jobTemplate", "spec", "workload", "trainJob", "trainer")


def dependency_kinds(spec: Any) -> list[Any]:
    """The kind of each dependency, in order."""
    return [dig(dependency, "kind") for dependency in dig(spec, "dependencies") or []]


def _environment(of_pod: Any) -> list[str]:
    variables = dig(container(of_pod), "env") or []
    return [f"{variable.get('name')}={variable.get('value', '')}" for variable in variables]


def projection(spec: Any) -> dict[str, Any]:
    """`workflow.spec.projection`."""
    worker, launcher = pod(spec, "node"), pod(spec, "launcher")
    mounts = dig(container(worker), "volumeMounts") or []
    found = {
        "trainer": trainer(spec),
        "timeoutPerJob": dig(spec, "orchestration", "execution", "timeoutPerJob"),
        "iterations": dig(spec, "orchestration", "iterations"),
        "dependencyKinds": dependency_kinds(spec),
        "validation": dig(spec, "validation"),
        "workerEnv": _environment(worker),
        "workerVolumeMounts": [f"{mount.get('name')} at {mount.get('mountPath')}" for mount in mounts],
        "runtimeVolumes": names(dig(worker, "volumes")),
        "overrideCount": len(dig(spec, "overrides") or []),
    }
    if launcher is not None:
        found["launcherEnv"] = _environment(launcher)
    return found | _gang(spec)


def _gang(spec: Any) -> dict[str, Any]:
    """The scheduler of the worker and the labels beside it; nothing at all without a scheduler."""
    scheduler = dig(pod(spec, "node"), "schedulerName")
    template = dig(named(jobs(spec), "node"), "template")
    found = {
        "gangSchedulerName": scheduler,
        "gangSchedulerJobLabels": _sorted(dig(template, "metadata", "labels")),
        "gangSchedulerPodLabels": _sorted(dig(template, "spec", "template", "metadata", "labels")),
    }
    return {key: value for key, value in found.items() if scheduler and value}


def _sorted(labels: Any) -> list[str]:
    return sorted(f"{key}={value}" for key, value in (labels or {}).items())


def metadata(spec: Any) -> dict[str, Any]:
    """`...workloadMetadata.labels+workflow.spec.gangScheduler`."""
    labels = dig(spec, "jobTemplate", "spec", "workloadMetadata", "labels")
    return {"labels": labels, "gangScheduler": dig(spec, "gangScheduler")}


def placement(spec: Any) -> dict[str, Any]:
    """`workflow.spec.orchestration.placement+trainer.numNodes`."""
    return {"placement": dig(spec, "orchestration", "placement"), "numNodes": dig(trainer(spec), "numNodes")}


def priority_classes(spec: Any) -> list[dict[str, Any]]:
    """`runtime.priorityClassName`."""
    return [
        {"replicatedJob": name, "priorityClassName": dig(pod(spec, name), "priorityClassName") or ""}
        for name in names(jobs(spec))
    ]


def exec_words(spec: Any) -> list[str]:
    """The words of the last line (`exec ...`) of a wrapped trainer, none where it is not wrapped."""
    script = dig(trainer(spec), "args", 0)
    lines = script.splitlines() if isinstance(script, str) else []
    first, *words = shlex.split(lines[-1]) if lines and lines[-1].startswith("exec ") else [""]
    return words if first == "exec" else []


def _mpirun_words(spec: Any) -> list[Any]:
    command, args = dig(trainer(spec), "command"), dig(trainer(spec), "args")
    wrapped = exec_words(spec) if command == ["/bin/bash", "-c"] else []
    return wrapped or [*(command or []), *(args or [])]


def mpi_args(spec: Any, run: Any, expected: list[Any]) -> list[Any]:
    """`framework.mpi.mpiArgs`: what stands between the forwarded env and the run's own words.

    mpirun's fixed words come first, then a pair for each variable of the launcher that the arguments
    do not forward themselves; the expected arguments tell which those are.
    """
    words = _mpirun_words(spec)[_MPIRUN_WORDS:]
    forwarded = {word.split("=", 1)[0] for flag, word in itertools.pairwise(expected) if flag == "-x"}
    for variable in dig(container(pod(spec, "launcher")), "env") or []:
        if variable.get("name") not in forwarded and words[:2] == ["-x", _forwarded(variable)]:
            words = words[2:]
    mpi = dig(run, "spec", "framework", "mpi")
    tail = [dig(mpi, "binary"), *(dig(mpi, "args") or [])]
    # Where the run's own words are not at the end, nothing is cut off and the comparison shows them.
    return words[: -len(tail)] if words[-len(tail) :] == tail else words


def _forwarded(variable: Mapping[str, Any]) -> str:
    """A variable as mpirun's `-x` takes it: by name alone where its value is a reference."""
    name = str(variable.get("name"))
    return name if "valueFrom" in variable else f"{name}={variable.get('value', '')}"


def user_env(spec: Any, run: Any, expected: Mapping[str, Any]) -> dict[str, Any]:
    """`workflow.spec.overrides[*]...trainer.env`: the run's variables inside the listed overrides."""
    own = set(names(dig(run, "spec", "env")))
    patched = [dig(trainer(override), "env") or [] for override in dig(spec, "overrides") or []]
    anywhere = {name for env in patched for name in names(env)}
    by_index = {index: _values(env, own) for index, env in enumerate(patched)}
    found = {
        "byOverrideIndex": {index: values for index, values in by_index.items() if values},
        "absentEverywhere": [name for name in expected.get("absentEverywhere", []) if name not in anywhere],
    }
    return {key: value for key, value in found.items() if key in expected}


def _values(env: list[Any], own: set[Any]) -> dict[str, Any]:
    return {variable["name"]: variable.get("value", "") for variable in env if variable.get("name") in own}


RESOLVED: Mapping[str, Callable[[Any], Any]] = {
    "trainer": trainer,
    "trainingRuntimeSpec": lambda spec: dig(spec, "dependencies", 0, "spec"),
    "runtimeFrameworkLabel": lambda spec: dig(spec, "dependencies", 0, "metadata", "labels", _FRAMEWORK_LABEL),
    "trainJobQueueLabel": lambda spec: dig(spec, "jobTemplate", "spec", "workloadMetadata", "labels"),
}
