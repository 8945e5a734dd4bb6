"""Settings on which NeMo-Run itself fails, so that nothing reaches the cluster (NR90x)."""

from __future__ import annotations

import re

from nvcre_render.checks.executor_rules.submitted import ready, task
from nvcre_render.diagnostics import ERROR, Rule
from nvcre_render.executor import environment, launcher
from nvcre_render.executor.settings import TARGET, target_class
from nvcre_render.executor.workdir import is_claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.executor.settings import Settings
    from nvcre_render.positions import Path

NULL = Rule(
    code="NR901",
    name="null-setting",
    severity=ERROR,
    summary="A null where NeMo-Run needs a list, a mapping or a text.",
    why="NeMo-Run fails while it composes the job: these fields may be left out, but not be null.",
    remedy="leave the field out, or write an empty list or mapping",
    bad=ready("env_vars: null  # error\n"),
    good=ready("env_vars: {}\n"),
)
COMMAND_AND_TASK = Rule(
    code="NR902",
    name="command-and-task",
    severity=ERROR,
    summary="Both or neither of command and task.",
    why="A submission runs either a ready command or a script that NeMo-Run composes the command of.",
    remedy="give command (a list of words) or task (a script with path or inline)",
    bad=ready("task: {path: /opt/train.py}  # error\n"),
    good=ready(),
)
SCRIPT = Rule(
    code="NR903",
    name="unusable-script",
    severity=ERROR,
    summary="A script that NeMo-Run cannot make a command of.",
    why="It needs a path or an inline text, an entrypoint, and a Python entrypoint to run a module.",
    remedy="write task with path or inline; entrypoint is bash unless given",
    bad=task(script="entrypoint: python").replace("}\n", "}  # error\n"),
    good=task(),
)
LAUNCHER = Rule(
    code="NR904",
    name="unknown-launcher",
    severity=ERROR,
    summary="A launcher that the executor does not have.",
    why="NeMo-Run fails when the task is submitted.",
    remedy="write torchrun or ft, or settings with the _target_ of the launcher's class",
    bad=task("launcher: mpirun  # error\n"),
    good=task("launcher: torchrun\n"),
)
COUNTS = Rule(
    code="NR905",
    name="launcher-counts",
    severity=ERROR,
    summary="A node or process count that a launcher cannot take.",
    why="torchrun and ft_launcher are given digits; NeMo-Run fails on negative numbers and words such as auto.",
    remedy="write whole numbers for num_nodes and nprocs_per_node",
    bad=task("launcher: torchrun\nnprocs_per_node: auto  # error\n"),
    good=task("launcher: torchrun\nnprocs_per_node: 8\n"),
)
FOREIGN = Rule(
    code="NR907",
    name="foreign-executor",
    severity=ERROR,
    summary="Settings of another executor of NeMo-Run.",
    why="Only the KubeflowExecutor submits TrainJobs; the others do not write Kubernetes manifests like these.",
    remedy="give a configuration whose _target_ is nemo_run.core.execution.kubeflow.KubeflowExecutor",
    bad="_target_: nemo_run.core.execution.slurm.SlurmExecutor  # error\n" + ready(),
    good="_target_: nemo_run.core.execution.kubeflow.KubeflowExecutor\n" + ready(),
)
FUNCTION = Rule(
    code="NR908",
    name="function-task",
    severity=ERROR,
    summary="A task that is a Python function rather than a script.",
    why="Its configuration lies in the local folder of the run, which the pods do not have.",
    remedy="write a script that calls the function, and give its path or its text",
    bad=task(script="_target_: recipes.pretrain").replace("}\n", "}  # error\n"),
    good=task(script="_target_: nemo_run.config.Script, path: /opt/train.py, entrypoint: python"),
)
RULES = (NULL, COMMAND_AND_TASK, SCRIPT, LAUNCHER, COUNTS, FOREIGN, FUNCTION)

_NEVER_NULL = (
    *("env_vars", "env_list", "extra_resource_requests", "extra_resource_limits"),
    *("pod_spec_overrides", "container_kwargs", "spec_kwargs", "namespace", "runtime_ref"),
)
_NULL_WITH_WORKDIR = ("volumes", "workdir_pvc_path", "data_mover_image")
_NULL_IN_SCRIPT = ("path", "args", "entrypoint")
_DIGITS = re.compile(r"\d+")


def check(settings: Settings) -> Iterator[Diagnostic]:
    """Yield everything on which NeMo-Run fails besides wrong names and types."""
    document, values = settings.document, settings.values
    target = document.data.get("_target_")
    if target is not None and target_class(target) != TARGET:
        message = f"{target_class(target)} does not submit TrainJobs"
        yield FOREIGN.at(document, ("_target_",), message, on_key=True)
    for path in _nulls(values, settings):
        yield NULL.at(document, path, "NeMo-Run fails on null here", on_key=True)
    if settings.is_task and "command" in values:
        message = "a task and a ready command exclude each other"
        yield COMMAND_AND_TASK.at(document, ("task",), message, on_key=True)
    elif settings.is_task:
        yield from _check_task(settings)
    elif "command" not in values:
        yield COMMAND_AND_TASK.at(document, (), "neither a ready command nor a task is given")


def _nulls(values: Any, settings: Settings) -> Iterator[Path]:
    """Yield the places where null breaks NeMo-Run; volumes only matter while the claim is looked for among them."""
    for name in _NEVER_NULL:
        if values[name] is None:
            yield (name,)
    if not settings.has_workdir:
        return
    for name in _NULL_WITH_WORKDIR:
        if values[name] is None:
            yield (name,)
    volumes = [volume for volume in values["volumes"] or () if isinstance(volume, dict)]
    broken = [i for i, volume in enumerate(volumes) if volume.get("persistentVolumeClaim", "") is None]
    yield from (("volumes", index, "persistentVolumeClaim") for index in broken)
    claimed = broken or any(is_claim(volume, values["workdir_pvc"]) for volume in volumes)
    if values["volume_mounts"] is None and not claimed:
        yield ("volume_mounts",)


def _check_task(settings: Settings) -> Iterator[Diagnostic]:
    document, values = settings.document, settings.values
    script = values["task"]
    if isinstance(script, dict):
        if "_target_" in script and target_class(script["_target_"]) != "Script":
            message = f"{script['_target_']} is not a script"
            yield FUNCTION.at(document, ("task",), message, on_key=True)
            return
        yield from _check_script(settings, script)
    used = values["launcher"]
    if launcher.kind(used) is None:
        name = used.get("_target_", "an object without _target_") if isinstance(used, dict) else used
        hint = "slurm_template needs a template and writes Slurm scripts" if name == "slurm_template" else ""
        message = hint or f"{name!r} is none of the launchers torchrun and ft"
        yield LAUNCHER.at(document, ("launcher",), message, on_key=True)
    elif launcher.is_distributed(used):
        yield from _check_counts(settings)


def _check_script(settings: Settings, script: Any) -> Iterator[Diagnostic]:
    document = settings.document
    for name in _NULL_IN_SCRIPT:
        if script.get(name, "") is None:
            yield NULL.at(document, ("task", name), "NeMo-Run fails on null here", on_key=True)
    if not script.get("path") and not script.get("inline"):
        yield SCRIPT.at(document, ("task",), "the script has neither a path nor an inline text", on_key=True)
    entrypoint = script.get("entrypoint", "bash")
    if entrypoint == "":
        yield SCRIPT.at(document, ("task", "entrypoint"), "the entrypoint is empty", remedy="write bash or python")
    elif script.get("m") and "python" not in str(entrypoint):
        message = f"a module is run by Python, and the entrypoint is {entrypoint}"
        yield SCRIPT.at(document, ("task", "m"), message, remedy="write entrypoint: python", on_key=True)


def _check_counts(settings: Settings) -> Iterator[Diagnostic]:
    values = settings.values
    procs = "gpus_per_node" if values["nprocs_per_node"] is None else "nprocs_per_node"
    for name, count in (("num_nodes", values["num_nodes"]), (procs, environment.processes(values))):
        if not _DIGITS.fullmatch(str(count)):
            message = f"a launcher takes digits only, not {str(count).lower() if count is None else count}"
            yield COUNTS.at(settings.document, (name,), message, on_key=True)
