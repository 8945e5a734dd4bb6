"""Kubeflow Trainer releases: what a TrainJob may say in each, and NeMo-Run's manifest in the words of each.

NeMo-Run writes podTemplateOverrides, which only Trainer 2.1 has. (Kubeflow Trainer 2.0 to 2.3 CRDs)
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count

from nvcre_render.executor.manifest import NODE
from nvcre_render.fragments import load
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.positions import Path

    Shape = dict[str, Any] | list[Any] | None

NEMO_RUN = "2.1"  # the release whose form NeMo-Run writes
OVERRIDES = "podTemplateOverrides"
MANAGER = "nvcre-render.nvidia.com/executor"


class Release(Record):
    """One release: its number, the field for pod-level settings, the forms of the parts, and the bounds.

    `shape` is the form of a TrainJob as NeMo-Run writes it, pod-level settings still in podTemplateOverrides and
    with what the release has a place for. `moved` are fields of spec.trainer that the pod-level field can carry.
    """

    name: str
    pod_field: str
    shape: Shape
    moved: tuple[str, ...]
    letter_first: bool
    whole_processes: bool
    items: dict[str, int]
    characters: dict[str, int]


def names() -> tuple[str, ...]:
    """Return the releases known, oldest first."""
    return tuple(load("executor/releases.yaml")["releases"])


@lru_cache(maxsize=8)
def release(name: str) -> Release:
    """Return the release `name`, such as 2.3."""
    table = load("executor/releases.yaml")["releases"][name]
    spec = {**table["spec"]}
    moved = tuple(table["moved"])
    spec["trainer"] = {**spec["trainer"], **dict.fromkeys(moved)}
    entry = {"targetJobs": [{"name": None}], "spec": table["pod"], "metadata": table["podMetadata"]}
    if not table["podMetadata"]:
        del entry["metadata"]
    spec[OVERRIDES] = [entry]
    return Release(
        name=name,
        pod_field=table["podField"],
        shape={"apiVersion": None, "kind": None, "metadata": None, "spec": spec},
        moved=moved,
        letter_first=table.get("letterFirst", False),
        whole_processes=table.get("wholeProcesses", False),
        items=table.get("items", {}),
        characters=table.get("characters", {}),
    )


def unknown(value: Any, shape: Shape, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every field that `shape` has no place for; null counts as absent.

    >>> list(unknown({"name": "a", "ports": [], "env": None}, {"name": None}))
    [('ports',)]
    """
    if isinstance(shape, dict) and isinstance(value, dict):
        for key, item in value.items():
            if key in shape:
                yield from unknown(item, shape[key], (*path, key))
            elif item is not None:
                yield (*path, key)
    elif isinstance(shape, list) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from unknown(item, shape[0], (*path, index))


def fields(value: Any, shape: Shape, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every field that `shape` lists, with its path and value, outer ones first."""
    if isinstance(shape, dict) and isinstance(value, dict):
        for key, item in value.items():
            if key in shape:
                yield (*path, key), item
                yield from fields(item, shape[key], (*path, key))
    elif isinstance(shape, list) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from fields(item, shape[0], (*path, index))


def pruned(value: Any, shape: Shape) -> Any:
    """Return a copy of `value` without the fields that `shape` has no place for, as an API server keeps it."""
    if isinstance(value, dict):
        if isinstance(shape, dict):
            return {key: pruned(item, shape[key]) for key, item in value.items() if key in shape}
        return {key: pruned(item, None) for key, item in value.items()}
    if isinstance(value, list):
        return [pruned(item, shape[0] if isinstance(shape, list) else None) for item in value]
    return value


def translate(job: dict[str, Any], target: Release) -> dict[str, Any]:
    """Return NeMo-Run's manifest in the form `target` understands; `job` holds nothing it has no place for.

    podTemplateOverrides become podSpecOverrides (2.0) or runtimePatches (2.2 and later), in their place; settings
    of the container that stand in spec.trainer move into them.

    >>> entry = {"targetJobs": [{"name": "node"}], "spec": {"tolerations": [{"operator": "Exists"}]}}
    >>> old = translate({"spec": {"podTemplateOverrides": [entry]}}, release("2.0"))
    >>> old["spec"]["podSpecOverrides"]
    [{'targetJobs': [{'name': 'node'}], 'tolerations': [{'operator': 'Exists'}]}]
    """
    if target.pod_field == OVERRIDES:
        return job
    spec = dict(job["spec"])
    trainer = _mapping(spec.get("trainer"))
    moved = {key: trainer[key] for key in target.moved if key in trainer}
    if moved:
        spec["trainer"] = {key: value for key, value in trainer.items() if key not in moved}
    entries = [entry for entry in _mappings(spec.get(OVERRIDES)) if entry.get("spec") or entry.get("metadata")]
    if moved:
        entries = _with_container(entries, moved)
    own = _mappings(spec.get(target.pod_field))
    if target.pod_field == "podSpecOverrides":
        made = [{"targetJobs": entry.get("targetJobs"), **_mapping(entry.get("spec"))} for entry in entries]
    else:
        made = _runtime_patches(entries, {patch.get("manager") for patch in own})
    return {**job, "spec": _written(spec, target.pod_field, [*own, *made])}


def _written(spec: dict[str, Any], field: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return `spec` with `entries` under `field`, where podTemplateOverrides or the field itself stood."""
    place = OVERRIDES if OVERRIDES in spec else field
    made: dict[str, Any] = {}
    for key, value in {**spec, place: None}.items():
        if key not in (OVERRIDES, field):
            made[key] = value
        elif key == place and entries:
            made[field] = entries
    return made


def _with_container(entries: list[dict[str, Any]], fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries with fields of the node container added to the one for its job, where they are not set."""
    position = next((index for index, entry in enumerate(entries) if NODE in _jobs(entry)), None)
    if position is None:
        return [*entries, {"targetJobs": [{"name": NODE}], "spec": {"containers": [{"name": NODE, **fields}]}}]
    spec = _mapping(entries[position].get("spec"))
    containers = _mappings(spec.get("containers"))
    found = next((index for index, each in enumerate(containers) if each.get("name") == NODE), None)
    if found is None:
        containers.append({"name": NODE, **fields})
    else:
        containers[found] = {**containers[found], **_joined(containers[found], fields)}
    entry = {**entries[position], "spec": {**spec, "containers": containers}}
    return [*entries[:position], entry, *entries[position + 1 :]]


def _joined(container: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Return `fields` where `container` does not decide otherwise: lists are joined, other values stay."""
    return {
        key: [*container[key], *value]
        if isinstance(container.get(key), list) and isinstance(value, list)
        else container.get(key, value)
        for key, value in fields.items()
    }


def _runtime_patches(entries: list[dict[str, Any]], taken: set[Any]) -> list[dict[str, Any]]:
    managers = (MANAGER if number == 1 else f"{MANAGER}-{number}" for number in count(1))
    free = (manager for manager in managers if manager not in taken)
    return [{"manager": next(free), "trainingRuntimeSpec": _patch(entry)} for entry in entries]


def _patch(entry: dict[str, Any]) -> dict[str, Any]:
    pod = {key: entry[key] for key in ("metadata", "spec") if key in entry}
    jobs = [{"name": name, "template": {"spec": {"template": pod}}} for name in _jobs(entry)]
    return {"template": {"spec": {"replicatedJobs": jobs}}}


def _jobs(entry: dict[str, Any]) -> list[Any]:
    return [job.get("name") for job in _mappings(entry.get("targetJobs"))]


# What users put into spec_kwargs may have any form; findings say so, and here only what can be read is.
def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
