"""What must still hold once a Workflow's overrides are applied. (NVCRE guide, overrides; gang scheduling; placement.)

Works on the resolved spec as data. The queue label of the workload object is the only thing put back; whatever else an
override broke is a finding and stays as it was written.
"""

from __future__ import annotations

from nvcre_render import fragments, gang
from nvcre_render.checks import field_rules, labels, schema
from nvcre_render.checks import override_rules as rules
from nvcre_render.checks.names import (
    MAX_LABEL,
    MAX_SUBDOMAIN,
    is_dns_subdomain,
    is_label_value,
    is_qualified_name,
)
from nvcre_render.diagnostics import Rule
from nvcre_render.gang import value_at
from nvcre_render.lower.labels import gang as recorded
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from nvcre_render.fragments import Library
    from nvcre_render.lower.labels import Gang
    from nvcre_render.positions import Path

    Data = Mapping[str, Any]
    # A label's value and the place that sets it.
    Labels = dict[str, tuple[str, Path]]

RUN_LABELS = "spec.workloadMetadata.labels"  # what messages call the workload labels of a WorkloadRun
WORKFLOW_LABELS = "spec.jobTemplate.spec.workloadMetadata.labels"

_SCHEMA = "workflow.v1alpha1"
_LABELS = ("jobTemplate", "spec", "workloadMetadata", "labels")
_TRAIN_JOB = ("jobTemplate", "spec", "workload", "trainJob")
_CLUSTER_RUNTIME = "ClusterTrainingRuntime"  # what a runtimeRef without kind means


class Finding(Record):
    """Something the resolved spec breaks: the rule, the message, and the path in the spec."""

    rule: Rule
    message: str
    path: Path
    remedy: str = ""


def check(
    spec: Data, labels_path: str = RUN_LABELS, library: Library | None = None
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """Return a resolved Workflow spec with its queue label restored, and everything it breaks.

    `labels_path` is what messages call the workload labels, `library` holds the platform blocks (None: the package's
    own). The spec itself is not changed.
    """
    scheduler = recorded(spec)  # type: ignore[arg-type]  # a Workflow has the same gangScheduler as a run
    current: dict[str, str] = value_at(spec, _LABELS) or {}
    restored, found = with_queue(current, scheduler, labels_path)
    found += check_labels(restored, labels_path)
    result = dict(spec)
    if restored != current:
        grown = gang.replaced_at(spec["jobTemplate"], _LABELS[1:], restored)
        result["jobTemplate"] = schema.normalise(grown, _SCHEMA, "JobTemplate")[0]  # keys in the order of the API
    if scheduler:
        found += _check_runtime(spec, scheduler)
    found += _check_placement(spec)
    found += _check_rack_label(spec, library or fragments.package())
    found += _check_schema(spec)
    return result, tuple(dict.fromkeys(found))


# -- labels of the workload object -------------------------------------------------------------------------------


def with_queue(
    given: Mapping[str, str], scheduler: Gang | None, labels_path: str
) -> tuple[dict[str, str], list[Finding]]:
    """Return the labels with the queue label inserted where it is absent; a finding where it names another queue."""
    if scheduler is None:
        return dict(given), []
    key, queue = scheduler.queue_label_key, scheduler.queue
    if key not in given:
        return dict(sorted({**given, key: queue}.items())), []
    if given[key] == queue:
        return dict(given), []
    message = f'{labels_path}["{key}"]: conflicting label value "{given[key]}", expected "{queue}"'
    return dict(given), [Finding(rule=labels.QUEUE_CONFLICT, message=message, path=(*_LABELS, key))]


def check_labels(given: Mapping[str, str], labels_path: str) -> Iterator[Finding]:
    """Yield what makes the labels of a workload object invalid, in the order of their keys."""
    if len(given) > labels.MAX_LABELS:
        message = f"{labels_path}: {len(given)} labels exceeds the maximum of {labels.MAX_LABELS}"
        yield Finding(rule=labels.TOO_MANY_LABELS, message=message, path=_LABELS)
    for key in sorted(given):
        place, path = f'{labels_path}["{key}"]', (*_LABELS, key)
        if labels.is_reserved(key):
            owned = f'"{labels.MANAGED_BY}" and keys beginning with "{labels.RESERVED_PREFIX}" belong to NVCRE'
            yield Finding(rule=labels.RESERVED_LABEL, message=f"{place}: the label is reserved: {owned}", path=path)
        elif not is_qualified_name(key):
            yield Finding(
                rule=labels.LABEL_KEY, message=f'{place}: "{key}" is no label key: {key_fault(key)}', path=path
            )
        if not is_label_value(given[key]):
            fault = value_fault(given[key])
            yield Finding(
                rule=rules.LABEL_VALUE, message=f'{place}: "{given[key]}" is no label value: {fault}', path=path
            )


def key_fault(key: str) -> str:
    """Say in Kubernetes' words why a text is no label key."""
    prefix, slash, name = key.rpartition("/")
    if slash and not prefix:
        return "prefix part must be non-empty"
    if len(prefix) > MAX_SUBDOMAIN:
        return f"prefix part must be no more than {MAX_SUBDOMAIN} bytes"
    if slash and not is_dns_subdomain(prefix):
        return (
            "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
            "'.', and must start and end with an alphanumeric character"
        )
    if not name:
        return "name part must be non-empty"
    if len(name) > MAX_LABEL:
        return f"name part must be no more than {MAX_LABEL} bytes"
    return (
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character"
    )


def value_fault(value: str) -> str:
    """Say in Kubernetes' words why a text is no label value."""
    if len(value) > MAX_LABEL:
        return f"must be no more than {MAX_LABEL} bytes"
    return (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character"
    )


# -- the gang scheduler's runtime --------------------------------------------------------------------------------


def _check_runtime(spec: Data, scheduler: Gang) -> Iterator[Finding]:
    """Yield where the runtime of the TrainJob does not carry the marks of the gang scheduler."""
    train_job = value_at(spec, _TRAIN_JOB)
    if not isinstance(train_job, dict):
        yield _unknown(_TRAIN_JOB[:-1], '"spec.jobTemplate.spec.workload" has no "trainJob"')
        return
    reference, place = train_job.get("runtimeRef") or {}, (*_TRAIN_JOB, "runtimeRef")
    for key, default, wanted in (("apiGroup", gang.GROUP, gang.GROUP), ("kind", _CLUSTER_RUNTIME, gang.KIND)):
        given = reference.get(key, default)
        if given != wanted:
            yield _unknown((*place, key), f'"runtimeRef.{key}" is "{given}", not "{wanted}"')
            return
    name = reference.get("name", "")
    for index, each in enumerate(spec.get("dependencies") or ()):
        if gang.is_runtime(each) and value_at(each, ("metadata", "name")) == name:
            yield from _check_jobs(each, ("dependencies", index), train_job, scheduler)
            return
    yield _unknown((*place, "name"), f'"{name}" is not among the dependencies as "{gang.KIND}.{gang.GROUP}"')


def _check_jobs(runtime: Data, place: Path, train_job: Data, scheduler: Gang) -> Iterator[Finding]:
    jobs = value_at(runtime, gang.JOBS)
    name = value_at(runtime, ("metadata", "name"))
    place = (*place, *gang.JOBS)
    if not isinstance(jobs, list):
        yield _malformed(place, f'runtime "{name}" has no list "spec.template.spec.replicatedJobs"')
        return
    for index, job in enumerate(jobs):
        if isinstance(job, dict):
            yield from _Job(runtime=name, job=job, place=(*place, index), train_job=train_job).check(scheduler)
        else:
            yield _malformed((*place, index), f'in runtime "{name}" "replicatedJobs[{index}]" is not an object')


class _Job(Record):
    """One replicated job of a runtime, and the TrainJob whose runtimePatches change its labels."""

    runtime: str
    job: Data
    place: Path
    train_job: Data

    def check(self, scheduler: Gang) -> Iterator[Finding]:
        """Yield what the job lacks of the gang scheduler's marks."""
        name = self.job.get("name") or ""
        who = f'runtime "{self.runtime}" replicated job "{name}"'
        for steps, what in ((gang.POD[:1], "template"), (gang.POD[:-1], "pod template")):
            if not isinstance(value_at(self.job, steps), dict):
                yield _malformed((*self.place, *steps), f"{who} has no {what}")
                return
        for level in (gang.JOB_LABELS, gang.POD_LABELS):
            yield from self._check_label(level, who, scheduler)
        if not isinstance(value_at(self.job, gang.POD), dict):
            yield _malformed((*self.place, *gang.POD), f"{who} has no pod spec")
            return
        found = value_at(self.job, gang.SCHEDULER) or ""
        if found != scheduler.scheduler_name:
            intent = f'gangScheduler is configured with scheduler "{scheduler.scheduler_name}"'
            message = f'{intent}, but {who} has the "schedulerName" "{found}"'
            yield Finding(rule=rules.RUNTIME_SCHEDULER, message=message, path=(*self.place, *gang.SCHEDULER))

    def _check_label(self, level: tuple[str, ...], who: str, scheduler: Gang) -> Iterator[Finding]:
        key, queue = scheduler.queue_label_key, scheduler.queue
        intent, where = f'gangScheduler is configured with queue "{queue}"', ".".join(level)
        effective = self._labels(level)
        if key not in effective:
            message = f'{intent}, but {who} lacks the label "{key}" at "{where}"'
            yield Finding(rule=rules.RUNTIME_QUEUE, message=message, path=(*self.place, *level, key))
        elif effective[key][0] != queue:
            value, path = effective[key]
            message = f'{intent}, but {who} has the label "{key}" with the value "{value}" at "{where}"'
            yield Finding(rule=rules.RUNTIME_QUEUE, message=message, path=path)

    def _labels(self, level: tuple[str, ...]) -> Labels:
        """Return the labels in effect: those of the runtime, then those of every runtime patch, later ones winning."""
        result = _texts(value_at(self.job, level), (*self.place, *level))
        steps = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for index, patch in enumerate(self.train_job.get("runtimePatches") or ()):
            for position, job in enumerate(value_at(patch, steps) or ()):
                if value_at(job, ("name",)) == self.job.get("name"):
                    place: Path = (*_TRAIN_JOB, "runtimePatches", index, *steps, position, *level)
                    result.update(_texts(value_at(job, level), place))
        return result


def _texts(given: Any, place: Path) -> Labels:
    items = given.items() if isinstance(given, dict) else ()
    return {key: (value, (*place, key)) for key, value in items if isinstance(value, str)}


def _unknown(path: Path, fault: str) -> Finding:
    return Finding(rule=rules.UNKNOWN_RUNTIME, message=f"gangScheduler is configured, but {fault}", path=path)


def _malformed(path: Path, fault: str) -> Finding:
    return Finding(rule=rules.MALFORMED_RUNTIME, message=f"gangScheduler is configured, but {fault}", path=path)


# -- placement and the API's own limits --------------------------------------------------------------------------


def _check_placement(spec: Data) -> Iterator[Finding]:
    orchestration = spec.get("orchestration") or {}
    topology = orchestration.get("topology")
    if orchestration.get("placement") == "Unpinned":
        one_job = "orchestration.placement: Unpinned runs exactly one job, but"
        if orchestration.get("diagnose") is not None:
            message = f"{one_job} orchestration.diagnose cuts the nodes into several"
            yield Finding(rule=rules.UNPINNED_DIAGNOSE, message=message, path=("orchestration", "diagnose"))
        if topology is not None and topology.get("strictDomain"):
            message = f"{one_job} orchestration.topology.strictDomain means one job per topology domain"
            path = ("orchestration", "topology", "strictDomain")
            yield Finding(rule=rules.UNPINNED_DOMAIN, message=message, path=path)


def _check_rack_label(spec: Data, library: Library) -> Iterator[Finding]:
    topology = value_at(spec, ("orchestration", "topology"))
    if topology is not None and not topology.get("topologyKey"):
        known = "; ".join(f"{name} on {' and '.join(found)}" for name, found in rack_labels(library).items())
        message = f"orchestration.topology.topologyKey is empty: only these platforms have a label for racks: {known}"
        yield Finding(rule=rules.NO_RACK_LABEL, message=message, path=("orchestration", "topology", "topologyKey"))


def rack_labels(library: Library) -> dict[str, list[str]]:
    """Return the platforms that bring a topology key of their own, and the architectures they bring it for."""
    found: dict[str, list[str]] = {}
    for block in library.blocks:
        if not value_at(block, ("orchestration", "topology", "topologyKey")):
            continue
        platforms, architectures = (_named(block["when"].get(key)) for key in ("platform", "gpuArchitecture"))
        for name in platforms:
            found[name] = found.get(name, []) + architectures
    return found


def _named(matcher: Data | None) -> list[str]:
    """Return the values a matcher asks for; ["any"] where it takes all."""
    matcher = matcher or {}
    return list(matcher.get("in") or ([matcher["equals"]] if matcher.get("equals") else ["any"]))


def _check_schema(spec: Data) -> Iterator[Finding]:
    """Yield values out of range and missing ones, which reading an override back does not refuse but the API does."""
    limits = (field_rules.OUT_OF_RANGE, field_rules.MISSING_FIELD, field_rules.UNKNOWN_VALUE)
    for key, definition in (("jobTemplate", "JobTemplate"), ("orchestration", "WorkflowOrchestration")):
        if key not in spec:
            continue
        for each in schema.normalise(spec[key], _SCHEMA, definition)[1]:
            path = (key, *each.path)
            if each.rule in limits and path[: len(_LABELS)] != _LABELS:
                message = f"spec.{key}.{each.message}" if each.path else f"spec.{key}: {each.message}"
                yield Finding(rule=rules.REFUSED_VALUE, message=message, path=path, remedy=each.remedy)
