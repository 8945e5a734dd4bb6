"""Laws of executor settings: nothing given is changed, nothing depends on chance, and no input ends in a crash."""

from __future__ import annotations

import copy
import json
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nvcre_render.diagnostics import RenderError
from nvcre_render.executor.settings import known
from tests.executor_strategies import RELEASES, executors
from tests.executors import built

BOUNDED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
KEYS = st.sampled_from(
    [
        *("name", "containers", "volumes", "spec", "env", "targetJobs", "trainer", "mountPath", "requests"),
        *("podTemplateOverrides", "runtimePatches", "manager", "volumeMounts", "_target_", "path", "args"),
        "persistentVolumeClaim",
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.sampled_from(["", "a", "node", "x: y"])
)
JUNK = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)


@BOUNDED
@given(executors(), st.sampled_from(RELEASES))
def test_settings_are_not_changed_and_share_nothing_with_the_result(data: dict[str, Any], target: str) -> None:
    before = copy.deepcopy(data)
    made = built(data, trainer_release=target)
    first = copy.deepcopy(made.train_job)
    spoil(made.train_job)
    assert data == before
    assert built(data, trainer_release=target).train_job == first


def spoil(value: Any) -> None:
    for item in list(value.values() if isinstance(value, dict) else value):
        if isinstance(item, (dict, list)):
            spoil(item)
    value.clear()


@BOUNDED
@given(executors())
def test_text_and_mapping_are_one(data: dict[str, Any]) -> None:
    text = yaml.safe_dump(data, sort_keys=False)
    assert built(text).train_job == built(data).train_job


@BOUNDED
@given(executors(), st.sampled_from(RELEASES))
def test_what_is_printed_reads_back_as_what_was_built(data: dict[str, Any], target: str) -> None:
    made = built(data, trainer_release=target)
    assert list(yaml.safe_load_all(made.to_yaml())) == list(made.objects)
    printed = json.loads(made.to_json())
    assert printed.get("items", [printed]) == list(made.objects)


@BOUNDED
@given(executors())
def test_every_finding_of_a_text_has_a_place_and_a_remedy(data: dict[str, Any]) -> None:
    for found in built(yaml.safe_dump(data), trainer_release="2.3").diagnostics:
        assert found.position is not None
        assert found.remedy


@BOUNDED
@given(executors(), st.dictionaries(st.sampled_from([*known(), "foo"]), JUNK, min_size=1, max_size=3))
def test_whatever_is_written_is_built_or_refused(data: dict[str, Any], junk: dict[str, Any]) -> None:
    try:
        made = built({**data, **junk})
    except RenderError as refusal:
        refused: RenderError | None = refusal
    else:
        refused = None
        assert made.to_yaml()
        assert made.to_json()
    assert refused is None or not refused.report.ok


@BOUNDED
@given(executors())
def test_a_setting_left_at_its_default_changes_nothing(data: dict[str, Any]) -> None:
    spelled = {"restart_policy": "OnFailure", "retries": 0, "packager": None, "labels": {}, "volumes": [], **data}
    assert built(spelled).train_job == built(data).train_job
