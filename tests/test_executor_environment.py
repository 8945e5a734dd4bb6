"""Variables and resources of the trainer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.executors import spec


def test_pairs_come_before_entries_and_keep_their_order_and_type() -> None:
    entry = {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
    env = spec(env_vars={"Z": "1", "A": ""}, env_list=[entry, {"name": "M", "value": "2"}])["trainer"]["env"]
    assert env == [{"name": "Z", "value": "1"}, {"name": "A", "value": ""}, entry, {"name": "M", "value": "2"}]


def test_env_is_there_even_when_empty() -> None:
    assert spec()["trainer"]["env"] == []


@pytest.mark.parametrize(
    ("fields", "resources"),
    [
        ({}, None),
        ({"cpu_requests": "", "memory_limits": ""}, None),
        ({"cpu_requests": "4"}, {"requests": {"cpu": "4"}}),
        ({"memory_limits": "0"}, {"limits": {"memory": "0"}}),
        ({"gpus_per_node": 0}, {"limits": {"nvidia.com/gpu": "0"}, "requests": {"nvidia.com/gpu": "0"}}),
        (
            {"gpus_per_node": 8, "memory_requests": "1Gi", "extra_resource_requests": {"rdma/ib": "4"}},
            {
                "limits": {"nvidia.com/gpu": "8"},
                "requests": {"memory": "1Gi", "nvidia.com/gpu": "8", "rdma/ib": "4"},
            },
        ),
        (
            {"gpus_per_node": 8, "cpu_limits": "2", "extra_resource_limits": {"nvidia.com/gpu": "4", "cpu": "3"}},
            {"limits": {"cpu": "3", "nvidia.com/gpu": "4"}, "requests": {"nvidia.com/gpu": "8"}},
        ),
    ],
)
def test_resources(fields: dict[str, Any], resources: dict[str, Any] | None) -> None:
    found = spec(**fields)["trainer"].get("resourcesPerNode")
    assert found == resources
    if resources:
        assert [list(side) for side in found.values()] == [list(side) for side in resources.values()]
        assert list(found) == list(resources)


@pytest.mark.parametrize(
    ("fields", "processes"),
    [
        ({}, 1),
        ({"gpus_per_node": 8}, 8),
        ({"gpus_per_node": 0}, 0),
        ({"gpus_per_node": 8, "nprocs_per_node": 2}, 2),
        ({"gpus_per_node": 8, "nprocs_per_node": 0}, 0),
        ({"nprocs_per_node": "auto"}, "auto"),
    ],
)
def test_processes_per_node(fields: dict[str, Any], processes: object) -> None:
    assert spec(**fields)["trainer"]["numProcPerNode"] == processes
