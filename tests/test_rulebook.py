"""Every rule is found, has a page, and the pages of the docs are the ones that are printed."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import nvcre_render
from nvcre_render import rulebook
from nvcre_render.diagnostics import REGISTRY

PAGES = Path("docs/rules")
RULES = rulebook.rules()


def test_no_module_of_the_package_has_a_rule_that_the_book_does_not() -> None:
    for module in pkgutil.walk_packages(nvcre_render.__path__, "nvcre_render."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert set(REGISTRY) == set(RULES)


def test_rules_are_in_the_order_of_their_codes() -> None:
    assert list(RULES) == sorted(RULES)


def test_every_rule_belongs_to_a_family() -> None:
    assert {code[:3] for code in RULES} == set(rulebook.FAMILIES)


@pytest.mark.parametrize("code", RULES)
def test_a_page_says_everything_about_its_rule(code: str) -> None:
    rule = RULES[code]
    page = rulebook.page(rule)
    assert page.startswith(f"# {rule.name} ({code})\n")
    for text in (f"Severity: {rule.severity}.", rule.summary, rule.why, rule.bad, rule.good):
        assert text in page
    assert rule.remedy[1:] in page
    assert page.endswith("\n")
    assert "\n\n\n" not in page
    assert page.count("```") == 2 * (bool(rule.bad) + bool(rule.good))
    assert (PAGES / f"{code}.md").read_text() == page


def test_the_docs_have_these_pages_and_no_others() -> None:
    assert {path.name for path in PAGES.iterdir()} == {"README.md", *(f"{code}.md" for code in RULES)}


def test_the_index_links_every_rule_once() -> None:
    text = (PAGES / "README.md").read_text()
    assert text == rulebook.index()
    assert re.findall(r"^\| \[(NR\d+)\]\(NR\d+\.md\)", text, re.MULTILINE) == list(RULES)


@pytest.mark.parametrize("name", ["NR201", "nr201", "unknown-field", "Unknown-Field"])
def test_a_rule_is_found_by_code_or_name(name: str) -> None:
    assert rulebook.find(name) is RULES["NR201"]


@pytest.mark.parametrize("name", ["", "NR", "NR2", "unknown", "NR2011"])
def test_nothing_else_finds_a_rule(name: str) -> None:
    assert rulebook.find(name) is None
