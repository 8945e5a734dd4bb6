"""What a render imports: every module costs start-up time, and start-up time is a promise."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from nvcre_render.cli.main import main
main(["render", "examples/mpi-basic.yaml", "--gpu-arch", "h100", "--output-dir", sys.argv[1]])
sys.stderr.write(" ".join(sys.modules))
"""
HEAVY = {"typing", "dataclasses", "inspect", "pathlib", "pydantic", "pydantic_core", "jsonschema", "rich", "difflib"}
HEAVY |= {
    "jsonpatch",
    "deepmerge",
    "cel_expr_python",
    "shutil",
    "tempfile",
    "importlib.metadata",
    "importlib.resources",
    "logging",
}


def test_a_render_imports_nothing_heavy(tmp_path: object) -> None:
    command = [sys.executable, "-S", "-c", PROGRAM, str(tmp_path)]
    environment = {"PYTHONPATH": ":".join(path for path in [".", *sys.path] if path)}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    imported = set(run.stderr.split())
    assert "nvcre_render.lower.workflow" in imported
    assert imported & HEAVY == set()
