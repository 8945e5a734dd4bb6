"""A finished plan: the groups, and on demand the objects of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nvcre_render import emit
from nvcre_render.planning import copies, job, trainjob
from nvcre_render.planning.placement import is_unpinned
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.planning.copies import Copies
    from nvcre_render.planning.exclusion import Exclusion
    from nvcre_render.planning.fleet import Fleet
    from nvcre_render.planning.group import Group
    from nvcre_render.planning.job import Template


class PerGroup(Sequence):  # type: ignore[type-arg]  # a runtime base; mypy reads the item type from __getitem__
    """One object a group, in group order, each made anew when it is asked for: a fleet can have 100,000 groups."""

    def __init__(self, groups: Sequence[Group], make: Callable[[Group], Any]) -> None:
        """Make an object of each of `groups` with `make`."""
        self._groups = groups
        self._make = make

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, index: Any) -> Any:
        """Return the object of a group, or of several as a list."""
        if isinstance(index, slice):
            return [self._make(group) for group in self._groups[index]]
        return self._make(self._groups[index])


class ByGroup(Mapping):  # type: ignore[type-arg]  # as above
    """Group name to what `make` makes of the group, when it is asked for."""

    def __init__(self, groups: Sequence[Group], make: Callable[[Group], Any]) -> None:
        """Make an object of each of `groups` with `make`."""
        self._groups = {group.name: group for group in groups}
        self._make = make

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __getitem__(self, name: str) -> Any:
        return self._make(self._groups[name])


class Plan(Record):
    """Which Jobs a Workflow starts on which nodes, in one iteration.

    `nodes_per_job` is the size of a group as the trainer declares it (all eligible nodes for a size below 1),
    `gpus_per_node` what a pod asks for. `groups` has a single group without nodes under placement Unpinned.
    `first_wave` names the groups that start at once. `shared` are the dependencies of the whole Workflow in
    creation order. `topology_key` cut the groups unless it is empty, `strict` says that none leaves its domain, and
    `diagnosed` that the groups are those of a diagnosis' first stage. `diagnostics` are warnings.
    """

    fleet: Fleet
    gpus_per_node: int
    eligible: tuple[str, ...]
    exclusion: Exclusion
    nodes_per_job: int
    groups: tuple[Group, ...]
    first_wave: tuple[str, ...]
    max_concurrent: int
    iterations: int
    topology_key: str
    strict: bool
    diagnosed: bool
    shared: tuple[dict[str, Any], ...]
    template: Template
    copies: Copies
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def workflow(self) -> str:
        """The name of the Workflow."""
        return self.template.workflow

    @property
    def unpinned(self) -> bool:
        """Whether the scheduler places a single Job."""
        return is_unpinned(self.template.placement)

    @property
    def excluded(self) -> tuple[str, ...]:
        """The target's nodes that are not used: cordoned, of another architecture, with too few GPUs."""
        return self.exclusion.nodes

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """Every node in no group, with the reason: the excluded ones, then those that are no target."""
        return (*self.exclusion.each(), *self.fleet.dropped)

    @property
    def unexercised(self) -> int:
        """How many eligible nodes the single Job of an Unpinned Workflow does without."""
        return len(self.eligible) - self.nodes_per_job if self.unpinned else 0

    @property
    def jobs(self) -> PerGroup:
        """The NVCRE Job of each group, in group order."""
        return PerGroup(self.groups, lambda group: job.job(self.template, group))

    @property
    def train_jobs(self) -> PerGroup:
        """The Kubeflow TrainJob of each group, in group order."""
        return PerGroup(self.groups, lambda group: trainjob.train_job(job.job(self.template, group)))

    @property
    def dependencies(self) -> ByGroup:
        """Group name to the group's copies of dependencies, in creation order."""
        return ByGroup(self.groups, lambda group: copies.of_group(self.copies, self.template, group))

    def to_yaml(self) -> str:
        """Return the whole plan as one YAML document."""
        return emit.to_yaml(self.to_data())

    def to_json(self) -> str:
        """Return the whole plan as JSON."""
        return emit.to_json(self.to_data())

    def to_data(self) -> dict[str, Any]:
        """Return the whole plan as plain data, all objects included."""
        return {
            "workflow": self.workflow,
            "platform": self.fleet.platform,
            "gpuArchitecture": self.fleet.gpu_architecture,
            "gpuProducts": list(self.fleet.products),
            "gpusPerNode": self.gpus_per_node,
            "placement": self.template.placement or "Pinned",
            "eligible": list(self.eligible),
            **({"excluded": list(self.excluded), "exclusionReason": self.exclusion.reason} if self.excluded else {}),
            "leftOut": [{"node": node, "reason": reason} for node, reason in self.left_out],
            "nodesPerJob": self.nodes_per_job,
            "iterations": self.iterations,
            "groups": [group.to_data() for group in self.groups],
            "firstWave": list(self.first_wave),
            **({"unexercised": self.unexercised} if self.unpinned else {}),
            "workflowScoped": [f"{each.get('kind')}/{each['metadata'].get('name')}" for each in self.shared],
            "sharedDependencies": list(self.shared),
            "dependencies": dict(self.dependencies),
            "jobs": list(self.jobs),
            "trainJobs": list(self.train_jobs),
        }
