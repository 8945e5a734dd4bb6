"""The written JSON: two spaces, the order given, and Go's escapes. (rendering.md 10.2)"""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest

from nvcre_render import source
from nvcre_render.emit import to_json


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({}, "{}\n"),
        ([], "[]\n"),
        (None, "null\n"),
        ("x", '"x"\n'),
        (
            {"kind": "A", "apiVersion": "v1", "b": [], "a": {}},
            '{\n  "kind": "A",\n  "apiVersion": "v1",\n  "b": [],\n  "a": {}\n}\n',
        ),
        ({"a": [1, {"b": True}]}, '{\n  "a": [\n    1,\n    {\n      "b": true\n    }\n  ]\n}\n'),
        ({"a": 1.5, "b": 1e21, "c": 2**64 - 1}, '{\n  "a": 1.5,\n  "b": 1e+21,\n  "c": 18446744073709551615\n}\n'),
    ],
)
def test_layout(value: Any, written: str) -> None:
    assert to_json(value) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<&>", r'"\u003c\u0026\u003e"'),
        ("a && b > c", r'"a \u0026\u0026 b \u003e c"'),
        ("\u2028\u2029", r'"\u2028\u2029"'),
        (r"\u003c", r'"\\u003c"'),
        ("\\<", r'"\\\u003c"'),
        ('"\\/', r'"\"\\/"'),
        ("\n\r\t\b\f\x00\x1f", r'"\n\r\t\b\f\u0000\u001f"'),
        ("é😀\x7f\x85\ufeff", '"é😀\x7f\x85\ufeff"'),
        ("=~`'#%", '"=~`\'#%"'),
    ],
)
def test_escapes(text: str, written: str) -> None:
    assert to_json(text) == f"{written}\n"
    assert to_json({text: 1}) == f"{{\n  {written}: 1\n}}\n"
    assert json.loads(to_json([text])) == [text]


def test_the_order_given_is_kept_at_every_level() -> None:
    written = to_json({"z": {"b": 1, "a": 2}, "a10": 0, "a9": [{"y": 1, "x": 2}]})
    places = [written.index(f'"{key}"') for key in ("z", "b", "a", "a10", "a9", "y", "x")]
    assert places == sorted(places)


def test_the_data_is_left_as_it_was() -> None:
    data = {"b": ["<", {"&": 1}], "a": 1.0}
    before = copy.deepcopy(data)
    to_json(data)
    assert data == before
    assert list(data) == ["b", "a"]


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_json_cannot_hold_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"a": number})


def test_the_reader_takes_it_back() -> None:
    data = {"<": ["\x85", "\u2028 &", "😀", "\x7f", "\ufffe", "yes", "08"], "1": {"": None, "y": [1.5, True, -1]}}
    (document,), findings = source.read(to_json(data), "out.json")
    assert findings == []
    assert document.data == data
