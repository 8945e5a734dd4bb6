"""docs/nemo-run.md: its manifests are what is built, its table names rules there are."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from nvcre_render.diagnostics import REGISTRY
from tests.executors import built

PAGE = Path("docs/nemo-run.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_before_and_after_are_what_happens() -> None:
    given, written, kept, translated = blocks("yaml")
    made, later = built(given), built(given, trainer_release="2.3")
    assert made.diagnostics == ()
    assert written == made.to_yaml()
    assert translated == later.to_yaml()
    expected = yaml.safe_load(written)
    del expected["spec"]["podTemplateOverrides"]
    assert yaml.safe_load(kept) == expected
    assert blocks("text") == ["".join(f"{found}\n" for found in later.diagnostics)]


def test_the_rules_it_names_are_there() -> None:
    named = set(re.findall(r"NR\d{3}", PAGE))
    assert len(named) > 15
    assert named <= REGISTRY.keys()
