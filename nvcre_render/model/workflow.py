"""Workflow, the document a render emits and NVCRE's controller acts on (nvcre.nvidia.com/v1alpha1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Required

from pydantic import Field, with_config
from typing_extensions import TypedDict

from nvcre_render.model.core import EnvVar, ObjectMeta, ResourceRequirements
from nvcre_render.model.workloadrun import (
    CLOSED,
    POINTER,
    BandwidthMeasurement,
    Dependency,
    Diagnose,
    Duration,
    Execution,
    GangScheduler,
    GoodputMeasurement,
    Override,
    Target,
    WorkloadMetadata,
)

Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1, json_schema_extra=POINTER)]


@with_config(CLOSED)
class RuntimeRef(TypedDict, total=False):
    """The runtime a TrainJob uses; kind defaults to ClusterTrainingRuntime."""

    name: Required[str]
    apiGroup: Annotated[str, Field(json_schema_extra=POINTER)]
    kind: Annotated[str, Field(json_schema_extra=POINTER)]


@with_config(CLOSED)
class Trainer(TypedDict, total=False):
    """The training process: what runs on how many nodes."""

    image: Annotated[str, Field(json_schema_extra=POINTER)]
    command: list[str]
    args: list[str]
    env: list[EnvVar]
    numNodes: Int32
    resourcesPerNode: ResourceRequirements
    numProcPerNode: Int32


@with_config(CLOSED)
class TrainJobSpec(TypedDict, total=False):
    """Kubeflow Trainer's TrainJob spec (Trainer 2.2 and later)."""

    runtimeRef: RuntimeRef
    initializer: dict[str, Any]
    trainer: Trainer
    runtimePatches: list[dict[str, Any]]
    suspend: Annotated[bool, Field(json_schema_extra=POINTER)]
    activeDeadlineSeconds: Annotated[int, Field(json_schema_extra=POINTER)]
    managedBy: Annotated[str, Field(json_schema_extra=POINTER)]


@with_config(CLOSED)
class Workload(TypedDict, total=False):
    """What a Job runs."""

    trainJob: Required[TrainJobSpec]


@with_config(CLOSED)
class NodeHealthCel(TypedDict, total=False):
    """A CEL condition over `node`; true means unhealthy."""

    expression: Required[Annotated[str, Field(min_length=1, max_length=2048)]]


@with_config(CLOSED)
class NodeHealthMonitor(TypedDict, total=False):
    """When a node counts as failed."""

    cel: NodeHealthCel


@with_config(CLOSED)
class JobCheckpoint(TypedDict, total=False):
    """The claim a Job restarts from."""

    pvcName: Required[Annotated[str, Field(min_length=1)]]
    maxRestarts: Annotated[int, Field(ge=0, json_schema_extra={"x-go-default": 0})]


@with_config(CLOSED)
class JobSpec(TypedDict, total=False):
    """One NVCRE Job."""

    workload: Required[Workload]
    workloadMetadata: WorkloadMetadata
    nodeHealthMonitor: NodeHealthMonitor
    checkpoint: JobCheckpoint
    stallMultiplier: Annotated[int, Field(ge=1, json_schema_extra=POINTER)]
    startupStallTimeoutSeconds: Annotated[int, Field(ge=1, json_schema_extra=POINTER)]
    schedulingStallGraceSeconds: Annotated[int, Field(ge=1, json_schema_extra=POINTER)]
    goodputMeasurement: GoodputMeasurement
    bandwidthMeasurement: BandwidthMeasurement
    thresholds: dict[str, str]
    measurementTimeout: Duration


@with_config(CLOSED)
class JobTemplate(TypedDict, total=False):
    """The template of every Job of a Workflow."""

    metadata: ObjectMeta
    spec: Required[JobSpec]


@with_config(CLOSED)
class WorkflowTopology(TypedDict, total=False):
    """As an override's topology, but the key may still be empty: a platform block fills it."""

    topologyKey: Required[Annotated[str, Field(json_schema_extra={"x-go-default": ""})]]
    strictDomain: bool


@with_config(CLOSED)
class WorkflowOrchestration(TypedDict, total=False):
    """How nodes become Jobs."""

    target: Target
    topology: WorkflowTopology
    placement: Literal["Pinned", "Unpinned", ""]
    diagnose: Diagnose
    execution: Annotated[Execution, Field(json_schema_extra={"x-go-default": {}})]
    iterations: Annotated[int, Field(ge=1)]


@with_config(CLOSED)
class Tracking(TypedDict, total=False):
    """Which results are kept apart."""

    perNode: bool
    perDomain: bool


@with_config(CLOSED)
class PerformanceThresholds(TypedDict, total=False):
    """Metric name to CEL condition."""

    thresholds: dict[str, str]


@with_config(CLOSED)
class PerformanceValidation(TypedDict, total=False):
    """Checks of the measured performance."""

    enabled: Annotated[bool, Field(json_schema_extra={"x-go-default": False})]
    plugin: str
    config: Any
    tracking: Annotated[Tracking, Field(json_schema_extra={"x-go-default": {}})]
    thresholds: PerformanceThresholds
    measurementTimeout: Duration


@with_config(CLOSED)
class Validation(TypedDict, total=False):
    """What a finished Workflow is held to."""

    performance: PerformanceValidation


@with_config(CLOSED)
class WorkflowSpec(TypedDict, total=False):
    """Job template, orchestration, the objects created beside it, and the overrides still to apply."""

    namespace: str
    jobTemplate: Required[JobTemplate]
    orchestration: Required[WorkflowOrchestration]
    dependencies: list[Dependency]
    overrides: list[Override]
    validation: Validation
    gangScheduler: GangScheduler


@with_config(CLOSED)
class Workflow(TypedDict, total=False):
    """A Workflow of NVCRE."""

    kind: Required[Literal["Workflow"]]
    apiVersion: Required[Literal["nvcre.nvidia.com/v1alpha1"]]
    metadata: Required[ObjectMeta]
    spec: Required[WorkflowSpec]
    status: Any
