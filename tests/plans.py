"""Small fleets and resolved Workflows for tests of the plan, as the API and kubectl print them."""

from __future__ import annotations

from typing import Any

from nvcre_render.planning import planner
from nvcre_render.planning.node import Node, read
from nvcre_render.planning.result import Plan

Json = dict[str, Any]

GPU = "nvidia.com/gpu"
PRESENT = "nvidia.com/gpu.present"
PRODUCT = "nvidia.com/gpu.product"
H100 = "NVIDIA-H100-80GB-HBM3"
RACK = "example.com/rack"
CONTROLLER = "nvcre.nvidia.com/controller"


def node(
    name: str,
    *,
    product: str | None = H100,
    gpus: object = "8",
    spec: Json | None = None,
    present: str = "true",
    **labels: str,
) -> Json:
    """Return a v1 Node with GPUs on premises; `rack` among the labels stands for the label RACK.

    `product` and `present` are the labels of the GPU operator; an empty label is left out.
    """
    if "rack" in labels:
        labels[RACK] = labels.pop("rack")
    given = {PRESENT: present, **({} if product is None else {PRODUCT: product}), **labels}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {key: value for key, value in given.items() if value}},
        "spec": spec or {},
        "status": {"allocatable": {} if gpus is None else {GPU: gpus}},
    }


def fleet(*names: str) -> list[Json]:
    """Return equal nodes of these names."""
    return [node(name) for name in names]


def racked(**racks: str) -> list[Json]:
    """Return nodes by rack: `racked(a="a1 a2", b="b1")`."""
    return [node(name, rack=rack) for rack, names in racks.items() for name in names.split()]


def seen(name: str, **fields: Any) -> Node:
    """Return a node as a plan sees it."""
    return read(node(name, **fields))


def runtime(name: str = "run-runtime", *, gpus: object = "8", **metadata: Any) -> Json:
    """Return a TrainingRuntime with one worker pod that asks for GPUs."""
    container = {"name": "node", "image": "trainer:1", "resources": {"limits": {GPU: gpus}}}
    pod = {"spec": {"containers": [container]}}
    jobs = [{"name": "node", "template": {"spec": {"template": pod}}}]
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": name, **metadata},
        "spec": {"template": {"spec": {"replicatedJobs": jobs}}},
    }


def config(name: str = "run-config", **data: str) -> Json:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def launched() -> list[Json]:
    """Return the runtimePatches of an mpi run: a worker and a launcher, nothing in them."""
    jobs = [{"name": "node"}, {"name": "launcher"}]
    return [{"manager": CONTROLLER, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}]


def workflow(
    size: int | None = 2,
    *,
    name: str = "run",
    dependencies: list[Json] | None = None,
    patches: list[Json] | None = None,
    job: Json | None = None,
    spec: Json | None = None,
    **orchestration: Any,
) -> Json:
    """Return a resolved Workflow; `job` adds to its job spec, `spec` to the spec, the rest is its orchestration."""
    trainer: Json = {"image": "trainer:1", "command": ["torchrun"]}
    if size is not None:
        trainer["numNodes"] = size
    train_job: Json = {"runtimeRef": {"kind": "TrainingRuntime", "name": "run-runtime"}, "trainer": trainer}
    if patches:
        train_job["runtimePatches"] = patches
    return {
        "apiVersion": "nvcre.nvidia.com/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {
            "jobTemplate": {"spec": {"workload": {"trainJob": train_job}, **(job or {})}},
            "orchestration": {"execution": {}, **orchestration},
            "dependencies": [runtime()] if dependencies is None else dependencies,
            **(spec or {}),
        },
    }


def planned(size: int | None = 2, nodes: list[Json] | None = None, **fields: Any) -> Plan:
    """Return the plan of a Workflow on nodes, four equal ones by default."""
    return planner.plan(workflow(size, **fields), fleet("a", "b", "c", "d") if nodes is None else nodes)


def pods(train_job: Json, manager: str = CONTROLLER) -> dict[str, Any]:
    """Return the pod templates that a manager's patch of a TrainJob spec holds, by replicated job."""
    (patch,) = [each for each in train_job["runtimePatches"] if each["manager"] == manager]
    jobs = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    return {job["name"]: job.get("template", {}).get("spec", {}).get("template", {}) for job in jobs}


def expressions(pod: Json) -> list[Json]:
    """Return the match expressions that the node affinity of a pod template requires."""
    required = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    found: list[Json] = term["matchExpressions"]
    return found
