"""Whether rendered files in a repository are what a render would write now, for hooks and CI."""

from __future__ import annotations

import os
import sys

from nvcre_render.cli.status import FINDINGS, FINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# How every rendered file begins; others in the directory are none of our business.
_BEGINNINGS = {
    "yaml": "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: Workflow\n",
    "json": '{\n  "kind": "Workflow",\n  "apiVersion": "nvcre.nvidia.com/v1alpha1"',
}
_REMEDY = "render again without --check, and commit what changes"


def check(directory: str, texts: Mapping[str, str], form: str) -> int:
    """Say on stderr which files of `directory` differ from `texts`, by file name, and return the exit status."""
    stale = [*_stale(directory, texts), *_orphans(directory, texts, form)]
    for line in stale:
        sys.stderr.write(f"{line}\n")
    if stale:
        sys.stderr.write(f"  help: {_REMEDY}\n")
    return FINDINGS if stale else FINE


def _stale(directory: str, texts: Mapping[str, str]) -> Iterator[str]:
    for name, text in texts.items():
        path = os.path.join(directory, name)
        written = _read(path)
        if written is None:
            yield f"{path}: missing"
        elif written != text:
            yield f"{path}:{_first_difference(written, text)}: stale"


def _first_difference(written: str, text: str) -> int:
    old, new = written.split("\n"), text.split("\n")
    return next((number for number, pair in enumerate(zip(old, new, strict=False), 1) if pair[0] != pair[1]), len(old))


def _orphans(directory: str, texts: Mapping[str, str], form: str) -> Iterator[str]:
    """Yield the rendered files of runs that are not there any more."""
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
        path = os.path.join(directory, name)
        if name in texts or not name.endswith(f".{form}") or os.path.isdir(path):
            continue
        if (_read(path) or "").startswith(_BEGINNINGS[form]):
            yield f"{path}: no run is rendered into this file"


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError:
        return None
