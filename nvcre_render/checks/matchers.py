"""Conditions of overrides that hold nowhere, or everywhere (NR621, NR622). (NVCRE guide, overrides.)"""

from __future__ import annotations

from nvcre_render import facts
from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import IntMatch, StringMatch, WorkloadRun
    from nvcre_render.positions import Path


def _override(when: str) -> str:
    label = "{spec: {workloadMetadata: {labels: {tier: gold}}}}"
    return run(f"  overrides:\n    - when: {when}\n      jobTemplate: {label}\n")


NEVER = Rule(
    code="NR621",
    name="impossible-condition",
    severity=WARNING,
    summary="The when of an override asks for something that no target is.",
    why="The override never applies, in no cluster, and nothing says so.",
    remedy="write a value that occurs; nvcre-render platforms lists platforms and architectures",
    bad=_override("{platform: {equals: AWS}}  # warning"),
    good=_override("{platform: {equals: aws}}"),
)
EMPTY = Rule(
    code="NR622",
    name="empty-matcher",
    severity=WARNING,
    summary="A matcher in a when compares with nothing.",
    why="Empty operators count as not given, so the matcher always holds and the override applies everywhere.",
    remedy="add equals, in or notIn with a value; for every target write when: {}",
    bad=_override("{platform: {in: []}}  # warning"),
    good=_override("{platform: {in: [aws, gcp]}}"),
)

WORKLOAD_KIND = "TrainJob"
MODES = ("simple", "topology")


def check(run: WorkloadRun, document: Document, platforms: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Yield the conditions of spec.overrides that hold for no target, or compare nothing."""
    for index, override in enumerate(run["spec"].get("overrides", [])):
        when: Any = override.get("when", {})
        base: Path = ("spec", "overrides", index, "when")
        yield from _check_texts(when, base, platforms, document)
        if "topology" in when:
            yield from _check_topology(when["topology"], (*base, "topology"), document)
        kind = when.get("workloadKind", "")
        if kind not in ("", WORKLOAD_KIND):
            message = f'"{kind}" is never the kind of a run\'s workload; it is always {WORKLOAD_KIND}'
            yield _never(document, (*base, "workloadKind"), message, (WORKLOAD_KIND,), kind)
        if "config" in when:
            message = "nothing ever provides a config to compare with"
            yield NEVER.at(document, (*base, "config"), message, remedy="remove config from when", on_key=True)


def _check_texts(when: Any, base: Path, platforms: tuple[str, ...], document: Document) -> Iterator[Diagnostic]:
    for selector in ("platform", "gpuArchitecture"):
        matcher: StringMatch = when.get(selector, {})
        path = (*base, selector)
        if not any(matcher.values()):
            # Not so when it is absent, or when something unsound was left out of it, a finding of its own.
            written = _given(document, base).get(selector)
            if isinstance(written, dict) and not any(written.values()):
                message = f"{selector} compares with nothing, so it always holds"
                yield EMPTY.at(document, path, message, on_key=True)
            continue
        known = platforms if selector == "platform" else facts.architectures()
        yield from _check_matcher(matcher, known, path, document)


def _check_matcher(
    matcher: StringMatch, known: tuple[str, ...], path: Path, document: Document
) -> Iterator[Diagnostic]:
    equals, allowed, excluded = matcher.get("equals", ""), matcher.get("in", []), matcher.get("notIn", [])
    wanted = [equals] if equals else list(allowed)
    possible = [value for value in wanted if value in known or (path[-1] == "gpuArchitecture" and _may_exist(value))]
    if wanted and not possible:
        shown = " or ".join(f'"{value}"' for value in wanted)
        place = (*path, "equals" if equals else "in")
        yield _never(document, place, f"no target has the {path[-1]} {shown}", known, wanted[0])
    elif wanted and not [value for value in possible if (not allowed or value in allowed) and value not in excluded]:
        yield NEVER.at(document, path, f"the conditions on {path[-1]} exclude one another", on_key=True)


def _may_exist(architecture: Any) -> bool:
    """Tell whether an architecture outside the table could be one: those too are a product's first word in small."""
    if not isinstance(architecture, str) or architecture != facts.parse_architecture(architecture):
        return False
    from nvcre_render.checks.spelling import fold

    return fold(architecture) not in map(fold, facts.architectures())


def _check_topology(topology: Any, path: Path, document: Document) -> Iterator[Diagnostic]:
    mode = topology.get("mode", "")
    if mode not in ("", *MODES):
        yield _never(document, (*path, "mode"), f'"{mode}" is no topology mode', MODES, mode)
    if not _has_number(topology.get("domainCount", {})):
        message = "no number of domains is like that; it is 0 without topology, else a positive number"
        yield NEVER.at(document, (*path, "domainCount"), message, on_key=True)


def _has_number(matcher: IntMatch) -> bool:
    low, high = matcher.get("greaterThan", -1) + 1, matcher.get("lessThan", None)
    equals = matcher.get("equals", max(low, 0))
    return max(low, 0) <= equals and (high is None or equals < high)


def _never(document: Document, path: Path, message: str, known: tuple[str, ...], given: Any) -> Diagnostic:
    from nvcre_render.checks.spelling import suggestion

    near = suggestion(str(given), known)
    remedy = f"write one of {', '.join(known)}" if len(known) > 1 else f"write {known[0]}"
    return NEVER.at(document, path, message, remedy=remedy + (f'; did you mean "{near}"?' if near else ""))


def _given(document: Document, path: Path) -> dict[str, Any]:
    """Return the mapping at `path` as it was written, without what is null; empty where there is none."""
    value: Any = document.data
    for step in path:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            return {}
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else {}
