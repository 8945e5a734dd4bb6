"""The hooks of .pre-commit-hooks.yaml under the real pre-commit, on a scratch repository; and the pages about them.

The hooks run with the nvcre-render of this environment, so that nothing has to be installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
PAGE = (ROOT / "docs" / "continuous-integration.md").read_text()

RUN = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: a}
spec:
  image: trainer:1
  numNodes: 2
  framework: {torch: {script: /t.py}}
"""
RENDER = ["runs/", "--platform", "aws", "--gpu-arch", "h100", "--output-dir", "rendered"]


class Repository:
    """A git repository that uses our hooks."""

    def __init__(self, root: Path) -> None:
        self.root, self.hooks = root / "manifests", root / "hooks"
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": str(root / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        self.write(".pre-commit-hooks.yaml", (ROOT / ".pre-commit-hooks.yaml").read_text(), self.hooks)
        revision = self.commit(self.hooks)
        uses = [
            {"id": "nvcre-validate", "language": "system"},
            {"id": "nvcre-render-check", "language": "system", "args": RENDER},
        ]
        config = {"repos": [{"repo": str(self.hooks), "rev": revision, "hooks": uses}]}
        self.write(".pre-commit-config.yaml", yaml.safe_dump(config))

    def write(self, name: str, text: str, root: Path | None = None) -> None:
        path = (root or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def call(self, *command: str, root: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=root or self.root, env=self.environment, capture_output=True, text=True, check=False
        )

    def commit(self, root: Path) -> str:
        self.call("git", "init", "-q", root=root)
        self.call("git", "add", "-A", root=root)
        self.call("git", "commit", "-q", "-m", "x", root=root)
        return self.call("git", "rev-parse", "HEAD", root=root).stdout.strip()

    def hook(self, name: str) -> subprocess.CompletedProcess[str]:
        self.call("git", "init", "-q")
        self.call("git", "add", "-A")
        return self.call(sys.executable, "-m", "pre_commit", "run", name, "--all-files", "--color", "never")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.write("runs/a.yaml", RUN)
    made.write(".github/workflows/ci.yml", "on: [push]\njobs: {}\n")
    made.write("chart/template.yaml", "{{ if .Values.x }}\na: [\n{{ end }}\n")
    made.write("package.json", "{}\n")
    return made


def test_valid_manifests_pass_among_files_of_all_kinds(repository: Repository) -> None:
    done = repository.hook("nvcre-validate")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^WorkloadRuns are valid\.+Passed$", done.stdout, re.MULTILINE)


def test_a_mistake_fails_with_its_place_and_remedy(repository: Repository) -> None:
    repository.write("runs/b.yaml", RUN.replace("numNodes: 2", "numNodes: two"))
    done = repository.hook("nvcre-validate")
    assert done.returncode == 1
    assert "runs/b.yaml:6:13: NR204 error: spec.numNodes" in done.stdout
    assert "help: write a whole number" in done.stdout


def test_rendered_files_that_are_missing_stale_or_left_over_fail_and_fresh_ones_pass(repository: Repository) -> None:
    missing = repository.hook("nvcre-render-check")
    assert missing.returncode == 1
    assert "rendered/a.yaml: missing" in missing.stdout
    command = [sys.executable, "-m", "nvcre_render", "render", *RENDER]
    assert repository.call(*command).returncode == 0
    assert repository.hook("nvcre-render-check").returncode == 0
    repository.write("runs/a.yaml", RUN.replace("trainer:1", "trainer:2"))
    stale = repository.hook("nvcre-render-check")
    assert stale.returncode == 1
    assert re.search(r"rendered/a\.yaml:\d+: stale", stale.stdout)
    repository.write("runs/a.yaml", RUN.replace("name: a", "name: b"))
    assert repository.call(*command).returncode == 0
    assert "rendered/a.yaml: no run is rendered into this file" in repository.hook("nvcre-render-check").stdout


def test_the_hooks_are_the_ones_the_docs_name() -> None:
    ids = [hook["id"] for hook in HOOKS]
    assert ids == ["nvcre-validate", "nvcre-render-check"]
    blocks = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)]
    config = next(block for block in blocks if "repos" in block)
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == ids


def test_the_hooks_look_at_every_file_the_command_reads() -> None:
    from nvcre_render.cli.inputs import SUFFIXES

    for hook in HOOKS:
        assert hook["types_or"] == ["yaml", "json"]
        assert hook["language"] == "python"
        assert hook["entry"].split()[0] == "nvcre-render"
    assert {suffix.lstrip(".").replace("yml", "yaml") for suffix in SUFFIXES} == {"yaml", "json"}


def test_every_command_the_page_shows_is_understood() -> None:
    from nvcre_render.cli import render, validate

    shown = re.findall(r"nvcre-render (validate|render) (runs/.*)$", PAGE, re.MULTILINE)
    assert len(shown) == 4
    for command, arguments in shown:
        module = validate if command == "validate" else render
        module.parser().parse_args(arguments.split())
