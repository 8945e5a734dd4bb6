"""Settings: where documents come from, their defaults, and which documents are settings at all."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from nvcre_render.executor import settings
from nvcre_render.model import validator
from nvcre_render.model.executor import KubeflowExecutor
from tests.executors import COMMAND, IMAGE, filled, ready

# The executor's own fields and defaults, from NeMo-Run's reference; packager is an object there.
DEFAULTS: dict[str, Any] = {
    "runtime_ref": "torch-distributed",
    "namespace": "default",
    "image": "",
    "num_nodes": 1,
    **dict.fromkeys(("nprocs_per_node", "gpus_per_node", "cpu_requests", "memory_requests", "cpu_limits")),
    **dict.fromkeys(("memory_limits", "workdir_pvc", "workdir_local_path", "train_job_basename", "launcher")),
    **{name: {} for name in ("extra_resource_requests", "extra_resource_limits", "env_vars", "affinity")},
    **{name: {} for name in ("pod_spec_overrides", "pod_labels", "pod_annotations", "labels", "annotations")},
    **{name: {} for name in ("container_kwargs", "spec_kwargs")},
    **{name: [] for name in ("env_list", "volumes", "volume_mounts", "image_pull_secrets", "tolerations")},
    "workdir_pvc_path": "/nemo_run",
    "data_mover_image": "alpine:3.19",
    "restart_policy": "OnFailure",
    "packager": None,
    "retries": 0,
    "experiment_id": None,
    "job_dir": "",
}
INPUTS = {"name_suffix": "000000", "user": "user", "drawn_rdzv_id": 1, "trainer_release": "2.1"}


def test_every_field_has_nemo_runs_default() -> None:
    assert settings.defaults() == {**DEFAULTS, **INPUTS}
    assert set(settings.known()) == {*DEFAULTS, *INPUTS, "_target_", "job_name", "command", "task"}


def test_launchers_have_nemo_runs_defaults() -> None:
    profiler = settings.defaults("Launcher")
    assert profiler["nsys_trace"] == ["nvtx", "cuda"]
    assert profiler["nsys_extra_args"] == [
        "--force-overwrite=true",
        "--capture-range=cudaProfilerApi",
        "--capture-range-end=stop",
        "--cuda-graph-trace=node",
        "--cuda-event-trace=false",
    ]
    rendezvous = {"rdzv_backend": "c10d", "rdzv_port": 29500, "rdzv_id": None}
    assert settings.defaults("Torchrun") == {**profiler, **rendezvous}
    assert settings.defaults("FaultTolerance").keys() > {*rendezvous, "max_restarts", "cfg_path"}


@pytest.mark.parametrize("form", [yaml.safe_dump, lambda data: yaml.safe_dump(data).encode(), dict])
def test_text_bytes_and_mapping_are_read_alike(form: Any) -> None:
    found = filled(form(ready(num_nodes=2, env_vars={"B": "1", "A": "2"})))
    assert (found.values["num_nodes"], list(found.values["env_vars"])) == (
        2,
        ["A", "B"] if form is not dict else ["B", "A"],
    )
    assert (found.values["command"], found.values["image"]) == (COMMAND, IMAGE)


def test_nulls_of_run_inputs_mean_not_given() -> None:
    found = filled({"command": None, "task": {"path": "t.py"}, "user": None, "trainer_release": None, "env_vars": None})
    assert "command" not in found.values
    assert (found.values["user"], found.values["trainer_release"]) == ("user", "2.1")
    assert found.values["env_vars"] is None


def test_inputs_take_the_place_of_the_documents_own() -> None:
    (document,), _ = settings.read(ready(user="alice"), "executor.yaml")
    inputs, findings = settings.inputs(user="bob", name_suffix=None, command=("a",))
    assert (inputs, findings) == ({"user": "bob", "command": ["a"]}, [])
    changed = settings.fill(settings.with_inputs(document, inputs))
    assert (changed.values["user"], changed.values["command"], document.data["user"]) == ("bob", ["a"], "alice")


@pytest.mark.parametrize(
    ("data", "recognised"),
    [
        ({"_target_": "nemo_run.core.execution.kubeflow.KubeflowExecutor"}, True),
        ({"_target_": "nemo_run.core.execution.slurm.SlurmExecutor", "nodes": 1}, True),
        ({"_target_": "torch.nn.Linear", "image": "x"}, False),
        ({"image": "x"}, True),
        ({"task": {"path": "t.py"}, "launchr": 1}, True),
        ({"kind": "WorkloadRun", "image": "x"}, False),
        ({"apiVersion": "v1", "namespace": "x"}, False),
        ({"metadata": {}, "spec": {}, "labels": {}}, False),
        ({"something": "else"}, False),
        ({}, False),
        (["image"], False),
        (None, False),
    ],
)
def test_what_is_recognised_as_executor_settings(data: object, recognised: bool) -> None:
    assert settings.recognises(data) is recognised


def test_a_changed_field_is_one_with_another_value_than_its_default() -> None:
    found = filled(ready(retries=0, restart_policy="Never", labels=None))
    assert [name for name in settings.defaults() if found.changed(name)] == ["image", "restart_policy"]


def test_the_model_takes_a_saved_configuration_and_refuses_unknown_fields() -> None:
    model = validator(KubeflowExecutor)
    saved = {**DEFAULTS, "packager": {"_target_": "nemo_run.core.packaging.base.Packager"}, "command": COMMAND}
    assert model.validate_python(saved) == saved
    with pytest.raises(ValueError, match="num_node"):
        model.validate_python({"num_node": 2})
    with pytest.raises(ValueError, match="launcher"):
        model.validate_python({"launcher": {"_target_": "a.Torchrun", "port": 2}})
