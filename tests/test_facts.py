"""What is known before anything is built: framework, architecture, platform and counts per node."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render import facts
from nvcre_render.document import from_mapping
from nvcre_render.framework import framework
from tests.manifests import EXEC, MPI, TORCH, Json, manifest, seen, with_spec

PLATFORMS = ("aws", "gcp", "azure", "oci", "onprem", "togetherai", "mistral", "forge", "nscale", "akamai")
ARCHITECTURES = ("a100", "b200", "b300", "gb200", "gb300", "h100", "h200", "l40", "l40s", "rtxpro6000")


def product(label: str) -> Json:
    return {"nodeSelector": {"nvidia.com/gpu.product": label}}


def resolved(arch: str | None = "h100", platform: str | None = None, **spec: Any) -> facts.Facts:
    """Return the facts of a run, which must be known."""
    run: Any = manifest(**spec)
    found, _ = facts.resolve(run, from_mapping(run, "run.yaml"), platform, arch)
    assert found is not None
    return found


def counts(arch: str, platform: str | None = None, **spec: Any) -> tuple[int, int]:
    found = resolved(arch, platform, **spec)
    return found.gpus_per_node, found.mlnx_per_node


# Architecture


@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("NVIDIA-A100-SXM4-40GB", "a100"),
        ("NVIDIA-H100-80GB-HBM3", "h100"),
        ("NVIDIA-H100-NVL", "h100"),
        ("NVIDIA-H200", "h200"),
        ("NVIDIA-B200", "b200"),
        ("NVIDIA-B300-SXM6-AC", "b300"),
        ("NVIDIA-GB200", "gb200"),
        ("NVIDIA-GB200-NVL72", "gb200"),
        ("NVIDIA-GB300-NVL72", "gb300"),
        ("NVIDIA GB300", "gb300"),
        ("gb300", "gb300"),
        ("NVIDIA-L40", "l40"),
        ("NVIDIA-L40S", "l40s"),
        ("NVIDIA-H100-80GB-HBM3-SHARED", "h100"),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "rtxpro6000"),
        ("NVIDIA RTX PRO 6000 Blackwell", "rtxpro6000"),
        ("rtx-pro-6000", "rtxpro6000"),
        # one prefix of each form is stripped, in this order, and only as it is written
        ("NVIDIA-NVIDIA GB300", "gb300"),
        ("NVIDIA-NVIDIA-GB300", "nvidia"),
        ("nvidia-h100", "nvidia"),
        ("Tesla-T4", "tesla"),
        # nothing is cut at a separator that comes first, and nothing is trimmed
        ("NVIDIA--H100-80GB", "-h100-80gb"),
        ("NVIDIA- H100", " h100"),
        (" H100", " h100"),
        ("", ""),
        ("NVIDIA-", ""),
        ("NVIDIA ", ""),
    ],
)
def test_the_architecture_of_a_product(name: str, architecture: str) -> None:
    assert facts.parse_architecture(name) == architecture


def test_known_names_stand_in_the_order_of_messages() -> None:
    assert facts.platforms() == PLATFORMS
    assert facts.architectures() == ARCHITECTURES


def test_the_argument_wins_over_the_manifest() -> None:
    selector = product("NVIDIA-GB200")
    assert resolved("h100", target=selector).gpu_architecture == "h100"
    assert resolved("NVIDIA-H200-141GB", target=selector).gpu_architecture == "h200"
    for nothing in (None, ""):
        assert resolved(nothing, target=selector).gpu_architecture == "gb200"


@pytest.mark.parametrize(
    "target",
    [
        None,
        {},
        {"nodeSelector": {"zone": "a"}},
        product(""),
        product("NVIDIA-"),
        {"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "In", "values": ["NVIDIA-H100"]}]},
        {"nodeNames": ["nvidia-h100"]},
    ],
)
def test_without_an_architecture_a_render_names_both_remedies(target: Json | None) -> None:
    with pytest.raises(nr.RenderError) as refusal:
        nr.render(manifest(target=target))
    (found,) = [each for each in refusal.value.diagnostics if each.code.startswith("NR3")]
    assert (found.code, found.field) == ("NR303", "spec")
    assert "--gpu-arch" in found.remedy
    assert "nvidia.com/gpu.product" in found.remedy
    assert not [each for each in nr.validate(manifest(target=target)) if each.code.startswith("NR3")]


# Unknown targets


def refused(platform: str | None = None, gpu_arch: str = "h100") -> tuple[nr.Diagnostic, ...]:
    with pytest.raises(nr.RenderError) as refusal:
        nr.render(manifest(), platform=platform, gpu_arch=gpu_arch)
    return refusal.value.diagnostics


@pytest.mark.parametrize("value", ["aws2", "AWS", "baremetal", " "])
def test_an_unknown_platform_is_refused_with_the_list(value: str) -> None:
    (found,) = refused(platform=value)
    assert found.code == "NR301"
    assert found.message == f'invalid --platform "{value}": must be one of {", ".join(PLATFORMS)}'


@pytest.mark.parametrize("value", ["h101", "NVIDIA-", "NVIDIA-T4", "tesla", "unknown", "-h100"])
def test_an_unknown_architecture_is_refused_as_typed_with_the_list(value: str) -> None:
    (found,) = refused(gpu_arch=value)
    assert found.code == "NR302"
    assert found.message == f'invalid --gpu-arch "{value}": must be one of {", ".join(ARCHITECTURES)}'


def test_a_near_spelling_is_suggested() -> None:
    platform, arch = refused(platform="azur", gpu_arch="gb30")
    assert platform.remedy.endswith('did you mean "azure"?')
    assert 'did you mean "gb300"?' in arch.remedy


@pytest.mark.parametrize("nothing", [None, ""])
def test_what_is_not_given_is_not_unknown(nothing: str | None) -> None:
    run = manifest(target=product("NVIDIA-H100"))
    rendered = nr.render(run, platform=nothing, gpu_arch=nothing)
    assert rendered.diagnostics == ()
    assert rendered.workflow["metadata"]["annotations"] == {"nvcrectl.nvidia.com/detected-gpu-architecture": "h100"}
    assert resolved(platform=nothing).platform is None


def test_unknown_targets_do_not_hide_each_other_nor_the_manifest() -> None:
    for image, arch, expected in (
        (None, "NVIDIA-", [("NR205", "spec"), ("NR301", ""), ("NR302", "")]),
        ("a:1", None, [("NR301", ""), ("NR303", "spec")]),
    ):
        with pytest.raises(nr.RenderError) as refusal:
            nr.render(manifest(image=image), platform="x", gpu_arch=arch)
        assert seen(refusal.value.diagnostics) == expected


# Counts

TABLE = {
    "a100": (8, 8),
    "h100": (8, 8),
    "h200": (8, 8),
    "b200": (8, 8),
    "b300": (8, 8),
    "gb200": (4, 8),
    "gb300": (4, 8),
    "l40s": (8, 8),
    "l40": (8, 4),
    "rtxpro6000": (8, 0),
}
CORRECTED = {
    ("oci", "l40s"): (4, 2),
    ("oci", "gb200"): (4, 0),
    ("oci", "gb300"): (4, 4),
    ("nscale", "gb300"): (4, 4),
}


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_counts_per_architecture_and_platform(arch: str) -> None:
    assert counts(arch) == TABLE[arch]
    for platform in PLATFORMS:
        assert counts(arch, platform) == CORRECTED.get((platform, arch), TABLE[arch]), platform


def test_fields_win_each_on_its_own_and_an_explicit_zero_counts() -> None:
    assert counts("h100", gpusPerNode=2) == (2, 8)
    assert counts("h100", mlnxPerNode=1) == (8, 1)
    assert counts("h100", mlnxPerNode=0) == (8, 0)
    assert counts("gb300", "oci", gpusPerNode=1, mlnxPerNode=0) == (1, 0)
    assert counts("gb300", "nscale", gpusPerNode=2) == (2, 4)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nvlink_beyond_the_node(arch: str) -> None:
    assert resolved(arch).enable_mnnvl is (arch in ("gb200", "gb300"))
    assert resolved(arch, enableMNNVL=True).enable_mnnvl is True
    assert resolved(arch, enableMNNVL=False).enable_mnnvl is False


def test_the_nic_resource_has_no_default() -> None:
    assert resolved("gb300", "onprem").nic_resource_name is None
    assert resolved("gb300", "onprem", nicResourceName="rdma/ib").nic_resource_name == "rdma/ib"


# An architecture of the selector may be unlisted


def test_an_unlisted_architecture_is_sized_on_the_fallback_loudly() -> None:
    run = with_spec("mlnxPerNode: 2\ntarget:\n  nodeSelector:\n    nvidia.com/gpu.product: NVIDIA-T4-16GB")
    rendered = nr.render(run, filename="run.yaml")
    (found,) = rendered.diagnostics
    assert (found.code, found.severity) == ("NR304", "warning")
    assert found.position == nr.Position(file="run.yaml", line=11, column=31)
    assert 'the GPU architecture "t4" of NVIDIA-T4-16GB' in found.message
    assert "4 GPUs and 0 NICs a node" in found.message
    assert "sized at 4 GPUs and 2 NICs" in found.message
    for part in ("spec.gpusPerNode and spec.mlnxPerNode", "issue"):
        assert part in found.remedy
    assert rendered.workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["numProcPerNode"] == 4
    assert list(nr.validate(run)) == []


@pytest.mark.parametrize("label", ["NVIDIA-H100-80GB-HBM3", "unknown", "Unknown-GPU"])
def test_a_listed_or_unknown_architecture_has_no_note(label: str) -> None:
    assert nr.render(manifest(target=product(label))).diagnostics == ()


def test_the_fallback() -> None:
    found = resolved(None, target=product("NVIDIA-T4"))
    assert (found.gpu_architecture, found.gpus_per_node, found.mlnx_per_node, found.enable_mnnvl) == ("t4", 4, 0, False)


# Framework and nodes


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (TORCH, "torch"),
        (MPI, "mpi"),
        (EXEC, "exec"),
        ({**MPI, **TORCH}, "torch"),
        ({**EXEC, **MPI}, "mpi"),
        ({}, "exec"),
    ],
)
def test_the_framework(given: Any, expected: str) -> None:
    assert framework({"framework": given}) == expected  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("scale", "nodes"), [(None, 5), ("", 5), ("full-scale", 5), ("intra-rack", 5), ("intra-node", 1)]
)
def test_nodes_of_one_job(scale: str | None, nodes: int) -> None:
    orchestration = {} if scale is None else {"testScale": scale}
    assert resolved(numNodes=5, orchestration=orchestration).nodes_per_job == nodes
