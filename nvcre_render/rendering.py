"""One checked document and a target to its Workflow: facts -> lower -> overrides -> contract."""

from __future__ import annotations

from nvcre_render import facts
from nvcre_render.checks import orchestration
from nvcre_render.checks import target_rules as rules
from nvcre_render.lower import workflow as lowering
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.facts import Facts
    from nvcre_render.fragments import Library
    from nvcre_render.model.workflow import Workflow
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.overrides import Applied
    from nvcre_render.planning.fleet import Fleet
    from nvcre_render.planning.nodelist import NodeList

    Overrides = Literal["listed", "resolved"]
    Made = tuple[Workflow | None, list[Diagnostic]]

_DETECTED = "nvcrectl.nvidia.com/detected-"
_APPLIED = "nvcrectl.nvidia.com/applied-overrides"


class Target(Record):
    """What a manifest is rendered for; None and "" mean not given, no library the package's own.

    `overrides` None is resolved where a platform is known, else listed. `node_list` is a cluster's: each document then
    finds its own `fleet` there, with its platform, architecture and domains, and `nodes`, the v1 Node objects of it.
    """

    platform: str | None = None
    gpu_arch: str | None = None
    overrides: Overrides | None = None
    library: Library | None = None
    node_list: NodeList | None = None
    fleet: Fleet | None = None
    nodes: tuple[Mapping[str, Any], ...] = ()

    @property
    def resolves(self) -> bool:
        """Whether overrides are applied."""
        return (self.overrides or ("resolved" if self.platform or self.node_list else "listed")) == "resolved"


def from_run(run: WorkloadRun, document: Document, target: Target) -> Made:
    """Return the Workflow of a sound run, None when it is refused, and every finding about it."""
    known, found = facts.resolve(run, document, target.platform, target.gpu_arch)
    if known is None:
        return None, found
    if target.nodes and "nicResourceName" not in run["spec"]:
        known, notes = _with_nics(known, document, target)
        found = [*found, *notes]
    product = facts.product(run["spec"].get("target", {}))
    if target.gpu_arch and facts.parse_architecture(product) not in ("", known.gpu_architecture):
        message = f"{product} is not of the architecture asked for, {known.gpu_architecture}"
        found = [*found, rules.OTHER_ARCHITECTURE.at(document, facts.PRODUCT_PATH, message)]
    workflow = lowering.lower(run, known, target.library)
    if not target.resolves:
        return workflow, [*found, *orchestration.check_rack_key(run, document)]
    listed = len(workflow["spec"].get("overrides", [])) - len(run["spec"].get("overrides", []))
    resolved, _, faults = _resolve(workflow, known.gpu_architecture, document, target, platform_blocks=listed)
    return resolved, [*found, *faults]


def from_workflow(workflow: Workflow, document: Document, target: Target) -> Made:
    """Return a Workflow as it is, or with its overrides applied and the annotations that say so."""
    if not target.resolves:
        return workflow, []
    product = facts.product(workflow["spec"]["orchestration"].get("target", {}))
    written: Any = workflow["metadata"].get("annotations", {})
    before = written.get(f"{_DETECTED}gpu-architecture", "")
    architecture = facts.parse_architecture(target.gpu_arch or product or before)
    if not architecture:
        message = "the GPU architecture is not known: no --gpu-arch is given, and the Workflow does not tell it"
        return None, [rules.NO_ARCHITECTURE.at(document, ("spec",), message, on_key=True)]
    resolved, applied, found = _resolve(workflow, architecture, document, target)
    if resolved is None:
        return None, found
    detected = (written.get(f"{_DETECTED}platform") or target.platform, before or architecture)
    if detected != (target.platform, architecture):
        message = (
            f"this Workflow was rendered for {' '.join(map(str, detected))}, not for {target.platform} {architecture}"
        )
        found = [*found, rules.OTHER_TARGET.at(document, ("metadata", "annotations"), message, on_key=True)]
    notes = {f"{_DETECTED}gpu-architecture": architecture, f"{_DETECTED}platform": target.platform or ""}
    if applied:
        notes[_APPLIED] = _compact([each.as_data() for each in applied])
    metadata: Any = {**resolved["metadata"]}
    metadata["annotations"] = dict(sorted({**metadata.get("annotations", {}), **notes}.items()))
    return {**resolved, "metadata": metadata}, found


def _resolve(
    workflow: Workflow, architecture: str, document: Document, target: Target, platform_blocks: int | None = None
) -> tuple[Workflow | None, tuple[Applied, ...], list[Diagnostic]]:
    """Apply the overrides; `platform_blocks` is how many of them are the platforms', None for a Workflow's own."""
    from nvcre_render import conditions, contract, resolution

    spec: Any = workflow["spec"]
    context = conditions.context(
        spec,
        platform=target.platform or "",
        gpu_architecture=architecture,
        domain_count=target.fleet.domains(_topology_key(spec)) if target.fleet else 0,
    )
    origin = resolution.Origin(
        document=document,
        platform_blocks=platform_blocks or 0,
        labels_path=contract.WORKFLOW_LABELS if platform_blocks is None else contract.RUN_LABELS,
        library=target.library,
    )
    found = resolution.resolution(spec, context, origin)
    if found.spec is None:
        return None, (), list(found.diagnostics)
    resolved: Any = {**workflow, "spec": found.spec}
    return resolved, found.applied, list(found.diagnostics)


def _topology_key(spec: Any) -> str:
    key: str = spec["orchestration"].get("topology", {}).get("topologyKey", "")
    return key


def _with_nics(known: Facts, document: Document, target: Target) -> tuple[Facts, list[Diagnostic]]:
    """Ask the nodes for the NIC resource where NVCRE does: on premises, on boards that need one."""
    from nvcre_render.planning import nics

    if known.platform not in nics.PLATFORMS or known.gpu_architecture not in nics.ARCHITECTURES:
        return known, []
    name, words = nics.detect(target.nodes, known.mlnx_per_node)
    message = f"nicResourceName is not set, and {words}"
    note = rules.NIC_DETECTION.at(document, ("spec", "nicResourceName"), message, on_key=True)
    return known.but(nic_resource_name=name), [note]


def of_fleet(fleet: Fleet, node_list: NodeList, target: Target) -> Target:
    """Return `target` with the platform, architecture and nodes of a fleet, as far as it does not name its own."""
    names = {node.name for node in fleet.nodes}
    return target.but(
        platform=target.platform or fleet.platform,
        gpu_arch=target.gpu_arch or fleet.gpu_architecture,
        node_list=None,
        fleet=fleet,
        nodes=tuple(node for node in node_list.nodes if node["metadata"]["name"] in names),
        overrides=target.overrides or "resolved",
    )


def located(wanted: Any, document: Document, target: Target) -> tuple[Target, list[Diagnostic]]:
    """Return the target a document has among the nodes of `target.node_list`, and a finding where it has none.

    `wanted` is the document's own target field, None when it has none.
    """
    if target.node_list is None:
        return target, []
    from nvcre_render.diagnostics import RenderError
    from nvcre_render.planning.fleet import survey

    try:
        fleet = survey(wanted, target.node_list.nodes, target.node_list.slices)
    except RenderError as refusal:
        return target, [each.but(position=document.position(("spec", "target"))) for each in refusal.diagnostics]
    return of_fleet(fleet, target.node_list, target), []


def _compact(value: Any) -> str:
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def check_target(target: Target) -> list[Diagnostic]:
    """Return what is wrong with the target itself: unknown names, or resolving without a platform."""
    from nvcre_render import fragments
    from nvcre_render.diagnostics import Diagnostic

    found = facts.check_target(target.platform, target.gpu_arch, target.library or fragments.package())
    if target.resolves and not target.platform and target.node_list is None:
        rule = rules.UNRESOLVABLE
        found.append(Diagnostic(rule=rule, message="overrides cannot be resolved: no platform", remedy=rule.remedy))
    return found
