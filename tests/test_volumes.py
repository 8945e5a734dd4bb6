"""Volumes: sources, names and file modes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.manifests import Json, complaint, faults, manifest, with_spec

EMPTY: Json = {"emptyDir": {}}


def judged(*volumes: Any) -> list[tuple[str, str]]:
    return faults(manifest(volumes=list(volumes)))


@pytest.mark.parametrize(
    "source",
    [
        EMPTY,
        {"emptyDir": {"medium": "Memory"}},
        {"persistentVolumeClaim": {"claimName": "c", "readOnly": True}},
        {"hostPath": {"path": "/mnt"}},
        {"nfs": {"server": "s", "path": "/"}},
        {"emptyDir": {}, "hostPath": None},
    ],
)
def test_one_source_is_right(source: Json) -> None:
    assert judged({"name": "v", **source}) == []


def test_two_sources_are_shown_at_the_second() -> None:
    found = complaint(with_spec("volumes:\n- name: v\n  emptyDir: {}\n  @hostPath: {path: /mnt}"))
    assert found.code == "NR231"
    assert '"v" has the sources emptyDir and hostPath' in found.message


@pytest.mark.parametrize("volume", [{"name": "v"}, {"name": "v", "emptyDir": None}])
def test_without_a_source_it_is_an_empty_directory(volume: Json) -> None:
    assert judged(volume) == [("NR232", "spec.volumes[0]")]


def test_a_misspelt_or_unsound_source_is_one_finding() -> None:
    assert judged({"name": "v", "emptydir": {}}) == [("NR201", "spec.volumes[0].emptydir")]
    assert judged({"name": "v", "emptyDir": "x"}) == [("NR202", "spec.volumes[0].emptyDir")]


@pytest.mark.parametrize("name", ["a", "a-1", "1a", "a" * 63])
def test_names(name: str) -> None:
    assert judged({"name": name, **EMPTY}) == []


@pytest.mark.parametrize("name", ["A", "a_b", "a.b", "-a", "a-", "a" * 64, ""])
def test_names_that_are_no_label(name: str) -> None:
    assert judged({"name": name, **EMPTY}) == [("NR233", "spec.volumes[0].name")]


def test_a_name_is_missing_or_no_text_once() -> None:
    assert judged(EMPTY) == [("NR205", "spec.volumes[0]")]
    assert judged({"name": 5, **EMPTY}) == [("NR203", "spec.volumes[0].name")]


def test_the_second_volume_of_a_name_shows_the_first() -> None:
    text = with_spec("volumes:\n- {name: v, emptyDir: {}}\n- {name: w, emptyDir: {}}\n- {name: @v, emptyDir: {}}")
    found = complaint(text)
    assert found.code == "NR234"
    ((first, note),) = found.related
    assert (first.line, first.column, note) == (9, 12, "first volume of this name")


SOURCES = {
    "secret": "secret: {{secretName: s, defaultMode: {mode}}}",
    "item": "configMap: {{name: c, items: [{{key: k, path: p, mode: {mode}}}]}}",
    "projected": "projected: {{sources: [{{secret: {{name: s, items: [{{key: k, path: p, mode: {mode}}}]}}}}]}}",
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mode", ["0", "0400", "0755", "0o644", "420", "493", "511", "256", "0777"])
def test_modes(source: str, mode: str) -> None:
    volume = SOURCES[source].format(mode=mode)
    assert faults(with_spec(f"volumes:\n- name: v\n  {volume}")) == []


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("mode", "remedy"),
    [("755", "write 0755 (in JSON 493)"), ("644", "write 0644 (in JSON 420)"), ("889", "with a leading 0"), ("-1", "")],
)
def test_modes_beyond_the_largest(source: str, mode: str, remedy: str) -> None:
    volume = SOURCES[source].format(mode=f"@{mode}")
    found = complaint(with_spec(f"volumes:\n- name: v\n  {volume}"))
    assert found.code == "NR238"
    assert remedy in found.remedy


@pytest.mark.parametrize(
    ("mode", "meaning", "remedy"),
    [
        ("400", "0620", "write 0400 (in JSON 256)"),
        ("440", "0670", "write 0440 (in JSON 288)"),
        ("444", "0674", "write 0444 (in JSON 292)"),
        ("500", "0764", "write 0500 (in JSON 320)"),
    ],
)
def test_modes_that_look_octal_and_are_not(mode: str, meaning: str, remedy: str) -> None:
    found = complaint(with_spec(f"volumes:\n- name: v\n  secret: {{secretName: s, defaultMode: @{mode}}}"))
    assert (found.code, found.remedy) == ("NR239", remedy)
    assert f"means {meaning}" in found.message


def test_the_same_number_in_another_form_is_meant() -> None:
    for written in ("0620", "0x190", "0o620"):
        assert faults(with_spec(f"volumes:\n- name: v\n  secret: {{secretName: s, defaultMode: {written}}}")) == []
