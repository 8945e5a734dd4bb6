"""Write `schemas/patch-shapes.v1.json`: the shapes of the objects that overrides patch, types and field names only.

Kubeflow Trainer's and JobSet's types come from the kubeflow-trainer-api package, in the release that NVCRE uses;
Kubernetes' own from the schemas that kubernetes-validate carries. Nothing is required, since a patch is partial, and
texts, ranges and enumerations are left out.

Usage: python scripts/patch_shapes.py [--check]
`--check` writes nothing and exits 1 when the file is stale.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubeflow_trainer_api import models
from kubernetes_shapes import INLINE, load_source

Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "schemas" / "patch-shapes.v1.json"
REF = "#/$defs/"

TRAINER = "trainer.kubeflow.org/v1alpha1"
# Definitions that are looked up by name: whole kinds, and parts of the job template whose types NVCRE takes over.
TRAINER_TYPES = {
    f"{TRAINER} TrainingRuntime": models.TrainerV1alpha1TrainingRuntime,
    "Initializer": models.TrainerV1alpha1Initializer,
    "RuntimePatch": models.TrainerV1alpha1RuntimePatch,
}
_CORE, _RBAC, _RESOURCE = "io.k8s.api.core.v1.", "io.k8s.api.rbac.v1.", "io.k8s.api.resource."
KINDS = {
    **{f"v1 {kind}": _CORE + kind for kind in ("ConfigMap", "Secret", "Service", "ServiceAccount")},
    "v1 PersistentVolumeClaim": f"{_CORE}PersistentVolumeClaim",
    **{f"rbac.authorization.k8s.io/v1 {kind}": _RBAC + kind for kind in ("Role", "RoleBinding")},
    **{
        f"resource.k8s.io/{version} {kind}": f"{_RESOURCE}{version}.{kind}"
        for version in ("v1", "v1beta1", "v1beta2")
        for kind in ("ResourceClaim", "ResourceClaimTemplate")
    },
    "networking.k8s.io/v1 NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
}
_GROUPS = {"TrainerV1alpha1": "Trainer", "JobsetV1alpha2": "JobSet", "SchedulingV1beta1": "Volcano"}


class Shapes:
    """The definitions, made one by one from the roots."""

    def __init__(self, kubernetes: Mapping[str, Schema]) -> None:
        """Make every definition that a kind reaches."""
        self.kubernetes = kubernetes
        self.folded = {_folded(name): name for name in kubernetes}
        self.trainer: dict[str, Schema] = {}
        self.made: dict[str, Schema] = {}
        self.full_names: dict[str, str] = {}
        for name, model in TRAINER_TYPES.items():
            schema = model.model_json_schema(by_alias=True)
            self.trainer.update(schema.pop("$defs"))
            self.made[name] = self._shape(schema)
        for name, full_name in KINDS.items():
            self.made[name] = self._shape(self.kubernetes[full_name])

    def _shape(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            return self._reference(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            (schema,) = (each for each in schema["anyOf"] if each.get("type") != "null")
            return self._shape(schema)
        kind = schema.get("type")
        if isinstance(kind, list):
            (kind,) = (each for each in kind if each != "null")
        if kind == "array":
            return {"type": kind, "items": self._shape(schema["items"])}
        if kind != "object":
            return {"type": kind} if kind else {}
        if "properties" in schema:
            fields = {
                # Nobody patches a status, and its types would double the file.
                name: {} if name == "status" and "kind" in schema["properties"] else self._shape(field)
                for name, field in schema["properties"].items()
            }
            return {"type": kind, "properties": fields, "additionalProperties": False}
        others = schema.get("additionalProperties")
        return {"type": kind, "additionalProperties": self._shape(others)} if isinstance(others, dict) else {}

    def _reference(self, name: str) -> Schema:
        full_name = self.folded.get(_folded(name), name)
        if full_name in INLINE:
            return dict(INLINE[full_name])
        short = full_name.rpartition(".")[2]
        if full_name.startswith(_RESOURCE):
            short = "".join(full_name.rsplit(".", 2)[1:])  # these types differ from version to version
        for prefix, group in _GROUPS.items():
            short = short.replace(prefix, group)
        if self.full_names.setdefault(short, full_name) != full_name:
            raise SystemExit(f"{short} stands for {full_name} and for {self.full_names[short]}")
        if short not in self.made:
            self.made[short] = {}
            self.made[short] = self._shape(self.kubernetes.get(full_name) or self.trainer[name])
        return {"$ref": REF + short}


def _folded(name: str) -> str:
    return name.replace(".", "").lower()


def render() -> str:
    """Return the text of the file as it should be."""
    source = load_source()
    about = (
        f"What an override may patch. Made by `python scripts/patch_shapes.py` from Kubernetes {source.version} and the"
        f" release of Kubeflow Trainer that NVCRE uses; do not edit."
    )
    made = Shapes(source.definitions).made
    document = {"$id": "urn:nvcre-render:patch-shapes.v1", "description": about, "$defs": dict(sorted(made.items()))}
    return json.dumps(document, separators=(",", ":")).replace('},"', '},\n"') + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or with --check say whether it is stale."""
    text = render()
    if "--check" not in arguments:
        TARGET.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if TARGET.is_file() and TARGET.read_bytes() == text.encode():
        return 0
    print(f"{TARGET} is stale: run `python scripts/patch_shapes.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
