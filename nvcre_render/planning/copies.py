"""A Workflow's dependencies as the controller creates them: the shared ones, and the copies of each group.

(NVCRE guide, dependencies.) Whether a kind lives in a namespace only a cluster can tell; offline it does unless it
is one of Kubernetes' own that do not, or its name begins with Cluster.
"""

from __future__ import annotations

from nvcre_render import fragments
from nvcre_render.fragments import Parameters
from nvcre_render.planning import contract, dependencies, renaming
from nvcre_render.planning.job import OBJECTS
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from nvcre_render.planning.dependencies import Document
    from nvcre_render.planning.group import Group
    from nvcre_render.planning.job import Template

_WITHOUT_NAMESPACE = frozenset(
    (
        *("APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "CustomResourceDefinition", "DeviceClass"),
        *("FlowSchema", "IPAddress", "IngressClass", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
        *("MutatingWebhookConfiguration", "Namespace", "Node", "PersistentVolume", "PriorityClass"),
        *("PriorityLevelConfiguration", "ResourceSlice", "RuntimeClass", "ServiceCIDR", "StorageClass"),
        *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"),
        *("VolumeAttachment", "VolumeAttributesClass"),
    )
)


def documents(listed: Sequence[Document] | None) -> list[dict[str, Any]]:
    """Return the objects of spec.dependencies; a `when` beside their keys is no part of them."""
    return [{key: value for key, value in each.items() if key != "when"} for each in listed or ()]


def created(document: Document, workflow: str, namespace: str | None) -> dict[str, Any]:
    """Return an object as it is created for a Workflow: in its namespace, with its label.

    The annotation and the owner reference carry a UID, which only a live Workflow has.
    """
    metadata = dict(document.get("metadata") or {})
    if namespace and not metadata.get("namespace") and is_namespaced(document):
        metadata["namespace"] = namespace
    own = fragments.fill(fragments.load(OBJECTS)["labels"]["dependency"], Parameters(workflow=workflow))
    metadata["labels"] = {**(metadata.get("labels") or {}), **own}
    return {**document, "metadata": metadata}


def is_namespaced(document: Document) -> bool:
    """Tell whether an object lives in a namespace, as far as its kind tells."""
    return not dependencies.is_shared_by_nature(document) and document.get("kind") not in _WITHOUT_NAMESPACE


class Copies(Record):
    """The dependencies that every group copies, in creation order, and the Workflow spec they stand in."""

    documents: tuple[Document, ...]
    spec: Mapping[str, Any]


def renamed(copies: Copies, template: Template, group: Group) -> list[dict[str, Any]]:
    """Return a group's copies under their new names."""
    new = renaming.replacements(template.words, template.names.suffix(group.name))
    return [contract.renamed(each, new, copies.spec) for each in copies.documents]


def of_group(copies: Copies, template: Template, group: Group) -> list[dict[str, Any]]:
    """Return a group's copies as they are created."""
    return [created(each, template.workflow, template.namespace) for each in renamed(copies, template, group)]
