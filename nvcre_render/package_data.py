"""Where the package's own data files are: beside the code when installed, at the top level in a checkout."""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def directory(name: str) -> str:
    """Return the path of the data directory `name`: fragments or schemas."""
    installed = os.path.join(_HERE, name)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(_HERE), name)


def read_text(*parts: str) -> str:
    """Return the text of the data file with these path parts: a data directory, then names below it."""
    with open(os.path.join(directory(parts[0]), *parts[1:]), encoding="utf-8", newline="") as file:
        return file.read()
