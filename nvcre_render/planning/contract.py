"""The contract that a resolved Workflow is held to, in the places where a plan meets it.

Its findings are those of `contract.check`; here they are raised step by step, and again for the first group.
(NVCRE guide, gang scheduling; placement.)
"""

from __future__ import annotations

from nvcre_render import contract, gang
from nvcre_render.checks import labels as label_rules
from nvcre_render.checks import override_rules as rules
from nvcre_render.diagnostics import Diagnostic, RenderError
from nvcre_render.lower import labels
from nvcre_render.planning import renaming
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from nvcre_render.contract import Finding
    from nvcre_render.planning.dependencies import Document

_PLACEMENT = frozenset(rule.code for rule in (rules.UNPINNED_DIAGNOSE, rules.UNPINNED_DOMAIN, rules.NO_RACK_LABEL))
_GANG = frozenset(
    rule.code
    for rule in (
        *(label_rules.TOO_MANY_LABELS, label_rules.RESERVED_LABEL, label_rules.LABEL_KEY, rules.LABEL_VALUE),
        *(label_rules.QUEUE_CONFLICT, rules.UNKNOWN_RUNTIME, rules.MALFORMED_RUNTIME),
        *(rules.RUNTIME_QUEUE, rules.RUNTIME_SCHEDULER),
    )
)
REASONS = {
    **dict.fromkeys(_GANG, "GangSchedulingConflict"),
    **dict.fromkeys(_PLACEMENT - {rules.NO_RACK_LABEL.code}, "PartitionError"),
}


class Contract(Record):
    """A resolved Workflow spec with its queue label restored, and what it breaks.

    `labels_path` is what messages call the labels of the workload object.
    """

    spec: dict[str, Any]
    findings: tuple[Finding, ...]
    labels_path: str = contract.WORKFLOW_LABELS

    def require_placement(self) -> None:
        """Raise RenderError when placement and topology contradict each other or name no label."""
        self.require(_PLACEMENT)

    def require_gang(self) -> None:
        """Raise RenderError when a label of the workload object or a mark of the gang scheduler is wrong."""
        self.require(_GANG)

    def require_group(
        self, name: str, job_spec: Mapping[str, Any], shared: Sequence[Document], copied: Sequence[Document]
    ) -> None:
        """Raise RenderError when what the group `name` gets, after renaming, breaks the gang scheduler's contract."""
        if labels.gang(self.spec) is None:  # type: ignore[arg-type]  # both kinds of spec have the one key it reads
            return
        template = {**self.spec["jobTemplate"], "spec": job_spec}
        spec = {**self.spec, "jobTemplate": template, "dependencies": [*shared, *copied]}
        read(spec, self.labels_path).require(_GANG, f"{name}: ")

    def require(self, codes: Collection[str], prefix: str = "") -> None:
        """Raise RenderError with the findings of these codes, if there are any, each message after the prefix."""
        broken = [_diagnostic(found, prefix) for found in self.findings if found.rule.code in codes]
        if broken:
            raise RenderError(broken)


def read(spec: Mapping[str, Any], labels_path: str) -> Contract:
    """Hold a resolved Workflow spec to the contract; nothing is raised yet."""
    restored, findings = contract.check(spec, labels_path)
    return Contract(spec=restored, findings=findings, labels_path=labels_path)


def _diagnostic(found: Finding, prefix: str) -> Diagnostic:
    remedy = found.remedy or found.rule.remedy
    return Diagnostic(rule=found.rule, message=prefix + found.message, path=("spec", *found.path), remedy=remedy)


def renamed(document: Document, new: Mapping[str, str], spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copied dependency under its new names; the marks of the gang scheduler of `spec` stay what they were."""
    after: dict[str, Any] = renaming.substitute(document, new)
    scheduler = labels.gang(spec)  # type: ignore[arg-type]  # both kinds of spec have the one key it reads
    return gang.restored(document, after, scheduler) if scheduler else after
