"""The stages of a render, in their order; each is a function of its input and changes nothing else.

source -> checks -> facts -> lower -> emit
"""

from __future__ import annotations

from nvcre_render import emit, facts, rendering, source
from nvcre_render.checks import (
    labels,
    naming,
    orchestration,
    reading_rules,
    reserved,
    schema,
    selection,
    target_rules,
    unions,
)
from nvcre_render.diagnostics import ERROR, Diagnostic, RenderError, Report
from nvcre_render.document import from_mapping, not_json
from nvcre_render.positions import Position
from nvcre_render.record import Record
from nvcre_render.rendering import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.model.workflow import Workflow
    from nvcre_render.rendering import Made

    Source = str | bytes | Mapping[str, Any]

API_GROUP = "nvcre.nvidia.com/"
RUN, WORKFLOW = "WorkloadRun", "Workflow"


class Rendered(Record):
    """What a render gives: the Workflows, in the order of their documents, and what users should know."""

    workflows: tuple[Workflow, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def workflow(self) -> Workflow:
        """The Workflow of an input that holds exactly one run; ValueError otherwise."""
        if len(self.workflows) != 1:
            raise ValueError(f"{len(self.workflows)} runs were rendered; read .workflows")
        return self.workflows[0]

    def to_yaml(self) -> str:
        """Return the Workflows as YAML, documents separated by `---`."""
        return emit.to_yaml(*self.workflows)

    def to_json(self) -> str:
        """Return the Workflow as JSON; several are wrapped in a v1 List, as kubectl prints them."""
        if len(self.workflows) == 1:
            return emit.to_json(self.workflows[0])
        return emit.to_json({"apiVersion": "v1", "kind": "List", "items": list(self.workflows)})


def read(given: Source, filename: str) -> tuple[list[Document], list[Diagnostic]]:
    """Return the documents of a text or a mapping, and what could not be read."""
    if isinstance(given, (str, bytes)):
        return source.read(given, filename)
    rule = reading_rules.NOT_JSON
    faults = [
        Diagnostic(
            rule=rule, message=message, path=path, remedy="write a text, a number, true, false, a list or a mapping"
        )
        for path, message in not_json(given)
    ]
    return ([], faults) if faults else ([from_mapping(given, filename)], [])


def runs(documents: Sequence[Document]) -> list[Document]:
    """Return the documents this package renders, WorkloadRuns and Workflows; other objects are left alone."""
    return [document for document in documents if _is_ours(document)]


def names_run(document: Document) -> bool:
    """Tell whether a document says by kind or apiVersion that it is a WorkloadRun, rather than leaving it open."""
    data = document.data if isinstance(document.data, dict) else {}
    return _is_ours(document) and bool(data.get("kind") or str(data.get("apiVersion", "")).startswith(API_GROUP))


def _is_ours(document: Document) -> bool:
    """Tell whether a document is, or is meant to be, a WorkloadRun or a Workflow."""
    data = document.data
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind is None or kind == RUN:
        return not is_executor(document)
    in_group = str(data.get("apiVersion", API_GROUP)).startswith(API_GROUP)
    return in_group and (kind == WORKFLOW or str(kind).lower().rstrip("s") == RUN.lower())


def is_executor(document: Document) -> bool:
    """Tell whether a document holds settings of a KubeflowExecutor, which have neither apiVersion nor kind."""
    if not isinstance(document.data, dict) or not document.data.keys().isdisjoint(("apiVersion", "kind")):
        return False
    from nvcre_render.executor import settings

    return settings.recognises(document.data)


def is_workflow(document: Document) -> bool:
    """Tell whether a document is a Workflow."""
    return isinstance(document.data, dict) and document.data.get("kind") == WORKFLOW


def render(documents: Sequence[Document], findings: Sequence[Diagnostic], target: Target, filename: str) -> Rendered:
    """Render every run of `documents`; `findings` are those of reading them. Raises RenderError on errors."""
    found = [*findings, *rendering.check_target(target)]
    ours = runs(documents)
    if ours:
        found += [*_foreign(documents, ours), *_between(ours)]
    else:
        found += [finding for document in documents for finding in _listed(document)]
        if not found:
            found.append(nothing(documents, filename))
    workflows: list[Workflow] = []
    refused = [fault for fault in found if fault.severity == ERROR]
    for document in ours:
        data, faults = check(document, target.library)
        if not is_workflow(document):
            faults += selection.across(data, document, documents, advice=False)
        workflow, notes = _made(data, document, target, [*refused, *faults])
        found += [*faults, *notes]
        if workflow is not None:
            workflows.append(workflow)
    report = Report(found)
    if not report.ok:
        raise RenderError(report)
    return Rendered(workflows=tuple(workflows), diagnostics=report.diagnostics)


def validate(documents: Sequence[Document], findings: Sequence[Diagnostic], target: Target, filename: str) -> Report:
    """Return every finding about the documents of one file; `findings` are those of reading them.

    With a platform or an architecture, also what rendering for it would say.
    """
    unknown = rendering.check_target(target)
    ours = runs(documents)
    executors = [document for document in documents if is_executor(document)]
    found = [*findings, *unknown, *_foreign([each for each in documents if each not in executors], ours)]
    found += [*_between(ours), *(finding for document in executors for finding in _executor(document))]
    if not documents and not findings:
        found.append(nothing(documents, filename))
    for document in ours:
        data, faults = check(document, target.library)
        found += faults
        if not is_workflow(document):
            found += selection.across(data, document, documents, advice=True)
        if (target.platform or target.gpu_arch) and not unknown:
            found += _tried(data, document, target, faults)
        elif _sound(faults):
            found += [*selection.of_long_trainer(data, document), *selection.untried(data, document)]
    return Report(found)


def _executor(document: Document) -> Sequence[Diagnostic]:
    from nvcre_render.executor import submission

    return submission.check(document)


def _tried(data: Any, document: Document, target: Target, faults: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return what rendering says; a missing architecture is no fault here, but nothing can be rendered without."""
    if not is_workflow(document) and facts.check_architecture(data, document, target.gpu_arch):
        message = f"no GPU architecture is known, so what {target.platform} would get was not tried"
        return [target_rules.NOT_TRIED.at(document, ("spec",), message, on_key=True)]
    notes = _made(data, document, target, faults)[1]
    if target.platform and _sound(faults) and not is_workflow(document):
        notes += selection.of_target(data, document, target)
    return notes


def _sound(faults: Sequence[Diagnostic]) -> bool:
    return not any(fault.severity == ERROR for fault in faults)


def _made(data: Any, document: Document, target: Target, faults: Sequence[Diagnostic]) -> Made:
    """Make the Workflow of a document without errors; of another run say only whether its architecture is known.

    `faults` are what is known of the document; of what making it says, the rest is returned.
    """
    if not _sound(faults):
        unknown = not is_workflow(document) and target.node_list is None
        return None, facts.check_architecture(data, document, target.gpu_arch) if unknown else []
    chooses = data["spec"]["orchestration"] if is_workflow(document) else data["spec"]
    target, nowhere = rendering.located(chooses.get("target"), document, target)
    if nowhere:
        return None, nowhere
    if is_workflow(document):
        return rendering.from_workflow(data, document, target)
    workflow, notes = rendering.from_run(data, document, target)
    if workflow is not None:
        notes += selection.of_trainer(workflow, data, document)
    said = {(fault.code, fault.path) for fault in faults}
    return workflow, [note for note in notes if (note.code, note.path) not in said]


def check(document: Document, library: Library | None = None) -> tuple[Any, list[Diagnostic]]:
    """Return the normalised run or Workflow of a document and what is wrong with it whatever it is rendered for.

    `library` tells which platforms there are; None stands for the package's own.
    """
    workflow = is_workflow(document)
    data, found = schema.check(document, "workflow.v1alpha1" if workflow else "workloadrun.v1alpha1")
    if not isinstance(data, dict):
        return {}, found  # nothing of it can be used
    if workflow:
        return data, [*found, *naming.check(data, document)]  # type: ignore[arg-type]
    return data, [*found, *_rules(data, document, library)]


def _rules(run: Any, document: Document, library: Library | None) -> Iterator[Diagnostic]:
    spec = run.get("spec", {})
    yield from naming.check(run, document)
    yield from unions.check(run, document)
    yield from reserved.check(spec, document)
    yield from labels.check(spec, document)
    yield from orchestration.check(run, document)
    for subject in selection.checks(run, library):
        yield from subject(run, document)


def _listed(document: Document) -> Iterator[Diagnostic]:
    """Yield an error for every run inside a List, which is not looked into."""
    data = document.data if isinstance(document.data, dict) else {}
    items = data.get("items") if str(data.get("kind", "")).endswith("List") else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and item.get("kind") in (RUN, WORKFLOW):
            yield reading_rules.RUN_IN_LIST.at(
                document, ("items", index), f"a {item['kind']} inside a List is not read"
            )


def _between(ours: Sequence[Document]) -> Iterator[Diagnostic]:
    """Yield a warning for every run or Workflow that has the name of one before it."""
    seen: dict[tuple[object, ...], Document] = {}
    for document in ours:
        data = document.data if isinstance(document.data, dict) else {}
        metadata = data.get("metadata")
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            continue
        first = seen.setdefault((data.get("kind"), metadata["name"], str(metadata.get("namespace"))), document)
        if first is not document:
            place = first.position(("metadata", "name"))
            yield reading_rules.REPEATED_NAME.at(
                document,
                ("metadata", "name"),
                f'"{metadata["name"]}" is the name of another run as well',
                related=((place, "the first one"),) if place else (),
            )


def _foreign(documents: Sequence[Document], ours: Sequence[Document]) -> Iterator[Diagnostic]:
    for document in documents:
        if document in ours:
            continue
        inside = list(_listed(document))
        yield from inside
        if not inside:
            kind = document.data.get("kind", "KubeflowExecutor")
            message = f"a {kind} is not rendered and does not appear in the output"
            remedy = "" if "kind" in document.data else "render it with nvcre-render trainjob"
            yield reading_rules.FOREIGN_KIND.at(document, ("kind",), message, remedy=remedy)


def nothing(documents: Sequence[Document], filename: str) -> Diagnostic:
    """Return the finding about an input without a document this package renders."""
    kinds = ", ".join(sorted({str(document.data.get("kind", "KubeflowExecutor")) for document in documents}))
    message = f"the only documents are of kind {kinds}" if documents else "the input holds no document"
    rule = reading_rules.NO_MANIFEST
    place = Position(file=filename, line=1, column=1)
    return Diagnostic(rule=rule, message=message, position=place, remedy=rule.remedy)
