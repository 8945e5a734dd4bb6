"""Rules about KubeflowExecutor settings (NR9xx), and the order in which they are applied.

`shape` and `building` look at the settings alone and tell what NeMo-Run itself refuses; the others also look at
the TrainJob that is made of them, and at what one Trainer release does with it.
"""

from __future__ import annotations

from nvcre_render.checks.executor_rules import (
    admission,
    building,
    commands,
    effects,
    releases,
    resources,
    shape,
    workdir,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.executor.settings import Settings

BEFORE = (shape.check, building.check)
AFTER = (
    admission.check,
    releases.check,
    effects.check,
    resources.check,
    commands.check,
    workdir.check,
)


def check_settings(settings: Settings) -> list[Diagnostic]:
    """Return what is wrong with the settings as they are written; `stops` tells which of it ends the submission."""
    return [found for check in BEFORE for found in check(settings)]


def stops(found: Diagnostic, settings: Settings) -> bool:
    """Tell whether NeMo-Run could not even build a TrainJob because of this finding."""
    return found.rule in building.RULES or shape.stops(found, settings)


def check_submitted(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield what is wrong with a submission that can be built."""
    for check in AFTER:
        yield from check(submitted)
