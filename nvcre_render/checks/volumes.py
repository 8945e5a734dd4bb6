"""Volumes: one source each, names, and the modes of their files (NR231 to NR239). (Kubernetes API, Volume.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import MAX_LABEL, is_dns_label
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

SEVERAL_SOURCES = Rule(
    code="NR231",
    name="several-volume-sources",
    severity=ERROR,
    summary="A volume has more than one source.",
    why="The API server refuses the pod: it could not tell which of them to mount.",
    remedy="keep one source, or make two volumes of it",
    bad=run("  volumes:\n    - name: data\n      emptyDir: {}\n      hostPath: {path: /mnt}  # error\n"),
    good=run("  volumes:\n    - name: data\n      hostPath: {path: /mnt}\n"),
)
NO_SOURCE = Rule(
    code="NR232",
    name="volume-without-source",
    severity=WARNING,
    summary="A volume has no source.",
    why="Kubernetes makes an empty directory of it, so the data that was meant to be there is not.",
    remedy="add the source, such as persistentVolumeClaim: {claimName: NAME}, or write emptyDir: {}",
    bad=run("  volumes: [{name: data}]  # warning\n"),
    good=run("  volumes: [{name: data, emptyDir: {}}]\n"),
)
MALFORMED_NAME = Rule(
    code="NR233",
    name="malformed-volume-name",
    severity=ERROR,
    summary="The name of a volume is not a DNS label.",
    why="The API server refuses the pod.",
    remedy="write at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit",
    bad=run("  volumes: [{name: my_data, emptyDir: {}}]  # error\n"),
    good=run("  volumes: [{name: my-data, emptyDir: {}}]\n"),
)
REPEATED_NAME = Rule(
    code="NR234",
    name="repeated-volume-name",
    severity=ERROR,
    summary="Two volumes have one name.",
    why="The API server refuses the pod: a mount could mean either.",
    remedy="give each volume a name of its own",
    bad=run("  volumes:\n    - {name: data, emptyDir: {}}\n    - {name: data, hostPath: {path: /mnt}}  # error\n"),
    good=run("  volumes:\n    - {name: data, emptyDir: {}}\n    - {name: host, hostPath: {path: /mnt}}\n"),
)
MODE_RANGE = Rule(
    code="NR238",
    name="file-mode-out-of-range",
    severity=ERROR,
    summary="A file mode is larger than 0777.",
    why="Modes are octal; 755 without the leading 0 is another number, which the API server refuses.",
    remedy="write the mode with a leading 0, such as 0755 (in JSON its decimal form, 493)",
    bad=run("  volumes:\n    - name: keys\n      secret: {secretName: k, defaultMode: 755}  # error\n"),
    good=run("  volumes:\n    - name: keys\n      secret: {secretName: k, defaultMode: 0755}\n"),
)
DECIMAL_MODE = Rule(
    code="NR239",
    name="decimal-file-mode",
    severity=WARNING,
    summary="A file mode is written like an octal number, but without the leading 0.",
    why="It is read as decimal: 400 means 0620, which lets the group write and others nothing.",
    remedy="write the mode with a leading 0, such as 0400 (in JSON its decimal form, 256)",
    bad=run("  volumes:\n    - name: keys\n      secret: {secretName: k, defaultMode: 400}  # warning\n"),
    good=run("  volumes:\n    - name: keys\n      secret: {secretName: k, defaultMode: 0400}\n"),
)

MAX_MODE = 0o777
_WITH_FILES = {"configMap", "secret", "projected", "downwardAPI"}
_MODES = ("defaultMode", "mode")
# Octal modes people mean, and never the decimal form of one: 0620, 0670, 0674, 0764.
_DECIMAL_LOOKALIKES = (400, 440, 444, 500)
_VOLUMES = ("spec", "volumes")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with each of spec.volumes, in their order."""
    first: dict[str, int] = {}
    for index, volume in enumerate(run["spec"].get("volumes", [])):
        path: Path = (*_VOLUMES, index)
        written = document.data["spec"]["volumes"][index]
        if not isinstance(written, dict):  # a finding of its own, as is a name that is no text
            continue
        if isinstance(written.get("name"), str):
            yield from _check_name(volume["name"], index, first, document)
        yield from _check_sources(volume, written, path, document)
        for place, mode in _modes(volume, path) if _WITH_FILES & volume.keys() else ():
            yield from _check_mode(mode, place, document)


def _check_name(name: str, index: int, first: dict[str, int], document: Document) -> Iterator[Diagnostic]:
    path = (*_VOLUMES, index, "name")
    if not is_dns_label(name) or len(name) > MAX_LABEL:
        yield MALFORMED_NAME.at(document, path, f'"{name}" is not a name for a volume')
    elif name in first:
        earlier = document.position((*_VOLUMES, first[name], "name"))
        related = ((earlier, "first volume of this name"),) if earlier else ()
        yield REPEATED_NAME.at(document, path, f'two volumes are called "{name}"', related=related)
    first.setdefault(name, index)


def _check_sources(volume: Any, written: dict[str, Any], path: Path, document: Document) -> Iterator[Diagnostic]:
    given = [key for key, value in written.items() if key != "name" and value is not None]
    known = [key for key in given if key in volume]
    if not given:
        message = f'"{volume.get("name", "")}" has no source, so it is an empty directory'
        yield NO_SOURCE.at(document, path, message)
    elif len(known) > 1:
        message = f'"{volume.get("name", "")}" has the sources {" and ".join(known)}; a volume has one'
        yield SEVERAL_SOURCES.at(document, (*path, known[1]), message, on_key=True)


def _modes(value: Any, path: Path) -> Iterator[tuple[Path, int]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _modes(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _MODES and isinstance(item, int):
                yield (*path, key), item
            elif isinstance(item, (dict, list)):
                yield from _modes(item, (*path, key))


def _check_mode(mode: int, path: Path, document: Document) -> Iterator[Diagnostic]:
    if not 0 <= mode <= MAX_MODE:
        octal = f"0{mode}" if mode > 0 and set(str(mode)) <= set("01234567") and len(str(mode)) <= len("755") else ""
        remedy = f"write {octal} (in JSON {int(octal, 8)})" if octal else ""
        yield MODE_RANGE.at(document, path, f"{mode} is no file mode; the largest is 0777 (511)", remedy=remedy)
    elif mode in _DECIMAL_LOOKALIKES and document.raw(path) in (None, str(mode)):
        remedy = f"write 0{mode} (in JSON {int(str(mode), 8)})"
        yield DECIMAL_MODE.at(document, path, f"{mode} is a decimal number and means 0{mode:o}", remedy=remedy)
