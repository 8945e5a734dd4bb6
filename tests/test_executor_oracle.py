"""What we build against what NeMo-Run itself builds, where nemo-run is installed (the extra `oracle`).

The real executor, launchers and scheduler run; the cluster, the transfers and chance are stand-ins.
"""

from __future__ import annotations

import copy
import getpass
import json
import os
import random
import subprocess
import uuid
import warnings
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from nvcre_render.diagnostics import RenderError
from nvcre_render.executor.task import UNKNOWN_FOLDER
from tests.executor_strategies import executors
from tests.executors import built

with warnings.catch_warnings():  # those of its own dependencies are no business of ours
    warnings.simplefilter("ignore")
    kubeflow = pytest.importorskip("nemo_run.core.execution.kubeflow", reason="nemo-run is not installed")
    config = pytest.importorskip("nemo_run.config")
    launchers = pytest.importorskip("nemo_run.core.execution.launcher")
    packaging = pytest.importorskip("nemo_run.run.torchx_backend.packaging")
    scheduling = pytest.importorskip("nemo_run.run.torchx_backend.schedulers.kubeflow")

pytestmark = pytest.mark.filterwarnings("ignore")

INPUTS = ("job_name", "name_suffix", "command", "task", "user", "drawn_rdzv_id", "experiment_id", "job_dir", "packager")
EXAMPLES = sorted(Path("examples").glob("executor-*.yaml"))


class Submitted(SimpleNamespace):
    """What NeMo-Run asked of the cluster and of the machine it runs on."""

    job: dict[str, Any]
    pod: dict[str, Any] | None
    calls: list[list[str]]
    line: str | None


def submit(data: dict[str, Any]) -> Submitted:
    """Submit settings through NeMo-Run with everything outside it replaced."""
    fields = {key: value for key, value in copy.deepcopy(data).items() if key not in (*INPUTS, "_target_")}
    inputs = {key: copy.deepcopy(data[key]) for key in INPUTS if key in data}
    if isinstance(fields.get("launcher"), dict):
        chosen = fields["launcher"].pop("_target_").rpartition(".")[2]
        fields["launcher"] = getattr(launchers, chosen)(**fields["launcher"])
    cluster, calls = mock.MagicMock(), []
    ready = {"object": SimpleNamespace(metadata=mock.MagicMock(), status=SimpleNamespace(phase="Running"))}
    suffix = SimpleNamespace(hex=inputs.get("name_suffix", "000000") + "0" * 26)
    executor = kubeflow.KubeflowExecutor
    with ExitStack() as stack:
        for target, name, stand_in in (
            (executor, "_load_kube_clients", lambda self: self.__dict__.update(_co_api=cluster, _cv_api=cluster)),
            (executor, "_maybe_reload_kube_clients", lambda _: None),
            (executor, "_delete_data_mover_pod", lambda *_, **__: None),
            (kubeflow.watch, "Watch", lambda: mock.MagicMock(stream=lambda *_, **__: [ready])),
            (subprocess, "check_call", lambda words, **_: calls.append(list(words))),
            (uuid, "uuid4", lambda: suffix),
            (random, "randint", lambda *_: inputs.get("drawn_rdzv_id", 1)),
            (getpass, "getuser", lambda: inputs.get("user", "user")),
            (os, "makedirs", lambda *_, **__: None),
        ):
            stack.enter_context(mock.patch.object(target, name, stand_in))
        line = _launch(executor(**fields), inputs)
    created = cluster.create_namespaced_custom_object.call_args.kwargs["body"]
    pods = [call.kwargs["body"] for call in cluster.create_namespaced_pod.call_args_list]
    return Submitted(job=created, pod=pods[0] if pods else None, calls=calls, line=line)


def _launch(executor: Any, inputs: dict[str, Any]) -> str | None:
    """Launch a ready command, or a task as an experiment would, and return the training command of a script."""
    if "command" in inputs:
        name = inputs.get("job_name", "")
        executor.experiment_id, executor.job_dir = inputs.get("experiment_id"), inputs.get("job_dir", "")
        executor.package(executor.packager, job_name=name)
        executor.launch(name=name, cmd=inputs["command"])
        return None
    script = config.Script(**inputs["task"])
    name = inputs.get("job_name") or script.get_name()
    executor.assign(inputs.get("experiment_id") or "", "/experiment", name, name)
    executor.experiment_id = inputs.get("experiment_id")
    executor.job_dir = inputs.get("job_dir") or UNKNOWN_FOLDER
    written = SimpleNamespace(st_mode=0)  # the text of an inline script
    with mock.patch("builtins.open"), mock.patch("os.chmod"), mock.patch("os.stat", return_value=written):
        app = packaging.package(name=name, fn_or_script=script, executor=executor)
    with mock.patch.object(type(executor), "materialize_launch_script") as launch_script:
        request = scheduling.create_scheduler("oracle")._submit_dryrun(app, executor).request
    executor.package(executor.packager, job_name=executor.job_name)
    executor.launch(name=request.name, cmd=request.cmd)
    return " ".join(launch_script.call_args.args[0]) if launch_script.called else None


def agree(data: dict[str, Any]) -> None:
    """Hold our submission against NeMo-Run's, the order of keys included."""
    made, theirs = built(data), submit(data)
    assert json.dumps(made.nemo_run) == json.dumps(theirs.job)
    assert made.data_mover == theirs.pod
    assert [list(words) for words in made.transfers] == theirs.calls
    assert (made.launch_script and made.launch_script.training_command) == theirs.line


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(executors())
def test_random_executors_give_the_same_submission(data: dict[str, Any]) -> None:
    agree(data)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_give_the_same_submission(path: Path) -> None:
    agree(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    "fields",
    [
        {"env_vars": None},
        {"env_list": None},
        {"pod_spec_overrides": None},
        {"extra_resource_limits": None},
        {"workdir_pvc": "w", "volumes": None},
        {"workdir_pvc": "w", "volume_mounts": None},
        {"workdir_pvc": "w", "volumes": [{"name": "a", "persistentVolumeClaim": None}]},
        {"launcher": "mpirun"},
        {"launcher": "slurm_template"},
        {"launcher": "torchrun", "nprocs_per_node": -1},
        {"env_vars": {"A": 1}},
        {"task": {"path": "t.py", "args": [1]}},
        {"task": {"entrypoint": "python"}},
        {"task": {"path": "t", "entrypoint": ""}},
        {"task": {"path": "t", "m": True}},
        {"unheard_of": 1},
    ],
)
def test_what_nemo_run_cannot_build_is_refused(fields: dict[str, Any]) -> None:
    data = {"image": "a:1", "job_name": "train", "task": {"path": "t.py"}, **fields}
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever NeMo-Run happens to raise
        submit(data)
    with pytest.raises(RenderError):
        built(data)


def test_a_live_executor_gives_what_its_settings_give() -> None:
    fields = yaml.safe_load(Path("examples/executor-torchrun-workdir.yaml").read_text())
    inputs = {key: fields.pop(key) for key in INPUTS if key in fields}
    with mock.patch.object(kubeflow.KubeflowExecutor, "_load_kube_clients"):
        live = kubeflow.KubeflowExecutor(
            **{**fields, "launcher": launchers.Torchrun()}, experiment_id=inputs["experiment_id"]
        )
    arguments = {"name": inputs["job_name"], "name_suffix": inputs["name_suffix"], "user": inputs["user"]}
    made = built(live, task=config.Script(**inputs["task"]), drawn_rdzv_id=inputs["drawn_rdzv_id"], **arguments)
    plain = built({**fields, **inputs})
    assert (made.train_job, made.files, made.transfers) == (plain.train_job, plain.files, plain.transfers)
    lazy = config.Config(kubeflow.KubeflowExecutor, image="a:1", launcher=config.Config(launchers.Torchrun, rdzv_id=3))
    assert "--rdzv-id" in built(lazy, task={"path": "t.py"}).train_job["spec"]["trainer"]["command"]
