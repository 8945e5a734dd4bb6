"""Platform and architecture."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from nvcre_render.planning import detection
from nvcre_render.planning.node import Node
from tests.plans import PRODUCT

SITE, WORKER, HOST = "nke.nvidia.com/site-name", "node-role.together.ai/worker", "kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("provider", "labels", "platform"),
    [
        ("", {}, "onprem"),
        ("", {HOST: "a-forge-1"}, "forge"),
        ("", {SITE: ""}, "forge"),
        ("", {HOST: "Forge"}, "onprem"),
        ("aws:///us-east-1a/i-1", {HOST: "forge"}, "aws"),
        ("AWS://x", {}, "onprem"),
        ("gce://p/z/n", {}, "gcp"),
        ("azure:///x", {}, "azure"),
        ("ocid1.instance.x", {}, "oci"),
        ("openstack:///x", {}, "onprem"),
        ("nscale://x", {}, "nscale"),
        ("kubevirt://x", {WORKER: ""}, "togetherai"),
        ("kubevirt://x", {}, "onprem"),
        ("metal3://x", {WORKER: ""}, "mistral"),
        ("linode://x", {}, "akamai"),
        ("somewhere://x", {SITE: "s"}, "onprem"),
    ],
)
def test_platform_of_a_node(provider: str, labels: dict[str, str], platform: str) -> None:
    assert detection.platform(Node("n", labels, provider)) == platform


def test_nodes_of_one_platform_agree() -> None:
    assert detection.common_platform([Node("a", {}, "gce://a"), Node("b", {}, "gce://b")]) == "gcp"


def test_several_platforms_are_refused_with_their_counts_in_name_order() -> None:
    providers = ["gce://a", "nscale://b", "gce://c", "aws://d"]
    with pytest.raises(nr.RenderError) as refusal:
        detection.common_platform([Node(provider, {}, provider) for provider in providers])
    (found,) = refusal.value.diagnostics
    assert found.message == (
        "HeterogeneousPlatform: the target's nodes belong to 3 platforms: aws (1 node), gcp (2 nodes), nscale (1 node)"
    )


def labelled(*products: str) -> list[Node]:
    return [Node(f"n{index}", {PRODUCT: product} if product else {}) for index, product in enumerate(products)]


@pytest.mark.parametrize(
    ("products", "primary", "kept"),
    [
        (["NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-NVL", "NVIDIA-GB200"], "h100", ["n0", "n1"]),
        (["NVIDIA-GB200", "NVIDIA-H100", "NVIDIA-H100"], "h100", ["n1", "n2"]),
        # a tie: the architecture that comes first
        (["NVIDIA-H100", "NVIDIA-A100", "NVIDIA-A100", "NVIDIA-H100"], "h100", ["n0", "n3"]),
        # unlabelled nodes have no vote and no place beside labelled ones
        (["", "", "NVIDIA-GB300"], "gb300", ["n2"]),
        (["", ""], "unknown", ["n0", "n1"]),
        # a label from which nothing is read is a label
        (["NVIDIA-", ""], "", ["n0"]),
        (["NVIDIA RTX PRO 6000 Blackwell", "NVIDIA-RTX-PRO-6000"], "rtxpro6000", ["n0", "n1"]),
    ],
)
def test_the_majority_of_the_labelled_nodes_decides(products: list[str], primary: str, kept: list[str]) -> None:
    nodes = labelled(*products)
    assert detection.architecture(nodes) == primary
    left, others = detection.split(nodes, primary)
    assert [node.name for node in left] == kept
    assert sorted([*kept, *(node.name for node in others)]) == [node.name for node in nodes]


def test_products_are_distinct_and_as_they_are() -> None:
    assert detection.products(labelled("NVIDIA-B", "NVIDIA A", "", "NVIDIA-B")) == ("NVIDIA A", "NVIDIA-B")
