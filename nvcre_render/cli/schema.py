"""`nvcre-render schema KIND`: the JSON Schema of a kind of file, for editors and other checkers."""

from __future__ import annotations

import argparse
import sys

from nvcre_render.cli.options import formatter
from nvcre_render.cli.status import FINE
from nvcre_render.package_data import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMAS = {
    "workloadrun": "workloadrun.v1alpha1.json",
    "workflow": "workflow.v1alpha1.json",
    "fragment": "fragment.v1.json",
    "executor": "executor.v1.json",
}

_EXAMPLE = """\
example:
  nvcre-render schema > workloadrun.schema.json

and as the first line of a manifest, for the YAML language server:
  # yaml-language-server: $schema=workloadrun.schema.json
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="nvcre-render schema",
        description="Print the JSON Schema (2020-12) of a kind of file.",
        epilog=_EXAMPLE,
        formatter_class=formatter,
    )
    made.add_argument("kind", nargs="?", choices=tuple(SCHEMAS), default="workloadrun", help="default: workloadrun")
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(argv)
    sys.stdout.write(read_text("schemas", SCHEMAS[options.kind]))
    return FINE
