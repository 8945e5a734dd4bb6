"""The run's own name: there, a name of Kubernetes, and short enough for a label."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from tests import manifests
from tests.manifests import faults, manifest, with_spec

OURS = ("NR20", "NR22")  # a TrainJob asks more of a name than the run itself: trainer_limits


def named(metadata: Any) -> list[tuple[str, str]]:
    return faults({**manifest(), "metadata": metadata}, *OURS)


def complaint(text: str) -> nr.Diagnostic:
    return manifests.complaint(text, *OURS)


@pytest.mark.parametrize("name", ["a", "run-1", "0run", "a.b", "a" * 63, "a" * 31 + "." + "b" * 31])
def test_a_name_of_kubernetes(name: str) -> None:
    assert named({"name": name}) == []


@pytest.mark.parametrize("name", ["Run", "my_run", "-a", "a-", "a.", ".a", "a..b", "a b", "a/b", "a\n", "\u00fc"])
def test_another_name_is_refused(name: str) -> None:
    assert named({"name": name}) == [("NR222", "metadata.name")]


def test_a_name_longer_than_a_label_says_by_how_much() -> None:
    name = "a" * 64
    found = complaint(with_spec("").replace("name: run", f"name: @{name}"))
    assert found.code == "NR222"
    assert f'"{name}" has 64 characters; the maximum is 63' in found.message


@pytest.mark.parametrize(
    "metadata", [{}, {"name": ""}, {"name": None}, {"namespace": "team"}, {"generateName": "run-"}]
)
def test_a_run_without_a_name_is_refused(metadata: Any) -> None:
    assert named(metadata) == [("NR221", "metadata.name")]


def test_a_missing_name_is_shown_where_it_belongs() -> None:
    found = complaint(with_spec("").replace("metadata: {name: run}", "metadata: @{namespace: team}"))
    assert found.code == "NR221"
    assert "--set-name" in found.remedy
    assert complaint(with_spec("").replace("name: run", '@name: ""')).code == "NR221"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (None, ("NR205", "")),
        ("run", ("NR202", "metadata")),
        ([], ("NR202", "metadata")),
        ({"name": 5}, ("NR203", "metadata.name")),
        ({"name": 0}, ("NR203", "metadata.name")),
        ({"name": ["run"]}, ("NR202", "metadata.name")),
    ],
)
def test_metadata_that_is_wrong_in_itself_is_one_finding(metadata: Any, expected: tuple[str, str]) -> None:
    assert named(metadata) == [expected]
