"""Settings that the Trainer release in the cluster has no place for (NR92x). (Kubeflow Trainer 2.0 to 2.3 CRDs)

Under strict field validation, which kubectl asks for, the API server refuses such an object. NeMo-Run does not ask:
the server drops the field with a warning nobody sees, and the job starts without it.
"""

from __future__ import annotations

from nvcre_render.checks.executor_rules.submitted import ready
from nvcre_render.diagnostics import WARNING, Rule
from nvcre_render.executor import origins
from nvcre_render.executor.releases import NEMO_RUN, OVERRIDES, names, release, unknown
from nvcre_render.positions import field_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.executor.releases import Shape
    from nvcre_render.positions import Path

DROPPED = Rule(
    code="NR921",
    name="pod-settings-dropped",
    severity=WARNING,
    summary="Pod-level settings on a Trainer release that does not know the field NeMo-Run writes them to.",
    why="NeMo-Run writes podTemplateOverrides, which only Trainer 2.1 has; any other API server drops the field in"
    " silence, and the job starts without volumes, tolerations, pull secrets and pod metadata.",
    remedy="apply the manifest printed here, or put its runtimePatches into spec_kwargs and leave these settings out",
    bad=ready("trainer_release: '2.3'\ntolerations: [{operator: Exists}]  # warning\n"),
    good=ready("tolerations: [{operator: Exists}]\n"),
)
NO_PLACE = Rule(
    code="NR922",
    name="field-without-place",
    severity=WARNING,
    summary="A field that the TrainJob of this Trainer release does not have.",
    why="The API server drops it in silence, or refuses the object under strict validation.",
    remedy="set it in the pod template of the (Cluster)TrainingRuntime",
    bad=ready("pod_spec_overrides:\n  hostIPC: true  # warning\n"),
    good=ready("pod_spec_overrides:\n  nodeSelector: {pool: gpu}\n"),
)

_RUNTIME = "set it in the pod template of the (Cluster)TrainingRuntime"
_WAYS_OUT = {
    "resourceClaims": "declare the claims in the pod template of the (Cluster)TrainingRuntime, or let a mutating"
    " webhook add them",
    "labels": "write labels (on the TrainJob) and pod_labels (on its pods)",
    "annotations": "write annotations (on the TrainJob) and pod_annotations (on its pods)",
    "runtimePatches": "leave it out on this release, and use pod_spec_overrides",
    "podSpecOverrides": "leave it out, and use pod_spec_overrides",
    "activeDeadlineSeconds": "leave it out on this release, and bound the time in the runtime's job template",
    "volumeMounts": "write volume_mounts",
    "resources": "write gpus_per_node, cpu_requests, memory_requests and the limits",
}


def check(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield what the release drops of NeMo-Run's own manifest, and what no form of it can carry."""
    if submitted.release.name != NEMO_RUN:
        yield from _check_dropped(submitted)
    for path in submitted.lost:
        yield _without_place(submitted, path)


def _check_dropped(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield one finding for all pod-level settings, on the first of them."""
    job, target = submitted.job["spec"], submitted.release
    entries = submitted.kept["spec"].get(OVERRIDES)
    paths = [] if entries is None else [*_parts(entries)] or [("spec", OVERRIDES)]
    trainer = job.get("trainer") if isinstance(job.get("trainer"), dict) else {}
    moved = [("spec", "trainer", key) for key in target.moved if key in trainer]
    places = [place for path in (*paths, *moved) if (place := origins.origin(path, submitted.values))]
    if not places:
        return
    settings = ", ".join(dict.fromkeys(field_path(place[: _depth(place)]) for place in places))
    written = " and ".join([f"spec.{OVERRIDES}"] * bool(paths) + ["spec.trainer"] * bool(moved))
    message = (
        f"NeMo-Run writes {settings} to {written}, which Trainer {target.name} drops in silence; the manifest"
        f" printed here has them in spec.{target.pod_field}"
    )
    remedy = ""
    if target.pod_field != "runtimePatches":
        remedy = "apply the manifest printed here, or use Trainer 2.1"
    yield submitted.at(DROPPED, places[0][: _depth(places[0])], message, remedy=remedy)


def _parts(entries: Any) -> Iterator[Path]:
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        for part in ("spec", "metadata"):
            value = entry.get(part) if isinstance(entry, dict) else None
            for key in value if isinstance(value, dict) else ():
                deeper = (0, "volumeMounts") if key == "containers" else ()
                yield ("spec", OVERRIDES, index, part, key, *deeper)


def _depth(place: Path) -> int:
    """Return how much of a path names a setting: collections of other fields count one level deeper."""
    return 2 if place[0] in ("pod_spec_overrides", "container_kwargs", "spec_kwargs") else 1


def _without_place(submitted: Submitted, path: Path) -> Diagnostic:
    name, target = str(path[-1]), submitted.release
    others = [each for each in names() if path not in set(unknown(submitted.job, release(each).shape))]
    what = "pod labels and annotations" if name == "metadata" else name
    message = (
        f"Trainer {target.name} has no {what} in {_place(path, target.pod_field)}: the API server drops it in silence,"
        f" or refuses the object under strict validation; {_having(others)}"
    )
    near = _near(name, _siblings(target.shape, path[:-1])) if not others else None
    if near is not None:
        return submitted.at_field(NO_PLACE, path, message, remedy=f'did you mean "{near}"?')
    remedy = _RUNTIME if "template" in path else _WAYS_OUT.get(name, _RUNTIME)
    if others and others[-1] > target.name:
        remedy += f", or use Trainer {others[0]}" + (" or later" if len(others) > 1 else "")
    return submitted.at_field(NO_PLACE, path, message, remedy=remedy)


def _near(name: str, known: list[str]) -> str | None:
    from nvcre_render.checks.spelling import suggestion

    return suggestion(name, known)


def _place(path: Path, pod_field: str) -> str:
    """Name the part of the manifest a field was meant for, in the words of the release.

    >>> _place(("spec", "podTemplateOverrides", 0, "spec", "containers", 0, "ports"), "runtimePatches")
    'the containers of runtimePatches'
    """
    if path[1] in (OVERRIDES, "runtimePatches", "podSpecOverrides") and len(path) > 2:  # noqa: PLR2004 - below it
        parent = path[-3] if isinstance(path[-2], int) else path[-2]
        inner = f"{parent} of " if parent in ("containers", "initContainers") else "pod spec of "
        return f"the {inner}{pod_field}" if path[-1] != "metadata" else pod_field
    return field_path(path[:-1])


def _having(releases: list[str]) -> str:
    if not releases:
        return f"no Trainer release from {names()[0]} to {names()[-1]} has it"
    *first, last = releases
    return f"Trainer {', '.join(first)} and {last} have it" if first else f"only Trainer {last} has it"


def _siblings(shape: Shape, path: Path) -> list[str]:
    """Return the fields there are at `path`."""
    for step in path:
        shape = (
            shape[0] if isinstance(shape, list) and shape else shape.get(str(step)) if isinstance(shape, dict) else {}
        )
    return list(shape) if isinstance(shape, dict) else []
