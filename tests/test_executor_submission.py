"""A submission as a whole: what the library returns, refuses and prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from nvcre_render.diagnostics import RenderError
from nvcre_render.executor import settings, submission
from tests.executors import WORKDIR, built, ready, task

TWO = "image: a\ncommand: [a]\n---\nimage: b\ncommand: [b]\n"


def test_errors_are_told_and_the_manifest_is_there_all_the_same() -> None:
    made = built(ready(job_name="8b"))
    assert made.train_job["metadata"]["name"] == "8b-000000"
    assert [found.code for found in made.diagnostics] == ["NR911"]
    assert not made.ok
    assert built(ready(image="")).ok


def test_arguments_win_over_the_document() -> None:
    made = built(ready(name_suffix="aaaaaa"), name="other", command=["b"], name_suffix="bbbbbb", trainer_release="2.3")
    assert made.train_job["metadata"]["name"] == "other-bbbbbb"
    assert made.train_job["spec"]["trainer"]["command"] == ["b"]
    assert made.release == "2.3"


def test_the_basename_wins_over_the_name() -> None:
    assert built(ready(train_job_basename="base"), name="other").train_job["metadata"]["name"] == "base-000000"


def test_what_cannot_be_built_is_refused_with_all_findings() -> None:
    with pytest.raises(RenderError) as refusal:
        built("env_vars: null\ncommand: [a]\ncpu_requests: lots\n")
    assert [found.code for found in refusal.value.diagnostics] == ["NR901", "NR207"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "just a text\n", "image: [\n"])
def test_texts_without_settings_are_refused(text: str) -> None:
    with pytest.raises(RenderError):
        built(text)


def test_several_executors_are_for_submit() -> None:
    with pytest.raises(ValueError, match=r"2 executors stand in executor\.yaml"):
        built(TWO)
    documents, findings = settings.read(TWO, "executor.yaml")
    made, found = submission.submit(documents, findings, {"name_suffix": "a1b2c3"}, "executor.yaml")
    assert [each.train_job["spec"]["trainer"]["image"] for each in made] == ["a", "b"]
    assert found == []
    assert [job["kind"] for job in yaml.safe_load_all(submission.to_yaml(made))] == ["TrainJob", "TrainJob"]
    assert [job["kind"] for job in json.loads(submission.to_json(made))["items"]] == ["TrainJob", "TrainJob"]


def test_one_that_cannot_be_built_stops_them_all() -> None:
    documents, findings = settings.read(TWO + "---\nimage: c\n", "executor.yaml")
    made, found = submission.submit(documents, findings, {}, "executor.yaml")
    assert made == []
    assert [str(each.position) for each in found] == ["executor.yaml:7:1"]


def test_yaml_holds_the_objects_and_comments_tell_the_rest() -> None:
    made = built(task({"inline": "nvidia-smi"}, **WORKDIR))
    text = made.to_yaml()
    assert list(yaml.safe_load_all(text)) == [made.data_mover, made.train_job]
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert "#   kubectl exec -n default train-000000-data-mover -- mkdir -p /work/alice/exp_1/train/code" in comments
    assert "#   | bash /nemo_run/scripts/train.sh" in comments
    assert "# Generated in the run's folder, scripts/train.sh:" in comments


def test_comments_stay_comments_whatever_the_words_hold() -> None:
    text = "echo a\rb\u2028c\x1b[0m\x00\n\techo d\n"
    made = built(task({"inline": text}, **{**WORKDIR, "user": "al\nice", "workdir_local_path": "/home/\x07"}))
    assert list(yaml.safe_load_all(made.to_yaml())) == [made.data_mover, made.train_job]
    assert "\\x1b[0m" in made.to_yaml()
    assert made.files["scripts/train.sh"].endswith(text)


def test_kubernetes_objects_are_left_alone() -> None:
    objects = "apiVersion: v1\nkind: Secret\n"
    made = built(f"{objects}---\nimage: a\ncommand: [a]\n")
    assert made.train_job["spec"]["trainer"]["image"] == "a"
    with pytest.raises(RenderError, match="the only documents are of kind Secret"):
        built(objects)


def test_json_is_the_object_or_a_list() -> None:
    assert json.loads(built(ready()).to_json())["kind"] == "TrainJob"
    items = json.loads(built(task(**WORKDIR)).to_json())
    assert (items["kind"], [item["kind"] for item in items["items"]]) == ("List", ["Pod", "TrainJob"])


def test_a_finding_about_a_wrong_value_is_not_repeated_about_the_manifest() -> None:
    found = built("image: a\ncommand: [a]\nnprocs_per_node: [1]\ntrainer_release: '2.3'\n").diagnostics
    assert [each.code for each in found] == ["NR202"]


AUDITED = """
import sys
from nvcre_render.executor import submission
text = sys.stdin.read()
submission.trainjob(text, trainer_release="2.3").to_yaml()  # loads the package's data and every module
seen = []
outside = ("open", "os.", "subprocess.", "socket.", "shutil.", "tempfile.", "urllib.", "ctypes.")
sys.addaudithook(lambda event, args: seen.append((event, args)) if event.startswith(outside) else None)
for release in ("2.0", "2.1", "2.2", "2.3"):
    made = submission.trainjob(text, trainer_release=release)
    made.to_yaml(), made.to_json()
sys.stdout.write(repr(seen))
"""


def test_a_submission_reaches_nothing_outside_once_the_data_is_loaded() -> None:
    settled = Path("examples/executor-torchrun-workdir.yaml").read_text()
    run = subprocess.run([sys.executable, "-c", AUDITED], input=settled, capture_output=True, text=True, check=True)
    assert run.stdout == "[]"


def test_check_gives_the_findings_of_one_document() -> None:
    (document,), _ = settings.read("image: ''\ncommand: [a]\n", "executor.yaml")
    assert [found.code for found in submission.check(document)] == ["NR933"]
