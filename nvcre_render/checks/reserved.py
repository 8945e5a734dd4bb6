"""Names and paths the compiler itself uses in the pods (NR4xx). (NVCRE guide, reserved names and paths.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, Rule
from nvcre_render.framework import framework
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.framework import Framework
    from nvcre_render.model.core import VolumeMount
    from nvcre_render.model.workloadrun import WorkloadRunSpec
    from nvcre_render.positions import Path

VOLUME = Rule(
    code="NR401",
    name="reserved-volume-name",
    severity=ERROR,
    summary="A volume has a name that the pods already use.",
    why="Two volumes of one name make an invalid pod; NVCRE fails the run with BuildFailed.",
    remedy="give the volume another name, in its mounts too",
    bad=run("  volumes: [{name: dshm, emptyDir: {}}]  # error\n"),
    good=run("  volumes: [{name: scratch, emptyDir: {}}]\n"),
)
MOUNT_PATH = Rule(
    code="NR402",
    name="reserved-mount-path",
    severity=ERROR,
    summary="A volume is mounted where the pods already mount something.",
    why="Two mounts at one path make an invalid pod, and a mount below the SSH key or status token hides it.",
    remedy="mount the volume at another path",
    bad=run("  volumes: [{name: s, emptyDir: {}}]\n  volumeMounts: [{name: s, mountPath: /dev/shm}]  # error\n"),
    good=run("  volumes: [{name: s, emptyDir: {}}]\n  volumeMounts: [{name: s, mountPath: /dev/shm/x}]\n"),
)
INIT_CONTAINER = Rule(
    code="NR403",
    name="reserved-container-name",
    severity=ERROR,
    summary="An init container is called node.",
    why="The workload container has that name in every pod, and container names are unique in a pod.",
    remedy="give the init container another name",
    bad=run("  initContainers: [{name: node, image: 'fetch:2'}]  # error\n"),
    good=run("  initContainers: [{name: stage, image: 'fetch:2'}]\n"),
)
CONFIG_MOUNT = Rule(
    code="NR404",
    name="config-volume-without-config",
    severity=ERROR,
    summary="A mount names config-volume, but there is no spec.config to create it.",
    why="The pod would name a volume that does not exist.",
    remedy="add spec.config, or mount a volume of your own",
    bad=run("  volumeMounts: [{name: config-volume, mountPath: /etc/settings}]  # error\n"),
    good=run("  config: {inline: {a.sh: x}}\n  volumeMounts: [{name: config-volume, mountPath: /etc/settings}]\n"),
)

_CONFIG_VOLUME = "config-volume"
_EVERY: tuple[Framework, ...] = ("torch", "mpi", "exec")
_TRAINER: tuple[Framework, ...] = ("torch", "exec")


class Reservation(Record):
    """A mount path and the volume there, who owns them, and in which frameworks."""

    volume: str | None
    path: str
    owner: str
    frameworks: tuple[Framework, ...] = _EVERY
    subtree: bool = False  # whether everything below the path is taken too
    needs_config: bool = False  # whether the path is free without spec.config


RESERVATIONS = (
    Reservation(volume="dshm", path="/dev/shm", owner="the shared-memory volume"),  # noqa: S108
    Reservation(volume=_CONFIG_VOLUME, path="/config", owner="spec.config", needs_config=True),
    Reservation(
        volume="mpi-ssh-auth",
        path="/tmp/mpi-ssh-raw",  # noqa: S108
        owner="the MPI SSH key",
        frameworks=("mpi",),
        subtree=True,
    ),
    Reservation(volume=None, path="/root/.ssh", owner="the MPI SSH key", frameworks=("mpi",), subtree=True),
    Reservation(
        volume="kubeflow-trainer-token",
        path="/var/run/secrets/kubeflow/trainer",
        owner="the Trainer status token",
        frameworks=_TRAINER,
        subtree=True,
    ),
)


def check(spec: WorkloadRunSpec, document: Document) -> Iterator[Diagnostic]:
    """Yield every reserved name and path the run uses, in the order of its fields."""
    used = framework(spec)
    held = [each for each in RESERVATIONS if used in each.frameworks]
    for index, volume in enumerate(spec.get("volumes", [])):
        path = ("spec", "volumes", index, "name")
        for each in held:
            if volume.get("name") == each.volume:
                yield VOLUME.at(document, path, f'"{each.volume}" is taken by {each.owner}')
    yield from _check_mounts(spec.get("volumeMounts", []), ("spec", "volumeMounts"), spec, held, document)
    for index, container in enumerate(spec.get("initContainers", [])):
        base: Path = ("spec", "initContainers", index)
        if container.get("name") == "node":
            yield INIT_CONTAINER.at(document, (*base, "name"), '"node" is taken by the workload container')
        mounts = container.get("volumeMounts", [])
        yield from _check_mounts(mounts, (*base, "volumeMounts"), spec, held, document)


def _check_mounts(
    mounts: list[VolumeMount], base: Path, spec: WorkloadRunSpec, held: list[Reservation], document: Document
) -> Iterator[Diagnostic]:
    for index, mount in enumerate(mounts):
        if mount.get("name") == _CONFIG_VOLUME and "config" not in spec:
            message = f'"{_CONFIG_VOLUME}" is created by spec.config only, and there is none'
            yield CONFIG_MOUNT.at(document, (*base, index, "name"), message)
        clean = clean_path(mount.get("mountPath", ""))
        for each in held:
            if each.needs_config and "config" not in spec:
                continue
            if clean == each.path or (each.subtree and clean.startswith(each.path + "/")):
                yield MOUNT_PATH.at(document, (*base, index, "mountPath"), _taken(mount.get("mountPath", ""), each))


def _taken(path: str, reservation: Reservation) -> str:
    below = f", with everything below {reservation.path}" if reservation.subtree else ""
    return f'"{path}" is taken by {reservation.owner}{below}'


def clean_path(path: str) -> str:
    """Return an absolute path in its shortest form, as a container sees it.

    >>> clean_path("//root/./x/../.ssh/"), clean_path("/../config")
    ('/root/.ssh', '/config')
    """
    steps: list[str] = []
    for step in path.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/" + "/".join(steps)
