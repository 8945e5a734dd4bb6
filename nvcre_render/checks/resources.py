"""Requests and limits of the workload and init containers (NR271 to NR274). (Kubernetes API, resource management.)"""

from __future__ import annotations

from nvcre_render import quantity
from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import is_qualified_name
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

UNEQUAL = Rule(
    code="NR271",
    name="device-request-without-limit",
    severity=ERROR,
    summary="A device or huge pages are requested without an equal limit.",
    why="Kubernetes cannot overcommit devices: the API server refuses a request that its limit does not repeat.",
    remedy="write the same number under limits; a limit alone is enough, it becomes the request",
    bad=run("  resources:\n    requests: {nvidia.com/gpu: 8}  # error\n"),
    good=run("  resources:\n    limits: {nvidia.com/gpu: 8}\n"),
)
ABOVE_LIMIT = Rule(
    code="NR272",
    name="request-above-limit",
    severity=ERROR,
    summary="A request is larger than its limit.",
    why="The API server refuses the pod.",
    remedy="raise the limit, or lower the request",
    bad=run("  resources:\n    limits: {memory: 1Gi}\n    requests: {memory: 2Gi}  # error\n"),
    good=run("  resources:\n    limits: {memory: 2Gi}\n    requests: {memory: 2Gi}\n"),
)
NO_AMOUNT = Rule(
    code="NR273",
    name="impossible-amount",
    severity=ERROR,
    summary="An amount is negative, or a fraction of a device.",
    why="The API server refuses the pod.",
    remedy="write a whole number of devices, and no amount below 0",
    bad=run("  resources:\n    limits: {nvidia.com/gpu: 0.5}  # error\n"),
    good=run("  resources:\n    limits: {nvidia.com/gpu: 1}\n"),
)
GPU_MISMATCH = Rule(
    code="NR274",
    name="gpu-count-mismatch",
    severity=WARNING,
    summary="gpusPerNode and the GPUs that resources ask for are different numbers.",
    why="gpusPerNode is the number of processes a node, resources the GPUs they get: some would share or miss one.",
    remedy="write the same number, or leave nvidia.com/gpu out of resources: it is added by itself",
    bad=run("  gpusPerNode: 8\n  resources:\n    limits: {nvidia.com/gpu: 4}  # warning\n"),
    good=run("  gpusPerNode: 4\n  resources:\n    limits: {nvidia.com/gpu: 4}\n"),
)
RESOURCE_NAME = Rule(
    code="NR275",
    name="malformed-resource-name",
    severity=ERROR,
    summary="A resource name that Kubernetes does not know and no device plugin could offer.",
    why="The API server refuses the pod: beside cpu, memory and a few others, names have a domain and a slash.",
    remedy="write a name such as cpu, memory, ephemeral-storage or nvidia.com/gpu",
    bad=run("  resources:\n    limits: {gpu: 8}  # error\n"),
    good=run("  resources:\n    limits: {nvidia.com/gpu: 8}\n"),
)

GPU = "nvidia.com/gpu"
_NATIVE = ("cpu", "memory", "ephemeral-storage", "storage")
_PAGES = "hugepages-"


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with resources of the workload container, then of each init container."""
    spec: Any = run["spec"]
    base: Path = ("spec", "resources")
    yield from _check(spec.get("resources", {}), base, document)
    yield from _check_gpus(spec, base, document)
    for index, container in enumerate(spec.get("initContainers", [])):
        yield from _check(container.get("resources", {}), ("spec", "initContainers", index, "resources"), document)


def _check(resources: Any, base: Path, document: Document) -> Iterator[Diagnostic]:
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            yield from _check_amount(name, amount, (*base, part, name), document)
    for name, amount in requests.items():
        path = (*base, "requests", name)
        limit = limits.get(name)
        if amount == limit:
            continue
        if _is_counted(name) and (limit is None or quantity.amount(limit) != quantity.amount(amount)):
            message = f"{amount} requested and {'no limit' if limit is None else f'a limit of {limit}'}"
            yield UNEQUAL.at(document, path, f"{message}; for {name} both have to be equal")
        elif limit is not None and quantity.amount(amount) > quantity.amount(limit):
            yield ABOVE_LIMIT.at(document, path, f"{amount} of {name} is more than the limit of {limit}")


def _check_amount(name: str, amount: str, path: Path, document: Document) -> Iterator[Diagnostic]:
    if name not in _NATIVE and not name.startswith(_PAGES) and ("/" not in name or not is_qualified_name(name)):
        from nvcre_render.checks.spelling import suggestion

        word = name.rpartition("/")[2]
        near = GPU if word.lower().rstrip("s") == "gpu" else suggestion(word, _NATIVE)
        hint = f'did you mean "{near}"?' if near else ""
        yield RESOURCE_NAME.at(document, path, f'"{name}" is no name of a resource', remedy=hint, on_key=True)
        return
    if amount.startswith("-") or (_is_counted(name) and not amount.isdecimal() and not _is_whole(name, amount)):
        yield NO_AMOUNT.at(document, path, f"{amount} of {name} cannot be had")


def _is_whole(name: str, amount: str) -> bool:
    value = quantity.amount(amount)
    return name.startswith(_PAGES) or value == value.to_integral_value()


def _is_counted(name: str) -> bool:
    """Tell whether a resource cannot be overcommitted: devices and huge pages."""
    return name.startswith(_PAGES) or ("/" in name and "kubernetes.io/" not in name)


def _check_gpus(spec: Any, base: Path, document: Document) -> Iterator[Diagnostic]:
    wanted = spec.get("gpusPerNode")
    for part in ("limits", "requests"):
        amount = spec.get("resources", {}).get(part, {}).get(GPU)
        if wanted is not None and amount is not None and quantity.amount(amount) != wanted:
            message = f"resources ask for {amount} GPUs, and spec.gpusPerNode says {wanted}"
            place = document.position(("spec", "gpusPerNode"))
            related = ((place, "the number of processes"),) if place else ()
            yield GPU_MISMATCH.at(document, (*base, part, GPU), message, related=related)
            return
