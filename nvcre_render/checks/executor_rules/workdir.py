"""Workdir claims on which the pods do not find what they run (NR942 to NR952). (NeMo-Run KubeflowExecutor)"""

from __future__ import annotations

from nvcre_render.checks.executor_rules.submitted import ready, task
from nvcre_render.diagnostics import ERROR, WARNING, Rule
from nvcre_render.executor.task import folder, inline_file, script
from nvcre_render.executor.workdir import LAUNCH_SCRIPT, is_claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic

_WORKDIR = "workdir_pvc: work\nworkdir_pvc_path: /work\n"
_INLINE = "inline: nvidia-smi"

HIDDEN_SCRIPT = Rule(
    code="NR942",
    name="script-out-of-reach",
    severity=ERROR,
    summary="A script below /nemo_run that the pods do not find.",
    why="An inline script reaches the pods over the workdir claim only, where the launch script links /nemo_run to the"
    " run's folder. A claim mounted at /nemo_run itself is a directory, so the link lands inside it.",
    remedy="set workdir_pvc, and workdir_pvc_path to another path than /nemo_run",
    bad=task("workdir_pvc: work  # error\n", script=_INLINE),
    good=task(_WORKDIR, script=_INLINE),
)
NOT_MOUNTED = Rule(
    code="NR943",
    name="workdir-claim-not-mounted",
    severity=WARNING,
    summary="The workdir claim is declared, but not mounted at workdir_pvc_path.",
    why="NeMo-Run adds nothing when a volume is on the claim already, so the launch script is not found unless the"
    " runtime mounts it.",
    remedy="mount the volume at workdir_pvc_path, or do not declare it",
    bad=task(_WORKDIR + "volumes:\n- {name: shared, persistentVolumeClaim: {claimName: work}}  # warning\n"),
    good=task(
        _WORKDIR + "volumes: [{name: shared, persistentVolumeClaim: {claimName: work}}]\n"
        "volume_mounts: [{name: shared, mountPath: /work}]\n"
    ),
)
PATH_TAKEN = Rule(
    code="NR944",
    name="workdir-path-taken",
    severity=ERROR,
    summary="Another volume is mounted at workdir_pvc_path.",
    why="NeMo-Run leaves that mount as it is, so the pods look for the launch script on the wrong volume.",
    remedy="set workdir_pvc_path to a path of its own",
    bad=task(
        _WORKDIR + "volumes: [{name: scratch, emptyDir: {}}]\nvolume_mounts:\n"
        "- {name: scratch, mountPath: /work}  # error\n"
    ),
    good=task(
        _WORKDIR + "volumes: [{name: scratch, emptyDir: {}}]\nvolume_mounts: [{name: scratch, mountPath: /scratch}]\n"
    ),
)
OVERWRITTEN = Rule(
    code="NR950",
    name="overwritten-script",
    severity=WARNING,
    summary="A file of the local folder that overwrites one NeMo-Run generates.",
    why="workdir_local_path is merged after launch.sh and scripts/ are written, so its files of these names win.",
    remedy="give the file another name",
    bad=task(_WORKDIR + "workdir_local_path: /home/a/run  # warning\n", script="path: /home/a/run/launch.sh"),
    good=task(_WORKDIR + "workdir_local_path: /home/a/run\n", script="path: /home/a/run/start.sh"),
)
WHOLE_DISK = Rule(
    code="NR951",
    name="whole-file-system",
    severity=WARNING,
    summary="The transfer's source is the root of the file system.",
    why="With a ready command NeMo-Run has no run folder of its own: an empty job_dir makes kubectl copy everything"
    " there is on the submitting machine.",
    remedy="set job_dir (for workdir_local_path: a folder below the root)",
    bad=ready("workdir_pvc: work  # warning\n"),
    good=ready("workdir_pvc: work\njob_dir: /home/a/run\n"),
)

_LINK = "/nemo_run"


def check(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield what is wrong with the claim, where there is one."""
    settings, values = submitted.settings, submitted.values
    if not settings.has_workdir:
        if settings.is_task and script(values)["inline"]:
            message = "without workdir_pvc the text of an inline script reaches no pod"
            yield submitted.at(HIDDEN_SCRIPT, ("task", "inline"), message)
        return
    if not folder(settings):
        yield submitted.at(WHOLE_DISK, ("workdir_pvc",), "without job_dir, kubectl copies the whole file system")
    local = values["workdir_local_path"]
    if local and not local.strip("/"):
        message = "the whole file system is merged into the run, and every word of the command is taken apart"
        yield submitted.at(WHOLE_DISK, ("workdir_local_path",), message)
    if settings.is_task:
        yield from _check_task(submitted)


def _check_task(submitted: Submitted) -> Iterator[Diagnostic]:
    values = submitted.values
    given, path = script(values), values["workdir_pvc_path"]
    if path.rstrip("/") == _LINK and (given["inline"] or given["path"].startswith(f"{_LINK}/")):
        what = "the inline script" if given["inline"] else given["path"]
        message = f"the claim is mounted at {_LINK}, so {what} is not found below it"
        place = "workdir_pvc_path" if "workdir_pvc_path" in submitted.settings.document.data else "workdir_pvc"
        yield submitted.at(HIDDEN_SCRIPT, (place,), message)
    yield from _check_mounts(submitted)
    local = values["workdir_local_path"]
    generated = {LAUNCH_SCRIPT, f"scripts/{inline_file(submitted.settings)}" if given["inline"] else LAUNCH_SCRIPT}
    used = [given["path"], *given["args"]]
    for file in sorted(generated):
        if local and f"{local.rstrip('/')}/{file}" in used:
            yield submitted.at(OVERWRITTEN, ("workdir_local_path",), f"{file} of {local} overwrites the generated one")


def _check_mounts(submitted: Submitted) -> Iterator[Diagnostic]:
    values = submitted.values
    claim, path = values["workdir_pvc"], values["workdir_pvc_path"]
    declared = {
        volume.get("name"): index for index, volume in enumerate(values["volumes"] or ()) if is_claim(volume, claim)
    }
    taken = [(i, mount) for i, mount in enumerate(values["volume_mounts"] or ()) if mount.get("mountPath") == path]
    for index, mount in taken:
        if mount.get("name") not in declared:
            message = (
                f'the volume "{mount.get("name")}" is mounted at {path}, where the launch script of the claim belongs'
            )
            yield submitted.at(PATH_TAKEN, ("volume_mounts", index), message)
    if declared and not taken:
        message = f"the claim {claim} is not mounted at {path}, where the launch script is looked for"
        yield submitted.at(NOT_MOUNTED, ("volumes", min(declared.values())), message)
