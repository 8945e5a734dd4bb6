"""The merge rules, as tables of YAML: what goes in, what is patched, what comes out."""

from __future__ import annotations

import copy
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from nvcre_render import json_patch, merge, overrides
from nvcre_render.conditions import Context
from nvcre_render.merge import MergeError
from nvcre_render.overrides import OverrideError

TABLES = Path(__file__).parent / "merge"
KEYS = {"name", "base", "patch", "expected", "error"}


def dependencies(base: Any, patch: Any) -> Any:
    return merge.dependency(base, patch) if isinstance(base, list) else merge.walk(base, patch, merge.DEPENDENCY)


def template(base: Any, patch: Any) -> Any:
    merged = merge.template(base, patch)
    return overrides.read_back(merged)[0] if "spec" in base else merged


def orchestration(base: Any, patch: Any) -> Any:
    spec = {"orchestration": base, "overrides": [{"when": {}, "orchestration": patch}]}
    return overrides.resolve(spec, Context()).spec["orchestration"]


# The function of each table, and how many rows it has: a row that is lost is a failure.
MERGES: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "dependencies": (dependencies, 36),
    "template": (template, 43),
    "patch": (json_patch.apply, 44),
    "orchestration": (orchestration, 15),
}


def rows(table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((TABLES / f"{table}.yaml").read_text())
    return found


ROWS = [pytest.param(table, row, id=f"{table}: {row['name']}") for table in MERGES for row in rows(table)]


def test_every_table_is_read_whole() -> None:
    assert {path.stem for path in TABLES.iterdir()} == set(MERGES)
    for table, (_, count) in MERGES.items():
        found = rows(table)
        assert len(found) == count
        assert len({row["name"] for row in found}) == count
        for row in found:
            assert {"name", "base", "patch"} <= row.keys() <= KEYS, row
            assert ("expected" in row) != ("error" in row), row["name"]


@pytest.mark.parametrize(("table", "row"), ROWS)
def test_row(table: str, row: dict[str, Any]) -> None:
    function = MERGES[table][0]
    base, patch = copy.deepcopy(row["base"]), copy.deepcopy(row["patch"])
    if "error" in row:
        with pytest.raises((MergeError, OverrideError)) as refusal:
            function(base, patch)
        assert row["error"] in str(refusal.value)
    else:
        found = function(base, patch)
        # As text, so that 1, 1.0 and true are told apart.
        assert json.dumps(found, sort_keys=True) == json.dumps(row["expected"], sort_keys=True)
    assert (base, patch) == (row["base"], row["patch"]), "the inputs were changed"


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        ({"a": {"$patch": "x"}}, ("a", "$patch")),
        ({"a": {"$retainKeys": ["b"], "c": 1}}, ("a", "c")),
    ],
)
def test_an_error_tells_the_place_in_the_patch(patch: Any, path: tuple[str, ...]) -> None:
    with pytest.raises(MergeError) as refusal:
        merge.template({"a": {"b": 1}}, patch)
    assert refusal.value.path == path


def test_an_error_of_a_json_patch_tells_the_operation() -> None:
    with pytest.raises(MergeError) as refusal:
        json_patch.apply({"a": 1}, [{"op": "test", "path": "/a", "value": 1}, {"op": "remove", "path": "/b"}])
    assert refusal.value.path == (1,)


def test_the_text_form_of_a_json_patch_is_for_fragments() -> None:
    operations = [{"op": "remove", "path": "/a"}]
    assert json_patch.unwrapped(json.dumps(operations)) == operations
    assert json_patch.unwrapped(operations) is operations
    with pytest.raises(MergeError, match="the text is not JSON"):
        json_patch.unwrapped("- op: remove")


def test_a_patched_list_does_not_share_its_values() -> None:
    value = {"labels": {"a": "x"}}
    operations = [
        {"op": "add", "path": "/one", "value": value},
        {"op": "copy", "from": "/one", "path": "/two"},
        {"op": "add", "path": "/one/labels/b", "value": "y"},
    ]
    assert json_patch.apply({}, operations) == {"one": {"labels": {"a": "x", "b": "y"}}, "two": {"labels": {"a": "x"}}}
    assert value == {"labels": {"a": "x"}}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, True, False),
        (1, 1.0, False),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
    ],
)
def test_json_is_the_same_or_not(left: Any, right: Any, expected: bool) -> None:
    assert merge.same(left, right) is expected
    assert merge.same(right, left) is expected


# -- the examples of the page ------------------------------------------------------------------------------------

PAGE = Path("docs/merge.md").read_text()
SIDES = ("# before", "# override", "# after")
SECTIONS: dict[str, tuple[Callable[[Any, Any], Any], ...]] = {
    "Objects": (dependencies, merge.template),
    "`dependencies`: lists by name": (dependencies,),
    "`jobTemplate`: strategic merge": (merge.template,),
    "`orchestration`: whole blocks": (orchestration,),
}


def examples() -> list[tuple[str, list[Any]]]:
    """Return the blocks of three columns on the page: the section, and what stands in each column."""
    found = []
    for section in PAGE.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for block in re.findall(r"```yaml\n(.*?)```", textwrap.dedent(section), re.DOTALL):
            head, *lines = block.splitlines()
            if SIDES[0] not in head:
                continue
            starts = [head.index(side) for side in SIDES]
            spans = zip(starts, [*starts[1:], None], strict=True)
            sides = ["\n".join(line[start:end] for line in lines) for start, end in spans]
            found.append((title, [yaml.safe_load(textwrap.dedent(side)) for side in sides]))
    return found


def test_the_page_has_examples_of_every_merge() -> None:
    assert {title for title, _ in examples()} == set(SECTIONS)


@pytest.mark.parametrize(("title", "sides"), examples(), ids=str)
def test_an_example_of_the_page_holds(title: str, sides: list[Any]) -> None:
    before, override, after = sides
    for function in SECTIONS[title]:
        assert function(before, override) == after


def test_a_named_item_is_removed_as_the_page_says() -> None:
    (block,) = [each for each in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "kind: Pod" in each]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe"}}
    found = [{**pod, "spec": {"volumes": [{"name": "kept", "hostPath": {"path": "/k"}}, {"name": "gone"}]}}]
    for change in yaml.safe_load(textwrap.dedent(block))["dependencies"]:
        found = merge.dependency(found, change)
    assert found == [{**pod, "spec": {"volumes": [{"name": "kept", "emptyDir": {}}]}}]
