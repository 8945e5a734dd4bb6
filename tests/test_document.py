"""The place of every key, value and item; every expected place is counted by hand in the text above it."""

from __future__ import annotations

import copy
import datetime as dt
import time
from collections import OrderedDict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

import nvcre_render as nr
from nvcre_render import source
from nvcre_render.document import Document, from_mapping
from nvcre_render.positions import Position

if TYPE_CHECKING:
    from nvcre_render.positions import Path

FILE = "run.yaml"

BLOCK = """\
apiVersion: v1
metadata:
  name: run
  labels: {app: web, "tier":  'back'}
spec:
  args:
  - one
  -   two
  - - 1
    - name: deep
  script: |
    echo
  empty:
  'quoted key': &anchor value
  alias: *anchor
  ? long
  : short
  tagged: !!str 5
"""

MERGED = """\
base: &base
  cpu: 1
more: &more {cpu: 2, mem: 3, disk: 4}
run:
  <<: [*base, *more]
  gpu: 5
  disk: 6
"""


def read(text: str | bytes) -> list[Document]:
    """Read a text in which nothing is wrong."""
    documents, findings = source.read(text, FILE)
    assert list(map(str, findings)) == []
    return documents


def place(position: Position | None) -> str:
    assert position is not None
    assert position.file == FILE
    return f"{position.line}:{position.column}"


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("apiVersion",), "1:1", "1:13"),
        (("metadata",), "2:1", "3:3"),
        (("metadata", "name"), "3:3", "3:9"),
        (("metadata", "labels"), "4:3", "4:11"),
        (("metadata", "labels", "app"), "4:12", "4:17"),
        (("metadata", "labels", "tier"), "4:22", "4:31"),
        (("spec",), "5:1", "6:3"),
        (("spec", "args"), "6:3", "7:3"),
        (("spec", "args", 0), "7:5", "7:5"),
        (("spec", "args", 1), "8:7", "8:7"),
        (("spec", "args", 2), "9:5", "9:5"),
        (("spec", "args", 2, 0), "9:7", "9:7"),
        (("spec", "args", 2, 1), "10:7", "10:7"),
        (("spec", "args", 2, 1, "name"), "10:7", "10:13"),
        (("spec", "script"), "11:3", "11:11"),
        (("spec", "empty"), "13:3", "13:9"),
        (("spec", "quoted key"), "14:3", "14:17"),
        # An aliased value is where it was written, its key where it is used.
        (("spec", "alias"), "15:3", "14:17"),
        (("spec", "long"), "16:5", "17:5"),
        (("spec", "tagged"), "18:3", "18:11"),
    ],
)
def test_every_key_value_and_item_has_its_place(path: Path, key: str, value: str) -> None:
    (document,) = read(BLOCK)
    assert (place(document.key_position(path)), place(document.position(path))) == (key, value)


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("run", "cpu"), "2:3", "2:8"),  # the first mapping of the list wins
        (("run", "mem"), "3:22", "3:27"),
        (("run", "gpu"), "6:3", "6:8"),
        (("run", "disk"), "7:3", "7:9"),  # the mapping's own key wins
        (("run",), "4:1", "5:3"),
    ],
)
def test_merged_keys_have_the_place_where_they_were_written(path: Path, key: str, value: str) -> None:
    (document,) = read(MERGED)
    assert document.data["run"] == {"cpu": 1, "mem": 3, "disk": 6, "gpu": 5}
    assert (place(document.key_position(path)), place(document.position(path))) == (key, value)


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ((), "1:1"),
        (("nope",), "1:1"),
        (("spec", "nope"), "6:3"),
        (("spec", "nope", "deeper", 3), "6:3"),
        (("spec", "args", 3), "7:3"),
        (("spec", "args", "name"), "7:3"),
        (("spec", 0), "6:3"),
        (("apiVersion", "x"), "1:13"),
    ],
)
def test_what_is_absent_is_placed_at_the_nearest_enclosing_value(path: Path, nearest: str) -> None:
    (document,) = read(BLOCK)
    assert (place(document.position(path)), place(document.key_position(path))) == (nearest, nearest)


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("a: 0x10", "0x10"),
        ("a: 1_000", "1_000"),
        ("a: Yes", "Yes"),
        ("a: ~", "~"),
        ("a:", ""),
        ("a: '08'", "08"),
        ("a: !!str 08", "08"),
        ("a: |\n  x\n", "x\n"),
        ("a: &x 1.50", "1.50"),
        ("a: [1]", None),
        ("a: {b: 1}", None),
    ],
)
def test_a_scalar_can_be_quoted_as_it_was_typed(text: str, raw: str | None) -> None:
    (document,) = read(text)
    assert document.raw(("a",)) == raw


def test_asking_for_the_place_of_each_of_many_keys_takes_linear_time() -> None:
    (document,) = read("spec:\n" + "".join(f"  key{number}: 1\n" for number in range(20_000)))
    began = time.process_time()
    places = [document.key_position(("spec", f"key{number}")) for number in range(20_000)]
    assert time.process_time() - began < 2
    assert place(places[-1]) == "20001:3"


# Documents without text


def test_a_mapping_is_copied_and_never_changed() -> None:
    given: dict[str, Any] = {"spec": {"args": ["a", {"b": [1]}], "n": 2.0}, "x": None}
    before = copy.deepcopy(given)
    document = from_mapping(given, FILE)
    document.data["spec"]["args"][1]["b"].append("changed here")
    document.data["spec"]["new"] = 1
    assert given == before
    assert type(given["spec"]["n"]) is float
    given["spec"]["args"].append("changed there")
    assert document.data["spec"]["args"] == ["a", {"b": [1, "changed here"]}]


def test_any_mapping_and_sequence_becomes_a_plain_one() -> None:
    given = MappingProxyType({"a": OrderedDict(b=(1, (2.0, 2.5, 1e21))), "c": MappingProxyType({})})
    copied = from_mapping(given, FILE).data
    assert copied == {"a": {"b": [1, [2, 2.5, 1e21]]}, "c": {}}
    kinds = [type(copied), type(copied["a"]), type(copied["a"]["b"]), type(copied["a"]["b"][1]), type(copied["c"])]
    assert kinds == [dict, dict, list, list, dict]
    assert list(map(type, copied["a"]["b"][1])) == [int, float, float]


@pytest.mark.parametrize("path", [(), ("a",), ("a", "b"), ("a", "b", 0), ("nope",)])
def test_a_document_from_a_mapping_has_no_places(path: Path) -> None:
    document = from_mapping({"a": {"b": [1]}}, FILE)
    assert document.file == FILE
    assert (document.position(path), document.key_position(path), document.raw(path)) == (None, None, None)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("metadata", "name"), {"metadata": {"name": "new", "namespace": "team"}, "spec": {"a": [1]}}),
        (("metadata", "labels", "x"), {"metadata": {"name": "old", "namespace": "team", "labels": {"x": "new"}}}),
        (("metadata", "name", "first"), {"metadata": {"name": {"first": "new"}, "namespace": "team"}}),
        (("spec",), {"spec": "new"}),
        (("kind",), {"kind": "new"}),
        (("status", "phase"), {"status": {"phase": "new"}}),
    ],
)
def test_a_replaced_value_leaves_the_document_as_it_was(path: Path, expected: dict[str, Any]) -> None:
    (document,) = read("metadata: {name: old, namespace: team}\nspec: {a: [1]}\n")
    before = copy.deepcopy(document.data)
    changed = document.replaced(path, "new")
    assert changed.data == {**before, **expected}
    assert document.data == before


def test_a_replaced_value_keeps_the_places() -> None:
    (document,) = read("metadata:\n  name: old\n")
    changed = document.replaced(("metadata", "name"), "new")
    assert changed.file == FILE
    assert place(changed.position(("metadata", "name"))) == "2:9"
    assert place(changed.key_position(("metadata", "name"))) == "2:3"
    assert changed.raw(("metadata", "name")) == "old"
    assert document.replaced((), [1]).data == [1]
    assert from_mapping({"a": 1}, FILE).replaced(("a",), 2).position(("a",)) is None


def cycle() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["spec"] = made
    return made


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"spec": {"day": dt.date(2001, 1, 1)}}, "spec.day: a date has no form in a Kubernetes object"),
        ({"spec": {"data": b"x"}}, "spec.data: a bytes has no form in a Kubernetes object"),
        ({"spec": {"ratio": float("inf")}}, "spec.ratio: inf has no form in a Kubernetes object"),
        ({"spec": {1: "x"}}, "spec: the key 1 is not a text"),
        ({"spec": ["\ud800"]}, "spec[0]: the text holds half of a surrogate pair"),
        (cycle(), "nested more than 100 levels deep, or a value stands inside itself"),
    ],
    ids=["date", "bytes", "infinity", "key", "surrogate", "cycle"],
)
def test_a_mapping_that_is_no_json_is_refused_with_its_path(given: dict[str, Any], message: str) -> None:
    with pytest.raises(nr.RenderError) as refusal:
        nr.render(given, gpu_arch="h100")
    (found,) = refusal.value.diagnostics
    assert found.code == "NR109"
    assert message in found.headline
