"""The command line as a user sees it: exit status, stdout and stderr, apart. Cases: tests/cli/*.yaml."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nvcre_render.cli import main as entry
from nvcre_render.cli.main import main

TABLES = sorted((Path(__file__).parent / "cli").glob("*.yaml"))
KEYS = {"name", "files", "stdin", "args", "exit", "stdout", "stderr", "written"}


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{table.stem}: {case['name']}")
        for table in TABLES
        for case in yaml.safe_load(table.read_text())
    ]


@pytest.mark.parametrize("case", cases())
def test_the_command_line(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert case.keys() <= KEYS
    monkeypatch.chdir(tmp_path)
    for name, text in case.get("files", {}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(case.get("stdin", "").encode())))
    status = call(case["args"])
    seen = capsys.readouterr()
    assert_text(seen.err, case["stderr"])
    assert_text(seen.out, case["stdout"])
    assert status == case["exit"]
    for name in case.get("written", []):
        assert (tmp_path / name).read_text().startswith("apiVersion: nvcre.nvidia.com/v1alpha1\nkind: Workflow\n")
    assert sorted(case.get("written", [])) == sorted(
        path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("out/*")
    )


def call(args: list[str]) -> int:
    try:
        return main(args)
    except SystemExit as left:
        return int(str(left.code))


def assert_text(seen: str, expected: str | dict[str, Any]) -> None:
    if isinstance(expected, str):
        assert seen == expected
        return
    assert expected.keys() <= {"starts", "contains"}
    assert seen.startswith(expected.get("starts", ""))
    for part in expected.get("contains", []):
        assert part in seen


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_dispatch", interrupted)
    assert main(["render", "x"]) == 128 + signal.SIGINT
    seen = capsys.readouterr()
    assert (seen.out, seen.err) == ("", "")


def test_a_closed_pipe_ends_quietly() -> None:
    manifest = Path("examples/mpi-basic.yaml").read_bytes()
    process = subprocess.Popen(
        [sys.executable, "-m", "nvcre_render", "render", "-", "--gpu-arch", "h100"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(manifest)
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 128 + signal.SIGPIPE


def test_the_module_runs_like_the_command() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "nvcre_render", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("nvcre-render ")
