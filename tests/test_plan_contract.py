"""The contract after overrides, where a plan meets it."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.planning import contract
from tests.plans import Json, planned, runtime, workflow

GANG: Json = {"gangScheduler": {"schedulerName": "kai", "queue": "team-a"}}
QUEUE = "kai.scheduler/queue"


def marked(queue: str = "team-a", scheduler: str = "kai") -> Json:
    made = runtime()
    (job,) = made["spec"]["template"]["spec"]["replicatedJobs"]
    pod = job["template"]["spec"]["template"]
    job["template"]["metadata"] = {"labels": {QUEUE: queue}}
    pod["metadata"] = {"labels": {QUEUE: queue}}
    pod["spec"]["schedulerName"] = scheduler
    return made


def test_a_missing_queue_label_is_put_back() -> None:
    (job,) = planned(4, dependencies=[marked()], spec=GANG).jobs
    assert job["spec"]["workloadMetadata"] == {"labels": {QUEUE: "team-a"}}
    (train_job,) = planned(4, dependencies=[marked()], spec=GANG).train_jobs
    assert train_job["metadata"]["labels"][QUEUE] == "team-a"


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        ({"dependencies": [marked("team-b")]}, ["team-a", "run-runtime", "node", QUEUE, "team-b"]),
        ({"dependencies": [marked(scheduler="default")]}, ["kai", "run-runtime", "schedulerName", "default"]),
        (
            {"dependencies": [marked()], "job": {"workloadMetadata": {"labels": {QUEUE: "team-b"}}}},
            [f'spec.jobTemplate.spec.workloadMetadata.labels["{QUEUE}"]', "team-b", "team-a"],
        ),
    ],
)
def test_a_broken_mark_is_refused(fields: dict[str, Any], facts: list[str]) -> None:
    with pytest.raises(nr.RenderError) as refusal:
        planned(4, spec=GANG, **fields)
    assert {contract.REASONS[found.code] for found in refusal.value.diagnostics} == {"GangSchedulingConflict"}
    for fact in facts:
        assert fact in str(refusal.value)


def test_labels_are_checked_without_a_gang_scheduler() -> None:
    with pytest.raises(nr.RenderError, match=r"nvcre\.nvidia\.com/job"):
        planned(4, job={"workloadMetadata": {"labels": {"nvcre.nvidia.com/job": "x"}}})


def test_the_path_of_labels_is_the_caller_s() -> None:
    spec = workflow(job={"workloadMetadata": {"labels": {"a b": "x"}}})["spec"]
    with pytest.raises(nr.RenderError, match=r'spec\.workloadMetadata\.labels\["a b"\]'):
        contract.read(spec, "spec.workloadMetadata.labels").require_gang()


def test_a_group_is_named_in_front_of_its_fault() -> None:
    held = contract.read(workflow(dependencies=[marked()], spec=GANG)["spec"], contract.Contract.labels_path)
    held.require_group("group-3", held.spec["jobTemplate"]["spec"], [], [marked()])
    with pytest.raises(nr.RenderError) as refusal:
        held.require_group("group-3", held.spec["jobTemplate"]["spec"], [], [marked("other")])
    assert all(found.message.startswith("group-3: ") for found in refusal.value.diagnostics)


def test_a_dependency_that_renames_the_keys_of_others_breaks_a_group() -> None:
    # A dependency called "spec" renames every key of that name.
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "spec"}}
    with pytest.raises(nr.RenderError, match="group-0: "):
        planned(4, dependencies=[marked(), claim], job={"checkpoint": {"pvcName": "spec"}}, spec=GANG)


def test_racks_without_a_label_are_refused() -> None:
    with pytest.raises(nr.RenderError, match="topologyKey"):
        planned(topology={"topologyKey": "", "strictDomain": True})
