"""Product labels from ResourceSlices."""

from __future__ import annotations

import pytest

from nvcre_render.planning import slices
from tests.plans import Json, seen


def device(product: object = "NVIDIA GB300", kind: str = "gpu") -> Json:
    return {"name": "gpu-0", "attributes": {"productName": {"string": product}, "type": {"string": kind}}}


def resource_slice(node: str | None, *devices: Json, driver: str = "gpu.nvidia.com") -> Json:
    return {"kind": "ResourceSlice", "spec": {"driver": driver, "nodeName": node, "devices": list(devices)}}


def test_the_first_device_that_is_not_passed_through_names_the_product() -> None:
    found = slices.products([resource_slice("n1", device("NVIDIA A", "vfio"), device(5), device("B 1"), device("C"))])
    assert found == {"n1": "B-1"}


def test_the_last_slice_of_a_node_wins() -> None:
    several = [resource_slice("n1", device("A")), resource_slice("n1", device("B")), resource_slice("n1")]
    assert slices.products(several) == {"n1": "B"}


def test_other_drivers_and_slices_without_a_node_do_not_count() -> None:
    assert slices.products([resource_slice("n1", device(), driver="nic.example.com")]) == {}
    assert slices.products([resource_slice(None, device())]) == {}


def test_the_older_api_wraps_the_attributes() -> None:
    assert slices.products([resource_slice("n1", {"name": "gpu-0", "basic": device("A")})]) == {"n1": "A"}


@pytest.mark.parametrize(
    ("product", "label"),
    [("NVIDIA GB300", "NVIDIA-GB300"), ("  RTX PRO\u2122 6000 ", "RTX-PRO-6000"), ("a_b.c-d/e", "a_b.c-de"), ("™", "")],
)
def test_products_are_written_as_labels(product: str, label: str) -> None:
    assert slices.normalised(product) == label


def test_only_missing_labels_are_filled() -> None:
    nodes = [seen("a", product=None), seen("b", product="NVIDIA-H100"), seen("c", product=None)]
    given = [resource_slice("a", device()), resource_slice("b", device())]
    labelled, filled = slices.label(nodes, given)
    assert [node.product for node in labelled] == ["NVIDIA-GB300", "NVIDIA-H100", ""]
    assert filled == ("a",)
    assert slices.label(nodes, []) == (tuple(nodes), ())
    assert slices.label(nodes[1:2], given) == ((nodes[1],), ())
