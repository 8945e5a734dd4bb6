"""Findings for people: what is wrong, the line it is on with a caret, what to write, and a count at the end."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.positions import Position

    Lines = Callable[[Position], str | None]

MAX_MESSAGE = 600  # characters; a value of a megabyte in a message helps nobody
_WINDOW = 100  # columns of a line that are shown
_BEFORE = 70  # of these at most in front of the caret
_CUT = "..."

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}


def wants_colour(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that shows colours and whose user wants them (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def render(findings: Iterable[Diagnostic], lines: Lines, *, colour: bool = False) -> str:
    """Return the findings as text, each ending in a line feed; `lines` gives the text of a place's line.

    What users wrote is shown with its control characters escaped: a manifest must not move a terminal's cursor.
    """
    return "".join(f"{line}\n" for found in findings for line in _lines(found, lines, _COLOURS if colour else {}))


def summary(findings: Iterable[Diagnostic], files: int, runs: int) -> str:
    """Return the last line: how much was read, and how many findings of each severity there are."""
    severities = [found.severity for found in findings]
    counts = [_count(severities.count(name), name) for name in _COLOURS if name in severities]
    return f"{_count(runs, 'run')} in {_count(files, 'file')}: {', '.join(counts) or 'no findings'}\n"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _lines(found: Diagnostic, lines: Lines, colours: dict[str, str]) -> Iterator[str]:
    tint = colours.get(found.severity, "")
    plain = _PLAIN if tint else ""
    place = f"{visible(str(found.position))}: " if found.position else ""
    yield f"{place}{tint}{found.code} {found.severity}{plain}: {_shortened(visible(found.headline))}"
    yield from _excerpt(found.position, lines, tint, plain)
    if found.remedy:
        yield f"  {_BOLD if tint else ''}help{plain}: {_shortened(visible(found.remedy))}"
    for position, note in found.related:
        yield f"  {visible(str(position))}: {visible(note)}"
        yield from _excerpt(position, lines, "", "")


def _excerpt(place: Position | None, lines: Lines, tint: str, plain: str) -> Iterator[str]:
    line = lines(place) if place else None
    if place is None or line is None or not line.strip():
        return
    start = max(0, place.column - 1 - _BEFORE) if len(line) > _WINDOW else 0
    before, after = line[start : place.column - 1], line[place.column - 1 : start + _WINDOW]
    lead = _CUT if start else ""
    shown = f"{lead}{visible(before, tabs=True)}{visible(after, tabs=True)}"
    number = str(place.line)
    yield f"{number:>5} | {shown}{_CUT if len(line) > start + _WINDOW else ''}"
    yield f"{'':>5} | {_blank(lead + visible(before, tabs=True))}{tint}^{plain}"


def _blank(text: str) -> str:
    """Return as much room as `text` takes: tabs stay tabs, characters of double width are two blanks."""
    if text.isascii():
        return "".join("\t" if character == "\t" else " " for character in text)
    from unicodedata import combining, east_asian_width

    def room(character: str) -> str:
        if character == "\t" or combining(character):
            return "\t" if character == "\t" else ""
        return "  " if east_asian_width(character) in ("W", "F") else " "

    return "".join(map(room, text))


def visible(text: str, *, tabs: bool = False) -> str:
    r"""Return `text` in one line: what does not print, or would reorder the line, is shown as an escape.

    >>> print(visible("a\x1b[2Jb\n"))
    a\x1b[2Jb\n
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character, tabs) for character in text)


def _escape(character: str, tabs: bool) -> str:
    if character.isprintable() or (tabs and character == "\t"):
        return character
    return character.encode("unicode_escape").decode()


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + _CUT
