"""Claims that pods on several nodes mount at once (NR531, NR532). (NVCRE guide, volumes.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import NOTE, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Position

_MOUNTED = run(
    "  volumes: [{name: data, persistentVolumeClaim: {claimName: shared}}]CLAIM\n"
    "  volumeMounts: [{name: data, mountPath: /data}]\n"
)
_CLAIM = (
    "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: shared}\n"
    "spec: {accessModes: [MODE], resources: {requests: {storage: 1Ti}}}\n"
)

SINGLE_NODE_CLAIM = Rule(
    code="NR531",
    name="single-node-claim",
    severity=WARNING,
    summary="A claim that one node at a time can mount is used by pods on several nodes.",
    why="The first node gets the volume; the pods of all others wait for it.",
    remedy="give the claim accessModes: [ReadWriteMany], or [ReadOnlyMany] and mount it readOnly",
    bad=_MOUNTED.replace("CLAIM", "  # warning") + _CLAIM.replace("MODE", "ReadWriteOnce"),
    good=_MOUNTED.replace("CLAIM", "") + _CLAIM.replace("MODE", "ReadWriteMany"),
)
UNSEEN_CLAIM = Rule(
    code="NR532",
    name="shared-claim",
    severity=NOTE,
    summary="A claim is mounted for writing by pods on several nodes, and its access modes are not known here.",
    why="Unless it is ReadWriteMany, the pods of all nodes but one would wait for it.",
    remedy="make sure that the claim has accessModes: [ReadWriteMany]; in the same file it is checked",
    bad=_MOUNTED.replace("CLAIM", "  # note"),
    good=_MOUNTED.replace("}]CLAIM", "}]").replace("shared}", "shared, readOnly: true}"),
)

_MANY = "ReadWriteMany"
_MANY_READERS = (_MANY, "ReadOnlyMany")


def check(run: WorkloadRun, document: Document, documents: Sequence[Document], *, advice: bool) -> Iterator[Diagnostic]:
    """Yield what the claims of a run lack to be mounted on several nodes.

    `documents` are all of the input, the claims among them; with `advice` claims that are elsewhere are named too.
    """
    spec: Any = run.get("spec", {})
    if not _spans_nodes(spec):
        return
    written, mounted = _uses(spec)
    for index, volume in enumerate(spec.get("volumes", [])):
        source = volume.get("persistentVolumeClaim", {})
        name = source.get("claimName", "")
        if not name or volume.get("name") not in mounted or name == _checkpoint_claim(run):
            continue
        writes = volume.get("name") in written and not source.get("readOnly")
        path = ("spec", "volumes", index, "persistentVolumeClaim", "claimName")
        claim = _claim(name, run, documents)
        if claim is not None:
            yield from _check_claim(claim, path, name, document, writes=writes)
        elif writes and advice:
            message = f'the claim "{name}" is mounted on {_size(spec)} at once, so it must be ReadWriteMany'
            yield UNSEEN_CLAIM.at(document, path, message)


def _spans_nodes(spec: Any) -> bool:
    """Tell whether pods on different nodes run at once: Pinned on more than one eligible node, Unpinned by size."""
    orchestration = spec.get("orchestration", {})
    nodes = spec.get("numNodes", 1)
    if orchestration.get("placement") == "Unpinned":
        return bool(nodes > 1)
    alone = orchestration.get("testScale") == "intra-node" or nodes == 1
    names = spec.get("target", {}).get("nodeNames", [])
    # Single-node jobs run one after the other only when they are told to.
    return not alone or (orchestration.get("maxConcurrent") != 1 and len(names) != 1)


def _size(spec: Any) -> str:
    nodes = spec.get("numNodes", 1)
    scattered = nodes == 1 or spec.get("orchestration", {}).get("testScale") == "intra-node"
    return "every eligible node" if scattered else f"{nodes} or more nodes"


def _uses(spec: Any) -> tuple[set[str], set[str]]:
    """Return the names of the volumes that are mounted for writing, and of all that are mounted."""
    mounts = [*spec.get("volumeMounts", [])]
    for container in spec.get("initContainers", []):
        mounts += container.get("volumeMounts", [])
    mounted = {mount.get("name", "") for mount in mounts}
    return {mount.get("name", "") for mount in mounts if not mount.get("readOnly")}, mounted


def _checkpoint_claim(run: Any) -> str:
    """Return the name of the claim that is generated, and ReadWriteMany."""
    return f"{run.get('metadata', {}).get('name', '')}-checkpoint-pvc" if "checkpoint" in run["spec"] else ""


def _claim(name: str, run: Any, documents: Sequence[Document]) -> tuple[Any, Position | None] | None:
    """Return the access modes of the claim `name` in the run's namespace and their place, None when it is not here."""
    namespace = run.get("metadata", {}).get("namespace", "")
    for each in documents:
        data = each.data
        if not isinstance(data, dict) or data.get("kind") != "PersistentVolumeClaim":
            continue
        metadata, spec = data.get("metadata"), data.get("spec")
        if not isinstance(metadata, dict) or not isinstance(spec, dict) or metadata.get("name") != name:
            continue
        if (metadata.get("namespace") or namespace) == namespace:
            return spec.get("accessModes"), each.position(("spec", "accessModes"))
    return None


def _check_claim(
    claim: tuple[Any, Position | None], path: Any, name: str, document: Document, *, writes: bool
) -> Iterator[Diagnostic]:
    modes, place = claim
    fitting = (_MANY,) if writes else _MANY_READERS
    given = [str(mode) for mode in modes] if isinstance(modes, list) else []
    if given and not set(given) & set(fitting):
        message = f'the claim "{name}" is {" and ".join(given)}, and pods on several nodes mount it'
        related = ((place, "the claim's access modes"),) if place else ()
        yield SINGLE_NODE_CLAIM.at(document, path, message, related=related)
