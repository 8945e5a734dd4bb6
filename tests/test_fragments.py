"""The fill language, case by case and as laws; and the package's own fragments as files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from nvcre_render.fragments import ABSENT, Parameters, fill, holds, load, package

FRAGMENTS = Path(__file__).resolve().parent.parent / "fragments"
FILES = sorted(path.relative_to(FRAGMENTS).as_posix() for path in FRAGMENTS.rglob("*.yaml"))
SCHEMA = json.loads((FRAGMENTS.parent / "schemas" / "fragment.v1.json").read_text())


def filled(template: Any, **parameters: Any) -> Any:
    return fill(template, Parameters(parameters))


# Parameters in values and keys


@pytest.mark.parametrize("value", ["text", "", 8, 0, 1.5, True, False, None, ["a", 1], [], {"a": {"b": [1]}}, {}])
def test_a_lone_parameter_keeps_its_type(value: Any) -> None:
    result = filled({"key": "${p}"}, p=value)
    assert result == {"key": value}
    assert type(result["key"]) is type(value)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("${n}-runtime", "8-runtime"),
        ("-${n}", "-8"),
        ("${n}${n}", "88"),
        ("a ${n} b ${t} c", "a 8 b x c"),
        ("${n} ", "8 "),
        ("$${n}", "$8"),
        ("{${n}}", "{8}"),
        ("$n", "$n"),
        ("{n}", "{n}"),
        ("$(n)", "$(n)"),
        ("}${n}", "}8"),
    ],
)
def test_a_parameter_inside_text_is_text(template: str, text: str) -> None:
    assert filled(template, n=8, t="x") == text


def test_a_parameter_may_be_a_key_or_part_of_one() -> None:
    assert filled({"${k}": 1, "x/${k}": 2, "z": 3}, k="a") == {"a": 1, "x/a": 2, "z": 3}


@pytest.mark.parametrize("template", ["${gap}", "a-${gap}", "${gap}${t}", "${t}${gap}"])
def test_what_has_no_value_is_left_out(template: str) -> None:
    assert filled(template, gap=ABSENT, t="x") is ABSENT
    assert filled({"key": template, "t": "${t}"}, gap=ABSENT, t="x") == {"t": "x"}
    assert filled([template, "${t}"], gap=ABSENT, t="x") == ["x"]
    assert filled({template: 1, "t": 2}, gap=ABSENT, t="x") == {"t": 2}


def test_a_parameter_without_a_name_in_the_table_is_an_error() -> None:
    for template in ("${nmae}", "a ${nmae}", {"${nmae}": 1}, ["${nmae}"], "${nmae.base}"):
        with pytest.raises(KeyError, match="nmae"):
            filled(template, name="x")
    for unknown in ("env.nothing", "mpirun.nothing", "tolerations.nothing", "script.nothing"):
        with pytest.raises(KeyError, match="nothing"):
            filled(f"${{{unknown}}}", mnnvl="0")


# Lists


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (["a", "${l}", "b"], ["a", 1, [2], "b"]),
        (["${l}", "${l}"], [1, [2], 1, [2]]),
        (["${none}"], []),
        (["a", "${none}"], ["a"]),
        # only a list that a lone item brings in is spliced
        ([["${l}"], "b"], [[1, [2]], "b"]),
        ([["a"], ["b"]], [["a"], ["b"]]),
        ([{"k": "${l}"}], [{"k": [1, [2]]}]),
        ({"k": "${l}"}, {"k": [1, [2]]}),
        (["${t}"], ["x"]),
        (["${m}"], [{"a": 1}]),
    ],
)
def test_a_list_parameter_is_spliced_into_a_list(template: Any, expected: Any) -> None:
    assert filled(template, l=[1, [2]], none=[], t="x", m={"a": 1}) == expected


# Conditions


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        (None, True),
        ({}, True),
        ({"f": "mpi"}, True),
        ({"f": "torch"}, False),
        ({"f": ["torch", "mpi"]}, True),
        ({"f": ["torch", "exec"]}, False),
        ({"n": 4}, True),
        ({"n": [2, 4]}, True),
        ({"n": {"greaterThan": 3}}, True),
        ({"n": {"greaterThan": 4}}, False),
        ({"n": {"lessThan": 5}}, True),
        ({"n": {"lessThan": 4}}, False),
        ({"n": {"greaterThan": 3, "lessThan": 5}}, True),
        ({"n": {"greaterThan": 3, "lessThan": 4}}, False),
        ({"n": {"exists": True}}, True),
        ({"n": {"exists": False}}, False),
        ({"gap": {"exists": True}}, False),
        ({"gap": {"exists": False}}, True),
        ({"gap": "mpi"}, False),
        ({"gap": ["mpi"]}, False),
        ({"zero": {"exists": True}}, True),
        ({"kai": False}, True),
        ({"kai": True}, False),
        # all must hold
        ({"f": "mpi", "n": 4}, True),
        ({"f": "mpi", "n": 5}, False),
        ({"f": "torch", "n": 4}, False),
    ],
)
def test_conditions(condition: Any, truth: bool) -> None:
    parameters = Parameters(f="mpi", n=4, gap=ABSENT, zero=0, kai=False)
    assert holds(condition, parameters) is truth
    expected = {"a": {"b": 1}} if truth else {}
    assert fill({"a": {"$if": condition, "b": 1}}, parameters) == expected
    assert fill([{"$if": condition, "b": 1}, 2], parameters) == ([{"b": 1}, 2] if truth else [2])
    for value in ("x", 5, ["x"], None, {"c": 1}):
        assert fill({"a": {"$if": condition, "$value": value}}, parameters) == ({"a": value} if truth else {})
        assert fill([{"$if": condition, "$value": value}], parameters) == ([value] if truth else [])


def test_conditions_nest_and_what_is_dropped_is_not_filled() -> None:
    template = {"$if": {"n": 4}, "a": {"$if": {"n": 5}, "b": "${unknown}"}, "c": {"$if": {"n": 4}, "$value": "${n}"}}
    assert filled(template, n=4) == {"c": 4}
    assert filled(template, n=5) is ABSENT


def test_a_whole_template_may_fall_away() -> None:
    assert filled({"$if": {"n": 1}, "$value": "x"}, n=2) is ABSENT
    assert filled("${gap}", gap=ABSENT) is ABSENT


# Laws

scalars = st.none() | st.booleans() | st.integers() | st.text()
json_values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_characters="$")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_characters="$")), inner),
    max_leaves=12,
)


@given(json_values)
def test_what_a_parameter_brings_in_is_never_scanned_again(value: Any) -> None:
    hostile = {"a": [value, "${p}", {"$if": {"p": 1}, "b": 2}, {"$value": 3}], "${p}": "${p}"}
    before = copy.deepcopy(hostile)
    result = fill({"key": "${p}", "list": ["${items}"]}, Parameters(p=hostile, items=[hostile]))
    assert result == {"key": before, "list": [before]}
    assert hostile == before


@given(plain)
def test_a_template_without_parameters_is_filled_with_itself(template: Any) -> None:
    assert fill(template, Parameters()) == template


@given(st.text())
def test_a_text_parameter_stands_in_a_text_as_it_is(value: str) -> None:
    assert filled("<${p}>", p=value) == f"<{value}>"


def test_no_two_places_share_a_value_and_nothing_given_is_changed() -> None:
    template = {"a": "${m}", "b": "${m}", "c": [{"d": ["x"]}], "l": ["${items}"]}
    parameters = Parameters(m={"x": [1]}, items=[{"y": 1}])
    before = copy.deepcopy((template, dict(parameters)))
    first, second = fill(template, parameters), fill(template, parameters)
    for result in (first, second):
        result["a"]["x"].append(2)
        result["c"][0]["d"].append("y")
        result["l"][0]["y"] = 2
        assert result["b"] == {"x": [1]}
    assert (template, dict(parameters)) == before


# The package's fragments


def test_every_fragment_stands_in_the_compiled_file_as_it_is_written() -> None:
    compiled = json.loads((FRAGMENTS / "compiled.json").read_text())
    assert sorted(compiled["data"]) == FILES
    for name in FILES:
        assert load(name) == yaml.safe_load((FRAGMENTS / name).read_text()), name
    scripts = {path.stem: path.read_text() for path in (FRAGMENTS / "scripts").glob("*.sh")}
    assert compiled["scripts"] == scripts
    assert {name: filled(f"${{script.{name}}}") for name in scripts} == scripts


DESCRIBED = {
    "_lib/env.yaml": "envFile",
    "_lib/tolerations.yaml": "tolerationsFile",
    "hardware.yaml": "hardwareFile",
    "platforms.yaml": "platformsFile",
    **{name: "blocksFile" for name in FILES if name.startswith("platforms/")},
}


def test_the_schema_itself_is_sound() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("name", "definition"), DESCRIBED.items())
def test_a_fragment_is_valid(name: str, definition: str) -> None:
    validator = Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{definition}"})
    data = load(name)
    assert [error.message for error in validator.iter_errors(data)] == []
    # ... and the schema would notice
    assert not validator.is_valid({**data, "surprise": 1})


def test_every_block_has_a_name_of_its_own_and_stands_in_file_order() -> None:
    names = [block["id"] for name in FILES if name.startswith("platforms/") for block in load(name)["blocks"]]
    assert [block["id"] for block in package().blocks] == names
    assert len(names) == len(set(names)) == 29


def test_an_environment_list_says_the_same_to_containers_and_to_mpirun() -> None:
    for name in load("_lib/env.yaml")["env"]:
        for gpus in (8, 4, 1):
            parameters = Parameters(mnnvl="1", gpusPerNode=gpus)
            entries = fill(f"${{env.{name}}}", parameters)
            words = fill(f"${{mpirun.{name}}}", parameters)
            assert words[::2] == ["-x"] * len(entries)
            assert words[1::2] == [f"{entry['name']}={entry['value']}" for entry in entries]
            assert all(isinstance(entry["value"], str) for entry in entries)
