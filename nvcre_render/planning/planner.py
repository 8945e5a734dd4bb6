"""A resolved Workflow and the nodes of a cluster to the plan of its Jobs. (NVCRE guide, orchestration.)

The steps, and so the refusals, come in the controller's order; the first refusal ends the planning.
"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.contract import WORKFLOW_LABELS
from nvcre_render.planning import (
    affinity,
    capacity,
    collisions,
    contract,
    copies,
    dependencies,
    job,
    naming,
    partition,
    placement,
    renaming,
    size,
    words,
)
from nvcre_render.planning.copies import Copies
from nvcre_render.planning.exclusion import Exclusion
from nvcre_render.planning.fleet import Fleet, survey
from nvcre_render.planning.group import Group, PartitionError, first_wave
from nvcre_render.planning.result import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.planning.node import Node

_UNPINNED_GROUP = Group(name="group-0", nodes=())


def plan(
    workflow: Mapping[str, Any],
    nodes: Sequence[Mapping[str, Any]],
    *,
    slices: Iterable[Mapping[str, Any]] = (),
    platform: str | None = None,
    resolve: Callable[[Fleet], Mapping[str, Any]] | None = None,
    iteration: int = 1,
    labels_path: str = WORKFLOW_LABELS,
) -> Plan:
    """Return the plan of one iteration of `workflow` on `nodes`; neither is changed.

    `nodes` are v1 Node objects with distinct names and `slices` ResourceSlices, as kubectl prints them. `workflow`
    is a Workflow whose overrides are applied; or `resolve`, called with the fleet once it is known, returns that
    one, and of `workflow` only its target and its checkpoint count. `platform` is what the user says it is: it
    stands in the fleet in place of the detected one, with a warning when the nodes show another. `labels_path` is what
    messages call the labels of the workload object.

    Raises RenderError when the Workflow would fail instead of starting Jobs: no usable node, nodes of several
    platforms, a placement that contradicts itself, too few GPUs or nodes, a broken gang-scheduling contract, a node
    without its topology label; and when two Jobs would have one name.
    """
    spec = workflow["spec"]
    _require_claim(spec)
    fleet = survey((spec.get("orchestration") or {}).get("target"), nodes, slices)
    notes: list[Diagnostic] = []
    if platform and platform != fleet.platform:
        notes.append(_other_platform(platform, fleet))
        fleet = fleet.but(platform=platform)
    resolved = resolve(fleet) if resolve else workflow
    # A copy without shared parts: labels that are not to be renamed are told from others by their identity.
    return _planned(renaming.substitute(resolved, {}), fleet, notes, iteration, labels_path)


def _require_claim(spec: Mapping[str, Any]) -> None:
    claim = ((spec["jobTemplate"].get("spec") or {}).get("checkpoint") or {}).get("pvcName")
    if not claim:
        return
    kinds = {each.get("kind") for each in spec.get("dependencies") or () if dependencies.name(each) == claim}
    if "PersistentVolumeClaim" not in kinds:
        message = f'jobTemplate.spec.checkpoint.pvcName "{claim}" names no PersistentVolumeClaim of the dependencies'
        path = ("spec", "jobTemplate", "spec", "checkpoint", "pvcName")
        raise rules.refusal(rules.MISSING_CLAIM, message, path, rules.MISSING_CLAIM.remedy)


def _other_platform(platform: str, fleet: Fleet) -> Diagnostic:
    message = f"the platform {platform} was asked for, and the nodes are of {fleet.platform}"
    return rules.finding(rules.OTHER_PLATFORM, message, (), rules.OTHER_PLATFORM.remedy)


def _planned(workflow: dict[str, Any], fleet: Fleet, notes: list[Diagnostic], iteration: int, labels_path: str) -> Plan:
    held = contract.read(workflow["spec"], labels_path)
    spec = held.spec
    orchestration = spec.get("orchestration") or {}
    held.require_placement()
    if placement.is_unpinned(orchestration.get("placement")):
        placement.require_products(fleet)
    documents = copies.documents(spec.get("dependencies"))
    need = capacity.required(spec["jobTemplate"], documents)
    usable, exclusion = _usable(fleet, need)
    held.require_gang()
    groups, per_job = _grouped(spec, usable, exclusion)
    shared, copied = dependencies.classify(spec["jobTemplate"]["spec"], documents)
    template = _template({**workflow, "spec": spec}, fleet, copied, len(groups), iteration)
    made = Copies(documents=tuple(dependencies.order(copied)), spec=spec)
    first = groups[0]
    # Every group renames the same words, so what holds for one holds for all.
    held.require_group(first.name, job.renamed_spec(template, first), shared, copies.renamed(made, template, first))
    collisions.require_distinct_jobs(template.names, groups)
    limit = (orchestration.get("execution") or {}).get("maxConcurrent") or 0
    return Plan(
        fleet=fleet,
        gpus_per_node=need,
        eligible=tuple(node.name for node in usable),
        exclusion=exclusion,
        nodes_per_job=per_job,
        groups=groups,
        first_wave=first_wave(groups, limit),
        max_concurrent=limit,
        iterations=orchestration.get("iterations") or 1,
        topology_key=_topology_key(orchestration),
        strict=_is_strict(orchestration),
        diagnosed=orchestration.get("diagnose") is not None,
        shared=tuple(_shared(shared, template)),
        template=template,
        copies=made,
        diagnostics=(
            *notes,
            *placement.notes(spec, per_job),
            *collisions.copies(template.names, copied, groups),
            *words.notes(template.spec, copied, template.names.suffix(first.name)),
        ),
    )


def _usable(fleet: Fleet, need: int) -> tuple[list[Node], Exclusion]:
    usable, small = capacity.require(fleet.nodes, need)
    return usable, Exclusion(
        gpu_architecture=fleet.gpu_architecture,
        need=need,
        cordoned=fleet.cordoned,
        other_architecture=fleet.other_architecture,
        too_small=tuple((node.name, node.gpus or 0) for node in small),
    )


def _grouped(spec: Mapping[str, Any], usable: Sequence[Node], exclusion: Exclusion) -> tuple[tuple[Group, ...], int]:
    """Return the groups and the size of a Job."""
    orchestration = spec.get("orchestration") or {}
    train_job = (spec["jobTemplate"]["spec"].get("workload") or {}).get("trainJob")
    if not train_job:
        message = "nodesPerJob is not known: the job template has no trainJob, and there is no other workload type"
        raise rules.refusal(rules.NO_JOB_SIZE, message, rules.TRAIN_JOB[:-1], rules.NO_JOB_SIZE.remedy)
    labels = {node.name: node.labels for node in usable}
    diagnose = orchestration.get("diagnose")
    if diagnose is not None:
        screens = partition.screens(labels, diagnose.get("topologyKey") or "")
        return screens, len(screens[0].nodes)
    declared = (train_job.get("trainer") or {}).get("numNodes")
    place = orchestration.get("placement") or ""
    per_job = size.resolve(declared, len(usable), place, exclusion)
    if placement.is_unpinned(place):
        return (_UNPINNED_GROUP,), per_job
    key, strict = _topology_key(orchestration), _is_strict(orchestration)
    try:
        return partition.partition(labels, per_job, key, strict=strict), per_job
    except PartitionError as error:
        path = (*rules.ORCHESTRATION, "topology", "topologyKey")
        message = f"partitioning failed: {error}"
        raise rules.refusal(rules.PARTITIONING, message, path, rules.PARTITIONING.remedy) from error


def _topology_key(orchestration: Mapping[str, Any]) -> str:
    return (orchestration.get("topology") or {}).get("topologyKey") or ""


def _is_strict(orchestration: Mapping[str, Any]) -> bool:
    topology = orchestration.get("topology") or {}
    return bool(topology.get("topologyKey") and topology.get("strictDomain"))


def _template(
    workflow: Mapping[str, Any], fleet: Fleet, copied: Sequence[Mapping[str, Any]], groups: int, iteration: int
) -> job.Template:
    spec, metadata = workflow["spec"], workflow["metadata"]
    orchestration = spec.get("orchestration") or {}
    target = orchestration.get("target") or {}
    # Labels that were only filled in are unknown to the scheduler.
    products = () if fleet.synthesized else fleet.products
    iterations, diagnose = orchestration.get("iterations") or 1, orchestration.get("diagnose") is not None
    return job.Template(
        workflow=metadata["name"],
        namespace=metadata.get("namespace") or None,
        metadata=spec["jobTemplate"].get("metadata") or {},
        spec=job.with_thresholds(spec["jobTemplate"]["spec"], spec.get("validation")),
        placement=orchestration.get("placement") or "",
        target=target,
        expressions=tuple(affinity.wanted(target, products)),
        words=tuple(renaming.renamed_words(copied)),
        names=naming.names(metadata["name"], groups, iterations, iteration, diagnose=diagnose),
    )


def _shared(shared: Sequence[Mapping[str, Any]], template: job.Template) -> list[dict[str, Any]]:
    ordered = dependencies.order(shared)
    return [copies.created(each, template.workflow, template.namespace) for each in ordered]
