"""The shape of the house: sizes, names, and pages that tell the truth."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = sorted(Path("nvcre_render").rglob("*.py"))
PAGES = sorted([*Path("docs").rglob("*.md"), Path("README.md"), Path("CONTRIBUTING.md")])
MAX_LINES = 400
NO_NOUN = {"utils", "util", "helpers", "common", "misc"}


@pytest.mark.parametrize("module", PACKAGE, ids=str)
def test_a_module_is_small_and_named_for_a_thing(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= MAX_LINES
    assert module.stem not in NO_NOUN


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_path_a_page_names_exists(page: Path) -> None:
    text = page.read_text()
    linked = {(page.parent / target) for target in re.findall(r"\]\(([^):#]+)\)", text)}
    quoted = {
        Path(name)
        for name in re.findall(r"`((?:nvcre_render|fragments|schemas|tests|docs|golden|examples)/[\w./-]*)`", text)
    }
    missing = sorted(str(path) for path in linked | quoted if not path.exists())
    assert missing == []


@pytest.mark.parametrize("script", ["scripts/generate.py", "scripts/kubernetes_shapes.py", "scripts/patch_shapes.py"])
def test_generated_files_are_fresh(script: str) -> None:
    run = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
