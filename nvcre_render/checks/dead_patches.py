"""Overrides that change nothing, or not what they name (NR623, NR624). (NVCRE guide, overrides.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import WARNING, Rule
from nvcre_render.framework import framework

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

NOTHING = Rule(
    code="NR623",
    name="override-without-effect",
    severity=WARNING,
    summary="An override that patches nothing.",
    why="It applies and leaves everything as it is.",
    remedy="add jobTemplate, jobTemplatePatch, dependencies or orchestration, or remove the override",
    bad=run("  overrides:\n    - when: {platform: {equals: aws}}  # warning\n"),
    good=run(
        "  overrides:\n    - when: {platform: {equals: aws}}\n      orchestration: {execution: {maxConcurrent: 1}}\n"
    ),
)


def _patch(name: str, job: str) -> str:
    return run(
        "  overrides:\n    - when: {}\n      dependencies:\n"
        "        - apiVersion: trainer.kubeflow.org/v1alpha1\n          kind: TrainingRuntime\n"
        f"          metadata: {{name: {name}\n"
        f"          spec: {{template: {{spec: {{replicatedJobs: [{{name: {job}, template: {{\n"
        "            spec: {template: {spec: {hostNetwork: true}}}}}]}}}\n"
    )


MISSED = Rule(
    code="NR624",
    name="missed-patch",
    severity=WARNING,
    summary="A patch names a runtime, a replicated job or a container that the run does not have.",
    why="Dependencies are matched by apiVersion, kind and name, and the parts in them by name; what matches nothing "
    "is added as an object or part of its own, and the one that was meant stays as it is.",
    remedy="write the name of the generated one: RUN-runtime, job node (on mpi also launcher), container node",
    bad=_patch("trainer-runtime}  # warning", "node"),
    good=_patch("example-runtime}", "node"),
)

API_VERSION, KIND = "trainer.kubeflow.org/v1alpha1", "TrainingRuntime"
_PARTS = ("jobTemplate", "jobTemplatePatch", "dependencies", "orchestration")
_JOBS: Path = ("spec", "template", "spec", "replicatedJobs")
_POD: Path = ("template", "spec", "template", "spec")
_CONTAINER = "node"


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield the overrides of a run that patch nothing, and the patches of its runtime that miss it."""
    overrides: Any = run["spec"].get("overrides", [])
    for index, override in enumerate(overrides):
        base: Path = ("spec", "overrides", index)
        written = document.data["spec"]["overrides"][index]
        if isinstance(written, dict) and not any(written.get(part) for part in _PARTS) and "when" in override:
            yield NOTHING.at(document, base, "this override patches nothing")
        for number, dependency in enumerate(override.get("dependencies", [])):
            if dependency.get("kind") == KIND:
                yield from _check_runtime(dependency, (*base, "dependencies", number), run, document)


def _check_runtime(runtime: Any, path: Path, run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    own = f"{run.get('metadata', {}).get('name', '')}-runtime"
    name = _at(runtime, ("metadata", "name"))
    if name != own and _is_referred_to(name, run["spec"].get("overrides", [])):
        return
    if runtime.get("apiVersion") != API_VERSION:
        message = f"the runtime of the run has the apiVersion {API_VERSION}, so this is another object"
        yield MISSED.at(document, (*path, "apiVersion"), message, remedy=f"write {API_VERSION}")
    elif name != own:
        message = f'the runtime of the run is "{own}", so "{name or ""}" is another object, which nothing uses'
        yield MISSED.at(document, (*path, "metadata", "name"), message, remedy=f"write {own}")
    else:
        yield from _check_jobs(_at(runtime, _JOBS), (*path, *_JOBS), run, document)


def _is_referred_to(name: Any, overrides: Any) -> bool:
    """Tell whether a patch of the job template may make another runtime the one in use."""
    patches = (each.get(part) for each in overrides for part in ("jobTemplate", "jobTemplatePatch"))
    return isinstance(name, str) and name != "" and any(name in str(patch) for patch in patches)


def _check_jobs(jobs: Any, path: Path, run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    known = ("node", "launcher") if framework(run["spec"]) == "mpi" else ("node",)
    for index, job in enumerate(jobs if isinstance(jobs, list) else ()):
        name = job.get("name") if isinstance(job, dict) else None
        if isinstance(name, str) and name not in known and not _is_whole(job):
            message = f'the run has no replicated job "{name}", so this is one of its own, without a workload'
            remedy = f"write {' or '.join(known)}"
            yield MISSED.at(document, (*path, index, "name"), message, remedy=remedy)
        elif name in known:
            yield from _check_containers(job, (*path, index), document)


def _check_containers(job: Any, path: Path, document: Document) -> Iterator[Diagnostic]:
    containers = _at(job, (*_POD, "containers"))
    for index, container in enumerate(containers if isinstance(containers, list) else ()):
        name = container.get("name") if isinstance(container, dict) else None
        if isinstance(name, str) and name != _CONTAINER and not container.get("image"):
            message = f'the pod has no container "{name}", so this is one of its own, without an image'
            place = (*path, *_POD, "containers", index, "name")
            yield MISSED.at(document, place, message, remedy=f"write {_CONTAINER}, or add an image")


def _is_whole(job: Any) -> bool:
    """Tell whether a replicated job could stand by itself: it has a container with an image."""
    containers = _at(job, (*_POD, "containers"))
    return isinstance(containers, list) and any(isinstance(each, dict) and each.get("image") for each in containers)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value
