"""The files of a call: which are read, in what order, and their lines when a finding is shown."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from nvcre_render import Position
from nvcre_render.cli.inputs import Reader

RUN = b"kind: WorkloadRun\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def place(file: str, line: int) -> Position:
    return Position(file=file, line=line, column=1)


def test_files_come_one_by_one_in_the_order_given(folder: Path) -> None:
    for name in ("b.yaml", "d/2.yml", "d/1.json", "d/x.txt", "d/3.YAML"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(RUN)
    read = [name for name, documents, findings in Reader().each(["b.yaml", "d"]) if documents and not findings]
    assert read == ["b.yaml", "d/1.json", "d/2.yml", "d/3.YAML"]


def test_what_cannot_be_read_is_a_finding_at_its_place_in_the_order(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "a.yaml").write_bytes(RUN)
    found = [(name, [each.code for each in findings]) for name, _, findings in Reader().each(["x", "a.yaml", "empty"])]
    assert found == [("x", ["NR113"]), ("a.yaml", []), ("empty", ["NR112"])]


def test_files_without_the_words_are_passed_over_unread(folder: Path) -> None:
    (folder / "a.yaml").write_bytes(b"not: [yaml\n")
    (folder / "b.yaml").write_bytes(RUN)
    read = [(name, len(documents), findings) for name, documents, findings in Reader((b"WorkloadRun",)).each(["."])]
    assert read == [("./a.yaml", 0, []), ("./b.yaml", 1, [])]


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"\xef\xbb\xbfa\nb", ["a", "b"]),
        ("a\nb".encode("utf-16"), ["a", "b"]),
        (b"a\n\xff\n", ["a", "\ufffd"]),
        ("a\u2028b\x85c\nd".encode(), ["a\u2028b\x85c", "d"]),
    ],
)
def test_lines_are_those_that_positions_count(folder: Path, raw: bytes, lines: list[str]) -> None:
    (folder / "a.yaml").write_bytes(raw)
    reader = Reader()
    assert [reader.line(place("a.yaml", number)) for number in (1, 2)] == lines
    assert reader.line(place("a.yaml", 9)) is None


def test_a_line_that_is_gone_is_not_shown(folder: Path) -> None:
    reader = Reader()
    assert reader.line(place("gone.yaml", 1)) is None
    (folder / "a.yaml").write_bytes(b"a\n")
    assert reader.line(place("a.yaml", 1)) == "a"


def test_standard_input_is_kept_for_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"kind: A\nspec: B\n")))
    reader = Reader()
    ((name, documents, findings),) = reader.each(["-"])
    assert (name, len(documents), findings) == ("-", 1, [])
    assert reader.line(place("<stdin>", 2)) == "spec: B"
