"""The Job of a group."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.planning import job
from tests.plans import H100, Json, expressions, fleet, launched, node, planned, pods, workflow

CORDON = "node.kubernetes.io/unschedulable"


def test_a_job_is_named_labelled_and_annotated() -> None:
    (first, second) = planned().jobs
    assert (first["apiVersion"], first["kind"]) == ("nvcre.nvidia.com/v1alpha1", "Job")
    assert first["metadata"] == {
        "name": "run-group-0-iter-1",
        "namespace": "team",
        "labels": {
            "app.kubernetes.io/managed-by": "nvcre",
            "nvcre.nvidia.com/workflow": "run",
            "nvcre.nvidia.com/group": "group-0",
        },
        "annotations": {"nvcre.nvidia.com/group-nodes": "a,b"},
    }
    assert second["metadata"]["annotations"] == {"nvcre.nvidia.com/group-nodes": "c,d"}


def test_the_template_s_labels_and_annotations_come_first() -> None:
    given = workflow(4)
    given["spec"]["jobTemplate"]["metadata"] = {
        "labels": {"team": "x", "nvcre.nvidia.com/group": "mine"},
        "annotations": {"note": "y"},
    }
    (made,) = planned(4, spec={"jobTemplate": given["spec"]["jobTemplate"]}).jobs
    assert made["metadata"]["labels"]["team"] == "x"
    assert made["metadata"]["labels"]["nvcre.nvidia.com/group"] == "group-0"
    assert made["metadata"]["annotations"] == {"note": "y", "nvcre.nvidia.com/group-nodes": "a,b,c,d"}


def test_unpinned_has_no_nodes_to_note_and_keeps_its_size() -> None:
    (made,) = planned(3, placement="Unpinned").jobs
    assert "annotations" not in made["metadata"]
    train_job = made["spec"]["workload"]["trainJob"]
    assert train_job["trainer"]["numNodes"] == 3
    assert [each["key"] for each in expressions(pods(train_job)["node"])] == ["nvidia.com/gpu.product"]


def test_pinned_pods_are_held_to_the_group_and_its_size() -> None:
    (_, last) = planned(3).jobs
    train_job = last["spec"]["workload"]["trainJob"]
    assert train_job["trainer"]["numNodes"] == 3
    assert expressions(pods(train_job)["node"]) == [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["b", "c", "d"]},
        {"key": "nvidia.com/gpu.product", "operator": "In", "values": [H100]},
    ]
    assert "tolerations" not in pods(train_job)["node"]["spec"]


def test_a_launcher_is_held_and_tolerant_too() -> None:
    (made,) = planned(4, patches=launched()).jobs
    written = pods(made["spec"]["workload"]["trainJob"])
    assert written["node"] == written["launcher"]
    assert written["node"]["spec"]["tolerations"] == [{"operator": "Exists"}]


MONITOR = {"cel": {"expression": "node.spec.unschedulable == true"}}
OWN = {"cel": {"expression": "false"}}


@pytest.mark.parametrize(
    ("given", "key", "monitor"),
    [(None, "other", MONITOR), (OWN, "other", OWN), (None, CORDON, None), (OWN, CORDON, None)],
)
def test_the_health_monitor(given: Json | None, key: str, monitor: Json | None) -> None:
    tainted = [node(name, spec={"taints": [{"key": key}]}) for name in "ab"]
    extra: Any = {"nodeHealthMonitor": given} if given else {}
    (made,) = planned(2, tainted, job=extra, target={"taintSelectors": [{"key": key}]}).jobs
    assert made["spec"].get("nodeHealthMonitor") == monitor


def test_thresholds_come_from_the_validation() -> None:
    performance = {"thresholds": {"thresholds": {"goodputRatio": "value > 0.9"}}, "measurementTimeout": "7m0s"}
    spec = job.with_thresholds({"thresholds": {"old": "1"}, "x": 1}, {"performance": performance})
    assert spec == {"x": 1, "thresholds": {"goodputRatio": "value > 0.9"}, "measurementTimeout": "7m0s"}


@pytest.mark.parametrize("validation", [None, {}, {"performance": {"enabled": True, "thresholds": {"thresholds": {}}}}])
def test_without_thresholds_the_template_s_stay(validation: Json | None) -> None:
    assert job.with_thresholds({"thresholds": {"old": "1"}}, validation) == {"thresholds": {"old": "1"}}


def test_a_workflow_without_a_namespace_has_jobs_without_one() -> None:
    from nvcre_render.planning import planner

    given = workflow(2)
    del given["metadata"]["namespace"]
    (made,) = planner.plan(given, fleet("a", "b")).jobs
    assert "namespace" not in made["metadata"]
