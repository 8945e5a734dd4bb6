"""The text of a node list, JSON or YAML, to plain documents: only what a plan reads, and fast.

`kubectl get nodes` prints 10 KB and more a node, nearly all of it status. JSON goes through the standard library,
which is quick enough to read everything. YAML is read as a stream of libyaml's events, of which most are passed
over; that takes a third of the time and a hundredth of the memory of composing whole documents.
"""

from __future__ import annotations

import codecs
import json

import yaml
from yaml._yaml import CParser

from nvcre_render.checks import reading_rules
from nvcre_render.diagnostics import Diagnostic
from nvcre_render.planning import nodelist
from nvcre_render.positions import Position
from nvcre_render.scalars import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Rule
    from nvcre_render.planning.nodelist import NodeList
    from nvcre_render.positions import Path

    Progress = Callable[[float], None]

# Keys below which a plan reads nothing.
_PASSED_OVER = frozenset(("managedFields", "annotations"))
_READ_OF_STATUS = "allocatable"
_STEP = 50_000  # events between two reports of progress
MAX_DEPTH = 100


def read(text: str | bytes, file: str, progress: Progress | None = None) -> tuple[NodeList, list[Diagnostic]]:
    """Return the nodes and ResourceSlices of a text, and what is wrong with it, each finding with its position.

    `file` is shown in findings. `progress`, if given, is called now and then with the part that is read, 0 to 1;
    JSON is read in one go and never reports.
    """
    decoded, found = _decoded(text, file)
    if not found:
        documents, found = _documents(decoded, file, progress)
    if found:
        return nodelist.NodeList(nodes=()), found
    nodes, found = nodelist.read(documents)
    return nodes, _placed(found, decoded, file)


def _decoded(text: str | bytes, file: str) -> tuple[str, list[Diagnostic]]:
    if isinstance(text, str):
        return text.removeprefix("\ufeff"), []
    encoding = "utf-16" if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return text.decode(encoding), []
    except UnicodeDecodeError as error:
        before = text[: error.start].decode(encoding, "replace")
        message = f"byte {error.start} is not valid {encoding.removesuffix('-sig').upper()}"
        return "", [_finding(reading_rules.ENCODING, message, _place(before, len(before), file))]


def _documents(text: str, file: str, progress: Progress | None) -> tuple[list[Any], list[Diagnostic]]:
    looks_like_json = text.lstrip()[:1] in ("{", "[")
    if looks_like_json:
        try:
            return [json.loads(text)], []
        except json.JSONDecodeError as error:
            place = Position(file=file, line=error.lineno, column=error.colno)
            fault = _finding(reading_rules.SYNTAX, error.msg, place)
        except RecursionError:
            return [], [_finding(reading_rules.TOO_DEEP, "nested too deep", Position(file=file, line=1, column=1))]
    try:
        return _Events(text, progress).documents(), []
    except _DeepError as error:
        message = f"nested more than {MAX_DEPTH} levels deep"
        return [], [_finding(reading_rules.TOO_DEEP, message, _marked(error.mark, file))]
    except yaml.YAMLError as error:
        if looks_like_json:
            return [], [fault]
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        message = getattr(error, "problem", None) or "a character that may not stand in YAML"
        return [], [_finding(reading_rules.SYNTAX, message, _marked(mark, file))]


class _DeepError(Exception):
    """The text nests too deep; `mark` says where."""

    def __init__(self, mark: Any) -> None:
        super().__init__()
        self.mark = mark


class _Events:
    """Builds plain data from libyaml's events; an alias stands for what its anchor built."""

    def __init__(self, text: str, progress: Progress | None) -> None:
        self._length = max(1, len(text))
        self._next: Callable[[], Any] = CParser(text).get_event
        self._progress = progress
        self._count = 0
        self._anchors: dict[str, Any] = {}

    def documents(self) -> list[Any]:
        found = []
        while not isinstance(event := self._event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors = {}
                value = self._value(self._event(), 0)
                if value is not None:
                    found.append(value)
        return found

    def _event(self) -> Any:
        event = self._next()
        self._count += 1
        if self._progress and self._count % _STEP == 0:
            self._progress(event.start_mark.index / self._length)
        return event

    def _value(self, event: Any, depth: int) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            value: Any = resolve(event.value) if event.implicit[0] else event.value
        elif isinstance(event, yaml.AliasEvent):
            return self._anchors.get(str(event.anchor))
        elif depth == MAX_DEPTH:
            raise _DeepError(event.start_mark)
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(depth + 1)
        else:
            value = []
            while not isinstance(item := self._event(), yaml.SequenceEndEvent):
                value.append(self._value(item, depth + 1))
        if event.anchor:
            self._anchors[event.anchor] = value
        return value

    def _mapping(self, depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        merged: list[Any] = []
        while not isinstance(event := self._event(), yaml.MappingEndEvent):
            key = event.value if isinstance(event, yaml.ScalarEvent) else str(self._value(event, depth))
            inner = self._event()
            if key == "status" and isinstance(inner, yaml.MappingStartEvent):
                value[key] = self._parts()
            elif key in _PASSED_OVER and isinstance(inner, yaml.CollectionStartEvent):
                _skip(self._event)
            elif key == "<<" and event.implicit[0]:
                merged.append(self._value(inner, depth))
            else:
                value[key] = self._value(inner, depth)
        for source in merged:
            for each in source if isinstance(source, list) else [source]:
                value = {**each, **value} if isinstance(each, dict) else value
        return value

    def _parts(self) -> dict[str, Any]:
        """Read of a status what tells the capacity, and pass over the rest."""
        value: dict[str, Any] = {}
        while not isinstance(event := self._event(), yaml.MappingEndEvent):
            inner = self._event()
            if isinstance(event, yaml.ScalarEvent) and event.value == _READ_OF_STATUS:
                value[_READ_OF_STATUS] = self._value(inner, 0)
            elif isinstance(inner, yaml.CollectionStartEvent):
                _skip(self._event)
        return value


def _placed(found: Sequence[Diagnostic], text: str, file: str) -> list[Diagnostic]:
    """Return findings with their places; a path begins with the number of its document."""
    if not found:
        return []
    marks = _marks(text, {each.path[:end] for each in found for end in range(len(each.path) + 1)})
    placed = []
    for each in found:
        ancestors = (each.path[:end] for end in range(len(each.path), 0, -1))
        mark = next((marks[path] for path in ancestors if path in marks), None)
        # Which document it is in, the place tells.
        placed.append(each.but(path=each.path[1:], position=_marked(mark, file)))
    return placed


def _marks(text: str, paths: set[Path]) -> dict[Path, Any]:
    """Return where the values at these paths begin, as far as they exist; a second reading, for findings alone."""
    marks: dict[Path, Any] = {}
    parser = CParser(text)

    def visit(event: Any, path: Path) -> None:
        marks[path] = event.start_mark
        if isinstance(event, yaml.SequenceStartEvent):
            index = 0
            while not isinstance(item := parser.get_event(), yaml.SequenceEndEvent):
                step(item, (*path, index))
                index += 1
        elif isinstance(event, yaml.MappingStartEvent):
            while not isinstance(key := parser.get_event(), yaml.MappingEndEvent):
                if isinstance(key, yaml.CollectionStartEvent):
                    _skip(parser.get_event)
                step(parser.get_event(), (*path, getattr(key, "value", "")))

    def step(event: Any, path: Path) -> None:
        if path in paths:
            visit(event, path)
        elif isinstance(event, yaml.CollectionStartEvent):
            _skip(parser.get_event)

    try:
        documents = 0
        while not isinstance(event := parser.get_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                root = parser.get_event()
                step(root, (documents,))
                # Empty documents were passed over in the first reading, too.
                documents += not isinstance(root, yaml.ScalarEvent)
    except yaml.YAMLError:
        # JSON that is no YAML: characters beyond the BMP as two escapes.
        return marks
    return marks


def _skip(next_event: Callable[[], Any]) -> None:
    """Pass over the rest of the collection that has just begun."""
    depth = 1
    while depth:
        event = next_event()
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _marked(mark: Any, file: str) -> Position:
    return Position(file=file, line=mark.line + 1 if mark else 1, column=mark.column + 1 if mark else 1)


def _place(text: str, offset: int, file: str) -> Position:
    line = text.count("\n", 0, offset)
    return Position(file=file, line=line + 1, column=offset - text.rfind("\n", 0, offset))


def _finding(rule: Rule, message: str, place: Position) -> Diagnostic:
    return Diagnostic(rule=rule, message=message, position=place, remedy=rule.remedy)
