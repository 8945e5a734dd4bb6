"""The settings of one submission, with every default filled in."""

from __future__ import annotations

from functools import lru_cache

from nvcre_render import source
from nvcre_render.checks import schema
from nvcre_render.executor import live
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.executor import KubeflowExecutor

SCHEMA = "executor.v1"
TARGET = "KubeflowExecutor"
# Inputs NeMo-Run does not take from a file; a null among them can only mean that they are not given.
_NULL_IS_UNSET = ("command", "task", "job_name", "name_suffix", "user", "drawn_rdzv_id", "trainer_release")


class Settings(Record):
    """A document of executor settings and its values: every field and run input that is given or has a default."""

    document: Document
    values: KubeflowExecutor

    @property
    def has_workdir(self) -> bool:
        """Whether a claim carries the run's files into the pods."""
        return bool(self.values["workdir_pvc"])

    @property
    def is_task(self) -> bool:
        """Whether the command is composed of a script, rather than given."""
        return "task" in self.values

    def changed(self, name: str) -> bool:
        """Tell whether the field `name` is given with another value than its default."""
        data = self.document.data
        return name in data and data[name] is not None and data[name] != defaults()[name]


@lru_cache(maxsize=8)
def defaults(definition: str = "") -> dict[str, Any]:
    """Return the defaults of the executor, or of a `$defs` entry of its schema; shared, not to be changed."""
    root = schema.load(SCHEMA)
    fields = (root["$defs"][definition] if definition else root)["properties"]
    return {name: field["default"] for name, field in fields.items() if "default" in field}


def known() -> tuple[str, ...]:
    """Return the names of all fields and run inputs."""
    return tuple(schema.load(SCHEMA)["properties"])


def read(given: object, filename: str) -> tuple[list[Document], list[Diagnostic]]:
    """Return the documents of a text (str or bytes), a mapping or a live object, and what could not be read."""
    if isinstance(given, (str, bytes)):
        return source.read(given, filename)
    document, findings = live.document(given, frozenset(known()) | {"job_name"}, filename)
    return [document], findings


def inputs(**given: object) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the run inputs that are not None as plain data, and what in them is not."""
    present = {name: value for name, value in given.items() if value is not None}
    document, findings = live.document(present, (), "")
    return document.data, findings


def with_inputs(document: Document, given: Mapping[str, object]) -> Document:
    """Return `document` with the run inputs `given` in place of its own."""
    for name, value in given.items():
        if isinstance(document.data, dict):
            document = document.replaced((name,), value)
    return document


def fill(document: Document) -> Settings:
    """Return the settings of a document whose root is a mapping."""
    given = {
        key: value
        for key, value in document.data.items()
        if key != "_target_" and not (value is None and key in _NULL_IS_UNSET)
    }
    if isinstance(given.get("launcher"), dict):
        given["launcher"] = _as_typed(document, given["launcher"])
    return Settings(document=document, values={**defaults(), **given})  # type: ignore[typeddict-item]


def _as_typed(document: Document, launcher: dict[str, Any]) -> dict[str, Any]:
    """Restore floats without a fraction, which the reader takes for integers as Kubernetes does.

    They become words of a command, and NeMo-Run writes 5.0 there.
    """
    typed = dict(launcher)
    for key, value in launcher.items():
        raw = document.raw(("launcher", key))
        if raw is not None and "." in raw and isinstance(value, int) and not isinstance(value, bool):
            typed[key] = float(value)
    return typed


def recognises(data: object) -> bool:
    """Tell whether the data of a document is executor settings.

    It is when `_target_` names an executor (of any kind: the rules tell which is meant), or when it is no
    Kubernetes object and has a field of the KubeflowExecutor.
    """
    if not isinstance(data, dict):
        return False
    if "_target_" in data:
        return target_class(data["_target_"]).endswith("Executor")
    return not is_object(data) and not data.keys().isdisjoint(known())


def is_object(data: object) -> bool:
    """Tell whether the data of a document is, or is meant to be, a Kubernetes object."""
    return isinstance(data, dict) and not data.keys().isdisjoint(("apiVersion", "kind", "metadata", "spec"))


def target_class(target: object) -> str:
    """Return the class name at the end of a `_target_`.

    >>> target_class("nemo_run.core.execution.launcher.Torchrun")
    'Torchrun'
    """
    return str(target).rpartition(".")[2]
