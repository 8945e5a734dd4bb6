"""WorkloadRun, the document users write (nvcre.nvidia.com/v1alpha1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Required

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from nvcre_render.model.core import (
    Container,
    EnvVar,
    LocalObjectReference,
    NodeSelectorRequirement,
    ObjectMeta,
    ResourceRequirements,
    Volume,
    VolumeMount,
)

CLOSED = ConfigDict(extra="forbid", strict=True)
POINTER = {"x-go-pointer": True}  # an explicit zero is a value of its own, not an absent field

DNS_SUBDOMAIN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL_VALUE = r"^$|^[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$"
QUALIFIED_NAME = (
    r"^$|^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$"
)
RESOURCE_NAME = (
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/"
    r"[a-zA-Z0-9]([-A-Za-z0-9_.]{0,61}[a-zA-Z0-9])?$"
)
STORAGE_SIZE = r"^([0-9]+(\.[0-9]+)?)(Ki|Mi|Gi|Ti|Pi|Ei)?$"

NonEmpty = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1, le=2**31 - 1, json_schema_extra=POINTER)]
Duration = Annotated[str, Field(json_schema_extra={"format": "duration"})]


@with_config(CLOSED)
class TaintSelector(TypedDict, total=False):
    """A taint a node must carry; empty value or effect matches any."""

    key: Required[NonEmpty]
    value: str
    effect: str


@with_config(CLOSED)
class Target(TypedDict, total=False):
    """Which nodes are eligible; every given condition must hold. Absent: all GPU nodes."""

    nodeSelector: Annotated[
        dict[str, str],
        Field(description="Labels a node must have. nvidia.com/gpu.product here also tells the GPU architecture."),
    ]
    matchExpressions: list[NodeSelectorRequirement]
    nodeNames: list[str]
    taintSelectors: list[TaintSelector]


@with_config(CLOSED)
class Torch(TypedDict, total=False):
    """torchrun with a script or a module; exactly one of the two."""

    script: NonEmpty
    module: NonEmpty
    args: list[str]


@with_config(CLOSED)
class Mpi(TypedDict, total=False):
    """mpirun from a launcher pod, ranks on the worker pods over SSH."""

    binary: Required[NonEmpty]
    mpirunPath: Required[NonEmpty]
    args: list[str]
    mpiArgs: Annotated[
        list[str], Field(description="Arguments of mpirun itself; they follow the platform's, so they win.")
    ]
    mpiImplementation: Annotated[str, Field(description="Nothing reads it; the runtime is always OpenMPI.")]


@with_config(CLOSED)
class Exec(TypedDict, total=False):
    """Any command, on every node."""

    command: Required[Annotated[list[str], Field(min_length=1)]]
    args: list[str]


@with_config(CLOSED)
class Framework(TypedDict, total=False):
    """How the workload starts: exactly one of torch, mpi and exec."""

    torch: Torch
    mpi: Mpi
    exec: Exec


@with_config(CLOSED)
class Config(TypedDict, total=False):
    """Files mounted at /config with mode 0755: written inline, or an existing ConfigMap; not both."""

    inline: Annotated[dict[str, str], Field(description="File name to content; a ConfigMap is generated.")]
    configMapRef: LocalObjectReference


@with_config(CLOSED)
class Checkpoint(TypedDict, total=False):
    """A claim for checkpoints, and how often a failed job starts again from it."""

    storageSize: Required[Annotated[str, Field(pattern=STORAGE_SIZE)]]
    storageClassName: str
    maxRestarts: Annotated[int, Field(ge=0, le=2**31 - 1)]


@with_config(CLOSED)
class Orchestration(TypedDict, total=False):
    """How the eligible nodes become jobs."""

    testScale: Annotated[
        Literal["intra-node", "intra-rack", "full-scale", ""],
        Field(description="intra-node: one node a job; intra-rack: one job a rack; full-scale: numNodes a job."),
    ]
    placement: Annotated[
        Literal["Pinned", "Unpinned", ""],
        Field(description="Pinned: jobs are bound to their nodes. Unpinned: one job, placed by the scheduler."),
    ]
    repeatCount: Count
    maxConcurrent: Annotated[int, Field(ge=0, le=2**31 - 1, description="Jobs at once; 0 is unlimited.")]
    timeoutPerJob: Annotated[str, Field(description="Go duration such as 90m; 24h when absent or unreadable.")]


@with_config(CLOSED)
class GoodputMeasurement(TypedDict, total=False):
    """Goodput read from the logs by a LogProfile."""

    logProfileRef: Required[NonEmpty]
    sampleInterval: Duration


@with_config(CLOSED)
class BandwidthMeasurement(TypedDict, total=False):
    """Bandwidth read from the logs by a LogProfile."""

    logProfileRef: Required[NonEmpty]
    sampleInterval: Duration
    testType: Annotated[str, Field(description="Free text such as all_reduce; a metric label.")]


# `in` is a Python keyword, so this type cannot be written as a class.
StringMatch = TypedDict("StringMatch", {"equals": str, "in": list[str], "notIn": list[str]}, total=False)
StringMatch.__doc__ = "All given operators must hold; empty ones count as not given."
with_config(CLOSED)(StringMatch)

Number = Annotated[int, Field(json_schema_extra=POINTER)]


@with_config(CLOSED)
class IntMatch(TypedDict, total=False):
    """All given comparisons must hold; greaterThan and lessThan are strict."""

    equals: Number
    greaterThan: Number
    lessThan: Number


@with_config(CLOSED)
class TopologyMatch(TypedDict, total=False):
    """The topology mode (simple or topology) and the number of domains."""

    mode: str
    domainCount: IntMatch


@with_config(CLOSED)
class When(TypedDict, total=False):
    """When an override applies: every given selector must hold; {} always holds."""

    gpuArchitecture: StringMatch
    platform: StringMatch
    workloadKind: str
    topology: TopologyMatch
    config: Annotated[Any, Field(json_schema_extra=POINTER)]
    expression: Annotated[
        str, Field(description="CEL over platform, gpuArchitecture, workloadKind, topologyMode, domainCount.")
    ]


@with_config(ConfigDict(extra="allow", strict=True))
class Dependency(TypedDict, total=False):
    """A whole Kubernetes object, merged into the generated one of the same kind and name, else added."""

    apiVersion: Required[str]
    kind: Required[str]
    metadata: dict[str, Any]
    when: When


@with_config(CLOSED)
class Topology(TypedDict, total=False):
    """The node label whose values are the domains that groups should not cross."""

    topologyKey: Required[NonEmpty]
    strictDomain: bool


@with_config(CLOSED)
class Diagnose(TypedDict, total=False):
    """Bisection of failing groups."""

    minGroupSize: Annotated[int, Field(ge=1)]
    topologyKey: str


@with_config(CLOSED)
class Execution(TypedDict, total=False):
    """Concurrency, time limit and retries of the jobs."""

    maxConcurrent: Annotated[int, Field(ge=0, le=2**31 - 1)]
    timeoutPerJob: Duration
    retryFailedGroups: Annotated[int, Field(ge=0, le=2**31 - 1)]


@with_config(CLOSED)
class OrchestrationOverride(TypedDict, total=False):
    """Each given block replaces the Workflow's block as a whole."""

    target: Target
    topology: Topology
    placement: Literal["Pinned", "Unpinned", ""]
    diagnose: Diagnose
    execution: Execution
    iterations: Annotated[int, Field(ge=1, json_schema_extra=POINTER)]


@with_config(CLOSED)
class Override(TypedDict, total=False):
    """A change that applies where `when` holds; later overrides win."""

    when: Required[Annotated[When, Field(json_schema_extra={"x-go-default": {}})]]
    jobTemplate: Annotated[
        Any, Field(json_schema_extra=POINTER, description="Strategic merge patch on the Workflow's jobTemplate.")
    ]
    jobTemplatePatch: Annotated[
        Any, Field(json_schema_extra=POINTER, description="JSON Patch (RFC 6902) on the Workflow's jobTemplate.")
    ]
    dependencies: list[Dependency]
    orchestration: OrchestrationOverride


@with_config(CLOSED)
class GangScheduler(TypedDict, total=False):
    """A scheduler that starts all pods of a job together."""

    schedulerName: Required[NonEmpty]
    queue: Annotated[str, Field(max_length=63, pattern=LABEL_VALUE, description="Default: default-queue.")]
    queueLabelKey: Annotated[
        str, Field(max_length=317, pattern=QUALIFIED_NAME, description="Default: kai.scheduler/queue.")
    ]


LabelValue = Annotated[str, Field(max_length=63, pattern=LABEL_VALUE)]


@with_config(CLOSED)
class WorkloadMetadata(TypedDict, total=False):
    """Labels for the workload object (the TrainJob), never for pods."""

    labels: Annotated[dict[str, LabelValue], Field(max_length=32)]


@with_config(CLOSED)
class WorkloadRunSpec(TypedDict, total=False):
    """What to run, on how many nodes, and how."""

    image: Required[NonEmpty]
    framework: Required[Framework]
    numNodes: Required[Annotated[Count, Field(description="Nodes of one job group, not of the whole run.")]]
    target: Target
    config: Config
    gpusPerNode: Count
    mlnxPerNode: Annotated[
        int, Field(ge=0, le=2**31 - 1, json_schema_extra=POINTER, description="NICs; 0 requests none.")
    ]
    nicResourceName: Annotated[str, Field(max_length=253, pattern=RESOURCE_NAME, json_schema_extra=POINTER)]
    enableMNNVL: Annotated[bool, Field(json_schema_extra=POINTER, description="Default: true on gb200 and gb300.")]
    imagePullSecrets: list[LocalObjectReference]
    env: Annotated[
        list[EnvVar],
        Field(description="For the workload containers of every framework; wins over platform values."),
    ]
    volumes: list[Volume]
    volumeMounts: list[VolumeMount]
    initContainers: list[Container]
    resources: ResourceRequirements
    priorityClassName: Annotated[str, Field(max_length=253, pattern=DNS_SUBDOMAIN)]
    checkpoint: Checkpoint
    orchestration: Orchestration
    thresholds: Annotated[
        dict[str, str], Field(description="Metric to CEL condition over `value`, such as value >= 900.")
    ]
    goodputMeasurement: GoodputMeasurement
    bandwidthMeasurement: BandwidthMeasurement
    overrides: list[Override]
    gangScheduler: GangScheduler
    workloadMetadata: WorkloadMetadata


@with_config(CLOSED)
class WorkloadRun(TypedDict, total=False):
    """Run a distributed GPU workload on Kubernetes."""

    apiVersion: Required[Literal["nvcre.nvidia.com/v1alpha1"]]
    kind: Required[Literal["WorkloadRun"]]
    metadata: Required[ObjectMeta]
    spec: Required[WorkloadRunSpec]
    status: Annotated[Any, Field(description="Written by the cluster; ignored.")]
