"""Small valid WorkloadRuns for tests, as mappings, and the ways tests look at what comes of them."""

from __future__ import annotations

import copy
from typing import Any

import yaml

import nvcre_render as nr
from nvcre_render import source
from nvcre_render.checks import schema
from nvcre_render.document import from_mapping

Json = dict[str, Any]

TORCH: Json = {"torch": {"script": "/train.py"}}
MPI: Json = {"mpi": {"binary": "/bin/perf", "mpirunPath": "/bin/mpirun"}}
EXEC: Json = {"exec": {"command": ["/bin/job"]}}
FRAMEWORKS: dict[str, Json] = {"torch": TORCH, "mpi": MPI, "exec": EXEC}
GPU = "nvidia.com/gpu"
MARK = "@"  # stands in a text where a finding is expected


def manifest(framework: Json = TORCH, **spec: Any) -> Json:
    """Return a WorkloadRun called "run" of two nodes; `spec` fields are added, or replace those given here."""
    fields = {"image": "trainer:1", "numNodes": 2, "framework": framework, **spec}
    return {
        "apiVersion": "nvcre.nvidia.com/v1alpha1",
        "kind": "WorkloadRun",
        "metadata": {"name": "run"},
        "spec": copy.deepcopy(fields),
    }


def text(framework: Json = TORCH, **spec: Any) -> str:
    """Return the same as YAML text."""
    return yaml.safe_dump(manifest(framework, **spec), sort_keys=False)


def with_spec(lines: str, framework: str = "{torch: {script: /train.py}}") -> str:
    """Return a valid run as text whose spec ends with `lines`."""
    head = (
        "apiVersion: nvcre.nvidia.com/v1alpha1\n"
        "kind: WorkloadRun\n"
        "metadata: {name: run}\n"
        "spec:\n"
        "  image: trainer:1\n"
        "  numNodes: 2\n"
        f"  framework: {framework}\n"
    )
    return head + "".join(f"  {line}\n" for line in lines.splitlines())


def seen(findings: tuple[nr.Diagnostic, ...] | nr.Report) -> list[tuple[str, str]]:
    """Return code and field of every finding, in reading order."""
    return [(found.code, found.field) for found in findings]


def faults(run: Json | str, *codes: str) -> list[tuple[str, str]]:
    """Return code and field of what `validate` says; with `codes` only of those that begin with one of them."""
    return [found for found in seen(nr.validate(run)) if found[0].startswith(codes or "NR")]


def judged(text: str | Json) -> tuple[Any, list[nr.Diagnostic]]:
    """Return the normalised spec and the findings of the schema alone."""
    if isinstance(text, str):
        ((document,), unread) = source.read(text, "run.yaml")
        assert unread == []
    else:
        document = from_mapping(text, "run.yaml")
    run, findings = schema.check(document, "workloadrun.v1alpha1")
    return run["spec"], list(nr.Report(findings))


def normal(**spec: Any) -> Json:
    """Return the spec of a sound run as Go would write it, without the fields every run has."""
    written, findings = judged(manifest(**spec))
    assert findings == []
    return {key: value for key, value in written.items() if key not in ("image", "numNodes", "framework")}


def marks(text: str) -> list[tuple[int, int]]:
    """Return line and column of every mark, as if the marks were not there."""
    places = []
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split(MARK)
        places += [(number, sum(map(len, parts[: index + 1])) + 1) for index in range(len(parts) - 1)]
    return places


def at_marks(text: str, found: list[nr.Diagnostic]) -> list[nr.Diagnostic]:
    """Return the findings about a text without its marks after making sure that they stand at the marks."""
    places = [each.position and (each.position.line, each.position.column) for each in found]
    assert places == marks(text), "\n".join(map(str, found))
    return found


def finding(lines: str) -> nr.Diagnostic:
    """Return the one finding of the schema about these spec lines, which stands at their mark."""
    text = with_spec(lines)
    (found,) = at_marks(text, judged(text.replace(MARK, ""))[1])
    return found


def complaints(text: str, *codes: str) -> list[nr.Diagnostic]:
    """Return the findings about a text, which stand at its marks; with `codes` only those that begin with one."""
    report = nr.validate(text.replace(MARK, ""), filename="run.yaml")
    return at_marks(text, [found for found in report if found.code.startswith(codes or "NR")])


def complaint(text: str, *codes: str) -> nr.Diagnostic:
    """Return the one such finding about a text, which stands at its mark."""
    (found,) = complaints(text, *codes)
    return found


def render(framework: Json = TORCH, arch: str = "h100", platform: str | None = None, **spec: Any) -> Json:
    """Return the Workflow of a run, overrides listed, so that it shows what was built before any was applied."""
    rendered = nr.render(manifest(framework, **spec), gpu_arch=arch, platform=platform, overrides="listed")
    workflow: Json = dict(rendered.workflow)
    return workflow


def train_job(workflow: Json) -> Json:
    """Return the TrainJob of a Workflow's job template."""
    job: Json = workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]
    return job


def runtime(workflow: Json) -> Json:
    """Return the spec of the TrainingRuntime, which is always the first dependency."""
    first = workflow["spec"]["dependencies"][0]
    assert first["kind"] == "TrainingRuntime"
    spec: Json = first["spec"]
    return spec


def replicated(workflow: Json) -> dict[str, Json]:
    """Return the replicated jobs of the TrainingRuntime by name."""
    return {job["name"]: job for job in runtime(workflow)["template"]["spec"]["replicatedJobs"]}


def pods(workflow: Json) -> dict[str, Json]:
    """Return the pod specs of the TrainingRuntime by the name of their job."""
    return {name: job["template"]["spec"]["template"]["spec"] for name, job in replicated(workflow).items()}


def workload(pod: Json) -> Json:
    """Return the one container of a pod, which is always called node."""
    (container,) = pod["containers"]
    assert container["name"] == "node"
    found: Json = container
    return found
