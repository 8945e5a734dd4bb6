"""The TrainJob of a Job, held against Trainer's own definitions where they are at hand."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.planning import manifest as planning
from nvcre_render.planning.trainjob import train_job
from tests import crds
from tests.manifests import FRAMEWORKS, manifest
from tests.plans import CONTROLLER, config, fleet, launched, node, planned, pods, racked, runtime

RUNS: dict[str, dict[str, Any]] = {
    "pinned": {},
    "mpi": {"patches": launched(), "nodes": fleet("a", "b", "c")},
    "unpinned": {"placement": "Unpinned", "patches": launched()},
    "taints": {
        "target": {"taintSelectors": [{"key": "t", "value": "v", "effect": "NoSchedule"}]},
        "nodes": [
            {**each, "spec": {"taints": [{"key": "t", "value": "v", "effect": "NoSchedule"}]}}
            for each in fleet("a", "b")
        ],
    },
    "racks": {"topology": {"topologyKey": "example.com/rack"}, "nodes": racked(r1="a b c", r2="d e")},
    "config": {"dependencies": [runtime(labels={"app": "run"}), config()], "iterations": 2},
}


@pytest.mark.parametrize("release", crds.RELEASES)
@pytest.mark.parametrize("run", RUNS)
def test_every_train_job_is_one_of_trainer(run: str, release: str) -> None:
    made = planned(**RUNS[run])
    assert [fault for each in made.train_jobs for fault in crds.faults("TrainJob", release, each)] == []


# Trainer 2.1 has the field and NVCRE writes it; later releases prune it without effect.
ACCEPTED = "spec.mlPolicy.torch: Additional properties are not allowed ('numProcPerNode' was unexpected)"


@pytest.mark.parametrize("release", crds.RELEASES)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_objects_of_a_workload_run_are_those_of_trainer(framework: str, release: str) -> None:
    run = manifest(
        FRAMEWORKS[framework],
        imagePullSecrets=[{"name": "pull"}],
        gangScheduler={"schedulerName": "kai-scheduler"},
        config={"inline": {"run.sh": "echo"}},
        orchestration={"repeatCount": 2},
        target={"taintSelectors": [{"key": "t", "effect": "NoExecute"}]},
    )
    tainted = [node(name, spec={"taints": [{"key": "t", "effect": "NoExecute"}]}) for name in "abc"]
    made = planning.plan(run, nodes=tainted)
    found = [fault for each in made.train_jobs for fault in crds.faults("TrainJob", release, each)]
    for copied in made.dependencies.values():
        for each in copied:
            if each["kind"] == "TrainingRuntime":
                found += crds.faults("TrainingRuntime", release, each)
    assert [fault for fault in found if fault != ACCEPTED] == []
    assert len(made.groups) == 2


def job(**metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "run-job", "namespace": "team", **metadata},
        "spec": {
            "workloadMetadata": {"labels": {"queue": "q", "app.kubernetes.io/managed-by": "me"}},
            "workload": {"trainJob": {"runtimeRef": {"name": "r"}, "trainer": {"numNodes": 2}}},
        },
    }


def test_a_train_job_is_the_workload_with_the_job_s_name_on_it() -> None:
    made = train_job(job(labels={"not": "taken"}, annotations={"not": "taken"}))
    assert made["metadata"] == {
        "name": "run-job-workload",
        "namespace": "team",
        "labels": {"queue": "q", "app.kubernetes.io/managed-by": "nvcre", "nvcre.nvidia.com/job": "run-job"},
    }
    assert pods(made["spec"]) == {"node": {"metadata": {"labels": {"nvcre.nvidia.com/job": "run-job"}}}}
    assert made["spec"]["trainer"] == {"numNodes": 2}


def test_the_job_s_own_spec_has_no_label() -> None:
    given = job()
    train_job(given)
    assert given == job()


def test_a_long_job_name_leaves_the_suffix_whole() -> None:
    assert train_job(job(name="x" * 35))["metadata"]["name"] == "x" * 35 + "-workload"


def test_the_label_of_an_mpi_run_is_on_its_workers_alone() -> None:
    (made,) = planned(4, patches=launched()).train_jobs
    written = pods(made["spec"], CONTROLLER)
    assert written["node"]["metadata"] == {"labels": {"nvcre.nvidia.com/job": "run-job"}}
    assert "metadata" not in written["launcher"]
