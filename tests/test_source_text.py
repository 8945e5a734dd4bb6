"""Texts that are no YAML, in whatever encoding, and texts that are JSON: what is said, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nvcre_render import source
from nvcre_render.diagnostics import Diagnostic

FILE = "run.yaml"


def data(text: str | bytes) -> list[Any]:
    """Return the documents of a text in which nothing is wrong."""
    documents, findings = source.read(text, FILE)
    assert list(map(str, findings)) == []
    return [document.data for document in documents]


def refusal(text: str | bytes) -> Diagnostic:
    """Return the one finding of a text of which nothing can be read."""
    documents, (found,) = source.read(text, FILE)
    assert documents == []
    return found


def place(found: Diagnostic) -> str:
    assert found.position is not None
    assert found.position.file == FILE
    return f"{found.position.line}:{found.position.column}"


# Encodings


@pytest.mark.parametrize(
    ("encoded", "offset", "at"),
    [
        (b"\xff", 0, "1:1"),
        (b"a: 1\nb: \xff\n", 8, "2:4"),
        (b"a: 1\r\nb: \xff\n", 9, "2:4"),
        (b"\xef\xbb\xbfa: \xff", 6, "1:4"),
        ("é: ".encode() + b"\xfe", 4, "1:4"),
        ("😀: ".encode() + b"\xfe", 6, "1:4"),
        (b"a: \xe2\x82", 3, "1:4"),  # the text ends inside a character
        (b"a: \xc0\x80", 3, "1:4"),  # a zero in two bytes
        (b"a: \xed\xa0\x80", 3, "1:4"),  # half of a surrogate pair
        (b"a: \xf4\x90\x80\x80", 3, "1:4"),  # beyond U+10FFFF
    ],
)
def test_invalid_utf_8_is_named_by_byte_and_place(encoded: bytes, offset: int, at: str) -> None:
    found = refusal(encoded)
    assert (found.code, place(found)) == ("NR107", at)
    assert found.message == f"byte {offset} is not valid UTF-8"
    assert found.remedy.startswith("save the file as UTF-8")


@pytest.mark.parametrize(
    ("encoded", "offset", "at"),
    [
        (b"\xff\xfea\x00:\x00 ", 6, "1:3"),
        (b"\xff\xfea\x00\n\x00\x00\xd8b\x00", 6, "2:1"),
        (b"\xfe\xff\x00a\xdc\x00", 4, "1:2"),
    ],
    ids=["odd byte", "unpaired high half", "unpaired low half"],
)
def test_invalid_utf_16_is_named_by_byte_and_place(encoded: bytes, offset: int, at: str) -> None:
    found = refusal(encoded)
    assert (found.code, place(found)) == ("NR107", at)
    assert found.message == f"byte {offset} is not valid UTF-16"


@pytest.mark.parametrize(
    "character",
    ["\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1b", "\x7f", "\x80", "\x84", "\x86", "\x9f", "\ufffe", "\uffff"],
)
def test_a_character_that_yaml_forbids_is_named_with_its_place(character: str) -> None:
    text = f"a: 1\nb: x{character}y{character}\n"
    for given in (text, text.encode(), text.encode("utf-16")):
        found = refusal(given)
        assert (found.code, place(found)) == ("NR107", "2:5")
        assert found.message == f"the character U+{ord(character):04X} may not stand in YAML"


@pytest.mark.parametrize("half", [chr(0xD800), chr(0xDFFF)])
def test_half_of_a_surrogate_pair_is_refused_in_text(half: str) -> None:
    found = refusal(f"a: 1\nb: x{half}\n")
    assert (found.code, place(found)) == ("NR107", "2:5")
    assert found.message == f"the character U+{ord(half):04X} may not stand in YAML"


def test_utf_16_without_a_mark_is_full_of_zeros() -> None:
    found = refusal("a: 1\n".encode("utf-16-le"))
    assert (found.code, place(found)) == ("NR107", "1:2")
    assert "U+0000" in found.message


@pytest.mark.parametrize("character", ["\t", "\xa0", "\xad", "\ud7ff", "\ue000", "\ufeff", "\ufffd", "\U0010ffff"])
def test_a_character_that_yaml_allows_is_kept(character: str) -> None:
    assert data(f"a: 'x{character}y'\n") == [{"a": f"x{character}y"}]


# Syntax


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a:\n\tb: 1\n", "2:1"),
        ("a:\n  \tb: 1\n", "2:3"),
        ("a: 1\n\tb: 2\n", "2:1"),
        ("a:\n  b: 1\n\t  c: 2\n", "3:1"),
        ("a:\r\n\t- b\r\n", "2:1"),
        ("\ta: 1\n", "1:1"),
        ("a:\n\t\t\tb: 1\n", "2:1"),
    ],
)
def test_a_tab_in_the_indentation_names_the_remedy(text: str, at: str) -> None:
    found = refusal(text)
    assert (found.code, place(found)) == ("NR101", at)
    assert found.remedy == "indent with spaces; YAML does not allow tabs there"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\tb\n", {"a": "b"}),
        ("a: b\t# comment\n", {"a": "b"}),
        ("a: [1,\t2]\n", {"a": [1, 2]}),
        ("a: 'x\ty'\n", {"a": "x\ty"}),
        ("a: x\ty\n", {"a": "x\ty"}),
        ("a: |\n  x\ty\n  \tz\n", {"a": "x\ty\n\tz\n"}),
        ("{\n\ta: 1,\n\tb: 2\n}\n", {"a": 1, "b": 2}),
        ("# \tcomment\na: 1\n", {"a": 1}),
    ],
)
def test_a_tab_elsewhere_is_fine(text: str, expected: object) -> None:
    assert data(text) == [expected]


@pytest.mark.parametrize("text", ["a: b: c\n", "a: Error: no\n", "a: x\n  b: y\n"])
def test_a_colon_in_a_plain_text_names_the_remedy(text: str) -> None:
    found = refusal(text)
    assert found.code == "NR101"
    assert found.message == "mapping values are not allowed in this context"
    assert found.remedy == "put quotes around a text that contains a colon and a space, or check the indentation"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a: b: c\n", "1:5"),
        ("}\n", "1:1"),
        ("a: @b\n", "1:4"),
        ("a: `b\n", "1:4"),
        ("a: *nowhere\n", "1:4"),
        ("a: 1\n- b\n", "2:1"),
        ("a: [1\nb: 2\n", "2:2"),
        ("a: 'x\n---\n", "2:1"),
        ('a: "\\q"\n', "1:5"),
        ("é: 😀: c\n", "1:5"),
        ("a: 1\r\nb: c: d\r\n", "2:5"),
        ("a: 1\rb: c: d\r", "2:5"),
        ("a: x\u2028b: c: d\n", "1:10"),
        # What is never closed is missed at the end of the text, whether a line end stands there or not.
        ("a: [1", "1:6"),
        ("{a: 1", "1:6"),
        ("a: 'x", "1:6"),
        ('a: "x', "1:6"),
        ("[", "1:2"),
        ("\n\n[", "3:2"),
        ("a:\n- [1\n", "3:1"),
    ],
)
def test_a_syntax_error_has_its_place(text: str, at: str) -> None:
    found = refusal(text)
    assert (found.code, place(found)) == ("NR101", at)
    assert found.message != ""
    assert found.remedy != ""


def test_a_syntax_error_says_in_what_it_was_found() -> None:
    found = refusal('a: "\\q"\n')
    assert found.message == "while parsing a quoted scalar: found unknown escape character"


def test_documents_before_a_syntax_error_are_read() -> None:
    documents, findings = source.read("a: 1\n---\nb: 2\nb: 3\n---\n}\n---\nc: 1\n", FILE)
    assert [document.data for document in documents] == [{"a": 1}, {"b": 3}]
    assert [(found.code, place(found)) for found in findings] == [("NR102", "4:1"), ("NR101", "6:1")]


def test_a_text_ends_with_its_document() -> None:
    documents, (found,) = source.read('{"a": 1}\ntrailing\n', FILE)
    assert [document.data for document in documents] == [{"a": 1}]
    assert (found.code, place(found)) == ("NR101", "2:1")


# JSON


def test_json_indented_with_tabs_has_its_places() -> None:
    (document,), findings = source.read('{\n\t"a":\t1,\n\t"b": [true, null]\n}\n', FILE)
    assert findings == []
    assert document.data == {"a": 1, "b": [True, None]}
    places = [document.key_position(("a",)), document.position(("a",)), document.position(("b", 1))]
    assert [str(at) for at in places] == [f"{FILE}:2:2", f"{FILE}:2:7", f"{FILE}:3:14"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"a": "\/\b\f\n\r\t\"\\\u003c\u00e9\u0000"}', {"a": '/\b\f\n\r\t"\\<é\0'}),
        ('{"a":1,"b":-1.5e3,"c":[],"d":{},"e":"x"}', {"a": 1, "b": -1500, "c": [], "d": {}, "e": "x"}),
        ('{"a":1E5,"b":1.0,"c":1e21,"d":0.1}', {"a": 100000, "b": 1, "c": 1e21, "d": 0.1}),
        ('{"a":"yes","b":"010","c":"# no","d":"x: y","e":"- ","f":"*a"}', None),
        ('{"yes":"a","1":"b","":"c","<<":"d"}', None),
        ('[{"a": [[], [{}]]}]', None),
        (' \n  {"a": 1}', {"a": 1}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (r'{"\uD83D\uDE00": "x\uD83D\uDE00y\uD800\uDC00"}', {"😀": "x😀y\U00010000"}),
        (r'{"a": "\\ud83d\\ude00 \ud83d\ude00 \\\ud83d\ude00"}', {"a": "\\ud83d\\ude00 😀 \\😀"}),
        ('{"a": "\x7f\x80\x9f\ufffe\uffff"}', None),
        ('{"a": "x \x85 y", "\u2028": "x \u2029 y"}', None),
        ('{"a": "\x7f", "b": 1.0, "c": ["\\n", "yes", true, null]}', None),
    ],
)
def test_json_means_what_json_says(text: str, expected: Any) -> None:
    (read,) = data(text)
    assert read == json.loads(text)
    assert expected is None or read == expected


def test_two_json_documents_are_both_read() -> None:
    assert data('{"a": "\\ud83d\\ude00"}\n---\n["\x85"]\n') == [{"a": "😀"}, ["\x85"]]


def test_places_after_escaped_pairs_are_those_of_the_text() -> None:
    text = r'{"a": "\ud83d\ude00", "b": [1, "\ud83d\ude00", 2], "b": 3}'
    (document,), (found,) = source.read(text, FILE)
    # { "a" : space "\ud83d\ude00" , space "b" : space [ 1 , space "\ud83d\ude00" , space 2 ] , space "b"
    assert place(found) == "1:52"
    assert str(found.related[0][0]) == f"{FILE}:1:23"
    assert str(document.position(("b", 2))) == f"{FILE}:1:48"
    assert document.raw(("a",)) == "😀"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (r'{"a": "\ud83d"}', "1:10"),
        (r'{"a": "\ude00\ud83d"}', "1:10"),
        (r'{"a": "\\ud83d\ude00"}', "1:17"),
        # Kubernetes reads YAML, flow style too, with a reader that knows no pairs.
        (r"""{a: "\ud83d\ude00"}""", "1:8"),
        (r'a: "\ud83d\ude00"', "1:7"),
    ],
)
def test_half_of_an_escaped_pair_or_a_pair_in_yaml_is_refused(text: str, at: str) -> None:
    found = refusal(text)
    assert (found.code, place(found)) == ("NR101", at)  # the four digits after the u


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"{a: '\ud83d\ude00'}", {"a": r"\ud83d\ude00"}),
        (r"{a: \ud83d\ude00}", {"a": r"\ud83d\ude00"}),
        (r"a: '\ud83d\ude00'", {"a": r"\ud83d\ude00"}),
        ("a: |\n  \\ud83d\\ude00\n", {"a": "\\ud83d\\ude00\n"}),
        (r'{a: "\x41\e"}', {"a": "A\x1b"}),
    ],
)
def test_what_looks_like_json_escapes_is_left_alone_in_yaml(text: str, expected: object) -> None:
    assert data(text) == [expected]


def test_a_repeated_json_key_shows_both_places() -> None:
    (document,), (found,) = source.read('{\n  "a": 1,\n  "a": 2\n}\n', FILE)
    assert document.data == {"a": 2}
    assert (found.code, place(found), str(found.related[0][0])) == ("NR102", "3:3", f"{FILE}:2:3")


def test_a_long_key_is_read_up_to_the_limit_of_yaml() -> None:
    longest = "k" * 1000
    assert data(f'{{"{longest}": 1}}') == [{longest: 1}]
    assert data(f"? {longest * 2}\n: 1\n") == [{longest * 2: 1}]
    found = refusal(f'{{"{longest * 2}": 1}}')  # far longer than any name that Kubernetes accepts
    assert (found.code, place(found)) == ("NR101", "1:2004")
