"""What Kubeflow Trainer takes of a TrainJob: its name, and how many arguments."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from tests.manifests import EXEC, MPI, TORCH, Json, complaint, manifest, seen, train_job, with_spec


def named(name: str) -> list[tuple[str, str]]:
    return seen(nr.validate({**manifest(), "metadata": {"name": name}}))


@pytest.mark.parametrize("name", ["a", "run-1", "a1", "a" * 63])
def test_names_of_train_jobs(name: str) -> None:
    assert named(name) == []


@pytest.mark.parametrize(("name", "reason"), [("70b", "begins with a digit"), ("a.b", "has a dot in it")])
def test_names_that_no_train_job_can_have(name: str, reason: str) -> None:
    found = complaint(with_spec("").replace("name: run", f"name: @{name}"))
    assert found.code == "NR291"
    assert reason in found.message


@pytest.mark.parametrize("name", ["7_0", "Run.1", ""])
def test_other_bad_names_are_one_finding(name: str) -> None:
    assert [code for code, _ in named(name)] in (["NR222"], ["NR221"])


def long(count: int, framework: Json = TORCH, **spec: Any) -> Json:
    ((kind, fields),) = framework.items()
    return manifest({kind: {**fields, "args": ["-v"] * count}}, **spec)


def test_torch_has_one_argument_before_the_own() -> None:
    assert seen(nr.validate(long(127))) == []
    assert seen(nr.validate(long(128))) == [("NR616", "spec.framework.torch")]


def test_exec_has_none() -> None:
    assert seen(nr.validate(long(128, EXEC))) == []
    assert seen(nr.validate(long(129, EXEC))) == [("NR616", "spec.framework.exec")]
    assert seen(nr.validate(manifest({"exec": {"command": ["x"] * 129}}))) == [("NR616", "spec.framework.exec")]


def test_mpi_counts_the_variables_it_forwards() -> None:
    # -N, --allow-run-as-root, --mca with two operands, nine defaults and the binary: 6 + 18 + 1
    env = [{"name": f"A{number}", "value": "x"} for number in range(51)]
    assert seen(nr.validate(manifest(MPI, env=env))) == []
    (found,) = nr.validate(manifest(MPI, env=[*env, {"name": "B", "value": "x"}]))
    assert (found.code, found.message) == ("NR616", "the trainer gets 129 arguments; Trainer takes 128")


def test_the_count_is_that_of_what_is_built() -> None:
    env = [{"name": f"A{number}", "value": "x"} for number in range(60)]
    rendered = nr.render(manifest(MPI, env=env), gpu_arch="h100")
    count = len(train_job(dict(rendered.workflow))["trainer"]["args"])
    (found,) = rendered.diagnostics
    assert found.message.startswith(f"the trainer gets {count} arguments")


def test_a_platform_adds_arguments_of_its_own() -> None:
    env = [{"name": f"A{number}", "value": "x"} for number in range(50)]
    run = manifest(MPI, env=env)
    assert seen(nr.validate(run)) == []
    assert seen(nr.validate(run, platform="aws", gpu_arch="gb200")) == [("NR616", "spec.framework.mpi")]


def test_a_command_in_a_shell_is_one_argument() -> None:
    env = [{"name": f"A{number}", "value": "x"} for number in range(60)]
    assert seen(nr.validate(manifest(MPI, env=env), platform="aws", gpu_arch="gb300")) == []


def test_a_trainer_that_an_override_removes_has_no_arguments() -> None:
    overrides = [{"when": {}, "jobTemplate": {"spec": {"workload": {"trainJob": None}}}}]
    found = seen(nr.validate(manifest(overrides=overrides), platform="aws", gpu_arch="h100"))
    assert "NR616" not in [code for code, _ in found]
