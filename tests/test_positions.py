"""Places in a text as editors count them, and field paths as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nvcre_render.positions import Places, Position, field_path

if TYPE_CHECKING:
    from nvcre_render.positions import Path


def at(line: int, column: int) -> Position:
    return Position(file="run.yaml", line=line, column=column)


def test_a_position_shows_as_compilers_show_it() -> None:
    assert str(at(3, 7)) == "run.yaml:3:7"


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("abc", 0, 1, 1),
        ("abc", 2, 1, 3),
        ("abc", 3, 1, 4),
        ("", 0, 1, 1),
        ("a\nb", 1, 1, 2),
        ("a\nb", 2, 2, 1),
        ("a\n", 2, 2, 1),
        ("\n\nx", 2, 3, 1),
        ("a\r\nb", 3, 2, 1),
        ("a\r\nb", 1, 1, 2),
        ("a\rb\nc", 4, 3, 1),
        ("\r\r\n\r", 3, 3, 1),
        ("é😀x\n", 2, 1, 3),
        ("a\x85b\u2028c\u2029d\x0be\x0cf", 10, 1, 11),
    ],
)
def test_lines_are_those_an_editor_shows(text: str, offset: int, line: int, column: int) -> None:
    assert Places(text, "run.yaml").at(offset) == at(line, column)


def test_places_may_be_asked_in_any_order() -> None:
    text = "ab\ncd\n\nef"
    expected = [at(1, 1), at(1, 2), at(1, 3), at(2, 1), at(2, 2), at(2, 3), at(3, 1), at(4, 1), at(4, 2), at(4, 3)]
    places = Places(text, "run.yaml")
    order = [7, 0, 9, 3, 3, 8, 1, 6, 2, 5, 4]
    assert {offset: places.at(offset) for offset in order} == dict(enumerate(expected))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec",), "spec"),
        (("spec", "volumes", 2, "name"), "spec.volumes[2].name"),
        ((0,), "[0]"),
        ((0, 1, "a"), "[0][1].a"),
        (("a-b", "c_d", "e1"), "a-b.c_d.e1"),
        (("labels", "kai.scheduler/queue"), 'labels["kai.scheduler/queue"]'),
        (("metadata", "labels", "team"), 'metadata.labels["team"]'),
        (("metadata", "annotations", "team", "x"), 'metadata.annotations["team"].x'),
        (("labels", 0, "team"), "labels[0].team"),
        (("data", "run.sh"), 'data["run.sh"]'),
        (("app.kubernetes.io/name", "x"), '["app.kubernetes.io/name"].x'),
        (("a", ""), 'a[""]'),
        (("a", "b c"), 'a["b c"]'),
        (("a", "2"), "a.2"),
    ],
)
def test_a_field_path_reads_as_kubernetes_writes_it(path: Path, text: str) -> None:
    assert field_path(path) == text
