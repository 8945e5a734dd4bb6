"""Every executor example against its golden files: golden/EXAMPLE/trainer-RELEASE.yaml and its findings.

`pytest tests/test_golden_executor.py --snapshot-update` rewrites them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from nvcre_render.executor import releases
from tests.executors import built
from tests.goldens import ROOT, GoldenFile, first_difference

EXAMPLES = sorted(Path("examples").glob("executor-*.yaml"))


class Objects(GoldenFile):
    """The objects of one release, one document each."""

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Any:
        """Show the first field that differs in each document, a unified diff, and how to accept the change."""
        made, kept = ([*yaml.safe_load_all(text or "")] for text in (serialized_data, snapshot_data))
        for left, right in zip(kept, made, strict=False):
            yield f"{right['kind']}: {first_difference(yaml.safe_dump(left), yaml.safe_dump(right))}"
        yield from unified(snapshot_data, serialized_data)


class Findings(GoldenFile):
    """The findings of one release, as its user reads them; no file where there are none."""

    file_extension = "stderr"

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Any:
        """Show a unified diff, and how to accept the change."""
        yield from unified(snapshot_data, serialized_data)


def unified(kept: Any, made: Any) -> Iterator[str]:
    yield from difflib.unified_diff(str(kept).splitlines(), str(made).splitlines(), "golden", "made", lineterm="", n=3)
    yield "accept it with: .venv/bin/pytest tests/test_golden_executor.py --snapshot-update -k CASE"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_executor_gives_what_its_golden_files_say(path: Path, snapshot: SnapshotAssertion) -> None:
    objects, findings = snapshot.use_extension(Objects), snapshot.use_extension(Findings)
    written = set()
    for release in releases.names():
        made = built(path.read_text(), trainer_release=release)
        name = f"trainer-{release}"
        assert made.to_yaml() == objects(name=name)
        written.add(f"{name}.yaml")
        if made.diagnostics:
            text = "".join(f"{found}\n" for found in made.diagnostics)
            assert text == findings(name=name)
            written.add(f"{name}.stderr")
    assert {file.name for file in (ROOT / path.stem).iterdir()} == written


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_clean_for_the_release_nemo_run_writes_for(path: Path) -> None:
    assert built(path.read_text()).diagnostics == ()
