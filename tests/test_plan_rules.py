"""The examples of the rules about plans, planned; and what a refusal says of its reason."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from nvcre_render.checks import plan_rules
from nvcre_render.diagnostics import REGISTRY, WARNING
from nvcre_render.planning import manifest as planning
from tests.plans import node

FLEET = [node(f"node-{index}", product="NVIDIA-H200") for index in range(1, 5)]
for each in FLEET:
    each["metadata"]["labels"]["kubernetes.io/hostname"] = each["metadata"]["name"]
RULES = [rule for code, rule in sorted(REGISTRY.items()) if code.startswith("NR8")]
SHOWN = [rule for rule in RULES if rule.bad]


def findings(text: str) -> list[str]:
    """Return the codes of everything a plan on the fleet finds; notes are no findings."""
    try:
        found = planning.plan(text, nodes=FLEET).diagnostics
    except nr.RenderError as refusal:
        found = refusal.diagnostics
    return [each.code for each in found if each.severity != "note"]


def name(rule: nr.Rule) -> str:
    return rule.name


def test_several_rules_show_an_example() -> None:
    assert len(SHOWN) >= 5


@pytest.mark.parametrize("rule", SHOWN, ids=name)
def test_the_bad_example_is_found_and_the_good_one_is_not(rule: nr.Rule) -> None:
    assert findings(rule.bad) == [rule.code]
    assert rule.bad.count(f"# {rule.severity}") == 1
    assert findings(rule.good) == []


def test_the_reason_of_the_failed_condition_stands_in_front() -> None:
    found = plan_rules.finding(plan_rules.NO_JOB_SIZE, "no size")
    assert found.message == "PartitionError: no size"
    assert plan_rules.finding(plan_rules.SHARED_WORD, "a word").message == "a word"
    assert all(REGISTRY[code].severity != WARNING for code in plan_rules.REASONS)


def test_a_refusal_carries_one_finding() -> None:
    refusal = plan_rules.refusal(plan_rules.NO_JOB_SIZE, "no size", ("spec",), "set it")
    (found,) = refusal.diagnostics
    assert (found.path, found.remedy, found.code) == (("spec",), "set it", plan_rules.NO_JOB_SIZE.code)
