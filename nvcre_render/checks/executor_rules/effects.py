"""Settings that do nothing, or that replace each other (NR931, NR932). (NeMo-Run KubeflowExecutor)"""

from __future__ import annotations

from nvcre_render.checks.executor_rules.submitted import ready
from nvcre_render.diagnostics import WARNING, Rule
from nvcre_render.executor import environment, manifest
from nvcre_render.executor.releases import OVERRIDES
from nvcre_render.executor.settings import target_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.executor.settings import Settings

NO_EFFECT = Rule(
    code="NR931",
    name="setting-without-effect",
    severity=WARNING,
    summary="A setting that reaches nothing.",
    why="NeMo-Run accepts it and does not use it for this submission.",
    remedy="remove the setting",
    bad=ready("restart_policy: Never  # warning\n"),
    good=ready(),
)
REPLACED = Rule(
    code="NR932",
    name="replaced-setting",
    severity=WARNING,
    summary="A setting that a more general one replaces whole.",
    why="pod_spec_overrides, container_kwargs and spec_kwargs replace a field whole; nothing of it is merged.",
    remedy="write everything in one of the two places",
    bad=ready(
        "tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n"
        "pod_spec_overrides:\n  tolerations: [{operator: Exists}]  # warning\n"
    ),
    good=ready("pod_spec_overrides: {tolerations: [{operator: Exists}]}\n"),
)

_UNUSED = {
    "restart_policy": ("no field of a TrainJob", "set the restart policy in the runtime's job template"),
    "retries": ("nothing; the launch script says 0 always", "set a backoff limit in the runtime's job template"),
}
_NEEDS_WORKDIR = ("workdir_local_path", "workdir_pvc_path", "data_mover_image")
_POD = {
    "volumes": "volumes",
    "imagePullSecrets": "image_pull_secrets",
    "tolerations": "tolerations",
    "affinity": "affinity",
    "containers": "volume_mounts",
}
_TRAINER = {
    "image": "image",
    "numNodes": "num_nodes",
    "numProcPerNode": "nprocs_per_node",
    "env": "env_vars and env_list",
    "command": "the command",
    "resourcesPerNode": "gpus_per_node, cpu and memory",
}


def check(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield every setting that has no effect, or loses it to another."""
    settings = submitted.settings
    for name, (reach, remedy) in _UNUSED.items():
        if settings.changed(name):
            yield submitted.at(NO_EFFECT, (name,), f"{name} reaches {reach}", remedy=remedy)
    if settings.changed("packager") and _packs(submitted.values["packager"]):
        message = "no packager is used; files reach the pods through workdir_local_path or the image"
        yield submitted.at(NO_EFFECT, ("packager",), message)
    yield from _check_dependent(submitted)
    yield from _check_pod(submitted)
    yield from _check_trainer(submitted)
    yield from _check_spec(submitted)


def _packs(packager: Any) -> bool:
    """Tell whether a packager is more than the plain one that every saved configuration carries."""
    given = packager if isinstance(packager, dict) else {}
    settings = {key: value for key, value in given.items() if key != "_target_" and value}
    return target_class(given.get("_target_", "Packager")) != "Packager" or bool(settings)


def _check_dependent(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield settings that only mean something beside another."""
    settings: Settings = submitted.settings
    if not settings.has_workdir:
        for name in _NEEDS_WORKDIR:
            if settings.changed(name):
                message = f"{name} means nothing without workdir_pvc"
                yield submitted.at(NO_EFFECT, (name,), message, remedy="set workdir_pvc, or remove the setting")
    if not settings.is_task and settings.changed("launcher"):
        message = "a ready command runs as it is, without a launcher"
        remedy = "write the script as task, or put the launcher into the command"
        yield submitted.at(NO_EFFECT, ("launcher",), message, remedy=remedy)


def _check_pod(submitted: Submitted) -> Iterator[Diagnostic]:
    values = submitted.values
    native = manifest.pod_override({**values, "pod_spec_overrides": {}}).get("spec", {})
    for key, name in _POD.items():
        if key not in native or key not in values["pod_spec_overrides"]:
            continue
        added = key in ("volumes", "containers") and not values[name]  # type: ignore[literal-required]
        what = f"the {'volume' if key == 'volumes' else 'mount'} of workdir_pvc" if added else name
        message = f"pod_spec_overrides.{key} replaces {what}, which reaches no pod then"
        yield submitted.at(REPLACED, ("pod_spec_overrides", key), message)


def _check_trainer(submitted: Submitted) -> Iterator[Diagnostic]:
    settings, values = submitted.settings, submitted.values
    given = {
        "image": bool(values["image"]),
        "numNodes": settings.changed("num_nodes"),
        "numProcPerNode": values["nprocs_per_node"] is not None,
        "env": bool(values["env_vars"] or values["env_list"]),
        "command": True,
        "resourcesPerNode": bool(environment.resources(values)),
    }
    for key, name in _TRAINER.items():
        if given[key] and key in values["container_kwargs"]:
            message = f"container_kwargs.{key} replaces {name} in the manifest"
            yield submitted.at(REPLACED, ("container_kwargs", key), message)


def _check_spec(submitted: Submitted) -> Iterator[Diagnostic]:
    values = submitted.values
    native = {
        "trainer": "image, command, variables and resources",
        OVERRIDES: "every pod-level setting" if manifest.pod_override(values) else "",
        "runtimeRef": "runtime_ref" if submitted.settings.changed("runtime_ref") else "",
    }
    for key, name in native.items():
        if name and key in values["spec_kwargs"]:
            message = f"spec_kwargs.{key} replaces {name} in the manifest"
            yield submitted.at(REPLACED, ("spec_kwargs", key), message)
