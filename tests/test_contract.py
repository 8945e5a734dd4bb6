"""What must hold once overrides are applied: labels, the gang scheduler's runtime, placement, the API's own limits."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nvcre_render import contract, fragments
from nvcre_render.contract import Finding, check

KEY = "kai.scheduler/queue"
LABELS = "spec.workloadMetadata.labels"
GANG = {"schedulerName": "kai-scheduler", "queue": "team-a"}


def job(name: str = "node", queue: str = "team-a", scheduler: str = "kai-scheduler") -> dict[str, Any]:
    return {
        "name": name,
        "template": {
            "metadata": {"labels": {KEY: queue}},
            "spec": {"template": {"metadata": {"labels": {KEY: queue}}, "spec": {"schedulerName": scheduler}}},
        },
    }


def runtime(jobs: Any, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "run-runtime"},
        "spec": {"template": {"spec": {"replicatedJobs": jobs}}},
        **fields,
    }


def spec(*dependencies: dict[str, Any], labels: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    """Return a resolved spec under a gang scheduler; `trainJob` and others replace what it has."""
    reference = {"runtimeRef": {"kind": "TrainingRuntime", "name": "run-runtime"}}
    inner: dict[str, Any] = {"workload": {"trainJob": fields.pop("trainJob", reference)}}
    if labels is not None:
        inner["workloadMetadata"] = {"labels": labels}
    return {
        "jobTemplate": {"spec": inner},
        "orchestration": {"execution": {}},
        "dependencies": list(dependencies) or [runtime([job()])],
        "gangScheduler": GANG,
        **fields,
    }


def without_gang(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in spec(**fields).items() if key != "gangScheduler"}


def messages(given: dict[str, Any]) -> list[str]:
    before = copy.deepcopy(given)
    found = [each.message for each in check(given)[1]]
    assert given == before, "the spec was changed"
    return found


def only(given: dict[str, Any]) -> Finding:
    (found,) = check(given)[1]
    return found


# -- labels of the workload object -------------------------------------------------------------------------------


def labels_of(given: dict[str, Any]) -> Any:
    return check(given)[0]["jobTemplate"]["spec"].get("workloadMetadata")


def test_the_queue_label_is_restored_where_it_is_absent() -> None:
    assert labels_of(spec()) == {"labels": {KEY: "team-a"}}
    assert labels_of(spec(labels={"z": "1", "a": "2"})) == {"labels": {"a": "2", KEY: "team-a", "z": "1"}}
    assert list(labels_of(spec(labels={"z": "1", "a": "2"}))["labels"]) == ["a", KEY, "z"]
    assert messages(spec()) == []


def test_a_restored_label_stands_where_the_api_has_it() -> None:
    given = spec()
    given["jobTemplate"]["spec"]["stallMultiplier"] = 2
    assert list(check(given)[0]["jobTemplate"]["spec"]) == ["workload", "workloadMetadata", "stallMultiplier"]


def test_the_right_queue_label_is_kept() -> None:
    given = spec(labels={KEY: "team-a"})
    assert check(given) == (given, ())


def test_another_queue_is_a_conflict_and_stays() -> None:
    given = spec(labels={KEY: "team-b"})
    assert messages(given) == [f'{LABELS}["{KEY}"]: conflicting label value "team-b", expected "team-a"']
    assert labels_of(given) == {"labels": {KEY: "team-b"}}
    assert only(given).path == ("jobTemplate", "spec", "workloadMetadata", "labels", KEY)


def test_the_intent_has_defaults() -> None:
    marks = job(queue="default-queue", scheduler="other")
    given = spec(runtime([marks]), gangScheduler={"schedulerName": "other"})
    assert labels_of(given) == {"labels": {KEY: "default-queue"}}
    assert messages(given) == []


@pytest.mark.parametrize("intent", [{}, {"schedulerName": ""}, {"queue": "team-a"}])
def test_without_a_scheduler_there_is_no_intent(intent: dict[str, str]) -> None:
    given = spec(runtime("none"), gangScheduler=intent)
    assert check(given) == (given, ())


def test_a_workflow_names_its_own_label_path() -> None:
    (found,) = check(spec(labels={KEY: "team-b"}), contract.WORKFLOW_LABELS)[1]
    assert found.message.startswith(f'spec.jobTemplate.spec.workloadMetadata.labels["{KEY}"]: ')


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"app.kubernetes.io/managed-by": "me"}, f'{LABELS}["app.kubernetes.io/managed-by"]: the label is reserved: '),
        ({"nvcre.nvidia.com/job": "x"}, f'{LABELS}["nvcre.nvidia.com/job"]: the label is reserved: '),
        ({"a b": "x"}, f'{LABELS}["a b"]: "a b" is no label key: name part must consist of alphanumeric characters'),
        ({"": "x"}, f'{LABELS}[""]: "" is no label key: name part must be non-empty'),
        ({"/a": "x"}, f'{LABELS}["/a"]: "/a" is no label key: prefix part must be non-empty'),
        ({"Up/a": "x"}, f'{LABELS}["Up/a"]: "Up/a" is no label key: prefix part a lowercase RFC 1123 subdomain must'),
        ({"a/b/c": "x"}, f'{LABELS}["a/b/c"]: "a/b/c" is no label key: prefix part a lowercase RFC 1123 subdomain'),
        ({"n" * 64: "x"}, "is no label key: name part must be no more than 63 bytes"),
        ({"p" * 254 + "/a": "x"}, "is no label key: prefix part must be no more than 253 bytes"),
        ({"a": "b c"}, f'{LABELS}["a"]: "b c" is no label value: a valid label must be an empty string or consist of'),
        ({"a": "-b"}, f'{LABELS}["a"]: "-b" is no label value: '),
        ({"a": "v" * 64}, "is no label value: must be no more than 63 bytes"),
    ],
)
def test_a_label_that_kubernetes_or_nvcre_refuses(labels: dict[str, str], expected: str) -> None:
    for given in (without_gang(labels=labels), spec(labels={**labels, KEY: "team-a"})):
        (message,) = messages(given)
        assert expected in message


def test_a_reserved_label_names_both_reservations() -> None:
    (message,) = messages(without_gang(labels={"nvcre.nvidia.com/x": ""}))
    assert '"app.kubernetes.io/managed-by"' in message
    assert '"nvcre.nvidia.com/"' in message


@pytest.mark.parametrize(
    "labels",
    [
        {"a": "", "b.c_d-e": "A.b_c-d", "example.com/x": "1", "kueue.x-k8s.io/queue-name": "q"},
        {"team.nvcre.nvidia.com/job": "x", "nvcre.nvidia.com.example/y": "z"},
        {f"key-{number}": "x" for number in range(32)},
    ],
)
def test_labels_that_are_fine(labels: dict[str, str]) -> None:
    assert messages(without_gang(labels=labels)) == []


def test_the_problems_come_in_the_order_of_the_keys() -> None:
    found = messages(without_gang(labels={"z z": "x", "app.kubernetes.io/managed-by": "x", "m m": "x"}))
    assert [message.split('"')[1] for message in found] == ["app.kubernetes.io/managed-by", "m m", "z z"]


def test_there_are_at_most_32_labels_the_restored_one_counted() -> None:
    labels = {f"key-{number}": "x" for number in range(32)}
    assert messages(spec(labels=labels)) == [f"{LABELS}: 33 labels exceeds the maximum of 32"]
    assert messages(spec(labels={**labels, KEY: "team-a"})) == [f"{LABELS}: 33 labels exceeds the maximum of 32"]
    del labels["key-0"]
    assert messages(spec(labels=labels)) == []


# -- the gang scheduler's runtime: every message, and the names it must have in their order -----------------------


def changed(path: tuple[str | int, ...], value: Any, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a spec with a value replaced; None takes the key away."""
    result = copy.deepcopy(given or spec(labels={KEY: "team-a"}))
    inner: Any = result
    for step in path[:-1]:
        inner = inner[step]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return result


JOBS = ("dependencies", 0, "spec", "template", "spec", "replicatedJobs")
NODE = (*JOBS, 0, "template")
POD = (*NODE, "spec", "template")
REFERENCE = ("jobTemplate", "spec", "workload", "trainJob", "runtimeRef")
QUEUE = 'gangScheduler is configured with queue "team-a", but runtime "run-runtime" replicated job "node" '
SCHEDULER = (
    'gangScheduler is configured with scheduler "kai-scheduler", but runtime "run-runtime" replicated job "node" '
)
BROKEN: list[tuple[dict[str, Any], str]] = [
    (
        changed((*NODE, "metadata"), None),
        QUEUE + f'lacks the label "{KEY}" at "template.metadata.labels"',
    ),
    (
        changed((*NODE, "metadata", "labels", KEY), 7),
        QUEUE + f'lacks the label "{KEY}" at "template.metadata.labels"',
    ),
    (
        changed((*POD, "metadata", "labels"), {}),
        QUEUE + f'lacks the label "{KEY}" at "template.spec.template.metadata.labels"',
    ),
    (
        changed((*NODE, "metadata", "labels", KEY), "team-b"),
        QUEUE + f'has the label "{KEY}" with the value "team-b" at "template.metadata.labels"',
    ),
    (
        changed((*POD, "metadata", "labels", KEY), ""),
        QUEUE + f'has the label "{KEY}" with the value "" at "template.spec.template.metadata.labels"',
    ),
    (
        changed((*POD, "spec", "schedulerName"), "default-scheduler"),
        SCHEDULER + 'has the "schedulerName" "default-scheduler"',
    ),
    (changed((*POD, "spec", "schedulerName"), None), SCHEDULER + 'has the "schedulerName" ""'),
    (
        changed((*REFERENCE, "apiGroup"), "example.com"),
        'gangScheduler is configured, but "runtimeRef.apiGroup" is "example.com", not "trainer.kubeflow.org"',
    ),
    (
        changed((*REFERENCE, "apiGroup"), ""),
        'gangScheduler is configured, but "runtimeRef.apiGroup" is "", not "trainer.kubeflow.org"',
    ),
    (
        changed((*REFERENCE, "kind"), "ClusterTrainingRuntime"),
        'gangScheduler is configured, but "runtimeRef.kind" is "ClusterTrainingRuntime", not "TrainingRuntime"',
    ),
    (
        changed((*REFERENCE, "kind"), None),
        'gangScheduler is configured, but "runtimeRef.kind" is "ClusterTrainingRuntime", not "TrainingRuntime"',
    ),
    (
        changed((*REFERENCE, "kind"), ""),
        'gangScheduler is configured, but "runtimeRef.kind" is "", not "TrainingRuntime"',
    ),
    (
        changed((*REFERENCE, "name"), "other"),
        (
            'gangScheduler is configured, but "other" is not among the dependencies as '
            '"TrainingRuntime.trainer.kubeflow.org"'
        ),
    ),
    (
        changed(("dependencies", 0, "kind"), "ClusterTrainingRuntime"),
        (
            'gangScheduler is configured, but "run-runtime" is not among the dependencies as '
            '"TrainingRuntime.trainer.kubeflow.org"'
        ),
    ),
    (
        changed(("dependencies", 0, "apiVersion"), "example.com/v1"),
        (
            'gangScheduler is configured, but "run-runtime" is not among the dependencies as '
            '"TrainingRuntime.trainer.kubeflow.org"'
        ),
    ),
    (
        changed(JOBS, None),
        'gangScheduler is configured, but runtime "run-runtime" has no list "spec.template.spec.replicatedJobs"',
    ),
    (
        changed(JOBS, {"node": {}}),
        'gangScheduler is configured, but runtime "run-runtime" has no list "spec.template.spec.replicatedJobs"',
    ),
    (
        changed((*JOBS, 0), "node"),
        'gangScheduler is configured, but in runtime "run-runtime" "replicatedJobs[0]" is not an object',
    ),
    (
        changed(NODE, None),
        'gangScheduler is configured, but runtime "run-runtime" replicated job "node" has no template',
    ),
    (
        changed(POD, None),
        'gangScheduler is configured, but runtime "run-runtime" replicated job "node" has no pod template',
    ),
    (
        changed((*POD, "spec"), None),
        'gangScheduler is configured, but runtime "run-runtime" replicated job "node" has no pod spec',
    ),
]


@pytest.mark.parametrize(("given", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_a_runtime_that_left_the_gang(given: dict[str, Any], message: str) -> None:
    assert messages(given) == [message]
    assert check(given)[0] == given, "nothing of a runtime is repaired"


def test_there_must_be_a_train_job() -> None:
    found = messages(changed(("jobTemplate", "spec", "workload"), {}))
    assert found[0] == 'gangScheduler is configured, but "spec.jobTemplate.spec.workload" has no "trainJob"'


@pytest.mark.parametrize(
    "given",
    [
        changed((*REFERENCE, "apiGroup"), "trainer.kubeflow.org"),
        changed(("dependencies", 0, "apiVersion"), "trainer.kubeflow.org/v2"),
        changed(JOBS, []),
        changed((*NODE, "metadata", "labels", "more"), 7),
    ],
)
def test_a_runtime_that_is_still_in_the_gang(given: dict[str, Any]) -> None:
    assert messages(given) == []


def test_every_job_is_looked_at_in_order() -> None:
    jobs = [job(), job("launcher", queue="team-b", scheduler="")]
    found = messages(spec(runtime(jobs), labels={KEY: "team-a"}))
    assert [("launcher" in message, "schedulerName" in message) for message in found] == [
        (True, False),
        (True, False),
        (True, True),
    ]


def test_of_two_runtimes_of_one_name_the_first_is_looked_at() -> None:
    assert messages(spec(runtime([job()]), runtime([job(queue="team-b")]), labels={KEY: "team-a"})) == []
    other = runtime([job(queue="team-b")], apiVersion="example.com/v1")
    assert messages(spec(other, runtime([job()]), labels={KEY: "team-a"})) == []


def patched(*queues: str, name: str = "node") -> dict[str, Any]:
    """Return a spec whose runtime patches, one a manager, set the label on the Job template."""
    jobs = [[{"name": name, "template": {"metadata": {"labels": {KEY: queue}}}}] for queue in queues]
    patches = [
        {"manager": f"m-{index}", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": each}}}}
        for index, each in enumerate(jobs)
    ]
    return changed(("jobTemplate", "spec", "workload", "trainJob", "runtimePatches"), patches)


def test_runtime_patches_count_the_last_most() -> None:
    assert messages(patched("team-a")) == []
    assert messages(patched("team-b", "team-a")) == []
    assert messages(patched("team-b", name="launcher")) == []
    found = only(patched("team-a", "team-b"))
    assert found.message == QUEUE + f'has the label "{KEY}" with the value "team-b" at "template.metadata.labels"'
    assert found.path[3:6] == ("trainJob", "runtimePatches", 1)


def test_a_runtime_patch_can_bring_the_label_too() -> None:
    given = patched("team-a")
    del given["dependencies"][0]["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["metadata"]
    assert messages(given) == []


# -- placement ---------------------------------------------------------------------------------------------------


def placed(**orchestration: Any) -> dict[str, Any]:
    return without_gang(orchestration={"execution": {}, **orchestration})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            placed(placement="Unpinned", diagnose={}),
            (
                "orchestration.placement: Unpinned runs exactly one job, but orchestration.diagnose cuts the nodes "
                "into several"
            ),
        ),
        (
            placed(placement="Unpinned", topology={"topologyKey": "k", "strictDomain": True}),
            (
                "orchestration.placement: Unpinned runs exactly one job, but orchestration.topology.strictDomain means "
                "one job per topology domain"
            ),
        ),
        (
            placed(topology={"topologyKey": "", "strictDomain": True}),
            (
                "orchestration.topology.topologyKey is empty: only these platforms have a label for racks: "
                "aws on gb200 and gb300; gcp on gb200 and gb300; azure on gb200 and gb300"
            ),
        ),
    ],
)
def test_an_orchestration_that_contradicts_itself(given: dict[str, Any], message: str) -> None:
    assert messages(given) == [message]


@pytest.mark.parametrize(
    "given",
    [
        placed(placement="Unpinned"),
        placed(placement="Unpinned", topology={"topologyKey": "k"}),
        placed(placement="Pinned", diagnose={"minGroupSize": 2}),
        placed(topology={"topologyKey": "k", "strictDomain": True}),
    ],
)
def test_an_orchestration_that_is_fine(given: dict[str, Any]) -> None:
    assert messages(given) == []


def test_the_platforms_with_a_rack_label_are_read_off_the_blocks() -> None:
    def block(when: dict[str, Any], key: str) -> dict[str, Any]:
        return {"when": when, "orchestration": {"topology": {"topologyKey": key}}}

    blocks: tuple[dict[str, Any], ...] = (
        block({"platform": {"in": ["one", "two"]}, "gpuArchitecture": {"equals": "h100"}}, "k"),
        block({"platform": {"equals": "two"}}, "k"),
        block({"platform": {"equals": "three"}}, ""),
        {"when": {}, "mpiArgs": []},
    )
    library = fragments.Library(platforms=(), blocks=blocks, lists={})
    assert contract.rack_labels(library) == {"one": ["h100"], "two": ["h100", "any"]}


# -- the API's own limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("spec", "stallMultiplier"), 0, "spec.jobTemplate.spec.stallMultiplier: 0 is out of range"),
        (
            ("spec", "checkpoint"),
            {"pvcName": "c", "maxRestarts": -1},
            "spec.checkpoint.maxRestarts: -1 is out of range",
        ),
        (("spec", "workload"), {}, 'spec.jobTemplate.spec.workload: the required field "trainJob" is missing'),
    ],
)
def test_a_value_the_api_refuses(path: tuple[str, ...], value: Any, message: str) -> None:
    (found,) = messages(changed(("jobTemplate", *path), value, without_gang()))
    assert message in found


def test_labels_are_reported_once() -> None:
    assert len(messages(without_gang(labels={"a": "b c"}))) == 1
