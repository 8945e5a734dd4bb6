"""`nvcre-render validate`: every finding about the given manifests, in the forms asked for."""

from __future__ import annotations

import argparse
import sys

from nvcre_render import compiler
from nvcre_render.cli import options as shared
from nvcre_render.cli.formats import text
from nvcre_render.cli.inputs import SHOWN_STDIN, STDIN, Reader
from nvcre_render.cli.progress import Progress
from nvcre_render.cli.status import FINDINGS, FINE, USAGE
from nvcre_render.diagnostics import ERROR, WARNING, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nvcre_render.diagnostics import Diagnostic

FORMATS = ("text", "json", "sarif", "github")
MENTIONS = (b"WorkloadRun", b"nvcre.nvidia.com/")

_EXAMPLE = """\
example:
  nvcre-render validate runs/
  nvcre-render validate run.yaml --platform aws --gpu-arch gb300 --strict
  nvcre-render validate runs/ --format github --format sarif=findings.sarif

text goes to stderr, the other formats to stdout; FORMAT=FILE writes a file, and several formats may be given.
Without --platform the findings are those that hold wherever the manifest is used.
Exit status: 0 no error, 1 an error (with --strict also a warning), 2 wrong usage.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="nvcre-render validate",
        description="Report every mistake in the WorkloadRuns of the given files, with place, reason and remedy.",
        epilog=_EXAMPLE,
        formatter_class=shared.formatter,
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="YAML or JSON file, directory of such files, or -")
    shared.add_target(made)
    made.add_argument(
        "--format",
        action="append",
        type=_form,
        metavar="FORMAT[=FILE]",
        help=f"{', '.join(FORMATS)}; default: text. May be repeated",
    )
    made.add_argument("--strict", action="store_true", help="let warnings fail as errors do")
    made.add_argument("--select", type=_codes, default=(), metavar="CODES", help="only these, such as NR2,NR611")
    made.add_argument("--ignore", type=_codes, default=(), metavar="CODES", help="all but these")
    made.add_argument(
        "--runs-only", action="store_true", help="pass over files and documents of other kinds in silence"
    )
    return made


def _form(given: str) -> tuple[str, str]:
    name, _, file = given.partition("=")
    if name not in FORMATS:
        raise argparse.ArgumentTypeError(f'"{name}" is not a format; the formats are {", ".join(FORMATS)}')
    return name, file


def _codes(given: str) -> tuple[str, ...]:
    """Read codes or beginnings of codes; one that no rule has is wrong usage, for it would select nothing."""
    from nvcre_render import rulebook

    codes = tuple(filter(None, given.upper().replace(" ", "").split(",")))
    for code in codes:
        if not any(known.startswith(code) for known in rulebook.rules()):
            raise argparse.ArgumentTypeError(f'no rule has a code that begins with "{code}"')
    return codes


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    made = parser()
    options = made.parse_args(argv)
    forms: list[tuple[str, str]] = options.format or [("text", "")]
    printed = [name for name, file in forms if name != "text" and not file]
    if len(printed) > 1:
        made.error(f"{' and '.join(printed)} cannot both go to stdout; write one to a file: {printed[0]}=FILE")
    reader = Reader(MENTIONS if options.runs_only else ())
    found, files, runs = _check(reader, options)
    findings = [each for each in Report(found) if _wanted(each, options.select, options.ignore)]
    for name, file in forms:
        status = _print(name, file, findings, reader, text.summary(findings, files, runs))
        if status != FINE:
            return status
    failing = (ERROR, WARNING) if options.strict else (ERROR,)
    return FINDINGS if any(each.severity in failing for each in findings) else FINE


def _check(reader: Reader, options: argparse.Namespace) -> tuple[list[Diagnostic], int, int]:
    """Return all findings, and the number of files and of runs they are about."""
    target, findings = shared.target(options)
    files = runs = 0
    progress = Progress()
    for file, documents, faults in reader.each(options.files):
        shown = SHOWN_STDIN if file == STDIN else file
        if options.runs_only:
            documents = [document for document in documents if compiler.names_run(document)]  # noqa: PLW2901
            if not documents and not faults:
                continue
        findings += compiler.validate(documents, faults, target, shown)
        files += 1
        runs += len(compiler.runs(documents))
        progress.show(files)
    progress.clear()
    return findings, files, runs


def _wanted(found: Diagnostic, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    return (not select or found.code.startswith(select)) and not (ignore and found.code.startswith(ignore))


def _print(name: str, file: str, findings: list[Diagnostic], reader: Reader, summary: str) -> int:
    if name == "text":
        colour = not file and text.wants_colour(sys.stderr)
        written = text.render(findings, reader.line, colour=colour) + summary
    else:
        written = _rendered(name, findings)
    if not file:
        (sys.stderr if name == "text" else sys.stdout).write(written)
        return FINE
    try:
        with open(file, "w", encoding="utf-8", newline="") as target:
            target.write(written)
    except OSError as error:
        sys.stderr.write(f"nvcre-render validate: {file}: cannot be written: {error.strerror}\n")
        return USAGE
    return FINE


def _rendered(name: str, findings: list[Diagnostic]) -> str:
    if name == "json":
        from nvcre_render.cli.formats import json_

        return json_.render(findings)
    if name == "sarif":
        from nvcre_render.cli.formats import sarif

        return sarif.render(findings)
    from nvcre_render.cli.formats import github

    return github.render(findings)
