"""`nvcre-render explain CODE`: what a rule flags, why, and what to write instead."""

from __future__ import annotations

import argparse
import sys

from nvcre_render import rulebook
from nvcre_render.cli.options import formatter
from nvcre_render.cli.status import FINE, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  nvcre-render explain NR201
  nvcre-render explain unknown-field

docs/rules/ holds the same pages.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="nvcre-render explain",
        description="Print the page of a rule: what it flags, why, a bad and a good example.",
        epilog=_EXAMPLE,
        formatter_class=formatter,
    )
    made.add_argument("code", metavar="CODE", help="code or name of a rule, as findings show it")
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    code: str = parser().parse_args(argv).code
    rule = rulebook.find(code)
    if rule is None:
        sys.stderr.write(f'nvcre-render explain: no rule is called "{code}"{_hint(code)}\n')
        return USAGE
    sys.stdout.write(rulebook.page(rule))
    return FINE


def _hint(code: str) -> str:
    from nvcre_render.checks.spelling import suggestion

    known = [name for rule in rulebook.rules().values() for name in (rule.code, rule.name)]
    near = suggestion(code, known)
    return f"; did you mean {near}?" if near else "; docs/rules/README.md lists them all"
