"""The files a command is given: names and directories to texts, `-` for standard input."""

from __future__ import annotations

import os
import sys

from nvcre_render import source
from nvcre_render.checks import reading_rules as rules
from nvcre_render.diagnostics import Diagnostic, Position, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from nvcre_render.source import Document

STDIN = "-"
SUFFIXES = (".yaml", ".yml", ".json")


def read(names: Iterable[str]) -> tuple[list[Document], list[Diagnostic]]:
    """Return the documents of all named files, in order, and what could not be read of them."""
    documents: list[Document] = []
    findings: list[Diagnostic] = []
    for name in names:
        files, faults = _files(name)
        findings += faults
        for file in files:
            found, faults = _read(file)
            documents += found
            findings += faults
    return documents, findings


def _files(name: str) -> tuple[list[str], list[Diagnostic]]:
    if name == STDIN or not os.path.isdir(name):
        return [name], []
    try:
        entries = sorted(os.listdir(name))
    except OSError as error:
        return [], [_unreadable(name, error)]
    files = [os.path.join(name, entry) for entry in entries if entry.lower().endswith(SUFFIXES)]
    if files:
        return files, []
    message = f"the directory holds no {', '.join(SUFFIXES)} file"
    return [], [_found(rules.NO_MANIFEST, name, message)]


def _read(name: str) -> tuple[list[Document], list[Diagnostic]]:
    try:
        if name == STDIN:
            return source.read(sys.stdin.buffer.read(source.MAX_TEXT + 1), "<stdin>")
        with open(name, "rb") as file:
            return source.read(file.read(source.MAX_TEXT + 1), name)
    except OSError as error:
        return [], [_unreadable(name, error)]


def _unreadable(name: str, error: OSError) -> Diagnostic:
    return _found(rules.UNREADABLE, name, f"cannot be read: {error.strerror or error}")


def _found(rule: Rule, name: str, message: str) -> Diagnostic:
    place = Position(file=name, line=1, column=1)
    return Diagnostic(rule=rule, message=message, position=place, remedy=rule.remedy)
