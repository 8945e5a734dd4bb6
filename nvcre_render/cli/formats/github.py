"""Findings as workflow commands, which GitHub Actions shows beside the lines of a pull request.

(GitHub documentation, workflow commands for GitHub Actions.)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from nvcre_render.diagnostics import Diagnostic

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(findings: Iterable[Diagnostic]) -> str:
    """Return one workflow command a finding, each ending in a line feed."""
    return "".join(_command(found) for found in findings)


def _command(found: Diagnostic) -> str:
    place = found.position
    properties = {"file": place.file, "line": str(place.line), "col": str(place.column)} if place else {}
    properties["title"] = f"{found.code} {found.rule.name}"
    shown = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items())
    lines = [found.headline, found.remedy, *(f"{position}: {note}" for position, note in found.related)]
    message = _escaped("\n".join(filter(None, lines)), _DATA)
    return f"::{_COMMANDS[found.severity]} {shown}::{message}\n"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
