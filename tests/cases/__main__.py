"""The command line of the case runner."""

import argparse
import sys

from tests.cases.disputed import Disputes
from tests.cases.product import Installed
from tests.cases.runner import run


def main(argv: list[str]) -> int:
    """Run the cases the arguments name; 0 if and only if nothing failed."""
    parser = argparse.ArgumentParser("python -m tests.cases", description="Run cases against the product.")
    parser.add_argument("directories", nargs="+", metavar="DIR", help="walked for case folders")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases whose path contains TEXT")
    parser.add_argument("--verbose", action="store_true", help="print the whole difference, uncut")
    options = parser.parse_args(argv)
    return run(
        options.directories,
        only=options.only,
        verbose=options.verbose,
        product=Installed(),
        disputes=Disputes.read(),
        out=sys.stdout,
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
