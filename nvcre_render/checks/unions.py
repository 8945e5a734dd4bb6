"""Fields that exclude each other, and texts whose parts do (NR209, NR21x). (WorkloadRun CRD, CEL rules.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import EXCLUSIVE_FIELDS, run
from nvcre_render.diagnostics import ERROR, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic, Path
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.source import Document

RESERVED_DOMAIN = Rule(
    code="NR210",
    name="reserved-resource-domain",
    severity=ERROR,
    summary="nicResourceName lies in a domain that Kubernetes keeps for itself.",
    why="Extended resources cannot live below kubernetes.io or k8s.io; the API server refuses the object.",
    remedy="write the resource your device plugin offers, such as rdma/ib or nvidia.com/mlnxnics",
    bad=run("  nicResourceName: kubernetes.io/nic  # error\n"),
    good=run("  nicResourceName: rdma/ib\n"),
)

_FRAMEWORKS = "torch, mpi or exec"


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield a finding for every set of fields of which one must be chosen."""
    spec: dict[str, Any] = {**run.get("spec", {})}
    framework = spec.get("framework")
    if framework is not None:
        yield from _one_of(framework, ("torch", "mpi", "exec"), ("spec", "framework"), _FRAMEWORKS, document)
        torch = framework.get("torch")
        if torch is not None:
            yield from _one_of(
                torch, ("script", "module"), ("spec", "framework", "torch"), "script or module", document
            )
    yield from _not_both(spec.get("config", {}), ("inline", "configMapRef"), ("spec", "config"), document)
    for path, env in _environments(spec):
        for index, entry in enumerate(env):
            yield from _not_both(entry, ("value", "valueFrom"), (*path, index), document)
    name = spec.get("nicResourceName", "")
    if "kubernetes.io/" in name or name.startswith("k8s.io/") or ".k8s.io/" in name:
        message = f'"{name}" lies in the reserved kubernetes.io or k8s.io domains'
        yield RESERVED_DOMAIN.at(document, ("spec", "nicResourceName"), message)


def _environments(spec: dict[str, Any]) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    yield ("spec", "env"), spec.get("env", [])
    for index, container in enumerate(spec.get("initContainers", [])):
        yield ("spec", "initContainers", index, "env"), container.get("env", [])


def _one_of(
    given: dict[str, Any], members: tuple[str, ...], path: Path, choice: str, document: Document
) -> Iterator[Diagnostic]:
    found = [member for member in members if member in given]
    if not found:
        message = f"none of {', '.join(members)} is given, and exactly one is required"
        yield EXCLUSIVE_FIELDS.at(document, path, message, remedy=f"add {choice}", on_key=True)
    elif len(found) > 1:
        message = f"{' and '.join(found)} are given, and exactly one is allowed"
        yield EXCLUSIVE_FIELDS.at(document, (*path, found[1]), message, on_key=True)


def _not_both(given: dict[str, Any], members: tuple[str, str], path: Path, document: Document) -> Iterator[Diagnostic]:
    first, second = members
    if given.get(first) and second in given:
        name = f'"{given["name"]}" has ' if "name" in given else ""
        message = f"{name}both {first} and {second}; at most one is allowed"
        yield EXCLUSIVE_FIELDS.at(document, (*path, second), message, on_key=True)
