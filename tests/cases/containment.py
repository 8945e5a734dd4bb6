"""The reading `containment`: what has to be in the pods of the first dependency, and what must not."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.cases.case import CaseError
from tests.cases.compare import Difference, compare, join, show
from tests.cases.document import dig, named, names
from tests.cases.reading import container, dependency_kinds, pod

PODS = {"worker": "node", "launcher": "launcher"}
_LISTS: Mapping[str, Callable[[Any], list[Any]]] = {
    "volumeNames": lambda pod: names(dig(pod, "volumes")),
    "initContainerNames": lambda pod: names(dig(pod, "initContainers")),
    "volumeMounts": lambda pod: dig(container(pod), "volumeMounts") or [],
}


def differences(spec: dict[str, Any], value: dict[str, Any], path: str) -> Iterator[Difference]:
    """Every listed thing that is not there, and every excluded one that is."""
    for key, wanted in value.items():
        if key in PODS:
            yield from _pod(spec, PODS[key], wanted, join(path, key))
        elif key == "dependencyKinds":
            yield from compare(wanted, dependency_kinds(spec), join(path, key))
        elif key == "configVolumeDefaultMode":
            yield from compare(wanted, _config_volume_mode(pod(spec, "node")), join(path, key))
        else:
            raise CaseError(f"unknown containment key: {key}")


def _pod(spec: dict[str, Any], job: str, wanted: dict[str, Any], path: str) -> Iterator[Difference]:
    found = pod(spec, job)
    if found is None:
        yield Difference(path, f"a replicated job {job}", "none of that name")
        return
    for key, sides in wanted.items():
        if key in _LISTS:
            yield from _list(_LISTS[key](found), sides, join(path, key))
        elif key == "securityContext":
            yield from _security_context(dig(container(found), key) or {}, sides, join(path, key))
        elif key == "configVolumeDefaultMode":
            yield from compare(sides, _config_volume_mode(found), join(path, key))
        else:
            raise CaseError(f"unknown containment key: {key}")


def _list(items: list[Any], sides: dict[str, list[Any]], path: str) -> Iterator[Difference]:
    for side, wanted in _sides(sides):
        for index, want in enumerate(wanted):
            if any(_covers(item, want) for item in items) != (side == "contains"):
                yield Difference(join(join(path, side), index), show(want), show(items))


def _security_context(context: dict[str, Any], sides: dict[str, Any], path: str) -> Iterator[Difference]:
    for side, wanted in _sides(sides):
        if side == "contains":
            present = {key: context[key] for key in wanted if key in context}
            yield from compare(wanted, present, join(path, side))
            continue
        for index, key in enumerate(wanted):
            if key in context:
                yield Difference(join(join(path, side), index), f"no key {key}", show(context))


def _sides(sides: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for side, wanted in sides.items():
        if side not in {"contains", "excludes"}:
            raise CaseError(f"unknown containment key: {side}")
        yield side, wanted


def _covers(item: Any, want: Any) -> bool:
    """Whether an item is the wanted one; a mapping may have more keys than wanted."""
    if isinstance(want, Mapping) and isinstance(item, Mapping):
        item = {key: value for key, value in item.items() if key in want}
    return not any(compare(want, item))


def _config_volume_mode(worker: Any) -> Any:
    return dig(named(dig(worker, "volumes"), "config-volume"), "configMap", "defaultMode")
