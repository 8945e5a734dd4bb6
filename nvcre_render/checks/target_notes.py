"""What a manifest says that is for other targets, or in place of a platform's value (NR613, NR625).

(NVCRE guide, overrides and environment variables.) Both are as the user asked; validate notes them for its target.
"""

from __future__ import annotations

from itertools import pairwise

from nvcre_render import conditions
from nvcre_render.diagnostics import NOTE, Rule
from nvcre_render.lower import blocks, environment, workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.facts import Facts
    from nvcre_render.fragments import Library
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

SHADOWED = Rule(
    code="NR613",
    name="replaced-platform-variable",
    severity=NOTE,
    summary="spec.env gives a variable another value than the platform does.",
    why="The value of spec.env takes the place of the platform's, which may have been chosen for its network.",
    remedy="remove the variable unless that is meant",
)
ELSEWHERE = Rule(
    code="NR625",
    name="override-for-other-targets",
    severity=NOTE,
    summary="An override is for another platform or GPU architecture than the target.",
    why="It does not apply to the target that was given.",
    remedy="nothing needs to be done if other targets are meant",
)

_TRAINER_ENV = ("spec", "workload", "trainJob", "trainer", "env")
_SELECTORS = ("platform", "gpuArchitecture")


def check(run: WorkloadRun, document: Document, facts: Facts, library: Library | None) -> Iterator[Diagnostic]:
    """Yield the notes about a sound run and a target whose platform is known."""
    yield from _check_overrides(run, document, facts)
    env = run["spec"].get("env", [])
    theirs = _platform_values(run, facts, library) if env else {}
    for index, entry in enumerate(env):
        name = entry["name"]
        mine = environment.operand(entry).partition("=")[2] if "valueFrom" not in entry else "a reference"
        if theirs.get(name, mine) != mine:
            message = f'{name} is "{theirs[name]}" on {facts.platform}, and this value takes its place'
            yield SHADOWED.at(document, ("spec", "env", index, "name"), message)


def _check_overrides(run: WorkloadRun, document: Document, facts: Facts) -> Iterator[Diagnostic]:
    context = conditions.Context(platform=facts.platform or "", gpu_architecture=facts.gpu_architecture)
    for index, override in enumerate(run["spec"].get("overrides", [])):
        when: Any = override.get("when", {})
        asked = {name: when[name] for name in _SELECTORS if name in when}
        if not conditions.matches(asked, context):
            path: Path = ("spec", "overrides", index, "when")
            message = f"{conditions.summary(asked)}: this override does not apply to {_shown(facts)}"
            yield ELSEWHERE.at(document, path, message, on_key=True)


def _shown(facts: Facts) -> str:
    return f"{facts.platform} {facts.gpu_architecture}"


def _platform_values(run: WorkloadRun, facts: Facts, library: Library | None) -> dict[str, str]:
    """Return the variables that the platform's blocks set for the workload, with their values."""
    parameters = workflow.hardware_parameters(run, facts)
    parameters.library = library
    found: dict[str, str] = {}
    for block in blocks.matching(blocks.platform_blocks(parameters, []), facts):
        env: Any = block.get("jobTemplate", {})
        for step in _TRAINER_ENV:
            env = env.get(step, {})
        found.update({entry["name"]: entry.get("value", "") for entry in env or ()})
        arguments = block.get("mpiArgs", [])
        for option, operand in pairwise(arguments):
            if option == environment.EXPORT:
                name, _, value = operand.partition("=")
                found[name] = value
    return found
