"""Privileged workload containers (NR614). (NVCRE guide, host RDMA.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic, Path
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.source import Document

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
        places = list(_privileged(override, ("spec", "overrides", index)))
        if places and not _mentions_host_path(spec["overrides"]):
            for path in places:
                yield NEEDLESS.at(document, path, "a privileged container, and no hostPath volume that it would need")


def _privileged(value: Any, path: Path) -> Iterator[Path]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        if step == "privileged" and item is True and "containers" in path:
            yield (*path, step)
        yield from _privileged(item, (*path, step))


def _mentions_host_path(value: Any) -> bool:
    if isinstance(value, dict):
        return "hostPath" in value or any(map(_mentions_host_path, value.values()))
    return isinstance(value, list) and any(map(_mentions_host_path, value))
