"""`nvcre-render trainjob`: KubeflowExecutor settings in, the TrainJob and its companions out."""

from __future__ import annotations

import argparse
import sys

from nvcre_render.cli.inputs import Reader
from nvcre_render.cli.options import formatter
from nvcre_render.cli.status import FINDINGS, FINE
from nvcre_render.diagnostics import Report
from nvcre_render.executor import releases, settings, submission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  nvcre-render trainjob examples/executor-minimal.yaml
  nvcre-render trainjob examples/executor-full.yaml --trainer-release 2.3 --name-suffix a1b2c3

Takes KubeflowExecutor settings, plain or as NeMo-Run saves them, with command or task and the other inputs of the
submission beside them. With workdir_pvc the pod that fills the claim comes first; comments show the transfers.
Findings go to stderr; on an error nothing is written and the exit status is 1.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="nvcre-render trainjob",
        description="Show the TrainJob that NeMo-Run submits for KubeflowExecutor settings, and what gets lost.",
        epilog=_EXAMPLE,
        formatter_class=formatter,
    )
    made.add_argument("file", metavar="FILE", help="YAML or JSON file, directory of such files, or -")
    made.add_argument("--name", metavar="N", help="the task's name, from which the TrainJob's is made")
    made.add_argument("--name-suffix", metavar="S", help="the six characters NeMo-Run draws (default: 000000)")
    made.add_argument(
        "--trainer-release",
        metavar="R",
        choices=releases.names(),
        help=f"Kubeflow Trainer release in the cluster: {', '.join(releases.names())} (default: 2.1)",
    )
    made.add_argument("--strict", action="store_true", help="refuse on warnings as well")
    made.add_argument("--force", action="store_true", help="print what NeMo-Run would submit in spite of errors")
    made.add_argument("-o", "--output", choices=("yaml", "json"), default="yaml", help="output form (default: yaml)")
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(argv)
    documents, findings = Reader().read([options.file])
    inputs, _ = settings.inputs(
        job_name=options.name, name_suffix=options.name_suffix, trainer_release=options.trainer_release
    )
    made, found = submission.submit(documents, findings, inputs, options.file)
    report = Report(found)
    for each in report:
        sys.stderr.write(f"{each}\n")
    refused = not report.ok or (options.strict and any(each.severity == "warning" for each in report))
    if made and (options.force or not refused):
        sys.stdout.write(submission.to_json(made) if options.output == "json" else submission.to_yaml(made))
    elif report.ok and refused:
        sys.stderr.write("nvcre-render trainjob: refused, since warnings count as errors under --strict\n")
    return FINDINGS if refused else FINE
