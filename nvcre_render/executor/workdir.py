"""The workdir claim: the pod that fills it, the transfers, and the launch script on it. (NeMo-Run KubeflowExecutor)"""

from __future__ import annotations

from functools import cache

from nvcre_render.executor import environment, task
from nvcre_render.fragments import ABSENT, Parameters, fill, load
from nvcre_render.package_data import read_text
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.executor.settings import Settings
    from nvcre_render.model.executor import KubeflowExecutor

VOLUME = "nemo-run-workdir"
LAUNCH_SCRIPT = "launch.sh"


class LaunchScript(Record):
    """The script a task's pods run.

    `path` is where it lies in the pods, `exports` its NAME=value parts from env_vars, `code_dir` what /nemo_run
    is linked to, `training_command` the one command line it runs; `retries` is always 0, as NeMo-Run has it.
    """

    path: str
    text: str
    exports: tuple[str, ...]
    code_dir: str
    training_command: str
    retries: int = 0


def code_dir(settings: Settings) -> str:
    """Return the run's folder on the claim, as the pods see it; an identity that is not there drops its part."""
    values = settings.values
    parts = [values["workdir_pvc_path"].rstrip("/"), values["user"]]
    if values["experiment_id"]:
        parts.append(values["experiment_id"])
    if settings.is_task and task.name(settings):
        parts.append(task.name(settings))
    return "/".join((*parts, "code"))


def data_mover(settings: Settings, name: str) -> dict[str, Any]:
    """Return the pod that fills the claim; of the pod settings it has tolerations, affinity and pull secrets."""
    values = settings.values
    parameters = Parameters(
        name=name,
        namespace=values["namespace"],
        image=values["data_mover_image"],
        path=values["workdir_pvc_path"],
        claim=values["workdir_pvc"],
        tolerations=values["tolerations"] or ABSENT,
        affinity=values["affinity"] or ABSENT,
        pullSecrets=pull_secrets(values) or ABSENT,
    )
    pod: dict[str, Any] = fill(load("executor/data-mover.yaml"), parameters)
    return pod


def pull_secrets(values: KubeflowExecutor) -> list[dict[str, Any]]:
    """Return the references to the pull secrets; one text is read as its letters, as NeMo-Run does."""
    return [{"name": name} for name in values["image_pull_secrets"] or ()]


def transfers(settings: Settings, name: str) -> list[list[str]]:
    """Return the commands that fill the claim, in order, run on the submitting machine while the pod is there."""
    values, local = settings.values, task.folder(settings)
    namespace, pod, remote = values["namespace"], f"{name}-data-mover", code_dir(settings)
    merged = values["workdir_local_path"]
    return [
        *([["rsync", "-a", f"{merged.rstrip('/')}/", f"{local}/"]] if merged else []),
        ["kubectl", "exec", "-n", namespace, pod, "--", "mkdir", "-p", remote],
        ["kubectl", "cp", "-n", namespace, f"{local}/.", f"{pod}:{remote}"],
    ]


def is_claim(volume: Any, claim: str | None) -> bool:
    """Tell whether a volume is on the claim."""
    return bool((volume.get("persistentVolumeClaim", {})).get("claimName") == claim)


def mounted(values: KubeflowExecutor) -> tuple[list[Any], list[Any]]:
    """Return volumes and mounts with those of the claim added.

    Nothing is added when some volume is on the claim already, mounted or not; the mount is not added when
    another stands at exactly the same path.
    """
    volumes, mounts = list(values["volumes"] or ()), list(values["volume_mounts"] or ())
    claim, path = values["workdir_pvc"], values["workdir_pvc_path"]
    if not claim or any(is_claim(volume, claim) for volume in volumes):
        return volumes, mounts
    if all(mount.get("mountPath") != path for mount in mounts):
        mounts.append({"name": VOLUME, "mountPath": path})
    return [*volumes, {"name": VOLUME, "persistentVolumeClaim": {"claimName": claim}}], mounts


def launch_script(settings: Settings, words: list[str]) -> LaunchScript:
    """Return the script that runs `words`, joined by spaces and not quoted again."""
    folder, exports = code_dir(settings), environment.exports(settings.values)
    line = " ".join(_on_claim(settings, word, folder) for word in words)
    lines = "\n".join(f"export {pair}" for pair in exports)
    parameters = Parameters(exports=lines, codeDir=folder, command=line)
    return LaunchScript(
        path=f"{folder}/{LAUNCH_SCRIPT}",
        text=fill(_template(), parameters),
        exports=tuple(exports),
        code_dir=folder,
        training_command=line,
    )


@cache
def _template() -> str:
    return read_text("fragments", "executor", LAUNCH_SCRIPT)


def _on_claim(settings: Settings, word: str, folder: str) -> str:
    """Replace the merged local folder by its place on the claim, wherever its text occurs."""
    local = settings.values["workdir_local_path"]
    return word.replace(local.rstrip("/"), folder) if local else word
