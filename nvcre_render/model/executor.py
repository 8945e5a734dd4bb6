"""KubeflowExecutor, the settings with which NeMo-Run submits a TrainJob, and what a submission needs beside them.

Field names and defaults are NeMo-Run's own ("NeMo-Run KubeflowExecutor"). Defaults stand in the schema as well:
the compiler reads them from there. An empty text leaves a quantity unset, as an absent field does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Required

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from nvcre_render.model.core import (
    Container,
    EnvVar,
    LocalObjectReference,
    ResourceRequirements,
    Volume,
    VolumeMount,
)

CLOSED = ConfigDict(extra="forbid", strict=True)
OPEN = ConfigDict(extra="allow", strict=True)

LABEL_VALUE = r"^$|^[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$"
DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
INT32_MAX = 2**31 - 1


def _default(value: Any, description: str = "", **constraints: Any) -> Any:
    """Return a pydantic field with NeMo-Run's default, which a TypedDict can only carry in its schema."""
    return Field(description=description or None, json_schema_extra={"default": value}, **constraints)


LabelValue = Annotated[str, Field(pattern=LABEL_VALUE)]
Count = Annotated[int, Field(ge=0, le=INT32_MAX)]
Quantity = Annotated[str | float, Field(json_schema_extra={"format": "quantity"})]


@with_config(OPEN)
class Toleration(TypedDict, total=False):
    """A taint the pods put up with."""

    key: str
    operator: str
    value: str
    effect: str


@with_config(OPEN)
class Affinity(TypedDict, total=False):
    """Where the pods want to run, relative to nodes and other pods."""

    nodeAffinity: dict[str, Any]


@with_config(CLOSED)
class Launcher(TypedDict, total=False):
    """What every launcher knows: wrapping the command in the Nsight Systems profiler."""

    _target_: str
    nsys_profile: Annotated[bool, _default(value=False, description="Run the command under nsys.")]
    nsys_folder: Annotated[str, _default("nsys_profile")]
    nsys_filename: Annotated[str, _default("profile_%p")]
    nsys_trace: Annotated[list[str], _default(["nvtx", "cuda"])]
    nsys_extra_args: Annotated[
        list[str],
        _default(
            [
                "--force-overwrite=true",
                "--capture-range=cudaProfilerApi",
                "--capture-range-end=stop",
                "--cuda-graph-trace=node",
                "--cuda-event-trace=false",
            ]
        ),
    ]
    nsys_gpu_metrics: Annotated[bool, _default(value=False, description="Nothing reads it here.")]


@with_config(CLOSED)
class Torchrun(Launcher, total=False):
    """torchrun and its rendezvous."""

    rdzv_backend: Annotated[str | None, _default("c10d")]
    rdzv_port: Annotated[int | None, _default(29500, "Used on several nodes only.")]
    rdzv_id: Annotated[int | str | None, _default(None, "NeMo-Run draws one (drawn_rdzv_id) where none is set.")]


@with_config(CLOSED)
class FaultTolerance(Torchrun, total=False):
    """ft_launcher: torchrun that restarts workers."""

    cfg_path: Annotated[str, _default("", "Nothing reads it here.")]
    finished_flag_file: Annotated[str, _default("", "Nothing reads it here.")]
    job_results_file: Annotated[str, _default("", "Nothing reads it here.")]
    workload_check_interval: Annotated[float | None, _default(None, "Seconds.")]
    initial_rank_heartbeat_timeout: Annotated[float | None, _default(None, "Seconds.")]
    rank_heartbeat_timeout: Annotated[float | None, _default(None, "Seconds.")]
    rank_termination_signal: Annotated[str | None, _default(None)]
    log_level: Annotated[str | None, _default(None)]
    max_restarts: Annotated[int | None, _default(None)]


@with_config(CLOSED)
class Script(TypedDict, total=False):
    """A script to run: a file or a module at `path`, or the text itself in `inline` (which wins)."""

    _target_: str
    path: Annotated[str, _default("")]
    inline: Annotated[str, _default("")]
    args: Annotated[list[str], _default([])]
    entrypoint: Annotated[str, _default("bash", "The program that runs it, such as python.")]
    m: Annotated[bool, _default(value=False, description="Run `path` as a Python module.")]
    env: Annotated[dict[str, str] | None, _default({}, "NeMo-Run does not pass it on to Kubernetes.")]
    metadata: Annotated[dict[str, Any], _default({}, "For NeMo-Run's own records.")]


@with_config(OPEN)
class PodSpecOverrides(TypedDict, total=False):
    """Fields of the node pods' spec; each replaces what the other settings made of the same field."""

    serviceAccountName: str
    nodeSelector: dict[str, str]
    affinity: Affinity
    tolerations: list[Toleration]
    volumes: list[Volume]
    initContainers: list[Container]
    containers: list[Container]
    schedulingGates: list[LocalObjectReference]
    imagePullSecrets: list[LocalObjectReference]
    terminationGracePeriodSeconds: Annotated[int, Field(ge=0)]


@with_config(OPEN)
class ContainerKwargs(TypedDict, total=False):
    """Fields written beside image and command in spec.trainer; each replaces what is there."""

    image: str
    command: list[str]
    args: list[str]
    env: list[EnvVar]
    numNodes: int
    numProcPerNode: int | str
    resourcesPerNode: ResourceRequirements


@with_config(OPEN)
class RuntimeRef(TypedDict, total=False):
    """The runtime a TrainJob builds on."""

    name: Required[str]
    kind: str
    apiGroup: str


@with_config(OPEN)
class TargetJob(TypedDict, total=False):
    """A job of the runtime."""

    name: Required[str]


@with_config(OPEN)
class PodMetadata(TypedDict, total=False):
    """Labels and annotations of pods."""

    labels: dict[str, LabelValue]
    annotations: dict[str, str]


@with_config(OPEN)
class PodTemplateOverride(TypedDict, total=False):
    """Pod-level settings in the words of Trainer 2.1."""

    targetJobs: Required[list[TargetJob]]
    metadata: PodMetadata
    spec: PodSpecOverrides


@with_config(OPEN)
class RuntimePatch(TypedDict, total=False):
    """Pod-level settings in the words of Trainer 2.2 and later."""

    manager: Required[str]
    trainingRuntimeSpec: dict[str, Any]


@with_config(OPEN)
class SpecKwargs(TypedDict, total=False):
    """Fields written into the TrainJob's spec; each replaces what is there."""

    runtimeRef: RuntimeRef
    trainer: ContainerKwargs
    suspend: bool
    managedBy: str
    activeDeadlineSeconds: Annotated[int, Field(ge=1)]
    labels: dict[str, str]
    annotations: dict[str, str]
    podTemplateOverrides: list[PodTemplateOverride]
    podSpecOverrides: list[dict[str, Any]]
    runtimePatches: list[RuntimePatch]


@with_config(CLOSED)
class KubeflowExecutor(TypedDict, total=False):
    """NeMo-Run's KubeflowExecutor, with the inputs of one submission beside it: give `command` or `task`."""

    _target_: Annotated[str, Field(description="NeMo-Run's class name, as its saved configurations carry it.")]

    runtime_ref: Annotated[str, _default("torch-distributed", "Name of the ClusterTrainingRuntime.")]
    namespace: Annotated[str, _default("default", max_length=63, pattern=DNS_LABEL)]
    image: Annotated[str | None, _default("", "Null keeps the runtime's image, an empty text replaces it.")]
    num_nodes: Annotated[Count | None, _default(1)]
    nprocs_per_node: Annotated[int | str | None, _default(None, "Processes per node; unset: gpus_per_node, else 1.")]
    gpus_per_node: Annotated[Count | None, _default(None)]
    cpu_requests: Annotated[Quantity | None, _default(None)]
    memory_requests: Annotated[Quantity | None, _default(None)]
    cpu_limits: Annotated[Quantity | None, _default(None)]
    memory_limits: Annotated[Quantity | None, _default(None)]
    extra_resource_requests: Annotated[dict[str, Quantity], _default({}, "Resource name to amount, merged last.")]
    extra_resource_limits: Annotated[dict[str, Quantity], _default({}, "Resource name to amount, merged last.")]
    env_vars: Annotated[dict[str, str], _default({}, "Name to value; exported by the launch script as well.")]
    env_list: Annotated[list[EnvVar], _default([], "Full entries, after env_vars.")]
    volumes: Annotated[list[Volume] | None, _default([])]
    volume_mounts: Annotated[list[VolumeMount] | None, _default([])]
    image_pull_secrets: Annotated[list[str] | None, _default([], "Names of Secrets.")]
    tolerations: Annotated[list[Toleration] | None, _default([])]
    affinity: Annotated[Affinity | None, _default({})]
    pod_spec_overrides: Annotated[PodSpecOverrides, _default({})]
    pod_labels: Annotated[dict[str, LabelValue] | None, _default({}, "On the node pods.")]
    pod_annotations: Annotated[dict[str, str] | None, _default({}, "On the node pods.")]
    labels: Annotated[dict[str, LabelValue] | None, _default({}, "On the TrainJob.")]
    annotations: Annotated[dict[str, str] | None, _default({}, "On the TrainJob.")]
    container_kwargs: Annotated[ContainerKwargs, _default({})]
    spec_kwargs: Annotated[SpecKwargs, _default({})]
    workdir_pvc: Annotated[str | None, _default(None, "Claim that carries the run's files into the pods.")]
    workdir_pvc_path: Annotated[str, _default("/nemo_run")]
    workdir_local_path: Annotated[str | None, _default(None, "Local folder merged into the run's files.")]
    data_mover_image: Annotated[str, _default("alpine:3.19")]
    train_job_basename: Annotated[str | None, _default(None)]
    restart_policy: Annotated[str, _default("OnFailure", "Nothing reads it.")]
    launcher: Annotated[str | Launcher | Torchrun | FaultTolerance | None, _default(None, "torchrun, ft, or settings.")]
    packager: Annotated[dict[str, Any] | None, _default(None, "Nothing reads it here.")]
    retries: Annotated[int, _default(0, "Nothing reads it.")]
    experiment_id: Annotated[str | None, _default(None)]
    job_dir: Annotated[str, _default("", "Local folder of the run.")]

    job_name: Annotated[str, Field(description="Name of the task in its experiment.")]
    name_suffix: Annotated[
        str, _default("000000", "NeMo-Run draws six hexadecimal digits.", pattern=r"^[a-z0-9]{1,6}$")
    ]
    command: Annotated[list[str], Field(description="A ready command, taken as it is.", min_length=1)]
    task: Annotated[Script, Field(description="A script the command is composed of.")]
    user: Annotated[str, _default("user", "Login name of whoever submits.")]
    drawn_rdzv_id: Annotated[int, _default(1, "NeMo-Run draws 1 to 10000.", ge=1, le=10000)]
    trainer_release: Annotated[
        Literal["2.0", "2.1", "2.2", "2.3"], _default("2.1", "Kubeflow Trainer release in the cluster.")
    ]
