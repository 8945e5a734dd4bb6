"""The run's own labels, annotations and namespace."""

from __future__ import annotations

from typing import Any

import pytest

from tests.manifests import Json, complaint, faults, manifest, with_spec


def judged(**metadata: Any) -> list[tuple[str, str]]:
    return faults({**manifest(), "metadata": {"name": "run", **metadata}})


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"a": "", "example.com/B_c": "d.E-f_1"}},
        {"annotations": {"a": "free text, of any length\n", "Example.com/b": ""}},
        {"namespace": "team-1"},
        {"namespace": ""},
        {"labels": {}, "annotations": {}},
    ],
)
def test_metadata(metadata: Json) -> None:
    assert judged(**metadata) == []


@pytest.mark.parametrize(
    ("metadata", "code", "field"),
    [
        ({"labels": {"a b": "c"}}, "NR265", 'metadata.labels["a b"]'),
        ({"labels": {"a": "b c"}}, "NR265", 'metadata.labels["a"]'),
        ({"labels": {"a": "b" * 64}}, "NR265", 'metadata.labels["a"]'),
        ({"annotations": {"a b": "c"}}, "NR266", 'metadata.annotations["a b"]'),
        ({"annotations": {"/a": "c"}}, "NR266", 'metadata.annotations["/a"]'),
        ({"namespace": "Team"}, "NR267", "metadata.namespace"),
        ({"namespace": "a.b"}, "NR267", "metadata.namespace"),
        ({"namespace": "a" * 64}, "NR267", "metadata.namespace"),
    ],
)
def test_what_the_api_server_refuses(metadata: Json, code: str, field: str) -> None:
    assert judged(**metadata) == [(code, field)]


def test_a_label_is_shown_where_it_stands() -> None:
    text = with_spec("").replace("{name: run}", "{name: run, labels: {team: @a b}}")
    assert complaint(text).code == "NR265"


def test_a_value_that_is_no_text_is_one_finding() -> None:
    assert [code for code, _ in judged(labels={"a": 5})] == ["NR203"]
    assert [code for code, _ in judged(labels="a")] == ["NR202"]
