"""torchrun, ft_launcher and the profiler around a task's words."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.executor import launcher
from tests.executors import built, words

CLASS = "nemo_run.core.execution.launcher."
ALONE = ["--rdzv-endpoint", "localhost:0"]


def torchrun(**settings: Any) -> dict[str, Any]:
    return {"_target_": f"{CLASS}Torchrun", **settings}


def after(command: list[str], flag: str) -> str:
    return command[command.index(flag) + 1]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (None, "Launcher"),
        ("torchrun", "Torchrun"),
        ("ft", "FaultTolerance"),
        ("slurm_ray", "Launcher"),
        ("mpirun", None),
        ("", None),
        (7, None),
        ({"_target_": f"{CLASS}FaultTolerance"}, "FaultTolerance"),
        ({"rdzv_id": 1}, None),
    ],
)
def test_kinds(given: object, kind: str | None) -> None:
    assert launcher.kind(given) == kind


def test_torchrun_on_one_node_needs_no_address() -> None:
    assert words(launcher="torchrun", gpus_per_node=8, drawn_rdzv_id=7) == [
        *("torchrun", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", "--rdzv-id", "7", "--nnodes", "1"),
        *("--nproc-per-node", "8", "--node-rank", "0", "--tee", "3", "/opt/train.py"),
    ]


@pytest.mark.parametrize("nodes", [0, 2])
def test_torchrun_on_other_counts_takes_address_and_rank_from_the_pod(nodes: int) -> None:
    command = words(launcher=torchrun(rdzv_port=31000, rdzv_backend="static", rdzv_id=5), num_nodes=nodes)
    assert after(command, "--rdzv-endpoint") == "$PET_MASTER_ADDR:31000"
    assert after(command, "--node-rank") == "$PET_NODE_RANK"
    assert after(command, "--nnodes") == str(nodes)
    assert after(command, "--rdzv-backend") == "static"
    assert after(command, "--rdzv-id") == "5"


def test_a_rendezvous_id_of_zero_counts_as_none() -> None:
    assert after(words(launcher=torchrun(rdzv_id=0), drawn_rdzv_id=9), "--rdzv-id") == "9"


@pytest.mark.parametrize(
    ("script", "target"),
    [
        ({"path": "t.py", "entrypoint": "python"}, ["t.py"]),
        ({"path": "t.py", "entrypoint": "python3"}, ["--no-python", "t.py"]),
        ({"path": "./run.sh"}, ["--no-python", "./run.sh"]),
        ({"path": "my.pkg", "entrypoint": "python", "m": True}, ["-m", "my.pkg"]),
        ({"inline": "ls"}, ["--no-python", "/nemo_run/scripts/train.sh"]),
        ({"inline": "ls", "entrypoint": "python"}, ["/nemo_run/scripts/train.sh"]),
        ({"inline": "ls", "args": ["a b", "", "it's", "$X"]}, None),
        ({"path": "a b.py", "entrypoint": "python"}, ["'a b.py'"]),
    ],
)
def test_targets(script: dict[str, Any], target: list[str] | None) -> None:
    command = words(script, launcher="torchrun")
    quoted = ["--no-python", "/nemo_run/scripts/train.sh", "'a b'", "''", "'it'\"'\"'s'", "'$X'"]
    assert command[command.index("--tee") + 2 :] == (quoted if target is None else target)


@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        ({}, ["--ignore-missing-fault-tol-cfg"]),
        ({"cfg_path": "/a"}, ["--ignore-missing-fault-tol-cfg"]),
        ({"max_restarts": 0}, []),
        ({"log_level": ""}, []),
        ({"max_restarts": 3, "workload_check_interval": 5.0, "rank_termination_signal": "SIG USR"}, None),
    ],
)
def test_fault_tolerance(settings: dict[str, Any], flags: list[str] | None) -> None:
    command = words(launcher={"_target_": f"{CLASS}FaultTolerance", **settings})
    every = [
        *("--ft-workload_check_interval", "5.0", "--ft-rank_termination_signal", "'SIG USR'", "--max-restarts", "3"),
    ]
    assert command[0] == "ft_launcher"
    assert command[1 : command.index("--rdzv-backend")] == (every if flags is None else flags)


def test_floats_of_a_text_stay_floats() -> None:
    text = (
        "task: {path: t.py, entrypoint: python}\n"
        "launcher: {_target_: a.FaultTolerance, workload_check_interval: 5.0, rank_heartbeat_timeout: 7}\n"
    )
    command = built(text).train_job["spec"]["trainer"]["command"]
    assert command[1:5] == ["--ft-workload_check_interval", "5.0", "--ft-rank_heartbeat_timeout", "7"]


def test_the_profiler_takes_the_whole_command_and_an_empty_word() -> None:
    settings = {"_target_": f"{CLASS}Launcher", "nsys_profile": True, "nsys_trace": ["cuda"], "nsys_extra_args": ["-x"]}
    output = "/jobs/1/nsys_profile/profile_%p"
    assert words({"path": "t.py"}, launcher=settings, job_dir="/jobs/1/") == [
        *("nsys", "profile", "-s", "none", "-t", "cuda", "-o", output, "-x", "bash", "t.py", ""),
    ]


def test_an_absolute_profile_folder_stays_as_it_is() -> None:
    command = words(launcher=torchrun(nsys_profile=True, nsys_folder="/data"))
    assert after(command, "-o") == "/data/profile_%p"
    assert command[-1] == ""
