"""Progress: seen on a terminal by those who wait, and by nobody else."""

from __future__ import annotations

import io
import sys

import pytest

from nvcre_render.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, times: list[float]) -> str:
    """Return what a call shows that ends a file at each of the times, in seconds since its start."""
    now = [0.0]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    made = progress.Progress()
    for number, now[0] in enumerate(times, 1):
        made.show(number)
    made.clear()
    return stream.getvalue()


def test_a_quick_call_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), [0.1, 0.5, 0.9]) == ""


def test_a_long_call_counts_and_takes_its_line_away(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, Terminal(), [0.5, 1.5, 9.0])
    assert "\r2 files checked" in text
    assert text.endswith("\r\x1b[K")
    assert "\n" not in text


def test_a_log_is_kept_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), [5.0, 9.0]) == ""
