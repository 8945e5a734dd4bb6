"""The overrides of a document applied and verified, everything wrong with them a finding at its place.

Joins `overrides.resolve` and `contract.check`, which work on plain data, with the document the blocks were written in.
"""

from __future__ import annotations

from nvcre_render import contract, overrides
from nvcre_render.checks import labels
from nvcre_render.checks import override_rules as rules
from nvcre_render.diagnostics import Diagnostic
from nvcre_render.gang import value_at
from nvcre_render.merge import identity
from nvcre_render.overrides import OverrideError
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from nvcre_render.conditions import Context
    from nvcre_render.diagnostics import Rule
    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.overrides import Applied, Resolved
    from nvcre_render.positions import Path, Position

    Data = Mapping[str, Any]

_FAILURES = {
    "when": rules.BROKEN_EXPRESSION,
    "jobTemplate": rules.UNREADABLE_TEMPLATE,
    "jobTemplatePatch": rules.FAILING_PATCH,
    "dependency": rules.UNREADABLE_BLOCK,
    "orchestration": rules.UNREADABLE_BLOCK,
}
# What the run itself says about a finding: the field to show beside the override.
_EXPECTED: dict[str, tuple[Path, str]] = {
    labels.QUEUE_CONFLICT.code: (("spec", "gangScheduler", "queue"), "the queue is given here"),
    rules.RUNTIME_QUEUE.code: (("spec", "gangScheduler", "queue"), "the queue is given here"),
    rules.RUNTIME_SCHEDULER.code: (("spec", "gangScheduler", "schedulerName"), "the scheduler is given here"),
    rules.UNKNOWN_RUNTIME.code: (("spec", "gangScheduler"), "the gang scheduler is configured here"),
    rules.MALFORMED_RUNTIME.code: (("spec", "gangScheduler"), "the gang scheduler is configured here"),
    rules.UNPINNED_DOMAIN.code: (("spec", "orchestration", "placement"), "the placement is given here"),
}


class Origin(Record):
    """Where the listed overrides of a Workflow spec come from.

    The first `platform_blocks` of them are those of the platforms, the others are spec.overrides of `document`.
    `labels_path` is what messages call the workload labels, `library` where platform blocks were taken from.
    """

    document: Document
    platform_blocks: int = 0
    labels_path: str = contract.RUN_LABELS
    library: Library | None = None

    def place(self, index: int, path: Path) -> Path:
        """Return the place in the document of a path in a block; spec.overrides for a block of a platform."""
        own = index - self.platform_blocks
        return ("spec", "overrides", own, *path) if own >= 0 else ("spec", "overrides")

    def finding(self, rule: Rule, path: Path, message: str, remedy: str = "", *, on_key: bool = False) -> Diagnostic:
        """Return a finding at `path`, the run's own word on the matter beside it."""
        expected, note = _EXPECTED.get(rule.code, ((), ""))
        other: Position | None = self.document.position(expected) if expected and self._has(expected) else None
        related = ((other, note),) if other else ()
        return rule.at(self.document, path, message, remedy=remedy, on_key=on_key, related=related)

    def _has(self, path: Path) -> bool:
        return value_at(self.document.data, map(str, path)) is not None


class Resolution(Record):
    """A resolved Workflow spec, None when it could not be had; what was applied; everything found."""

    spec: dict[str, Any] | None
    applied: tuple[Applied, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def resolution(spec: Data, context: Context, origin: Origin) -> Resolution:
    """Apply the overrides listed in a Workflow spec and hold the result to the contract.

    There is no spec in the result when an override failed; a broken contract leaves it, with the errors that say so.
    """
    try:
        resolved = overrides.resolve(spec, context)
    except OverrideError as error:
        place = origin.place(error.index, error.path)
        return Resolution(spec=None, diagnostics=(origin.finding(_FAILURES[error.stage], place, str(error)),))
    found = [
        origin.finding(rules.DROPPED_KEY, origin.place(each.index, each.path), each.message, each.remedy, on_key=True)
        for each in resolved.dropped
    ]
    verified, broken = contract.check(resolved.spec, origin.labels_path, origin.library)
    for each in broken:
        writer = last_writer(spec, resolved, each.path)
        place = origin.place(*writer) if writer else ("spec", *each.path)
        found.append(origin.finding(each.rule, place, each.message, each.remedy))
    return Resolution(spec=verified, applied=resolved.applied, diagnostics=tuple(found))


# -- who wrote it ------------------------------------------------------------------------------------------------


def last_writer(spec: Data, resolved: Resolved, path: Path) -> tuple[int, Path] | None:
    """Return the applied block that wrote the value at `path` of the resolved spec, and the place inside the block.

    It is the last of those that reach deepest along the path: a key that is missing was taken away with its parent.
    None when no block comes near.
    """
    best: tuple[int, Path] | None = None
    depth = 1  # the first step says only which part of the spec it is
    for record in resolved.applied:
        block = spec["overrides"][record.index]
        for place, reached in _reached(block, resolved.spec, path):
            if reached > depth or (best and reached == depth):
                best, depth = (record.index, place), reached
    return best


def _reached(block: Data, spec: Data, path: Path) -> Iterator[tuple[Path, int]]:
    """Yield the places of a block along a path of the spec, and how many steps of the path each covers."""
    part, rest = path[0], path[1:]
    if part in ("jobTemplate", "orchestration") and part in block:
        steps = _walk(block[part], None, rest)
        yield (part, *steps), 1 + len(steps)
    if part == "jobTemplate":
        steps = overrides.operation_at(block.get("jobTemplatePatch") or [], rest)
        if steps:
            yield ("jobTemplatePatch", *steps), len(path)
    if part == "dependencies" and isinstance(rest[0], int):
        target = spec["dependencies"][rest[0]]
        for index, each in enumerate(block.get("dependencies") or ()):
            if identity(each) == identity(target):
                steps = _walk(each, target, rest[1:])
                yield ("dependencies", index, *steps), 2 + len(steps)


def _walk(value: Any, beside: Any, path: Path) -> Path:
    """Return the steps that `value` has along `path`.

    `beside` is what the path was made for; a step into a list goes to the item that has the name of the one there.
    """
    steps: list[str | int] = []
    for given in path:
        step = _step(value, beside, given)
        if step is None:
            break
        steps.append(step)
        value = value[step]
        listed = isinstance(beside, list) and isinstance(given, int)
        beside = beside[given] if listed else value_at(beside, (str(given),))
    return tuple(steps)


def _step(value: Any, beside: Any, given: str | int) -> str | int | None:
    if isinstance(value, dict):
        return given if given in value else None
    if not isinstance(value, list) or not isinstance(given, int):
        return None
    name = value_at(beside[given], ("name",)) if isinstance(beside, list) else None
    if name is None:
        return given if given < len(value) else None
    return next((index for index, each in enumerate(value) if value_at(each, ("name",)) == name), None)
