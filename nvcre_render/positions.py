"""Places: where in a text something stands, and which field of a document it is."""

from __future__ import annotations

import re
from itertools import pairwise

from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Path = tuple[str | int, ...]
    Related = tuple[tuple["Position", str], ...]

_FREE_KEYS = ("labels", "annotations")  # mappings whose keys the user chooses


class Position(Record):
    """A place in a text: file name, 1-based line and 1-based column (in characters)."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """Show as editors and compilers do."""
        return f"{self.file}:{self.line}:{self.column}"


class Places:
    """Tells where a character of a text is.

    Lines end as editors see them, at LF, CR and CRLF; to libyaml also at NEL, LS and PS.
    """

    def __init__(self, text: str, file: str) -> None:
        """Remember the text; its lines are counted when a place is first asked for."""
        self._text, self._file = text, file
        self._starts: Sequence[int] = ()

    def at(self, offset: int) -> Position:
        """Return the place of the character at `offset`."""
        from array import array
        from bisect import bisect_right

        if offset == 0:
            return Position(file=self._file, line=1, column=1)
        if not self._starts:
            starts = array("L", [0])
            starts.extend(end.end() for end in re.finditer("\r\n?|\n", self._text))
            self._starts = starts
        line = bisect_right(self._starts, offset)
        return Position(file=self._file, line=line, column=offset - self._starts[line - 1] + 1)


def field_path(path: Path) -> str:
    """Write a path as Kubernetes does: keys joined by dots, list indices, labels and awkward keys in brackets.

    >>> field_path(("spec", "volumes", 2, "name")), field_path(("labels", "queue"))
    ('spec.volumes[2].name', 'labels["queue"]')
    """
    text = ""
    for before, step in pairwise(("", *path)):
        if isinstance(step, int):
            text += f"[{step}]"
        elif before not in _FREE_KEYS and step.replace("-", "").replace("_", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text
