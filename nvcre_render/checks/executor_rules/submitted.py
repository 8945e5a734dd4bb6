"""What the rules about a built submission look at, and the documents their examples are made of."""

from __future__ import annotations

from nvcre_render.executor import origins
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic, Rule
    from nvcre_render.executor.releases import Release
    from nvcre_render.executor.settings import Settings
    from nvcre_render.model.executor import KubeflowExecutor
    from nvcre_render.positions import Path

_EXECUTOR = """\
job_name: example
image: registry.example.com/trainer:1
gpus_per_node: 8
{start}{more}"""


def ready(more: str = "") -> str:
    """Return small valid settings with a ready command and `more` lines, for the examples of rules."""
    return _EXECUTOR.format(start="command: [python, /opt/train.py]\n", more=more)


def task(more: str = "", script: str = "path: /opt/train.py, entrypoint: python") -> str:
    """Return small valid settings with a task and `more` lines, for the examples of rules."""
    return _EXECUTOR.format(start=f"task: {{{script}}}\n", more=more)


class Submitted(Record):
    """One submission: the settings, NeMo-Run's TrainJob, and what the release keeps and drops of it."""

    settings: Settings
    job: dict[str, Any]  # as NeMo-Run writes it
    kept: dict[str, Any]  # without what the release has no place for
    lost: tuple[Path, ...]  # paths in `job`
    release: Release

    @property
    def values(self) -> KubeflowExecutor:
        """The settings' values, defaults filled in."""
        return self.settings.values

    def at(self, rule: Rule, path: Path, message: str, *, remedy: str = "") -> Diagnostic:
        """Return a finding at a path of the settings, on the key that is written there."""
        return rule.at(self.settings.document, path, message, remedy=remedy, on_key=True)

    def at_field(self, rule: Rule, path: Path, message: str, *, remedy: str = "") -> Diagnostic:
        """Return a finding about the field at a path of the TrainJob, placed where it comes from."""
        return self.at(rule, origins.origin(path, self.values), message, remedy=remedy)
