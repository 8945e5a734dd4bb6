"""What is written into the runtimePatches of a TrainJob, and where."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nvcre_render.planning import patches
from tests.plans import CONTROLLER, Json, launched, pods

OTHER = "example.com/other"
AFFINITY: Json = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}


def patch(manager: str, *jobs: Json) -> Json:
    return {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": list(jobs)}}}}


def job(name: str, pod: Json | None = None) -> Json:
    return {"name": name, **({"template": {"spec": {"template": pod}}} if pod else {})}


@pytest.mark.parametrize(
    ("listed", "targets", "worker", "launcher"),
    [
        ([], ["node"], "node", False),
        ([{"manager": CONTROLLER}], ["node"], "node", False),
        (launched(), ["node", "launcher"], "node", True),
        (
            [patch(OTHER, job("launcher"), job("work")), patch(CONTROLLER, job("work"))],
            ["launcher", "work"],
            "work",
            True,
        ),
        ([patch(OTHER, job("launcher"), job(""))], ["launcher"], "node", True),
    ],
)
def test_replicated_jobs_are_those_of_all_managers(
    listed: list[Json], targets: list[str], worker: str, launcher: bool
) -> None:
    train_job = {"runtimePatches": listed}
    assert patches.targets(train_job) == targets
    assert (patches.worker(train_job), patches.has_launcher(train_job)) == (worker, launcher)


def test_bare_entries_mark_a_launcher() -> None:
    made = patches.with_launcher({"runtimePatches": [patch(CONTROLLER, job("launcher", {"spec": {}}))]})
    jobs = made["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    assert jobs == [job("launcher", {"spec": {}}), {"name": "node"}]
    assert patches.with_launcher({}) == {"runtimePatches": launched()}


def everything(train_job: Json) -> Json:
    made = patches.with_affinity(train_job, AFFINITY)
    made = patches.with_tolerations(made, [{"operator": "Exists"}])
    return patches.with_labels(made, {"job": "j"})


def test_affinity_and_tolerations_go_to_every_target_and_the_label_to_the_worker() -> None:
    spec = {"affinity": {"nodeAffinity": AFFINITY}, "tolerations": [{"operator": "Exists"}]}
    made = everything({"trainer": {}, "runtimePatches": launched()})
    assert pods(made) == {"node": {"spec": spec, "metadata": {"labels": {"job": "j"}}}, "launcher": {"spec": spec}}
    assert made["trainer"] == {}


def test_what_stands_in_the_entry_stays_beside_it() -> None:
    pod = {
        "metadata": {"labels": {"own": "x"}},
        "spec": {
            "nodeSelector": {"a": "b"},
            "affinity": {"podAffinity": {}, "nodeAffinity": {"old": []}},
            "tolerations": [{"key": "first"}],
        },
    }
    made = everything({"runtimePatches": [patch(CONTROLLER, job("node", pod))]})
    assert pods(made)["node"] == {
        "metadata": {"labels": {"own": "x", "job": "j"}},
        "spec": {
            "nodeSelector": {"a": "b"},
            "affinity": {"podAffinity": {}, "nodeAffinity": AFFINITY},
            "tolerations": [{"key": "first"}, {"operator": "Exists"}],
        },
    }


def test_other_managers_are_left_alone_and_the_entry_is_found_anywhere() -> None:
    before, after = patch(OTHER, job("work", {"spec": {"tolerations": [{"key": "k"}]}})), patch("example.com/last")
    made = everything({"runtimePatches": [before, patch(CONTROLLER), after]})
    assert [each["manager"] for each in made["runtimePatches"]] == [OTHER, CONTROLLER, "example.com/last"]
    assert (made["runtimePatches"][0], made["runtimePatches"][2]) == (before, after)
    assert pods(made)["work"]["spec"]["tolerations"] == [{"operator": "Exists"}]


def test_nothing_to_say_writes_nothing() -> None:
    train_job: Any = {"trainer": {"numNodes": 1}}
    assert patches.with_affinity(train_job, None) == train_job
    assert patches.with_tolerations(train_job, []) == train_job


def test_the_given_spec_is_not_changed_and_targets_share_nothing() -> None:
    train_job = {"runtimePatches": launched()}
    before = copy.deepcopy(train_job)
    made = everything(train_job)
    assert train_job == before
    pods(made)["node"]["spec"]["tolerations"][0]["operator"] = "changed"
    assert pods(made)["launcher"]["spec"]["tolerations"] == [{"operator": "Exists"}]
