"""`disputed.yaml`: the cases believed to be wrong, each with a sentence of why."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.cases.compare import Difference, show
from tests.cases.document import load_mapping

FILE = os.path.join(os.path.dirname(__file__), "disputed.yaml")


@dataclass(frozen=True)
class Disputes:
    """The entries of the file, by path."""

    entries: dict[str, Any]

    @classmethod
    def read(cls, path: str = FILE) -> "Disputes":
        """The entries of a file."""
        return cls(load_mapping(path))

    def reason(self, case: str) -> str | None:
        """Why a case is disputed, None where it is not."""
        return next((str(why) for entry, why in self.entries.items() if _is(case, entry)), None)

    def wrong(self, folders: Iterable[str], cases: Iterable[str]) -> Iterator[tuple[str, Difference]]:
        """The entries without a sentence, and those that name no case of a folder that was walked."""
        folders, cases = list(folders), list(cases)
        for entry, why in self.entries.items():
            if not isinstance(why, str) or not why.strip():
                yield entry, Difference("disputed.yaml", "a sentence of why", show(why))
            elif _walked(entry, folders) and not any(_is(case, entry) for case in cases):
                yield entry, Difference("disputed.yaml", "an existing case", "none at that path")


def _is(path: str, entry: str) -> bool:
    return f"{os.path.abspath(path)}/".endswith(f"/{entry.strip('/')}/")


def _walked(entry: str, folders: list[str]) -> bool:
    parent = os.path.dirname(entry.strip("/"))
    return not parent or any(_is(folder, parent) for folder in folders)
