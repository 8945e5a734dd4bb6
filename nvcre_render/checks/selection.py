"""Which checks a run needs, so that a start pays only for the modules whose subject the manifest has.

Each check takes the normalised run and its document. What decides here is cheap and never wrong in one direction: a
check that is left out would have found nothing.
"""

from __future__ import annotations

from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.rendering import Target

    Check = Callable[[WorkloadRun, Document], Iterable[Diagnostic]]

_NAME_ONLY = {"name"}
_ARGUMENTS = 64  # from here on a trainer's arguments are counted; a run's own defaults stay below


def checks(run: Any, library: Library | None) -> Iterator[Check]:
    """Yield the checks of the subjects that a run has; `library` knows the platforms, None is the package's."""
    spec = run.get("spec", {})
    name = run.get("metadata", {}).get("name", "")
    if name[:1].isdigit() or "." in name:
        from nvcre_render.checks import names, trainer_limits

        if names.is_dns_subdomain(name):  # any other name is refused already
            yield trainer_limits.check_name
    if not run.get("metadata", {}).keys() <= _NAME_ONLY:
        from nvcre_render.checks import metadata

        yield metadata.check
    if not spec:
        return
    has_containers = "initContainers" in spec
    if "volumes" in spec:
        from nvcre_render.checks import volumes

        yield volumes.check
    if "volumeMounts" in spec or has_containers:
        from nvcre_render.checks import mounts

        yield mounts.check
    if has_containers:
        from nvcre_render.checks import containers

        yield containers.check
    if "env" in spec or has_containers:
        from nvcre_render.checks import variables

        yield variables.check
    if "resources" in spec or has_containers:
        from nvcre_render.checks import resources

        yield resources.check
    if "imagePullSecrets" in spec or "config" in spec:
        from nvcre_render.checks import references

        yield references.check
    if "target" in spec or "overrides" in spec:
        from nvcre_render.checks import selectors

        yield selectors.check
    if "orchestration" in spec or "gangScheduler" in spec:
        from nvcre_render.checks import scheduling

        yield scheduling.check
    if "thresholds" in spec:
        from nvcre_render.checks import thresholds

        yield thresholds.check
    if has_containers or not _has_tag(spec.get("image", "")):
        from nvcre_render.checks import images

        yield images.check
    if "overrides" in spec:
        yield from _of_overrides(spec["overrides"], library)


def _has_tag(image: str) -> bool:
    return ":" in image.rpartition("/")[2] and not image.endswith((":latest", ":"))


def _of_overrides(overrides: Sequence[Any], library: Library | None) -> Iterator[Check]:
    from nvcre_render import fragments
    from nvcre_render.checks import dead_patches, matchers, patches, privileges, variables

    yield partial(matchers.check, platforms=(library or fragments.package()).platforms)
    yield dead_patches.check
    yield patches.check
    yield privileges.check
    yield variables.check_overrides
    if any("diagnose" in override.get("orchestration", {}) for override in overrides):
        from nvcre_render.checks import override_rules

        yield lambda _run, document: override_rules.check_diagnose(document)


def across(run: Any, document: Document, documents: Sequence[Document], *, advice: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong between the documents of one input; with `advice` also what may be."""
    if any("persistentVolumeClaim" in volume for volume in run.get("spec", {}).get("volumes", [])):
        from nvcre_render.checks import claims

        yield from claims.check(run, document, documents, advice=advice)


def of_trainer(workflow: Any, run: Any, document: Document) -> Iterator[Diagnostic]:
    """Yield what Kubeflow Trainer would refuse in the trainer of a Workflow as it was built."""
    trainer = workflow
    for step in ("spec", "jobTemplate", "spec", "workload", "trainJob", "trainer"):
        trainer = trainer.get(step) or {}  # an override may have removed any of them
    if len(trainer.get("args", ())) > _ARGUMENTS or len(trainer.get("command", ())) > _ARGUMENTS:
        from nvcre_render.checks import trainer_limits
        from nvcre_render.framework import framework

        yield from trainer_limits.check(trainer, framework(run["spec"]), document)


def of_long_trainer(run: Any, document: Document) -> Iterator[Diagnostic]:
    """Yield the same for a sound run that has many arguments, as far as it is known without a platform."""
    spec = run.get("spec", {})
    used: Any = next(iter(spec.get("framework", {}).values()), {})
    count = sum(len(used.get(part, ())) for part in ("command", "args", "mpiArgs")) + 2 * len(spec.get("env", ()))
    if count > _ARGUMENTS:
        from nvcre_render import facts
        from nvcre_render.lower import workflow

        # Any architecture will do: without a platform it does not change the number of arguments.
        known, _ = facts.resolve(run, document, None, facts.architectures()[0])
        if known is not None:
            yield from of_trainer(workflow.lower(run, known), run, document)


def untried(data: Any, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with overrides that no target was given for."""
    overrides = data.get("spec", {}).get("overrides", [])
    if any("jobTemplatePatch" in block or "expression" in block.get("when", {}) for block in overrides):
        from nvcre_render.checks import unresolved

        yield from unresolved.check(data, document)


def of_target(run: Any, document: Document, target: Target) -> Iterator[Diagnostic]:
    """Yield what is worth knowing about a sound run on a platform whose architecture is known."""
    spec = run["spec"]
    if "env" in spec or "overrides" in spec:
        from nvcre_render import facts
        from nvcre_render.checks import target_notes

        known, _ = facts.resolve(run, document, target.platform, target.gpu_arch)
        if known is not None:
            yield from target_notes.check(run, document, known, target.library)
