"""The labels of the workload object and the gang scheduler's queue label among them."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.lower.labels import gang, workload_labels
from tests.manifests import complaint, complaints, faults, manifest, render, with_spec

LONG = "a" * 63
DOMAIN = ".".join(["a" * 62] * 4)  # 251 characters
QUEUE = "kai.scheduler/queue"


def many(count: int) -> dict[str, str]:
    return {f"key-{index}": "v" for index in range(count)}


def labelled(labels: dict[str, str], **scheduler: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"workloadMetadata": {"labels": labels}}
    return {**fields, "gangScheduler": scheduler} if scheduler else fields


# Keys


@pytest.mark.parametrize(
    "key",
    [
        "a",
        "A.b_c-d",
        "0",
        "example.com/a",
        "a/b",
        "kueue.x-k8s.io/queue-name",
        "app.kubernetes.io/name",
        "nvcre.nvidia.com.example/a",
        "my-nvcre.nvidia.com/a",
        LONG,
        f"{DOMAIN}.b/{LONG}",
    ],
)
def test_a_key_of_kubernetes(key: str) -> None:
    assert faults(manifest(**labelled({key: ""}))) == []
    assert render(**labelled({key: "v"}))["spec"]["jobTemplate"]["spec"]["workloadMetadata"] == {"labels": {key: "v"}}


@pytest.mark.parametrize(
    "key",
    [
        "",
        "a b",
        "-a",
        "a-",
        "/a",
        "a/",
        "a/b/c",
        "A.com/b",
        "a_b.com/c",
        "a..b/c",
        "a\n",
        "\u00fc",
        f"{LONG}a",
        f"{DOMAIN}.bcd/a",
    ],
)
def test_another_key_is_refused(key: str) -> None:
    (found,) = nr.validate(manifest(**labelled({key: "v"})))
    assert (found.code, found.path) == ("NR512", ("spec", "workloadMetadata", "labels", key))


@pytest.mark.parametrize(
    "key", ["app.kubernetes.io/managed-by", "nvcre.nvidia.com/job", "nvcre.nvidia.com/", "nvcre.nvidia.com/a/b"]
)
def test_a_key_of_nvcre_is_reserved(key: str) -> None:
    found = complaint(with_spec(f"workloadMetadata:\n  labels:\n    @{key}: v"))
    assert found.code == "NR511"
    assert f'spec.workloadMetadata.labels["{key}"]' in str(found)


def test_values_are_held_to_the_schema_and_the_empty_one_is_a_label() -> None:
    assert faults(manifest(**labelled({"team": "a b"}))) == [("NR207", 'spec.workloadMetadata.labels["team"]')]
    assert render(**labelled({"team": ""}))["spec"]["jobTemplate"]["spec"]["workloadMetadata"] == {
        "labels": {"team": ""}
    }


# Their number


@pytest.mark.parametrize(
    ("labels", "scheduler", "count"),
    [
        (many(32), {}, None),
        (many(33), {}, 33),
        (many(31), {"schedulerName": "s"}, None),
        (many(32), {"schedulerName": "s"}, 33),
        # the queue label is one of the user's own already
        ({**many(31), QUEUE: "q"}, {"schedulerName": "s", "queue": "q"}, None),
        ({**many(31), "mine": "q"}, {"schedulerName": "s", "queue": "q", "queueLabelKey": "mine"}, None),
    ],
)
def test_thirty_two_labels_are_the_most(labels: dict[str, str], scheduler: dict[str, str], count: int | None) -> None:
    report = nr.validate(manifest(**labelled(labels, **scheduler)))
    if count is None:
        assert list(report) == []
        return
    (found,) = report
    assert (found.code, found.field) == ("NR513", "spec.workloadMetadata.labels")
    assert f"spec.workloadMetadata.labels: {count} labels exceeds the maximum of 32" in found.message
    assert (QUEUE in found.message) == bool(scheduler)


# The queue label


@pytest.mark.parametrize(
    ("key", "queue", "label", "scheduler"),
    [
        (QUEUE, "team-a", "team-b", {"queue": "team-a"}),
        ("runai/queue", "team-a", "team-b", {"queue": "team-a", "queueLabelKey": "runai/queue"}),
        # the defaults count
        (QUEUE, "default-queue", "team-b", {}),
        (QUEUE, "default-queue", "", {"queue": "", "queueLabelKey": ""}),
    ],
)
def test_a_label_with_another_queue_is_a_conflict(key: str, queue: str, label: str, scheduler: dict[str, str]) -> None:
    (found,) = nr.validate(manifest(**labelled({key: label}, schedulerName="s", **scheduler)))
    assert (found.code, found.path) == ("NR514", ("spec", "workloadMetadata", "labels", key))
    assert found.message == f'conflicting label value "{label}", expected "{queue}"'
    assert f'spec.workloadMetadata.labels["{key}"]' in str(found)


def test_a_conflict_shows_both_places() -> None:
    lines = f"gangScheduler: {{schedulerName: s, queue: a}}\nworkloadMetadata:\n  labels: {{{QUEUE}: @b}}"
    found = complaint(with_spec(lines))
    ((place, note),) = found.related
    assert (place.line, place.column) == (8, 44)
    assert note
    lines = f"gangScheduler: {{schedulerName: s}}\nworkloadMetadata:\n  labels: {{{QUEUE}: @b}}"
    ((place, _),) = complaint(with_spec(lines)).related
    assert (place.line, place.column) == (8, 18)


@pytest.mark.parametrize("labels", [{}, {QUEUE: "team-a"}, {"runai/queue": "elsewhere", "a": "b"}])
def test_an_equal_queue_and_other_keys_are_fine(labels: dict[str, str]) -> None:
    assert faults(manifest(**labelled(labels, schedulerName="s", queue="team-a"))) == []


@pytest.mark.parametrize("key", ["app.kubernetes.io/managed-by", "nvcre.nvidia.com/queue"])
def test_the_queue_label_key_is_not_one_of_nvcre(key: str) -> None:
    found = complaint(with_spec(f"gangScheduler: {{schedulerName: s, queueLabelKey: @{key}}}"))
    assert (found.code, found.field) == ("NR515", "spec.gangScheduler.queueLabelKey")
    assert key in found.message


def test_the_prefix_of_the_queue_label_key_has_a_length_of_its_own() -> None:
    scheduler = {"schedulerName": "s", "queueLabelKey": f"{DOMAIN}.b/queue"}
    assert faults(manifest(gangScheduler=scheduler)) == []
    scheduler["queueLabelKey"] = f"{DOMAIN}.bcd/queue"
    assert faults(manifest(gangScheduler=scheduler)) == [("NR512", "spec.gangScheduler.queueLabelKey")]


def test_all_problems_are_reported_in_one_run() -> None:
    text = with_spec(
        """\
gangScheduler: {schedulerName: s, queue: a, queueLabelKey: @nvcre.nvidia.com/q}
workloadMetadata:
  labels:
    @nvcre.nvidia.com/q: @b
    @a b: c
    @app.kubernetes.io/managed-by: me
    team: @a/b
"""
    )
    codes = ["NR515", "NR511", "NR514", "NR512", "NR511", "NR207"]
    assert [found.code for found in complaints(text)] == codes


# What is composed


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"schedulerName": "s"}, ("s", "default-queue", QUEUE)),
        ({"schedulerName": "s", "queue": "", "queueLabelKey": ""}, ("s", "default-queue", QUEUE)),
        ({"schedulerName": "s", "queue": "a"}, ("s", "a", QUEUE)),
        ({"schedulerName": "s", "queueLabelKey": "k"}, ("s", "default-queue", "k")),
    ],
)
def test_the_defaults_of_the_gang_scheduler(given: dict[str, str], expected: tuple[str, str, str]) -> None:
    found = gang({"gangScheduler": given})  # type: ignore[typeddict-item]
    assert found is not None
    assert (found.scheduler_name, found.queue, found.queue_label_key) == expected


@pytest.mark.parametrize("spec", [{}, {"gangScheduler": {}}, {"gangScheduler": {"schedulerName": "", "queue": "a"}}])
def test_no_scheduler_name_is_no_gang_scheduler(spec: Any) -> None:
    assert gang(spec) is None
    assert workload_labels(spec) == {}


@pytest.mark.parametrize(
    ("name", "kai"), [("kai-scheduler", True), ("KAI-scheduler", False), ("runai-scheduler", False)]
)
def test_kai_is_told_by_its_exact_name(name: str, kai: bool) -> None:
    found = gang({"gangScheduler": {"schedulerName": name}})  # type: ignore[typeddict-item]
    assert found is not None
    assert found.is_kai is kai


def test_the_queue_label_joins_the_users_labels_in_order() -> None:
    spec: Any = labelled({"z": "1", "a": "2"}, schedulerName="s", queue="q")
    assert list(workload_labels(spec).items()) == [("a", "2"), (QUEUE, "q"), ("z", "1")]
    assert spec == labelled({"z": "1", "a": "2"}, schedulerName="s", queue="q")
