"""The pydantic model and the JSON Schema made from it accept the same structures; jsonschema is the judge."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from nvcre_render.model import WorkloadRun, validator

# Relations between fields are the compiler's own rules; the schema says them for editors, the model does not.
RELATIONS = ("minProperties", "maxProperties", "oneOf", "not")
MODEL = validator(WorkloadRun)
WHEN = {"platform": {"in": ["aws"]}, "topology": {"domainCount": {"equals": 1}}}
WHOLE: dict[str, Any] = {
    "apiVersion": "nvcre.nvidia.com/v1alpha1",
    "kind": "WorkloadRun",
    "metadata": {"name": "r"},
    "spec": {
        "image": "a:1",
        "numNodes": 2,
        "framework": {"mpi": {"binary": "/b", "mpirunPath": "/m", "args": ["-b"], "mpiArgs": ["--tag-output"]}},
        "target": {"nodeSelector": {"a": "b"}, "nodeNames": ["n"], "taintSelectors": [{"key": "k", "effect": "x"}]},
        "config": {"inline": {"run.sh": "x"}},
        "gpusPerNode": 8,
        "mlnxPerNode": 0,
        "nicResourceName": "rdma/ib",
        "enableMNNVL": False,
        "priorityClassName": "high",
        "checkpoint": {"storageSize": "10Gi", "maxRestarts": 1},
        "orchestration": {"testScale": "full-scale", "placement": "Pinned", "repeatCount": 2, "timeoutPerJob": "1h"},
        "thresholds": {"goodputRatio": "value >= 0.9"},
        "goodputMeasurement": {"logProfileRef": "p", "sampleInterval": "60s"},
        "bandwidthMeasurement": {"logProfileRef": "p", "testType": "all_reduce"},
        "overrides": [{"when": WHEN, "orchestration": {"iterations": 2}}],
        "gangScheduler": {"schedulerName": "kai-scheduler", "queue": "q", "queueLabelKey": "kai.scheduler/queue"},
        "workloadMetadata": {"labels": {"team": "x"}},
    },
}  # fmt: skip
# No text with a final line feed: jsonschema's patterns are Python's, whose $ also matches before one.
JUNK = st.sampled_from(
    [None, True, 0, -1, 2, 2**31, 1.5, "", "x", "Unpinned", "10 GB", "a b", [], ["x"], [1], {}, {"x": 1}]
)


def judge() -> Draft202012Validator:
    schema = json.loads(Path("schemas/workloadrun.v1alpha1.json").read_text())
    for definition in schema["$defs"].values():
        for relation in RELATIONS:
            definition.pop(relation, None)
    return Draft202012Validator(schema)


JUDGE = judge()


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


# metadata is Kubernetes' own: typed in part here, whole in the schema.
PLACES = [place for place in places(WHOLE) if place and place[0] != "metadata"]


@st.composite
def mutants(draw: st.DrawFn) -> dict[str, Any]:
    run = copy.deepcopy(WHOLE)
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2)):
        parent: Any = run
        for step in place[:-1]:
            parent = parent[step] if _has(parent, step) else None
        if _has(parent, place[-1]):
            _mutate(draw, parent, place[-1])
    return run


def _has(parent: Any, step: Any) -> bool:
    if isinstance(parent, list):
        return isinstance(step, int) and step < len(parent)
    return isinstance(parent, dict) and step in parent


def _mutate(draw: st.DrawFn, parent: Any, step: Any) -> None:
    how = draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "remove":
        del parent[step]
    elif how == "add" and isinstance(parent[step], dict):
        parent[step]["unheardOf"] = draw(JUNK)
    else:
        parent[step] = draw(JUNK)


def accepted(run: dict[str, Any]) -> bool:
    try:
        MODEL.validate_python(run)
    except ValidationError:
        return False
    return True


def test_the_whole_run_is_accepted_by_both() -> None:
    assert accepted(WHOLE)
    assert JUDGE.is_valid(WHOLE)


@given(mutants())
@settings(max_examples=400, deadline=None)
def test_model_and_schema_accept_the_same(run: dict[str, Any]) -> None:
    assert accepted(run) == JUDGE.is_valid(run)
