"""What README and docs show is what happens: their manifests render, their Python runs, their docstrings hold."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
from pathlib import Path

import pytest

import nvcre_render as nr

PAGES = sorted([*Path("docs").rglob("*.md"), Path("README.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MODULES = sorted(".".join(path.with_suffix("").parts) for path in Path("nvcre_render").rglob("*.py"))
EXAMPLES = sorted(path for path in Path("examples").glob("*.yaml") if not path.name.startswith("executor-"))


def blocks(language: str) -> list[tuple[Path, str]]:
    return [(page, text) for page in PAGES for kind, text in BLOCK.findall(page.read_text()) if kind == language]


@pytest.mark.parametrize("path", EXAMPLES, ids=str)
def test_every_example_renders_without_a_finding(path: Path) -> None:
    text = path.read_text()
    architecture = None if "gpu.product" in text else "h100"  # an example that names its product is of that kind
    rendered = nr.render(text, filename=str(path), gpu_arch=architecture)
    assert rendered.diagnostics == ()


def test_every_manifest_in_the_docs_renders() -> None:
    for page, text in blocks("yaml"):
        if "kind: WorkloadRun" in text:
            assert nr.render(text, filename=str(page), gpu_arch="h100").workflows


def test_the_python_of_the_docs_runs() -> None:
    shown = blocks("python")
    assert any(page.name == "README.md" for page, _ in shown)
    for page, text in shown:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(text, str(page), "exec"), {})  # noqa: S102  # our own page
        assert "Traceback" not in printed.getvalue()


def test_the_commands_of_the_docs_exist() -> None:
    from nvcre_render.cli.main import COMMANDS

    for page in PAGES:
        for name in re.findall(r"^(?:\$ )?nvcre-render ([a-z]+)", page.read_text(), re.MULTILINE):
            assert name in COMMANDS, f"{page} shows nvcre-render {name}"


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_docstring_examples_hold(name: str) -> None:
    module = importlib.import_module(name.removesuffix(".__init__"))
    assert doctest.testmod(module).failed == 0
