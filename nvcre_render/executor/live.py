"""Python objects to plain data: a live KubeflowExecutor, its lazy `run.Config` form, or a mapping that holds some.

Nothing of NeMo-Run is imported; an object is read by its attributes.
"""

from __future__ import annotations

from collections.abc import Mapping

from nvcre_render.checks import field_rules, reading_rules
from nvcre_render.diagnostics import Diagnostic
from nvcre_render.document import MAX_DEPTH, Document
from nvcre_render.positions import field_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from nvcre_render.diagnostics import Rule
    from nvcre_render.positions import Path

# Settings that NeMo-Run holds as objects of its own.
_OBJECTS = frozenset({"launcher", "packager", "task"})


def document(given: object, known: Container[str], filename: str) -> tuple[Document, list[Diagnostic]]:
    """Return settings given as a mapping or an object as a document, and what in them is not plain data.

    Of an object only the attributes named in `known` are read. `given` is copied, not kept.
    """
    reader = _Reader()
    if isinstance(given, Mapping):
        data = reader.value(given, ())
    else:
        fields = _fields(given)
        data = reader.value({key: fields[key] for key in fields if key in known}, ())
    return Document(filename, data), reader.findings


class _Reader:
    """Copies plain data; what has no place in it is a finding and left out."""

    def __init__(self) -> None:
        self.findings: list[Diagnostic] = []

    def value(self, value: Any, path: Path) -> Any:
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            if value - value != 0:
                self._found(reading_rules.NOT_JSON, path, f"{value} has no form in a Kubernetes object")
            return value
        if len(path) >= MAX_DEPTH:
            self._found(reading_rules.TOO_DEEP, path, f"nested more than {MAX_DEPTH} levels deep")
            return None
        if isinstance(value, Mapping):
            return {key: self.value(item, (*path, key)) for key, item in value.items() if self._is_text(key, path)}
        if isinstance(value, (list, tuple)):
            return [self.value(item, (*path, index)) for index, item in enumerate(value)]
        if len(path) == 1 and path[0] in _OBJECTS:
            return self.value(_fields(value), path)
        message = f"an object of type {type(value).__name__} stands where plain data belongs"
        self._found(field_rules.WRONG_TYPE, path, message)
        return None

    def _is_text(self, key: object, path: Path) -> bool:
        if isinstance(key, str):
            return True
        self._found(reading_rules.KEY_NOT_TEXT, path, f"the key {key!r} is not a text")
        return False

    def _found(self, rule: Rule, path: Path, message: str) -> None:
        where = f"{field_path(path)}: " if path else ""
        self.findings.append(Diagnostic(rule=rule, message=f"{where}{message}", path=path, remedy=rule.remedy))


def _fields(value: object) -> dict[str, Any]:
    """Return an object's public attributes under their names, and its class as NeMo-Run's `_target_`."""
    lazy = getattr(value, "__arguments__", None)  # the fields set so far of a run.Config (fiddle)
    kind = type(value) if lazy is None else getattr(value, "__fn_or_cls__", type(value))
    fields = getattr(value, "__dict__", {}) if lazy is None else lazy
    target = f"{kind.__module__}.{kind.__qualname__}"
    return {"_target_": target, **{key: item for key, item in fields.items() if not key.startswith("_")}}
