"""The shapes of what overrides patch: made of Trainer's and Kubernetes' own types, and nothing missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

SHAPES: dict[str, Any] = json.loads(Path("schemas/patch-shapes.v1.json").read_text())
DEFINITIONS = SHAPES["$defs"]
CORE: dict[str, Any] = json.loads(Path("schemas/kubernetes-core.v1.json").read_text())["$defs"]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SHAPES)


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        found = {value["$ref"]} if "$ref" in value else set()
        return found.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def test_every_reference_leads_to_a_shape() -> None:
    assert {name.removeprefix("#/$defs/") for name in references(SHAPES)} <= DEFINITIONS.keys()


def test_nothing_is_required_or_limited() -> None:
    known = {"$ref", "type", "format", "properties", "items", "additionalProperties"}
    waiting: list[Any] = list(DEFINITIONS.values())
    while waiting:
        shape = waiting.pop()
        if not isinstance(shape, dict):
            continue
        assert shape.keys() <= known
        waiting += shape.get("properties", {}).values()
        waiting += [shape.get("items"), shape.get("additionalProperties")]


@pytest.mark.parametrize("name", sorted(CORE.keys() & DEFINITIONS.keys()))
def test_the_types_of_runs_and_of_patches_have_the_same_fields(name: str) -> None:
    assert DEFINITIONS[name]["properties"].keys() == CORE[name]["properties"].keys()


def field(kind: str, *path: str) -> Any:
    shape = DEFINITIONS[kind]
    for step in path:
        while "$ref" in shape:
            shape = DEFINITIONS[shape["$ref"].removeprefix("#/$defs/")]
        shape = shape["items"] if step == "*" else shape["properties"][step]
    return shape


RUNTIME = "trainer.kubeflow.org/v1alpha1 TrainingRuntime"
JOB = ("spec", "template", "spec", "replicatedJobs", "*")


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        (("spec", "mlPolicy", "numNodes"), {"type": "integer"}),
        (("spec", "mlPolicy", "torch"), {}),  # numProcPerNode there is of an earlier release, and pruned
        (("spec", "mlPolicy", "mpi", "runLauncherAsNode"), {"type": "boolean"}),
        ((*JOB, "dependsOn", "*", "status"), {"type": "string"}),
        ((*JOB, "template", "spec", "backoffLimit"), {"type": "integer"}),
        ((*JOB, "template", "spec", "template", "spec", "hostIPC"), {"type": "boolean"}),
        (
            ("spec", "template", "spec", "successPolicy", "targetReplicatedJobs"),
            {"type": "array", "items": {"type": "string"}},
        ),
    ],
)
def test_the_runtime_has_the_fields_of_the_release_in_use(path: tuple[str, ...], shape: Any) -> None:
    assert field(RUNTIME, *path) == shape


def test_amounts_keep_their_form() -> None:
    limits = field(RUNTIME, *JOB, "template", "spec", "template", "spec", "containers", "*", "resources", "limits")
    assert limits["additionalProperties"]["format"] == "quantity"


def test_a_runtime_patch_has_the_fields_of_the_release_in_use() -> None:
    assert set(DEFINITIONS["RuntimePatch"]["properties"]) == {"manager", "time", "trainingRuntimeSpec"}
    pod = DEFINITIONS["TrainerPodSpecPatch"]["properties"]
    assert "schedulingGates" in pod
    assert "terminationGracePeriodSeconds" not in pod  # Trainer 2.3 adds it
