"""A document and a node list to its plan: the stages of a render with the fleet as their target, then the planner."""

from __future__ import annotations

from nvcre_render import compiler, contract, rendering
from nvcre_render.diagnostics import Diagnostic, RenderError, Report
from nvcre_render.facts import UNKNOWN
from nvcre_render.plan import planner
from nvcre_render.rendering import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from nvcre_render.fragments import Library
    from nvcre_render.plan.fleet import Fleet
    from nvcre_render.plan.nodelist import NodeList
    from nvcre_render.plan.result import Plan
    from nvcre_render.source import Document


def plan(
    document: Document, nodes: NodeList, *, platform: str | None = None, library: Library | None = None
) -> tuple[Plan, Report]:
    """Return the plan of a WorkloadRun or Workflow on a node list, and everything worth saying about both.

    The platform and architecture are those of the fleet; a given `platform` that differs stands in its place, with a
    warning. Raises RenderError when the document is not sound or the Workflow would fail instead of starting Jobs.
    """
    data, found = compiler.check(document, library)
    is_run = data.get("kind") == compiler.RUN
    found += rendering.check_target(Target(platform=platform, library=library))
    if not Report(found).ok:
        raise RenderError(found)

    def resolve(fleet: Fleet) -> Any:
        target = rendering.of_fleet(fleet, nodes, Target(library=library, overrides="resolved"))
        make = rendering.from_run if is_run else rendering.from_workflow
        workflow, notes = make(data, document, target)
        found.extend(notes)
        if workflow is None or not Report(found).ok:
            raise RenderError(found)
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
        raise RenderError([*found, *_placed(refusal.diagnostics, document)]) from None
    return made, Report([*found, *_placed(made.diagnostics, document)])


def _template(run: Any, document: Document) -> Any:
    """Return what the planner reads before the fleet is known: target, checkpoint and its claim."""
    workflow, _ = rendering.from_run(run, document, Target(gpu_arch=UNKNOWN, overrides="listed"))
    return workflow


def _placed(found: Sequence[Diagnostic], document: Document) -> list[Diagnostic]:
    """Give the planner's findings, which know only plain data, the place of the nearest field in the document."""
    return [each if each.position else each.but(position=document.position(each.path)) for each in found]
