"""The Workflow of a run before any override: its metadata, job template, orchestration and dependencies."""

from __future__ import annotations

import json
from typing import Any

import pytest

import nvcre_render as nr
from tests.manifests import EXEC, FRAMEWORKS, MPI, TORCH, Json, manifest, render, replicated, runtime, train_job

SECRETS = [{"name": "reg-b"}, {"name": "reg-a"}]


def job(workflow: Json) -> Json:
    spec: Json = workflow["spec"]["jobTemplate"]["spec"]
    return spec


def kinds(workflow: Json) -> list[tuple[str, str]]:
    return [(each["kind"], each["metadata"]["name"]) for each in workflow["spec"]["dependencies"]]


# The object


def test_the_object() -> None:
    workflow = render()
    assert (workflow["apiVersion"], workflow["kind"]) == ("nvcre.nvidia.com/v1alpha1", "Workflow")
    assert workflow["metadata"] == {
        "name": "run",
        "labels": {"app.kubernetes.io/managed-by": "nvcre", "nvcre.nvidia.com/workload-run": "run"},
        "annotations": {"nvcrectl.nvidia.com/detected-gpu-architecture": "h100"},
    }
    assert workflow.keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert workflow["spec"].keys() == {"jobTemplate", "orchestration", "dependencies", "overrides"}
    assert workflow["spec"]["jobTemplate"].keys() == {"spec"}


def test_the_platform_is_noted_when_it_is_given() -> None:
    assert render(platform="forge", arch="NVIDIA-GB200-NVL72")["metadata"]["annotations"] == {
        "nvcrectl.nvidia.com/detected-gpu-architecture": "gb200",
        "nvcrectl.nvidia.com/detected-platform": "forge",
    }


@pytest.mark.parametrize("namespace", [None, "", "team"])
def test_the_namespace_is_the_runs_or_none(namespace: str | None) -> None:
    run = manifest()
    run["metadata"] |= {"namespace": namespace, "labels": {"mine": "x"}, "annotations": {"mine": "y"}, "uid": "z"}
    workflow = nr.render(run, gpu_arch="h100").workflow
    expected = {"namespace": "team"} if namespace else {}
    assert {key: value for key, value in workflow["metadata"].items() if key not in ("labels", "annotations")} == {
        "name": "run",
        **expected,
    }
    # metadata of the run stays with the run, and dependencies name no namespace
    assert "mine" not in json.dumps(workflow["metadata"])
    assert all("namespace" not in each["metadata"] for each in workflow["spec"]["dependencies"])


def test_a_status_is_ignored() -> None:
    with_status = {**manifest(), "status": {"conditions": [{"type": "Failed"}]}}
    assert nr.render(with_status, gpu_arch="h100").workflow == render()


# The job template


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_fixed_parts_of_the_job_template(framework: str) -> None:
    spec = job(render(FRAMEWORKS[framework], "gb200", numNodes=3))
    patches = {"runtimePatches"} if framework == "mpi" else set()
    assert spec["workload"]["trainJob"].keys() == {"runtimeRef", "trainer"} | patches
    assert spec["workload"]["trainJob"]["runtimeRef"] == {"name": "run-runtime", "kind": "TrainingRuntime"}
    trainer = {key: value for key, value in spec["workload"]["trainJob"]["trainer"].items() if key != "command"}
    trainer.pop("args", None)
    assert trainer == {"image": "trainer:1", "numNodes": 3, "numProcPerNode": 4}
    assert spec["nodeHealthMonitor"] == {"cel": {"expression": "node.spec.unschedulable == true"}}
    assert spec.keys() == {"workload", "nodeHealthMonitor"}


@pytest.mark.parametrize(("scale", "nodes"), [(None, 3), ("full-scale", 3), ("intra-node", 1)])
def test_the_nodes_of_a_job_are_the_same_everywhere(scale: str | None, nodes: int) -> None:
    orchestration = {"testScale": scale}
    for framework in FRAMEWORKS.values():
        workflow = render(framework, numNodes=3, orchestration=orchestration)
        assert train_job(workflow)["trainer"]["numNodes"] == nodes
        # workers of mpi scale with the trainer's number alone
        assert runtime(workflow)["mlPolicy"]["numNodes"] == (1 if framework is MPI else nodes)
        domain = workflow["spec"]["overrides"][0]["dependencies"][0]
        assert domain["spec"]["numNodes"] == nodes


def test_measurements_are_copied() -> None:
    goodput = {"logProfileRef": "megatron-training", "sampleInterval": "90s"}
    bandwidth = {"logProfileRef": "nccl-bandwidth", "testType": "all_reduce"}
    spec = job(render(MPI, goodputMeasurement=goodput, bandwidthMeasurement=bandwidth))
    assert spec["goodputMeasurement"] == {"logProfileRef": "megatron-training", "sampleInterval": "1m30s"}
    assert spec["bandwidthMeasurement"] == bandwidth


def patched(*jobs: Json) -> list[Json]:
    body = {"template": {"spec": {"replicatedJobs": list(jobs)}}}
    return [{"manager": "nvcre.nvidia.com/controller", "trainingRuntimeSpec": body}]


def with_secrets(name: str) -> Json:
    return {"name": name, "template": {"spec": {"template": {"spec": {"imagePullSecrets": SECRETS}}}}}


@pytest.mark.parametrize("framework", [TORCH, EXEC])
def test_runtime_patches_of_torch_and_exec(framework: Json) -> None:
    assert "runtimePatches" not in train_job(render(framework))
    assert "runtimePatches" not in train_job(render(framework, imagePullSecrets=[]))
    assert train_job(render(framework, imagePullSecrets=SECRETS))["runtimePatches"] == patched(with_secrets("node"))


def test_runtime_patches_of_mpi_name_both_jobs_and_carry_secrets_to_both() -> None:
    assert train_job(render(MPI))["runtimePatches"] == patched({"name": "node"}, {"name": "launcher"})
    expected = patched(with_secrets("node"), with_secrets("launcher"))
    assert train_job(render(MPI, imagePullSecrets=SECRETS))["runtimePatches"] == expected


def test_pull_secrets_never_enter_the_runtime() -> None:
    for framework in FRAMEWORKS.values():
        assert runtime(render(framework, imagePullSecrets=SECRETS)) == runtime(render(framework))


def test_labels_of_the_workload_object() -> None:
    assert "workloadMetadata" not in job(render())
    assert "workloadMetadata" not in job(render(workloadMetadata={}))
    assert "workloadMetadata" not in job(render(workloadMetadata={"labels": {}}))
    labels = {"z": "1", "kueue.x-k8s.io/queue-name": "team"}
    assert job(render(workloadMetadata={"labels": labels}))["workloadMetadata"] == {"labels": labels}
    gang = {"schedulerName": "s", "queue": "q"}
    composed = job(render(workloadMetadata={"labels": labels}, gangScheduler=gang))["workloadMetadata"]
    assert composed == {"labels": {**labels, "kai.scheduler/queue": "q"}}
    # Kueue's label is the user's business
    assert "kueue" not in json.dumps(replicated(render(workloadMetadata={"labels": labels})))


# Orchestration


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, {}),
        ({}, {}),
        ({"placement": ""}, {}),
        ({"placement": "Pinned"}, {"placement": "Pinned"}),
        ({"placement": "Unpinned"}, {"placement": "Unpinned"}),
        ({"testScale": "full-scale"}, {}),
        ({"testScale": "intra-node"}, {}),
        ({"testScale": "intra-rack"}, {"topology": {"topologyKey": "", "strictDomain": True}}),
        ({"repeatCount": 3}, {"iterations": 3}),
    ],
)
def test_orchestration(given: Json | None, expected: Json) -> None:
    plain = {"execution": {"timeoutPerJob": "24h0m0s"}, "iterations": 1}
    assert render(orchestration=given)["spec"]["orchestration"] == {**plain, **expected}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"maxConcurrent": 0}, {"timeoutPerJob": "24h0m0s"}),
        ({"maxConcurrent": 4}, {"maxConcurrent": 4, "timeoutPerJob": "24h0m0s"}),
        ({"timeoutPerJob": ""}, {"timeoutPerJob": "24h0m0s"}),
        ({"timeoutPerJob": "24h"}, {"timeoutPerJob": "24h0m0s"}),
        ({"timeoutPerJob": "90m"}, {"timeoutPerJob": "1h30m0s"}),
        ({"timeoutPerJob": "45s"}, {"timeoutPerJob": "45s"}),
        ({"timeoutPerJob": "90s"}, {"timeoutPerJob": "1m30s"}),
        ({"timeoutPerJob": "1500ms"}, {"timeoutPerJob": "1.5s"}),
        ({"timeoutPerJob": "0"}, {"timeoutPerJob": "0s"}),
        # what does not parse is a day, with a warning
        ({"timeoutPerJob": "1d"}, {"timeoutPerJob": "24h0m0s"}),
        ({"timeoutPerJob": "90"}, {"timeoutPerJob": "24h0m0s"}),
    ],
)
def test_execution(given: Json, expected: Json) -> None:
    assert render(orchestration=given)["spec"]["orchestration"]["execution"] == expected


def test_the_target_is_carried_as_it_is_written() -> None:
    assert "target" not in render()["spec"]["orchestration"]
    target = {
        "nodeSelector": {"zone": "a"},
        "matchExpressions": [{"key": "nvidia.com/gpu.clique", "operator": "In", "values": ["clique-0"]}],
        "nodeNames": ["b", "a"],
        "taintSelectors": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}],
    }
    workflow = render(target=target)
    assert workflow["spec"]["orchestration"]["target"] == target
    assert "affinity" not in json.dumps(workflow)
    assert render(target={})["spec"]["orchestration"]["target"] == {}


# Validation


def test_thresholds_switch_validation_on() -> None:
    thresholds = {"goodputRatio": "value >= 0.9", "busBandwidthGBps": "value >= 900"}
    assert render(thresholds=thresholds)["spec"]["validation"] == {
        "performance": {"enabled": True, "tracking": {}, "thresholds": {"thresholds": thresholds}}
    }
    assert "validation" not in render(thresholds={})["spec"]


# Dependencies beside the runtime


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("config", "name", "files"),
    [
        (None, None, None),
        ({}, "run-config", None),
        ({"inline": {}}, "run-config", None),
        ({"inline": {"b.sh": "two\nlines\n", "a": ""}}, "run-config", {"b.sh": "two\nlines\n", "a": ""}),
        ({"configMapRef": {"name": "files"}}, "files", None),
    ],
)
def test_config(config: Json | None, name: str | None, files: Json | None, framework: str) -> None:
    workflow = render(FRAMEWORKS[framework], config=config)
    volume = {"name": "config-volume", "configMap": {"name": name, "defaultMode": 0o755}}
    mount = {"name": "config-volume", "mountPath": "/config"}
    for job_name, replica in replicated(workflow).items():
        pod = replica["template"]["spec"]["template"]["spec"]
        launcher = {"readOnly": True} if job_name == "launcher" else {}
        assert (volume in pod["volumes"]) is (name is not None)
        assert ({**mount, **launcher} in pod["containers"][0]["volumeMounts"]) is (name is not None)
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "run-config", "labels": {"app": "run"}},
        "data": files,
    }
    assert workflow["spec"]["dependencies"][1:] == ([config_map] if files else [])


@pytest.mark.parametrize(
    ("checkpoint", "restarts", "spec"),
    [
        ({"storageSize": "500Gi"}, 0, {}),
        ({"storageSize": "1024Mi", "maxRestarts": 0}, 0, {}),
        ({"storageSize": "0.5", "maxRestarts": 3, "storageClassName": "fast"}, 3, {"storageClassName": "fast"}),
        ({"storageSize": "1Gi", "storageClassName": ""}, 0, {}),
    ],
)
@pytest.mark.parametrize("platform", [None, "aws"])
def test_a_checkpoint_is_a_claim_and_a_reference_to_it(
    checkpoint: Json, restarts: int, spec: Json, platform: str | None
) -> None:
    workflow = render(platform=platform, checkpoint=checkpoint)
    assert job(workflow)["checkpoint"] == {"pvcName": "run-checkpoint-pvc", "maxRestarts": restarts}
    assert workflow["spec"]["dependencies"][1:] == [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "run-checkpoint-pvc", "labels": {"app": "run"}},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                # a plain text, which stays as it is written
                "resources": {"requests": {"storage": checkpoint["storageSize"]}},
                **spec,
            },
        }
    ]
    assert runtime(workflow) == runtime(render(platform=platform))  # nothing mounts the claim


def test_the_order_of_dependencies() -> None:
    runtime_only = [("TrainingRuntime", "run-runtime")]
    config_map, claim = ("ConfigMap", "run-config"), ("PersistentVolumeClaim", "run-checkpoint-pvc")
    config, checkpoint = {"inline": {"a": "b"}}, {"storageSize": "1Gi"}
    assert kinds(render()) == runtime_only
    assert kinds(render(MPI, config=config, checkpoint=checkpoint)) == [*runtime_only, config_map, claim]
    assert kinds(render(checkpoint=checkpoint)) == [*runtime_only, claim]


# The gang scheduler on record; its places in the runtime: test_runtime.py


@pytest.mark.parametrize(
    ("given", "queue", "key"),
    [
        ({}, "default-queue", "kai.scheduler/queue"),
        ({"queue": "", "queueLabelKey": ""}, "default-queue", "kai.scheduler/queue"),
        ({"queue": "a", "queueLabelKey": "runai/queue"}, "a", "runai/queue"),
    ],
)
def test_the_gang_scheduler_is_kept_with_its_defaults(given: Json, queue: str, key: str) -> None:
    workflow = render(gangScheduler={"schedulerName": "s", **given})
    expected = {"schedulerName": "s", "queue": queue, "queueLabelKey": key}
    assert workflow["spec"]["gangScheduler"] == expected
    assert job(workflow)["workloadMetadata"]["labels"] == {key: queue}


# JSON, whose key order types fix


def test_json_keys_stand_in_the_order_of_the_api() -> None:
    run: Any = manifest(
        MPI,
        target={"taintSelectors": [{"key": "a"}], "nodeNames": ["a"], "nodeSelector": {"b": "1", "a": "2"}},
        thresholds={"goodputRatio": "value > 0", "busBandwidthGBps": "value > 0"},
        checkpoint={"storageSize": "1Gi"},
        gangScheduler={"queue": "q", "schedulerName": "s"},
        bandwidthMeasurement={"testType": "t", "logProfileRef": "a"},
        goodputMeasurement={"logProfileRef": "a"},
        orchestration={"placement": "Pinned"},
    )
    run["metadata"]["namespace"] = "team"
    workflow = json.loads(nr.render(run, gpu_arch="h100").to_json())
    assert list(workflow) == ["kind", "apiVersion", "metadata", "spec"]
    assert list(workflow["metadata"]) == ["name", "namespace", "labels", "annotations"]
    fields = ["jobTemplate", "orchestration", "dependencies", "overrides", "validation", "gangScheduler"]
    assert list(workflow["spec"]) == fields
    measured = ["goodputMeasurement", "bandwidthMeasurement"]
    assert list(job(workflow)) == ["workload", "workloadMetadata", "nodeHealthMonitor", "checkpoint", *measured]
    assert list(train_job(workflow)) == ["runtimeRef", "trainer", "runtimePatches"]
    assert list(train_job(workflow)["trainer"]) == ["image", "command", "args", "numNodes", "numProcPerNode"]
    assert list(workflow["spec"]["orchestration"]) == ["target", "placement", "execution", "iterations"]
    assert list(workflow["spec"]["orchestration"]["target"]) == ["nodeSelector", "nodeNames", "taintSelectors"]
    assert list(workflow["spec"]["validation"]["performance"]) == ["enabled", "tracking", "thresholds"]
    assert list(workflow["spec"]["gangScheduler"]) == ["schedulerName", "queue", "queueLabelKey"]
    # maps are sorted
    assert list(workflow["spec"]["orchestration"]["target"]["nodeSelector"]) == ["a", "b"]
    assert next(iter(workflow["spec"]["validation"]["performance"]["thresholds"]["thresholds"])) == "busBandwidthGBps"
    assert all(next(iter(each)) == "when" for each in workflow["spec"]["overrides"])
    assert ["gpuArchitecture", "platform"] in [list(each["when"]) for each in workflow["spec"]["overrides"]]
