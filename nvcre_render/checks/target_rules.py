"""Rules about what a manifest is rendered for: platform and GPU architecture (NR3xx)."""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, NOTE, WARNING, Rule

UNKNOWN_PLATFORM = Rule(
    code="NR301",
    name="unknown-platform",
    severity=ERROR,
    summary="The platform asked for is not one NVCRE knows.",
    why="A misspelt platform would match no platform block and render a manifest for no cluster.",
    remedy="give a platform of the list",
)
UNKNOWN_ARCHITECTURE = Rule(
    code="NR302",
    name="unknown-gpu-architecture",
    severity=ERROR,
    summary="The GPU architecture asked for is not in the hardware table.",
    why="Counts per node, NVLink settings and platform blocks all depend on it.",
    remedy="give an architecture of the list, or a product name such as NVIDIA-GB200",
)
NO_ARCHITECTURE = Rule(
    code="NR303",
    name="no-gpu-architecture",
    severity=ERROR,
    summary="Neither the call nor the manifest tells the GPU architecture.",
    why="Without a cluster it cannot be detected, and GPU counts depend on it.",
    remedy="add --gpu-arch ARCH, or set spec.target.nodeSelector with nvidia.com/gpu.product: NVIDIA-...",
    bad=run().replace("spec:", "spec:  # error").replace("nvidia.com/gpu.product: NVIDIA-H200", "zone: a"),
    good=run(),
)
UNLISTED_ARCHITECTURE = Rule(
    code="NR304",
    name="unlisted-gpu-architecture",
    severity=WARNING,
    summary="The product label names an architecture outside the hardware table.",
    why="The run is sized on the fallback, which may leave GPUs idle.",
    remedy="set spec.gpusPerNode and spec.mlnxPerNode, and file an issue so that the architecture is added",
    bad=run().replace("NVIDIA-H200}}", "NVIDIA-T4}}  # warning"),
    good=run().replace("NVIDIA-H200", "NVIDIA-L40S"),
)
NOT_TRIED = Rule(
    code="NR305",
    name="target-not-tried",
    severity=NOTE,
    summary="validate was given a platform, but no GPU architecture is known.",
    why="Platform blocks depend on both, so what the platform would get was not looked at.",
    remedy="add --gpu-arch ARCH, or set spec.target.nodeSelector with nvidia.com/gpu.product: NVIDIA-...",
)
UNRESOLVABLE = Rule(
    code="NR306",
    name="resolved-without-platform",
    severity=ERROR,
    summary="Resolved overrides were asked for, but no platform is given.",
    why="Which overrides apply depends on the platform.",
    remedy="add --platform P, or leave the overrides listed",
)
NIC_DETECTION = Rule(
    code="NR307",
    name="detected-nic-resource",
    severity=NOTE,
    summary="The NIC resource was looked for among what the nodes offer.",
    why="NVCRE requests the one resource that every node offers in the needed count, and none when several would do.",
    remedy="set spec.nicResourceName to decide it yourself",
)
OTHER_ARCHITECTURE = Rule(
    code="NR308",
    name="contradicting-architecture",
    severity=WARNING,
    summary="The architecture asked for is not the one the manifest's node selector names.",
    why="The run is sized for one kind of node and bound to another.",
    remedy="leave out --gpu-arch, or change nvidia.com/gpu.product in spec.target.nodeSelector",
)
OTHER_TARGET = Rule(
    code="NR309",
    name="workflow-of-another-target",
    severity=WARNING,
    summary="A Workflow that was rendered for one target is rendered for another.",
    why="What its own target decided is part of it already; only the overrides still listed can change.",
    remedy="render the WorkloadRun it was made of",
)
