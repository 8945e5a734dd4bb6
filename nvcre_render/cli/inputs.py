"""The files a command is given: names and directories to documents, `-` for standard input."""

from __future__ import annotations

import os
import sys

from nvcre_render import source
from nvcre_render.checks import reading_rules as rules
from nvcre_render.diagnostics import Diagnostic, Rule
from nvcre_render.positions import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nvcre_render.document import Document

STDIN = "-"
SHOWN_STDIN = "<stdin>"
SUFFIXES = (".yaml", ".yml", ".json")
LINE_BREAKS = "\r\n?|\n"  # what ends a line in the positions of findings


class Reader:
    """Reads the files of one call, and single lines of them again when a finding is shown.

    Files are not kept; standard input is, because it cannot be read twice.
    """

    def __init__(self, mentions: tuple[bytes, ...] = ()) -> None:
        """Make a reader; with `mentions`, files that hold none of these texts are passed over unread."""
        self._mentions = mentions
        self._stdin = b""
        self._shown: tuple[str, list[str]] = ("", [])

    def read(self, names: Iterable[str]) -> tuple[list[Document], list[Diagnostic]]:
        """Return the documents of all named files, in order, and what could not be read of them."""
        documents: list[Document] = []
        findings: list[Diagnostic] = []
        for _, found, faults in self.each(names):
            documents += found
            findings += faults
        return documents, findings

    def each(self, names: Iterable[str]) -> Iterator[tuple[str, list[Document], list[Diagnostic]]]:
        """Yield every file with its documents and what could not be read of it, one file at a time."""
        for name in names:
            files, faults = _files(name)
            if faults:
                yield name, [], faults
            for file in files:
                yield file, *self._read(file)

    def line(self, place: Position) -> str | None:
        """Return the line a position is on, None when it cannot be had (again)."""
        if place.file != self._shown[0]:
            self._shown = (place.file, self._lines(place.file))
        lines = self._shown[1]
        return lines[place.line - 1] if place.line <= len(lines) else None

    def _read(self, name: str) -> tuple[list[Document], list[Diagnostic]]:
        try:
            text = self._bytes(name)
        except OSError as error:
            return [], [unreadable(name, error)]
        if self._mentions and not any(word in text for word in self._mentions):
            return [], []
        return source.read(text, SHOWN_STDIN if name == STDIN else name)

    def _bytes(self, name: str) -> bytes:
        limit = source.MAX_TEXT + 1
        if name == STDIN:
            self._stdin = sys.stdin.buffer.read(limit)
            return self._stdin
        with open(name, "rb") as file:
            return file.read(limit)

    def _lines(self, name: str) -> list[str]:
        import codecs
        import re

        try:
            text = self._stdin if name == SHOWN_STDIN else self._bytes(name)
        except OSError:
            return []
        encoding = "utf-16" if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
        return re.split(LINE_BREAKS, text.decode(encoding, "replace"))


def _files(name: str) -> tuple[list[str], list[Diagnostic]]:
    if name == STDIN or not os.path.isdir(name):
        return [name], []
    try:
        entries = sorted(os.listdir(name))
    except OSError as error:
        return [], [unreadable(name, error)]
    files = [os.path.join(name, entry) for entry in entries if entry.lower().endswith(SUFFIXES)]
    if files:
        return files, []
    message = f"the directory holds no {', '.join(SUFFIXES)} file"
    return [], [_found(rules.NO_MANIFEST, name, message)]


def unreadable(name: str, error: OSError) -> Diagnostic:
    """Return the finding about a file that the system does not let us read."""
    return _found(rules.UNREADABLE, name, f"cannot be read: {error.strerror or error}")


def _found(rule: Rule, name: str, message: str) -> Diagnostic:
    place = Position(file=name, line=1, column=1)
    return Diagnostic(rule=rule, message=message, position=place, remedy=rule.remedy)
