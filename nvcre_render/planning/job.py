"""The NVCRE Job of a group: a copy of the job template, fitted to the group's nodes. (NVCRE guide, jobs.)"""

from __future__ import annotations

from nvcre_render import fragments
from nvcre_render.fragments import ABSENT, Parameters
from nvcre_render.planning import affinity, discovery, patches, renaming, tolerations
from nvcre_render.planning.placement import is_unpinned
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from nvcre_render.planning.group import Group
    from nvcre_render.planning.naming import Names

OBJECTS = "plan/objects.yaml"


class Template(Record):
    """What the Jobs of all groups have in common.

    `spec` is jobTemplate.spec with the thresholds of the Workflow's validation, nothing renamed; `expressions` are
    those of the affinity besides the host names.
    """

    workflow: str
    namespace: str | None
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]
    placement: str
    target: Mapping[str, Any]
    expressions: tuple[Mapping[str, Any], ...]
    words: tuple[str, ...]
    names: Names


def with_thresholds(spec: Mapping[str, Any], validation: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a job spec with the thresholds and the measurement timeout of spec.validation.performance."""
    performance = (validation or {}).get("performance") or {}
    limits = (performance.get("thresholds") or {}).get("thresholds")
    timeout = performance.get("measurementTimeout")
    return {
        **spec,
        **({"thresholds": limits} if limits else {}),
        **({"measurementTimeout": timeout} if timeout else {}),
    }


def job(template: Template, group: Group) -> dict[str, Any]:
    """Return the Job of a group, without the owner reference, which needs the UID of a live Workflow."""
    parameters = Parameters(
        job=template.names.job(group.name),
        namespace=template.namespace or ABSENT,
        workflow=template.workflow,
        group=group.name,
        nodes=",".join(group.nodes),
        spec=spec(template, group),
    )
    objects = fragments.load(OBJECTS)
    own = fragments.fill(objects["labels"]["job"], parameters)
    annotations = dict(template.metadata.get("annotations") or {})
    if group.nodes:
        annotations |= fragments.fill(objects["annotations"]["job"], parameters)
    parameters["labels"] = {**(template.metadata.get("labels") or {}), **own}
    parameters["annotations"] = annotations or ABSENT
    filled: dict[str, Any] = fragments.fill(objects["job"], parameters)
    return filled


def spec(template: Template, group: Group) -> dict[str, Any]:
    """Return the spec of a group's Job: names replaced, held to its nodes, sized to them."""
    made = renamed_spec(template, group)
    workload = made["workload"]
    train_job = patches.with_affinity(workload["trainJob"], _affinity(template, group))
    if not is_unpinned(template.placement):
        train_job["trainer"] = {**(train_job.get("trainer") or {}), "numNodes": len(group.nodes)}
    launcher = patches.has_launcher(train_job)
    added = tolerations.of_job(template.placement, template.target, launcher=launcher)
    made["workload"] = {**workload, "trainJob": patches.with_tolerations(train_job, added)}
    return _with_health_monitor(made, template.target)


def renamed_spec(template: Template, group: Group) -> dict[str, Any]:
    """Return the spec of the template with the names of a group's copies."""
    new = renaming.replacements(template.words, template.names.suffix(group.name))
    return renaming.job_spec(template.spec, new)


def _affinity(template: Template, group: Group) -> dict[str, Any] | None:
    hosts = affinity.hostnames(template.placement, template.target, group.nodes)
    return affinity.node_affinity(hosts, template.expressions)


def _with_health_monitor(made: dict[str, Any], target: Mapping[str, Any]) -> dict[str, Any]:
    """Watch the nodes' cordon, unless cordoned nodes were asked for: they would all count as failed."""
    monitor = made.pop("nodeHealthMonitor", None) or fragments.load(OBJECTS)["nodeHealthMonitor"]
    if not discovery.tolerates_cordon(target):
        made["nodeHealthMonitor"] = renaming.substitute(monitor, {})
    return made
