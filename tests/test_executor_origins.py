"""Where a field of the TrainJob comes from."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.executor.origins import origin
from tests.executors import WORKDIR, filled, ready, task

Path = tuple[str | int, ...]
ENTRY: Path = ("spec", "podTemplateOverrides", 0)
POD: Path = (*ENTRY, "spec")


@pytest.mark.parametrize(
    ("fields", "path", "place"),
    [
        ({}, ("metadata", "name"), ("job_name",)),
        ({"train_job_basename": "a"}, ("metadata", "name"), ("train_job_basename",)),
        ({}, ("metadata", "labels", "a"), ("labels", "a")),
        ({}, ("apiVersion",), ()),
        ({}, ("spec",), ()),
        ({}, ("spec", "runtimeRef", "name"), ("runtime_ref",)),
        ({}, ("spec", "trainer", "image"), ("image",)),
        ({}, ("spec", "trainer", "numNodes"), ("num_nodes",)),
        ({}, ("spec", "trainer", "numProcPerNode"), ("gpus_per_node",)),
        ({"nprocs_per_node": 2}, ("spec", "trainer", "numProcPerNode"), ("nprocs_per_node",)),
        ({}, ("spec", "trainer", "command", 1), ("command", 1)),
        ({"env_vars": {"A": "1"}}, ("spec", "trainer", "env"), ("env_vars",)),
        ({"env_vars": {"A": "1", "B": "2"}}, ("spec", "trainer", "env", 1), ("env_vars", "B")),
        ({"env_vars": {"A": "1"}, "env_list": [{}]}, ("spec", "trainer", "env", 1, "name"), ("env_list", 0, "name")),
        ({}, ("spec", "trainer", "resourcesPerNode", "limits", "cpu"), ("cpu_limits",)),
        ({}, ("spec", "trainer", "resourcesPerNode", "requests", "nvidia.com/gpu"), ("gpus_per_node",)),
        (
            {"extra_resource_requests": {"a/b": "1"}},
            ("spec", "trainer", "resourcesPerNode", "requests", "a/b"),
            ("extra_resource_requests", "a/b"),
        ),
        ({"container_kwargs": {"env": []}}, ("spec", "trainer", "env", 0), ("container_kwargs", "env", 0)),
        ({"spec_kwargs": {"trainer": {}}}, ("spec", "trainer", "image"), ("spec_kwargs", "trainer", "image")),
        ({"spec_kwargs": {"suspend": 1}}, ("spec", "suspend"), ("spec_kwargs", "suspend")),
        ({}, (*POD, "tolerations", 0, "key"), ("tolerations", 0, "key")),
        ({}, (*POD, "affinity"), ("affinity",)),
        ({}, (*POD, "imagePullSecrets", 1, "name"), ("image_pull_secrets", 1)),
        ({"volumes": [{}]}, (*POD, "volumes", 0, "name"), ("volumes", 0, "name")),
        ({**WORKDIR, "volumes": [{}]}, (*POD, "volumes", 1, "name"), ("workdir_pvc",)),
        ({"volume_mounts": [{}]}, (*POD, "containers", 0, "volumeMounts", 0), ("volume_mounts", 0)),
        (WORKDIR, (*POD, "containers", 0, "volumeMounts", 0), ("workdir_pvc",)),
        ({"pod_spec_overrides": {"volumes": []}}, (*POD, "volumes", 0), ("pod_spec_overrides", "volumes", 0)),
        ({}, (*ENTRY, "metadata", "labels", "a"), ("pod_labels", "a")),
        ({"pod_annotations": {"a": "b"}}, (*ENTRY, "metadata"), ("pod_annotations",)),
        ({"pod_labels": {"a": "b"}}, (*ENTRY, "metadata"), ("pod_labels",)),
    ],
)
def test_origins(fields: dict[str, Any], path: Path, place: Path) -> None:
    assert origin(path, filled(ready(**fields)).values) == place


def test_the_command_of_a_task_comes_from_the_task() -> None:
    assert origin(("spec", "trainer", "command", 3), filled(task()).values) == ("task",)
