"""Golden files under our own names: golden/CASE/TARGET.yaml, compared byte for byte.

A test parametrised with the id CASE calls `golden(TARGET, text)`; `pytest --snapshot-update` rewrites the files.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import yaml
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

ROOT = Path(__file__).resolve().parent.parent / "golden"


class GoldenFile(SingleFileSnapshotExtension):
    """One plain YAML file a snapshot, in the folder of its case."""

    _write_mode = WriteMode.TEXT
    file_extension = "yaml"

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:
        """Return golden/CASE, from the id of the test; syrupy asks for tests without goldens too."""
        case = case_of(test_location.testname)
        return str(ROOT / case if case.replace("-", "").isalnum() else ROOT)

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        """Return the name given in the test: the target."""
        del test_location
        return str(index)

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Any:
        """Show the first field that differs, a unified diff, and how to accept the change."""
        yield f"first difference: {first_difference(snapshot_data, serialized_data)}"
        lines = (str(snapshot_data).splitlines(), str(serialized_data).splitlines())
        yield from difflib.unified_diff(*lines, "golden", "rendered", lineterm="", n=3)
        yield "accept it with: .venv/bin/pytest --snapshot-update -k CASE"


def case_of(testname: str) -> str:
    """Return the id in brackets of a parametrised test's name."""
    return testname.partition("[")[2].removesuffix("]")


def first_difference(left: Any, right: Any) -> str:
    """Return the path at which two YAML texts first differ as data."""
    return _walk(yaml.safe_load(left or ""), yaml.safe_load(right), "") or "none as data, only in form"


def _walk(left: Any, right: Any, path: str) -> str | None:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            if key not in left or key not in right:
                return f"{path}.{key} is only in the {'golden file' if key in left else 'render'}"
            if found := _walk(left[key], right[key], f"{path}.{key}"):
                return found
        return None
    if isinstance(left, list) and isinstance(right, list):
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            if found := _walk(one, other, f"{path}[{index}]"):
                return found
        return None if len(left) == len(right) else f"{path} has {len(left)} and {len(right)} items"
    return None if left == right else f"{path}: {left!r} and {right!r}"
