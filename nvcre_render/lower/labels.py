"""The gang scheduler's queue and the labels of the workload object. (NVCRE guide, gang scheduling.)"""

from __future__ import annotations

from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.model.workloadrun import WorkloadRunSpec

KAI = "kai-scheduler"
DEFAULT_QUEUE = "default-queue"
DEFAULT_QUEUE_LABEL_KEY = "kai.scheduler/queue"


class Gang(Record):
    """The gang scheduler of a run with its defaults applied."""

    scheduler_name: str
    queue: str
    queue_label_key: str

    @property
    def is_kai(self) -> bool:
        """Whether launchers start beside their workers and wait for them by themselves."""
        return self.scheduler_name == KAI


def gang(spec: WorkloadRunSpec) -> Gang | None:
    """Return the run's gang scheduler, None when it has none; an empty text counts as not given."""
    given = spec.get("gangScheduler", {})
    if not given.get("schedulerName"):
        return None
    return Gang(
        scheduler_name=given["schedulerName"],
        queue=given.get("queue") or DEFAULT_QUEUE,
        queue_label_key=given.get("queueLabelKey") or DEFAULT_QUEUE_LABEL_KEY,
    )


def workload_labels(spec: WorkloadRunSpec) -> dict[str, str]:
    """Return the labels of the workload object: the user's, and the queue label under a gang scheduler."""
    labels = dict(spec.get("workloadMetadata", {}).get("labels", {}))
    scheduler = gang(spec)
    if scheduler:
        labels.setdefault(scheduler.queue_label_key, scheduler.queue)
    return dict(sorted(labels.items()))
