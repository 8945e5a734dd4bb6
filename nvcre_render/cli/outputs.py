"""Rendered files into a directory."""

from __future__ import annotations

import os
import sys

from nvcre_render.cli.status import FINDINGS, FINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write(directory: str, texts: Mapping[str, str], command: str) -> int:
    """Write every text under its file name, making the directory; say on stderr what fails, in the command's name."""
    try:
        os.makedirs(directory, exist_ok=True)
        for name, text in texts.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
    except OSError as error:
        sys.stderr.write(f"nvcre-render {command}: {error.filename}: cannot be written: {error.strerror}\n")
        return FINDINGS
    return FINE
