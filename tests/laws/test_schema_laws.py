"""The walk along the schema against jsonschema, which reads the same schema its own way."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

import nvcre_render as nr
from nvcre_render import duration, quantity
from nvcre_render.checks import schema, unions
from nvcre_render.document import from_mapping
from tests.manifests import EXEC, MPI, TORCH, Json, manifest

SCHEMA = schema.load("workloadrun.v1alpha1")
FORMATS = FormatChecker(formats=())


@FORMATS.checks("quantity", raises=ValueError)
def is_quantity(value: Any) -> bool:
    return isinstance(value, (dict, list)) or quantity.canonical(value) != ""


@FORMATS.checks("duration", raises=ValueError)
def is_duration(value: Any) -> bool:
    return not isinstance(value, str) or duration.canonical(value) != ""


FORMATS.checks("int32")(lambda value: not isinstance(value, int) or -(2**31) <= value < 2**31)
FORMATS.checks("int64")(lambda value: not isinstance(value, int) or -(2**63) <= value < 2**63)
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FORMATS)

RUNS = [
    manifest(
        TORCH,
        env=[{"name": "A", "value": "x"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        volumes=[{"name": "data", "hostPath": {"path": "/d"}}, {"name": "c", "configMap": {"name": "c"}}],
        volumeMounts=[{"name": "data", "mountPath": "/d", "readOnly": True}],
        resources={"limits": {"cpu": "1", "memory": "1Gi"}},
        config={"inline": {"a.sh": "echo"}},
        target={
            "nodeSelector": {"zone": "a"},
            "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
            "taintSelectors": [{"key": "t"}],
        },
    ),
    manifest(
        {"mpi": {**MPI["mpi"], "args": ["-b", "8"], "mpiArgs": ["-x", "A"]}},
        orchestration={"testScale": "full-scale", "placement": "Pinned", "repeatCount": 2, "timeoutPerJob": "1h"},
        thresholds={"goodputRatio": "value > 0"},
        goodputMeasurement={"logProfileRef": "a", "sampleInterval": "60s"},
        gangScheduler={"schedulerName": "s", "queue": "q", "queueLabelKey": "a/b"},
        workloadMetadata={"labels": {"team": "a"}},
        checkpoint={"storageSize": "1Gi", "maxRestarts": 1},
        imagePullSecrets=[{"name": "reg"}],
    ),
    manifest(
        EXEC,
        config={"configMapRef": {"name": "files"}},
        gpusPerNode=8,
        mlnxPerNode=0,
        nicResourceName="rdma/ib",
        enableMNNVL=False,
        priorityClassName="high",
        initContainers=[
            {
                "name": "stage",
                "image": "a:1",
                "ports": [{"containerPort": 80}],
                "securityContext": {"privileged": False, "runAsUser": 0},
                "livenessProbe": {"tcpSocket": {"port": "ssh"}},
                "env": [{"name": "C", "value": "y"}],
            }
        ],
        overrides=[
            {
                "when": {"platform": {"equals": "aws"}, "topology": {"domainCount": {"greaterThan": 1}}},
                "jobTemplate": {"spec": {"thresholds": {"goodputRatio": "value > 0"}}},
                "dependencies": [{"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}, "size": 1}],
                "orchestration": {"topology": {"topologyKey": "rack"}, "execution": {"timeoutPerJob": "1h"}},
            }
        ],
    ),
]

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> list[Path]:
    """Return the path of everything below the top of a manifest."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [place for step, item in items for place in ((*path, step), *places(item, (*path, step)))]


PLACES = [places(run) for run in RUNS]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 8, 2.5, 2**31, -(2**31) - 1, 2**63),
    *("", "x", "X", "a b", "1Gi", "10 GB", "1h30m", "aws", "Unpinned", "intra-node", "a/b", "-a", "a" * 64, "a" * 300),
    *(
        [],
        [None],
        [1],
        ["x"],
        [{}],
        [{"name": "x"}],
        {},
        {"name": "x"},
        {"zebra": 1},
        {"name": 5},
        {"a": "b"},
        {"a": None},
    ),
]
KEYS = ["zebra", "Name", "name", "value", "args", "script", "module", "torch", "mpi", "inline", "configMapRef", "env"]
# An empty value beside a valueFrom is accepted, as pods accept it; the schema has no word for that.
additions = st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)).filter(lambda pair: pair != ("value", ""))


@st.composite
def mutants(draw: st.DrawFn) -> Json:
    """Draw a valid run with one, two or three changes to its data."""
    index = draw(st.integers(0, len(RUNS) - 1))
    run = copy.deepcopy(RUNS[index])
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PLACES[index]))
        kind = draw(st.sampled_from(["remove", "replace", "add"]))
        parent = at(run, path[:-1])
        if not isinstance(parent, (dict, list)) or at(run, path) is GONE:
            continue  # an earlier change took the place away
        if kind == "remove":
            del parent[path[-1]]  # type: ignore[arg-type]
        elif kind == "replace":
            parent[path[-1]] = copy.deepcopy(draw(st.sampled_from(VALUES)))  # type: ignore[index]
        elif isinstance(inner := at(run, path), dict):
            key, value = draw(additions)
            inner[key] = copy.deepcopy(value)
    return run


GONE = object()


def at(value: Any, path: Path) -> Any:
    """Return the value at a path, GONE where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return GONE
    return value


def without_nulls(value: Any, node: Json) -> Any:
    """Drop nulls of known fields: to Kubernetes they are absent, to jsonschema of a wrong type."""
    if "$ref" in node:
        node = SCHEMA["$defs"][node["$ref"].removeprefix("#/$defs/")]
    if isinstance(value, list):
        return [without_nulls(item, node.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    fields = node.get("properties", {})
    others = node.get("additionalProperties")
    kept = {key: item for key, item in value.items() if item is not None or key not in fields}
    inner = others if isinstance(others, dict) else {}
    return {key: without_nulls(item, fields.get(key, inner)) for key, item in kept.items()}


def accepted(run: Json) -> bool:
    """Tell whether our checks of structure find nothing."""
    document = from_mapping(run, "run.yaml")
    normalised, found = schema.check(document, "workloadrun.v1alpha1")
    assert isinstance(normalised, dict)
    data: Any = normalised
    exclusive = unions.check(data, document)
    return not found and not [each for each in exclusive if each.code == "NR209"]


def test_the_runs_to_start_from_are_sound() -> None:
    for run in RUNS:
        assert accepted(run)
        assert VALIDATOR.is_valid(run)
        assert nr.validate(run).ok


@given(mutants())
@settings(deadline=None, max_examples=300)
def test_structure_is_judged_as_jsonschema_does(run: Json) -> None:
    errors = [error.message for error in VALIDATOR.iter_errors(without_nulls(run, SCHEMA))]
    assert accepted(run) == (errors == []), errors


@given(mutants())
@settings(deadline=None, max_examples=100)
def test_validate_never_raises_and_text_and_mapping_agree(run: Json) -> None:
    of_mapping = sorted((found.code, found.field) for found in nr.validate(run))
    of_text = sorted((found.code, found.field) for found in nr.validate(json.dumps(run)))
    assert of_mapping == of_text


@given(mutants())
@settings(deadline=None, max_examples=100)
def test_a_run_that_is_accepted_renders(run: Json) -> None:
    report = nr.validate(run)
    if report.ok and "NR114" not in [found.code for found in report]:  # a note: it became an object of another kind
        rendered = nr.render(run, gpu_arch="h100", overrides="listed")
        assert rendered.workflow["metadata"]["name"] == run["metadata"]["name"]


@given(st.recursive(st.sampled_from(VALUES), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
@settings(deadline=None, max_examples=100)
def test_any_data_is_judged_without_an_exception(spec: Any) -> None:
    report = nr.validate({**manifest(), "spec": spec})
    assert not report.ok
    assert all(str(found) for found in report)
