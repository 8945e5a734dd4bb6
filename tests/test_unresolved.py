"""Overrides that cannot work anywhere, told without a target."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from tests.manifests import manifest


def codes(block: dict[str, Any], **target: Any) -> list[str]:
    return [
        found.code
        for found in nr.validate(manifest(overrides=[block]), **target)
        if found.code in ("NR628", "NR711", "NR713")
    ]


@pytest.mark.parametrize("expression", ['platform = "aws"', "nodes > 1", "domainCount + 1", '"text"'])
def test_a_broken_expression_is_told_without_a_target(expression: str) -> None:
    block = {"when": {"expression": expression}, "jobTemplate": {"metadata": {"labels": {"a": "b"}}}}
    assert codes(block) == ["NR628"]
    assert codes(block, platform="aws", gpu_arch="h100") == ["NR711"]


def test_a_sound_expression_is_not() -> None:
    block = {"when": {"expression": 'platform == "aws"'}, "jobTemplate": {"metadata": {"labels": {"a": "b"}}}}
    assert codes(block) == []


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "ad", "path": "/spec", "value": 1}],
        [{"op": "add", "path": "/spec/stallMultiplier"}],
        [{"op": "move", "path": "/spec"}],
        {"op": "add", "path": "/spec", "value": 1},
        '[{"op": "remove", "path": "/spec"}]',
    ],
    ids=["op", "value", "from", "mapping", "text"],
)
def test_what_is_no_json_patch_is_told_without_a_target(patch: object) -> None:
    block = {"when": {}, "jobTemplatePatch": patch}
    assert codes(block) == ["NR628"]
    assert codes(block, platform="aws", gpu_arch="h100") == ["NR713"]


def test_a_path_that_a_target_may_have_is_not() -> None:
    block = {"when": {}, "jobTemplatePatch": [{"op": "remove", "path": "/spec/workload/trainJob/trainer/env"}]}
    assert codes(block) == []
