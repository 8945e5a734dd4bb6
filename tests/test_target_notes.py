"""What a manifest says that is for other targets, or in place of a platform's value."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from tests.manifests import MPI, TORCH, Json, manifest, seen


def judged(
    framework: Json = TORCH, platform: str = "aws", gpu_arch: str = "gb200", **spec: Any
) -> list[tuple[str, str]]:
    return seen(nr.validate(manifest(framework, **spec), platform=platform, gpu_arch=gpu_arch))


def override(when: Json) -> Json:
    return {"when": when, "orchestration": {"iterations": 2}}


@pytest.mark.parametrize(
    ("when", "elsewhere"),
    [
        ({}, False),
        ({"platform": {"equals": "aws"}}, False),
        ({"platform": {"equals": "gcp"}}, True),
        ({"gpuArchitecture": {"in": ["h100", "gb300"]}}, True),
        ({"gpuArchitecture": {"notIn": ["h100"]}}, False),
        ({"platform": {"equals": "aws"}, "gpuArchitecture": {"equals": "h100"}}, True),
        ({"expression": "platform == 'gcp'"}, False),  # not looked into
    ],
)
def test_an_override_for_other_targets(when: Json, elsewhere: bool) -> None:
    expected = [("NR625", "spec.overrides[0].when")] if elsewhere else []
    assert judged(overrides=[override(when)]) == expected
    assert seen(nr.validate(manifest(overrides=[override(when)]))) == []


@pytest.mark.parametrize("framework", [TORCH, MPI])
def test_a_variable_in_place_of_the_platforms(framework: Json) -> None:
    assert judged(framework, env=[{"name": "FI_PROVIDER", "value": "tcp"}]) == [("NR613", "spec.env[0].name")]
    assert judged(framework, env=[{"name": "FI_PROVIDER", "value": "efa"}]) == []
    assert judged(framework, env=[{"name": "OTHER", "value": "tcp"}]) == []
    assert judged(framework, platform="onprem", env=[{"name": "FI_PROVIDER", "value": "tcp"}]) == []


def test_a_reference_takes_its_place_too() -> None:
    entry = {"name": "FI_PROVIDER", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}
    assert judged(env=[entry]) == [("NR613", "spec.env[0].name")]


def test_notes_are_for_runs_without_errors() -> None:
    assert judged(overrides=[override({"platform": {"equals": "gcp"}})], numNodes=0) == [("NR206", "spec.numNodes")]
