"""A document and a node list to its plan: the stages of a render with the fleet as their target, then the planner."""

from __future__ import annotations

from nvcre_render import compiler, contract, rendering
from nvcre_render.diagnostics import Diagnostic, RenderError, Report
from nvcre_render.facts import UNKNOWN
from nvcre_render.planning import nodefile, nodelist, planner
from nvcre_render.positions import field_path
from nvcre_render.rendering import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from nvcre_render.compiler import Source
    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.planning.fleet import Fleet
    from nvcre_render.planning.nodelist import NodeList
    from nvcre_render.planning.result import Plan
    from nvcre_render.positions import Path


# What a run's fields become in its Workflow, for the places of findings.
_TARGET: Path = ("spec", "orchestration", "target")
_FIELDS: dict[Path, Path] = {
    ("spec", "jobTemplate", "spec", "workload", "trainJob", "trainer"): ("spec", "numNodes"),
    ("spec", "jobTemplate", "spec", "checkpoint"): ("spec", "checkpoint"),
    _TARGET: ("spec", "target"),
    ("spec", "orchestration", "topology"): ("spec", "orchestration", "testScale"),
    ("spec", "orchestration", "execution"): ("spec", "orchestration"),
}


def plan(
    manifest: Source,
    *,
    nodes: str | bytes | Sequence[Mapping[str, Any]],
    filename: str = "<input>",
    nodes_filename: str = "<nodes>",
    platform: str | None = None,
) -> Plan:
    """Return which nodes form which groups, and the Job, TrainJob and dependencies of each.

    `manifest` holds exactly one WorkloadRun or Workflow, as text or mapping. `nodes` are v1 Node objects as mappings,
    or the text of `kubectl get nodes -o json` (YAML works too); ResourceSlices may stand among them. Platform and GPU
    architecture are read from the nodes; `platform` stands in place of the detected one, with a warning.

    Raises RenderError when the manifest or the node list is not sound, and when the Workflow would fail instead of
    starting Jobs; ValueError when the manifest holds several runs. Warnings are in `Plan.diagnostics`.
    (NVCRE guide, orchestration.)
    """
    documents, found = compiler.read(manifest, filename)
    read = nodefile.read(nodes, nodes_filename) if isinstance(nodes, (str, bytes)) else nodelist.read([list(nodes)])
    ours = compiler.runs(documents)
    found += read[1]
    if not ours and not found:
        found.append(compiler.nothing(documents, filename))
    if not Report(found).ok:
        raise RenderError(found)
    if len(ours) > 1:
        raise ValueError(f"{len(ours)} runs are given; plan one at a time")
    made, report = of_document(ours[0], read[0], platform=platform)
    return made.but(diagnostics=report.diagnostics)


def of_document(
    document: Document, nodes: NodeList, *, platform: str | None = None, library: Library | None = None
) -> tuple[Plan, Report]:
    """Return the plan of a WorkloadRun or Workflow on a node list, and everything worth saying about both.

    The platform and architecture are those of the fleet; a given `platform` that differs stands in its place, with a
    warning. Raises RenderError when the document is not sound or the Workflow would fail instead of starting Jobs.
    """
    data, found = compiler.check(document, library)
    is_run = not compiler.is_workflow(document)
    found += rendering.check_target(Target(platform=platform, library=library))
    if not Report(found).ok:
        raise RenderError(found)

    def resolve(fleet: Fleet) -> Any:
        target = rendering.of_fleet(fleet, nodes, Target(library=library, overrides="resolved"))
        make = rendering.from_run if is_run else rendering.from_workflow
        workflow, notes = make(data, document, target)
        found.extend(notes)
        if workflow is None:
            raise RenderError(found)
        # A broken contract is refused by the planner too, in its turn: the cluster looks at the nodes first.
        return workflow

    try:
        made = planner.plan(
            _template(data, document) if is_run else data,
            nodes.nodes,
            slices=nodes.slices,
            platform=platform or None,
            resolve=resolve,
            labels_path=contract.RUN_LABELS if is_run else contract.WORKFLOW_LABELS,
        )
    except RenderError as refusal:
        raise RenderError([*found, *_placed(refusal.diagnostics, found, document)]) from None
    report = Report([*found, *_placed(made.diagnostics, found, document)])
    if not report.ok:
        raise RenderError(report)
    return made, report


def _template(run: Any, document: Document) -> Any:
    """Return what the planner reads before the fleet is known: target, checkpoint and its claim."""
    workflow, _ = rendering.from_run(run, document, Target(gpu_arch=UNKNOWN, overrides="listed"))
    return workflow


def _placed(planned: Sequence[Diagnostic], found: Sequence[Diagnostic], document: Document) -> list[Diagnostic]:
    """Give the planner's findings, which know only a Workflow, their place in the document; without repeats."""
    said = {each.code for each in found}
    return [each if each.position else _moved(each, document) for each in planned if each.code not in said]


def _moved(found: Diagnostic, document: Document) -> Diagnostic:
    field = _field(found.path, document)
    remedy = found.remedy
    if field != found.path:
        remedy = remedy.replace(field_path(_TARGET), field_path(_FIELDS[_TARGET]))
    return found.but(path=field, position=document.position(field), remedy=remedy)


def _field(path: Path, document: Document) -> Path:
    """Return the field of a run that becomes a field of the Workflow; of a Workflow the field itself."""
    if compiler.is_workflow(document):
        return path
    return next((field for made, field in _FIELDS.items() if path[: len(made)] == made), path)
