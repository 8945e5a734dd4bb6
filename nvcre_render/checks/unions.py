"""Fields that exclude each other, and texts whose parts do (NR209, NR21x). (WorkloadRun CRD, CEL rules.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import EXCLUSIVE_FIELDS, run
from nvcre_render.diagnostics import ERROR, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

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
    if "framework" in spec:
        yield from _one_of(("torch", "mpi", "exec"), (), ("spec", "framework"), _FRAMEWORKS, document)
        if "torch" in spec["framework"]:
            path = ("spec", "framework", "torch")
            yield from _one_of(("script", "module"), ("args",), path, "script or module", document)
    if "config" in spec:
        config = _written(document, ("spec", "config"))
        yield from _not_both(config, ("inline", "configMapRef"), ("spec", "config"), document)
    for base, env in _environments(spec):
        for index, entry in enumerate(env):
            # Unlike the others, an empty value beside valueFrom is no fault: Go drops it, and pods allow it.
            yield from _not_both(entry, ("value", "valueFrom"), (*base, index), document)
    name = spec.get("nicResourceName", "")
    if "kubernetes.io/" in name or name.startswith("k8s.io/") or ".k8s.io/" in name:
        message = f'"{name}" lies in the reserved kubernetes.io or k8s.io domains'
        yield RESERVED_DOMAIN.at(document, ("spec", "nicResourceName"), message)


def _environments(spec: dict[str, Any]) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    yield ("spec", "env"), spec.get("env", [])
    for index, container in enumerate(spec.get("initContainers", [])):
        yield ("spec", "initContainers", index, "env"), container.get("env", [])


def _written(document: Document, path: Path) -> dict[str, Any]:
    """Return the mapping at `path` as it was written, an empty or unsound value too; null is absent."""
    value = document.data
    for step in path:
        value = value[step]
    return {key: item for key, item in value.items() if item is not None}


def _one_of(
    members: tuple[str, ...], others: tuple[str, ...], path: Path, choice: str, document: Document
) -> Iterator[Diagnostic]:
    given = _written(document, path)
    found = [member for member in members if member in given]
    if not found and given.keys() <= set(others):  # a misspelt member is a finding of its own
        message = f"none of {', '.join(members)} is given, and exactly one is required"
        yield EXCLUSIVE_FIELDS.at(document, path, message, remedy=f"add {choice}", on_key=True)
    elif len(found) > 1:
        message = f"{' and '.join(found)} are given, and exactly one is allowed"
        yield EXCLUSIVE_FIELDS.at(document, (*path, found[1]), message, on_key=True)


def _not_both(given: dict[str, Any], members: tuple[str, str], path: Path, document: Document) -> Iterator[Diagnostic]:
    first, second = members
    if first in given and second in given:
        fields = f"both {first} and {second}"
        fault = f'"{given["name"]}" has {fields}' if "name" in given else f"{fields} are given"
        message = f"{fault}; at most one is allowed"
        yield EXCLUSIVE_FIELDS.at(document, (*path, second), message, on_key=True)
