"""Platforms of one's own: block files of a directory beside those of the package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from nvcre_render import fragments, in_house, matrix, source
from nvcre_render.cli.main import main
from nvcre_render.compiler import render
from nvcre_render.rendering import Target

PAGE = Path("docs/fragments.md").read_text()
LAB = next(text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "name: lab" in text)
RUN = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: r}
spec: {image: a:1, numNodes: 2, mlnxPerNode: 4, framework: {FRAMEWORK}}
"""
TORCH = RUN.replace("FRAMEWORK", "torch: {script: /t.py}")
MPI = RUN.replace("FRAMEWORK", "mpi: {binary: /b, mpirunPath: /m}")


def library(text: str = LAB) -> fragments.Library:
    documents, unread = source.read(text, "lab.yaml")
    extended, findings = in_house.extend(fragments.package(), documents)
    assert [*unread, *findings] == []
    return extended


def spec(run: str) -> Any:
    documents, _ = source.read(run, "run.yaml")
    target = Target(platform="lab", gpu_arch="h200", library=library())
    return render(documents, [], target, "run.yaml").workflow["spec"]


def test_one_file_makes_a_platform() -> None:
    trainer = spec(TORCH)["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]
    assert trainer["env"] == [{"name": "NCCL_IB_HCA", "value": "mlx5_0"}, {"name": "NCCL_IB_GID_INDEX", "value": "3"}]
    worker = spec(TORCH)["dependencies"][0]["spec"]["template"]["spec"]["replicatedJobs"][0]
    limits = worker["template"]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"nvidia.com/gpu": "8", "rdma/lab": "4"}


def test_its_mpirun_arguments_stand_before_the_binary() -> None:
    trainer = spec(MPI)["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]
    assert trainer["args"][-5:] == ["-x", "NCCL_IB_HCA=mlx5_0", "-x", "NCCL_IB_GID_INDEX=3", "/b"]
    assert "env" not in trainer


def test_it_joins_the_matrix() -> None:
    (document,), _ = source.read(TORCH, "run.yaml")
    names = {cell.name for cell in matrix.render(document, library())}
    assert {"lab-a100", "lab-rtxpro6000", "aws-h100"} <= names


def test_the_package_is_not_changed() -> None:
    library()
    assert "lab" not in fragments.package().platforms
    assert all(block["id"] != "lab-nics" for block in fragments.package().blocks)


@pytest.mark.parametrize(
    ("text", "code", "line", "remedy"),
    [
        ("blocks:\n  - id: a\n    when: {}\n    mpiArg: [x]\n", "NR701", 2, "schemas/fragment.v1.json"),
        ("blocks:\n  - id: aws-gb200-efa\n    when: {}\n", "NR702", 2, "another id"),
        ("blocks:\n  - id: a\n    when: {platform: {equals: lab}}\n", "NR703", 3, "platforms: [{name: lab}]"),
        ("blocks:\n  - id: a\n    when: {platform: {in: [gpc]}}\n", "NR703", 3, 'did you mean "gcp"?'),
        ("blocks:\n  - id: a\n    when: {}\n    mpiArgs: ['${nam}']\n", "NR704", 4, 'did you mean "name"?'),
    ],
)
def test_a_fault_is_found_at_its_line_with_a_remedy(text: str, code: str, line: int, remedy: str) -> None:
    documents, _ = source.read(text, "lab.yaml")
    _, (found,) = in_house.extend(fragments.package(), documents)
    assert found.position is not None
    assert (found.code, found.position.file, found.position.line) == (code, "lab.yaml", line)
    assert remedy in found.remedy


def test_the_command_line_takes_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.yaml").write_text(LAB)
    (tmp_path / "run.yaml").write_text(TORCH)
    call = ["render", str(tmp_path / "run.yaml"), "--platform", "lab", "--gpu-arch", "h200"]
    assert main([*call, "--fragments", str(tmp_path / "lab")]) == 0
    assert "rdma/lab" in capsys.readouterr().out
    assert main(call) == 1
    assert 'invalid --platform "lab"' in capsys.readouterr().err
