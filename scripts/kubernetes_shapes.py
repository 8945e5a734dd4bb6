"""Write `schemas/kubernetes-core.v1.json`: the Kubernetes types a manifest embeds, and how Go writes them.

The shapes come from the JSON Schemas that the kubernetes-validate package carries, without their texts. What
no schema tells (the order of a Go struct's fields, which are pointers, which are never omitted) stands in
`go_types.yaml` beside this script. The two must name the same types and fields, else nothing is written.

Usage: python scripts/kubernetes_shapes.py [--check]
`--check` writes nothing and exits 1 when the file is stale. Exit 2: the schemas and the table disagree.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import yaml

Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "scripts" / "go_types.yaml"
TARGET = ROOT / "schemas" / "kubernetes-core.v1.json"

PREFERRED = (1, 36)
_SCHEMA_SET = re.compile(r"v(\d+)\.(\d+)\.(\d+)-local")

_CORE = "io.k8s.api.core.v1."
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
ROOTS = (
    *(
        _CORE + name
        for name in (
            "EnvVar",
            "EnvFromSource",
            "Volume",
            "VolumeMount",
            "VolumeDevice",
            "Container",
            "ResourceRequirements",
            "NodeSelectorRequirement",
            "LocalObjectReference",
            "Toleration",
            "PodSecurityContext",
            "Affinity",
        )
    ),
    _META + "ObjectMeta",
)

# Types with a JSON form of their own, in place of a struct's.
INLINE: dict[str, Schema] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": ["string", "number"], "format": "quantity"},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "type": ["integer", "string"],
        "format": "int-or-string",
    },
    _META + "Time": {"type": "string", "format": "date-time"},
    _META + "FieldsV1": {"type": "object", "additionalProperties": True},
}

_ZEROS: dict[str, object] = {
    "quantity": "0",
    "int-or-string": 0,
    "string": "",
    "integer": 0,
    "boolean": False,
}
_FORMATS = {"int32", "int64", "date-time", "byte"}
_KEPT = ("enum", "minimum", "maximum")
_DROPPED = {"description", "default"}
_STRUCT_KEYS = {"type", "properties", "required"}

_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]*)(?P<mark>!\?|!|\?|)")
DESCRIPTION = (
    "The types of Kubernetes {version} that a manifest embeds. Made by"
    " `python scripts/kubernetes_shapes.py` from the JSON Schemas in the kubernetes-validate package and from"
    " scripts/go_types.yaml; do not edit. Properties stand in the order in which Go writes them."
    " x-go-pointer: an explicit zero or empty value is kept when the object is written again; without it,"
    " zero values vanish. x-go-default: the key is always written, as the user wrote it, or with this value"
    " when it was left out. A null counts as absent."
)


class ShapeError(Exception):
    """The schemas and the table disagree, or a schema has a form that this script does not know."""


class Source(NamedTuple):
    """One schema set: the Kubernetes version and the definitions by full name."""

    version: str
    definitions: Mapping[str, Schema]


class Field(NamedTuple):
    """How Go holds a field: always written (no omitempty), and behind a pointer."""

    always: bool
    pointer: bool


def load_source() -> Source:
    """Read the newest schema set of the preferred Kubernetes version, or the newest of all."""
    sets = files("kubernetes_validate") / "kubernetes-json-schema"
    found = {}
    for folder in sets.iterdir():
        match = _SCHEMA_SET.fullmatch(folder.name)
        if match:
            major, minor, patch = match.groups()
            found[int(major), int(minor), int(patch)] = folder
    best = max(found, key=lambda version: (version[:2] == PREFERRED, version))
    text = (found[best] / "_definitions.json").read_text(encoding="utf-8")
    return Source(f"{best[0]}.{best[1]}", json.loads(text)["$defs"])


def load_table() -> dict[str, dict[str, Field]]:
    """Read the Go facts: for each type its fields in order."""
    table: dict[str, dict[str, Field]] = {}
    for group in yaml.safe_load(TABLE.read_text(encoding="utf-8")).values():
        for name, line in group.items():
            if name in table:
                raise ShapeError(f"{name}: listed twice")
            table[name] = parse_fields(name, line)
    return table


def parse_fields(name: str, line: str) -> dict[str, Field]:
    """Read one line of the table."""
    fields: dict[str, Field] = {}
    for word in line.split():
        match = _FIELD.fullmatch(word)
        if match is None or match["name"] in fields:
            raise ShapeError(f"{name}: {word!r} is no field, or stands there twice")
        fields[match["name"]] = Field(always="!" in match["mark"], pointer="?" in match["mark"])
    return fields


def short_name(full_name: str) -> str:
    """Give the Go name of a definition of the source."""
    return full_name.rpartition(".")[2]


def sole_type(schema: Schema, where: str) -> str:
    """Tell the one type of a schema besides null."""
    declared = schema.get("type")
    kinds = [kind for kind in (declared if isinstance(declared, list) else [declared]) if kind != "null"]
    if len(kinds) != 1 or not isinstance(kinds[0], str):
        raise ShapeError(f"{where}: cannot read the type {declared!r}")
    return kinds[0]


def refuse_unknown(schema: Schema, known: set[str], where: str) -> None:
    """Stop at a keyword whose loss could change what the schema says."""
    unknown = {key for key in schema if not key.startswith("x-kubernetes-")} - known - _DROPPED
    if unknown:
        raise ShapeError(f"{where}: unknown keywords {sorted(unknown)}")


class Shapes:
    """The definitions, made one by one from the roots."""

    def __init__(self, source: Source, table: Mapping[str, Mapping[str, Field]]) -> None:
        """Make every definition that the roots reach."""
        self.source = source.definitions
        self.table = table
        self.definitions: dict[str, Schema] = {}
        self._full_names: dict[str, str] = {}
        for root in ROOTS:
            self._add(root)
        unused = sorted(table.keys() - self.definitions.keys())
        if unused:
            raise ShapeError(f"the table lists types that nothing reaches: {unused}")

    def _add(self, full_name: str) -> str:
        """Make a definition and all it refers to, unless it is there already; give its name."""
        name = short_name(full_name)
        if self._full_names.setdefault(name, full_name) != full_name:
            raise ShapeError(f"{name} stands for {full_name} and for {self._full_names[name]}")
        if name in self.definitions:
            return name
        if full_name not in self.source:
            raise ShapeError(f"{full_name}: not in the schemas")
        struct = self.source[full_name]
        refuse_unknown(struct, _STRUCT_KEYS, name)
        if sole_type(struct, name) != "object" or not struct.get("properties"):
            raise ShapeError(f"{name}: is no struct")
        fields = self._fields(name, struct)
        definition: Schema = {
            "type": "object",
            "properties": {},
            "required": [],
            "additionalProperties": False,
        }
        self.definitions[name] = definition
        for key, field in fields.items():
            definition["properties"][key] = self._property(struct["properties"][key], field, f"{name}.{key}")
        definition["required"] = [key for key in fields if key in struct.get("required", ())]
        return name

    def _fields(self, name: str, struct: Schema) -> Mapping[str, Field]:
        """Give the table's line for a type, which must name exactly the fields of the schema."""
        if name not in self.table:
            raise ShapeError(f"{name}: not in the table; its fields are {' '.join(struct['properties'])}")
        fields = self.table[name]
        for key in sorted(fields.keys() ^ struct["properties"].keys()):
            raise ShapeError(f"{name}.{key}: only in the {'table' if key in fields else 'schemas'}")
        return fields

    def _property(self, source: Schema, field: Field, where: str) -> Schema:
        """Translate a field and add how Go writes it."""
        schema = self._value(source, where)
        struct = "$ref" in schema or schema.get("additionalProperties") is True
        if field.pointer and (struct or schema.get("type") in ("array", "object")) and not field.always:
            raise ShapeError(f"{where}: needs no `?`; structs are pointers anyway, lists and maps never")
        if field.always:
            schema["x-go-default"] = None if field.pointer else self._zero(schema)
        elif field.pointer or struct:
            schema["x-go-pointer"] = True
        return schema

    def _value(self, source: Schema, where: str) -> Schema:
        """Translate the schema of a field, a list item or a map value."""
        if "$ref" in source:
            refuse_unknown(source, {"$ref"}, where)
            full_name = source["$ref"].rpartition("/")[2]
            inline = INLINE.get(full_name)
            return {"$ref": f"#/$defs/{self._add(full_name)}"} if inline is None else dict(inline)
        kind = sole_type(source, where)
        schema: Schema = {"type": kind}
        if kind == "array":
            refuse_unknown(source, {"type", "items"}, where)
            schema["items"] = self._value(source["items"], f"{where}[]")
        elif kind == "object":
            refuse_unknown(source, {"type", "additionalProperties"}, where)
            schema["additionalProperties"] = self._value(source["additionalProperties"], f"{where}{{}}")
        else:
            refuse_unknown(source, {"type", "format", *_KEPT}, where)
            if source.get("format", "int32") not in _FORMATS:
                raise ShapeError(f"{where}: unknown format {source['format']!r}")
            schema |= {key: source[key] for key in ("format", *_KEPT) if key in source}
        return schema

    def _zero(self, schema: Schema) -> object:
        """Give what Go writes for the zero value: null for a nil list or map, a struct's constant fields."""
        if "$ref" in schema:
            properties = self.definitions[schema["$ref"].rpartition("/")[2]]["properties"]
            return {key: value["x-go-default"] for key, value in properties.items() if "x-go-default" in value}
        if schema["type"] in ("array", "object"):
            return None
        kind = schema.get("format") if isinstance(schema["type"], list) else schema["type"]
        if kind not in _ZEROS:
            raise ShapeError(f"the zero value of {schema} is unknown")
        return _ZEROS[kind]


def document(source: Source, table: Mapping[str, Mapping[str, Field]]) -> Schema:
    """Make the whole schema document."""
    definitions = Shapes(source, table).definitions
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:nvcre-render:kubernetes-core.v1",
        "title": "Kubernetes types embedded in a WorkloadRun",
        "description": DESCRIPTION.format(version=source.version),
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }


def render() -> str:
    """Give the text of the file as it should be."""
    return json.dumps(document(load_source(), load_table()), indent=1) + "\n"


def main(arguments: list[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=f"Write {TARGET.relative_to(ROOT)}.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file is stale")
    check = parser.parse_args(arguments).check
    try:
        text = render()
    except ShapeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not check:
        TARGET.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if TARGET.is_file() and TARGET.read_bytes() == text.encode():
        return 0
    print(f"{TARGET} is stale: run `python scripts/kubernetes_shapes.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
