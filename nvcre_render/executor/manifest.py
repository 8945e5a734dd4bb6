"""The TrainJob as NeMo-Run's KubeflowExecutor builds it. (NeMo-Run KubeflowExecutor)

The settings named `*_kwargs` and `pod_spec_overrides` are laid over the result one level deep: a key that is
there keeps its place and gets the new value whole, a new key is appended, and null is a value like any other.
"""

from __future__ import annotations

from nvcre_render.executor import environment, workdir
from nvcre_render.fragments import ABSENT, Parameters, fill, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.model.executor import KubeflowExecutor

NODE = "node"  # the job, and in it the container, that runs the task


def build(values: KubeflowExecutor, name: str, command: list[str]) -> dict[str, Any]:
    """Return the TrainJob called `name` that runs `command`, keys in NeMo-Run's order."""
    entry = pod_override(values)
    parameters = Parameters(
        name=name,
        namespace=values["namespace"],
        labels=values["labels"] or ABSENT,
        annotations=values["annotations"] or ABSENT,
        runtime=values["runtime_ref"],
        nodes=values["num_nodes"],
        processes=environment.processes(values),
        image=values["image"],
        command=command,
        env=environment.variables(values),
        resources=environment.resources(values) or ABSENT,
        overrides=[entry] if entry else ABSENT,
        trainerFields=values["container_kwargs"],
        specFields=values["spec_kwargs"],
    )
    job: dict[str, Any] = fill(load("executor/trainjob.yaml"), parameters)
    job["spec"]["trainer"].update(fill("${trainerFields}", parameters))
    job["spec"].update(fill("${specFields}", parameters))
    return job


def pod_override(values: KubeflowExecutor) -> dict[str, Any]:
    """Return the one entry of podTemplateOverrides, empty when no setting concerns the pods."""
    spec = _pod_spec(values)
    metadata = {"labels": values["pod_labels"], "annotations": values["pod_annotations"]}
    parts = {"spec": spec, "metadata": {key: value for key, value in metadata.items() if value}}
    given = {key: value for key, value in parts.items() if value}
    return {"targetJobs": [{"name": NODE}], **given} if given else {}


def _pod_spec(values: KubeflowExecutor) -> dict[str, Any]:
    volumes, mounts = workdir.mounted(values)
    native = {
        "volumes": volumes,
        "imagePullSecrets": workdir.pull_secrets(values),
        "tolerations": values["tolerations"],
        "affinity": values["affinity"],
        "containers": [{"name": NODE, "volumeMounts": mounts}] if mounts else [],
    }
    return {**{key: value for key, value in native.items() if value}, **values["pod_spec_overrides"]}
