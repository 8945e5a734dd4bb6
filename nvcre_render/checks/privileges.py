"""Privileged workload containers (NR614). (NVCRE guide, host RDMA.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

_PATCH = """\
  overrides:
    - when: {}
      dependencies:
        - apiVersion: trainer.kubeflow.org/v1alpha1
          kind: TrainingRuntime
          metadata: {name: example-runtime}
          spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {
            containers: [{name: node, securityContext: {privileged: true}}]}}}}}]}}}MARK
"""

_JOBS = ("spec", "template", "spec", "replicatedJobs")
_CONTAINERS = ("template", "spec", "template", "spec", "containers")

NEEDLESS = Rule(
    code="NR614",
    name="needless-privilege",
    severity=WARNING,
    summary="The workload container is made privileged, and nothing of the host is mounted.",
    why="A privileged container is root on the node. Host RDMA, the usual reason, mounts /dev/infiniband too; "
    "memory locking needs a capability only.",
    remedy="mount what the container needs with a hostPath volume, or write capabilities: {add: [IPC_LOCK]} instead",
    bad=run(_PATCH.replace("MARK", "").replace("privileged: true}}]", "privileged: true}}]  # warning\n            ")),
    good=run(
        "  volumes: [{name: infiniband, hostPath: {path: /dev/infiniband}}]\n"
        "  volumeMounts: [{name: infiniband, mountPath: /dev/infiniband}]\n" + _PATCH.replace("MARK", "")
    ),
)


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield every override that makes a container privileged in a run that mounts nothing of its hosts."""
    spec: Any = run["spec"]
    if any("hostPath" in volume for volume in spec.get("volumes", [])):
        return
    for index, override in enumerate(spec.get("overrides", [])):
        for number, patch in enumerate(override.get("dependencies", [])):
            for steps in _privileged(patch):
                if _mentions_host_path(spec["overrides"]):
                    return
                path = ("spec", "overrides", index, "dependencies", number, *steps)
                yield NEEDLESS.at(document, path, "a privileged container, and no hostPath volume that it would need")


def _privileged(runtime: Any) -> Iterator[Path]:
    """Yield the places in a patch of a runtime that make a workload container privileged."""
    for number, job in enumerate(_list(runtime, _JOBS)):
        for index, container in enumerate(_list(job, _CONTAINERS)):
            context = container.get("securityContext") if isinstance(container, dict) else None
            if isinstance(context, dict) and context.get("privileged") is True:
                yield (*_JOBS, number, *_CONTAINERS, index, "securityContext", "privileged")


def _list(value: Any, steps: tuple[str, ...]) -> list[Any]:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []


def _mentions_host_path(value: Any) -> bool:
    if isinstance(value, dict):
        return "hostPath" in value or any(map(_mentions_host_path, value.values()))
    return isinstance(value, list) and any(map(_mentions_host_path, value))
