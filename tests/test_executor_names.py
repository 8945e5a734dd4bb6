"""Names of TrainJobs and tasks: the steps of NeMo-Run's rule, one row each."""

from __future__ import annotations

import pytest

from nvcre_render.executor.names import task_name, train_job_name


@pytest.mark.parametrize(
    ("basename", "task", "name"),
    [
        (None, "train", "train-a1b2c3"),
        ("base", "train", "base-a1b2c3"),
        ("", "train", "train-a1b2c3"),
        ("", "", "job-a1b2c3"),
        ("Pretrain_8B.v2", "", "pretrain-8b-v2-a1b2c3"),
        ("a  .b", "", "a-b-a1b2c3"),
        ("a--b", "", "a--b-a1b2c3"),
        ("--a_", "", "a-a1b2c3"),
        ("_._", "", "job-a1b2c3"),
        ("8b", "", "8b-a1b2c3"),
        ("é", "", "job-a1b2c3"),
        ("a" * 40, "", "a" * 26 + "-a1b2c3"),
        ("a" * 25 + "-b", "", "a" * 25 + "-a1b2c3"),
    ],
)
def test_a_train_job_name(basename: str | None, task: str, name: str) -> None:
    assert train_job_name(basename, task, "a1b2c3") == name
    assert len(name) <= 33


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ({"path": "/opt/recipes/train.py"}, "train.py"),
        ({"path": "my.pkg.train", "m": True}, "my.pkg.train"),
        ({"path": "/opt/recipes/"}, ""),
        ({"inline": "  nvidia-smi\n"}, "nvidia_smi"),
        ({"inline": "echo 'hello there'", "path": "/x.py"}, "echo_hell"),
        ({"inline": "\nls\n"}, "ls"),
    ],
)
def test_the_name_of_a_task_added_without_one(script: dict[str, object], name: str) -> None:
    assert task_name(script) == name  # type: ignore[arg-type]
