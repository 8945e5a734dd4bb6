"""What overrides write, held against the shapes of what they patch."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.checks import schema
from nvcre_render.checks.patches import SHAPES
from tests.manifests import Json, complaint, faults, manifest, with_spec

TEMPLATE = "spec.overrides[0].jobTemplate"
OBJECT = "spec.overrides[0].dependencies[0]"


def template(value: Any) -> list[tuple[str, str]]:
    return faults(manifest(overrides=[{"when": {}, "jobTemplate": value}]))


def dependency(value: Json) -> list[tuple[str, str]]:
    return faults(manifest(overrides=[{"when": {}, "dependencies": [value]}]))


def trainer(**fields: Any) -> Json:
    return {"spec": {"workload": {"trainJob": {"trainer": fields}}}}


def pod(**fields: Any) -> Json:
    jobs = [{"name": "node", "template": {"spec": {"template": {"spec": fields}}}}]
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "run-runtime"},
        "spec": {"template": {"spec": {"replicatedJobs": jobs}}},
    }


POD = f"{OBJECT}.spec.template.spec.replicatedJobs[0].template.spec.template.spec"
TRAINER = f"{TEMPLATE}.spec.workload.trainJob.trainer"


@pytest.mark.parametrize(
    "value",
    [
        trainer(image="x:1", numNodes=2, args=["a"], resourcesPerNode={"limits": {"cpu": 1}}),
        trainer(image=None, env=None),
        {"spec": {"workload": {"trainJob": {"runtimePatches": [{"manager": "example.com/x"}]}}}},
        {"spec": {"workloadMetadata": {"labels": {"a": "b", "c": None}}}},
        {"spec": {"workload": {"trainJob": {"trainer": {"$patch": "replace", "image": "x:1"}}}}},
        {"metadata": {"annotations": {"a": "b"}, "$retainKeys": ["annotations"]}},
        {"spec": {"stallMultiplier": 3, "measurementTimeout": "5m"}},
    ],
)
def test_templates(value: Json) -> None:
    assert template(value) == []


@pytest.mark.parametrize(
    ("value", "code", "field"),
    [
        (trainer(imagee="x:1"), "NR715", f"{TRAINER}.imagee"),
        (trainer(numNodes="2"), "NR712", f"{TRAINER}.numNodes"),
        (trainer(env=[{"name": "A", "value": 5}]), "NR712", f"{TRAINER}.env[0].value"),
        (trainer(args="--a"), "NR712", f"{TRAINER}.args"),
        ({"spec": {"stallMultiplier": 0}}, "NR739", f"{TEMPLATE}.spec.stallMultiplier"),
        (
            {"spec": {"workloadMetadata": {"labels": {"a": "b c"}}}},
            "NR738",
            f'{TEMPLATE}.spec.workloadMetadata.labels["a"]',
        ),
        ({"speck": {}}, "NR715", f"{TEMPLATE}.speck"),
        (
            {"spec": {"workload": {"trainJob": {"podTemplateOverrides": []}}}},
            "NR715",
            f"{TEMPLATE}.spec.workload.trainJob.podTemplateOverrides",
        ),
        (
            {"spec": {"workload": {"trainJob": {"runtimePatches": [{"managers": "x"}]}}}},
            "NR715",
            f"{TEMPLATE}.spec.workload.trainJob.runtimePatches[0].managers",
        ),
        (
            {"spec": {"workload": {"trainJob": {"initializer": {"dataset": {"uri": "s3://x"}}}}}},
            "NR715",
            f"{TEMPLATE}.spec.workload.trainJob.initializer.dataset.uri",
        ),
    ],
)
def test_what_a_template_does_not_take(value: Json, code: str, field: str) -> None:
    assert template(value) == [(code, field)]


def test_a_dropped_key_is_said_once_when_it_is_applied_too() -> None:
    run = manifest(overrides=[{"when": {}, "jobTemplate": trainer(imagee="x:1")}])
    rendered = nr.render(run, platform="aws", gpu_arch="h100")
    assert [found.code for found in rendered.diagnostics] == ["NR715"]
    assert [found.code for found in nr.validate(run, platform="aws", gpu_arch="h100")] == ["NR715"]


@pytest.mark.parametrize(
    "value",
    [
        pod(containers=[{"name": "node", "resources": {"limits": {"rdma/ib": 1, "cpu": "2"}}}]),
        pod(
            containers=[{"name": "node", "ports": [{"containerPort": 22}], "livenessProbe": {"httpGet": {"port": "x"}}}]
        ),
        pod(hostNetwork=True, tolerations=[{"operator": "Exists", "tolerationSeconds": 5}], nodeSelector=None),
        pod(resourceClaims=[{"name": "a", "resourceClaimTemplateName": "b"}], schedulerName="x"),
        {**pod(), "when": {"platform": {"equals": "aws"}}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"x": "y"}}, "data": {"a": "b"}},
        {"apiVersion": "example.com/v1", "kind": "Anything", "spec": {"free": [1, {"as": "wind"}]}},
        {
            "apiVersion": "resource.k8s.io/v1beta1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "a"},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}]}}},
        },
    ],
)
def test_objects(value: Json) -> None:
    assert dependency(value) == []


@pytest.mark.parametrize(
    ("value", "code", "field"),
    [
        (pod(hostNetworking=True), "NR251", f"{POD}.hostNetworking"),
        (pod(hostNetwork="yes"), "NR204", f"{POD}.hostNetwork"),
        (pod(containers={"name": "node"}), "NR202", f"{POD}.containers"),
        (
            pod(containers=[{"name": "node", "env": [{"name": "A", "value": 5}]}]),
            "NR203",
            f"{POD}.containers[0].env[0].value",
        ),
        (
            pod(containers=[{"name": "node", "resources": {"limits": {"cpu": "two"}}}]),
            "NR207",
            f"{POD}.containers[0].resources.limits.cpu",
        ),
        ({"apiVersion": "v1", "kind": "ConfigMap", "datas": {}}, "NR251", f"{OBJECT}.datas"),
        (
            {**pod(), "spec": {"mlPolicy": {"mpi": {"numProcPerNodes": 8}}}},
            "NR251",
            f"{OBJECT}.spec.mlPolicy.mpi.numProcPerNodes",
        ),
        (
            {**pod(), "spec": {"template": {"spec": {"replicatedJob": []}}}},
            "NR251",
            f"{OBJECT}.spec.template.spec.replicatedJob",
        ),
    ],
)
def test_what_an_object_does_not_have(value: Json, code: str, field: str) -> None:
    assert dependency(value) == [(code, field)]


def test_a_near_field_is_offered_and_a_long_list_is_not() -> None:
    lines = (
        "overrides:\n- when: {}\n  dependencies:\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n"
        "    kind: TrainingRuntime\n    metadata: {name: run-runtime}\n    spec: {template: {spec: {replicatedJobs: "
        "[{name: node, template: {spec: {template: {spec: {@WORD: x}}}}}]}}}"
    )
    assert complaint(with_spec(lines.replace("WORD", "schedularName"))).remedy == 'did you mean "schedulerName"?'
    assert complaint(with_spec(lines.replace("WORD", "qqqqqq"))).remedy == "remove the field"


def test_a_patch_is_not_changed() -> None:
    run = manifest(
        overrides=[{"when": {}, "dependencies": [pod(hostNetwork=True)], "jobTemplate": trainer(image="x:1")}]
    )
    before = copy.deepcopy(run)
    nr.validate(run)
    assert run == before


def test_the_shapes_know_what_the_package_writes() -> None:
    """Every platform block and every generated runtime fits the shapes that users' patches are held to."""
    for platform, architecture in (("aws", "gb200"), ("gcp", "h100"), ("azure", "gb300"), ("onprem", "gb200")):
        run = manifest(checkpoint={"storageSize": "1Ti"}, config={"inline": {"a": "b"}})
        workflow = nr.render(run, platform=platform, gpu_arch=architecture).workflow
        objects = list(workflow["spec"]["dependencies"])
        assert len(objects) >= 3
        override = {"when": {}, "dependencies": objects}
        found = [each for each in faults(manifest(overrides=[override])) if each[0] != "NR624"]
        assert found == []


def test_every_kind_of_the_shapes_is_named_by_version() -> None:
    kinds = [name for name in schema.load(SHAPES)["$defs"] if " " in name]
    assert "trainer.kubeflow.org/v1alpha1 TrainingRuntime" in kinds
    assert "v1 PersistentVolumeClaim" in kinds
    for kind in kinds:
        version, _, name = kind.partition(" ")
        assert dependency({"apiVersion": version, "kind": name, "metadata": {"name": "run-runtime"}, "qqqq": 1}) == [
            ("NR251", f"{OBJECT}.qqqq")
        ]
