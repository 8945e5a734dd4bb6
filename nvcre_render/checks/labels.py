"""Labels of the workload object and the gang scheduler's queue label (NR51x)."""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import MAX_SUBDOMAIN, is_qualified_name
from nvcre_render.diagnostics import ERROR, Rule
from nvcre_render.lower.labels import gang, workload_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.lower.labels import Gang
    from nvcre_render.model.workloadrun import WorkloadRunSpec

MAX_LABELS = 32
MANAGED_BY = "app.kubernetes.io/managed-by"
RESERVED_PREFIX = "nvcre.nvidia.com/"

_LABELS = ("spec", "workloadMetadata", "labels")

RESERVED_LABEL = Rule(
    code="NR511",
    name="reserved-label",
    severity=ERROR,
    summary="A workload label whose key belongs to NVCRE.",
    why="The controller writes these labels itself and refuses a run that sets them.",
    remedy="use a key of your own, such as team.example.com/cost-center",
    bad=run("  workloadMetadata:\n    labels:\n      nvcre.nvidia.com/job: x  # error\n"),
    good=run("  workloadMetadata:\n    labels:\n      example.com/job: x\n"),
)
LABEL_KEY = Rule(
    code="NR512",
    name="malformed-label-key",
    severity=ERROR,
    summary="A label key that Kubernetes does not accept.",
    why="The API server refuses the object that carries it.",
    remedy="write a name of 63 letters, digits, '-', '_' or '.', with an optional DNS prefix and a slash before it",
    bad=run("  workloadMetadata:\n    labels:\n      cost center: x  # error\n"),
    good=run("  workloadMetadata:\n    labels:\n      cost-center: x\n"),
)
TOO_MANY_LABELS = Rule(
    code="NR513",
    name="too-many-labels",
    severity=ERROR,
    summary="More than 32 labels on the workload object, the gang scheduler's queue label counted.",
    why="NVCRE refuses the run.",
    remedy="remove labels; annotations in an override have no such limit",
    bad=run(
        "  workloadMetadata:\n    labels:  # error\n" + "".join(f"      key-{n}: x\n" for n in range(MAX_LABELS + 1))
    ),
    good=run("  workloadMetadata:\n    labels:\n" + "".join(f"      key-{n}: x\n" for n in range(MAX_LABELS))),
)
QUEUE_CONFLICT = Rule(
    code="NR514",
    name="queue-label-conflict",
    severity=ERROR,
    summary="The queue label is set to another queue than gangScheduler names.",
    why="One key cannot name two queues; NVCRE refuses the run rather than choosing.",
    remedy="remove the label, or give the same queue in gangScheduler",
    bad=run(
        "  gangScheduler: {schedulerName: kai-scheduler, queue: a}\n"
        "  workloadMetadata:\n    labels:\n      kai.scheduler/queue: b  # error\n"
    ),
    good=run(
        "  gangScheduler: {schedulerName: kai-scheduler, queue: a}\n"
        "  workloadMetadata:\n    labels:\n      kai.scheduler/queue: a\n"
    ),
)
RESERVED_QUEUE_KEY = Rule(
    code="NR515",
    name="reserved-queue-label-key",
    severity=ERROR,
    summary="gangScheduler.queueLabelKey is a key that belongs to NVCRE.",
    why="The controller writes these labels itself and refuses a run that sets them.",
    remedy="write the key your scheduler reads, such as kai.scheduler/queue or runai/queue",
    bad=run("  gangScheduler: {schedulerName: x, queueLabelKey: nvcre.nvidia.com/queue}  # error\n"),
    good=run("  gangScheduler: {schedulerName: x, queueLabelKey: example.com/queue}\n"),
)


def check(spec: WorkloadRunSpec, document: Document) -> Iterator[Diagnostic]:
    """Yield what makes the composed labels invalid: a queue conflict, their number, reserved or malformed keys."""
    own = spec.get("workloadMetadata", {}).get("labels", {})
    scheduler = gang(spec)
    if scheduler:
        yield from _check_queue(scheduler, own, document)
    labels = workload_labels(spec)
    if len(labels) > MAX_LABELS:
        message = f"spec.workloadMetadata.labels: {len(labels)} labels exceeds the maximum of {MAX_LABELS}"
        if scheduler and scheduler.queue_label_key not in own:
            message += f" (the queue label {scheduler.queue_label_key} is one of them)"
        yield TOO_MANY_LABELS.at(document, _LABELS, message, on_key=True)
    for key in sorted(own):
        yield from _check_label(key, document)


def _check_queue(scheduler: Gang, own: dict[str, str], document: Document) -> Iterator[Diagnostic]:
    key, queue = scheduler.queue_label_key, scheduler.queue
    place = ("spec", "gangScheduler", "queueLabelKey")
    if is_reserved(key):
        message = (
            f'spec.gangScheduler.queueLabelKey: "{key}" is reserved: {MANAGED_BY} and {RESERVED_PREFIX} belong to NVCRE'
        )
        yield RESERVED_QUEUE_KEY.at(document, place, message)
    elif "/" in key and len(key.partition("/")[0]) > MAX_SUBDOMAIN:
        message = f"the prefix of the label key is longer than {MAX_SUBDOMAIN} characters"
        yield LABEL_KEY.at(document, place, message)
    if own.get(key, queue) != queue:
        path = (*_LABELS, key)
        expected = document.position(("spec", "gangScheduler", "queue"))
        yield QUEUE_CONFLICT.at(
            document,
            path,
            f'conflicting label value "{own[key]}", expected "{queue}"',
            related=((expected, "the queue is given here"),) if expected else (),
        )


def _check_label(key: str, document: Document) -> Iterator[Diagnostic]:
    path = (*_LABELS, key)
    if is_reserved(key):
        message = f"this label is reserved: {MANAGED_BY} and {RESERVED_PREFIX} belong to NVCRE"
        yield RESERVED_LABEL.at(document, path, message, on_key=True)
    elif not is_qualified_name(key):
        yield LABEL_KEY.at(document, path, "this is not a label key of Kubernetes", on_key=True)


def is_reserved(key: str) -> bool:
    """Tell whether NVCRE keeps the label key for itself."""
    return key == MANAGED_BY or key.startswith(RESERVED_PREFIX)
