"""Names a submission gets. (NeMo-Run KubeflowExecutor)"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.model.executor import Script

FALLBACK = "job"
_LONGEST_BASE = 26  # characters: 33, of which Trainer makes pod names, less a dash and the six of the suffix
_FOREIGN = re.compile(r"[^a-z0-9-]+")
_NO_WORD = re.compile(r"[^0-9a-zA-Z]+")
_LONGEST_EXCERPT = 10  # characters of an inline script that name its task


def train_job_name(basename: str | None, task: str, suffix: str) -> str:
    """Return the TrainJob's name, made of `basename`, else the task's name, else `job`, and the suffix.

    >>> train_job_name(None, "Pretrain_8B.v2", "a1b2c3"), train_job_name("", "", "a1b2c3")
    ('pretrain-8b-v2-a1b2c3', 'job-a1b2c3')
    """
    base = (basename or task or FALLBACK).lower()
    base = _FOREIGN.sub("-", base).strip("-")[:_LONGEST_BASE].strip("-")
    return f"{base or FALLBACK}-{suffix}"


def task_name(script: Script) -> str:
    """Return the name of a task that was added without one: its file's, or the beginning of its text.

    >>> task_name({"path": "/opt/recipes/train.py"}), task_name({"inline": "echo 'hello there'"})
    ('train.py', 'echo_hell')
    """
    inline = script.get("inline")
    if inline:
        return _NO_WORD.sub("_", inline.strip()[:_LONGEST_EXCERPT])
    return script.get("path", "").rpartition("/")[2]
