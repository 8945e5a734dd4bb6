"""A WorkloadRun and its facts to the Workflow that NVCRE's controller creates, overrides still listed.

What can be read off the user's document or the tables is data (fragments/workflow.yaml, fragments/runtime/);
this module gives those fragments their parameters.
"""

from __future__ import annotations

from nvcre_render import duration, fragments
from nvcre_render.fragments import ABSENT, Parameters
from nvcre_render.lower import blocks, environment, labels, trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.facts import Facts
    from nvcre_render.fragments import Library
    from nvcre_render.model.workflow import Workflow
    from nvcre_render.model.workloadrun import WorkloadRun, WorkloadRunSpec

GPU = "nvidia.com/gpu"
DEFAULT_TIMEOUT = "24h0m0s"
_TEMPLATES = {"torch": "runtime/torch.yaml", "exec": "runtime/torch.yaml", "mpi": "runtime/mpi.yaml"}


def lower(run: WorkloadRun, facts: Facts, library: Library | None = None) -> Workflow:
    """Return the Workflow of a checked run; with a platform known, its arguments are part of the command.

    `library` holds the platform blocks; None stands for the package's own.
    """
    spec = run["spec"]
    parameters = hardware_parameters(run, facts)
    parameters.library = library
    user_env = spec.get("env", [])
    listed = blocks.platform_blocks(parameters, user_env)
    matching = blocks.matching(listed, facts)
    parameters["env"] = environment.merge(parameters["env.base"], user_env)
    line = trainer.command_line(spec["framework"], facts, parameters["env"], blocks.mpi_args(matching))
    parameters["command"], arguments = trainer.wrap(blocks.pre_command(matching), line)
    parameters["args"] = arguments or ABSENT
    parameters.update(_scheduling(spec))
    parameters.update(_pods(run, facts))
    parameters["runtime"] = fragments.fill(fragments.load(_TEMPLATES[facts.framework]), parameters)
    parameters.update(_orchestration(spec))
    parameters.update(_job(spec))
    overrides = [blocks.as_override(block) for block in listed] + list(spec.get("overrides", []))
    parameters["overrides"] = overrides or ABSENT
    workflow: Workflow = fragments.fill(fragments.load("workflow.yaml"), parameters)
    return workflow


def platform_blocks(run: WorkloadRun, facts: Facts) -> list[blocks.Block]:
    """Return the filled platform blocks of a run in override order, with the keys that are never printed."""
    return blocks.platform_blocks(hardware_parameters(run, facts), run["spec"].get("env", []))


def hardware_parameters(run: WorkloadRun, facts: Facts) -> Parameters:
    """Return the parameters that platform blocks may use."""
    return Parameters(
        name=run["metadata"]["name"],
        namespace=run["metadata"].get("namespace") or ABSENT,
        framework=facts.framework,
        platform=facts.platform or ABSENT,
        gpuArchitecture=facts.gpu_architecture,
        nodesPerJob=facts.nodes_per_job,
        gpusPerNode=facts.gpus_per_node,
        mlnxPerNode=facts.mlnx_per_node,
        mlnxQuantity=str(facts.mlnx_per_node),
        nicResourceName=facts.nic_resource_name or ABSENT,
        mnnvl="1" if facts.enable_mnnvl else "0",
    )


def _pods(run: WorkloadRun, facts: Facts) -> dict[str, Any]:
    spec = run["spec"]
    config = spec.get("config")
    reference = {} if config is None else config.get("configMapRef", {})
    name = reference.get("name") or f"{run['metadata']['name']}-config"
    return {
        "image": spec["image"],
        "resources": worker_resources(spec, facts.gpus_per_node),
        "volumes": spec.get("volumes", ABSENT),
        "volumeMounts": spec.get("volumeMounts", ABSENT),
        "initContainers": spec.get("initContainers") or ABSENT,
        "configMapName": ABSENT if config is None else name,
        "configFiles": ABSENT if config is None else config.get("inline") or ABSENT,
    }


def worker_resources(spec: WorkloadRunSpec, gpus: int) -> dict[str, Any]:
    """Return the worker's resources: spec.resources, with the GPU count unless it names GPUs itself."""
    given: dict[str, Any] = dict(spec.get("resources", {}))
    limits, requests = given.get("limits", {}), given.get("requests", {})
    if gpus <= 0 or GPU in limits or GPU in requests:
        return given
    return {**given, "limits": {**limits, GPU: str(gpus)}, "requests": {**requests, GPU: str(gpus)}}


def _scheduling(spec: WorkloadRunSpec) -> dict[str, Any]:
    scheduler = labels.gang(spec)
    return {
        "schedulerName": scheduler.scheduler_name if scheduler else ABSENT,
        "queue": scheduler.queue if scheduler else ABSENT,
        "queueLabelKey": scheduler.queue_label_key if scheduler else ABSENT,
        "kai": scheduler is not None and scheduler.is_kai,
        "priorityClassName": spec.get("priorityClassName") or ABSENT,
        "workloadLabels": labels.workload_labels(spec) or ABSENT,
    }


def _orchestration(spec: WorkloadRunSpec) -> dict[str, Any]:
    given = spec.get("orchestration", {})
    return {
        "target": spec.get("target", ABSENT),
        "testScale": given.get("testScale", ABSENT),
        "placement": given.get("placement") or ABSENT,
        "maxConcurrent": given.get("maxConcurrent") or ABSENT,
        "timeoutPerJob": job_timeout(given.get("timeoutPerJob")),
        "iterations": given.get("repeatCount", 1),
    }


def job_timeout(given: str | None) -> str:
    """Return the time limit of a job in Go's form; 24 hours when there is none or it cannot be read."""
    if not given:
        return DEFAULT_TIMEOUT
    try:
        return duration.canonical(given)
    except duration.InvalidDurationError:
        return DEFAULT_TIMEOUT


def _job(spec: WorkloadRunSpec) -> dict[str, Any]:
    checkpoint = spec.get("checkpoint", {})
    secrets = spec.get("imagePullSecrets") or ABSENT
    return {
        "imagePullSecrets": secrets,
        "patched": secrets is not ABSENT or "mpi" in spec["framework"],
        "storageSize": checkpoint.get("storageSize", ABSENT),
        "storageClassName": checkpoint.get("storageClassName") or ABSENT,
        "maxRestarts": checkpoint.get("maxRestarts", 0),
        "goodputMeasurement": spec.get("goodputMeasurement", ABSENT),
        "bandwidthMeasurement": spec.get("bandwidthMeasurement", ABSENT),
        "thresholds": spec.get("thresholds") or ABSENT,
    }
