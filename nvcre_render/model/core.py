"""Pieces of Kubernetes' own API that manifests embed (core/v1, meta/v1).

Only the fields this package reads are typed here. In the JSON Schemas these types are replaced by the complete
definitions of `schemas/kubernetes-core.v1.json`, which are made from Kubernetes' published schemas.
"""

from __future__ import annotations

from typing import Any, Required

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

OPEN = ConfigDict(extra="allow", strict=True)


@with_config(OPEN)
class ObjectMeta(TypedDict, total=False):
    """Name, namespace, labels and annotations of an object."""

    name: str
    namespace: str
    generateName: str
    labels: dict[str, str]
    annotations: dict[str, str]


@with_config(OPEN)
class EnvVar(TypedDict, total=False):
    """One environment variable: a literal value or a reference."""

    name: Required[str]
    value: str
    valueFrom: dict[str, Any]


@with_config(OPEN)
class VolumeMount(TypedDict, total=False):
    """Where a container sees a volume."""

    name: Required[str]
    mountPath: Required[str]
    readOnly: bool


@with_config(OPEN)
class Volume(TypedDict, total=False):
    """A volume: its name and exactly one source."""

    name: Required[str]


@with_config(OPEN)
class Container(TypedDict, total=False):
    """A container; of an init container only these fields matter to the compiler."""

    name: Required[str]
    image: str
    volumeMounts: list[VolumeMount]


@with_config(OPEN)
class ResourceRequirements(TypedDict, total=False):
    """Requests and limits by resource name, as Kubernetes quantities."""

    limits: dict[str, Any]
    requests: dict[str, Any]


@with_config(OPEN)
class LocalObjectReference(TypedDict, total=False):
    """The name of an object in the same namespace."""

    name: str


@with_config(OPEN)
class NodeSelectorRequirement(TypedDict, total=False):
    """One condition on a node label."""

    key: Required[str]
    operator: Required[str]
    values: list[str]
