"""The readings of render cases, each on one small Workflow."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.cases.stub import Stub, outcome, put_render

MPIRUN = ["timeout", "3600", "mpirun", "-N", "8", "--allow-run-as-root", "--mca", "plm_rsh_args", "-o A -o B"]


def job(name: str, pod: dict[str, Any]) -> dict[str, Any]:
    template = {"metadata": {"labels": {"q": name}}, "spec": pod}
    return {
        "name": name,
        "template": {"metadata": {"labels": {"b": "2", "a": "1"}}, "spec": {"template": template}},
    }


WORKER = {
    "schedulerName": "kai",
    "priorityClassName": "low",
    "initContainers": [{"name": "stage"}],
    "volumes": [{"name": "dshm"}, {"name": "config-volume", "configMap": {"defaultMode": 420}}],
    "containers": [
        {"name": "other"},
        {
            "name": "node",
            "env": [{"name": "A", "value": "1"}, {"name": "T", "valueFrom": {}}],
            "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}],  # noqa: S108 - data
            "securityContext": {"privileged": True},
        },
    ],
}
LAUNCHER = {"containers": [{"name": "node", "env": [{"name": "A", "value": "1"}, {"name": "NCCL", "value": "2"}]}]}
TRAINER = {
    "command": MPIRUN[:3],
    "args": [*MPIRUN[3:], "-x", "A=1", "-x", "NCCL=3", "-v", "bin"],
    "numNodes": 2,
}
PATCH = {"jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"env": [{"name": "A", "value": "9"}]}}}}}}
SPEC: dict[str, Any] = {
    "jobTemplate": {
        "spec": {"workload": {"trainJob": {"trainer": TRAINER}}, "workloadMetadata": {"labels": {"k": "v"}}}
    },
    "orchestration": {"execution": {"timeoutPerJob": "1h0m0s"}, "iterations": 3, "placement": "Unpinned"},
    "dependencies": [
        {
            "kind": "TrainingRuntime",
            "metadata": {"labels": {"trainer.kubeflow.org/framework": "mpi"}},
            "spec": {"template": {"spec": {"replicatedJobs": [job("node", WORKER), job("launcher", LAUNCHER)]}}},
        },
        {"kind": "ConfigMap"},
    ],
    "overrides": [{"when": {}}, PATCH],
}
PROJECTION = {
    "trainer": TRAINER,
    "timeoutPerJob": "1h0m0s",
    "iterations": 3,
    "dependencyKinds": ["TrainingRuntime", "ConfigMap"],
    "validation": None,
    "workerEnv": ["A=1", "T="],
    "launcherEnv": ["A=1", "NCCL=2"],
    "workerVolumeMounts": ["dshm at /dev/shm"],
    "runtimeVolumes": ["dshm", "config-volume"],
    "overrideCount": 2,
    "gangSchedulerName": "kai",
    "gangSchedulerJobLabels": ["a=1", "b=2"],
    "gangSchedulerPodLabels": ["q=node"],
}
MOUNT = {"name": "dshm", "mountPath": "/dev/shm"}  # noqa: S108 - data
ENV = "workflow.spec.overrides[*].jobTemplate.spec.workload.trainJob.trainer.env"
METADATA = "after-overrides: workloadMetadata.labels+workflow.spec.gangScheduler"

RIGHT: list[tuple[str, Any]] = [
    ("workflow.spec", SPEC),
    ("workflow.spec.projection", PROJECTION),
    ("framework.mpi.mpiArgs", {"mpiArgs": ["-x", "NCCL=3", "-v"]}),
    (ENV, {"byOverrideIndex": {1: {"A": "9"}}, "absentEverywhere": ["B"]}),
    (METADATA, {"labels": {"k": "v"}, "gangScheduler": None}),
    ("workflow.spec.orchestration.placement+trainer.numNodes", {"placement": "Unpinned", "numNodes": 2}),
    (
        "runtime.priorityClassName",
        [
            {"replicatedJob": "node", "priorityClassName": "low"},
            {"replicatedJob": "launcher", "priorityClassName": ""},
        ],
    ),
    ("detection", {"error": "", "detectedGPUArchitecture": "t4"}),
    (
        "resolved.trainer",
        {"trainer": TRAINER, "trainJobQueueLabel": {"k": "v"}, "runtimeFrameworkLabel": "mpi"},
    ),
    ("resolved.trainingRuntime.spec", {"trainingRuntimeSpec": SPEC["dependencies"][0]["spec"]}),
    ("containment", {"configVolumeDefaultMode": 420, "dependencyKinds": ["TrainingRuntime", "ConfigMap"]}),
    ("containment", {"worker": {"volumeNames": {"contains": ["dshm"], "excludes": ["ssh"]}}}),
    ("containment", {"worker": {"volumeMounts": {"contains": [MOUNT], "excludes": [{"name": "x"}]}}}),
    ("containment", {"worker": {"initContainerNames": {"contains": ["stage"]}}}),
    ("containment", {"worker": {"securityContext": {"contains": {"privileged": True}}}}),
    ("containment after overrides", {"launcher": {"securityContext": {"excludes": ["privileged"]}}}),
]
WRONG: list[tuple[str, Any, str]] = [
    ("workflow.spec.projection", {**PROJECTION, "iterations": True}, "value.iterations"),
    ("framework.mpi.mpiArgs", {"mpiArgs": ["-v"]}, "value.mpiArgs[0]"),
    ("framework.mpi.mpiArgs", {"mpiArgs": ["-x", "A=0", "-x", "NCCL=3", "-v"]}, "value.mpiArgs[1]"),
    ("framework.mpi.mpiArgs", {"mpiArgs": ["-x", "NCCL=3", "-v", "-w"]}, "value.mpiArgs[3]"),
    (ENV, {"byOverrideIndex": {0: {"A": "9"}}, "absentEverywhere": []}, "value.byOverrideIndex[0]"),
    (ENV, {"byOverrideIndex": {1: {"A": "9"}}, "absentEverywhere": ["A"]}, "value.absentEverywhere[0]"),
    ("detection", {"error": "unknown", "detectedGPUArchitecture": "t4"}, "value.error[0]"),
    ("detection", {"error": "", "detectedGPUArchitecture": "h100"}, "value.detectedGPUArchitecture"),
    ("resolved.moon", {"moon": 1}, "(case)"),
    (
        "containment",
        {"worker": {"volumeNames": {"excludes": ["dshm"]}}},
        "value.worker.volumeNames.excludes[0]",
    ),
    (
        "containment",
        {"worker": {"volumeMounts": {"contains": [MOUNT | {"readOnly": True}]}}},
        "value.worker.volum",
    ),
    (
        "containment",
        {"worker": {"securityContext": {"excludes": ["privileged"]}}},
        "value.worker.securityContext",
    ),
    (
        "containment",
        {"worker": {"securityContext": {"contains": {"privileged": 1}}}},
        "value.worker.securityContext",
    ),
    ("containment", {"worker": {"volumeNames": {"holds": []}}}, "(case)"),
    ("containment", {"moon": {}}, "(case)"),
]


@pytest.mark.parametrize(("covers", "value"), RIGHT)
def test_right(tmp_path: Path, covers: str, value: Any) -> None:
    put_render(tmp_path / "x", {"covers": covers, "value": value})
    assert outcome(tmp_path, Stub(spec=SPEC)) == (0, "1 passed, 0 failed, 0 skipped\n")


@pytest.mark.parametrize(("covers", "value", "path"), WRONG)
def test_wrong(tmp_path: Path, covers: str, value: Any, path: str) -> None:
    put_render(tmp_path / "x", {"covers": covers, "value": value})
    code, text = outcome(tmp_path, Stub(spec=SPEC))
    assert (code, f"  path:     {path}" in text) == (1, True), text


@pytest.mark.parametrize(("covers", "value"), RIGHT)
def test_refused(tmp_path: Path, covers: str, value: Any) -> None:
    put_render(tmp_path / "x", {"covers": covers, "value": value})
    code, text = outcome(tmp_path, Stub(refusal="spec.a is wrong"))
    assert (code, "spec.a is wrong" in text) == (1, True)


def test_a_pod_that_is_not_there_holds_nothing_and_excludes_nothing(tmp_path: Path) -> None:
    put_render(tmp_path / "x", {"covers": "containment", "value": {"launcher": {"volumeNames": {"excludes": ["a"]}}}})
    code, text = outcome(tmp_path, Stub(spec={}))
    assert (code, "expected: a replicated job launcher" in text) == (1, True)


def test_a_wrapped_command_is_read_from_its_exec_line(tmp_path: Path) -> None:
    spec = copy.deepcopy(SPEC)
    words = [*MPIRUN, "-x", "A=1", "-x", 'NCCL=a "b"', "bin"]
    line = "exec " + " ".join('"' + word.replace('"', '\\"') + '"' for word in words)
    wrapped = {"command": ["/bin/bash", "-c"], "args": ["rm -rf /opt/x\nunset Y\n" + line]}
    spec["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"] = wrapped
    mpi_args = {"covers": "framework.mpi.mpiArgs", "value": {"mpiArgs": ["-x", 'NCCL=a "b"']}}
    put_render(tmp_path / "a", mpi_args | {"scriptExecArgv": words})
    assert outcome(tmp_path, Stub(spec=spec))[0] == 0
    put_render(tmp_path / "b", mpi_args | {"scriptExecArgv": words[:-1]})
    assert "path:     scriptExecArgv[13]" in outcome(tmp_path, Stub(spec=spec))[1]


def test_the_platform_blocks_are_read_from_the_product(tmp_path: Path) -> None:
    block = {"when": {"platform": {"equals": "aws"}}, "mpiArgs": ["-v"]}
    value = {"covers": "overrides with mpiArgs, in override order", "value": [block]}
    put_render(tmp_path / "x", value, {"gpusPerNode": 4})
    product = Stub(blocks=[{"when": {}}, block | {"preCommand": ["x"]}])
    assert outcome(tmp_path, product)[0] == 0
    (call,) = product.asked
    assert (call["run"]["spec"]["gpusPerNode"], call["platform"], call["gpu_arch"]) == (4, None, "h100")
