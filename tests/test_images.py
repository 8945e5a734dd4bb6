"""Images without a tag of their own."""

from __future__ import annotations

import pytest

from tests.manifests import faults, manifest


@pytest.mark.parametrize(
    "image",
    [
        "a:1",
        "registry.example.com/team/a:1.4",
        "registry:5000/a:v1",
        "a@sha256:0f",
        "a:latest@sha256:0f",
        "a:latest-cuda",
    ],
)
def test_fixed_images(image: str) -> None:
    assert faults(manifest(image=image)) == []
    assert faults(manifest(initContainers=[{"name": "stage", "image": image}])) == []


@pytest.mark.parametrize("image", ["a", "a:latest", "registry.example.com/team/a", "registry:5000/a", "a:"])
def test_moving_images(image: str) -> None:
    assert faults(manifest(image=image)) == [("NR615", "spec.image")]
    stage = {"name": "stage", "image": image}
    assert faults(manifest(initContainers=[stage])) == [("NR615", "spec.initContainers[0].image")]


def test_no_image_is_a_matter_of_other_rules() -> None:
    assert faults(manifest(image="")) == [("NR206", "spec.image")]
