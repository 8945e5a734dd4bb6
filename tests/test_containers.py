"""Init containers: their names and images."""

from __future__ import annotations

from typing import Any

import pytest

from tests.manifests import complaint, faults, manifest, with_spec


def judged(*containers: Any) -> list[tuple[str, str]]:
    return faults(manifest(initContainers=list(containers)))


@pytest.mark.parametrize("name", ["a", "warm-up", "1st", "a" * 63])
def test_names(name: str) -> None:
    assert judged({"name": name, "image": "fetch:2"}) == []


@pytest.mark.parametrize("name", ["Warm", "warm_up", "a.b", "-a", "a" * 64, ""])
def test_names_that_are_no_label(name: str) -> None:
    assert judged({"name": name, "image": "fetch:2"}) == [("NR241", "spec.initContainers[0].name")]


def test_a_missing_name_is_one_finding() -> None:
    assert judged({"image": "fetch:2"}) == [("NR205", "spec.initContainers[0]")]


def test_the_second_container_of_a_name_shows_the_first() -> None:
    found = complaint(with_spec("initContainers:\n- {name: a, image: 'x:1'}\n- {name: @a, image: 'y:1'}"))
    assert found.code == "NR242"
    ((first, _),) = found.related
    assert (first.line, first.column) == (9, 12)


@pytest.mark.parametrize("container", [{"name": "a"}, {"name": "a", "image": ""}, {"name": "a", "image": None}])
def test_an_image_is_needed(container: dict[str, Any]) -> None:
    assert judged(container) == [("NR243", "spec.initContainers[0]")]
