"""How far a long call is: one line on a terminal that goes away again, nothing anywhere else."""

from __future__ import annotations

import sys
from time import monotonic

_PATIENCE = 1.0  # seconds before anything is shown
_PAUSE = 0.1  # seconds between two changes


class Progress:
    """Counts files on stderr; quiet for calls that end within a second."""

    def __init__(self) -> None:
        """Start the clock."""
        self._visible = sys.stderr.isatty()
        self._next = monotonic() + _PATIENCE
        self._shown = False

    def show(self, files: int) -> None:
        """Show that `files` files are done, if it is time to."""
        if self._visible and monotonic() >= self._next:
            self._next = monotonic() + _PAUSE
            self._shown = True
            sys.stderr.write(f"\r{files:,} files checked")
            sys.stderr.flush()

    def share(self, part: float) -> None:
        """Show how much of one long file is read, 0 to 1, if it is time to."""
        if self._visible and monotonic() >= self._next:
            self._next = monotonic() + _PAUSE
            self._shown = True
            sys.stderr.write(f"\r{part:4.0%} of the nodes read")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
