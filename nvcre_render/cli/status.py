"""Exit statuses of the command line."""

from __future__ import annotations

FINE, FINDINGS, USAGE = 0, 1, 2
INTERRUPTED = 130  # 128 + SIGINT
BROKEN_PIPE = 141  # 128 + SIGPIPE
