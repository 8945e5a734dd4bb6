"""Mounts: the volumes they name and the paths they take (NR235 to NR237). (Kubernetes API, VolumeMount.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.reserved import RESERVATIONS, clean_path
from nvcre_render.diagnostics import ERROR, WARNING, Rule
from nvcre_render.framework import framework

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.core import VolumeMount
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

_SCRATCH = "  volumes: [{name: scratch, emptyDir: {}}, {name: data, emptyDir: {}}]\n  volumeMounts:\n"

WITHOUT_VOLUME = Rule(
    code="NR235",
    name="mount-without-volume",
    severity=ERROR,
    summary="A mount names a volume that nothing declares.",
    why="The API server refuses the pod.",
    remedy="declare the volume in spec.volumes, or write the name of one that is there",
    bad=run("  volumeMounts: [{name: data, mountPath: /data}]  # error\n"),
    good=run("  volumes: [{name: data, emptyDir: {}}]\n  volumeMounts: [{name: data, mountPath: /data}]\n"),
)
REPEATED_PATH = Rule(
    code="NR236",
    name="repeated-mount-path",
    severity=ERROR,
    summary="Two mounts of one container have the same path.",
    why="The API server refuses the pod: mount paths are unique in a container.",
    remedy="mount one of the two elsewhere",
    bad=run(f"{_SCRATCH}    - {{name: scratch, mountPath: /data}}\n    - {{name: data, mountPath: /data}}  # error\n"),
    good=run(f"{_SCRATCH}    - {{name: scratch, mountPath: /scratch}}\n    - {{name: data, mountPath: /data}}\n"),
)
HIDDEN_MOUNT = Rule(
    code="NR237",
    name="hidden-mount",
    severity=WARNING,
    summary="Two mounts of one container lie at one place, written differently.",
    why="The API server compares the texts and accepts them; in the container one mount hides the other.",
    remedy="mount one of the two elsewhere",
    bad=run(
        f"{_SCRATCH}    - {{name: scratch, mountPath: /data}}\n    - {{name: data, mountPath: /data/}}  # warning\n"
    ),
    good=run(f"{_SCRATCH}    - {{name: scratch, mountPath: /data}}\n    - {{name: data, mountPath: /data/in}}\n"),
)

_CONFIG_VOLUME = "config-volume"  # whether it is there is told by a rule of its own


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with the mounts of the workload container, then of each init container."""
    spec: Any = run["spec"]
    used = framework(spec)
    declared = {volume.get("name", "") for volume in spec.get("volumes", [])}
    built_in = {each.volume for each in RESERVATIONS if each.volume and used in each.frameworks}
    names = declared | built_in | {_CONFIG_VOLUME}
    for base, mounts in _mounts(spec):
        yield from _check_names(mounts, base, names, declared, document)
        yield from _check_paths(mounts, base, document)


def _mounts(spec: Any) -> Iterator[tuple[Path, list[VolumeMount]]]:
    yield ("spec", "volumeMounts"), spec.get("volumeMounts", [])
    for index, container in enumerate(spec.get("initContainers", [])):
        yield ("spec", "initContainers", index, "volumeMounts"), container.get("volumeMounts", [])


def _check_names(
    mounts: list[VolumeMount], base: Path, names: set[str], declared: set[str], document: Document
) -> Iterator[Diagnostic]:
    for index, mount in enumerate(mounts):
        name = mount.get("name", "")
        if not name or name in names or name in _added(document):
            continue
        from nvcre_render.checks.spelling import suggestion

        near = suggestion(name, sorted(declared))
        hint = f'did you mean "{near}"?' if near else ""
        yield WITHOUT_VOLUME.at(document, (*base, index, "name"), f'no volume is called "{name}"', remedy=hint)


def _added(document: Document) -> set[str]:
    """Return the names of all volumes that an override or a platform block may add to the pods."""
    from nvcre_render import fragments

    overrides = document.data["spec"].get("overrides")
    return set(_volume_names([overrides, *fragments.package().blocks]))


def _volume_names(value: Any) -> Iterable[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
            volumes = each.get("volumes")
            for volume in volumes if isinstance(volumes, list) else ():
                if isinstance(volume, dict):
                    yield str(volume.get("name"))


def _check_paths(mounts: list[VolumeMount], base: Path, document: Document) -> Iterator[Diagnostic]:
    taken: dict[str, int] = {}
    for index, mount in enumerate(mounts):
        path = mount.get("mountPath", "")
        if not path:
            continue
        first = taken.setdefault(clean_path(path), index)
        if first == index:
            continue
        other = mounts[first]["mountPath"]
        earlier = document.position((*base, first, "mountPath"))
        related = ((earlier, "the other mount"),) if earlier else ()
        if other == path:
            message = f'two mounts have the path "{path}"'
            yield REPEATED_PATH.at(document, (*base, index, "mountPath"), message, related=related)
        else:
            message = f'"{path}" and "{other}" are one place, so one mount hides the other'
            yield HIDDEN_MOUNT.at(document, (*base, index, "mountPath"), message, related=related)
