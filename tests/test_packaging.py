"""The wheel: built from a clean copy, installed alone, and used from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: installed}
spec: {image: a:1, numNodes: 2, framework: {mpi: {binary: /b, mpirunPath: /m}}}
"""
EMBEDDER = """\
import sys
import nvcre_render as nr
assert "wheel-target" in nr.__file__, nr.__file__
rendered = nr.render(sys.stdin.read(), gpu_arch="gb200")
sys.stdout.write(rendered.workflow["metadata"]["name"])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*build, directory, ROOT], check=True)
    (built,) = directory.glob("*.whl")
    return built


def test_the_wheel_holds_the_data_and_the_type_marker(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "nvcre_render/py.typed",
        "nvcre_render/fragments/compiled.json",
        "nvcre_render/fragments/workflow.yaml",
        "nvcre_render/schemas/workloadrun.v1alpha1.json",
    } <= names
    assert not any(name.startswith(("tests/", "golden/", "scripts/")) for name in names)


def test_an_installed_wheel_renders_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "wheel-target"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, target, wheel], check=True)
    environment = {**os.environ, "PYTHONPATH": str(target)}
    for command, expected in (
        ([sys.executable, "-c", EMBEDDER], "installed"),
        ([sys.executable, "-m", "nvcre_render", "render", "-", "--gpu-arch", "h100"], "apiVersion: "),
    ):
        run = subprocess.run(
            command, input=MANIFEST, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
        )
        assert run.stdout.startswith(expected)
