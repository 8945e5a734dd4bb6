"""Tolerations: of selectors, or of launchers."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.planning import tolerations

SELECTORS = [{"key": "a", "value": "1", "effect": "NoSchedule"}, {"key": "b", "value": "", "effect": ""}]
OF_SELECTORS = [
    {"key": "a", "operator": "Equal", "value": "1", "effect": "NoSchedule"},
    {"key": "b", "operator": "Exists"},
]
GPU = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}
ARM = {"key": "kubernetes.io/arch", "operator": "Equal", "value": "arm64", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("placement", "selectors", "launcher", "expected"),
    [
        ("Pinned", SELECTORS, False, OF_SELECTORS),
        ("Unpinned", SELECTORS, True, OF_SELECTORS),
        ("", [], False, []),
        ("Unpinned", [], False, []),
        ("Unpinned", [], True, [GPU, ARM]),
        ("", [], True, [{"operator": "Exists"}]),
        ("Pinned", None, True, [{"operator": "Exists"}]),
    ],
)
def test_the_first_rule_that_applies(placement: str, selectors: Any, launcher: bool, expected: Any) -> None:
    assert tolerations.of_job(placement, {"taintSelectors": selectors}, launcher=launcher) == expected


def test_no_target_selects_no_taints() -> None:
    assert tolerations.of_job("Pinned", None, launcher=False) == []


def test_the_fixed_ones_are_not_shared() -> None:
    tolerations.of_job("Pinned", None, launcher=True)[0]["operator"] = "Never"
    assert tolerations.of_job("Pinned", None, launcher=True) == [{"operator": "Exists"}]
