"""The stages together: several documents, foreign objects, nothing to render, and all findings at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

import nvcre_render as nr
from tests.manifests import EXEC, GPU, MPI, Json, complaints, manifest, seen, text, with_spec

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
PRODUCT = {"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}}


def named(name: str, **spec: Any) -> str:
    return text(**spec).replace("name: run", f"name: {name}")


def documents(*parts: str) -> str:
    return "---\n".join(parts)


def refusal(given: str | bytes | Json, **target: Any) -> tuple[nr.Diagnostic, ...]:
    with pytest.raises(nr.RenderError) as refused:
        nr.render(given, **{"gpu_arch": "h100", "filename": "run.yaml", **target})
    return refused.value.diagnostics


# What may be given


def test_text_bytes_json_and_a_mapping_render_the_same() -> None:
    run = manifest(MPI, env=[{"name": "A", "value": "1"}])
    forms: list[Any] = [run, yaml.safe_dump(run), yaml.safe_dump(run).encode(), json.dumps(run)]
    assert len({nr.render(form, gpu_arch="h100").to_yaml() for form in forms}) == 1


def test_findings_about_a_mapping_have_paths_and_no_positions() -> None:
    (found,) = nr.validate(manifest(numNodes=0), filename="run.yaml")
    assert (found.field, found.position) == ("spec.numNodes", None)
    assert str(found).startswith("NR206 error: spec.numNodes")


# Several documents


def test_every_run_of_a_text_is_rendered_in_order() -> None:
    rendered = nr.render(documents(named("b"), named("a", framework=EXEC)), gpu_arch="h100")
    assert [workflow["metadata"]["name"] for workflow in rendered.workflows] == ["b", "a"]
    texts = rendered.to_yaml().split("---\n")
    assert [yaml.safe_load(each)["metadata"]["name"] for each in texts] == ["b", "a"]
    alone = nr.render(named("b"), gpu_arch="h100").to_yaml()
    assert texts[0] == alone
    wrapped = json.loads(rendered.to_json())
    assert (wrapped["apiVersion"], wrapped["kind"]) == ("v1", "List")
    assert wrapped["items"] == list(rendered.workflows)


def test_one_run_is_the_workflow_and_two_have_none() -> None:
    one = nr.render(named("a"), gpu_arch="h100")
    assert one.workflow is one.workflows[0]
    assert json.loads(one.to_json()) == one.workflow
    two = nr.render(documents(named("a"), named("b")), gpu_arch="h100")
    with pytest.raises(ValueError, match="2 runs were rendered"):
        _ = two.workflow


def test_each_run_has_an_architecture_of_its_own() -> None:
    other = {"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-GB200"}}
    rendered = nr.render(documents(named("a", target=PRODUCT), named("b", target=other)))
    key = "nvcrectl.nvidia.com/detected-gpu-architecture"
    assert [each["metadata"]["annotations"][key] for each in rendered.workflows] == ["h100", "gb200"]


def test_empty_documents_are_passed_over() -> None:
    rendered = nr.render(f"---\n# nothing\n---\n{named('a')}---\n---\nnull\n", gpu_arch="h100")
    assert rendered.workflow["metadata"]["name"] == "a"
    assert rendered.diagnostics == ()


# Objects of other kinds


def test_foreign_objects_are_left_alone_with_a_note() -> None:
    given = documents(SERVICE, named("a"), SERVICE.replace("Service", "Secret"))
    rendered = nr.render(given, gpu_arch="h100", filename="run.yaml")
    assert [workflow["metadata"]["name"] for workflow in rendered.workflows] == ["a"]
    assert {found.code for found in rendered.diagnostics} == {"NR114"}
    assert {found.severity for found in rendered.diagnostics} == {"note"}
    service, secret = rendered.diagnostics
    assert service.message.startswith("a Service is not rendered")
    assert service.position == nr.Position(file="run.yaml", line=2, column=7)
    assert secret.message.startswith("a Secret is not rendered")


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("kind: workloadrun\n", "NR208"),
        ("apiVersion: nvcre.nvidia.com/v1\nkind: WorkloadRun\n", "NR208"),
        ("apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRuns\n", "NR208"),
        ("apiVersion: nvcre.nvidia.com/v1alpha1\n", "NR205"),
        ("{}\n", "NR205"),
    ],
)
def test_what_is_meant_to_be_a_run_is_no_foreign_object(head: str, code: str) -> None:
    codes = [found.code for found in nr.validate(head)]
    assert code in codes
    assert "NR114" not in [found.code for found in refusal(head)]


# Nothing to render


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "holds no document"),
        ("# a comment\n---\n", "holds no document"),
        ("null\n", "holds no document"),
        (SERVICE, "of kind Service"),
        (documents(SERVICE, SERVICE.replace("Service", "Namespace")), "of kind Namespace, Service"),
    ],
)
def test_nothing_to_render_is_refused_at_the_top(given: str, words: str) -> None:
    (found,) = refusal(given)
    assert (found.code, found.position) == ("NR112", nr.Position(file="run.yaml", line=1, column=1))
    assert words in found.message


def test_an_unreadable_text_is_not_empty_as_well() -> None:
    assert [found.code for found in refusal("a: b: c\n")] == ["NR101"]


# All findings at once


def test_findings_of_every_document_and_of_the_target_come_together() -> None:
    given = documents(named("a", numNodes=0), named("b", framework={}), SERVICE)
    found = refusal(given, platform="nowhere", gpu_arch="h101")
    assert [each.code for each in found] == ["NR301", "NR302", "NR206", "NR209", "NR114"]


def test_a_missing_architecture_is_reported_beside_other_faults() -> None:
    codes = [found.code for found in refusal(named("a", numNodes=0), gpu_arch=None)]
    assert sorted(codes) == ["NR206", "NR303"]
    # a document that cannot be read does not hide what is wrong with the one before it
    codes = [found.code for found in refusal(documents(named("a"), "a: b: c\n"), gpu_arch=None)]
    assert sorted(codes) == ["NR101", "NR303"]


def test_one_faulty_run_refuses_them_all() -> None:
    assert seen(refusal(documents(named("a"), named("b", image="")))) == [("NR206", "spec.image")]


def test_warnings_refuse_nothing_and_come_with_the_result() -> None:
    given = named("a", orchestration={"timeoutPerJob": "1d"})
    rendered = nr.render(given, gpu_arch="h100", filename="run.yaml")
    assert rendered.diagnostics == nr.validate(given, filename="run.yaml").diagnostics
    assert seen(rendered.diagnostics) == [("NR503", "spec.orchestration.timeoutPerJob")]


def test_a_refusal_carries_what_validate_returns_and_says_it() -> None:
    given = named("a", numNodes=0, env=[{"name": "A", "value": 1}])
    report = nr.validate(given, filename="run.yaml")
    assert not report.ok
    assert refusal(given) == report.diagnostics
    with pytest.raises(nr.RenderError, match=r"run\.yaml:\d+:\d+: NR206 error: spec\.numNodes"):
        nr.render(given, gpu_arch="h100", filename="run.yaml")


def test_validate_knows_no_target() -> None:
    assert list(nr.validate(manifest())) == []
    assert list(nr.validate(manifest(orchestration={"testScale": "intra-rack"}))) == []


def test_findings_are_in_reading_order_and_told_once() -> None:
    text_ = with_spec("@zz: 1\ngpusPerNode: @0\n@aa: 1", "{@torhc: {}}")
    assert [found.code for found in complaints(text_)] == ["NR201", "NR201", "NR206", "NR201"]


# An unsound run is checked as far as it can be, and never crashes a check

BROKEN: list[Any] = [None, 0, 1.5, True, "", "x", [], [None], [1], ["x"], [[]], [{}], {}, {"name": None}, {"x": []}]
FIELDS = [
    *("image", "framework", "numNodes", "target", "config", "gpusPerNode", "mlnxPerNode", "nicResourceName", "env"),
    *("enableMNNVL", "imagePullSecrets", "volumes", "volumeMounts", "initContainers", "resources", "overrides"),
    *("priorityClassName", "checkpoint", "orchestration", "thresholds", "goodputMeasurement", "gangScheduler"),
    *("bandwidthMeasurement", "workloadMetadata"),
]
INNER = [
    *(("framework", "torch"), ("framework", "mpi"), ("framework", "exec"), ("target", "nodeSelector")),
    *(("config", "inline"), ("config", "configMapRef"), ("resources", "limits"), ("workloadMetadata", "labels")),
    *(("orchestration", "testScale"), ("orchestration", "timeoutPerJob"), ("gangScheduler", "queueLabelKey")),
]


@pytest.mark.parametrize("value", BROKEN, ids=repr)
def test_no_value_of_a_field_crashes_a_check(value: Any) -> None:
    runs = [manifest(**{field: value}) for field in FIELDS]
    runs += [manifest(**{field: {inner: value}}) for field, inner in INNER]
    runs += [manifest(initContainers=[{"name": "a", key: value}]) for key in ("env", "volumeMounts", "name")]
    runs += [{**manifest(), key: value} for key in ("apiVersion", "metadata", "spec", "status")]
    for run in runs:
        report = nr.validate(run)
        if report.ok:
            assert nr.render(run, gpu_arch="h100").workflows
        else:
            assert set(refusal(run)) >= set(report.diagnostics)


def test_a_render_of_everything_is_what_it_says_it_is() -> None:
    run = manifest(
        MPI,
        gangScheduler={"schedulerName": "kai-scheduler", "queue": "q"},
        resources={"limits": {GPU: "8"}},
        config={"inline": {"a": "b"}},
        checkpoint={"storageSize": "1Gi"},
        priorityClassName="high",
    )
    rendered = nr.render(run, gpu_arch="gb300", platform="aws", overrides="listed")
    assert yaml.safe_load(rendered.to_yaml()) == rendered.workflow
    assert json.loads(rendered.to_json()) == rendered.workflow


# What a newcomer ran into


@pytest.mark.parametrize(
    "patch",
    ["jobTemplate: {spec: null}", "jobTemplate: {spec: {workload: {trainJob: null}}}", "jobTemplate: {$patch: delete}"],
)
def test_an_override_that_removes_the_workload_is_a_finding(patch: str) -> None:
    run = yaml.safe_load(named("a"))
    run["spec"]["overrides"] = [{"when": {}, **yaml.safe_load(patch)}]
    with pytest.raises(nr.RenderError) as refused:
        nr.render(run, platform="aws", gpu_arch="h100")
    assert "NR739" in {found.code for found in refused.value.diagnostics}


def test_a_run_inside_a_list_is_refused() -> None:
    listed = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(named("a"))]})
    assert [found.code for found in refusal(listed)] == ["NR115"]
    assert [found.code for found in nr.validate(listed)] == ["NR115"]


def test_two_runs_of_one_name_are_a_warning() -> None:
    rendered = nr.render(documents(named("a"), named("b"), named("a")), gpu_arch="h100")
    assert [found.code for found in rendered.diagnostics] == ["NR116"]


def test_an_architecture_that_contradicts_the_manifest_is_a_warning() -> None:
    run = named("a", target={"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-GB200"}})
    assert [found.code for found in nr.render(run, gpu_arch="h100").diagnostics] == ["NR308"]
    assert nr.render(run, gpu_arch="gb200").diagnostics == ()


def test_a_listed_workflow_keeps_its_architecture_and_another_target_is_a_warning() -> None:
    listed = nr.render(named("a"), gpu_arch="gb300").workflow
    resolved = nr.render(dict(listed), platform="aws")
    annotations = resolved.workflow["metadata"]["annotations"]
    assert annotations["nvcrectl.nvidia.com/detected-gpu-architecture"] == "gb300"
    assert [found.code for found in resolved.diagnostics] == []
    again = nr.render(dict(resolved.workflow), platform="gcp", gpu_arch="h100")
    assert [found.code for found in again.diagnostics] == ["NR309"]
    bare = {**listed, "metadata": {"name": "a"}}
    assert [found.code for found in refusal(yaml.safe_dump(bare), platform="aws", gpu_arch=None)] == ["NR303"]
