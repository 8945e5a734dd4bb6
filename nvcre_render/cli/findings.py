"""Findings on stderr, as people read them: what every command prints beside its data."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nvcre_render.cli.inputs import Reader
    from nvcre_render.diagnostics import Diagnostic


def show(findings: Sequence[Diagnostic], reader: Reader) -> None:
    """Write the findings with the lines they are about; `reader` is the one that read the files."""
    if findings:  # a clean run loads nothing for this
        from nvcre_render.cli.formats import text

        sys.stderr.write(text.render(findings, reader.line, colour=text.wants_colour(sys.stderr)))
