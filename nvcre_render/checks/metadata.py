"""The run's own labels, annotations and namespace (NR265 to NR267). (Kubernetes API, object metadata.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import MAX_LABEL, is_dns_label, is_label_value, is_qualified_name
from nvcre_render.diagnostics import ERROR, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun


def _run(metadata: str) -> str:
    return run().replace("metadata: {name: example}", f"metadata: {{name: example, {metadata}")


LABEL = Rule(
    code="NR265",
    name="malformed-label",
    severity=ERROR,
    summary="A label of the WorkloadRun itself that Kubernetes does not accept.",
    why="The API server refuses the object.",
    remedy="write letters, digits, '-', '_' or '.', beginning and ending with a letter or digit, 63 at most",
    bad=_run('labels: {team: "vision, night"}}  # error'),
    good=_run("labels: {team: vision-night}}"),
)
ANNOTATION = Rule(
    code="NR266",
    name="malformed-annotation-key",
    severity=ERROR,
    summary="An annotation of the WorkloadRun itself has a key that Kubernetes does not accept.",
    why="The API server refuses the object; only the values of annotations are free.",
    remedy="write a name of 63 letters, digits, '-', '_' or '.', with an optional DNS prefix and a slash before it",
    bad=_run("annotations: {asked for by: mara}}  # error"),
    good=_run("annotations: {example.com/asked-for-by: mara}}"),
)
NAMESPACE = Rule(
    code="NR267",
    name="malformed-namespace",
    severity=ERROR,
    summary="metadata.namespace is not a name a namespace can have.",
    why="The API server refuses the object.",
    remedy="write at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit",
    bad=_run("namespace: Team_A}  # error"),
    good=_run("namespace: team-a}"),
)

_METADATA = "metadata"


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with labels, annotations and namespace of the run."""
    metadata: Any = run["metadata"]
    for key, value in metadata.get("labels", {}).items():
        path = (_METADATA, "labels", key)
        if not is_qualified_name(key):
            yield LABEL.at(document, path, f'"{key}" is not a label key of Kubernetes', on_key=True)
        elif not is_label_value(value):
            yield LABEL.at(document, path, f'"{value}" is not a label value of Kubernetes')
    for key in metadata.get("annotations", {}):
        # The prefix of an annotation's key may be in capitals, which Kubernetes takes as small letters.
        if not is_qualified_name(key.lower()):
            message = f'"{key}" is not an annotation key of Kubernetes'
            yield ANNOTATION.at(document, (_METADATA, "annotations", key), message, on_key=True)
    namespace = metadata.get("namespace", "")
    if namespace and (not is_dns_label(namespace) or len(namespace) > MAX_LABEL):
        yield NAMESPACE.at(document, (_METADATA, "namespace"), f'"{namespace}" is not a name for a namespace')
