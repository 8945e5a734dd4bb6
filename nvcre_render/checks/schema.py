"""One walk over a document along its JSON Schema: what does not fit is a finding, what fits is normalised.

Normalised means written as Go writes the typed object: null is absent, zero values of plain optional fields
vanish, fields without omitempty are always there, quantities and durations have their canonical text, and keys
stand in the order of the API. Two keywords of the schemas carry the Go facts: `x-go-pointer` (an explicit zero
is kept) and `x-go-default` (the value of a key that is always written).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from nvcre_render import duration, quantity
from nvcre_render.checks import field_rules as rules
from nvcre_render.document import Document
from nvcre_render.package_data import read_text
from nvcre_render.positions import field_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic, Rule

    Schema = dict[str, Any]

ABSENT: Any = object()
_ANY_TEXT = {"type": "string"}
_LIMITS = ("const", "enum", "format", "minLength", "maxLength", "pattern")
_KNOWN = "x-walk"  # the keyword under which the walk keeps what it worked out about a type
_KINDS = {
    str: "a text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a mapping",
}
_TYPES = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}
_NAMES = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
}


@lru_cache(maxsize=8)
def load(name: str) -> Schema:
    """Return the schema `name`, such as workloadrun.v1alpha1; the result is shared and must not be changed."""
    schema: Schema = json.loads(read_text("schemas", f"{name}.json"))
    return schema


def check(document: Document, name: str) -> tuple[Any, list[Diagnostic]]:
    """Return the normalised data of `document` and everything in it that the schema `name` refuses."""
    walk = Walk(document, load(name))
    data = walk.value(document.data, walk.root)
    return data, walk.findings


def normalise(value: Any, name: str, definition: str) -> tuple[Any, list[Diagnostic]]:
    """Return a piece of a document as Go writes it back, and what `definition` of the schema `name` refuses in it.

    Unknown keys are dropped, values of a wrong type are left out; each is a finding whose path starts at the piece.
    """
    walk = Walk(Document("", value), load(name))
    return walk.value(value, walk.root["$defs"][definition]), walk.findings


class Walk:
    """Descends schema and document together; `path` is where it stands."""

    def __init__(self, document: Document, root: Schema) -> None:
        """Stand at the head of a document; `path` may be set to walk a piece of it."""
        self.document = document
        self.root = root
        self.findings: list[Diagnostic] = []
        self.path: list[str | int] = []

    def value(self, value: Any, schema: Schema) -> Any:
        """Return `value` normalised, or ABSENT where it does not fit."""
        if "$ref" in schema:
            schema = self._resolved(schema)
        kind = schema.get("type")
        if kind is None:
            return _sorted(value)
        if kind == "object" and type(value) is dict:
            return self._mapping(value, schema)
        if not _is_a(value, kind):
            self._wrong_type(value, schema)
            return ABSENT
        if kind == "array":
            return self._list(value, schema)
        if kind in ("integer", "number"):
            return self._number(value, schema)
        return value if kind == "boolean" else self._text(value, schema)

    def _mapping(self, value: dict[str, Any], schema: Schema) -> dict[str, Any]:
        fields: dict[str, Schema] = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        if schema.get("required"):
            self._required(value, schema)
        result: dict[str, Any] = {}
        places, always, plain = schema.get(_KNOWN) or _learn(schema, fields)
        for key in _ordered(value, places, always):
            given, field = value.get(key), fields[key]
            if given is None:
                found = ABSENT
            elif type(given) is str and key in plain:
                found = given
            else:
                self.path.append(key)
                found = self.value(given, field)
                self.path.pop()
            if found is not ABSENT and (found or "x-go-pointer" in field or "x-go-default" in field):
                result[key] = found
            elif "x-go-default" in field:
                result[key] = _copy(field["x-go-default"])
        for key, given in value.items():
            if key in fields:
                continue
            if others is False:
                self._unknown(key, schema)
            elif others is True:
                result[key] = _sorted(given)
            elif others == _ANY_TEXT and type(given) is str:
                result[key] = given
            elif (found := self._at(key, given, others)) is not ABSENT:
                result[key] = found
        return result if others is False else dict(sorted(result.items()))

    def _list(self, value: list[Any], schema: Schema) -> list[Any]:
        self._sized(value, schema, "items")
        items = schema.get("items", {})
        if items == _ANY_TEXT and all(type(item) is str for item in value):
            return list(value)
        found = (self._at(index, item, items) for index, item in enumerate(value))
        return [{} if item is ABSENT else item for item in found]

    def _at(self, step: str | int, value: Any, schema: Schema) -> Any:
        self.path.append(step)
        result = self.value(value, schema)
        self.path.pop()
        return result

    def _number(self, value: float, schema: Schema) -> float:
        least, most = _RANGES.get(schema.get("format", ""), (None, None))
        low, high = schema.get("minimum", least), schema.get("maximum", most)
        if (low is not None and value < low) or (high is not None and value > high):
            allowed = f"at least {low}" if high is None or (low is not None and value < low) else f"at most {high}"
            self._found(rules.OUT_OF_RANGE, f"{value} is out of range", f"write a number of {allowed}")
        return value

    def _text(self, value: Any, schema: Schema) -> Any:
        allowed = [schema["const"]] if "const" in schema else schema.get("enum")
        if allowed is not None and value not in allowed:
            self._unknown_value(value, [text for text in allowed if text])
            return ABSENT
        form = schema.get("format")
        if form in _CANONICAL:
            return self._canonical(value, form)
        if isinstance(value, str) and self._sized(value, schema, "characters"):
            pattern = schema.get("pattern")
            if pattern is not None and not _pattern(pattern).search(value):
                self._malformed(value, pattern)
        return value

    def _canonical(self, value: Any, form: str) -> Any:
        try:
            return _CANONICAL[form](value)
        except ValueError as error:
            self._found(rules.MALFORMED, str(error), _FORMS[form])
            return ABSENT

    def _required(self, value: dict[str, Any], schema: Schema) -> None:
        for key in schema.get("required", ()):
            if value.get(key) is None and not _misspelt(key, value, schema):
                field = schema["properties"].get(key, {})
                remedy = f"add {key}: with {self._shape(field)}"
                self._found(rules.MISSING_FIELD, f'the required field "{key}" is missing', remedy, on_key=True)

    def _shape(self, field: Schema) -> str:
        """Say what the field takes, as far as half a sentence can: "a list of mappings that have name"."""
        field = self._resolved(field)
        if "const" in field:
            return str(field["const"])
        text = _names(field.get("type", "object"))
        item = self._resolved(field.get("items", {}))
        required = ", ".join(field.get("required") or item.get("required") or ())
        if item.get("type") == "object":
            return f"{text} of mappings that have {required}" if required else f"{text} of mappings"
        return f"{text} that has {required}" if required else text

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" not in schema:
            return schema
        definition: Schema = self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return definition

    def _sized(self, value: Any, schema: Schema, unit: str) -> bool:
        """Tell whether a text or list is neither too short nor too long."""
        noun = {"characters": "Length", "items": "Items"}[unit]
        low, high = schema.get(f"min{noun}"), schema.get(f"max{noun}")
        if low is not None and len(value) < low:
            self._found(rules.OUT_OF_RANGE, f"must have at least {low} {unit.rstrip('s') if low == 1 else unit}")
        elif high is not None and len(value) > high:
            self._found(rules.OUT_OF_RANGE, f"has {len(value)} {unit}; the maximum is {high}")
        else:
            return True
        return False

    def _wrong_type(self, value: Any, schema: Schema) -> None:
        kind = schema["type"]
        names = _names(kind)
        if kind == "string" and not isinstance(value, (list, dict)):
            self._unquoted(value)
        elif isinstance(value, str) and kind in ("integer", "boolean", "number"):
            shown = f'the text "{value}" stands where {names} belongs'
            remedy = f"write {value} without quotes" if _unquotes(value, kind) else f"write {names}"
            self._found(rules.QUOTED_NUMBER, shown, remedy)
        else:
            found = _KINDS.get(type(value), "nothing")
            self._found(rules.WRONG_TYPE, f"{found} stands where {names} belongs", f"write {self._shape(schema)}")

    def _unquoted(self, value: Any) -> None:
        typed = self.document.raw(tuple(self.path))
        text = json.dumps(value) if typed is None else typed
        meaning = "null" if value is None else str(value).lower() if isinstance(value, bool) else f"the number {value}"
        remedy = f'write "{text}" in quotes' if text else 'write "" for an empty text'
        if self.path[-1:] in (["timeoutPerJob"], ["sampleInterval"]):
            remedy = "write a Go duration such as 90s, 15m or 1h30m"
        self._found(rules.UNQUOTED_TEXT, f"{text or 'nothing'} means {meaning} where a text belongs", remedy)

    def _unknown(self, key: str, schema: Schema) -> None:
        from nvcre_render.checks.spelling import placement, suggestion

        self.path.append(key)
        near = suggestion(key, schema.get("properties", {}))
        elsewhere = None if near else placement(key, self.root, tuple(self.path[:-1]))
        known = ", ".join(schema.get("properties", {}))
        hint = f'did you mean "{near}"?' if near else elsewhere or f"the fields here are {known}"
        self._found(rules.UNKNOWN_FIELD, f'unknown field "{key}"', hint, on_key=True)
        self.path.pop()

    def _unknown_value(self, value: Any, allowed: list[str]) -> None:
        from nvcre_render.checks.spelling import suggestion

        near = suggestion(str(value), allowed)
        choice = f"write {' or '.join(allowed)}"
        self._found(
            rules.UNKNOWN_VALUE,
            f'"{value}" is not a value of this field',
            choice + (f'; did you mean "{near}"?' if near and len(allowed) > 1 else ""),
        )

    def _malformed(self, value: str, pattern: str) -> None:
        shape = _SHAPES.get(self.path[-1]) or _SHAPES.get(self.path[-2] if len(self.path) > 1 else "")
        message = f'"{value}" does not have the form of this field'
        self._found(rules.MALFORMED, message, shape or f"write a text that matches {pattern}")

    def _found(self, rule: Rule, message: str, remedy: str = "", *, on_key: bool = False) -> None:
        path = tuple(self.path)
        name = self._item_name()
        finding = rule.at(
            self.document,
            path,
            f"{field_path(path)}{name}: {message}" if path else message,
            remedy=remedy,
            on_key=on_key,
        )
        self.findings.append(finding)

    def _item_name(self) -> str:
        """Name the innermost list item on the way, since an index alone tells people little."""
        item: Any = self.document.data
        name = ""
        for step in self.path:
            try:
                item = item[step]
            except (KeyError, IndexError, TypeError):
                break
            if isinstance(step, int) and isinstance(item, dict) and isinstance(item.get("name"), str):
                name = f' ("{item["name"]}")'
        return name


def _learn(schema: Schema, fields: Schema) -> tuple[dict[str, int], list[str], set[str]]:
    """Return the order of a type's fields, those that are always written, and the texts that may be anything.

    Most types have dozens of fields, of which a manifest gives two or three; so this is kept beside the schema.
    """
    places = {key: place for place, key in enumerate(fields)}
    always = [key for key, field in fields.items() if "x-go-default" in field]
    plain = {key for key, field in fields.items() if field.get("type") == "string" and field.keys().isdisjoint(_LIMITS)}
    schema[_KNOWN] = known = (places, always, plain)
    return known


def _ordered(value: dict[str, Any], places: dict[str, int], always: list[str]) -> list[str]:
    """Return the fields that are given or always written, in the order of the schema."""
    found = [key for key in value if key in places]
    found += [key for key in always if key not in value]
    if len(found) > 1:
        found.sort(key=places.__getitem__)
    return found


def _misspelt(key: str, value: dict[str, Any], schema: Schema) -> bool:
    """Tell whether a required field is there under a near spelling, which is a finding of its own."""
    fields = schema.get("properties", {})
    unknown = value.keys() - fields.keys()
    if not unknown or key in value:
        return False
    from nvcre_render.checks.spelling import suggestion

    return any(suggestion(each, fields) == key for each in unknown)


def _sorted(value: Any) -> Any:
    """Copy free JSON with its keys in order, as Go re-emits it."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _names(kind: str | list[str]) -> str:
    return _NAMES[kind] if isinstance(kind, str) else " or ".join(map(_names, kind))


def _copy(value: Any) -> Any:
    return {key: _copy(item) for key, item in value.items()} if isinstance(value, dict) else value


def _is_a(value: Any, kind: str | list[str]) -> bool:
    if isinstance(kind, list):
        return any(_is_a(value, one) for one in kind)
    expected = _TYPES[kind]
    return isinstance(value, expected) and (kind == "boolean" or not isinstance(value, bool))  # type: ignore[arg-type]


def _unquotes(text: str, kind: str) -> bool:
    if kind == "boolean":
        return text in ("true", "false")
    return text.lstrip("-").isdigit() and not (len(text) > 1 and text[0] == "0")


@lru_cache(maxsize=64)
def _pattern(text: str) -> re.Pattern[str]:
    # Python's $ also matches before a final line feed, which Kubernetes' does not.
    return re.compile(text.replace("$", r"\Z"))


_RANGES: dict[str, tuple[int | None, int | None]] = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_CANONICAL = {"quantity": quantity.canonical, "duration": duration.canonical}
_FORMS = {
    "quantity": "write a number with an optional suffix, such as 500m, 2, 16Gi",
    "duration": "write a Go duration such as 90s, 15m or 1h30m",
}
_SHAPES: dict[str | int, str] = {
    "storageSize": "write a number with Ki, Mi, Gi, Ti, Pi or Ei, such as 500Gi",
    "nicResourceName": "write a resource name such as rdma/ib or nvidia.com/mlnxnics",
    "queue": "write letters, digits, '-', '_' or '.', beginning and ending with a letter or digit, 63 at most",
    "queueLabelKey": "write a label key such as kai.scheduler/queue",
    "priorityClassName": "write lower-case letters, digits, '-' and '.', such as high-priority",
    "labels": "write letters, digits, '-', '_' or '.', beginning and ending with a letter or digit, 63 at most",
}
