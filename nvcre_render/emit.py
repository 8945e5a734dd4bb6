"""Plain data to YAML or JSON text: the same bytes for the same data, everywhere.

YAML: block style, keys in natural order, lines never folded, several lines as a literal block where YAML can,
quotes around every string that a YAML 1.1 or 1.2 reader would take for something else. JSON: two spaces,
keys in the order given, and Go's escapes of HTML characters. (NVCRE, workload render output.)
"""

from __future__ import annotations

import io
import json
import re
from functools import cmp_to_key, lru_cache

from yaml import events
from yaml._yaml import CEmitter

from nvcre_render.scalars import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_UNFOLDED = -1  # libyaml's word for lines of any length
_SHORT = 64  # characters; longer strings rarely repeat and are not worth remembering
_BREAKS = frozenset("\x85\u2028\u2029")  # line ends to YAML 1.1, so only escapes keep them
# Numbers to some reader of YAML 1.1 or 1.2, whatever Kubernetes makes of them: 1e999 overflows only in Go.
_NUMBER = r"[-+]?(?:0b[01_]*|0o[0-7_]*|0x[0-9a-fA-F_]*|(?:[0-9_]+(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?)"
_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def to_yaml(*documents: Any) -> str:
    r"""Return one YAML text; several documents are separated by `---` lines.

    >>> print(to_yaml({"b": ["08", 8, True, "yes"], "a10": "x: y", "a9": "two\nlines"}), end="")
    a9: |-
      two
      lines
    a10: 'x: y'
    b:
    - "08"
    - 8
    - true
    - "yes"
    """
    stream = io.StringIO()
    writer = _Writer(stream)
    for index, document in enumerate(documents):
        writer.document(document, explicit=index > 0)
    writer.close()
    text = stream.getvalue()
    # libyaml ends a stream with `...` when any of its texts ended in empty lines; nothing needs it.
    return text[: -len("...\n")] if text.endswith("\n...\n") else text


def to_json(document: Any) -> str:
    """Return `document` as JSON text with a final newline."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    for character, escape in _HTML.items():
        if character in text:
            text = text.replace(character, escape)
    return text + "\n"


class _Writer:
    """Feeds libyaml's emitter directly; PyYAML's representer layer would take three times as long."""

    def __init__(self, stream: io.StringIO) -> None:
        self._emitter = CEmitter(stream, width=_UNFOLDED, allow_unicode=True)
        self._emit = self._emitter.emit
        self._emit(events.StreamStartEvent())

    def document(self, value: Any, *, explicit: bool) -> None:
        self._emit(events.DocumentStartEvent(explicit=explicit))
        self._value(value)
        self._emit(events.DocumentEndEvent(explicit=False))

    def close(self) -> None:
        self._emit(events.StreamEndEvent())
        self._emitter.dispose()

    def _value(self, value: Any) -> None:
        if isinstance(value, str):
            self._text(value)
        elif isinstance(value, dict):
            self._mapping(value)
        elif isinstance(value, list):
            self._emit(events.SequenceStartEvent(None, None, True, flow_style=not value))
            for item in value:
                self._value(item)
            self._emit(events.SequenceEndEvent())
        else:
            self._emit(events.ScalarEvent(None, None, (True, False), json.dumps(value)))

    def _mapping(self, value: dict[str, Any]) -> None:
        self._emit(events.MappingStartEvent(None, None, True, flow_style=not value))
        for key in natural_order(tuple(value)):
            self._text(key)
            self._value(value[key])
        self._emit(events.MappingEndEvent())

    def _text(self, text: str) -> None:
        style = _short_style(text) if len(text) < _SHORT else _style(text)
        self._emit(events.ScalarEvent(None, None, (True, True), text, style=style))


def _style(text: str) -> str | None:
    """Return libyaml's style letter; it falls back to quotes by itself where a style cannot hold the text."""
    if not _BREAKS.isdisjoint(text):
        return '"'
    if "\n" in text:
        return "|"
    return '"' if _looks_typed(text) else None


_short_style = lru_cache(maxsize=4096)(_style)


def _looks_typed(text: str) -> bool:
    """Tell whether some YAML reader takes the plain text for another type than a string."""
    if not isinstance(resolve(text), str) or text in ("=", "<<"):
        return True
    if text[0] not in "+-.0123456789":
        return False
    # Readers that follow YAML 1.1 to the letter know base-60 numbers and dates.
    is_date = text[:4].isdigit() and text[4:5] == "-"
    return is_date or (":" in text and not text.strip("+-0123456789_:.")) or bool(re.fullmatch(_NUMBER, text))


@lru_cache(maxsize=4096)
def natural_order(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Sort mapping keys as Go's YAML writer does: digits count as numbers, other characters before letters.

    >>> natural_order(("ab", "a10", "a9", "a_b", "B", "10", "9"))
    ('9', '10', 'B', 'a_b', 'a9', 'a10', 'ab')
    """
    if all(map(str.isalpha, keys)):
        return tuple(sorted(keys))
    # Go's order is no order where digits meet letters (901- < 9aa0 < 19a1 < 901-); sorted first, it does not matter.
    return tuple(sorted(sorted(keys), key=cmp_to_key(_compare)))


def _compare(left: str, right: str) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        if a.isalpha() or b.isalpha():
            return _sign(a, b) if a.isalpha() and b.isalpha() else (1 if a.isalpha() else -1)
        return _compare_numbers(left, right, index)
    return len(left) - len(right)


def _compare_numbers(left: str, right: str, index: int) -> int:
    """Compare from the first difference on, both sides not being letters there."""
    a, b = _digits(left, index), _digits(right, index)
    lead = ""
    if "0" in (left[index], right[index]):
        # A zero after other digits is part of their number: 10 against 1x.
        shared = len(left[:index]) - len(left[:index].rstrip("0123456789"))
        lead = "1" if left[index - shared : index].strip("0") else ""
    first, second = (lead + a).lstrip("0"), (lead + b).lstrip("0")
    if first != second:  # not as int: Python refuses to convert thousands of digits
        return -1 if (len(first), first) < (len(second), second) else 1
    return len(a) - len(b) or _sign(left[index], right[index])


def _digits(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end] in "0123456789":
        end += 1
    return text[start:end]


def _sign(a: str, b: str) -> int:
    return -1 if a < b else 1
