"""What is refused inside a readable document: repeated keys, keys that are no text, tags, and the rules of <<."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render import source
from nvcre_render.diagnostics import Diagnostic

FILE = "run.yaml"
Found = list[tuple[str, str]]


def read(text: str) -> tuple[Any, list[Diagnostic]]:
    """Read a text of one document."""
    (document,), findings = source.read(text, FILE)
    return document.data, findings


def codes(findings: list[Diagnostic]) -> Found:
    """Return the code and the place of every finding, in reading order."""
    for found in findings:
        assert found.position is not None
        assert found.position.file == FILE
        assert found.remedy != ""
    return [(found.code, str(found.position).removeprefix(f"{FILE}:")) for found in findings]


def one(text: str) -> Diagnostic:
    _, (found,) = read(text)
    return found


# A finding does not end the reading


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("a: 1\na: 2\n", "NR102"),
        ("yes: 1\n", "NR103"),
        ("a: !foo 1\n", "NR104"),
        ("a: &a [*a]\n", "NR105"),
        ("a: &a\n  <<: *a\n", "NR105"),
        (f"a: {'x' * (source.MAX_SCALAR + 1)}\n", "NR106"),
        (f"{'[' * 101}{']' * 101}\n", "NR108"),
        ("a: .inf\n", "NR109"),
        ("a: 1\n<<: {a: 2}\n", "NR110"),
        ("<<: 1\n", "NR111"),
    ],
)
def test_later_documents_are_read_and_checked_too(bad: str, code: str) -> None:
    documents, findings = source.read(f"{bad}---\nb: 1\n---\nc: 1\nc: 2\n", FILE)
    assert [found.code for found in findings] == [code, "NR102"]
    assert [document.data for document in documents][-2:] == [{"b": 1}, {"c": 2}]


def test_every_finding_of_a_document_is_reported() -> None:
    text = "a: 1\na: !x 2\nno: {1: .nan}\n"
    _, findings = read(text)
    assert codes(findings) == [
        ("NR102", "2:1"),
        ("NR104", "2:4"),
        ("NR103", "3:1"),
        ("NR103", "3:6"),
        ("NR109", "3:9"),
    ]


# Repeated keys


@pytest.mark.parametrize(
    ("text", "at", "first"),
    [
        ("a: 1\nb: 2\na: 3\n", "3:1", "1:1"),
        ('a: 1\n"a": 3\n', "2:1", "1:1"),
        ("a: 1\n!!str a: 3\n", "2:1", "1:1"),
        ("? a\n: 1\n'a': 3\n", "3:1", "1:3"),
        ("x: {a: 1, b: 2, a: 3}\n", "1:17", "1:5"),
        ("x:\n- a: 1\n  a: 3\n", "3:3", "2:3"),
        ('{"a": 1, "a": 3}\n', "1:10", "1:2"),
        ("<<: {x: 1}\n<<: {y_: 3}\n", "2:1", "1:1"),
    ],
)
def test_a_repeated_key_shows_both_places(text: str, at: str, first: str) -> None:
    found = one(text)
    assert codes([found]) == [("NR102", at)]
    ((other, note),) = found.related
    assert (str(other), note) == (f"{FILE}:{first}", "first written here")


def test_a_repeated_key_is_named_and_its_last_value_kept() -> None:
    data, (found,) = read("a: 1\nb: 2\na: 3\n")
    assert data == {"a": 3, "b": 2}
    assert found.message == 'the key "a" is written twice in one mapping'


def test_every_repetition_points_to_the_first() -> None:
    _, findings = read("a: 1\na: 2\na: 3\n")
    assert codes(findings) == [("NR102", "2:1"), ("NR102", "3:1")]
    assert [str(found.related[0][0]) for found in findings] == [f"{FILE}:1:1", f"{FILE}:1:1"]


@pytest.mark.parametrize("text", ["a: {k: 1}\nb: {k: 2}\n", "- k: 1\n- k: 2\n", "A: 1\na: 2\n", "a: 1\n'a ': 2\n"])
def test_like_keys_that_are_not_repeated(text: str) -> None:
    _, findings = read(text)
    assert findings == []


# Keys that are no text


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("1", "the key 1 means the number 1 to Kubernetes"),
        ("010", "the key 010 means the number 8 to Kubernetes"),
        ("1.5", "the key 1.5 means the number 1.5 to Kubernetes"),
        ("yes", "the key yes means true to Kubernetes"),
        ("n", "the key n means false to Kubernetes"),
        ("On", "the key On means true to Kubernetes"),
        ("null", "the key null means null to Kubernetes"),
        ("~", "the key ~ means null to Kubernetes"),
        (".inf", "the key .inf means the number inf to Kubernetes"),
        ("!!int 5", "the key 5 means the number 5 to Kubernetes"),
        ("!!bool 'true'", "the key true means true to Kubernetes"),
    ],
)
def test_a_key_that_kubernetes_takes_for_something_else(key: str, told: str) -> None:
    word = key.rpartition(" ")[2].strip("'")
    data, (found,) = read(f"x:\n  {key}: v\n")
    assert codes([found]) == [("NR103", "2:3")]
    assert (found.message, found.remedy) == (told, f'write "{word}" in quotes if the text is meant')
    assert data == {"x": {word: "v"}}


def test_an_empty_key_is_named_as_empty() -> None:
    found = one("?\n: v\n")
    assert codes([found]) == [("NR103", "1:2")]
    assert found.message == "the key is empty and means null to Kubernetes"


@pytest.mark.parametrize("key", ["[a]", "{a: 1}", "\n  - a", "&x [a, b]"])
def test_a_list_or_mapping_is_no_key(key: str) -> None:
    data, (found,) = read(f"? {key}\n: v\nb: 1\n")
    assert found.code == "NR103"
    assert found.message == "a mapping key must be a plain word or a quoted text"
    assert data == {"b": 1}


def test_two_keys_that_are_no_text_do_not_repeat_each_other() -> None:
    data, findings = read("? [a]\n: 1\n? [b]\n: !x 2\n'': 3\n")
    assert codes(findings) == [("NR103", "1:3"), ("NR103", "3:3"), ("NR104", "4:3")]
    assert data == {"": 3}


@pytest.mark.parametrize(
    "key", ["'1'", '"yes"', "!!str 1", "!!str yes", "2001-01-01", "1:30", "=", "nO", "0x", "1e999", "a b", "''"]
)
def test_a_key_that_is_a_text(key: str) -> None:
    _, findings = read(f"{key}: v\n")
    assert findings == []


# Tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!!str 5", "5"),
        ("!!str yes", "yes"),
        ("!!str", ""),
        ("!<tag:yaml.org,2002:str> 5", "5"),
        ("!!int 5", 5),
        ("!!int '5'", 5),
        ("!!int 0x10", 16),
        ("!!float 1.5", 1.5),
        ("!!float 1", 1),
        ("!!float 1e3", 1000),
        ("!!bool yes", True),
        ("!!bool 'off'", False),
        ("!!null ''", None),
        ("!!null ~", None),
        ("!!map {a: !!str 1}", {"a": "1"}),
        ("!!seq [!!int 1]", [1]),
    ],
)
def test_a_core_tag_that_fits(text: str, expected: object) -> None:
    data, findings = read(f"v: {text}\n")
    assert findings == []
    assert data == {"v": expected}
    assert type(data["v"]) is type(expected)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("!foo 1", "!foo"),
        ("!foo a", "!foo"),
        ("!foo {a: 1}", "!foo"),
        ("!foo [1]", "!foo"),
        ("!!binary aGk=", "tag:yaml.org,2002:binary"),
        ("!!timestamp 2001-01-01", "tag:yaml.org,2002:timestamp"),
        ("!!set {a}", "tag:yaml.org,2002:set"),
        ("!!omap [a: 1]", "tag:yaml.org,2002:omap"),
        ("!!python/object/apply:os.system ['true']", "tag:yaml.org,2002:python/object/apply:os.system"),
        ("!!int 1.5", "tag:yaml.org,2002:int"),
        ("!!int 08", "tag:yaml.org,2002:int"),
        ("!!int yes", "tag:yaml.org,2002:int"),
        ("!!float a", "tag:yaml.org,2002:float"),
        ("!!bool 1", "tag:yaml.org,2002:bool"),
        ("!!null x", "tag:yaml.org,2002:null"),
        ("!!map x", "tag:yaml.org,2002:map"),
        ("!!str [1]", "tag:yaml.org,2002:str"),
        ("!!int {a: 1}", "tag:yaml.org,2002:int"),
    ],
)
def test_a_tag_that_has_no_meaning_or_does_not_fit(text: str, tag: str) -> None:
    found = one(f"v: {text}\n")
    assert codes([found]) == [("NR104", "1:4")]
    assert f"the tag {tag} " in found.message
    assert found.remedy == "remove the tag"


def test_a_tag_and_what_it_stands_at_are_named() -> None:
    assert one("v: !!int 1.5\n").message == (
        "the tag tag:yaml.org,2002:int does not fit '1.5' or has no meaning in a manifest"
    )
    assert one("v: !foo [1]\n").message == "the tag !foo has no meaning in a manifest"


@pytest.mark.parametrize("key", ["!foo k", "!!binary k", "!!int k", "!!merge k", "!foo 'k'"])
def test_a_tag_on_a_key_that_has_no_meaning(key: str) -> None:
    data, (found,) = read(f"{key}: 1\n")
    assert codes([found]) == [("NR104", "1:1")]
    assert data == {"k": 1}


@pytest.mark.parametrize("number", [".inf", "+.Inf", "-.INF", ".nan", ".NaN", "!!float .inf"])
def test_infinity_and_nan_have_no_json_form(number: str) -> None:
    data, (found,) = read(f"a: [1, {number}]\nb: '.inf'\n")
    assert codes([found]) == [("NR109", "1:8")]
    assert data == {"a": [1, 0], "b": ".inf"}


# Merge keys


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<: *a\n  z: 3", {"x": 1, "z": 3}),
        ("<<: *a\n  x: 3", {"x": 3}),
        ("<<: {x: 4, z: 5}\n  z: 6", {"x": 4, "z": 6}),
        ("<<: [*a, *b]", {"x": 1, "z": 2}),
        ("<<: [*b, *a]", {"x": 9, "z": 2}),
        ("<<: [*b, {x: 0, w: 0}]\n  w: 7", {"x": 9, "z": 2, "w": 7}),
        ("<<: []\n  z: 1", {"z": 1}),
        ("<<: {<<: *b, x: 5}", {"x": 5, "z": 2}),
        ("!!merge <<: *a", {"x": 1}),
        ("'<<': *a", {"<<": {"x": 1}}),
        ('"<<": 1\n  x: 2', {"<<": 1, "x": 2}),
        ("x: <<", {"x": "<<"}),
        ("w: 1\n  <<: *a", {"w": 1, "x": 1}),
    ],
)
def test_merge_keys_take_what_the_mapping_lacks(text: str, expected: object) -> None:
    data, findings = read(f"a: &a {{x: 1}}\nb: &b {{x: 9, z: 2}}\nc:\n  {text}\n")
    assert findings == []
    assert data["c"] == expected


def test_a_merged_mapping_is_the_same_at_every_use() -> None:
    data, _ = read("a: &a {x: [1]}\nb: {<<: *a}\nc: {<<: *a, x: 2}\n")
    assert data == {"a": {"x": [1]}, "b": {"x": [1]}, "c": {"x": 2}}


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("c: {x: 3, <<: *a}\n", ["3:5"]),
        ("c:\n  x: 3\n  w: 1\n  <<: [*b, *a]\n", ["4:3"]),
        ("c:\n  z: 3\n  x: 1\n  <<: *b\n", ["5:3", "4:3"]),
        ("c:\n  x: 3\n  <<: {<<: *a}\n  z: 1\n", ["4:3"]),
    ],
)
def test_a_key_before_the_merge_that_merges_it(text: str, places: list[str]) -> None:
    _, findings = read(f"a: &a {{x: 1}}\nb: &b {{x: 9, z: 2}}\n{text}")
    assert codes(findings) == [("NR110", at) for at in places]
    assert findings[0].message == '"x" stands before << and in what it merges'
    assert findings[0].remedy == "put << first in the mapping"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("<<: 1", "5:7"),
        ("<<: text", "5:7"),
        ("<<:", "5:6"),
        ("<<: [1]", "5:8"),
        ("<<: [*m, [*m]]", "5:12"),
        # What an alias stands for is elsewhere: the fault is here. Kubernetes refuses an alias of a list, too.
        ("<<: *s", "5:3"),
        ("<<: *l", "5:3"),
        ("<<: [*m, *s]", "5:3"),
    ],
)
def test_only_mappings_can_be_merged(text: str, place: str) -> None:
    data, (found,) = read(f"m: &m {{x: 1}}\ns: &s 1\nl: &l [{{x: 1}}]\nc:\n  {text}\n  z: 2\n")
    assert codes([found]) == [("NR111", place)]
    assert data["c"]["z"] == 2
