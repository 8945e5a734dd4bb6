"""The product's command line, run in this process, and what its user sees."""

import contextlib
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.cases.compare import Difference, mentions, show


@dataclass(frozen=True)
class Result:
    """What one call of the command line left behind."""

    code: int
    stdout: str
    stderr: str

    @property
    def outcome(self) -> str:
        """`ok` or `error`, by the exit code."""
        return "error" if self.code else "ok"


def capture(main: Callable[[list[str]], int], argv: list[str]) -> Result:
    """Call an entry point with its two streams caught; the code of a SystemExit counts as its result."""
    stdout, stderr = _stream(), _stream()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            code = main(argv)
        except SystemExit as stop:
            code = _exit_code(stop, stderr)
    return Result(code, _content(stdout), _content(stderr))


def judge(result: Result, allowed: Iterable[str], texts: Iterable[str]) -> Iterator[Difference]:
    """Hold a result against the outcomes allowed and the texts its user has to see."""
    seen = result.stdout + result.stderr
    if result.outcome not in allowed:
        yield Difference("outcome", " or ".join(allowed), f"{result.outcome} (exit {result.code}): {seen}")
    if result.outcome == "error" and result.stdout:
        yield Difference("stdout", "nothing, since the command was refused", show(result.stdout))
    if "Traceback" in result.stderr:
        yield Difference("stderr", "no traceback", result.stderr)
    yield from mentions(texts, seen, "must_mention")


def _stream() -> io.TextIOWrapper:
    # Not StringIO: a program may write to the buffer below its stream.
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="", write_through=True)


def _content(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _exit_code(stop: SystemExit, stderr: io.TextIOWrapper) -> int:
    if stop.code is None or isinstance(stop.code, int):
        return stop.code or 0
    stderr.write(f"{stop.code}\n")  # what the interpreter does with a text
    return 1
