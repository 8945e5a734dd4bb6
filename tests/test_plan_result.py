"""A plan as data and as text."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.plans import config, fleet, node, planned, runtime


def test_objects_are_made_anew_whenever_they_are_asked_for() -> None:
    made = planned()
    assert (len(made.jobs), len(made.dependencies)) == (2, 2)
    assert made.jobs[0] == made.jobs[0]
    assert made.jobs[0] is not made.jobs[0]
    assert made.jobs[-1] == list(made.jobs)[1]
    assert made.jobs[:1] == [made.jobs[0]]
    with pytest.raises(IndexError):
        made.jobs[2]
    with pytest.raises(KeyError):
        made.dependencies["group-9"]


def test_one_job_one_train_job_and_one_list_of_copies_a_group() -> None:
    made = planned(3)
    data = made.to_data()
    names = ["group-0", "group-1-overflow"]
    assert [group["name"] for group in data["groups"]] == list(data["dependencies"]) == names
    assert [job["metadata"]["labels"]["nvcre.nvidia.com/group"] for job in data["jobs"]] == names
    for job, train_job, copies in zip(data["jobs"], data["trainJobs"], data["dependencies"].values(), strict=True):
        assert train_job["metadata"]["name"] == f"{job['metadata']['name']}-workload"
        assert train_job["spec"]["runtimeRef"]["name"] in [each["metadata"]["name"] for each in copies]


def test_the_data_is_the_same_as_yaml_and_as_json() -> None:
    made = planned(3, [*fleet("a", "b", "c"), node("z", gpus="1")], dependencies=[runtime(), config("aside")])
    assert yaml.safe_load(made.to_yaml()) == made.to_data()
    assert json.loads(made.to_json()) == made.to_data()


def test_what_there_is_not_is_not_written() -> None:
    pinned = planned().to_data()
    assert not {"excluded", "exclusionReason", "unexercised"} & pinned.keys()
    assert planned(1, placement="Unpinned").to_data()["unexercised"] == 3
    excluding = planned(1, [node("a"), node("z", gpus="1")]).to_data()
    assert excluding["excluded"] == ["z"]
    assert excluding["leftOut"] == [{"node": "z", "reason": "has 1 nvidia.com/gpu, a pod asks for 8"}]


def test_the_rest_of_the_record() -> None:
    data = planned(2, iterations=3, execution={"maxConcurrent": 1}).to_data()
    assert (data["workflow"], data["placement"], data["iterations"]) == ("run", "Pinned", 3)
    assert (data["firstWave"], data["nodesPerJob"], data["gpusPerNode"]) == (["group-0"], 2, 8)
