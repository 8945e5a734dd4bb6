"""Kubeflow Trainer's own TrainJob CRDs as judges, written from the rules of structural schemas, not from ours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.cases.document import load

FOLDER = Path(os.environ.get("TRAINER_CRDS", Path(__file__).parents[2] / "shared" / "crds"))
VERSIONS = {"2.0": "2.0.1", "2.1": "2.1.0", "2.2": "2.2.1", "2.3": "2.3.0"}
MISSING = f"no Trainer CRDs in {FOLDER}"

_KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def present() -> bool:
    return all((FOLDER / f"trainer-v{version}" / "trainjobs.yaml").exists() for version in VERSIONS.values())


@cache
def trainjob(release: str) -> dict[str, Any]:
    """The schema of a TrainJob in a release."""
    crd = load(str(FOLDER / f"trainer-v{VERSIONS[release]}" / "trainjobs.yaml"))
    (version,) = crd["spec"]["versions"]
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema


def unknown(value: Any, schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """The fields an API server drops; null counts as absent."""
    if isinstance(value, dict) and "properties" in schema:
        for key, item in value.items():
            place = f"{path}.{key}" if path else key
            if key in schema["properties"]:
                yield from unknown(item, schema["properties"][key], place)
            elif item is not None and place != "metadata":
                yield place
    elif isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        for key, item in value.items():
            yield from unknown(item, schema["additionalProperties"], f"{path}.{key}")
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from unknown(item, schema["items"], f"{path}[{index}]")


def invalid(value: Any, schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """What an API server refuses of the fields it has: structure, bounds, list keys, and the rules in CEL."""
    if value is None:
        return
    yield from _rules(value, schema, path)
    if schema.get("x-kubernetes-int-or-string"):
        if not isinstance(value, (int, str)) or isinstance(value, bool):
            yield f"{path}: neither an integer nor a text"
        elif "pattern" in schema and not re.search(schema["pattern"], str(value)):
            yield f"{path}: pattern"
        return
    kind = schema.get("type")
    if kind and not (isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))):  # type: ignore[arg-type]
        yield f"{path}: type {kind}"
        return
    yield from _bounds(value, schema, path)
    if isinstance(value, dict):
        yield from _members(value, schema, path)
    elif isinstance(value, list):
        yield from _items(value, schema, path)


def _bounds(value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
    size = len(value) if isinstance(value, (str, list, dict)) else value
    nouns: dict[type, str] = {str: "Length", list: "Items", dict: "Properties"}
    noun = nouns.get(type(value))
    low, high = (f"min{noun}", f"max{noun}") if noun else ("minimum", "maximum")
    if not isinstance(size, bool) and (size < schema.get(low, size) or size > schema.get(high, size)):
        yield f"{path}: bounds"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{path}: pattern"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: enum"


def _members(value: dict[str, Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    for key in schema.get("required", ()):
        if value.get(key) is None and "default" not in schema["properties"].get(key, {}):
            yield f"{path}: {key} is missing"
    others = schema.get("additionalProperties")
    for key, item in value.items():
        place = f"{path}.{key}" if path else key
        if key in schema.get("properties", {}):
            yield from invalid(item, schema["properties"][key], place)
        elif isinstance(others, dict):
            yield from invalid(item, others, place)


def _items(value: list[Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    keys = schema.get("x-kubernetes-list-map-keys")
    if keys:
        found = [tuple(item.get(key) for key in keys) for item in value if isinstance(item, dict)]
        if len(set(found)) < len(found):
            yield f"{path}: a key twice"
    for index, item in enumerate(value):
        yield from invalid(item, schema["items"], f"{path}[{index}]")


def _rules(value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
    """The CEL rules a new object can break, recognised by their text; an unknown one fails loudly."""
    for rule in schema.get("x-kubernetes-validations", ()):
        text = rule["rule"]
        name = value.get("metadata", {}).get("name", "") if isinstance(value, dict) else ""
        known = {
            "self == oldSelf": True,
            "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')": bool(
                re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", name)
            ),
            "size(self.metadata.name) <= 63": len(name) <= 63,
            "self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']": value
            in ("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue"),
            "self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')": True,
        }
        if not known[text]:
            yield f"{path}: {rule['message']}"
