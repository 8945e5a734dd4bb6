"""`nvcre-render plan`: which nodes form which groups, and the Jobs that come of them."""

from __future__ import annotations

import argparse
import sys

from nvcre_render import compiler
from nvcre_render.cli import options as shared
from nvcre_render.cli.inputs import STDIN, Reader
from nvcre_render.cli.status import FINDINGS, FINE, USAGE
from nvcre_render.diagnostics import RenderError, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.planning.nodelist import NodeList
    from nvcre_render.planning.result import Plan

_EXAMPLE = """\
example:
  kubectl get nodes -o json > nodes.json
  nvcre-render plan run.yaml --nodes nodes.json
  nvcre-render plan run.yaml --nodes nodes.json -o html > plan.html

numNodes is the size of one group, not of the whole run: the table shows the arithmetic. Platform and GPU architecture
are read from the nodes. `-o json` is the fast way to save nodes; YAML is read as well.
"""


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    made = argparse.ArgumentParser(
        prog="nvcre-render plan",
        description="Show which nodes form which groups, and the exact Job, TrainJob and dependencies of each.",
        epilog=_EXAMPLE,
        formatter_class=shared.formatter,
    )
    made.add_argument("file", metavar="FILE", help="YAML or JSON file with one WorkloadRun or Workflow, or -")
    shared.add_nodes(made, required=True)
    made.add_argument("--platform", default="", metavar="P", help="what the fleet is, where its nodes show otherwise")
    shared.add_fragments(made)
    made.add_argument(
        "-o",
        "--output",
        choices=("table", "yaml", "json", "html"),
        default="table",
        help="output form (default: table)",
    )
    options = made.parse_args(argv)
    if options.file == STDIN and options.nodes == STDIN:
        sys.stderr.write("nvcre-render plan: only one of FILE and --nodes can be standard input\n")
        return USAGE
    reader = Reader()
    documents, findings = reader.read([options.file])
    nodes, faults = shared.nodes(options)
    library, broken = shared.library(options)
    report = Report([*findings, *faults, *broken])
    ours = compiler.runs(documents)
    if report.ok and len(ours) != 1:
        sys.stderr.write(f"nvcre-render plan: {options.file} holds {len(ours)} runs; give a file with exactly one\n")
        return USAGE
    if nodes is None or not report.ok:
        sys.stderr.write(f"{report}\n")
        return FINDINGS
    return _plan(ours[0], nodes, options, library)


def _plan(document: Document, nodes: NodeList, options: argparse.Namespace, library: Library | None) -> int:
    from nvcre_render.planning import manifest as planning

    try:
        made, report = planning.of_document(document, nodes, platform=options.platform, library=library)
    except RenderError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return FINDINGS
    if report.diagnostics:
        sys.stderr.write(f"{report}\n")
    sys.stdout.write(_form(options.output)(made))
    return FINE


def _form(name: str) -> Callable[[Plan], str]:
    """Return the function that writes a plan in a form; the page and the table are loaded when asked for."""
    if name == "yaml":
        return lambda plan: plan.to_yaml()
    if name == "json":
        return lambda plan: plan.to_json()
    if name == "html":
        from nvcre_render.planning import page

        return page.html
    from nvcre_render.planning import table

    return table.text
