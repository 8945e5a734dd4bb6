"""Comparison as data: map order is free, list order counts, "@script" equals any non-empty string."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SCRIPT = "@script"
ABSENT = "(absent)"
_KINDS = {type(None): "null", bool: "boolean", int: "integer", float: "float", str: "text"}


@dataclass(frozen=True)
class Difference:
    """One place where the outcome is not the expected one; both sides as text for the reader."""

    path: str
    expected: str
    got: str


def show(value: Any) -> str:
    """A value as JSON, so that 1, 1.0, true and "1" can be told apart."""
    return json.dumps(value, ensure_ascii=False, default=repr)


def compare(expected: Any, got: Any, path: str = "") -> Iterator[Difference]:
    """Every difference between two documents, in the order of the expected one."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        yield from _compare_maps(expected, got, path)
    elif isinstance(expected, list | tuple) and isinstance(got, list | tuple):
        yield from _compare_lists(expected, got, path)
    elif not _same_scalar(expected, got):
        yield Difference(path or "(whole)", show(expected), show(got))


def mentions(texts: Iterable[str], text: str, path: str) -> Iterator[Difference]:
    """A difference for each listed text that does not occur in what the user sees."""
    for index, listed in enumerate(texts):
        if str(listed) not in text:
            yield Difference(f"{path}[{index}]", f"a text that contains {show(listed)}", text or "(nothing)")


def _compare_maps(expected: Mapping[Any, Any], got: Mapping[Any, Any], path: str) -> Iterator[Difference]:
    for key, value in expected.items():
        if key in got:
            yield from compare(value, got[key], join(path, key))
        else:
            yield Difference(join(path, key), show(value), ABSENT)
    for key, value in got.items():
        if key not in expected:
            yield Difference(join(path, key), ABSENT, show(value))


def _compare_lists(
    expected: list[Any] | tuple[Any, ...], got: list[Any] | tuple[Any, ...], path: str
) -> Iterator[Difference]:
    for index, (left, right) in enumerate(zip(expected, got, strict=False)):
        yield from compare(left, right, join(path, index))
    for index in range(len(got), len(expected)):
        yield Difference(join(path, index), show(expected[index]), ABSENT)
    for index in range(len(expected), len(got)):
        yield Difference(join(path, index), ABSENT, show(got[index]))


def _same_scalar(expected: Any, got: Any) -> bool:
    if expected == SCRIPT:
        return isinstance(got, str) and got != ""
    return _kind(expected) == _kind(got) and bool(expected == got)


def _kind(value: Any) -> str:
    # bool is a subclass of int and 1 == 1.0 == True: the kind keeps them apart.
    for kind, name in _KINDS.items():
        if isinstance(value, kind):
            return name
    return type(value).__name__


def join(path: str, key: Any) -> str:
    """The path of a member: `a.b`, `a[0]`, and `a["b/c"]` where the key is no plain word."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not re.fullmatch(r"[\w-]+", str(key)):
        return f"{path}[{show(key)}]"
    return f"{path}.{key}" if path else str(key)
