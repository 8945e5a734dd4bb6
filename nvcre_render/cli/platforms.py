"""`nvcre-render platforms`: what the package knows about platforms and GPU architectures."""

from __future__ import annotations

import argparse
import sys

from nvcre_render import fragments
from nvcre_render.cli import options as shared
from nvcre_render.cli.status import FINDINGS, FINE
from nvcre_render.diagnostics import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Row = tuple[str, ...]

_EXAMPLE = """\
example:
  nvcre-render platforms
"""


def run(argv: Sequence[str]) -> int:
    """Print both tables and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="nvcre-render platforms",
        description="Print the platforms with how a node is recognised, and the counts of each GPU architecture.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    shared.add_fragments(parser)
    library, faults = shared.library(parser.parse_args(argv))
    if faults:
        sys.stderr.write(f"{Report(faults)}\n")
        return FINDINGS
    own = library.platforms[len(fragments.package().platforms) :] if library else ()
    rows = [*platform_rows(), *((name, "--platform only", "-") for name in own)]
    sys.stdout.write(table(("PLATFORM", "A NODE IS RECOGNISED BY", "TOPOLOGY KEY"), rows))
    sys.stdout.write("\n")
    sys.stdout.write(table(("ARCHITECTURE", "GPUS", "NICS", "MNNVL", "EXCEPT ON"), hardware_rows()))
    return FINE


def platform_rows() -> list[Row]:
    """Return a row a platform: name, how its nodes are told, default topology key."""
    data = fragments.load("platforms.yaml")
    told: dict[str, list[str]] = {}
    for rule in data["detection"]:
        told.setdefault(rule["platform"], []).append(_condition(rule["when"]))
    return [
        (each["name"], "; ".join(told.get(each["name"], ["-"])), each.get("topologyKey", "-"))
        for each in data["platforms"]
    ]


def _condition(when: dict[str, Any]) -> str:
    if not when:
        return "anything else"
    provider = when["providerID"]
    parts = [f"providerID {provider['startsWith']}..." if "startsWith" in provider else "no providerID"]
    for label, test in when.get("labels", {}).items():
        parts.append(f"label {label}" + (f" with {test['contains']}" if "contains" in test else ""))
    return " and ".join(parts)


def hardware_rows() -> list[Row]:
    """Return a row an architecture: name, GPUs and NICs a node, MNNVL default, differing platforms."""
    hardware = fragments.load("hardware.yaml")
    known = [*sorted(hardware["architectures"].items()), ("any other", {**hardware["fallback"], "mnnvl": False})]
    return [
        (
            name,
            str(counts["gpusPerNode"]),
            str(counts["mlnxPerNode"]),
            "on" if counts["mnnvl"] else "off",
            _exceptions(hardware["corrections"], name) or "-",
        )
        for name, counts in known
    ]


def _exceptions(corrections: dict[str, Any], architecture: str) -> str:
    words = {"gpusPerNode": "GPUs", "mlnxPerNode": "NICs"}
    return "; ".join(
        f"{platform}: " + ", ".join(f"{count} {words[field]}" for field, count in by_name[architecture].items())
        for platform, by_name in corrections.items()
        if architecture in by_name
    )


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return aligned columns, two spaces apart, without trailing spaces."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )
