"""Privileged workload containers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.manifests import Json, faults, manifest

HOST: Json = {"volumes": [{"name": "ib", "hostPath": {"path": "/dev/infiniband"}}]}


def runtime(*containers: Any, **pod: Any) -> Json:
    spec = {"containers": list(containers), **pod}
    jobs = [{"name": "node", "template": {"spec": {"template": {"spec": spec}}}}]
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "run-runtime"},
        "spec": {"template": {"spec": {"replicatedJobs": jobs}}},
    }


def judged(dependency: Any, **spec: Any) -> list[tuple[str, str]]:
    return faults(manifest(overrides=[{"when": {}, "dependencies": [dependency]}], **spec))


PRIVILEGED: Json = {"name": "node", "securityContext": {"privileged": True}}
FIELD = (
    "spec.overrides[0].dependencies[0].spec.template.spec.replicatedJobs[0].template.spec.template.spec"
    ".containers[0].securityContext.privileged"
)


def test_without_anything_of_the_host_it_is_needless() -> None:
    assert judged(runtime(PRIVILEGED)) == [("NR614", FIELD)]


def test_host_rdma_needs_it() -> None:
    assert judged(runtime(PRIVILEGED), **HOST) == []
    assert judged(runtime(PRIVILEGED, volumes=HOST["volumes"])) == []


@pytest.mark.parametrize(
    "container",
    [
        {"name": "node", "securityContext": {"privileged": False}},
        {"name": "node", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}},
        {"name": "node", "securityContext": None},
        {"name": "node"},
    ],
)
def test_other_containers(container: Json) -> None:
    assert judged(runtime(container)) == []


def test_init_containers_prepare_hosts() -> None:
    stage = {"name": "sysctl", "image": "tools:1", "securityContext": {"privileged": True}}
    assert faults(manifest(initContainers=[stage])) == []
    assert judged(runtime(initContainers=[stage])) == []
