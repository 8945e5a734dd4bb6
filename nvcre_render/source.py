"""YAML and JSON text to documents in which every key, value and list item knows its place.

The text is read with libyaml; scalars mean what Kubernetes' own reader takes them for (`scalars.resolve`).
Reading is strict where that reader is silent: a repeated key, a key or tag that has no JSON form, and text
that grows without bound through aliases are findings.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

import yaml
from yaml._yaml import CParser

from nvcre_render.checks import reading_rules as rules
from nvcre_render.document import CORE, MAX_DEPTH, PLAIN, Document, is_merge
from nvcre_render.positions import Places
from nvcre_render.scalars import fits, meaning, resolve, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from nvcre_render.diagnostics import Diagnostic, Rule
    from nvcre_render.positions import Related
    from nvcre_render.scalars import Scalar

MAX_TEXT = 32 * 1024 * 1024  # bytes; far above any manifest, low enough to answer at once
MAX_SCALAR = 1024 * 1024  # characters; etcd refuses larger objects
MAX_ALIASED = 20_000  # nodes that aliases may repeat in one document
MAX_DIRECTIVES = 10_000  # libyaml compares every %TAG with all before it
MAX_NODES = 250_000  # keys and values of one text; each takes some 400 bytes while it is read

_QUOTED = "quoted"  # beside PLAIN, the tag our parser gives to scalars that carry none
_TEXTS = (_QUOTED, CORE + "str")
_LETTERS = 64  # characters of repeated text that weigh as much as one node
_PARSED_DEPTH = 1000  # levels; composing recurses in C, where too many end the process
_WORD = 64  # characters of a key that is looked up rather than read
_OPENERS = "[{-?"  # what begins a level inside a line
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_FORBIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]"
# What JSON strings may hold and YAML may not: characters beyond the BMP as two escapes, and line ends of YAML 1.1.
_JSON_ONLY = r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|.)|([\x7f-\x9f\u2028\u2029\ufffe\uffff])"


class _Parser(CParser):
    """libyaml's composer; instead of resolving scalars it only notes whether they were plain."""

    def descend_resolver(self, _parent: Any, _index: object) -> None: ...

    def ascend_resolver(self) -> None: ...

    def resolve(self, _kind: object, _value: object, implicit: tuple[bool, bool] | bool) -> str:
        return PLAIN if implicit is True or (implicit and implicit[0]) else _QUOTED


class _BoundedParser(_Parser):
    """Gives up on a text that would take too much stack or memory; for texts long enough to do so."""

    _depth = _nodes = 0

    def descend_resolver(self, parent: Any, _index: object) -> None:
        self._depth += 1
        self._nodes += 1
        if self._depth > _PARSED_DEPTH:
            raise _LimitError(rules.TOO_DEEP, f"nested more than {_PARSED_DEPTH} levels deep", parent.start_mark.index)
        if self._nodes > MAX_NODES:
            raise _LimitError(rules.TOO_LARGE, f"the text holds more than {MAX_NODES:,} keys and values", 0)

    def ascend_resolver(self) -> None:
        self._depth -= 1


class _LimitError(yaml.YAMLError):
    """The text or document goes beyond a bound."""

    def __init__(self, rule: Rule, message: str, offset: int) -> None:
        super().__init__(message)
        self._rule, self._message, self._offset = rule, message, offset

    def finding(self, places: Places) -> Diagnostic:
        return self._rule.in_text(places, self._offset, self._message)


def read(text: str | bytes, file: str) -> tuple[list[Document], list[Diagnostic]]:
    """Read every document of `text`, YAML or JSON; empty documents are passed over.

    `file` is the name shown in findings. A finding does not end the reading unless nothing after it can be
    understood, so one run reports all of them.
    """
    decoded, findings = _decode(text, file)
    if findings:
        return [], findings
    documents: list[Document] = []
    places = Places(decoded, file)
    if decoded.count("%TAG ") > MAX_DIRECTIVES:
        return [], [rules.TOO_LARGE.in_text(places, 0, f"more than {MAX_DIRECTIVES:,} %TAG directives")]
    readable = _without_json_only(decoded)
    may_exceed = len(readable) > MAX_NODES or sum(map(readable.count, _OPENERS)) > _PARSED_DEPTH
    parser = (_BoundedParser if may_exceed else _Parser)(readable)
    try:
        while parser.check_node():
            root = parser.get_node()
            if readable != decoded:
                _restore(root, decoded)
            builder = _Builder(places, has_anchors="&" in decoded)
            data = builder.build(root)
            findings += builder.findings
            if data is not None:
                documents.append(Document(file, data, root, places))
    except yaml.YAMLError as error:
        findings.append(_unreadable(error, decoded, places))
    finally:
        parser.dispose()
    return documents, findings


def _without_json_only(text: str) -> str:
    """Return JSON with stand-ins of the same length for what libyaml would refuse or change; other text as it is."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    readable = re.sub(_JSON_ONLY, lambda found: "x" * len(found[0]) if found[1] or found[2] else found[0], text)
    try:
        for document in re.split("^---$", text, flags=re.MULTILINE) if readable != text else ():
            json.loads(document)
    except (ValueError, RecursionError):
        return text
    return readable


def _restore(root: Any, text: str) -> None:
    """Give every JSON string below `root` the value it has in `text`."""
    nodes = [root]  # and the entries of mappings
    while nodes:
        node = nodes.pop()
        if isinstance(node, tuple):
            nodes += node
        elif not isinstance(node, yaml.ScalarNode):
            nodes += node.value
        elif node.tag == _QUOTED:
            node.value = json.loads(text[node.start_mark.index : node.end_mark.index])


def _is_word(text: Any) -> bool:
    """Tell whether a plain key is an ordinary word; False for all that need a closer look."""
    return type(text) is str and len(text) <= _WORD and _means_itself(text)


@lru_cache(maxsize=4096)  # manifests share their keys
def _means_itself(text: str) -> bool:
    return text != "<<" and isinstance(resolve(text), str)


class _Builder:
    """Turns one composed document into plain data, collecting what Kubernetes would misread or refuse."""

    def __init__(self, places: Places, *, has_anchors: bool) -> None:
        self.findings: list[Diagnostic] = []
        self._places = places
        self._has_anchors = has_anchors  # without one, no value stands in two places
        self._seen: set[int] = set()
        self._repeated = 0

    def build(self, root: Any) -> Any:
        try:
            return self._value(root, 0)
        except _LimitError as limit:
            self.findings.append(limit.finding(self._places))
            return None

    def _value(self, node: Any, depth: int) -> Any:
        if self._has_anchors:
            self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if depth >= MAX_DEPTH:
            self._too_deep(node)
        if node.tag not in (PLAIN, _QUOTED, CORE + "map", CORE + "seq"):
            self._found(rules.UNKNOWN_TAG, node, f"the tag {node.tag} has no meaning in a manifest")
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, depth + 1) for item in node.value]
        return self._mapping(node, depth)

    def _count(self, node: Any) -> None:
        if id(node) not in self._seen:
            self._seen.add(id(node))
            return
        self._repeated += 1 + len(node.value) // _LETTERS
        if self._repeated > MAX_ALIASED:
            message = f"aliases repeat more than {MAX_ALIASED:,} values or too much text"
            raise _LimitError(rules.ALIAS_BOMB, message, node.start_mark.index)

    def _too_deep(self, node: Any) -> NoReturn:
        rule, message = rules.TOO_DEEP, f"nested more than {MAX_DEPTH} levels deep"
        if self._repeated:
            rule, message = rules.ALIAS_BOMB, "an alias stands inside its own anchor, or aliases nest too deep"
        raise _LimitError(rule, message, node.start_mark.index)

    def _mapping(self, node: Any, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        places: dict[str | None, Any] = {}
        merge = None
        for key_node, value_node in node.value:
            if key_node.tag == PLAIN and not self._has_anchors and _is_word(key_node.value):
                key: str | None = key_node.value
            elif is_merge(key_node):
                if merge is not None:
                    self._repeated_key("<<", key_node, merge)
                merge = key_node
                self._merge(key_node, value_node, depth, data, places)
                continue
            else:
                key = self._key(key_node)
            if key in places:
                self._repeated_key(key, key_node, places[key])
            value = self._value(value_node, depth + 1)
            if key is not None:
                places.setdefault(key, key_node)
                data[key] = value
        return data

    def _merge(self, key: Any, node: Any, depth: int, data: dict[str, Any], places: dict[str | None, Any]) -> None:
        if depth >= MAX_DEPTH:
            self._too_deep(node)
        merged: dict[str, Any] = {}
        here = key.start_mark.index  # what an alias stands for was written before
        is_list = isinstance(node, yaml.SequenceNode) and node.start_mark.index > here
        for source in reversed(node.value if is_list else [node]):
            if not isinstance(source, yaml.MappingNode):
                place = source if source.start_mark.index > here else key
                self._found(rules.MERGE_SOURCE, place, "<< merges mappings only")
                continue
            self._count(source)
            merged.update(self._mapping(source, depth + 1))
        for name, value in merged.items():
            if name in places:
                self._found(rules.MERGE_ORDER, places[name], f'"{name}" stands before << and in what it merges')
            data.setdefault(name, value)

    def _key(self, node: Any) -> str | None:
        """Return the text of a key; None, and a finding, when it cannot be one."""
        if not isinstance(node, yaml.ScalarNode):
            self._found(rules.KEY_NOT_TEXT, node, "a mapping key must be a plain word or a quoted text")
            return None
        self._count(node)
        if self._is_too_large(node):
            return None
        key: str = node.value
        if node.tag not in _TEXTS and not isinstance(meant := resolve(key), str):
            message = f"the key {key or 'is empty and'} means {meaning(meant)} to Kubernetes"
            self._found(rules.KEY_NOT_TEXT, node, message, f'write "{key}" in quotes if the text is meant')
        elif node.tag not in _TEXTS:
            self._check_tag(node, key)
        return key

    def _repeated_key(self, key: str | None, node: Any, first: Any) -> None:
        related = ((self._places.at(first.start_mark.index), "first written here"),)
        message = f'the key "{key}" is written twice in one mapping'
        self._found(rules.DUPLICATE_KEY, node, message, related=related)

    def _scalar(self, node: Any) -> Any:
        if self._is_too_large(node):
            return ""
        if node.tag in _TEXTS:
            return node.value
        value = resolve(node.value)
        if type(value) is str and node.tag == PLAIN:
            return value
        self._check_tag(node, value)
        if isinstance(value, float) and value - value != 0:
            self._found(rules.NOT_JSON, node, f"{node.value} has no form in a Kubernetes object")
            value = 0
        return whole(value)

    def _is_too_large(self, node: Any) -> bool:
        size = len(node.value)
        if size > MAX_SCALAR:
            self._found(rules.TOO_LARGE, node, f"a text of {size:,} characters; the limit is {MAX_SCALAR:,}")
        return size > MAX_SCALAR

    def _check_tag(self, node: Any, value: Scalar) -> None:
        if node.tag != PLAIN and not fits(node.tag.removeprefix(CORE), value):
            message = f"the tag {node.tag} does not fit {node.value!r} or has no meaning in a manifest"
            self._found(rules.UNKNOWN_TAG, node, message)

    def _found(self, rule: Rule, node: Any, message: str, remedy: str = "", related: Related = ()) -> None:
        self.findings.append(rule.in_text(self._places, node.start_mark.index, message, remedy=remedy, related=related))


def _decode(text: str | bytes, file: str) -> tuple[str, list[Diagnostic]]:
    if len(text) > MAX_TEXT:
        message = f"the text is {len(text):,} bytes long; the limit is {MAX_TEXT:,}"
        return "", [rules.TOO_LARGE.in_text(Places("", file), 0, message)]
    if isinstance(text, str):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return "", [_forbidden(text, error.start, Places(text, file))]
        return text.lstrip("\ufeff"), []
    bom, encoding = next((known for known in _BOMS if text.startswith(known[0])), (b"", "utf-8"))
    body = text[len(bom) :]
    try:
        return body.decode(encoding).lstrip("\ufeff"), []
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding)
        message = f"byte {len(bom) + error.start} is not valid {'UTF-8' if encoding == 'utf-8' else 'UTF-16'}"
        return "", [rules.ENCODING.in_text(Places(before, file), len(before), message)]


def _unreadable(error: yaml.YAMLError, text: str, places: Places) -> Diagnostic:
    """Translate what libyaml could not read; its words stay, a remedy is added for the usual causes."""
    if isinstance(error, _LimitError):
        return error.finding(places)
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        found = re.search(_FORBIDDEN, text)
        return _forbidden(text, found.start() if found else 0, places)
    offset = min(mark.index, len(text))
    context = getattr(error, "context", None)
    message = f"{context}: {problem}" if context else problem
    remedy = ""
    if re.search(r"(?:^|[\r\n]) *\t[^\r\n]*\Z", text[: offset + 1]):
        remedy = "indent with spaces; YAML does not allow tabs there"
    elif "mapping values are not allowed" in problem:
        remedy = "put quotes around a text that contains a colon and a space, or check the indentation"
    rule = rules.TOO_DEEP if "nesting depth" in problem else rules.SYNTAX
    return rule.in_text(places, offset, message, remedy=remedy)


def _forbidden(text: str, offset: int, places: Places) -> Diagnostic:
    character = f"U+{ord(text[offset]):04X}" if text else "an empty text"
    return rules.ENCODING.in_text(places, offset, f"the character {character} may not stand in YAML")
