"""What Kubeflow Trainer takes of a TrainJob: its name, and how many arguments (NR291, NR616).

(Kubeflow Trainer API, TrainJob; NVCRE guide, generated names.)
"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

NAME = Rule(
    code="NR291",
    name="name-unfit-for-train-jobs",
    severity=ERROR,
    summary="metadata.name begins with a digit, or has a dot in it.",
    why="The TrainJobs are named after the run, and a TrainJob's name is an RFC 1035 label: it is refused.",
    remedy="begin with a letter, and write '-' instead of '.'",
    bad=run().replace("metadata: {name: example}", "metadata: {name: 70b-pretrain}  # error"),
    good=run().replace("metadata: {name: example}", "metadata: {name: pretrain-70b}"),
)
TOO_MANY = Rule(
    code="NR616",
    name="too-many-trainer-arguments",
    severity=WARNING,
    summary="The trainer gets more than 128 arguments, or a command of more than 128 words.",
    why="Kubeflow Trainer refuses such a TrainJob. On mpi each variable takes two: -x and NAME=value.",
    remedy="move arguments into a script in config.inline, and variables that only the program reads too",
    bad=run().replace(
        "{torch: {script: /train.py}}",
        f"{{torch: {{script: /train.py, args: [{', '.join(['-v'] * 128)}]}}}}  # warning",
    ),
    good=run().replace(
        "{torch: {script: /train.py}}", f"{{torch: {{script: /train.py, args: [{', '.join(['-v'] * 127)}]}}}}"
    ),
)

MAX_ARGUMENTS = 128


def check_name(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield a finding when no TrainJob can be named after the run; `run` has a name that Kubernetes accepts."""
    name = run["metadata"]["name"]
    fault = "begins with a digit" if name[0].isdigit() else "has a dot in it"
    yield NAME.at(document, ("metadata", "name"), f'"{name}" {fault}, so no TrainJob can be named after it')


def check(trainer: Any, framework: str, document: Document) -> Iterator[Diagnostic]:
    """Yield a finding when a trainer, as it is built, has more arguments than Trainer takes."""
    for part in ("command", "args"):
        count = len(trainer.get(part, []))
        if count > MAX_ARGUMENTS:
            path: Path = ("spec", "framework", framework)
            message = f"the trainer gets {count} {'arguments' if part == 'args' else 'command words'}"
            yield TOO_MANY.at(document, path, f"{message}; Trainer takes {MAX_ARGUMENTS}", on_key=True)
