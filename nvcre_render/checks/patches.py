"""What overrides write, held against the shapes of the objects they patch (NR251, and the rules of other values).

A patch is partial: nothing is required. Inside jobTemplate NVCRE reads the result back into its types, so the rules
are those of applying it; the objects under dependencies reach the API server as they are. (NVCRE guide, overrides.)
"""

from __future__ import annotations

from nvcre_render.checks import field_rules, schema
from nvcre_render.checks import override_rules as rules
from nvcre_render.checks.field_rules import run
from nvcre_render.checks.schema import ABSENT
from nvcre_render.diagnostics import WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path


def _claim(field: str) -> str:
    return run(
        "  overrides:\n    - when: {}\n      dependencies:\n        - apiVersion: v1\n          kind: ConfigMap\n"
        f"          metadata: {{name: settings}}\n          {field}\n"
    )


UNKNOWN_KEY = Rule(
    code="NR251",
    name="unknown-patch-field",
    severity=WARNING,
    summary="An object under dependencies has a field that its kind does not have.",
    why="NVCRE hands the object on, and the API server drops the field or refuses the object.",
    remedy="write a field of the kind",
    bad=_claim("datas: {a: b}  # warning"),
    good=_claim("data: {a: b}"),
)

SHAPES = "patch-shapes.v1"
_WORKFLOW = "workflow.v1alpha1"
_TRAIN_JOB: Path = ("spec", "workload", "trainJob")
# The workflow's schema leaves these free; Kubeflow Trainer does not.
_TRAINER_PARTS = (("initializer", "Initializer"), ("runtimePatches", "RuntimePatch"))
_KINDS = {"string": str, "integer": int, "boolean": bool}
_REFERENCE = len("#/$defs/")
_TYPE_ONLY = {"type", "description", "x-go-pointer", "x-go-default"}
_MAX_NAMES = 12  # fields that are listed when none is near

# Applying a template reports these under its own rules; the place and the words are the same.
_TEMPLATE_RULES = {
    field_rules.UNKNOWN_FIELD: rules.DROPPED_KEY,
    field_rules.OUT_OF_RANGE: rules.REFUSED_VALUE,
}


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what does not fit in jobTemplate and in dependencies of known kinds, override by override."""
    for index, override in enumerate(run["spec"].get("overrides", [])):
        base: Path = ("spec", "overrides", index)
        if isinstance(override.get("jobTemplate"), dict):
            yield from _check_template(override["jobTemplate"], (*base, "jobTemplate"), document)
        for number, dependency in enumerate(override.get("dependencies", [])):
            shape = f"{dependency.get('apiVersion')} {dependency.get('kind')}"
            if shape in schema.load(SHAPES)["$defs"]:
                patch = {key: value for key, value in dependency.items() if key != "when"}  # no part of the object
                found = _walk(patch, shape, (*base, "dependencies", number), document, SHAPES)
                yield from (_under(UNKNOWN_KEY, each) if _is_unknown(each) else each for each in found)


def _check_template(template: Any, path: Path, document: Document) -> Iterator[Diagnostic]:
    found = _walk(template, "JobTemplate", path, document, _WORKFLOW)
    for key, shape in _TRAINER_PARTS:
        part = template
        for step in (*_TRAIN_JOB, key):
            part = part.get(step) if isinstance(part, dict) else None
        place = (*path, *_TRAIN_JOB, key)
        if isinstance(part, dict):
            found += _walk(part, shape, place, document, SHAPES)
        for index, item in enumerate(part if isinstance(part, list) else ()):
            found += _walk(item, shape, (*place, index), document, SHAPES)
    for each in found:
        is_label = each.rule in (field_rules.MALFORMED, field_rules.OUT_OF_RANGE) and "labels" in each.path
        rule = rules.LABEL_VALUE if is_label else _TEMPLATE_RULES.get(each.rule, rules.UNREADABLE_TEMPLATE)
        yield _under(rule, each)


def _walk(value: Any, shape: str, path: Path, document: Document, name: str) -> list[Diagnostic]:
    root = schema.load(name)
    if _fits(value, root["$defs"][shape], root["$defs"]):
        return []
    walk = PatchWalk(document, root)
    walk.path = list(path)
    walk.value(value, root["$defs"][shape])
    return walk.findings


def _fits(value: Any, shape: schema.Schema, definitions: schema.Schema) -> bool:
    """Tell at a glance whether nothing is wrong with a patch, as is usual; the walk finds out what."""
    reference = shape.get("$ref")
    if reference is not None:
        shape = definitions[reference[_REFERENCE:]]
    kind = shape.get("type")
    if kind == "object" and type(value) is dict:
        fields, others = shape.get("properties", {}), shape.get("additionalProperties", True)
        for key, item in value.items():
            field = fields.get(key, others)
            if item is not None and field is not True and (field is False or not _fits(item, field, definitions)):
                return False
        return True
    if kind == "array" and type(value) is list:
        items = shape["items"]
        for item in value:  # noqa: SIM110  # a loop takes half the time of a generator, and this is most of the check
            if not _fits(item, items, definitions):
                return False
        return True
    return kind is None or (_KINDS.get(str(kind)) is type(value) and shape.keys() <= _TYPE_ONLY)


def _is_unknown(found: Diagnostic) -> bool:
    return found.rule is field_rules.UNKNOWN_FIELD


def _under(rule: Rule, found: Diagnostic) -> Diagnostic:
    values = {name: getattr(found, name) for name in ("message", "path", "position", "remedy", "related")}
    return type(found)(rule=rule, **values)


class PatchWalk(schema.Walk):
    """The walk of a partial object: nothing is required, null removes a key, and directives may stand anywhere."""

    def value(self, value: Any, schema: schema.Schema) -> Any:
        """Return `value` normalised, or ABSENT where it does not fit or stands for a removal."""
        removes = value is None and isinstance(self.path[-1], str)
        return ABSENT if removes else super().value(value, schema)

    def _required(self, value: dict[str, Any], schema: schema.Schema) -> None: ...

    def _unknown(self, key: str, schema: schema.Schema) -> None:
        if key.startswith("$"):  # how to merge, not what
            return
        fields = schema.get("properties", {})
        if len(fields) > _MAX_NAMES:
            from nvcre_render.checks.spelling import suggestion

            self._unknown_of_many(key, suggestion(key, fields))
        else:
            super()._unknown(key, schema)

    def _unknown_of_many(self, key: str, near: str | None) -> None:
        self.path.append(key)
        hint = f'did you mean "{near}"?' if near else "remove the field"
        self._found(field_rules.UNKNOWN_FIELD, f'unknown field "{key}"', hint, on_key=True)
        self.path.pop()
