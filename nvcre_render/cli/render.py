"""`nvcre-render render`: manifests in, Workflows out."""

from __future__ import annotations

import argparse
import sys

from nvcre_render import compiler
from nvcre_render.cli import options as shared
from nvcre_render.cli.findings import show
from nvcre_render.cli.inputs import Reader
from nvcre_render.cli.status import FINDINGS, FINE, USAGE
from nvcre_render.diagnostics import RenderError
from nvcre_render.emit import to_json, to_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nvcre_render.compiler import Rendered

_EXAMPLE = """\
example:
  nvcre-render render examples/mpi-basic.yaml --gpu-arch h100
  nvcre-render render runs/ --platform aws --gpu-arch gb300 --output-dir rendered/
  nvcre-render render runs/ --platform aws --gpu-arch gb300 --output-dir rendered/ --check

With a platform the overrides are applied, as they would be on that cluster; --overrides listed keeps them in
spec.overrides, as the object is created. Without a platform they stay listed.
Warnings go to stderr; on an error nothing is written and the exit status is 1.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="nvcre-render render",
        description="Render every WorkloadRun or Workflow of the given files into the Workflow that NVCRE would use.",
        epilog=_EXAMPLE,
        formatter_class=shared.formatter,
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="YAML or JSON file, directory of such files, or -")
    shared.add_target(made)
    shared.add_nodes(made)
    made.add_argument(
        "--overrides",
        choices=("listed", "resolved"),
        help="keep the overrides in spec.overrides, or apply them (default: resolved when a platform is given)",
    )
    made.add_argument("-o", "--output", choices=("yaml", "json"), default="yaml", help="output form (default: yaml)")
    made.add_argument("--output-dir", metavar="DIR", help="write one file a run, DIR/NAME.yaml, instead of stdout")
    made.add_argument("--check", action="store_true", help="write nothing; fail when a file of --output-dir is stale")
    made.add_argument("--set-name", metavar="N", help="render a single run under the name N")
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    made = parser()
    options = made.parse_args(argv)
    if options.check and not options.output_dir:
        made.error("--check compares with the files of --output-dir, which is not given")
    reader = Reader()
    documents, findings = reader.read(options.files)
    if options.set_name:
        if len(compiler.runs(documents)) != 1:
            sys.stderr.write("nvcre-render render: --set-name takes an input with exactly one WorkloadRun\n")
            return USAGE
        documents = [document.replaced(("metadata", "name"), options.set_name) for document in documents]
    target, faults = shared.target(options)
    try:
        rendered = compiler.render(documents, [*findings, *faults], target, options.files[0])
    except RenderError as refusal:
        show(refusal.diagnostics, reader)
        return FINDINGS
    show(rendered.diagnostics, reader)
    if options.output_dir:
        return _files(rendered, options.output_dir, options.output, check=options.check)
    sys.stdout.write(rendered.to_json() if options.output == "json" else rendered.to_yaml())
    return FINE


def _files(rendered: Rendered, directory: str, form: str, *, check: bool) -> int:
    """Write or check one file a Workflow; nothing at all when two would have one name."""
    emit = to_json if form == "json" else to_yaml
    texts = {f"{workflow['metadata']['name']}.{form}": emit(workflow) for workflow in rendered.workflows}
    if len(texts) < len(rendered.workflows):
        names = [workflow["metadata"]["name"] for workflow in rendered.workflows]
        twice = ", ".join(sorted({name for name in names if names.count(name) > 1}))
        message = f"nvcre-render render: several runs are called {twice}; render them into different directories\n"
        sys.stderr.write(message)
        return FINDINGS
    if check:
        from nvcre_render.cli import freshness

        return freshness.check(directory, texts, form)
    from nvcre_render.cli import outputs

    return outputs.write(directory, texts, "render")
