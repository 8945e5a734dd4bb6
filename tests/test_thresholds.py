"""Threshold expressions, and whether anything measures what they ask about."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.checks.thresholds import MEASUREMENTS, broken
from tests.manifests import Json, complaint, faults, manifest, with_spec

MEASURED: Json = {
    "bandwidthMeasurement": {"logProfileRef": "nccl"},
    "goodputMeasurement": {"logProfileRef": "training"},
}


def judged(expression: str) -> list[str]:
    return [code for code, _ in faults(manifest(thresholds={"goodputRatio": expression}, **MEASURED))]


@pytest.mark.parametrize(
    "expression",
    [
        "value >= 900",
        "value>=900",
        "  value  <  4.5  ",
        "value > 0",
        "5 < value",
        "value >= 0.9 && value <= 1",
        "value * 2.0 > 5.0",
        "value == 5.0",
        "value > 3u",
        "value in [1.0, 2.0]",
        "value > 1 ? true : false",
        "double(5) <= value",
        "!(value < 1.0)",
        "true",
        "'a' < 'b' && value > 1",
    ],
)
def test_expressions(expression: str) -> None:
    assert judged(expression) == []
    assert broken(expression) == ""


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("value", "gives double, not bool"),
        ("value + 1.0", "gives double, not bool"),
        ("'yes'", "gives string, not bool"),
        ("value * 2 > 5", "no matching overload for '_*_' applied to '(double, int)' at column 7"),
        ("value == 5", "applied to '(double, int)'"),
        ("busBandwidthGBps > 5", "undeclared reference to 'busBandwidthGBps' at column 1"),
        ("value >", "Syntax error"),
        (">= 900", "Syntax error"),
        ("value >= 900 GB/s", "Syntax error"),
        ("value > 9" + "9" * 30, "invalid int literal"),
        ("", "Syntax error"),
        ("value > '5'", "no matching overload"),
        ("value => 5", "Syntax error"),
    ],
)
def test_expressions_that_cannot_judge(expression: str, reason: str) -> None:
    (found,) = _found(expression)
    assert found.code == "NR603"
    assert reason in found.message


def _found(expression: str) -> list[Any]:
    import nvcre_render as nr

    return list(nr.validate(manifest(thresholds={"goodputRatio": expression}, **MEASURED)))


@pytest.mark.parametrize(
    ("expression", "remedy"),
    [
        ("value * 2 > 5", "write 2.0 instead of 2"),
        ("speed > 5", "the only variable is value"),
        ("value", "write a condition on value"),
    ],
)
def test_the_remedy_fits(expression: str, remedy: str) -> None:
    (found,) = _found(expression)
    assert remedy in found.remedy


@pytest.mark.parametrize("expression", ["(" * 100_000, "1+" * 100_000 + "1", "'" + "x" * 500_000 + "'"])
def test_a_hostile_expression_is_a_finding(expression: str) -> None:
    (found,) = _found(expression)
    assert found.code == "NR603"
    assert len(found.message) < 500


@pytest.mark.parametrize("key", MEASUREMENTS)
def test_a_metric_needs_its_measurement(key: str) -> None:
    assert faults(manifest(thresholds={key: "value > 1"})) == [("NR604", f"spec.thresholds.{key}")]
    only = {MEASUREMENTS[key]: MEASURED[MEASUREMENTS[key]]}
    assert faults(manifest(thresholds={key: "value > 1"}, **only)) == []


def test_an_override_may_add_the_measurement() -> None:
    template = {"spec": {"goodputMeasurement": {"logProfileRef": "training"}}}
    overrides = [{"when": {}, "jobTemplate": template}]
    assert faults(manifest(thresholds={"goodputRatio": "value > 0.9"}, overrides=overrides)) == []


def test_nothing_is_known_to_measure_copies_between_processors() -> None:
    assert faults(manifest(thresholds={"c2cVerified": "value > 0.5"})) == []


def test_both_places_of_a_threshold() -> None:
    found = complaint(with_spec("thresholds:\n  @goodputRatio: value > 0.9"))
    assert found.code == "NR604"
    assert "add spec.goodputMeasurement" in found.remedy
    lines = "goodputMeasurement: {logProfileRef: t}\nthresholds:\n  goodputRatio: @value"
    assert complaint(with_spec(lines)).code == "NR603"
