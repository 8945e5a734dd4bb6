"""The overrides of a Workflow, applied: every block that matches, once, in order. (NVCRE guide, overrides.)

The context is known before the first block and stays what it is. Inside a block the order is that of `_STEPS`, each
working on what the one before left. The first failure ends the resolution; nothing is changed in place, so nothing
has to be undone.
"""

from __future__ import annotations

from nvcre_render import conditions, json_patch, merge
from nvcre_render.checks import field_rules, schema
from nvcre_render.conditions import ConditionError
from nvcre_render.merge import MergeError
from nvcre_render.positions import field_path
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal

    from nvcre_render.conditions import Context
    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.positions import Path

    Spec = Mapping[str, Any]
    Stage = Literal["when", "jobTemplate", "jobTemplatePatch", "dependency", "orchestration"]

_SCHEMA = "workflow.v1alpha1"
# Omitted when wholly empty, although Go holds other objects of the template behind pointers.
_NEVER_EMPTY: tuple[Path, ...] = (("metadata",), ("spec", "workload", "trainJob", "runtimeRef"))


class OverrideError(Exception):
    """A block that cannot be applied.

    `index` is its place in spec.overrides, `stage` what was being done, `path` the place inside the block as far as
    it is known (beginning with the block's key), `cause` what is wrong. The text is NVCRE's: `override[<index>]: `,
    the stage, the cause.
    """

    def __init__(self, index: int, step: Step, path: Path, cause: str) -> None:
        """Say which block failed, where, and why."""
        super().__init__(f"override[{index}]: {step.doing}: {cause}")
        self.index = index
        self.stage = step.stage
        self.path = path
        self.cause = cause


class Applied(Record):
    """One block that matched: its place in the list, `when` and what it patches in words, whether nothing changed."""

    index: int
    when: str
    patches: str
    no_op: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return the record as status and annotations carry it."""
        record = {"index": self.index, "when": self.when, "patches": self.patches}
        return {**record, "noOp": True} if self.no_op else record


class Dropped(Record):
    """A key that a block brings into the template, which has no place for it: NVCRE drops it in silence.

    `path` begins with the block's key.
    """

    index: int
    path: Path
    message: str
    remedy: str


class Resolved(Record):
    """A Workflow spec without overrides, what was applied to it, and what got lost on the way."""

    spec: dict[str, Any]
    applied: tuple[Applied, ...]
    dropped: tuple[Dropped, ...] = ()


class Loss(Record):
    """A key that reading back dropped: its path in the template or in the value of a step, why, and what to do."""

    path: Path
    message: str
    remedy: str


class Step(Record):
    """One of the things a block does: the key that asks for it, its name and words in errors, and the function.

    The function takes the spec and the key's value and returns the new spec and what was dropped. It raises
    MergeError. Paths are those inside the value.
    """

    key: str
    stage: Stage
    doing: str
    apply: Callable[[Spec, Any], tuple[Spec, list[Loss]]]


def resolve(spec: Spec, context: Context) -> Resolved:
    """Apply the matching blocks of `spec["overrides"]` to a Workflow spec in normal form (checks.schema).

    Raises OverrideError. The spec is not changed; the result shares with it what no block touched.
    """
    current: Spec = {key: value for key, value in spec.items() if key != "overrides"}
    applied: list[Applied] = []
    dropped: list[Dropped] = []
    for index, block in enumerate(spec.get("overrides") or ()):
        if not _matches(block, index, context):
            continue
        before = current
        for step in _STEPS:
            if block.get(step.key) is not None:
                current, losses = _take(step, current, block[step.key], index)
                dropped += (
                    Dropped(index=index, path=(step.key, *loss.path), message=loss.message, remedy=loss.remedy)
                    for loss in losses
                )
        applied.append(
            Applied(
                index=index,
                when=conditions.summary(block.get("when") or {}),
                patches=patches(block),
                no_op=merge.same(before, current),
            )
        )
    return Resolved(spec=dict(current), applied=tuple(applied), dropped=tuple(dropped))


def patches(block: Spec) -> str:
    """Return what a block patches, in words: `jobTemplate, 2 dependencies`."""
    parts = [step.key for step in _STEPS if block.get(step.key) is not None]
    count = len(block.get("dependencies") or ())
    shown = [f"{count} dependencies" if part == "dependencies" else part for part in parts]
    return ", ".join(part for part in shown if part != "0 dependencies") or "none"


def _matches(block: Spec, index: int, context: Context) -> bool:
    try:
        return conditions.matches(block.get("when") or {}, context)
    except ConditionError as error:
        raise OverrideError(index, _WHEN, ("when", "expression"), str(error)) from error


def _take(step: Step, spec: Spec, value: Any, index: int) -> tuple[Spec, list[Loss]]:
    try:
        return step.apply(spec, value)
    except MergeError as error:
        raise OverrideError(index, step, (step.key, *error.path), str(error)) from error


# -- the steps ---------------------------------------------------------------------------------------------------


def _merge_template(spec: Spec, change: Any) -> tuple[Spec, list[Loss]]:
    merged, losses = read_back(merge.template(spec.get("jobTemplate") or {}, change))
    return {**spec, "jobTemplate": merged}, losses


def _patch_template(spec: Spec, operations: Any) -> tuple[Spec, list[Loss]]:
    patched = json_patch.apply(spec.get("jobTemplate") or {}, operations)
    try:
        merged, losses = read_back(patched)
    except MergeError as error:
        raise MergeError(str(error), operation_at(operations, error.path)) from error
    located = [
        Loss(path=operation_at(operations, each.path), message=each.message, remedy=each.remedy) for each in losses
    ]
    return {**spec, "jobTemplate": merged}, located


def _merge_dependencies(spec: Spec, changes: Any) -> tuple[Spec, list[Loss]]:
    dependencies = list(spec.get("dependencies") or ())
    if not isinstance(changes, list):
        raise MergeError(f"{merge.kind_of(changes)} stands where a list of objects belongs")
    for index, change in enumerate(changes):
        if not isinstance(change, dict):
            raise MergeError(f"{merge.kind_of(change)} stands where an object belongs", (index,))
        dependencies = merge.dependency(dependencies, change)
    if not dependencies or "dependencies" in spec:
        return {**spec, **({"dependencies": dependencies} if dependencies else {})}, []
    # In the place that the API gives it: JSON shows the order.
    known = schema.load(_SCHEMA)["$defs"]["WorkflowSpec"]["properties"]
    grown = {**spec, "dependencies": dependencies}
    return {key: grown[key] for key in known if key in grown}, []


def _replace_orchestration(spec: Spec, change: Any) -> tuple[Spec, list[Loss]]:
    if not isinstance(change, dict):
        raise MergeError(f"{merge.kind_of(change)} stands where an object belongs")
    replaced = merge.orchestration(spec.get("orchestration") or {}, change)
    written, found = schema.normalise(replaced, _SCHEMA, "WorkflowOrchestration")
    _refuse_wrong_types(found)
    return {**spec, "orchestration": written}, []


_WHEN = Step(key="when", stage="when", doing="evaluating when", apply=lambda spec, _: (spec, []))
_STEPS = (
    Step(key="jobTemplate", stage="jobTemplate", doing="merging jobTemplate", apply=_merge_template),
    Step(key="jobTemplatePatch", stage="jobTemplatePatch", doing="applying jobTemplatePatch", apply=_patch_template),
    Step(key="dependencies", stage="dependency", doing="merging a dependency", apply=_merge_dependencies),
    Step(key="orchestration", stage="orchestration", doing="replacing orchestration", apply=_replace_orchestration),
)


# -- reading back ------------------------------------------------------------------------------------------------


def read_back(template: Any) -> tuple[dict[str, Any], list[Loss]]:
    """Return a merged job template in its closed shape, and every key that has no place there.

    Nulls and empty values that Go omits are gone. Raises MergeError for a value of the wrong type; its path is that of
    the field. What is merely out of range is left to the checks of the resolved spec.
    """
    losses = [_inert(path) for path in _directives(template, ())]
    written, found = schema.normalise(_fields(template), _SCHEMA, "JobTemplate")
    _refuse_wrong_types(found)
    for path in _NEVER_EMPTY:
        written = _without_empty(written, path)
    unknown = [each for each in found if each.rule is field_rules.UNKNOWN_FIELD]
    return written, losses + [Loss(path=each.path, message=_bare(each), remedy=each.remedy) for each in unknown]


def _bare(finding: Diagnostic) -> str:
    """Return the message without the path it begins with; the path in the block will stand there."""
    return finding.message.removeprefix(field_path(finding.path)).partition(": ")[2]


def _fields(value: Any) -> Any:
    """Return a copy without nulls and without the directives that a merge left behind."""
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if item is not None and not merge.is_directive(key)}
        return {key: _fields(item) for key, item in kept.items()}
    return [_fields(item) for item in value] if isinstance(value, list) else value


def _directives(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        yield from ((*path, key) for key in value if merge.is_directive(key))
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _directives(item, (*path, key))


def _inert(path: Path) -> Loss:
    message = f"{path[-1]} has no effect here; it works only where an object meets an object"
    return Loss(path=path, message=message, remedy="change single items of a list with jobTemplatePatch")


def _refuse_wrong_types(found: list[Diagnostic]) -> None:
    wrong = (field_rules.WRONG_TYPE, field_rules.UNQUOTED_TEXT, field_rules.QUOTED_NUMBER, field_rules.UNKNOWN_VALUE)
    for each in found:
        # A malformed label is a text all the same, and the labels are checked when everything is applied.
        unreadable = each.rule is field_rules.MALFORMED and "labels" not in each.path
        if each.rule in wrong or unreadable:
            raise MergeError(each.message, each.path)


def _without_empty(value: Any, path: Path) -> Any:
    """Return `value` without the empty object at `path`, if there is one."""
    if not isinstance(value, dict) or path[0] not in value:
        return value
    inner = _without_empty(value[path[0]], path[1:]) if path[1:] else value[path[0]]
    if inner == {} and not path[1:]:
        return {key: item for key, item in value.items() if key != path[0]}
    return {**value, path[0]: inner}


def operation_at(operations: Any, path: Path) -> Path:
    """Return the index of the last operation that writes at, above or below `path` of the template."""
    pointer = [str(step) for step in path]
    for index in range(len(operations) - 1, -1, -1):
        steps = operations[index]["path"].split("/")[1:]
        shared = min(len(steps), len(pointer))
        if [step.replace("~1", "/").replace("~0", "~") for step in steps[:shared]] == pointer[:shared]:
            return (index,)
    return ()
