"""What holds for every merge, whatever is merged."""

from __future__ import annotations

import copy
from typing import Any

import deepmerge
from hypothesis import given, settings
from hypothesis import strategies as st

from nvcre_render import json_patch, merge
from nvcre_render.conditions import Context
from nvcre_render.overrides import resolve

Data = dict[str, Any]
BOUNDED = settings(max_examples=60, deadline=None)

KEYS = st.sampled_from(["image", "env", "spec", "labels", "size"])
NAMES = st.sampled_from(["node", "launcher", "side", "data"])
SCALARS = st.one_of(st.booleans(), st.integers(-3, 3), st.sampled_from(["", "a", "b"]), st.just(0.5))


def values(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw JSON values that collide often: few keys, few names, lists with names and without."""
    return st.recursive(
        leaves, lambda inner: st.one_of(objects(inner), named(inner), st.lists(inner, max_size=2)), max_leaves=10
    )


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Data]:
    return st.dictionaries(KEYS, inner, max_size=4)


def named(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Data]]:
    """Draw lists of named items, no name twice."""
    return st.dictionaries(NAMES, objects(inner), max_size=4).map(
        lambda items: [{"name": name, **item} for name, item in items.items()]
    )


PLAIN = values(SCALARS)
WITH_NULLS = values(st.one_of(SCALARS, st.none()))
OBJECTS, CHANGES = objects(PLAIN), objects(WITH_NULLS)
LISTS, LIST_CHANGES = named(PLAIN), named(WITH_NULLS)


def names(items: list[Data]) -> list[str]:
    return [item["name"] for item in items]


def by_name(base: Any, change: Any) -> Any:
    return merge.walk(base, change, merge.DEPENDENCY)


@BOUNDED
@given(OBJECTS, OBJECTS)
def test_merging_by_name_twice_is_merging_once(base: Data, change: Data) -> None:
    once = by_name(base, change)
    assert merge.same(by_name(once, change), once)


@BOUNDED
@given(OBJECTS, OBJECTS)
def test_merging_a_template_twice_is_merging_once(base: Data, change: Data) -> None:
    once = merge.template(base, change)
    assert merge.same(merge.template(once, change), once)


@BOUNDED
@given(CHANGES)
def test_an_empty_change_changes_nothing(base: Data) -> None:
    assert merge.same(by_name(base, {}), base)
    assert merge.same(merge.template(base, {}), base)
    assert merge.same(merge.orchestration(base, {}), base)
    assert merge.same(json_patch.apply(base, []), base)


@BOUNDED
@given(LISTS, LIST_CHANGES)
def test_the_order_of_the_base_is_kept_and_new_names_follow_in_theirs(base: list[Data], change: list[Data]) -> None:
    found = by_name(base, change) if change else base
    new = [name for name in names(change) if name not in names(base)]
    assert names(found) == names(base) + new


@BOUNDED
@given(OBJECTS, CHANGES, LISTS, LIST_CHANGES)
def test_no_named_item_is_lost_without_a_null(base: Data, change: Data, items: list[Data], more: list[Data]) -> None:
    found = by_name({**base, "items": items}, {**change, "items": more} if more else change)
    assert set(names(items)) | set(names(more)) == set(names(found["items"]))


@BOUNDED
@given(OBJECTS, OBJECTS)
def test_no_key_is_lost_without_a_null(base: Data, change: Data) -> None:
    assert by_name(base, change).keys() == base.keys() | change.keys()
    assert merge.template(base, change).keys() == base.keys() | change.keys()


@BOUNDED
@given(OBJECTS, CHANGES)
def test_a_template_takes_every_list_of_the_change_whole(base: Data, change: Data) -> None:
    found = merge.template(base, change)
    for key, value in change.items():
        if isinstance(value, list) and isinstance(base.get(key), list):
            assert merge.same(found[key], value)


@BOUNDED
@given(CHANGES, CHANGES)
def test_nothing_that_is_merged_is_changed(base: Data, change: Data) -> None:
    before = copy.deepcopy((base, change))
    by_name(base, change)
    merge.template(base, change)
    merge.orchestration(base, change)
    merge.dependency([base], change)
    json_patch.apply(base, [{"op": "add", "path": "/new", "value": change}, {"op": "remove", "path": "/new"}])
    assert merge.same([*before], [base, change])


@BOUNDED
@given(OBJECTS, OBJECTS, OBJECTS)
def test_a_json_patch_that_is_taken_back_leaves_nothing(base: Data, value: Data, other: Data) -> None:
    operations = [
        {"op": "add", "path": "/one", "value": value},
        {"op": "copy", "from": "/one", "path": "/two"},
        {"op": "test", "path": "/two", "value": value},
        {"op": "replace", "path": "/one", "value": other},
        {"op": "move", "from": "/two", "path": "/one"},
        {"op": "test", "path": "/one", "value": value},
        {"op": "remove", "path": "/one"},
    ]
    assert merge.same(json_patch.apply(base, operations), base)


# -- against deepmerge -------------------------------------------------------------------------------------------


def library(policy: merge.Policy) -> deepmerge.Merger:
    """Return deepmerge with a policy of ours: the walk is the library's."""

    def of_objects(merger: Any, path: list[Any], base: Data, change: Data) -> Data:
        base, change = policy.prepared(base, change, tuple(path))
        result = dict(base)
        for key, value in change.items():
            if value is None:
                result.pop(key, None)
            else:
                known = key in base
                result[key] = merger.value_strategy([*path, key], base[key], value) if known else policy.taken(value)
        return result

    def of_lists(merger: Any, path: list[Any], base: list[Any], change: list[Any]) -> list[Any]:
        return policy.lists(base, change, tuple(path))

    def taken(merger: Any, path: list[Any], base: Any, change: Any) -> Any:
        return policy.taken(change)

    return deepmerge.Merger([(dict, of_objects), (list, of_lists)], [taken], [taken])


@BOUNDED
@given(CHANGES, CHANGES)
def test_the_walk_is_that_of_deepmerge(base: Data, change: Data) -> None:
    for policy in (merge.DEPENDENCY, merge.TEMPLATE):
        expected = library(policy).merge(copy.deepcopy(base), copy.deepcopy(change))
        assert merge.same(merge.walk(base, change, policy), expected)


# -- whole resolutions -------------------------------------------------------------------------------------------

TRAINERS = st.fixed_dictionaries(
    {},
    optional={
        "image": st.sampled_from(["app:1", "app:2", None]),
        "args": st.lists(st.sampled_from(["--a", "--b"]), max_size=2),
        "env": st.lists(st.fixed_dictionaries({"name": NAMES, "value": st.sampled_from(["", "x"])}), max_size=2),
        "numNodes": st.integers(0, 3),
        "unknown": st.just("x"),
        "resourcesPerNode": st.sampled_from([None, {}, {"limits": {"cpu": "1000m"}}, {"limits": {"cpu": None}}]),
    },
)
TEMPLATES = TRAINERS.map(lambda trainer: {"spec": {"workload": {"trainJob": {"trainer": trainer}}}})
DEPENDENCIES = st.fixed_dictionaries(
    {"apiVersion": st.just("v1"), "kind": st.sampled_from(["Pod", "ConfigMap"]), "metadata": st.just({"name": "x"})},
    optional={"spec": CHANGES, "when": st.sampled_from([{}, {"platform": {"equals": "aws"}}])},
)
BLOCKS = st.fixed_dictionaries(
    {"when": st.sampled_from([{}, {"platform": {"equals": "aws"}}, {"platform": {"equals": "gcp"}}])},
    optional={
        "jobTemplate": TEMPLATES,
        "dependencies": st.lists(DEPENDENCIES, max_size=2),
        "orchestration": st.sampled_from([{}, {"iterations": 2}, {"execution": {}}, {"target": {"nodeNames": ["n"]}}]),
    },
)


@BOUNDED
@given(st.lists(BLOCKS, max_size=4))
def test_a_resolved_spec_resolves_to_itself_and_its_source_is_untouched(blocks: list[Data]) -> None:
    spec = {
        "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"image": "app:0", "args": ["--z"]}}}}},
        "orchestration": {"execution": {"timeoutPerJob": "1h0m0s"}},
        "dependencies": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"size": 1}}],
        "overrides": blocks,
    }
    before = copy.deepcopy(spec)
    once = resolve(spec, Context(platform="aws"))
    assert merge.same(spec, before)
    again = resolve(once.spec, Context(platform="aws"))
    assert merge.same(again.spec, once.spec)
    assert again.applied == ()


@BOUNDED
@given(st.lists(BLOCKS, max_size=3))
def test_blocks_that_do_not_match_leave_no_trace(blocks: list[Data]) -> None:
    spec: Data = {
        "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {}}}}},
        "orchestration": {"execution": {}},
        "overrides": [{**block, "when": {"platform": {"equals": "nowhere"}}} for block in blocks],
    }
    found = resolve(spec, Context(platform="aws"))
    assert merge.same({**found.spec, "overrides": spec["overrides"]}, spec)
    assert (found.applied, found.dropped) == ((), ())
