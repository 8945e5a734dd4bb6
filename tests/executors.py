"""Small executor settings, and what is made of them."""

from __future__ import annotations

from typing import Any

from nvcre_render.diagnostics import RenderError
from nvcre_render.executor import submission
from nvcre_render.executor.settings import Settings, fill, read
from nvcre_render.executor.submission import Submission

IMAGE = "registry.example.com/trainer:1"
COMMAND = ["python", "/opt/train.py"]
WORKDIR: dict[str, Any] = {
    "workdir_pvc": "work",
    "workdir_pvc_path": "/work",
    "user": "alice",
    "experiment_id": "exp_1",
}


def ready(**fields: Any) -> dict[str, Any]:
    """Settings with a ready command."""
    return {"job_name": "train", "image": IMAGE, "command": COMMAND, **fields}


def task(script: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Settings with a task: a script run by Python unless another is given."""
    script = {"path": "/opt/train.py", "entrypoint": "python"} if script is None else script
    return {"job_name": "train", "image": IMAGE, "task": script, **fields}


def filled(data: Any) -> Settings:
    """The settings of one document, defaults filled in."""
    (document,), findings = read(data, "executor.yaml")
    assert findings == []
    return fill(document)


def built(data: Any, **inputs: Any) -> Submission:
    """The submission of one document."""
    return submission.trainjob(data, filename="executor.yaml", **inputs)


def spec(**fields: Any) -> dict[str, Any]:
    """The TrainJob's spec for a ready command and other fields."""
    made: dict[str, Any] = built(ready(**fields)).train_job["spec"]
    return made


def words(script: dict[str, Any] | None = None, **fields: Any) -> list[str]:
    """The container command of a task without workdir."""
    made: list[str] = built(task(script, **fields)).train_job["spec"]["trainer"]["command"]
    return made


def codes(data: Any, **inputs: Any) -> list[str]:
    """The codes of all findings, whether or not something is built."""
    try:
        return [found.code for found in built(data, **inputs).diagnostics]
    except RenderError as refusal:
        return [found.code for found in refusal.diagnostics]
