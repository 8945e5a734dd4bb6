"""Findings as data: the rule registry, `Diagnostic`, `Report` and the refusal that carries them.

Text is one rendering of a diagnostic (`str`); the command line has others.
"""

from __future__ import annotations

from nvcre_render.positions import field_path
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from nvcre_render.document import Document
    from nvcre_render.positions import Path, Places, Position, Related

    Severity = Literal["error", "warning", "note"]

ERROR: Severity = "error"
WARNING: Severity = "warning"
NOTE: Severity = "note"  # worth saying, never a fault

REGISTRY: dict[str, Rule] = {}


class Rule(Record):
    """One rule: what it flags and everything its page says.

    `bad` and `good` are manifests (YAML text); `bad` yields exactly this code on the line that carries the
    comment `# error` or `# warning`, `good` yields nothing.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    why: str
    remedy: str
    bad: str = ""
    good: str = ""

    def __init__(self, **fields: str) -> None:
        """Make and register the rule; a code is never used twice."""
        super().__init__(**fields)
        if self.code in REGISTRY:
            raise ValueError(f"rule code {self.code} is taken by {REGISTRY[self.code].name}")
        REGISTRY[self.code] = self

    def at(
        self,
        document: Document,
        path: Path,
        message: str,
        *,
        remedy: str = "",
        on_key: bool = False,
        related: Related = (),
    ) -> Diagnostic:
        """Return this rule's finding at `path` of `document`, on the key itself when `on_key`."""
        position = document.key_position(path) if on_key else document.position(path)
        return Diagnostic(
            rule=self,
            message=message,
            path=path,
            position=position,
            remedy=remedy or self.remedy,
            related=related,
        )

    def in_text(
        self, places: Places, offset: int, message: str, *, remedy: str = "", related: Related = ()
    ) -> Diagnostic:
        """Return this rule's finding about the text itself, at a character of it."""
        return Diagnostic(
            rule=self, message=message, position=places.at(offset), remedy=remedy or self.remedy, related=related
        )


class Diagnostic(Record):
    """One finding: a rule, what is wrong here, where, and what to write instead.

    `position` is None when the input was a mapping rather than text. `related` names the other places that
    take part, each with a short note.
    """

    rule: Rule
    message: str
    path: Path = ()
    position: Position | None = None
    remedy: str = ""
    related: Related = ()

    @property
    def code(self) -> str:
        """The rule's code, such as NR301."""
        return self.rule.code

    @property
    def severity(self) -> Severity:
        """The rule's severity: error, warning or note."""
        return self.rule.severity

    @property
    def field(self) -> str:
        """The field path as users write it: spec.volumes[2].name."""
        return field_path(self.path)

    @property
    def headline(self) -> str:
        """The message with its field path in front, unless it begins with that itself."""
        field = self.field
        return self.message if not field or self.message.startswith(field) else f"{field}: {self.message}"

    def __str__(self) -> str:
        """`file:line:column: CODE severity: message`, then the remedy and the other places on lines of their own."""
        place = f"{self.position}: " if self.position else ""
        lines = [f"{place}{self.code} {self.severity}: {self.headline}"]
        if self.remedy:
            lines.append(f"  help: {self.remedy}")
        lines += [f"  {position}: {note}" for position, note in self.related]
        return "\n".join(lines)


class Report:
    """Findings in the order users read them: by file, line, column, code; repeats dropped."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        """Sort and de-duplicate `diagnostics`."""
        self.diagnostics: tuple[Diagnostic, ...] = tuple(sorted(dict.fromkeys(diagnostics), key=_order))

    def __iter__(self) -> Iterator[Diagnostic]:
        """Iterate over the findings."""
        return iter(self.diagnostics)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that make a render refuse."""
        return tuple(found for found in self.diagnostics if found.severity == ERROR)

    @property
    def ok(self) -> bool:
        """Whether there is no error (warnings do not count)."""
        return not self.errors

    def __str__(self) -> str:
        """Every finding as text, one after the other."""
        return "\n".join(map(str, self.diagnostics))


def _order(found: Diagnostic) -> tuple[object, ...]:
    place = found.position
    where = (place.file, place.line, place.column) if place else ("", 0, 0)
    return (*where, found.code, found.field, found.message)


class RenderError(Exception):
    """A refusal. `diagnostics` holds every finding, errors and warnings, in reading order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Carry the findings of one refused render."""
        self.report = Report(diagnostics)
        super().__init__(str(self.report))

    def __reduce__(self) -> tuple[type[RenderError], tuple[tuple[Diagnostic, ...]]]:
        """Let the refusal cross process borders: worker pools pickle exceptions."""
        return type(self), (self.diagnostics,)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The same objects `validate` returns."""
        return self.report.diagnostics
