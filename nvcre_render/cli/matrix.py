"""`nvcre-render matrix`: one manifest rendered for every platform and architecture that changes anything."""

from __future__ import annotations

import argparse
import sys

from nvcre_render import compiler, emit, matrix
from nvcre_render.cli import options as shared
from nvcre_render.cli import outputs
from nvcre_render.cli.inputs import Reader
from nvcre_render.cli.status import FINDINGS, FINE, USAGE
from nvcre_render.diagnostics import RenderError, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nvcre_render.matrix import Cell

_EXAMPLE = """\
example:
  nvcre-render matrix examples/mpi-basic.yaml --output-dir rendered/

writes rendered/aws-gb200.yaml and so on, one file a target, for snapshot tests. Without --output-dir the Workflows
are printed one after the other; their annotations name the target. An architecture in the manifest's node selector
is the only one rendered.
"""


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    made = argparse.ArgumentParser(
        prog="nvcre-render matrix",
        description="Render one WorkloadRun for every platform and GPU architecture that has any effect on it.",
        epilog=_EXAMPLE,
        formatter_class=shared.formatter,
    )
    made.add_argument("file", metavar="FILE", help="YAML or JSON file with one WorkloadRun, or -")
    made.add_argument("--output-dir", metavar="DIR", help="write DIR/PLATFORM-ARCHITECTURE.yaml instead of stdout")
    shared.add_fragments(made)
    options = made.parse_args(argv)
    documents, findings = Reader().read([options.file])
    library, faults = shared.library(options)
    report = Report([*findings, *faults])
    runs = compiler.runs(documents)
    if report.ok and any(compiler.is_workflow(document) for document in runs):
        sys.stderr.write(f"nvcre-render matrix: {options.file} holds a Workflow; give the WorkloadRun it was made of\n")
        return USAGE
    if report.ok and len(runs) != 1:
        sys.stderr.write(f"nvcre-render matrix: {options.file} holds {len(runs)} runs; give a file with exactly one\n")
        return USAGE
    if not report.ok:
        sys.stderr.write(f"{report}\n")
        return FINDINGS
    try:
        return _print(list(matrix.render(runs[0], library)), options.output_dir)
    except RenderError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return FINDINGS


def _print(cells: list[Cell], directory: str | None) -> int:
    warnings = Report(found for cell in cells for found in cell.rendered.diagnostics)
    if warnings.diagnostics:
        sys.stderr.write(f"{warnings}\n")
    if not directory:
        sys.stdout.write(emit.to_yaml(*(cell.rendered.workflow for cell in cells)))
        return FINE
    texts = {f"{cell.name}.yaml": cell.rendered.to_yaml() for cell in cells}
    return outputs.write(directory, texts, "matrix")
