"""Commands of tasks without launcher, macros, and the identities that are given or derived."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.executor import task as composed
from tests.executors import WORKDIR, filled, ready, spec, task, words


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ({"path": "run.sh", "args": ["a b", "--x"]}, ["bash", "run.sh", "a b", "--x"]),
        ({"path": "my.pkg", "m": True, "entrypoint": "python3"}, ["python3", "-m", "my.pkg"]),
        ({"path": "t.py", "entrypoint": "python -u"}, ["python -u", "t.py"]),
        ({"inline": "ls", "args": ["lost"]}, ["bash", "/nemo_run/scripts/train.sh"]),
        ({"inline": "ls", "path": "ignored.py"}, ["bash", "/nemo_run/scripts/train.sh"]),
    ],
)
def test_plain_commands(script: dict[str, Any], command: list[str]) -> None:
    assert words(script) == command


@pytest.mark.parametrize(
    ("word", "expanded"),
    [
        ("$head_node_ip_var", "PET_MASTER_ADDR"),
        ("${het_group_host_var}:1", "PET_MASTER_ADDR:1"),
        ("${node_rank_var}x", "PET_NODE_RANKx"),
        ("$num_nodes_var", "PET_NNODES"),
        ("$nproc_per_node_var", "PET_NPROC_PER_NODE"),
        ("$ft_launcher_cfg_path_var", "FAULT_TOL_CFG_PATH"),
        ("$$${node_rank_var}", "$PET_NODE_RANK"),
        ("$$", "$"),
        ("$HOME ${} $", "$HOME ${} $"),
        ("$NODE_RANK_VAR", "$NODE_RANK_VAR"),
    ],
)
def test_macros(word: str, expanded: str) -> None:
    assert composed.expand(word) == expanded
    assert words({"path": "t.py", "args": [word]}) == ["bash", "t.py", expanded]


def test_the_first_word_is_no_place_for_macros() -> None:
    assert words({"path": "t.py", "entrypoint": "$node_rank_var"})[0] == "$node_rank_var"


def test_macros_come_after_the_quotes_of_a_launcher() -> None:
    script = {"path": "t.py", "entrypoint": "python", "args": ["$$${node_rank_var}", "${num_nodes_var}"]}
    assert words(script, launcher="torchrun")[-2:] == ["'$PET_NODE_RANK'", "'PET_NNODES'"]


def test_a_ready_command_is_taken_as_it_is() -> None:
    assert spec(command=["$node_rank_var", "a b"], launcher="torchrun")["trainer"]["command"] == [
        "$node_rank_var",
        "a b",
    ]


def test_names() -> None:
    assert composed.name(filled(task())) == "train"
    unnamed = {key: value for key, value in task().items() if key != "job_name"}
    assert composed.name(filled(unnamed)) == "train.py"
    assert composed.name(filled(ready(job_name=""))) == ""


def test_folders() -> None:
    assert composed.folder(filled(task())) == "@job_dir"
    assert composed.folder(filled(task(job_dir="/jobs/1//"))) == "/jobs/1"
    assert composed.folder(filled(ready(**WORKDIR))) == ""


def test_an_inline_script_is_called_by_the_last_part_of_its_task() -> None:
    assert composed.inline_path(filled(task({"inline": "ls"}, job_name="a/b"))) == "/nemo_run/scripts/b.sh"
