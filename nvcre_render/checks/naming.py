"""The run's own name, from which every generated name and label is made (NR22x)."""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import MAX_LABEL, is_dns_subdomain
from nvcre_render.diagnostics import ERROR, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun

MISSING_NAME = Rule(
    code="NR221",
    name="missing-name",
    severity=ERROR,
    summary="The WorkloadRun has no metadata.name.",
    why="The names of the Workflow, its runtime and its ConfigMap are made from it.",
    remedy="add metadata.name, or render with --set-name NAME",
    bad=run().replace("metadata: {name: example}", "metadata: {namespace: team}  # error"),
    good=run(),
)
MALFORMED_NAME = Rule(
    code="NR222",
    name="malformed-name",
    severity=ERROR,
    summary="metadata.name is not a name Kubernetes accepts, or too long for a label.",
    why="The name becomes the label nvcre.nvidia.com/workload-run, and labels end at 63 characters.",
    remedy="write at most 63 lower-case letters, digits and '-', a letter first and a letter or digit last",
    bad=run().replace("metadata: {name: example}", "metadata: {name: My_Run}  # error"),
    good=run().replace("metadata: {name: example}", "metadata: {name: my-run}"),
)


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield a finding when the run's name is missing, malformed or too long."""
    metadata: Any = run.get("metadata")
    if metadata is None:  # a finding of its own, as is a name that is no text
        return
    name = metadata.get("name", "")
    path = ("metadata", "name")
    if document.data["metadata"].get("name") in (None, ""):
        yield MISSING_NAME.at(document, path, "metadata.name is missing", on_key=True)
    elif len(name) > MAX_LABEL:
        yield MALFORMED_NAME.at(document, path, f'"{name}" has {len(name)} characters; the maximum is {MAX_LABEL}')
    elif name and not is_dns_subdomain(name):
        yield MALFORMED_NAME.at(document, path, f'"{name}" is not a name of Kubernetes')
