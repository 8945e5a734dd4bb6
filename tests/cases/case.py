"""Case folders: where they lie and which form they have."""

import os
from dataclasses import dataclass, field

from tests.cases.document import load_mapping

# The file that tells the form; `case.yaml` serves two and is looked into.
_MARKERS = {"workloadrun.yaml": "render", "right.yaml": "reports", "executor.yaml": "executor"}
_CASE_FILE = "case.yaml"


class CaseError(Exception):
    """The case cannot be judged: an unknown form, operation or reading, or a feature not built yet."""


@dataclass
class Walk:
    """What lies below one given directory: its case folders, and every folder that was looked into."""

    cases: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)


def walk(root: str) -> Walk:
    """Every case folder below a directory, the directory itself included, in order of path.

    A folder with any file besides prose is a case folder, so that one of an unknown form is noticed.
    """
    found = Walk()
    for path, subfolders, files in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "__pycache__")))
        found.folders.append(path)
        if any(not name.startswith(".") and not name.endswith(".md") for name in files):
            found.cases.append(path)
        if {_CASE_FILE, *_MARKERS} & set(files):
            subfolders.clear()
    return found


def form(folder: str) -> str:
    """The form of a case folder, told by its files and the keys of its `case.yaml`."""
    files = set(os.listdir(folder))
    for marker, name in _MARKERS.items():
        if marker in files:
            return name
    if _CASE_FILE in files:
        return _form_of_case_file(os.path.join(folder, _CASE_FILE))
    raise CaseError(f"unknown form: none of {', '.join([_CASE_FILE, *_MARKERS])} is here")


def _form_of_case_file(path: str) -> str:
    case = load_mapping(path)
    if "operation" in case:
        return "plan"
    if "kind" in case:
        return "overrides"
    raise CaseError(f"unknown form: {_CASE_FILE} has neither operation nor kind")
