"""The rule registry: its texts, its names, and examples that show exactly what the rule says."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import nvcre_render as nr
from nvcre_render import rulebook
from nvcre_render.diagnostics import REGISTRY

RULES = list(rulebook.rules().values())  # loads every module of nvcre_render.checks


def validated(text: str) -> tuple[nr.Diagnostic, ...]:
    return nr.validate(text, filename="run.yaml").diagnostics


def rendered(text: str) -> tuple[nr.Diagnostic, ...]:
    try:
        return nr.render(text, filename="run.yaml").diagnostics
    except nr.RenderError as refusal:
        return refusal.diagnostics


# Which entry points show the rules of a hundred; the first that finds something is held to the example.
ENTRY_POINTS: dict[str, tuple[Callable[[str], tuple[nr.Diagnostic, ...]], ...]] = {
    "NR1": (validated, rendered),
    "NR2": (validated,),
    "NR3": (rendered,),
    "NR4": (validated,),
    "NR5": (validated, rendered),
    "NR6": (validated,),
}
# Overrides, plans and executors: their examples need a target, nodes or documents of another kind.
ELSEWHERE = {"NR7", "NR8", "NR9"}
# What no manifest of a few readable lines can show.
WITHOUT_EXAMPLE = {
    "NR106": "a megabyte of text",
    "NR107": "a control character, which no page shows",
    "NR108": "a hundred levels",
    "NR113": "a file that cannot be read",
    "NR301": "an option of the call",
    "NR302": "an option of the call",
    "NR305": "an option of the call",
    "NR306": "an option of the call",
    "NR307": "needs nodes",
    "NR308": "an option of the call",
    "NR309": "needs a platform",
    "NR613": "needs a platform",
    "NR625": "needs a platform",
}
HERE = [rule for rule in RULES if rule.code[:3] in ENTRY_POINTS]
SHOWN = [rule for rule in HERE if rule.code not in WITHOUT_EXAMPLE]


def name(rule: nr.Rule) -> str:
    return f"{rule.code}-{rule.name}"


def marked_line(rule: nr.Rule) -> int:
    """Return the line of the example that carries the comment `# error`, `# warning` or `# note`."""
    lines = [n for n, line in enumerate(rule.bad.splitlines(), 1) if re.search(rf"# {rule.severity}\b", line)]
    assert len(lines) == 1, f"{rule.code} marks {len(lines)} lines"
    return lines[0]


def test_every_hundred_has_an_entry_point_or_is_left_out_on_purpose() -> None:
    assert {rule.code[:3] for rule in RULES} <= ENTRY_POINTS.keys() | ELSEWHERE
    assert {rule.code[:3] for rule in HERE} == ENTRY_POINTS.keys()
    assert WITHOUT_EXAMPLE.keys() <= {rule.code for rule in HERE}


def test_codes_and_names_are_unique() -> None:
    assert all(code == rule.code for code, rule in REGISTRY.items())
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_code_is_never_used_twice() -> None:
    with pytest.raises(ValueError, match="rule code NR201 is taken by unknown-field"):
        nr.Rule(code="NR201", name="other", severity="error", summary="a.", why="b.", remedy="c")
    assert REGISTRY["NR201"].name == "unknown-field"


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_a_rule_is_named_for_the_mistake_and_says_everything(rule: nr.Rule) -> None:
    assert re.fullmatch(r"NR\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert not rule.name.startswith(("use-", "avoid-", "do-not-", "dont-", "never-", "prefer-"))
    assert rule.severity in ("error", "warning", "note")
    for sentence in (rule.summary, rule.why):
        assert re.fullmatch(r"\S.*\.", sentence), f"{sentence!r} is not a sentence"
    # A remedy continues "help:", so it is no sentence of its own.
    assert re.fullmatch(r"\S.*[^.\s]", rule.remedy) or rule.remedy.endswith("...")


@pytest.mark.parametrize("rule", HERE, ids=name)
def test_a_rule_shows_a_mistake_and_its_mending(rule: nr.Rule) -> None:
    assert (rule.bad == "") == (rule.code in WITHOUT_EXAMPLE)
    assert (rule.good == "") == (rule.bad == "")


@pytest.mark.parametrize("rule", SHOWN, ids=name)
def test_the_bad_example_yields_exactly_this_finding_on_the_marked_line(rule: nr.Rule) -> None:
    found: tuple[nr.Diagnostic, ...] = ()
    for entry_point in ENTRY_POINTS[rule.code[:3]]:
        found = found or entry_point(rule.bad)
    # A second document that takes part in a mistake is a foreign object too.
    found = tuple(each for each in found if each.code != "NR114" or rule.code == "NR114")
    places = [(each.code, each.position.line if each.position else 0) for each in found]
    assert places == [(rule.code, marked_line(rule))]
    assert found[0].severity == rule.severity
    assert found[0].remedy
    assert found[0].message


@pytest.mark.parametrize("rule", SHOWN, ids=name)
def test_the_good_example_yields_nothing(rule: nr.Rule) -> None:
    assert [found for found in (*rendered(rule.good), *validated(rule.good)) if found.code != "NR114"] == []
