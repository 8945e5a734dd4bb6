"""The form of executor settings: field names, types and ranges, and which mistakes leave nothing to build."""

from __future__ import annotations

from functools import lru_cache

from nvcre_render.checks import field_rules, schema
from nvcre_render.checks.executor_rules.submitted import ready
from nvcre_render.diagnostics import ERROR, Rule
from nvcre_render.executor import launcher
from nvcre_render.executor.settings import SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.executor.settings import Settings

SECRET_LETTERS = Rule(
    code="NR937",
    name="pull-secrets-as-text",
    severity=ERROR,
    summary="image_pull_secrets is one text in place of a list.",
    why="NeMo-Run reads a text as the list of its letters, so the pods refer to secrets called n, g and c.",
    remedy="write a list, such as image_pull_secrets: [ngc]",
    bad=ready("image_pull_secrets: ngc  # error\n"),
    good=ready("image_pull_secrets: [ngc]\n"),
)

_QUANTITIES = ("cpu_requests", "memory_requests", "cpu_limits", "memory_limits")
# Fields whose kind NeMo-Run relies on while it builds; what other fields hold is passed on as it is.
_RELIED_ON = frozenset(
    {
        *("env_vars", "env_list", "extra_resource_requests", "extra_resource_limits", "image_pull_secrets"),
        *("volumes", "volume_mounts", "pod_spec_overrides", "container_kwargs", "spec_kwargs", "namespace"),
        *("workdir_pvc_path", "workdir_local_path", "train_job_basename", "experiment_id", "job_dir", "user"),
        *("job_name", "name_suffix", "command", "task", "trainer_release"),
    }
)
_CONTAINED = frozenset({"volumes", "volume_mounts"})


def check(settings: Settings) -> Iterator[Diagnostic]:
    """Yield every field the executor does not have, and every value of a form that it or Kubernetes refuses."""
    document = settings.document
    given = {key: value for key, value in document.data.items() if not (key in _QUANTITIES and value == "")}
    letters = isinstance(given.get("image_pull_secrets"), str)
    if letters:
        text = given.pop("image_pull_secrets")
        message = f'the text "{text}" is read as the {len(text)} secrets {", ".join(text)}'
        yield SECRET_LETTERS.at(document, ("image_pull_secrets",), message)
    used = given.get("launcher")
    given = {key: value for key, value in given.items() if key != "launcher"}
    yield from _walk(document, given, "", ())
    if isinstance(used, dict):
        yield from _walk(document, used, launcher.kind(used) or launcher.FAULT_TOLERANCE, ("launcher",))


def stops(found: Diagnostic, settings: Settings) -> bool:
    """Tell whether NeMo-Run fails on what `found` is about before anything is built."""
    path, rule = found.path, found.rule
    if found.severity != ERROR or rule is SECRET_LETTERS:
        return False
    if rule is field_rules.UNKNOWN_FIELD:
        return len(path) == 1 or path[0] in ("launcher", "task")
    if not path or path[0] == "task" or (len(path) == 1 and path[0] in _RELIED_ON):
        return rule is not field_rules.MALFORMED and rule is not field_rules.OUT_OF_RANGE
    if settings.is_task and path[0] in ("env_vars", "launcher"):
        return True
    return settings.has_workdir and path[0] in _CONTAINED and rule is field_rules.WRONG_TYPE


def _walk(document: Document, value: Any, definition: str, path: tuple[str, ...]) -> list[Diagnostic]:
    root = _walkable()
    walk = schema.Walk(document, root)  # a piece of the document, along a schema of our own form
    walk.path = list(path)
    walk.value(value, root["$defs"][definition] if definition else root)
    return walk.findings


@lru_cache(maxsize=1)
def _walkable() -> schema.Schema:
    """Return the executor's schema without the alternatives that the walk has no words for.

    Null is one (it counts as absent wherever the executor takes it), the forms of a launcher are the others.
    """
    root = schema.load(SCHEMA)
    definitions = {name: _simple(each) for name, each in root["$defs"].items()}
    return {**_simple(root), "$defs": definitions}


def _simple(definition: schema.Schema) -> schema.Schema:
    fields = definition.get("properties", {})
    return {**definition, "properties": {name: _alternative(field) for name, field in fields.items()}}


def _alternative(field: schema.Schema) -> schema.Schema:
    if "anyOf" not in field:
        nested = field.get("additionalProperties")
        return {**field, "additionalProperties": _alternative(nested)} if isinstance(nested, dict) else field
    choices = [_alternative(choice) for choice in field["anyOf"] if choice.get("type") != "null"]
    rest = {key: value for key, value in field.items() if key != "anyOf"}
    if len(choices) == 1:
        return {**choices[0], **rest}
    kinds = [choice.get("type") for choice in choices]
    return {**rest, "type": kinds} if all(isinstance(kind, str) for kind in kinds) else {}
