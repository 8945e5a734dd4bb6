"""What is known about the run before anything is built: framework, GPU architecture, platform and counts.

(NVCRE guide, hardware defaults.) The tables are data: fragments/hardware.yaml and fragments/platforms.yaml.
"""

from __future__ import annotations

from nvcre_render import fragments
from nvcre_render.checks import target_rules as rules
from nvcre_render.diagnostics import Diagnostic, Rule
from nvcre_render.framework import framework
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.framework import Framework
    from nvcre_render.model.workloadrun import Target, WorkloadRun, WorkloadRunSpec

PRODUCT_LABEL = "nvidia.com/gpu.product"
UNKNOWN = "unknown"
PRODUCT_PATH = ("spec", "target", "nodeSelector", PRODUCT_LABEL)


class Facts(Record):
    """Everything fragments may know about a run; counts are per node, `platform` is None when not given."""

    framework: Framework
    gpu_architecture: str
    platform: str | None
    gpus_per_node: int
    mlnx_per_node: int
    nic_resource_name: str | None
    enable_mnnvl: bool
    nodes_per_job: int


def platforms() -> tuple[str, ...]:
    """Return the package's platform names in the order in which help and messages list them."""
    return fragments.package().platforms


def architectures() -> tuple[str, ...]:
    """Return the known GPU architectures, sorted."""
    return tuple(sorted(fragments.load("hardware.yaml")["architectures"]))


def parse_architecture(product: str) -> str:
    """Return the architecture of a product label or --gpu-arch value; empty when there is none in it.

    >>> parse_architecture("NVIDIA-GB200-NVL72"), parse_architecture("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition")
    ('gb200', 'rtxpro6000')
    """
    name = product.removeprefix("NVIDIA-").removeprefix("NVIDIA ")
    if name.upper().replace(" ", "-").startswith("RTX-PRO-6000"):
        return "rtxpro6000"
    first = name.replace(" ", "-").partition("-")[0]
    return (first or name).lower()


def check_target(platform: str | None, gpu_arch: str | None, library: Library) -> list[Diagnostic]:
    """Return a finding for each of the two that is given and unknown."""
    findings = []
    if platform and platform not in library.platforms:
        findings.append(_refused(rules.UNKNOWN_PLATFORM, "--platform", platform, library.platforms))
    if gpu_arch and parse_architecture(gpu_arch) not in architectures():
        findings.append(_refused(rules.UNKNOWN_ARCHITECTURE, "--gpu-arch", gpu_arch, architectures()))
    return findings


def _refused(rule: Rule, option: str, value: str, known: tuple[str, ...]) -> Diagnostic:
    from nvcre_render.checks.spelling import suggestion

    near = suggestion(value, known)
    hint = f'; did you mean "{near}"?' if near else ""
    message = f'invalid {option} "{value}": must be one of {", ".join(known)}'
    return Diagnostic(rule=rule, message=message, remedy=rule.remedy + hint)


def resolve(
    run: WorkloadRun, document: Document, platform: str | None, gpu_arch: str | None
) -> tuple[Facts | None, list[Diagnostic]]:
    """Return the facts of a run for a target, None when no architecture is known; and what users should know.

    `gpu_arch` wins over the product label in spec.target.nodeSelector. An architecture outside the table is
    sized on the fallback, with a warning.
    """
    missing = check_architecture(run, document, gpu_arch)
    if missing:
        return None, missing
    product = gpu_arch or _product(run)
    facts = _facts(run["spec"], parse_architecture(product), platform)
    if facts.gpu_architecture in architectures() or facts.gpu_architecture == UNKNOWN:
        return facts, []
    return facts, [_unlisted(document, product, facts)]


def check_architecture(run: WorkloadRun, document: Document, gpu_arch: str | None) -> list[Diagnostic]:
    """Return a finding when neither the call nor the manifest tells the GPU architecture.

    Whether a `gpu_arch` that is given is a known one is for `check_target` to say.
    """
    if gpu_arch or parse_architecture(_product(run)):
        return []
    message = (
        "the GPU architecture is not known: no --gpu-arch is given, "
        "and target.nodeSelector has no nvidia.com/gpu.product that names one"
    )
    return [rules.NO_ARCHITECTURE.at(document, ("spec",), message, on_key=True)]


def product(target: Target) -> str:
    """Return the product label that a target's node selector asks for, empty when it names none."""
    return target.get("nodeSelector", {}).get(PRODUCT_LABEL, "")


def _product(run: WorkloadRun) -> str:
    return product(run.get("spec", {}).get("target", {}))


def _facts(spec: WorkloadRunSpec, architecture: str, platform: str | None) -> Facts:
    counts = _counts(architecture, platform)
    single = spec.get("orchestration", {}).get("testScale") == "intra-node"
    return Facts(
        framework=framework(spec),
        gpu_architecture=architecture,
        platform=platform or None,
        gpus_per_node=spec.get("gpusPerNode", counts["gpusPerNode"]),
        mlnx_per_node=spec.get("mlnxPerNode", counts["mlnxPerNode"]),
        nic_resource_name=spec.get("nicResourceName") or None,
        enable_mnnvl=spec.get("enableMNNVL", counts.get("mnnvl", False)),
        nodes_per_job=1 if single else spec["numNodes"],
    )


def _counts(architecture: str, platform: str | None) -> dict[str, Any]:
    table = fragments.load("hardware.yaml")
    counts = table["architectures"].get(architecture, table["fallback"])
    return {**counts, **table["corrections"].get(platform, {}).get(architecture, {})}


def _unlisted(document: Document, product: str, facts: Facts) -> Diagnostic:
    fallback = fragments.load("hardware.yaml")["fallback"]
    message = (
        f'the GPU architecture "{facts.gpu_architecture}" of {product} is not in the hardware table; the fallback is '
        f"{fallback['gpusPerNode']} GPUs and {fallback['mlnxPerNode']} NICs a node, and this run is sized at "
        f"{facts.gpus_per_node} GPUs and {facts.mlnx_per_node} NICs"
    )
    return rules.UNLISTED_ARCHITECTURE.at(document, PRODUCT_PATH, message)
