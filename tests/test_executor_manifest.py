"""The TrainJob as NeMo-Run builds it: keys in order, and what the general settings replace."""

from __future__ import annotations

from typing import Any

import pytest

from tests.executors import IMAGE, built, ready, spec

TAINT = {"key": "nvidia.com/gpu", "operator": "Exists"}
POD = "podTemplateOverrides"


def pod(**fields: Any) -> dict[str, Any]:
    (entry,) = spec(**fields)[POD]
    assert next(iter(entry)) == "targetJobs"
    assert entry.pop("targetJobs") == [{"name": "node"}]
    made: dict[str, Any] = entry
    return made


def test_the_least_there_is() -> None:
    assert built({"command": ["true"]}).train_job == {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "job-000000", "namespace": "default"},
        "spec": {
            "runtimeRef": {"name": "torch-distributed"},
            "trainer": {"numNodes": 1, "numProcPerNode": 1, "image": "", "command": ["true"], "env": []},
        },
    }


def test_keys_stand_in_the_order_in_which_they_are_built() -> None:
    job = built(
        ready(
            gpus_per_node=1,
            annotations={"a": "b"},
            labels={"c": "d"},
            container_kwargs={"args": [], "image": "other:1"},
            spec_kwargs={"suspend": True},
            affinity={"nodeAffinity": {}},
            tolerations=[TAINT],
            volumes=[{"name": "v", "emptyDir": {}}],
            volume_mounts=[{"name": "v", "mountPath": "/v"}],
            image_pull_secrets=["login"],
            pod_spec_overrides={"nodeSelector": {"a": "b"}, "affinity": {}},
            pod_annotations={"e": "f"},
            pod_labels={"g": "h"},
        )
    ).train_job
    assert list(job) == ["apiVersion", "kind", "metadata", "spec"]
    assert list(job["metadata"]) == ["name", "namespace", "labels", "annotations"]
    assert list(job["spec"]) == ["runtimeRef", "trainer", POD, "suspend"]
    trainer = ["numNodes", "numProcPerNode", "image", "command", "env", "resourcesPerNode", "args"]
    assert list(job["spec"]["trainer"]) == trainer
    (entry,) = job["spec"][POD]
    assert list(entry) == ["targetJobs", "spec", "metadata"]
    parts = ["volumes", "imagePullSecrets", "tolerations", "affinity", "containers", "nodeSelector"]
    assert list(entry["spec"]) == parts
    assert list(entry["metadata"]) == ["labels", "annotations"]


@pytest.mark.parametrize(
    ("fields", "entry"),
    [
        ({"pod_labels": {"a": "b"}}, {"metadata": {"labels": {"a": "b"}}}),
        ({"tolerations": [TAINT]}, {"spec": {"tolerations": [TAINT]}}),
        ({"image_pull_secrets": ["a", "b"]}, {"spec": {"imagePullSecrets": [{"name": "a"}, {"name": "b"}]}}),
        ({"image_pull_secrets": "ab"}, {"spec": {"imagePullSecrets": [{"name": "a"}, {"name": "b"}]}}),
        ({"volumes": [{"name": "v", "emptyDir": {}}]}, {"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}}),
        (
            {"volume_mounts": [{"name": "v", "mountPath": "/v"}]},
            {"spec": {"containers": [{"name": "node", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}},
        ),
        ({"pod_spec_overrides": {"nodeSelector": {}}}, {"spec": {"nodeSelector": {}}}),
        ({"tolerations": [TAINT], "pod_spec_overrides": {"tolerations": None}}, {"spec": {"tolerations": None}}),
        (
            {"volume_mounts": [{"name": "v", "mountPath": "/v"}], "pod_spec_overrides": {"containers": []}},
            {"spec": {"containers": []}},
        ),
    ],
)
def test_pod_settings(fields: dict[str, Any], entry: dict[str, Any]) -> None:
    assert pod(**fields) == entry


def test_nothing_to_say_about_the_pods_leaves_no_entry() -> None:
    empty: dict[str, Any] = {
        "volumes": [],
        "tolerations": None,
        "affinity": {},
        "pod_labels": {},
        "pod_spec_overrides": {},
    }
    assert POD not in spec(**empty)


def test_general_settings_replace_whole_values() -> None:
    found = spec(
        env_vars={"A": "1"},
        gpus_per_node=8,
        container_kwargs={"env": [{"name": "B", "value": "2"}], "resourcesPerNode": {"limits": {"cpu": "1"}}},
    )["trainer"]
    assert found["env"] == [{"name": "B", "value": "2"}]
    assert found["resourcesPerNode"] == {"limits": {"cpu": "1"}}
    assert found["numProcPerNode"] == 8


def test_spec_kwargs_replace_generated_parts() -> None:
    found = spec(tolerations=[TAINT], spec_kwargs={"trainer": {"image": "x"}, POD: [], "runtimeRef": {"name": "r"}})
    assert found == {"runtimeRef": {"name": "r"}, "trainer": {"image": "x"}, POD: []}


def test_a_null_image_leaves_the_one_of_the_runtime() -> None:
    assert spec(image=None)["trainer"]["image"] is None
    assert spec()["trainer"]["image"] == IMAGE
