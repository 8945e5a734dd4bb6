"""Kubeflow Trainer's own CustomResourceDefinitions as judges, unknown fields counted as failures."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

CRDS = Path(__file__).resolve().parent.parent.parent / "shared" / "crds"
RELEASES = ("v2.2.1", "v2.3.0")  # those whose form NVCRE writes


def faults(kind: str, release: str, document: Any) -> list[str]:
    """Return what the CRD of a Trainer release refuses in an object; skips where the CRDs are not at hand."""
    if not CRDS.is_dir():
        pytest.skip(f"the CRDs are not at hand: {CRDS}")
    errors = validator(kind, release).iter_errors(document)
    return sorted(f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in errors)


@cache
def validator(kind: str, release: str) -> Draft202012Validator:
    text = (CRDS / f"trainer-{release}" / f"{kind.lower()}s.yaml").read_text()
    (definition,) = [each for each in yaml.safe_load_all(text) if each and each["spec"]["names"]["kind"] == kind]
    (version,) = [each for each in definition["spec"]["versions"] if each["name"] == "v1alpha1"]
    return Draft202012Validator(closed(version["schema"]["openAPIV3Schema"], root=True))


def closed(schema: Any, *, root: bool = False) -> Any:
    """Return a structural schema as plain JSON Schema that refuses unknown fields."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    # Defaults and CEL rules are not structure; formats such as int32 are no business of a validator.
    result = {
        key: value for key, value in schema.items() if not key.startswith("x-") and key not in ("default", "format")
    }
    for key in ("properties", "patternProperties"):
        if key in result:
            result[key] = {name: closed(each) for name, each in result[key].items()}
    for key in ("items", "additionalProperties", "not", "anyOf", "allOf", "oneOf"):
        if key in result:
            result[key] = closed(result[key])
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"], **{k: v for k, v in result.items() if k in ("pattern", "anyOf")}}
    if root:
        result["properties"]["metadata"] = {"type": "object"}
    if "properties" in result and not schema.get("x-kubernetes-preserve-unknown-fields"):
        result.setdefault("additionalProperties", False)
    return result
