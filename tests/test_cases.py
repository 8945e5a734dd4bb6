"""The case runner: its comparison, its forms on tiny cases of our own, its report."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.cases import __main__ as command_line
from tests.cases.command import Result, capture
from tests.cases.compare import Difference, compare
from tests.cases.disputed import Disputes
from tests.cases.document import load
from tests.cases.manifest import with_counts
from tests.cases.product import Installed, RefusedError
from tests.cases.stub import MANIFEST, Stub, outcome, put, put_render

EQUAL = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ("@script", "#!/bin/sh"),
    ([{"args": ["@script"]}], [{"args": ["x"]}]),
    (None, None),
]
DIFFERENT = [
    (True, 1, Difference("(whole)", "true", "1")),
    ({"a": 0}, {"a": False}, Difference("a", "0", "false")),
    (1, 1.0, Difference("(whole)", "1", "1.0")),
    ("1", 1, Difference("(whole)", '"1"', "1")),
    ("@script", "", Difference("(whole)", '"@script"', '""')),
    ("@script", None, Difference("(whole)", '"@script"', "null")),
    ([1, 2], [2, 1], Difference("[0]", "1", "2")),
    ([1, 2], [1], Difference("[1]", "2", "(absent)")),
    ([1], [1, 2], Difference("[1]", "(absent)", "2")),
    ({"a": {"b": None}}, {"a": {}}, Difference("a.b", "null", "(absent)")),
    ({"a": [{}]}, {"a": [{"x/y": 1}]}, Difference('a[0]["x/y"]', "(absent)", "1")),
    ({}, [], Difference("(whole)", "{}", "[]")),
]


@pytest.mark.parametrize(("expected", "got"), EQUAL)
def test_compare_equal(expected: Any, got: Any) -> None:
    assert list(compare(expected, got)) == []


@pytest.mark.parametrize(("expected", "got", "first"), DIFFERENT)
def test_compare_different(expected: Any, got: Any, first: Difference) -> None:
    assert next(compare(expected, got)) == first


def test_a_timestamp_stays_text(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("at: 2026-08-01\n", encoding="utf-8")
    assert load(str(tmp_path / "a.yaml")) == {"at": "2026-08-01"}


@pytest.mark.parametrize(
    "text",
    [
        "spec:\r\n  # é\r\n  image: a\r\n",
        "spec: {image: a}",
        "\ufeff# é\nspec:\n    image: a\n",
        "---\n---\nspec:\n image: a",
    ],
)
def test_counts_are_added_to_the_text(text: str) -> None:
    added = list(yaml.safe_load_all(with_counts(text, {"gpusPerNode": 8, "image": "b"})))
    assert added[-1] == {"spec": {"gpusPerNode": 8, "image": "a"}}
    assert with_counts("a: [", {"gpusPerNode": 8}) == "a: ["


def test_a_right_case_passes(tmp_path: Path) -> None:
    put_render(tmp_path / "good", {"covers": "workflow.spec", "value": {"iterations": 1}})
    assert outcome(tmp_path, Stub(spec={"iterations": 1})) == (0, "1 passed, 0 failed, 0 skipped\n")


def test_a_wrong_expectation_fails_with_its_first_difference(tmp_path: Path) -> None:
    folder = put_render(tmp_path / "bad", {"covers": "workflow.spec", "value": {"a": {"b": [1]}, "z": 0}})
    product = Stub(spec={"a": {"b": [True]}, "z": 9})
    block = f"FAIL {folder}\n  path:     value.a.b[0]\n  expected: 1\n  got:      true\n"
    last = "\n0 passed, 1 failed, 0 skipped\n"
    assert outcome(tmp_path, product) == (1, block + last)
    rest = "  path:     value.z\n  expected: 0\n  got:      9\n"
    assert outcome(tmp_path, product, verbose=True) == (1, block + rest + last)


CANNOT_BE_JUDGED = [
    ({"other": {}}, "unknown form: none of case.yaml"),
    ({"case": {"description": "x"}}, "unknown form: case.yaml has neither operation nor kind"),
    ({"case": {"operation": "dance"}}, "unknown operation of form plan: dance"),
    ({"case": {"kind": "dance"}}, "unknown kind of form overrides: dance"),
    ({"right": {"command": "dance"}}, "unknown command: dance"),
    ({"executor": {}}, "no expected file is here"),
    ({"workloadrun": {}, "expected": {"covers": "moon", "value": 1}}, "unknown reading: covers 'moon'"),
    ({"workloadrun": {}, "expected": {}}, "neither covers and value nor error"),
    ({"workloadrun": {}, "expected": {"vale": 1}}, "unknown keys in a render case: vale"),
    ({"workloadrun": {}}, "FileNotFoundError"),
    ({"case": []}, "TypeError"),
]


@pytest.mark.parametrize(("files", "told"), CANNOT_BE_JUDGED)
def test_what_cannot_be_judged_fails(tmp_path: Path, files: dict[str, Any], told: str) -> None:
    put(tmp_path / "x", **files)
    code, text = outcome(tmp_path)
    assert code == 1
    assert told in text
    assert text.endswith("\n0 passed, 1 failed, 0 skipped\n")


def test_an_exception_is_the_failure_of_its_case_alone(tmp_path: Path) -> None:
    put_render(tmp_path / "a", {"covers": "workflow.spec", "value": {}})
    put_render(tmp_path / "b", {"covers": "overrides with mpiArgs, in override order", "value": []})
    code, text = outcome(tmp_path, Stub(crash=KeyError("no such key")))
    assert code == 1
    assert "got:      KeyError: 'no such key'" in text
    assert text.endswith("1 passed, 1 failed, 0 skipped\n")


def test_a_directory_without_a_case_fails(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("prose", encoding="utf-8")
    for root in (tmp_path, tmp_path / "absent"):
        code, text = outcome(root)
        assert code == 1
        assert f"FAIL {root}\n" in text
        assert "no case found" in text


def test_only_filters_by_path(tmp_path: Path) -> None:
    for name in ("left", "right"):
        put_render(tmp_path / name, {"covers": "workflow.spec", "value": name})
    assert outcome(tmp_path, Stub(spec="left"), only="/left") == (0, "1 passed, 0 failed, 0 skipped\n")
    assert outcome(tmp_path, Stub(spec="left"), only="/up")[0] == 1


def test_disputes(tmp_path: Path) -> None:
    folder = put_render(tmp_path / "render" / "wrong", {"covers": "workflow.spec", "value": 1})
    skipped = f"SKIP {folder}: Says why.\n0 passed, 0 failed, 1 skipped\n"
    entries = {"render/wrong": "Says why."}
    assert outcome(tmp_path, disputes=entries) == (0, skipped)
    assert outcome(tmp_path, disputes=entries | {"plan/elsewhere": "Not walked."}) == (0, skipped)
    assert outcome(folder, disputes=entries | {"render/gone": "Not walked."}) == (0, skipped)
    code, text = outcome(tmp_path, disputes=entries | {"render/gone": "Walked."})
    assert (code, "FAIL render/gone\n" in text) == (1, True)
    assert outcome(tmp_path, disputes={"render/wrong": ""})[0] == 1


def test_the_project_s_own_disputes_can_be_read() -> None:
    assert not list(Disputes.read().wrong([], []))


# What is asked of the product: options given, then platform, gpu_arch and overrides of the call.
ASKED = [
    ({}, {"covers": "workflow.spec", "value": 1}, (None, "h100", "listed")),
    (
        {"platform": "aws", "gpuArch": "b200"},
        {"covers": "workflow.spec", "value": 1},
        ("aws", "b200", "listed"),
    ),
    ({"platform": "aws"}, {"covers": "resolved.trainer", "value": {}}, ("aws", "h100", "resolved")),
    (
        {"platform": "aws"},
        {"covers": "containment after overrides", "value": {}},
        ("aws", "h100", "resolved"),
    ),
    ({"platform": "aws"}, {"error": {"stage": "after-overrides"}}, ("aws", "h100", "resolved")),
    ({"platform": "aws"}, {"error": {"stage": "build"}}, ("aws", "h100", "listed")),
]


@pytest.mark.parametrize(("options", "expected", "asked"), ASKED)
def test_how_a_render_case_is_fed(tmp_path: Path, options: Any, expected: Any, asked: Any) -> None:
    put_render(tmp_path / "x", expected, options | {"gpusPerNode": 2, "mlnxPerNode": None})
    product = Stub(spec=1)
    outcome(tmp_path, product)
    (call,) = product.asked
    assert (call["platform"], call["gpu_arch"], call["overrides"]) == asked
    assert call["filename"].endswith("workloadrun.yaml")
    assert yaml.safe_load(call["text"])["spec"]["gpusPerNode"] == 2
    assert "mlnxPerNode" not in call["text"]


def test_a_refusal_has_to_mention_every_text(tmp_path: Path) -> None:
    put_render(tmp_path / "x", {"error": {"stage": "build", "mentions": ["spec.a", "7"]}})
    assert outcome(tmp_path, Stub(refusal="spec.a is 7"))[0] == 0
    assert outcome(tmp_path, Stub(refusal="spec.a is 8"))[0] == 1
    assert outcome(tmp_path, Stub())[0] == 1


def test_a_refused_flag_goes_through_the_command_line(tmp_path: Path) -> None:
    error = {"stage": "flags", "mentions": ["--gpu-arch"]}
    folder = put_render(tmp_path / "x", {"error": error}, {"platform": "aws"})
    product = Stub(result=Result(2, "", "--gpu-arch is missing"))
    assert outcome(tmp_path, product)[0] == 0
    assert product.asked == [{"argv": ["render", str(folder / "workloadrun.yaml"), "--platform", "aws"]}]


RIGHT = {"command": "render", "options": {"platform": "aws"}, "outcome": "error", "must_mention": ["x"]}
REPORTS = [
    (RIGHT, Result(1, "", "x"), True),
    (RIGHT, Result(1, "", "y"), False),
    (RIGHT, Result(0, "x", ""), False),
    (RIGHT, Result(1, "half a document", "x"), False),
    (RIGHT, Result(1, "", "Traceback: x"), False),
    (RIGHT | {"also_ok": "ok"}, Result(0, "x", ""), True),
    (RIGHT | {"outcome": "ok"}, Result(0, "x", ""), True),
    (RIGHT | {"outcome": "fine"}, Result(0, "x", ""), False),
]


@pytest.mark.parametrize(("right", "result", "passes"), REPORTS)
def test_reports(tmp_path: Path, right: Any, result: Result, passes: bool) -> None:
    folder = put(tmp_path / "x", input=MANIFEST, right=right)
    product = Stub(result=result)
    assert outcome(tmp_path, product)[0] == (0 if passes else 1)
    argv = ["render", str(folder / "input.yaml"), "--platform", "aws", "--gpu-arch", "h100"]
    assert not passes or product.asked[-1] == {"argv": argv}


def test_capture_takes_both_streams_and_the_code() -> None:
    def main(argv: list[str]) -> int:
        sys.stdout.buffer.write("é\r\n".encode())
        sys.exit(argv[0] if argv else None)

    assert capture(main, ["bad"]) == Result(1, "é\r\n", "bad\n")
    assert capture(main, []).code == 0


def test_the_installed_product_tells_a_refusal_from_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def render(text: str, **_: Any) -> Any:
        raise ValueError(text) if text == "refused" else KeyError(text)

    package = SimpleNamespace(render=render, RenderError=ValueError)
    monkeypatch.setattr(importlib, "import_module", lambda _: package)
    options: dict[str, Any] = {"filename": "f", "platform": None, "gpu_arch": None, "overrides": "listed"}
    with pytest.raises(RefusedError, match="refused"):
        Installed().render("refused", **options)
    with pytest.raises(KeyError):
        Installed().render("crash", **options)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "x", case={"operation": "order"})
    assert command_line.main([str(tmp_path), "--only", "x", "--verbose"]) == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 1 failed, 0 skipped\n")
