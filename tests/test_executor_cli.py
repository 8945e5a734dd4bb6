"""`nvcre-render trainjob` as its user sees it: exit status, stdout and stderr, apart."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
import yaml

from nvcre_render.cli import trainjob

GOOD = "image: a:1\ncommand: [a]\n"
WARNED = GOOD + "restart_policy: Never\n"
WRONG = GOOD + "job_name: 8b\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    monkeypatch.chdir(tmp_path)

    def call(text: str, *options: str) -> tuple[int, str, str]:
        Path("executor.yaml").write_text(text)
        status = trainjob.run(["executor.yaml", *options])
        seen = capsys.readouterr()
        return status, seen.out, seen.err

    return call


def test_a_sound_executor_gives_its_train_job(run: object) -> None:
    status, out, err = run(GOOD, "--name", "My Run", "--name-suffix", "a1b2c3")  # type: ignore[operator]
    assert (status, err) == (0, "")
    assert yaml.safe_load(out)["metadata"]["name"] == "my-run-a1b2c3"


def test_json_on_demand(run: object) -> None:
    status, out, _ = run(GOOD, "-o", "json")  # type: ignore[operator]
    assert (status, json.loads(out)["kind"]) == (0, "TrainJob")


def test_warnings_go_to_stderr_and_refuse_only_when_strict(run: object) -> None:
    status, out, err = run(WARNED)  # type: ignore[operator]
    assert (status, bool(out)) == (0, True)
    assert err.startswith("executor.yaml:3:1: NR931 warning: restart_policy")
    status, out, err = run(WARNED, "--strict")  # type: ignore[operator]
    assert (status, out) == (1, "")
    assert err.endswith("nvcre-render trainjob: refused, since warnings count as errors under --strict\n")


def test_errors_refuse_unless_forced(run: object) -> None:
    status, out, err = run(WRONG)  # type: ignore[operator]
    assert (status, out) == (1, "")
    assert err.startswith("executor.yaml:3:1: NR911 error:")
    status, out, err = run(WRONG, "--force")  # type: ignore[operator]
    assert (status, yaml.safe_load(out)["metadata"]["name"]) == (1, "8b-000000")
    assert "NR911" in err


def test_what_cannot_be_built_cannot_be_forced(run: object) -> None:
    status, out, err = run("image: a:1\n", "--force")  # type: ignore[operator]
    assert (status, out) == (1, "")
    assert "NR902 error: neither a ready command nor a task is given" in err


def test_the_release_decides_the_form(run: object) -> None:
    status, out, err = run(GOOD + "tolerations: [{operator: Exists}]\n", "--trainer-release", "2.3")  # type: ignore[operator]
    assert status == 0
    assert "runtimePatches" in yaml.safe_load(out)["spec"]
    assert "NR921 warning" in err


def test_an_unknown_release_is_wrong_usage(run: object) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(GOOD, "--trainer-release", "3.0")  # type: ignore[operator]


def test_a_file_that_is_not_there(run: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert trainjob.run(["missing.yaml"]) == 1
    seen = capsys.readouterr()
    assert (seen.out, "NR113" in seen.err) == ("", True)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
    assert trainjob.run(["-"]) == 1
    assert capsys.readouterr().err.startswith("<stdin>:3:1: NR911 error:")


def test_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        trainjob.run(["--help"])
    assert "nvcre-render trainjob examples/executor-minimal.yaml" in capsys.readouterr().out
