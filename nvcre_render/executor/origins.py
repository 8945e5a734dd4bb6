"""Where in the executor's settings a field of the TrainJob comes from, so that findings stand on the right line."""

from __future__ import annotations

from nvcre_render.executor.environment import GPU
from nvcre_render.executor.releases import OVERRIDES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.model.executor import KubeflowExecutor
    from nvcre_render.positions import Path

_TRAINER = {"numNodes": "num_nodes", "image": "image"}
_POD = {"tolerations": "tolerations", "affinity": "affinity"}
_METADATA = {"namespace": "namespace", "labels": "labels", "annotations": "annotations"}
_POD_METADATA = {"labels": "pod_labels", "annotations": "pod_annotations"}


def origin(path: Path, values: KubeflowExecutor) -> Path:
    """Return the path in the settings that decides the field at `path` of the TrainJob.

    >>> from nvcre_render.executor.settings import defaults
    >>> origin(("spec", "trainer", "workingDir"), {**defaults(), "container_kwargs": {"workingDir": "/opt"}})
    ('container_kwargs', 'workingDir')
    """
    head, *steps = path or ("",)
    if head == "metadata":
        return _metadata(tuple(steps), values)
    if head != "spec" or not steps:
        return ()
    key, rest = steps[0], tuple(steps[1:])
    if key in values["spec_kwargs"]:
        return ("spec_kwargs", key, *rest)
    if key == "runtimeRef":
        return ("runtime_ref",)
    if key == "trainer":
        return _trainer(rest, values)
    return _pod_override(rest[1:], values) if key == OVERRIDES else ()


def _metadata(steps: Path, values: KubeflowExecutor) -> Path:
    if steps[:1] == ("name",):
        return ("train_job_basename",) if values["train_job_basename"] else ("job_name",)
    return _renamed(steps, _METADATA)


def _renamed(steps: Path, names: dict[str, str]) -> Path:
    name = names.get(str(steps[0])) if steps else None
    return (name, *steps[1:]) if name else ()


def _trainer(steps: Path, values: KubeflowExecutor) -> Path:
    key = steps[0] if steps else ""
    if key in values["container_kwargs"]:
        return ("container_kwargs", *steps)
    if key == "numProcPerNode":
        return ("gpus_per_node",) if values["nprocs_per_node"] is None else ("nprocs_per_node",)
    if key == "command":
        return ("task",) if "task" in values else ("command", *steps[1:])
    if key == "env":
        return _variable(steps[1:], values)
    if key == "resourcesPerNode":
        return _resource(steps[1:], values)
    return _renamed(steps, _TRAINER)


def _variable(steps: Path, values: KubeflowExecutor) -> Path:
    """Return the place of a variable: the pairs of env_vars come before the entries of env_list."""
    if not steps or not isinstance(steps[0], int):
        return ("env_vars",) if values["env_vars"] else ("env_list",)
    pairs = tuple(values["env_vars"])
    index = steps[0]
    return ("env_vars", pairs[index]) if index < len(pairs) else ("env_list", index - len(pairs), *steps[1:])


def _resource(steps: Path, values: KubeflowExecutor) -> Path:
    side, name = (*map(str, steps), "", "")[:2]
    extra = values["extra_resource_limits"] if side == "limits" else values["extra_resource_requests"]
    if name in extra:
        return (f"extra_resource_{side}", name)
    return ("gpus_per_node",) if name == GPU else (f"{name}_{side}",)


def _pod_override(steps: Path, values: KubeflowExecutor) -> Path:
    """Return the place of what stands below the one entry of podTemplateOverrides."""
    if steps == ("metadata",):
        return ("pod_labels",) if values["pod_labels"] else ("pod_annotations",)
    if steps[:1] == ("metadata",):
        return _renamed(steps[1:], _POD_METADATA)
    key, rest = (*steps[1:2], "")[0], steps[2:]
    if key in values["pod_spec_overrides"]:
        return ("pod_spec_overrides", key, *rest)
    if key == "imagePullSecrets":
        return ("image_pull_secrets", *rest[:1])
    if key == "containers":
        mounts = rest[2:]
        return _given(("volume_mounts", *mounts), values["volume_mounts"])
    return _given(("volumes", *rest), values["volumes"]) if key == "volumes" else _renamed((key, *rest), _POD)


def _given(path: Path, items: object) -> Path:
    """Return `path`, or the claim's own field when the item at its index is the one the claim adds."""
    index = path[1] if len(path) > 1 else 0
    count = len(items) if isinstance(items, list) else 0
    return path if isinstance(index, int) and index < count else ("workdir_pvc",)
