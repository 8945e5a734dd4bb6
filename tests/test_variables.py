"""Environment variables: names, references, repeats, and values that do not arrive."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.checks.variables import TORCH_VARIABLES
from tests.manifests import EXEC, MPI, TORCH, Json, complaint, faults, manifest, with_spec

SECRET: Json = {"secretKeyRef": {"name": "hub", "key": "token"}}
FIELD: Json = {"fieldRef": {"fieldPath": "metadata.name"}}


def judged(*env: Any, framework: Json = TORCH, **spec: Any) -> list[tuple[str, str]]:
    return faults(manifest(framework, env=list(env), **spec))


def in_stage(*env: Any) -> list[tuple[str, str]]:
    return faults(manifest(initContainers=[{"name": "stage", "image": "fetch:2", "env": list(env)}]))


@pytest.mark.parametrize("name", ["A", "a_b", "_", "my-var", "A.B", "1", "with space"])
def test_names(name: str) -> None:
    assert judged({"name": name, "value": "x"}) == []
    assert in_stage({"name": name, "value": "x"}) == []


@pytest.mark.parametrize("name", ["A=B", "", "\u00e9", "a\tb"])
def test_names_that_cannot_stand_in_an_environment(name: str) -> None:
    assert judged({"name": name, "value": "x"}) == [("NR244", "spec.env[0].name")]
    assert in_stage({"name": name, "value": "x"}) == [("NR244", "spec.initContainers[0].env[0].name")]


def test_a_missing_or_unsound_name_is_one_finding() -> None:
    assert judged({"value": "x"}) == [("NR205", "spec.env[0]")]
    assert judged({"name": 1, "value": "x"}) == [("NR203", "spec.env[0].name")]


@pytest.mark.parametrize("source", [SECRET, FIELD, {**SECRET, "fieldRef": None}])
def test_one_source(source: Json) -> None:
    assert judged({"name": "A", "valueFrom": source}) == []


def test_no_source_and_two_sources() -> None:
    assert judged({"name": "A", "valueFrom": {}}) == [("NR245", "spec.env[0].valueFrom")]
    found = complaint(
        with_spec(
            "env:\n- name: A\n  valueFrom:\n    secretKeyRef: {name: s, key: k}\n"
            "    @fieldRef: {fieldPath: metadata.name}"
        )
    )
    assert found.code == "NR245"
    assert "valueFrom names secretKeyRef and fieldRef" in found.message


def test_a_misspelt_source_is_one_finding() -> None:
    assert judged({"name": "A", "valueFrom": {"secretRef": {"name": "s"}}}) == [
        ("NR201", "spec.env[0].valueFrom.secretRef")
    ]


def test_a_name_written_twice_shows_what_is_without_effect() -> None:
    found = complaint(with_spec("env:\n- {name: A, value: x}\n- {name: B, value: x}\n- {name: @A, value: z}"))
    assert found.code == "NR612"
    ((first, note),) = found.related
    assert (first.line, note) == (9, "without effect")


def test_lists_of_different_containers_are_apart() -> None:
    stage = {"name": "stage", "image": "fetch:2", "env": [{"name": "A", "value": "x"}]}
    assert judged({"name": "A", "value": "y"}, initContainers=[stage]) == []


# What mpirun hands to the ranks


def mpi(*arguments: str) -> Json:
    return {"mpi": {**MPI["mpi"], "mpiArgs": list(arguments)}}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-x", "B=2"],
        ["-x", "A"],  # hands on the container's own value
        ["-x", "A=1"],  # the same value
        ["-xA=2"],  # not recognised, as in NVCRE
        ["A=2"],
        ["--x", "A=2"],
        [],
    ],
)
def test_an_export_that_hides_nothing(arguments: list[str]) -> None:
    assert judged({"name": "A", "value": "1"}, framework=mpi(*arguments)) == []


def test_an_export_that_hides_a_variable_shows_it() -> None:
    lines = "env:\n- {name: A, value: TRACE}"
    found = complaint(with_spec(lines, "{mpi: {binary: /b, mpirunPath: /m, mpiArgs: [--tag-output, -x, @A=WARN]}}"))
    assert found.code == "NR611"
    assert "at the ranks A is WARN, not what spec.env says" in found.message
    ((hidden, _),) = found.related
    assert hidden.line == 9


def test_an_export_hides_a_reference_and_an_empty_value() -> None:
    for entry in ({"name": "A", "valueFrom": SECRET}, {"name": "A"}):
        assert judged(entry, framework=mpi("-x", "A=2")) == [("NR611", "spec.framework.mpi.mpiArgs[1]")]
    assert judged({"name": "A"}, framework=mpi("-x", "A=")) == []


# What Trainer sets for torchrun


@pytest.mark.parametrize("name", TORCH_VARIABLES)
def test_variables_of_torchrun_never_arrive(name: str) -> None:
    for framework in (TORCH, EXEC):
        assert judged({"name": name, "value": "1"}, framework=framework) == [("NR405", "spec.env[0].name")]
    assert judged({"name": name, "value": "1"}, framework=MPI) == []


def override(env: Any) -> Json:
    template = {"spec": {"workload": {"trainJob": {"trainer": {"env": env}}}}}
    return {"when": {}, "jobTemplate": template}


def test_variables_of_torchrun_are_refused_in_the_trainer() -> None:
    entries = [{"name": "A", "value": "1"}, {"name": "PET_NNODES", "value": "1"}]
    field = "spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.env[1].name"
    assert faults(manifest(overrides=[override(entries)])) == [("NR406", field)]
    assert faults(manifest(MPI, overrides=[override(entries)])) == []
    assert faults(manifest(overrides=[override(None)])) == []
