"""The written YAML: order of keys, quotes, literal blocks, and lines that are never folded.

Expected texts follow workflow-api.md section 10 and decision 13; `tests/test_emit_json.py` has the JSON.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
import yaml

from nvcre_render import source
from nvcre_render.emit import natural_order, to_yaml

LONG = "word " * 60 + "end"  # 303 columns, with a space wherever a folding writer would break


def line(text: str) -> str:
    """Return how `text` is written as the value of a key."""
    written = to_yaml({"k": text})
    assert written.startswith("k: ")
    assert written.endswith("\n")
    return written[3:-1]


def back(written: str) -> list[Any]:
    documents, findings = source.read(written, "out.yaml")
    assert findings == []
    return [document.data for document in documents]


# Order of keys

EXAMPLES = ("_x", "1", "9", "10", "A", "a", "a b", "a-b", "a.b", "a/b", "a_b", "a9", "a10", "aB", "ab")


def test_the_examples_of_the_reference_come_in_their_order() -> None:
    assert natural_order(tuple(reversed(EXAMPLES))) == EXAMPLES
    for first, second in itertools.combinations(EXAMPLES, 2):
        assert natural_order((second, first)) == (first, second)


@pytest.mark.parametrize(
    "ordered",
    [
        ("", "0"),
        ("a", "aa"),
        ("Z", "a"),  # letters by code point
        ("aZ", "aa"),
        ("z", "é"),
        ("a1", "aa"),  # what is no letter comes first
        ("a~", "aa"),
        ("a-", "a."),  # neither letters nor digits: by code point
        ("a-", "a0"),  # no digits count as zero, and are shorter than one
        ("a-", "a1"),
        ("a~", "a1"),
        ("a2", "a10", "a11", "a100"),
        ("a2b", "a10a"),
        ("1", "01", "001"),  # equal numbers: the shorter first
        ("a1", "a01"),
        ("a01", "a2"),
        ("a0", "a00", "a1"),
        ("v1", "v1alpha1", "v1beta1", "v2"),
        ("v9", "v10"),
        ("10", "100"),
        ("15", "105"),  # a zero after other digits belongs to their number
        ("1-5", "10"),
        ("a.b.2", "a.b.10"),
        ("app", "app.kubernetes.io/name", "apps"),
        ("NCCL_DEBUG", "NCCL_IB_HCA", "NCCL_SOCKET_IFNAME"),
        ("1" * 5000, "2" * 5000, "1" * 5001),  # more digits than Python makes a number of
    ],
)
def test_numbers_letters_and_the_rest(ordered: tuple[str, ...]) -> None:
    for first, second in itertools.combinations(ordered, 2):
        assert natural_order((first, second)) == (first, second)
        assert natural_order((second, first)) == (first, second)
    assert natural_order(tuple(reversed(ordered))) == ordered


def test_the_order_given_does_not_matter_even_where_the_rules_run_in_a_circle() -> None:
    # 901- < 9aa0 (no letter first), 9aa0 < 19a1 (9 < 19), 19a1 < 901- (19 < 901)
    circle = ("901-", "9aa0", "19a1")
    assert len({natural_order(keys) for keys in itertools.permutations(circle)}) == 1


def test_mappings_are_ordered_at_every_level() -> None:
    written = to_yaml({"b10": {"z1": 1, "Z": [{"c": 1, "b": 2}]}, "b9": 0})
    assert written == "b9: 0\nb10:\n  Z:\n  - b: 2\n    c: 1\n  z1: 1\n"


# Layout


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({}, "{}\n"),
        ([], "[]\n"),
        (None, "null\n"),
        ({"a": {}, "b": [], "c": None, "d": ""}, 'a: {}\nb: []\nc: null\nd: ""\n'),
        (
            {"a": [1, {"b": 2, "c": [3]}, [4, [5]], [], {}]},
            "a:\n- 1\n- b: 2\n  c:\n  - 3\n- - 4\n  - - 5\n- []\n- {}\n",
        ),
        ({"a": {"b": {"c": "d"}}}, "a:\n  b:\n    c: d\n"),
        ([[1, 2], {"a": 1}], "- - 1\n  - 2\n- a: 1\n"),
        ({"a": True, "b": False, "c": 0, "d": -1, "e": 2**64 - 1}, f"a: true\nb: false\nc: 0\nd: -1\ne: {2**64 - 1}\n"),
        ({"a": 1.5, "b": 1e21, "c": 1e-7, "d": 0.1, "e": -2.5e-3}, "a: 1.5\nb: 1e+21\nc: 1e-07\nd: 0.1\ne: -0.0025\n"),
    ],
)
def test_block_style_with_two_spaces(value: Any, written: str) -> None:
    assert to_yaml(value) == written


def test_documents_are_separated_by_lines_of_three_hyphens() -> None:
    assert to_yaml({"a": 1}) == "a: 1\n"
    assert to_yaml({"a": 1}, {"b": "x"}, {"c": []}) == "a: 1\n---\nb: x\n---\nc: []\n"
    assert to_yaml() == ""
    documents = [{"a": "x\n\n"}, {"b": "# no"}, ["---\n..."], "text\n", {"c": None}]
    assert back(to_yaml(*documents)) == documents


def test_the_data_is_left_as_it_was() -> None:
    data: dict[str, Any] = {"b": [{"z": 1, "a": "x\ny"}], "a": {}}
    before = copy.deepcopy(data)
    to_yaml(data)
    assert data == before
    assert (list(data), list(data["b"][0])) == (["b", "a"], ["z", "a"])


@pytest.mark.parametrize("text", [LONG, f"{LONG}: x", f"{LONG}\t.", f"{LONG} ", "x" * 300, "é " * 150 + "."])
def test_lines_are_never_folded(text: str) -> None:
    for value in ({"k": text}, [text], {"a": {"b": [{"c": text}]}}):
        written = to_yaml(value)
        assert back(written) == [value]
        assert max(map(len, written.split("\n"))) >= 300


def test_lines_of_a_block_are_never_folded() -> None:
    assert line(f"{LONG}\n{LONG}") == f"|-\n  {LONG}\n  {LONG}"


# Literal blocks


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n", "|\n  a"),
        ("a\n\nb\n", "|\n  a\n\n  b"),
        ("a\n  b\n", "|\n  a\n    b"),
        (" a\nb", "|2-\n   a\n  b"),
        ("\na", "|2-\n\n  a"),
        ("  a\n", "|2\n    a"),
        ("#!/bin/bash\nset -e  # no: comment\n", "|\n  #!/bin/bash\n  set -e  # no: comment"),
        ("- a\n---\n...\n", "|\n  - a\n  ---\n  ..."),
        ("'a'\n\"b\"\n\\n\n", "|\n  'a'\n  \"b\"\n  \\n"),
        ("é\nü", "|-\n  é\n  ü"),
        ("yes\nno", "|-\n  yes\n  no"),
    ],
)
def test_several_lines_are_a_literal_block(text: str, written: str) -> None:
    assert line(text) == written


@pytest.mark.parametrize(
    ("text", "block"),
    [("a\n\n", "|+\n  a\n\n"), ("a\n\n\n", "|+\n  a\n\n\n"), ("\n", "|2+\n\n"), ("\n\n", "|2+\n\n\n")],
)
def test_line_ends_at_the_end_are_kept(text: str, block: str) -> None:
    assert to_yaml({"k": text, "l": 1}) == f"k: {block}l: 1\n"
    assert to_yaml({"k": text}) == f"k: {block}"
    assert to_yaml({"k": text}, {"l": 1}) == f"k: {block}---\nl: 1\n"
    assert back(to_yaml({"k": text})) == [{"k": text}]


def test_a_text_of_its_own_document_can_be_a_line_of_dots() -> None:
    for text in ("...", "a\n...\n", "...\n", "a\n...", "...\n\n", "---\n...\n\n"):
        assert back(to_yaml(text)) == [text]
        assert back(to_yaml([text])) == [[text]]


def test_a_block_is_indented_from_the_parent_key_or_dash() -> None:
    written = to_yaml({"a": {"b": "x\ny\n"}, "c": ["x\ny", {"d": "x\n"}]})
    assert written == "a:\n  b: |\n    x\n    y\nc:\n- |-\n  x\n  y\n- d: |\n    x\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\tb\n", r'"a\tb\n"'),
        ("if x:\n\tgo\n", r'"if x:\n\tgo\n"'),
        ("a\r\nb\r\n", r'"a\r\nb\r\n"'),
        ("a\rb", r'"a\rb"'),
        ("a \nb", r'"a \nb"'),
        ("a\nb ", r'"a\nb "'),
        ("a\n\n ", r'"a\n\n "'),
        ("a\n😀\n", r'"a\n\U0001F600\n"'),
        ("a\n\x07\n", r'"a\n\a\n"'),
        ("a\n\x00", r'"a\n\0"'),
        ("a\n\x7f", r'"a\n\x7F"'),
        ("a\n\ufeff", r'"a\n\uFEFF"'),
        # Line ends to YAML 1.1 and ordinary characters to YAML 1.2: a block would mean two things.
        ("a\n\x85b", r'"a\n\Nb"'),
        ("a\n\u2028b", r'"a\n\Lb"'),
        ("a\n\u2029b", r'"a\n\Pb"'),
    ],
)
def test_several_lines_that_no_block_can_hold_are_quoted(text: str, written: str) -> None:
    assert line(text) == written


# Quotes

WORDS = (
    *("", "~", "null", "Null", "NULL", "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON"),
    *("off", "Off", "OFF", "true", "True", "TRUE", "false", "False", "FALSE", ".inf", "-.Inf", "+.INF", ".nan", ".NaN"),
)
NUMBERS = (
    *("8", "0", "-1", "+1", "1.", "1.0", ".5", "-.5", "1.5e-3", "1e3", "12e03", "1E5", "1e+21", "08", "0755", "00"),
    *("0x1F", "0XFF", "0o7", "0o17", "0b1", "-0b1", "0b-1", "1_000", "1_", "+_1", "18446744073709551616", ".5_0"),
)
# Texts to Kubernetes, but not to every reader: base 60, dates, numbers beyond Go's, the default value and the merge.
ELSEWHERE = (
    *("1:30", "22:22", "190:20:30", "1:30.5", "-1:30", "2001-01-01", "2001-1-1", "2001-01-01T00:00:00Z", "=", "<<"),
    *("1e999", "-1E400", "12345e6789", "0xffffffffffffffffffffffffffffffffffffffff", "0o2000000000000000000000"),
    *("0x_", "0b_", "-_", "+_", "._5", ".5_", "9" * 400),
)


@pytest.mark.parametrize("text", [*WORDS, *NUMBERS, *ELSEWHERE])
def test_what_some_reader_takes_for_no_text_is_double_quoted(text: str) -> None:
    assert line(text) == f'"{text}"'
    assert yaml.safe_load(to_yaml({"k": [text]})) == {"k": [text]}
    if text:
        assert to_yaml({text: 1}).endswith(f'"{text}": 1\n' if len(text) < 128 else f'"{text}"\n: 1\n')


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\tb", r'"a\tb"'),
        ("\t", r'"\t"'),
        ("a\x1b[0m", r'"a\e[0m"'),
        ("😀", r'"\U0001F600"'),
        ("a\u2028b", r'"a\Lb"'),
        ("\u2029", r'"\P"'),
        ("\x85", r'"\N"'),
        ("\ufeff", r'"\uFEFF"'),
        ("\ufffe", r'"\uFFFE"'),
        ("\x7f\x80", r'"\x7F\x80"'),
        ('\t"\\', r'"\t\"\\"'),
        ("\r", r'"\r"'),
    ],
)
def test_what_is_not_printable_is_escaped(text: str, written: str) -> None:
    assert line(text) == written


@pytest.mark.parametrize(
    "text",
    [
        *(
            "#",
            "*x",
            "&x",
            "!x",
            "%x",
            "@x",
            "`x",
            '"x',
            "{x",
            "[x",
            "]",
            "}",
            "|x",
            ">x",
            ",x",
            "-",
            "- a",
            "? a",
            "?",
        ),
        *("a: b", "a #b", "a:", "http://x: y", ": x", "::", " a", "a ", "  ", "---", "--- a", "...", "{}", "[]"),
    ],
)
def test_what_begins_or_means_something_else_is_single_quoted(text: str) -> None:
    assert line(text) == f"'{text}'"


@pytest.mark.parametrize(("text", "written"), [("'x", "'''x'"), ("a: 'b'", "'a: ''b'''"), ("'", "''''")])
def test_single_quotes_are_doubled(text: str, written: str) -> None:
    assert line(text) == written


@pytest.mark.parametrize(
    "text",
    [
        *(
            "-b",
            "--mca",
            "-o A=b -o C=d",
            "a,b",
            "x'y",
            'x"y',
            "NCCL_DEBUG=INFO",
            "value >= 900",
            "<&>",
            ":x",
            "1e",
            "NaN",
        ),
        *(
            "é",
            "a\\b",
            "\\n",
            "a#b",
            "a:b",
            "x y",
            "10.0.0.1",
            "1.2.3",
            "v1",
            "1Gi",
            "100m",
            "8x",
            "0xyz",
            "1,000",
            "1-2",
        ),
        *(
            "nvcr.io/nvidia/pytorch:24.10-py3",
            "http://x/y?z=1#a",
            "yES",
            "nope",
            "Null!",
            "inf",
            "$(A)",
            "${A}",
            "a\xa0b",
        ),
        *("e3", "x1e3", "1:a", "v1:30", "200-1", "20010101T", "0.1.0", "e+1", "+a", "-.a", "1__a"),
    ],
)
def test_everything_else_is_plain(text: str) -> None:
    assert line(text) == text
    assert to_yaml({text: 1}) == f"{text}: 1\n"


# Keys


def test_keys_are_quoted_like_values() -> None:
    keys = {"1": 1, "true": 2, "y": 3, "": 4, "a: b": 5, "a\tb": 6, "- x": 7, "😀": 8}
    written = to_yaml(keys)
    assert set(written.splitlines()) == {
        *('"1": 1', '"true": 2', '"y": 3', '"": 4', "'a: b': 5", r'"a\tb": 6', "'- x': 7", r'"\U0001F600": 8'),
    }


def test_a_long_or_many_line_key_is_written_with_a_question_mark() -> None:
    assert to_yaml({"k" * 128: 1}) == f"{'k' * 128}: 1\n"
    assert to_yaml({"k" * 129: 1}) == f"? {'k' * 129}\n: 1\n"
    assert to_yaml({"a\nb": {"c": 1}}) == "? |-\n  a\n  b\n: c: 1\n"
    assert back(to_yaml({"k" * 2000: [1], "a\n": {}})) == [{"k" * 2000: [1], "a\n": {}}]
