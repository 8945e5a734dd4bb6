"""Laws of reading and writing: nothing is lost, every reader sees the same, and no text is too strange to judge."""

from __future__ import annotations

import json
import re
from typing import Any

import ruamel.yaml
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from nvcre_render import emit, scalars, source
from nvcre_render.diagnostics import Diagnostic

FILE = "run.yaml"

# Anything but surrogates, with the characters that mean something to YAML far more often than chance has it.
SPECIAL = " \n\t\r:#-?,[]{}&*!|>'\"%@`\\/0123456789eExXobBO_.+~=<ynYN\x00\x1b\x7f\x85\xa0\u2028\u2029\ufeff\uffff😀"
characters = st.one_of(st.sampled_from(SPECIAL), st.characters(codec="utf-8"))
PIECES = [
    *("y", "No", "on", "null", "~", "=", "<<", "inf", ".", "_", "-", "+", "0x", "0o", "0b", "1", "0", "8", "1e", "e+"),
    *("9:", "2001-01-01", "T00:00:00Z", " ", "  ", "\n", "\n\n", "---", "...", "# ", ": ", ":", "- ", "\t", "|", ">"),
    *("\\", '"', "'", "a", "true", "word " * 20, "%", "\x85", "\u2028"),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
texts = st.one_of(st.text(characters, max_size=20), pieces)
numbers = st.one_of(st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False))
leaves = st.one_of(st.none(), st.booleans(), numbers, texts)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4))


data = st.recursive(leaves, nested, max_leaves=10)
texts_only = st.recursive(texts, nested, max_leaves=6)

# Words as they stand in YAML and JSON, to make texts that get far into the parser.
TOKENS = [
    *("a", "b: ", "- ", "? ", ": ", ":\n", "{", "}", "[", "]", ", ", '"', "'", "|\n", ">-\n", "\n", "\n  ", "\n    "),
    *(
        "&x ",
        "*x",
        "<<: ",
        "*x\n",
        "!t ",
        "!!int ",
        "!!str ",
        "# c",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "%TAG ! t\n",
        "\t",
    ),
    *(
        '{"a":1}',
        '"\\ud83d\\ude00"',
        "\\u",
        "\\",
        "\x85",
        "\u2028",
        "\r",
        "\r\n",
        "\x00",
        "\ufeff",
        "\ud800",
        "@",
        "=",
        "1",
    ),
]
yaml_like = st.lists(st.sampled_from(TOKENS), max_size=25).map("".join)
any_text = st.one_of(yaml_like, st.text(), st.text(characters))
any_bytes = st.one_of(st.binary(), any_text.map(lambda text: text.encode("utf-8", "surrogatepass")))


def same(left: Any, right: Any) -> bool:
    """Tell whether two data are equal, keeping numbers, booleans and texts apart."""
    if isinstance(left, dict):
        return (
            isinstance(right, dict) and left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (int, float)) and not isinstance(left, bool):
        return isinstance(right, (int, float)) and not isinstance(right, bool) and left == right
    return type(left) is type(right) and bool(left == right)


def reordered(value: Any, backwards: bool) -> Any:
    """Return the same data, the keys of every mapping inserted in code point order or the reverse."""
    if isinstance(value, dict):
        return {key: reordered(value[key], backwards) for key in sorted(value, reverse=backwards)}
    return [reordered(item, backwards) for item in value] if isinstance(value, list) else value


def ruamel_1_2(text: str) -> Any:
    reader = ruamel.yaml.YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return reader.load(text)


def assert_placed(findings: list[Diagnostic], text: str) -> None:
    """Assert that every place shown lies inside the text, its lines counted as editors do."""
    lines = re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))
    for found in findings:
        for position in (found.position, *(place for place, _ in found.related)):
            assert position is not None
            assert position.file == FILE
            assert 1 <= position.line <= len(lines)
            assert 1 <= position.column <= len(lines[position.line - 1]) + 1


# Writing, then reading


@settings(max_examples=300, deadline=None)
@given(data)
@example({"": "", "y": ["0b-1", "._5", "1e999"]})
@example("a\n---\nb")
@example(["\n", " \n", "\n ", "\u2028\n", "a\n\x85"])
@example({"a" * 2000: {"\n": "x" * 2000}})
def test_what_is_written_as_yaml_is_read_back(value: Any) -> None:
    documents, findings = source.read(emit.to_yaml(value), FILE)
    assert findings == []
    assert len(documents) == (value is not None)  # a document that holds nothing is passed over
    assert all(same(document.data, value) for document in documents)


@settings(max_examples=200, deadline=None)
@given(data)
@example("\x7f\x85\u2028\uffff")
@example("\\ud83d\\ude00 😀")
def test_what_is_written_as_json_is_read_back(value: Any) -> None:
    written = emit.to_json({"k": value})
    assert same(json.loads(written), {"k": value})
    (document,), findings = source.read(written, FILE)
    assert findings == []
    assert same(document.data, {"k": value})


@settings(max_examples=60, deadline=None)
@given(st.lists(data, max_size=4))
def test_several_documents_are_read_back_in_order(values: list[Any]) -> None:
    documents, findings = source.read(emit.to_yaml(*values), FILE)
    assert findings == []
    assert same([document.data for document in documents], [value for value in values if value is not None])


@settings(max_examples=200, deadline=None)
@given(texts_only)
@example(["=", "<<", "0x_", "-_", "1:30", "2001-01-01", "12345e6789", "+.5", "0o17", "08", ".5_0"])
def test_pyyaml_reads_the_same_texts(value: Any) -> None:
    assert same(yaml.safe_load(emit.to_yaml({"k": value})), {"k": value})


@settings(max_examples=100, deadline=None)
@given(texts_only)
@example(["=", "<<", "0x_", "-_", "1:30", "2001-01-01", "12345e6789", "+.5", "0o17", "08", "a\n\u2028b"])
def test_a_yaml_1_2_reader_reads_the_same_texts(value: Any) -> None:
    assert same(ruamel_1_2(emit.to_yaml({"k": value})), {"k": value})


@settings(max_examples=150, deadline=None)
@given(data)
@example({"901-": 1, "9aa0": 2, "19a1": 3})
def test_the_order_of_keys_given_changes_no_byte_of_the_yaml(value: Any) -> None:
    written = emit.to_yaml(value)
    assert emit.to_yaml(value) == written
    assert emit.to_yaml(reordered(value, backwards=False)) == written
    assert emit.to_yaml(reordered(value, backwards=True)) == written


def before(left: str, right: str) -> bool:
    """Tell whether a key comes before another one, by the words of workflow-api.md 10.1; the keys hold no zeros."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        if a.isalpha() or b.isalpha():
            return a < b if a.isalpha() and b.isalpha() else b.isalpha()
        first, second = (re.match("[0-9]*", key[index:]) for key in (left, right))
        assert first is not None
        assert second is not None
        return (int(first[0] or 0), len(first[0]), a) < (int(second[0] or 0), len(second[0]), b)
    return len(left) < len(right)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("129abZ-._/ é", max_size=5), unique=True, max_size=8))
def test_keys_are_in_natural_order(keys: list[str]) -> None:
    ranks = {key: sum(before(other, key) for other in keys) for key in keys}
    assume(len(set(ranks.values())) == len(keys))  # no circle
    assert list(emit.natural_order(tuple(keys))) == sorted(keys, key=ranks.__getitem__)


@settings(max_examples=100, deadline=None)
@given(data)
def test_what_was_read_is_written_alike(value: Any) -> None:
    for write in (emit.to_yaml, emit.to_json):
        (document,), _ = source.read(write({"k": value}), FILE)
        once = write(document.data)
        (again,), _ = source.read(once, FILE)
        assert write(again.data) == once


@settings(max_examples=400, deadline=None)
@given(texts)
def test_what_is_written_plain_is_a_text_to_kubernetes(text: str) -> None:
    written = emit.to_yaml([text]).removeprefix("- ").removesuffix("\n")
    if written[:1] not in ("'", '"', "|"):
        assert written == text
        assert scalars.resolve(text) == text
        assert "\n" not in text


@settings(max_examples=300, deadline=None)
@given(st.from_regex(r"[-+.0-9][0-9a-fA-FxXoO_.eE:+-]{0,8}", fullmatch=True))
def test_what_looks_like_a_number_is_read_as_it_was_written(text: str) -> None:
    for quoted in (f"v: '{text}'\n", emit.to_yaml({"v": text})):
        (document,), _ = source.read(quoted, FILE)
        assert document.data == {"v": text}
        assert yaml.safe_load(quoted) == {"v": text}


# Reading anything


@settings(max_examples=500, deadline=None)
@given(any_text)
@example("a: [1")
@example("a: b\r  c: d: e")
@example("a\u2028b: c: d")
@example("a: &a\n  <<: *a")
@example("\ud800")
def test_reading_any_text_gives_findings_with_places(text: str) -> None:
    documents, findings = source.read(text, FILE)
    assert_placed(findings, text)
    assert all(found.message and found.remedy for found in findings)
    for document in documents:
        json.dumps(document.data, allow_nan=False)  # plain data, and finite


@settings(max_examples=200, deadline=None)
@given(any_bytes)
@example(b"\xff\xfe")
@example(b"\xff\xfea")
@example(b"\xef\xbb\xbf\xff")
@example(b"\xef\xbb")
@example(b"\xfe\xff\xd8\x00")
def test_reading_any_bytes_gives_findings_with_places(encoded: bytes) -> None:
    _, findings = source.read(encoded, FILE)
    encoding = "utf-16" if encoded[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    assert_placed(findings, encoded.decode(encoding, "replace"))


@settings(max_examples=200, deadline=None)
@given(yaml_like)
def test_reading_twice_gives_the_same(text: str) -> None:
    first, second = source.read(text, FILE), source.read(text, FILE)
    assert first[1] == second[1]
    assert same([document.data for document in first[0]], [document.data for document in second[0]])


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(characters, max_size=5), texts, min_size=1, max_size=4), st.booleans())
def test_every_key_is_found_where_it_stands(value: dict[str, str], as_json: bool) -> None:
    written = emit.to_json(value) if as_json else emit.to_yaml(value)
    (document,), _ = source.read(written, FILE)
    lines = re.split("\r\n|\r|\n", written)
    for key in value:
        position = document.key_position((key,))
        assert position is not None
        shown = emit.to_json(key) if as_json else emit.to_yaml([key])[2:]
        assert lines[position.line - 1][position.column - 1 :].startswith(shown.split("\n")[0])


@settings(max_examples=300, deadline=None)
@given(st.one_of(texts, st.text()))
def test_a_plain_scalar_resolves_to_itself_or_to_no_text(text: str) -> None:
    meant = scalars.resolve(text)
    assert not isinstance(meant, str) or meant == text
    assert not isinstance(meant, int) or scalars.MIN_INT64 <= meant <= scalars.MAX_UINT64
