"""YAML and JSON text to documents in which every key, value and list item knows its place.

The text is read with libyaml; scalars mean what Kubernetes' own reader takes them for (`scalars.resolve`).
Reading is strict where that reader is silent: a repeated key, a key or tag that has no JSON form, and text
that grows without bound through aliases are findings.
"""

from __future__ import annotations

import codecs
import re

import yaml
from yaml._yaml import CParser

from nvcre_render.checks import reading_rules as rules
from nvcre_render.diagnostics import Diagnostic, Position
from nvcre_render.scalars import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from nvcre_render.diagnostics import Path, Rule

MAX_TEXT = 32 * 1024 * 1024  # bytes; far above any manifest, low enough to answer at once
MAX_SCALAR = 1024 * 1024  # characters; etcd refuses larger objects
MAX_DEPTH = 100  # levels; CustomResourceDefinitions, the deepest manifests in use, stay below 60
MAX_EXACT = 1e21  # from here on Go writes floats with an exponent
MAX_ALIASED = 20_000  # nodes that aliases may repeat in one document

_PLAIN, _QUOTED = "plain", "quoted"  # the tags our parser gives to scalars that carry none
_CORE = "tag:yaml.org,2002:"
_SURROGATES = r"(?i)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})"
_FORBIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]"


class _Parser(CParser):
    """libyaml's composer; instead of resolving scalars it only notes whether they were plain."""

    def descend_resolver(self, _parent: object, _index: object) -> None: ...

    def ascend_resolver(self) -> None: ...

    def resolve(self, _kind: object, _value: object, implicit: tuple[bool, bool] | bool) -> str:
        return _PLAIN if implicit is True or (implicit and implicit[0]) else _QUOTED


class Document:
    """One document: its `data` (plain mappings, lists and scalars) and the place of everything in it.

    `data` belongs to the document and is never changed by this package. Documents made from a mapping have no
    text, so their places are None.
    """

    def __init__(self, file: str, data: Any, root: Any = None) -> None:
        """Pair `data` with the composed libyaml node it came from, if any."""
        self.file = file
        self.data = data
        self._root = root

    def position(self, path: Path) -> Position | None:
        """Return where the value at `path` begins; the nearest enclosing value when it is absent."""
        node = self._node(path)
        return None if node is None else _position(self.file, node.start_mark)

    def key_position(self, path: Path) -> Position | None:
        """Return where the last key of `path` stands; for a list item the item itself."""
        parent = self._node(path[:-1])
        if path and isinstance(parent, yaml.MappingNode):
            for key, _ in _entries(parent):
                if key.value == path[-1]:
                    return _position(self.file, key.start_mark)
        return self.position(path)

    def raw(self, path: Path) -> str | None:
        """Return the scalar at `path` as it was typed, None when there is no text."""
        node = self._node(path)
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def replaced(self, path: Path, value: Any) -> Document:
        """Return a document with `value` at the mapping path `path`, its places kept; this one is unchanged."""
        return Document(self.file, _replaced(self.data, path, value), self._root)

    def _node(self, path: Path) -> Any:
        node = self._root
        for step in path:
            child = _child(node, step)
            if child is None:
                break
            node = child
        return node


def _replaced(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    inner = data if isinstance(data, dict) else {}
    return {**inner, path[0]: _replaced(inner.get(path[0]), path[1:], value)}


def read(text: str | bytes, file: str) -> tuple[list[Document], list[Diagnostic]]:
    """Read every document of `text`, YAML or JSON; empty documents are passed over.

    `file` is the name shown in findings. A finding does not end the reading unless nothing after it can be
    understood, so one run reports all of them.
    """
    decoded, findings = _decode(text, file)
    if findings:
        return [], findings
    documents: list[Document] = []
    parser = _Parser(decoded)
    try:
        while parser.check_node():
            root = parser.get_node()
            builder = _Builder(file)
            data = builder.build(root)
            findings += builder.findings
            if data is not None:
                documents.append(Document(file, data, root))
    except yaml.YAMLError as error:
        unpaired = re.sub(_SURROGATES, _astral, decoded)
        if unpaired != decoded:  # JSON writes characters beyond the BMP as two escapes, YAML as one
            return read(unpaired, file)
        findings.append(_syntax(error, decoded, file))
    finally:
        parser.dispose()
    return documents, findings


def from_mapping(data: Mapping[str, Any], file: str) -> Document:
    """Return a document for a manifest that is already a mapping; `data` is copied, not kept."""
    return Document(file, _copy(data))


def _copy(value: Any) -> Any:
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    return whole(value)


class _Builder:
    """Turns one composed document into plain data, collecting what Kubernetes would misread or refuse."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Diagnostic] = []
        self._seen: set[int] = set()
        self._repeated = 0

    def build(self, root: Any) -> Any:
        try:
            return self._value(root, 0)
        except _UnboundedError:
            return None

    def _value(self, node: Any, depth: int) -> Any:
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if depth >= MAX_DEPTH:
            self._too_deep(node)
        if node.tag not in (_PLAIN, _QUOTED, _CORE + "map", _CORE + "seq"):
            self._found(rules.UNKNOWN_TAG, node, f"the tag {node.tag} has no meaning in a manifest")
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, depth + 1) for item in node.value]
        return self._mapping(node, depth)

    def _count(self, node: Any) -> None:
        if id(node) not in self._seen:
            self._seen.add(id(node))
            return
        self._repeated += 1
        if self._repeated > MAX_ALIASED:
            self._found(rules.ALIAS_BOMB, node, f"aliases repeat more than {MAX_ALIASED:,} values")
            raise _UnboundedError

    def _too_deep(self, node: Any) -> NoReturn:
        if self._repeated:
            self._found(rules.ALIAS_BOMB, node, "an alias stands inside its own anchor, or aliases nest too deep")
        else:
            self._found(rules.TOO_DEEP, node, f"nested more than {MAX_DEPTH} levels deep")
        raise _UnboundedError

    def _mapping(self, node: Any, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        places: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if _is_merge(key_node):
                self._merge(value_node, depth, data, places)
                continue
            key = self._key(key_node)
            if key in places:
                self._repeated_key(key, key_node, places[key])
            places[key] = key_node
            data[key] = self._value(value_node, depth + 1)
        return data

    def _merge(self, node: Any, depth: int, data: dict[str, Any], places: dict[str, Any]) -> None:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for source in reversed(sources):
            if not isinstance(source, yaml.MappingNode):
                self._found(rules.MERGE_SOURCE, source, "<< merges mappings only")
                continue
            self._count(source)
            merged.update(self._mapping(source, depth + 1))
        for key in merged.keys() & places.keys():
            message = f'"{key}" stands before << and in what it merges'
            self._found(rules.MERGE_ORDER, places[key], message)
        for key, value in merged.items():
            data.setdefault(key, value)

    def _key(self, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self._found(rules.KEY_NOT_TEXT, node, "a mapping key must be a plain word or a quoted text")
            return ""
        self._seen.add(id(node))
        key: str = node.value
        if node.tag == _PLAIN and not isinstance(meant := resolve(key), str):
            message = f"the key {key or 'is empty and'} means {_meaning(meant)} to Kubernetes"
            self._found(rules.KEY_NOT_TEXT, node, message, f'write "{key}" in quotes if the text is meant')
        return key

    def _repeated_key(self, key: str, node: Any, first: Any) -> None:
        related = ((_position(self.file, first.start_mark), "first written here"),)
        self.findings.append(
            Diagnostic(
                rule=rules.DUPLICATE_KEY,
                message=f'the key "{key}" is written twice in one mapping',
                position=_position(self.file, node.start_mark),
                remedy=rules.DUPLICATE_KEY.remedy,
                related=related,
            )
        )

    def _scalar(self, node: Any) -> Any:
        text, tag = node.value, node.tag
        if len(text) > MAX_SCALAR:
            self._found(rules.TOO_LARGE, node, f"a text of {len(text):,} characters; the limit is {MAX_SCALAR:,}")
            return ""
        if tag in (_QUOTED, _CORE + "str"):
            return text
        value = resolve(text)
        if tag != _PLAIN and not _fits(tag, value):
            self._found(
                rules.UNKNOWN_TAG,
                node,
                f"the tag {tag} does not fit {text!r} or has no meaning in a manifest",
            )
        if isinstance(value, float) and value - value != 0:
            self._found(rules.NOT_JSON, node, f"{text} has no form in a Kubernetes object")
            return 0
        return whole(value)

    def _found(self, rule: Rule, node: Any, message: str, remedy: str = "") -> None:
        place = _position(self.file, node.start_mark)
        self.findings.append(Diagnostic(rule=rule, message=message, position=place, remedy=remedy or rule.remedy))


def whole(value: Any) -> Any:
    """Return a float without a fraction as an integer, as it stands in JSON; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < MAX_EXACT else value


class _UnboundedError(Exception):
    """The document cannot be read on within bounds; the finding is already recorded."""


def _fits(tag: str, value: object) -> bool:
    kinds: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
    return type(value) in kinds.get(tag.removeprefix(_CORE), ())


def _meaning(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else f"the number {value}"


def _is_merge(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == "<<" and node.tag in (_PLAIN, _CORE + "merge")


def _entries(mapping: Any) -> list[tuple[Any, Any]]:
    """Return the entries of a mapping as Kubernetes sees them: own keys first, then those that << merges."""
    own = [entry for entry in mapping.value if not _is_merge(entry[0])]
    for key, value in mapping.value:
        if _is_merge(key):
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            own += [entry for source in sources if isinstance(source, yaml.MappingNode) for entry in _entries(source)]
    return own


def _child(node: Any, step: str | int) -> Any:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step] if step < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in _entries(node) if key.value == step), None)
    return None


def _position(file: str, mark: Any) -> Position:
    return Position(file=file, line=mark.line + 1, column=mark.column + 1)


def _decode(text: str | bytes, file: str) -> tuple[str, list[Diagnostic]]:
    if len(text) > MAX_TEXT:
        message = f"the text is {len(text):,} bytes long; the limit is {MAX_TEXT:,}"
        return "", [_at_start(rules.TOO_LARGE, file, message)]
    if isinstance(text, str):
        return text.removeprefix("\ufeff"), []
    utf16 = text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if utf16 else "utf-8-sig"
    try:
        return text.decode(encoding), []
    except UnicodeDecodeError as error:
        before = text[: error.start].decode(encoding, "replace")
        message = f"byte {error.start} is not valid {'UTF-16' if utf16 else 'UTF-8'}"
        place = _offset_position(before, len(before), file)
        return "", [Diagnostic(rule=rules.ENCODING, message=message, position=place, remedy=rules.ENCODING.remedy)]


def _at_start(rule: Rule, file: str, message: str) -> Diagnostic:
    start = Position(file=file, line=1, column=1)
    return Diagnostic(rule=rule, message=message, position=start, remedy=rule.remedy)


def _offset_position(text: str, offset: int, file: str) -> Position:
    before = text[:offset]
    return Position(file=file, line=before.count("\n") + 1, column=offset - (before.rfind("\n") + 1) + 1)


def _astral(pair: re.Match[str]) -> str:
    high, low = int(pair[1], 16), int(pair[2], 16)
    return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


def _syntax(error: yaml.YAMLError, text: str, file: str) -> Diagnostic:
    """Translate what libyaml could not read; its words stay, a remedy is added for the usual causes."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None or problem is None:
        found = re.search(_FORBIDDEN, text)
        offset = found.start() if found else 0
        character = f"U+{ord(text[offset]):04X}" if text else "an empty text"
        message = f"the character {character} may not stand in YAML"
        place = _offset_position(text, offset, file)
        return Diagnostic(rule=rules.ENCODING, message=message, position=place, remedy=rules.ENCODING.remedy)
    rule = rules.TOO_DEEP if "nesting depth" in problem else rules.SYNTAX
    line = text.split("\n")[mark.line]
    context = getattr(error, "context", None)
    message = f"{context}: {problem}" if context else problem
    remedy = rule.remedy
    if line[: mark.column + 1].strip(" ").startswith("\t"):
        remedy = "indent with spaces; YAML does not allow tabs there"
    elif "mapping values are not allowed" in problem:
        remedy = "put quotes around a text that contains a colon and a space, or check the indentation"
    return Diagnostic(rule=rule, message=message, position=_position(file, mark), remedy=remedy)
