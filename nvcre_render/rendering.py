"""One checked document and a target to its Workflow: facts -> lower -> overrides -> contract."""

from __future__ import annotations

from nvcre_render import facts
from nvcre_render.checks import orchestration
from nvcre_render.checks import target_rules as rules
from nvcre_render.lower import workflow as lowering
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.fragments import Library
    from nvcre_render.model.workflow import Workflow
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.overrides import Applied
    from nvcre_render.source import Document

    Overrides = Literal["listed", "resolved"]
    Made = tuple[Workflow | None, list[Diagnostic]]

WORKFLOW_LABELS = "spec.jobTemplate.spec.workloadMetadata.labels"
_DETECTED = "nvcrectl.nvidia.com/detected-"
_APPLIED = "nvcrectl.nvidia.com/applied-overrides"


class Target(Record):
    """What a manifest is rendered for; None and "" mean not given, no library the package's own.

    `overrides` None is resolved where a platform is known, else listed. `domain_labels` are the labels of the nodes
    the target stands for, from which topology domains are counted.
    """

    platform: str | None = None
    gpu_arch: str | None = None
    overrides: Overrides | None = None
    library: Library | None = None
    domain_labels: tuple[dict[str, str], ...] = ()

    @property
    def resolves(self) -> bool:
        """Whether overrides are applied."""
        return (self.overrides or ("resolved" if self.platform else "listed")) == "resolved"


def from_run(run: WorkloadRun, document: Document, target: Target) -> Made:
    """Return the Workflow of a sound run, None when it is refused, and every finding about it."""
    known, found = facts.resolve(run, document, target.platform, target.gpu_arch)
    if known is None:
        return None, found
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
    product = workflow["spec"]["orchestration"].get("target", {}).get("nodeSelector", {}).get(facts.PRODUCT_LABEL, "")
    architecture = facts.parse_architecture(target.gpu_arch or product) or facts.UNKNOWN
    resolved, applied, found = _resolve(workflow, architecture, document, target)
    if resolved is None:
        return None, found
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
        domain_count=_domains(spec, target),
    )
    origin = resolution.Origin(
        document=document,
        platform_blocks=platform_blocks or 0,
        labels_path=WORKFLOW_LABELS if platform_blocks is None else contract.RUN_LABELS,
        library=target.library,
    )
    found = resolution.resolution(spec, context, origin)
    if found.spec is None:
        return None, (), list(found.diagnostics)
    resolved: Any = {**workflow, "spec": found.spec}
    return resolved, found.applied, list(found.diagnostics)


def _domains(spec: Any, target: Target) -> int:
    """Count the topology domains of the target's nodes: distinct, non-empty values of the key."""
    key = spec["orchestration"].get("topology", {}).get("topologyKey", "")
    return len({labels[key] for labels in target.domain_labels if labels.get(key)})


def _compact(value: Any) -> str:
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def check_target(target: Target) -> list[Diagnostic]:
    """Return what is wrong with the target itself: unknown names, or resolving without a platform."""
    from nvcre_render import fragments
    from nvcre_render.diagnostics import Diagnostic

    found = facts.check_target(target.platform, target.gpu_arch, target.library or fragments.package())
    if target.resolves and not target.platform:
        rule = rules.UNRESOLVABLE
        found.append(Diagnostic(rule=rule, message="overrides cannot be resolved: no platform", remedy=rule.remedy))
    return found
