"""Overrides that change nothing, or not what they name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.manifests import MPI, TORCH, Json, complaint, faults, manifest, with_spec

API = "trainer.kubeflow.org/v1alpha1"
POD = "template.spec.template.spec"
JOBS = "spec.overrides[0].dependencies[0].spec.template.spec.replicatedJobs"


def runtime(*jobs: Any, name: str = "run-runtime", api: str = API) -> Json:
    spec = {"template": {"spec": {"replicatedJobs": list(jobs)}}}
    return {"apiVersion": api, "kind": "TrainingRuntime", "metadata": {"name": name}, "spec": spec}


def job(name: str, *containers: Json) -> Json:
    return {"name": name, "template": {"spec": {"template": {"spec": {"containers": list(containers)}}}}}


def judged(override: Json, framework: Json = TORCH) -> list[tuple[str, str]]:
    return faults(manifest(framework, overrides=[{"when": {}, **override}]))


def patched(*dependencies: Any, framework: Json = TORCH, **more: Any) -> list[tuple[str, str]]:
    return judged({"dependencies": list(dependencies), **more}, framework)


@pytest.mark.parametrize("override", [{}, {"jobTemplate": None}, {"dependencies": []}, {"orchestration": {}}])
def test_an_override_of_nothing(override: Json) -> None:
    assert judged(override) == [("NR623", "spec.overrides[0]")]


def test_the_generated_runtime_is_met() -> None:
    assert patched(runtime(job("node", {"name": "node", "env": []}))) == []
    assert patched(runtime(job("node"), job("launcher")), framework=MPI) == []


def test_a_runtime_of_another_name_is_added_and_never_used() -> None:
    found = complaint(
        with_spec(
            "overrides:\n- when: {}\n  dependencies:\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n"
            "    kind: TrainingRuntime\n    metadata: {name: @trainer-runtime}\n    spec: {}"
        )
    )
    assert (found.code, found.remedy) == ("NR624", "write run-runtime")


def test_a_runtime_of_another_version_is_another_object() -> None:
    found = patched(runtime(job("node"), api="trainer.kubeflow.org/v1"))
    assert found == [("NR624", "spec.overrides[0].dependencies[0].apiVersion")]


def test_a_runtime_that_the_template_refers_to_is_in_use() -> None:
    own = {"spec": {"workload": {"trainJob": {"runtimeRef": {"name": "mine"}}}}}
    assert patched(runtime(job("node"), name="mine"), jobTemplate=own) == []
    operation = {"op": "replace", "path": "/spec/workload/trainJob/runtimeRef/name", "value": "mine"}
    assert patched(runtime(job("node"), name="mine"), jobTemplatePatch=[operation]) == []


def test_a_replicated_job_that_is_not_there() -> None:
    assert patched(runtime(job("worker"))) == [("NR624", f"{JOBS}[0].name")]
    assert patched(runtime(job("launcher"))) == [("NR624", f"{JOBS}[0].name")]
    assert patched(runtime(job("worker", {"name": "x", "image": "x:1"}))) == []  # a job of its own


def test_a_container_that_is_not_there() -> None:
    assert patched(runtime(job("node", {"name": "trainer", "env": []}))) == [
        ("NR624", f"{JOBS}[0].{POD}.containers[0].name")
    ]
    assert patched(runtime(job("node", {"name": "sidecar", "image": "x:1"}))) == []


@pytest.mark.parametrize(
    "dependency",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "extra"}},
        runtime(),
        {"apiVersion": API, "kind": "TrainingRuntime", "metadata": {"name": "run-runtime"}},
    ],
)
def test_other_objects(dependency: Json) -> None:
    assert patched(dependency) == []
