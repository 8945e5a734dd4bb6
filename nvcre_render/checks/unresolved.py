"""Overrides that nobody has tried yet: what is wrong with them whatever they would be applied to (NR628)."""

from __future__ import annotations

from nvcre_render import conditions, json_patch
from nvcre_render.checks.override_rules import override
from nvcre_render.conditions import ConditionError
from nvcre_render.diagnostics import WARNING, Rule
from nvcre_render.merge import MergeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

WAITING_TO_FAIL = Rule(
    code="NR628",
    name="failing-override",
    severity=WARNING,
    summary="An override that fails as soon as it is reached: a broken expression, or a JSON Patch that is none.",
    why="NVCRE only looks at it on a cluster where the other selectors hold, and then applies none of the overrides.",
    remedy="mend it, and try it with --platform",
    bad=override("jobTemplatePatch:\n- {op: ad, path: /spec/stallMultiplier, value: 2}  # warning"),
    good=override("jobTemplatePatch:\n- {op: add, path: /spec/stallMultiplier, value: 2}"),
)


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield a warning for every expression and JSON Patch that cannot work anywhere."""
    for index, block in enumerate(run.get("spec", {}).get("overrides", [])):
        base: Path = ("spec", "overrides", index)
        expression = block.get("when", {}).get("expression")
        try:
            if expression:
                conditions.compiled(expression)
        except ConditionError as error:
            yield WAITING_TO_FAIL.at(document, (*base, "when", "expression"), str(error))
        try:
            if block.get("jobTemplatePatch") is not None:
                json_patch.require_valid(block["jobTemplatePatch"])
        except MergeError as error:
            yield WAITING_TO_FAIL.at(document, (*base, "jobTemplatePatch", *error.path), str(error))
