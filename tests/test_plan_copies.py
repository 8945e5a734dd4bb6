"""Dependencies as the controller creates them."""

from __future__ import annotations

import pytest

from nvcre_render.planning import copies
from tests.plans import config, planned, runtime
from tests.test_plan_dependencies import document

LABEL = {"nvcre.nvidia.com/workflow": "run"}


def test_each_group_has_its_copies_under_its_names() -> None:
    made = planned(dependencies=[config("aside"), config(), runtime(annotations={"config": "run-config"})])
    assert list(made.dependencies) == ["group-0", "group-1"]
    for group, copied in made.dependencies.items():
        suffix = made.template.names.suffix(group)
        assert [each["metadata"]["name"] for each in copied] == [f"run-config{suffix}", f"run-runtime{suffix}"]
        assert copied[1]["metadata"]["annotations"] == {"config": f"run-config{suffix}"}
    assert [each["metadata"] for each in made.shared] == [{"name": "aside", "namespace": "team", "labels": LABEL}]


def test_a_namespace_of_its_own_stays_and_labels_are_added() -> None:
    given = document("x", metadata={"name": "x", "namespace": "own", "labels": {"a": "b"}})
    assert copies.created(given, "run", "team")["metadata"] == {
        "name": "x",
        "namespace": "own",
        "labels": {"a": "b", **LABEL},
    }
    assert given["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize(
    ("kind", "namespaced"),
    [
        ("ConfigMap", True),
        ("ComputeDomain", True),
        ("ClusterTrainingRuntime", False),
        ("ClusterAnything", False),
        ("Namespace", False),
        ("PersistentVolume", False),
        ("PersistentVolumeClaim", True),
        ("StorageClass", False),
        ("PriorityClass", False),
        ("DeviceClass", False),
        ("ResourceSlice", False),
        ("ResourceClaimTemplate", True),
        ("CustomResourceDefinition", False),
        ("RuntimeClass", False),
        ("Node", False),
    ],
)
def test_kinds_of_the_cluster_get_no_namespace(kind: str, namespaced: bool) -> None:
    metadata = copies.created(document("x", kind), "run", "team")["metadata"]
    assert ("namespace" in metadata) is namespaced
    assert metadata["labels"] == LABEL


def test_a_when_is_no_part_of_the_object() -> None:
    given = {**config(), "when": {"platform": {"equals": "aws"}}}
    assert copies.documents([given]) == [config()]
    assert copies.documents(None) == []


def test_the_gang_scheduler_s_marks_stay() -> None:
    marked = runtime()
    (job,) = marked["spec"]["template"]["spec"]["replicatedJobs"]
    job["template"]["metadata"] = {"labels": {"kai.scheduler/queue": "run-config"}}
    job["template"]["spec"]["template"]["metadata"] = {"labels": {"kai.scheduler/queue": "run-config"}}
    job["template"]["spec"]["template"]["spec"]["schedulerName"] = "kai"
    made = planned(
        4, dependencies=[config(), marked], spec={"gangScheduler": {"schedulerName": "kai", "queue": "run-config"}}
    )
    ((copied_config, copied),) = made.dependencies.values()
    (job,) = copied["spec"]["template"]["spec"]["replicatedJobs"]
    assert copied_config["metadata"]["name"] != "run-config"
    assert job["template"]["metadata"]["labels"] == {"kai.scheduler/queue": "run-config"}
    assert job["template"]["spec"]["template"]["metadata"]["labels"] == {"kai.scheduler/queue": "run-config"}
    (created,) = made.jobs
    assert created["spec"]["workloadMetadata"] == {"labels": {"kai.scheduler/queue": "run-config"}}
