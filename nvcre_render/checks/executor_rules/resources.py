"""Images, counts and resources that are accepted and yet leave the pods without what they need (NR93x)."""

from __future__ import annotations

from nvcre_render import quantity
from nvcre_render.checks.executor_rules.submitted import ready
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic

NO_IMAGE = Rule(
    code="NR933",
    name="empty-image",
    severity=WARNING,
    summary="No image is set.",
    why="NeMo-Run writes an empty text, which overrides the runtime's image with nothing.",
    remedy="set image",
    bad=ready().replace("image: registry.example.com/trainer:1", "image: ''  # warning"),
    good=ready(),
)
NO_PROCESSES = Rule(
    code="NR934",
    name="zero-processes",
    severity=WARNING,
    summary="Zero GPUs or processes per node.",
    why="Zero counts as set: it becomes numProcPerNode 0, which starts nothing and which coming releases refuse.",
    remedy="leave gpus_per_node out, or set nprocs_per_node to at least 1",
    bad=ready().replace("gpus_per_node: 8", "gpus_per_node: 0  # warning"),
    good=ready("nprocs_per_node: 2\n").replace("gpus_per_node: 8\n", ""),
)
NO_GPU = Rule(
    code="NR935",
    name="memory-without-gpus",
    severity=WARNING,
    summary="CPU or memory is asked for, and no GPU.",
    why="Only gpus_per_node (or an extra resource) asks for GPUs; without it the pods get none, on any node.",
    remedy="set gpus_per_node, or nprocs_per_node if the run is meant to have no GPUs",
    bad=ready("memory_requests: 64Gi  # warning\n").replace("gpus_per_node: 8\n", ""),
    good=ready("memory_requests: 64Gi\n"),
)
UNEQUAL = Rule(
    code="NR936",
    name="unequal-extended-resource",
    severity=ERROR,
    summary="An extended resource with a request and no limit, or with different amounts.",
    why="Kubernetes wants both sides equal for devices, so it refuses to create the pods.",
    remedy="write the same amount into extra_resource_requests and extra_resource_limits",
    bad=ready("extra_resource_requests:\n  vpc.amazonaws.com/efa: '32'  # error\n"),
    good=ready(
        "extra_resource_requests: {vpc.amazonaws.com/efa: '32'}\nextra_resource_limits: {vpc.amazonaws.com/efa: '32'}\n"
    ),
)

_PLAIN = ("cpu_requests", "memory_requests", "cpu_limits", "memory_limits")


def check(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield what is missing or at odds among image, processes and resources."""
    trainer = submitted.kept["spec"].get("trainer")
    if not isinstance(trainer, dict):
        return
    if trainer.get("image") == "":
        message = "the trainer's image is empty, and so is the container's then"
        yield submitted.at_field(NO_IMAGE, ("spec", "trainer", "image"), message)
    if trainer.get("numProcPerNode") == 0:
        path = ("spec", "trainer", "numProcPerNode")
        yield submitted.at_field(NO_PROCESSES, path, "no process is started on any node")
    resources = trainer.get("resourcesPerNode")
    if isinstance(resources, dict):
        limits, requests = (_side(resources, side) for side in ("limits", "requests"))
        yield from _check_gpus(submitted, {**limits, **requests})
        yield from _check_equal(submitted, limits, requests)


def _side(resources: dict[str, Any], name: str) -> dict[str, Any]:
    side = resources.get(name)
    return side if isinstance(side, dict) else {}


def _check_gpus(submitted: Submitted, resources: dict[str, Any]) -> Iterator[Diagnostic]:
    values = submitted.values
    given = next((name for name in _PLAIN if values[name]), None)  # type: ignore[literal-required]
    if given is None or values["nprocs_per_node"] is not None or any(map(_is_extended, resources)):
        return
    message = "CPU and memory are set, but no GPU is requested: each node runs one process without a GPU"
    yield submitted.at(NO_GPU, (given,), message)


def _check_equal(submitted: Submitted, limits: dict[str, Any], requests: dict[str, Any]) -> Iterator[Diagnostic]:
    for name, amount in requests.items():
        limit = limits.get(name)
        if not _is_extended(name) or (limit is not None and _amount(limit) == _amount(amount)):
            continue
        side = "requests" if name in submitted.values["extra_resource_requests"] else "limits"
        path = ("spec", "trainer", "resourcesPerNode", side, name)
        shown = "no limit" if limit is None else f"a limit of {limit}"
        yield submitted.at_field(UNEQUAL, path, f"{name} has a request of {amount} and {shown}")


def _is_extended(name: str) -> bool:
    """Tell whether a resource is a device rather than one of Kubernetes' own."""
    domain, slash, _ = name.partition("/")
    return bool(slash) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))


def _amount(value: Any) -> str:
    try:
        return quantity.canonical(value)
    except quantity.InvalidQuantityError:
        return str(value)
