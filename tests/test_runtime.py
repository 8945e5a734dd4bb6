"""The TrainingRuntime, whole for each framework and then field by field: what lands in which pod."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nvcre_render.lower.workflow import worker_resources
from tests.manifests import EXEC, FRAMEWORKS, GPU, MPI, Json, pods, render, replicated, runtime, workload

SCRIPTS = {
    path.stem: path.read_text()
    for path in (Path(__file__).resolve().parent.parent / "fragments" / "scripts").glob("*.sh")
}
KAI, OTHER = "kai-scheduler", "volcano"
QUEUE = {"kai.scheduler/queue": "team"}

ENV = """\
- {name: NCCL_DEBUG, value: INFO}
- {name: NCCL_NVLS_ENABLE, value: "1"}
- {name: NCCL_CUMEM_ENABLE, value: "1"}
- {name: NCCL_NET_GDR_C2C, value: "1"}
- {name: NCCL_NET_GDR_LEVEL, value: PHB}
- {name: NCCL_P2P_NET_CHUNKSIZE, value: "2097152"}
- {name: NCCL_SHM_DISABLE, value: "1"}
- {name: NCCL_MNNVL_ENABLE, value: "0"}
- {name: NCCL_SOCKET_IFNAME, value: eth0}
"""
TORCH_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: run-runtime
  labels: {app: run, trainer.kubeflow.org/framework: torch}
spec:
  mlPolicy:
    numNodes: 2
    torch: {numProcPerNode: 8}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels: {app: run, trainer.kubeflow.org/trainjob-ancestor-step: trainer}
          spec:
            template:
              spec:
                terminationGracePeriodSeconds: 30
                securityContext: {seccompProfile: {type: RuntimeDefault}}
                containers:
                - name: node
                  image: trainer:1
                  env: ENV
                  resources: {limits: {nvidia.com/gpu: "8"}, requests: {nvidia.com/gpu: "8"}}
                  volumeMounts: [{name: dshm, mountPath: /dev/shm}]
                volumes: [{name: dshm, emptyDir: {medium: Memory}}]
"""
MPI_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: run-runtime
  labels: {app: run, trainer.kubeflow.org/framework: mpi}
spec:
  mlPolicy:
    numNodes: 1
    mpi: {mpiImplementation: OpenMPI, numProcPerNode: 8, sshAuthMountPath: /tmp/mpi-ssh-raw}
  template:
    spec:
      network: {publishNotReadyAddresses: true}
      successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
      replicatedJobs:
      - name: node
        template:
          spec:
            template:
              spec:
                restartPolicy: OnFailure
                containers:
                - name: node
                  image: trainer:1
                  env: ENV
                  command: [sh, -c]
                  args: [worker]
                  readinessProbe:
                    initialDelaySeconds: 5
                    periodSeconds: 30
                    timeoutSeconds: 10
                    exec: {command: [sh, -c, probe]}
                  securityContext: {capabilities: {add: [IPC_LOCK, SYS_CHROOT]}}
                  resources: {limits: {nvidia.com/gpu: "8"}, requests: {nvidia.com/gpu: "8"}}
                  volumeMounts:
                  - {name: mpi-ssh-auth, mountPath: /tmp/mpi-ssh-raw, readOnly: true}
                  - {name: dshm, mountPath: /dev/shm}
                volumes: [{name: dshm, emptyDir: {medium: Memory}}]
      - name: launcher
        dependsOn: [{name: node, status: Ready}]
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                restartPolicy: OnFailure
                initContainers:
                - name: fix-ssh-permissions
                  image: trainer:1
                  command: [sh, -c]
                  args: [launcher-init]
                  volumeMounts:
                  - {name: mpi-ssh-auth, mountPath: /tmp/mpi-ssh-raw, readOnly: true}
                  - {name: ssh-keys, mountPath: /root/.ssh}
                containers:
                - name: node
                  image: trainer:1
                  env: ENV
                  resources: {limits: {cpu: "2", memory: 1Gi}}
                  volumeMounts:
                  - {name: mpi-ssh-auth, mountPath: /tmp/mpi-ssh-raw, readOnly: true}
                  - {name: ssh-keys, mountPath: /root/.ssh}
                volumes: [{name: ssh-keys, emptyDir: {}}]
"""


def expected(text: str) -> Any:
    """Return a runtime written above, with the environment and the scripts it names."""

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return yaml.safe_load(ENV) if value == "ENV" else SCRIPTS.get(value, value)

    return filled(yaml.safe_load(text))


def test_torch_and_exec_whole() -> None:
    assert render()["spec"]["dependencies"][0] == expected(TORCH_RUNTIME)
    assert render(EXEC)["spec"]["dependencies"][0] == expected(TORCH_RUNTIME)


def test_mpi_whole() -> None:
    assert render(MPI)["spec"]["dependencies"][0] == expected(MPI_RUNTIME)


# What the user adds


VOLUMES: list[Json] = [{"name": "data", "hostPath": {"path": "/d"}}, {"name": "tmp", "emptyDir": {}}]
MOUNTS = [{"name": "data", "mountPath": "/d"}, {"name": "tmp", "mountPath": "/t", "readOnly": True}]
STAGES: list[Json] = [
    {"name": "one", "image": "a"},
    {"name": "two", "image": "b", "resources": {"limits": {"cpu": "1"}}},
]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_volumes_mounts_and_init_containers_stand_between_the_built_in_ones(framework: str) -> None:
    fields: Json = {"volumes": VOLUMES, "volumeMounts": MOUNTS, "initContainers": STAGES, "config": {}}
    found = pods(render(FRAMEWORKS[framework], **fields))
    dshm = {"name": "dshm", "emptyDir": {"medium": "Memory"}}
    config = {"name": "config-volume", "configMap": {"name": "run-config", "defaultMode": 493}}
    assert found["node"]["volumes"] == [dshm, *VOLUMES, config]
    auth = [{"name": "mpi-ssh-auth", "mountPath": "/tmp/mpi-ssh-raw", "readOnly": True}]  # noqa: S108
    assert workload(found["node"])["volumeMounts"] == [
        *(auth if framework == "mpi" else []),
        {"name": "dshm", "mountPath": "/dev/shm"},  # noqa: S108
        *MOUNTS,
        {"name": "config-volume", "mountPath": "/config"},
    ]
    # as written, but for what Go adds
    assert found["node"]["initContainers"] == [{**STAGES[0], "resources": {}}, STAGES[1]]


def test_the_launcher_gets_none_of_it_but_the_config() -> None:
    plain, config = pods(render(MPI))["launcher"], pods(render(MPI, config={}))["launcher"]
    fields: Json = {
        "volumes": VOLUMES,
        "volumeMounts": MOUNTS,
        "initContainers": STAGES,
        "resources": {"limits": {GPU: "1"}},
    }
    assert pods(render(MPI, **fields))["launcher"] == plain
    assert pods(render(MPI, **fields, config={}))["launcher"] == config
    assert config["volumes"] == [
        {"name": "ssh-keys", "emptyDir": {}},
        {"name": "config-volume", "configMap": {"name": "run-config", "defaultMode": 493}},
    ]
    mount = {"name": "config-volume", "mountPath": "/config", "readOnly": True}
    assert workload(config)["volumeMounts"] == [*workload(plain)["volumeMounts"], mount]
    assert config["initContainers"] == plain["initContainers"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_empty_lists_are_as_good_as_none(framework: str) -> None:
    fields: Json = {"volumes": [], "volumeMounts": [], "initContainers": []}
    assert runtime(render(FRAMEWORKS[framework], **fields)) == runtime(render(FRAMEWORKS[framework]))
    assert "initContainers" not in pods(render(FRAMEWORKS[framework]))["node"]


BOTH = {"limits": {GPU: "8"}, "requests": {GPU: "8"}}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (None, BOTH),
        ({}, BOTH),
        ({"limits": {"memory": "1024Mi"}}, {"limits": {"memory": "1Gi", GPU: "8"}, "requests": {GPU: "8"}}),
        ({"requests": {"cpu": 2}}, {"limits": {GPU: "8"}, "requests": {"cpu": "2", GPU: "8"}}),
        ({"limits": {"rdma/ib": 1}, "requests": {}}, {"limits": {"rdma/ib": "1", GPU: "8"}, "requests": {GPU: "8"}}),
        ({"claims": [{"name": "gpu"}]}, {"claims": [{"name": "gpu"}], **BOTH}),
        # named in either, even as none: the block is used as it is
        ({"limits": {GPU: 4}}, {"limits": {GPU: "4"}}),
        ({"limits": {GPU: 0}}, {"limits": {GPU: "0"}}),
        ({"limits": {GPU: "2"}, "requests": {"cpu": "1"}}, {"limits": {GPU: "2"}, "requests": {"cpu": "1"}}),
        # another vendor's resource is not this one
        (
            {"limits": {"nvidia.com/gpu.shared": 1}},
            {"limits": {"nvidia.com/gpu.shared": "1", GPU: "8"}, "requests": {GPU: "8"}},
        ),
    ],
)
def test_resources_of_the_workers(given: Json | None, written: Json) -> None:
    for framework in FRAMEWORKS.values():
        found = pods(render(framework, resources=given))
        assert workload(found["node"])["resources"] == written
        if "launcher" in found:
            assert workload(found["launcher"])["resources"] == {"limits": {"cpu": "2", "memory": "1Gi"}}


def test_gpus_may_be_named_in_either_map_and_none_may_be_there() -> None:
    for given in ({"requests": {GPU: "4"}}, {"limits": {GPU: "4"}}, {"requests": {GPU: "0"}, "limits": {"cpu": "1"}}):
        spec: Any = {"resources": given}
        assert worker_resources(spec, 8) == given
    for none in (0, -1):
        spec = {"resources": {"limits": {"cpu": "1"}}}
        assert worker_resources(spec, none) == spec["resources"]


@pytest.mark.parametrize(
    ("arch", "fields", "gpus"), [("gb200", {}, 4), ("l40", {}, 8), ("h100", {"gpusPerNode": 3}, 3)]
)
def test_the_gpus_of_a_node_are_the_same_everywhere(arch: str, fields: Json, gpus: int) -> None:
    for name, framework in FRAMEWORKS.items():
        workflow = render(framework, arch, **fields)
        policy = runtime(workflow)["mlPolicy"]["mpi" if name == "mpi" else "torch"]
        assert policy["numProcPerNode"] == gpus
        amount = {GPU: str(gpus)}
        assert workload(pods(workflow)["node"])["resources"] == {"limits": amount, "requests": amount}


def test_the_image_is_that_of_every_container() -> None:
    for framework in FRAMEWORKS.values():
        for pod in pods(render(framework, image="a/b@sha256:c")).values():
            assert {each["image"] for each in pod["containers"] + pod.get("initContainers", [])} == {"a/b@sha256:c"}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_priority_class_is_on_every_pod(framework: str) -> None:
    for pod in pods(render(FRAMEWORKS[framework], priorityClassName="high")).values():
        assert pod["priorityClassName"] == "high"
    for pod in pods(render(FRAMEWORKS[framework])).values():
        assert "priorityClassName" not in pod


# Under a gang scheduler


@pytest.mark.parametrize("scheduler", [KAI, OTHER])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_scheduler_and_queue_are_on_every_job_and_pod(framework: str, scheduler: str) -> None:
    with_gang = render(FRAMEWORKS[framework], gangScheduler={"schedulerName": scheduler, "queue": "team"})
    without = replicated(render(FRAMEWORKS[framework]))
    for name, replica in replicated(with_gang).items():
        own = without[name]["template"].get("metadata", {}).get("labels", {})
        assert replica["template"]["metadata"] == {"labels": {**own, **QUEUE}}
        assert replica["template"]["spec"]["template"]["metadata"] == {"labels": QUEUE}
        assert replica["template"]["spec"]["template"]["spec"]["schedulerName"] == scheduler
    # and nowhere else
    first = with_gang["spec"]["dependencies"][0]
    assert first["metadata"] == render(FRAMEWORKS[framework])["spec"]["dependencies"][0]["metadata"]
    assert "metadata" not in first["spec"]["template"]


def test_without_one_there_is_no_trace_of_it() -> None:
    for framework in FRAMEWORKS.values():
        for replica in replicated(render(framework)).values():
            assert "metadata" not in replica["template"]["spec"]["template"]
            assert "schedulerName" not in replica["template"]["spec"]["template"]["spec"]


def test_a_queue_label_key_of_its_own() -> None:
    scheduler = {"schedulerName": "runai-scheduler", "queue": "a", "queueLabelKey": "runai/queue"}
    for replica in replicated(render(MPI, gangScheduler=scheduler)).values():
        assert replica["template"]["spec"]["template"]["metadata"] == {"labels": {"runai/queue": "a"}}


@pytest.mark.parametrize("key", ["kai.scheduler/queue", "runai/queue"])
def test_under_kai_the_launcher_waits_by_itself(key: str) -> None:
    scheduler = {"schedulerName": KAI, "queue": "team", "queueLabelKey": key}
    launcher = replicated(render(MPI, gangScheduler=scheduler))["launcher"]
    assert "dependsOn" not in launcher
    (init,) = launcher["template"]["spec"]["template"]["spec"]["initContainers"]
    assert init["args"] == [SCRIPTS["launcher-init"] + SCRIPTS["launcher-wait"]]
    assert init["volumeMounts"][2:] == [{"name": "mpi-hostfile", "mountPath": "/etc/mpi", "readOnly": True}]


@pytest.mark.parametrize("name", [OTHER, "runai-scheduler", "Kai-scheduler"])
def test_under_any_other_the_launcher_waits_for_ready_workers(name: str) -> None:
    scheduler = {"schedulerName": name, "queue": "team", "queueLabelKey": "kai.scheduler/queue"}
    launcher = replicated(render(MPI, gangScheduler=scheduler))["launcher"]
    plain = replicated(render(MPI))["launcher"]
    assert launcher["dependsOn"] == [{"name": "node", "status": "Ready"}]
    stages = [each["template"]["spec"]["template"]["spec"]["initContainers"] for each in (launcher, plain)]
    assert stages[0] == stages[1]


def test_kai_changes_nothing_else_and_nothing_at_all_for_torch() -> None:
    def relabelled(name: str, framework: Json) -> str:
        return yaml.safe_dump(runtime(render(framework, gangScheduler={"schedulerName": name}))).replace(name, "S")

    assert relabelled(KAI, EXEC) == relabelled(OTHER, EXEC)
    kai, other = (replicated(render(MPI, gangScheduler={"schedulerName": name}))["node"] for name in (KAI, OTHER))
    assert yaml.safe_dump(kai).replace(KAI, "S") == yaml.safe_dump(other).replace(OTHER, "S")
    for framework in (MPI, EXEC):
        assert (
            "startupPolicy" not in runtime(render(framework, gangScheduler={"schedulerName": KAI}))["template"]["spec"]
        )
