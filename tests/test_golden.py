"""Every example against its golden files: golden/EXAMPLE/TARGET.yaml (`make snapshots` rewrites them)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import nvcre_render as nr
from nvcre_render import compiler, matrix
from tests.goldens import ROOT, GoldenFile

EXAMPLES = sorted(path for path in Path("examples").glob("*.yaml") if not path.name.startswith("executor-"))
# One example a framework is rendered for every target that matters, and listed; the others for these two.
WHOLE = ("exec-basic", "mpi-basic", "torch-basic")
TARGETS = (("aws", "gb300"), ("onprem", "h100"))


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(GoldenFile)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_renders_as_its_golden_files_say(path: Path, golden: SnapshotAssertion) -> None:
    rendered = _whole(path) if path.stem in WHOLE else _chosen(path)
    for target, text in rendered.items():
        assert text == golden(name=target)
    assert sorted(file.stem for file in (ROOT / path.stem).glob("*.yaml")) == sorted(rendered)


def _whole(path: Path) -> dict[str, str]:
    (document,), _ = compiler.read(path.read_text(), str(path))
    cells = {cell.name: cell.rendered.to_yaml() for cell in matrix.render(document)}
    return {"listed-h100": nr.render(path.read_text(), gpu_arch="h100").to_yaml(), **cells}


def _chosen(path: Path) -> dict[str, str]:
    product = compiler.read(path.read_text(), str(path))[0][0].data["spec"].get("target")
    texts: dict[str, Any] = {}
    for platform, arch in TARGETS:
        # An example that names its product is rendered for it.
        rendered = nr.render(path.read_text(), platform=platform, gpu_arch=None if product else arch)
        found = rendered.workflow["metadata"]["annotations"]["nvcrectl.nvidia.com/detected-gpu-architecture"]
        texts[f"{platform}-{found}"] = rendered.to_yaml()
    return texts


def test_every_folder_of_goldens_belongs_to_an_example() -> None:
    assert {folder.name for folder in ROOT.iterdir() if folder.is_dir()} == {
        path.stem for path in Path("examples").glob("*.yaml")
    }
