"""Findings as data: positions, rules, diagnostics, and reports in the order people read them."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from nvcre_render import diagnostics, source
from nvcre_render.diagnostics import ERROR, NOTE, WARNING, Diagnostic, RenderError, Report, Rule
from nvcre_render.document import from_mapping
from nvcre_render.positions import Places, Position

if TYPE_CHECKING:
    from nvcre_render.diagnostics import Severity
    from nvcre_render.positions import Path

RUN = "spec:\n  image: a\n  env:\n  - name: X\n"


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Rule]:
    """Keep the rules of a test out of the package's own registry."""
    empty: dict[str, Rule] = {}
    monkeypatch.setattr(diagnostics, "REGISTRY", empty)
    return empty


def rule(code: str = "NR901", severity: Severity = "error", remedy: str = "mend it") -> Rule:
    """Return a rule, the same for the same code."""
    known = diagnostics.REGISTRY.get(code)
    return known or Rule(code=code, name=f"r-{code}", severity=severity, summary="s", why="w", remedy=remedy)


def at(line: int, column: int, file: str = "run.yaml") -> Position:
    return Position(file=file, line=line, column=column)


def finding(code: str = "NR901", message: str = "it is wrong", position: Position | None = None) -> Diagnostic:
    return Diagnostic(rule=rule(code), message=message, position=position)


# Rules


def test_a_rule_is_registered_under_its_code(registry: dict[str, Rule]) -> None:
    made = rule("NR902")
    assert registry == {"NR902": made}
    assert (made.bad, made.good) == ("", "")


def test_a_code_is_taken_only_once(registry: dict[str, Rule]) -> None:
    first = rule("NR902")
    with pytest.raises(ValueError, match="rule code NR902 is taken by r-NR902"):
        Rule(code="NR902", name="other", severity="error", summary="s", why="w", remedy="r")
    assert registry["NR902"] is first


def test_an_incomplete_rule_is_not_registered(registry: dict[str, Rule]) -> None:
    with pytest.raises(TypeError, match="missing"):
        Rule(code="NR902", name="half")
    assert registry == {}


@pytest.mark.parametrize(
    ("path", "on_key", "place"),
    [
        (("spec", "image"), False, at(2, 10)),
        (("spec", "image"), True, at(2, 3)),
        (("spec", "env", 0), True, at(4, 5)),
        (("spec", "absent"), True, at(2, 3)),
        ((), False, at(1, 1)),
    ],
)
def test_a_rule_finds_at_a_path_of_a_document(path: Path, on_key: bool, place: Position) -> None:
    (document,), _ = source.read(RUN, "run.yaml")
    found = (
        rule().at(document, path, "it is wrong", on_key=True) if on_key else rule().at(document, path, "it is wrong")
    )
    expected = Diagnostic(rule=rule(), message="it is wrong", path=path, position=place, remedy="mend it")
    assert found == expected


def test_a_rule_finds_without_places_in_a_mapping() -> None:
    document = from_mapping({"spec": {"image": 1}}, "run.yaml")
    found = rule().at(document, ("spec", "image"), "it is wrong", remedy="do this", related=((at(1, 1), "here"),))
    assert (found.position, found.remedy, found.related) == (None, "do this", ((at(1, 1), "here"),))


# One finding


def test_a_finding_knows_its_code_severity_and_field() -> None:
    found = Diagnostic(rule=rule("NR903", "warning"), message="m", path=("spec", "volumes", 2, "name"))
    assert (found.code, found.severity, found.field) == ("NR903", "warning", "spec.volumes[2].name")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "NR901 error: it is wrong"),
        ({"position": at(3, 7)}, "run.yaml:3:7: NR901 error: it is wrong"),
        ({"path": ("spec", "env", 0)}, "NR901 error: spec.env[0]: it is wrong"),
        ({"path": ("spec",), "message": "spec is absent"}, "NR901 error: spec is absent"),
        ({"remedy": "write that"}, "NR901 error: it is wrong\n  help: write that"),
        (
            {
                "position": at(41, 13),
                "path": ("labels", "kai.scheduler/queue"),
                "remedy": "drop one",
                "related": ((at(9, 5), "expected by gangScheduler"), (at(2, 1, "base.yaml"), "first written here")),
            },
            (
                'run.yaml:41:13: NR901 error: labels["kai.scheduler/queue"]: it is wrong\n'
                "  help: drop one\n"
                "  run.yaml:9:5: expected by gangScheduler\n"
                "  base.yaml:2:1: first written here"
            ),
        ),
    ],
)
def test_a_finding_as_text(fields: dict[str, object], expected: str) -> None:
    values: dict[str, object] = {"rule": rule(), "message": "it is wrong", **fields}
    assert str(Diagnostic(**values)) == expected  # type: ignore[arg-type]


def test_a_finding_about_the_text_takes_the_remedy_of_its_rule() -> None:
    places = Places("a\nb\n", "run.yaml")
    related = ((at(1, 1), "here"),)
    assert rule().in_text(places, 2, "m", related=related) == Diagnostic(
        rule=rule(), message="m", position=at(2, 1), remedy="mend it", related=related
    )
    assert rule().in_text(places, 2, "m", remedy="other").remedy == "other"


# Reports


def test_a_report_is_ordered_by_place_then_code() -> None:
    ordered = [
        finding("NR901"),
        finding("NR902", position=at(9, 1, "a.yaml")),
        finding("NR901", position=at(2, 5)),
        finding("NR902", position=at(2, 5)),
        finding("NR901", position=at(2, 10)),
        finding("NR901", "a", position=at(10, 1)),
        finding("NR901", "b", position=at(10, 1)),
        finding("NR901", position=at(1, 1, "z.yaml")),
    ]
    shuffled = [ordered[number] for number in (6, 1, 7, 3, 0, 5, 2, 4)]
    assert list(Report(shuffled)) == ordered
    assert Report(shuffled).diagnostics == tuple(ordered)


def test_fields_decide_where_place_and_code_do_not() -> None:
    paths: list[Path] = [(), ("a",), ("a", 0), ("b",)]
    found = [Diagnostic(rule=rule(), message="m", path=path) for path in paths]
    assert [one.path for one in Report(reversed(found))] == paths


def test_a_report_holds_each_finding_once() -> None:
    report = Report([finding(), finding(), finding(message="other"), finding()])
    assert [found.message for found in report] == ["it is wrong", "other"]


def test_findings_that_differ_only_in_their_other_places_are_both_kept() -> None:
    first = Diagnostic(rule=rule(), message="m", position=at(1, 1), related=((at(2, 2), "here"),))
    second = Diagnostic(rule=rule(), message="m", position=at(1, 1), related=((at(3, 3), "here"),))
    assert len(Report([first, second]).diagnostics) == 2


def test_only_errors_make_a_report_fail() -> None:
    error, warning, note = rule("NR901", ERROR), rule("NR902", WARNING), rule("NR903", NOTE)
    found = [Diagnostic(rule=one, message="m") for one in (error, warning, note)]
    assert [one.severity for one in found] == ["error", "warning", "note"]
    assert Report().ok
    assert Report(found[1:]).ok
    assert Report(found[1:]).errors == ()
    assert not Report(found).ok
    assert Report(found).errors == (found[0],)


def test_a_report_as_text_is_every_finding() -> None:
    report = Report([finding(position=at(2, 1)), finding(position=at(1, 1))])
    assert str(report) == "run.yaml:1:1: NR901 error: it is wrong\nrun.yaml:2:1: NR901 error: it is wrong"
    assert str(Report()) == ""


# Refusals


def test_a_refusal_carries_its_findings_in_reading_order() -> None:
    late, early = finding(position=at(2, 1)), finding(position=at(1, 1))
    refusal = RenderError([late, early, late])
    assert refusal.diagnostics == (early, late)
    assert str(refusal) == f"{early}\n{late}"


def test_a_refusal_crosses_process_borders() -> None:
    refusal = RenderError([finding(position=at(2, 1)), finding(position=at(1, 1))])
    for other in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal), copy.deepcopy(refusal)):  # noqa: S301 - ours
        assert type(other) is RenderError
        assert other.diagnostics == refusal.diagnostics
        assert str(other) == str(refusal)
