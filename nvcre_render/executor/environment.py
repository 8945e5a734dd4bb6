"""The trainer's environment variables and resources. (NeMo-Run KubeflowExecutor)"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.model.executor import KubeflowExecutor

GPU = "nvidia.com/gpu"


def variables(values: KubeflowExecutor) -> list[dict[str, Any]]:
    """Return env_vars in the order written, then the entries of env_list; a repeated name stays repeated."""
    pairs: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in values["env_vars"].items()]
    return [*pairs, *values["env_list"]]  # type: ignore[list-item]  # entries stay as they were written


def exports(values: KubeflowExecutor) -> list[str]:
    """Return what the launch script exports: env_vars as NAME=value, unquoted as NeMo-Run leaves them."""
    return [f"{name}={value}" for name, value in values["env_vars"].items()]


def resources(values: KubeflowExecutor) -> dict[str, dict[str, Any]]:
    """Return resourcesPerNode: limits before requests, each without what is not set and absent when empty."""
    sides = {
        "limits": _side(values, values["cpu_limits"], values["memory_limits"], values["extra_resource_limits"]),
        "requests": _side(values, values["cpu_requests"], values["memory_requests"], values["extra_resource_requests"]),
    }
    return {name: side for name, side in sides.items() if side}


def _side(values: KubeflowExecutor, cpu: Any, memory: Any, extra: dict[str, Any]) -> dict[str, Any]:
    side = {name: amount for name, amount in (("cpu", cpu), ("memory", memory)) if amount}
    if values["gpus_per_node"] is not None:
        side[GPU] = str(values["gpus_per_node"])
    return {**side, **extra}


def processes(values: KubeflowExecutor) -> int | str:
    """Return the processes per node: nprocs_per_node, else gpus_per_node, else one; zero counts as set."""
    if values["nprocs_per_node"] is not None:
        return values["nprocs_per_node"]
    return 1 if values["gpus_per_node"] is None else values["gpus_per_node"]
