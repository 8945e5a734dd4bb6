"""Objects and files a run refers to: pull secrets and the files of config (NR281 to NR284).

(Kubernetes API, ConfigMap and imagePullSecrets; NVCRE guide, config.)
"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import is_dns_subdomain
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

UNNAMED_SECRET = Rule(
    code="NR281",
    name="unnamed-pull-secret",
    severity=WARNING,
    summary="An entry of imagePullSecrets names no secret.",
    why="Kubernetes accepts it and pulls without credentials.",
    remedy="write {name: SECRET}, or remove the entry",
    bad=run("  imagePullSecrets: [{}]  # warning\n"),
    good=run("  imagePullSecrets: [{name: site-registry}]\n"),
)
MALFORMED_REFERENCE = Rule(
    code="NR282",
    name="malformed-object-name",
    severity=ERROR,
    summary="The name of a secret or ConfigMap that no such object can have.",
    why="The API server refuses the pod, or the pod waits for an object that cannot exist.",
    remedy="write lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit",
    bad=run("  config: {configMapRef: {name: My_Files}}  # error\n"),
    good=run("  config: {configMapRef: {name: my-files}}\n"),
)
FILE_NAME = Rule(
    code="NR283",
    name="malformed-config-file-name",
    severity=ERROR,
    summary="A file name in config.inline that a ConfigMap does not take.",
    why="The API server refuses the ConfigMap; it holds no directories.",
    remedy="write letters, digits, '-', '_' and '.', such as run.sh",
    bad=run("  config: {inline: {scripts/run.sh: x}}  # error\n"),
    good=run("  config: {inline: {run.sh: x}}\n"),
)
EMPTY_CONFIG = Rule(
    code="NR284",
    name="empty-config",
    severity=WARNING,
    summary="config has neither files nor a ConfigMap to mount.",
    why="The ConfigMap of the run is mounted all the same and never made, so the pods wait for it.",
    remedy="add files under inline or a configMapRef, or remove config",
    bad=run("  config: {}  # warning\n"),
    good=run("  config: {inline: {run.sh: x}}\n"),
)

_MAX_FILE_NAME = 253
_FILE_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with imagePullSecrets and config."""
    spec: Any = run["spec"]
    for index, secret in enumerate(spec.get("imagePullSecrets", [])):
        path = ("spec", "imagePullSecrets", index)
        written = document.data["spec"]["imagePullSecrets"][index]
        if isinstance(written, dict) and not written.get("name"):
            yield UNNAMED_SECRET.at(document, path, "this entry names no secret")
        yield from _check_reference(secret.get("name", ""), (*path, "name"), document)
    if "config" in spec:
        yield from _check_config(spec["config"], document)


def _check_config(config: Any, document: Document) -> Iterator[Diagnostic]:
    path = ("spec", "config")
    written = document.data["spec"]["config"]
    if not any(written.values()):
        yield EMPTY_CONFIG.at(document, path, "config mounts a ConfigMap that nothing makes", on_key=True)
    name = config.get("configMapRef", {}).get("name", "")
    if "configMapRef" in config and not name and not (written["configMapRef"] or {}).get("name"):
        message = "configMapRef names no ConfigMap"
        yield MALFORMED_REFERENCE.at(document, (*path, "configMapRef"), message, remedy="add name")
    yield from _check_reference(name, (*path, "configMapRef", "name"), document)
    for file in config.get("inline", {}):
        if not _is_file_name(file):
            message = f'"{file}" is not a name for a file of a ConfigMap'
            yield FILE_NAME.at(document, (*path, "inline", file), message, on_key=True)


def _check_reference(name: str, path: Path, document: Document) -> Iterator[Diagnostic]:
    if name and not is_dns_subdomain(name):
        yield MALFORMED_REFERENCE.at(document, path, f'"{name}" is not a name of Kubernetes')


def _is_file_name(text: str) -> bool:
    fits = 0 < len(text) <= _MAX_FILE_NAME and _FILE_NAME.issuperset(text)
    return fits and text != "." and not text.startswith("..")
