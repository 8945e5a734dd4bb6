"""Requests and limits: devices, amounts, names, and the number of GPUs."""

from __future__ import annotations

import pytest

from tests.manifests import GPU, Json, complaint, faults, manifest, with_spec


@pytest.mark.parametrize(
    "resources",
    [
        {"limits": {GPU: 8}},
        {"limits": {GPU: "8"}, "requests": {GPU: 8}},
        {"limits": {"rdma/ib": "1k"}, "requests": {"rdma/ib": 1000}},
        {"requests": {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Gi"}},
        {"limits": {"cpu": 2, "memory": "2048Mi"}, "requests": {"cpu": "2000m", "memory": "2Gi"}},
        {"limits": {"hugepages-2Mi": "1Gi"}, "requests": {"hugepages-2Mi": "1024Mi"}},
        {"limits": {"memory": "1.5Gi"}},
        {"limits": {GPU: 0}},
        {"claims": [{"name": "gpu"}]},
    ],
)
def test_resources(resources: Json) -> None:
    assert faults(manifest(resources=resources)) == []
    stage = {"name": "stage", "image": "fetch:2", "resources": resources}
    assert faults(manifest(initContainers=[stage])) == []


@pytest.mark.parametrize(
    ("resources", "code", "field"),
    [
        ({"requests": {GPU: 8}}, "NR271", f'requests["{GPU}"]'),
        ({"limits": {GPU: 8}, "requests": {GPU: 4}}, "NR271", f'requests["{GPU}"]'),
        ({"limits": {"hugepages-2Mi": "2Gi"}, "requests": {"hugepages-2Mi": "1Gi"}}, "NR271", "requests.hugepages-2Mi"),
        ({"limits": {"memory": "1Gi"}, "requests": {"memory": "1.5Gi"}}, "NR272", "requests.memory"),
        ({"limits": {"cpu": 1}, "requests": {"cpu": "1001m"}}, "NR272", "requests.cpu"),
        ({"limits": {GPU: "0.5"}}, "NR273", f'limits["{GPU}"]'),
        ({"limits": {"memory": "-1"}}, "NR273", "limits.memory"),
        ({"limits": {"gpu": 8}}, "NR275", "limits.gpu"),
        ({"limits": {"nvidia.com/": 8}}, "NR275", 'limits["nvidia.com/"]'),
    ],
)
def test_what_the_api_server_refuses(resources: Json, code: str, field: str) -> None:
    assert faults(manifest(resources=resources)) == [(code, f"spec.resources.{field}")]
    stage = {"name": "stage", "image": "fetch:2", "resources": resources}
    assert faults(manifest(initContainers=[stage])) == [(code, f"spec.initContainers[0].resources.{field}")]


def test_a_request_names_its_limit() -> None:
    found = complaint(with_spec("resources:\n  limits: {nvidia.com/gpu: 8}\n  requests: {nvidia.com/gpu: @4}"))
    assert "4 requested and a limit of 8; for nvidia.com/gpu both have to be equal" in found.message


@pytest.mark.parametrize(("name", "near"), [("gpu", "nvidia.com/gpu"), ("mem", "memory"), ("CPU", "cpu")])
def test_a_near_name_is_offered(name: str, near: str) -> None:
    assert complaint(with_spec(f"resources: {{limits: {{@{name}: 1}}}}")).remedy == f'did you mean "{near}"?'


def test_the_number_of_gpus_is_given_twice() -> None:
    assert faults(manifest(gpusPerNode=4, resources={"limits": {GPU: 4}})) == []
    assert faults(manifest(gpusPerNode=8, resources={"limits": {"cpu": 4}})) == []
    assert faults(manifest(resources={"limits": {GPU: 4}})) == []
    assert faults(manifest(gpusPerNode=8, resources={"limits": {GPU: 4}, "requests": {GPU: 4}})) == [
        ("NR274", f'spec.resources.limits["{GPU}"]')
    ]


def test_an_unreadable_amount_is_one_finding() -> None:
    assert faults(manifest(resources={"limits": {GPU: "x"}})) == [("NR207", f'spec.resources.limits["{GPU}"]')]


def test_amounts_beyond_every_cluster_are_compared_at_once() -> None:
    limits = {"memory": "1e999999999", "cpu": "1e-999999999"}
    assert [code for code, _ in faults(manifest(resources={"limits": limits, "requests": {"memory": "1E"}}))] == []
