"""Launchers: what stands in front of a task's own words. (NeMo-Run KubeflowExecutor)

Every word of a launcher is quoted for a POSIX shell, except the two that a shell has to expand.
"""

from __future__ import annotations

import posixpath
import shlex

from nvcre_render.executor.environment import processes
from nvcre_render.executor.settings import defaults, target_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from nvcre_render.model.executor import KubeflowExecutor

PLAIN, TORCHRUN, FAULT_TOLERANCE = "Launcher", "Torchrun", "FaultTolerance"
PROGRAMS = {TORCHRUN: "torchrun", FAULT_TOLERANCE: "ft_launcher"}
# slurm_ray is known to every executor and does nothing for this one.
NAMES = {"torchrun": TORCHRUN, "ft": FAULT_TOLERANCE, "slurm_ray": PLAIN}
CLASSES = {PLAIN: PLAIN, TORCHRUN: TORCHRUN, FAULT_TOLERANCE: FAULT_TOLERANCE, "SlurmRay": PLAIN}

MASTER = "$PET_MASTER_ADDR"
RANK = "$PET_NODE_RANK"

_FAULT_TOLERANCE_FLAGS = {
    "workload_check_interval": "--ft-workload_check_interval",
    "initial_rank_heartbeat_timeout": "--ft-initial_rank_heartbeat_timeout",
    "rank_heartbeat_timeout": "--ft-rank_heartbeat_timeout",
    "rank_termination_signal": "--ft-rank_termination_signal",
    "log_level": "--ft-log_level",
    "max_restarts": "--max-restarts",
}


def kind(launcher: object) -> str | None:
    """Return the class that `launcher` (null, a name, or settings with a `_target_`) stands for, if it is known."""
    if launcher is None:
        return PLAIN
    if isinstance(launcher, dict):
        return CLASSES.get(target_class(launcher.get("_target_")))
    return NAMES.get(launcher) if isinstance(launcher, str) else None


def options(launcher: object) -> dict[str, Any]:
    """Return the settings of a launcher of known kind, defaults filled in."""
    given = launcher if isinstance(launcher, dict) else {}
    return {**defaults(kind(launcher) or PLAIN), **given}


def is_distributed(launcher: object) -> bool:
    """Tell whether the launcher starts processes on every node: torchrun or ft_launcher."""
    return kind(launcher) in PROGRAMS


def distributed(values: KubeflowExecutor, target: Iterable[str], arguments: Iterable[str]) -> list[str]:
    """Return the command of torchrun or ft_launcher around a target and its arguments."""
    settings = options(values["launcher"])
    used = kind(values["launcher"]) or PLAIN
    flags = _fault_tolerance(settings) if used == FAULT_TOLERANCE else []
    quoted = [shlex.quote(word) for word in (*target, *arguments)]
    return [PROGRAMS[used], *map(shlex.quote, flags), *_rendezvous(values, settings), "--tee", "3", *quoted]


def _rendezvous(values: KubeflowExecutor, settings: dict[str, Any]) -> list[str]:
    nodes, number = str(values["num_nodes"]), str(settings["rdzv_id"] or values["drawn_rdzv_id"])
    alone = nodes == "1"
    words = {
        "--rdzv-backend": shlex.quote(settings["rdzv_backend"] or ""),
        "--rdzv-endpoint": "localhost:0" if alone else f"{MASTER}:{settings['rdzv_port']}",
        "--rdzv-id": shlex.quote(number),
        "--nnodes": shlex.quote(nodes),
        "--nproc-per-node": shlex.quote(str(processes(values))),
        "--node-rank": "0" if alone else RANK,
    }
    return [word for pair in words.items() for word in pair]


def _fault_tolerance(settings: dict[str, Any]) -> list[str]:
    """Return ft_launcher's own flags; a zero counts as a setting but adds no flag."""
    if all(settings[name] is None for name in _FAULT_TOLERANCE_FLAGS):
        return ["--ignore-missing-fault-tol-cfg"]
    given = {flag: settings[name] for name, flag in _FAULT_TOLERANCE_FLAGS.items() if settings[name]}
    return [word for flag, value in given.items() for word in (flag, str(value))]


def profiled(command: list[str], settings: dict[str, Any], folder: str) -> list[str]:
    """Return `command` as an argument of the profiler, unquoted and with the empty word NeMo-Run leaves behind."""
    output = posixpath.join(folder, settings["nsys_folder"], settings["nsys_filename"])
    traced = ",".join(settings["nsys_trace"])
    return ["nsys", "profile", "-s", "none", "-t", traced, "-o", output, *settings["nsys_extra_args"], *command, ""]
