"""Texts to documents: how many there are, in whatever encoding and with whatever line ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nvcre_render import source
from nvcre_render.document import Document
from nvcre_render.positions import Position

if TYPE_CHECKING:
    from nvcre_render.positions import Path

FILE = "run.yaml"

MANIFEST = """\
metadata:
  labels: {app: web, "tier":  'back'}
spec:
  args:
  - one
  - name: deep
  script: |
    echo
  tagged: !!str 5
"""


def read(text: str | bytes) -> list[Document]:
    """Read a text in which nothing is wrong."""
    documents, findings = source.read(text, FILE)
    assert list(map(str, findings)) == []
    return documents


def data(text: str | bytes) -> list[Any]:
    return [document.data for document in read(text)]


def place(position: Position | None) -> str:
    assert position is not None
    assert position.file == FILE
    return f"{position.line}:{position.column}"


@pytest.mark.parametrize("ends", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_the_kind_of_line_end_moves_nothing(ends: str) -> None:
    (unix,), (other,) = read(MANIFEST), read(MANIFEST.replace("\n", ends))
    paths: list[Path] = [("metadata", "labels", "tier"), ("spec", "args", 1, "name"), ("spec", "tagged")]
    assert other.data == unix.data
    assert [other.position(path) for path in paths] == [unix.position(path) for path in paths]
    assert [other.key_position(path) for path in paths] == [unix.key_position(path) for path in paths]


def test_block_text_keeps_no_carriage_return() -> None:
    assert data("script: |\r\n  a\r\n  b\r\n") == [{"script": "a\nb\n"}]


def test_columns_count_characters() -> None:
    (document,) = read('{é: "😀", b: ü}\n')
    # { é : space " 😀 " , space b : space ü
    assert place(document.key_position(("b",))) == "1:10"
    assert place(document.position(("b",))) == "1:13"


@pytest.mark.parametrize(
    "mark",
    ["\x85", "\u2028", "\u2029"],
    ids=["NEL", "LS", "PS"],
)
def test_a_line_end_only_yaml_knows_starts_no_line_in_an_editor(mark: str) -> None:
    (document,) = read(f"a: x{mark}b: 1\nc: 2\n")
    assert document.data == {"a": "x", "b": 1, "c": 2}
    assert place(document.key_position(("b",))) == "1:6"
    assert place(document.key_position(("c",))) == "2:1"


@pytest.mark.parametrize(
    "encoded",
    [
        "\ufeffa: 1\n",
        b"\xef\xbb\xbfa: 1\n",
        b"\xff\xfe" + "a: 1\n".encode("utf-16-le"),
        b"\xfe\xff" + "a: 1\n".encode("utf-16-be"),
    ],
    ids=["text", "UTF-8", "UTF-16 LE", "UTF-16 BE"],
)
def test_a_byte_order_mark_is_no_column(encoded: str | bytes) -> None:
    (document,) = read(encoded)
    assert document.data == {"a": 1}
    assert (place(document.key_position(("a",))), place(document.position(("a",)))) == ("1:1", "1:4")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_text_beyond_ascii_is_the_same_in_every_encoding(encoding: str) -> None:
    (document,) = read("ü: [é, 😀, x]\n".encode(encoding))
    assert document.data == {"ü": ["é", "😀", "x"]}
    assert place(document.position(("ü", 2))) == "1:11"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n", []),
        ("# only a comment\n", []),
        ("---\n", []),
        ("---\n---\n", []),
        ("---\n# nothing\n...\n", []),
        ("null\n", []),
        ("~\n--- Null\n", []),
        ("a: 1\n", [{"a": 1}]),
        ("---\na: 1\n", [{"a": 1}]),
        ("--- {a: 1}\n", [{"a": 1}]),
        ("--- # comment\na: 1\n", [{"a": 1}]),
        ("---\n---\na: 1\n", [{"a": 1}]),
        ("# comment\n---\na: 1\n", [{"a": 1}]),
        ("a: 1\n---\n", [{"a": 1}]),
        ("a: 1\n...\n", [{"a": 1}]),
        ("a: 1\n...\n# end\n", [{"a": 1}]),
        ("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("---\na: 1\n...\n---\nb: 2\n...\n", [{"a": 1}, {"b": 2}]),
        ("a: 1\n---\n# empty\n---\nb: 2\n---\n", [{"a": 1}, {"b": 2}]),
        ("%YAML 1.1\n---\na: 1\n", [{"a": 1}]),
        ("just text\n", ["just text"]),
        ("- 1\n---\n5\n---\nfalse\n", [[1], 5, False]),
        ("{}\n---\n[]\n---\n''\n", [{}, [], ""]),
    ],
)
def test_every_document_that_holds_something_is_read(text: str, expected: list[Any]) -> None:
    assert data(text) == expected


def test_places_count_the_lines_of_the_whole_text() -> None:
    first, second = read("# one\na: 1\n---\n# two\n\nb: {c: 2}\n")
    assert place(first.position(("a",))) == "2:4"
    assert place(second.position(("b", "c"))) == "6:8"
    assert second.position(("a",)) == Position(file=FILE, line=6, column=1)
