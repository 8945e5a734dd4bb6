"""The marks of a gang scheduler: written into a runtime that was built without, and put back after a renaming."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nvcre_render import gang
from nvcre_render.lower.labels import Gang

KAI = Gang(scheduler_name="kai-scheduler", queue="team-a", queue_label_key="kai.scheduler/queue")
OTHER = Gang(scheduler_name="volcano", queue="team-a", queue_label_key="q")
KEY = KAI.queue_label_key


def marked(queue: str, scheduler: str = "kai-scheduler", **pod: Any) -> dict[str, Any]:
    labels = {"labels": {KEY: queue}}
    inner = {"metadata": labels, "spec": {"schedulerName": scheduler, **pod}}
    return {"metadata": labels, "spec": {"template": inner}}


def runtime(*jobs: Any, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "r"},
        "spec": {**spec, "template": {"spec": {"replicatedJobs": list(jobs), "startupPolicy": {"order": "InOrder"}}}},
    }


# -- restored ----------------------------------------------------------------------------------------------------


def test_marks_are_put_back_whatever_they_were() -> None:
    before = runtime({"name": "node", "template": marked("r", "r")}, {"name": "side", "template": marked("q")})
    after = runtime({"name": "node", "template": marked("r-1", "r-1")}, {"name": "side-1", "template": marked("q-1")})
    expected = runtime({"name": "node", "template": marked("r", "r")}, {"name": "side-1", "template": marked("q")})
    assert gang.restored(before, after, KAI) == expected


def test_only_what_was_there_is_put_back() -> None:
    before = runtime({"name": "node", "template": {"spec": {"template": {"spec": {}}}}})
    after = runtime({"name": "node-1", "template": {"spec": {"template": {"spec": {}}}}})
    assert gang.restored(before, after, KAI) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (runtime({"template": marked("r")}), runtime({"template": marked("x")}, {"template": marked("x")})),
        ({**runtime({"template": marked("r")}), "kind": "Job"}, runtime({"template": marked("x")})),
        ({"kind": "TrainingRuntime", "spec": None}, runtime({"template": marked("x")})),
        (runtime({"template": marked("r")}), {"kind": "TrainingRuntime"}),
    ],
)
def test_documents_that_do_not_correspond_are_left_alone(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert gang.restored(before, after, KAI) is after


# -- written -----------------------------------------------------------------------------------------------------


def test_the_marks_are_written_on_every_job_and_other_labels_stay() -> None:
    given = runtime({"name": "node"}, {"name": "side", "template": {"metadata": {"labels": {"a": "x"}}}})
    before = copy.deepcopy(given)
    (found,) = gang.written([given], OTHER)
    assert given == before
    marks = {"metadata": {"labels": {"q": "team-a"}}, "spec": {"schedulerName": "volcano"}}
    labels = {"labels": {"q": "team-a"}}
    assert found["spec"]["template"]["spec"]["replicatedJobs"] == [
        {"name": "node", "template": {"metadata": labels, "spec": {"template": marks}}},
        {"name": "side", "template": {"metadata": {"labels": {"a": "x", "q": "team-a"}}, "spec": {"template": marks}}},
    ]
    assert "startupPolicy" in found["spec"]["template"]["spec"]


def test_other_dependencies_are_left_alone() -> None:
    others = [
        {"kind": "ConfigMap"},
        {**runtime({"name": "node"}), "apiVersion": "example.com/v1"},
        runtime() | {"spec": 1},
    ]
    assert gang.written(others, KAI) == others


LAUNCHER = {
    "name": "launcher",
    "dependsOn": [{"name": "node", "status": "Ready"}],
    "template": {
        "spec": {"template": {"spec": {"initContainers": [{"name": "keys"}], "containers": [{"image": "app:1"}]}}}
    },
}


def test_under_kai_an_mpi_launcher_waits_by_itself() -> None:
    (found,) = gang.written([runtime({"name": "node"}, LAUNCHER, mlPolicy={"mpi": {}})], KAI)
    jobset = found["spec"]["template"]["spec"]
    assert "startupPolicy" not in jobset
    launcher = jobset["replicatedJobs"][1]
    assert "dependsOn" not in launcher
    pod = launcher["template"]["spec"]["template"]["spec"]
    assert pod["schedulerName"] == "kai-scheduler"
    keys, wait = pod["initContainers"]
    assert keys == {"name": "keys"}
    assert (wait["name"], wait["image"], wait["command"]) == ("wait-for-workers", "app:1", ["sh", "-c"])
    assert "not every worker answered sshd within 20 minutes" in wait["args"][0]
    assert [mount["mountPath"] for mount in wait["volumeMounts"]] == ["/tmp/mpi-ssh-raw", "/etc/mpi"]  # noqa: S108


@pytest.mark.parametrize(
    ("launcher", "policy", "scheduler"),
    [
        (LAUNCHER, {"torch": {}}, KAI),
        (LAUNCHER, {"mpi": {}}, OTHER),
        ({**LAUNCHER, "dependsOn": [{"name": "node", "status": "Complete"}]}, {"mpi": {}}, KAI),
        ({**LAUNCHER, "dependsOn": [*LAUNCHER["dependsOn"], {"name": "a", "status": "Ready"}]}, {"mpi": {}}, KAI),
    ],
)
def test_elsewhere_a_launcher_stays_gated(launcher: dict[str, Any], policy: dict[str, Any], scheduler: Gang) -> None:
    (found,) = gang.written([runtime({"name": "node"}, launcher, mlPolicy=policy)], scheduler)
    jobset = found["spec"]["template"]["spec"]
    assert jobset["replicatedJobs"][1]["dependsOn"] == launcher["dependsOn"]
    assert len(jobset["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]["initContainers"]) == 1
    assert "startupPolicy" in jobset
