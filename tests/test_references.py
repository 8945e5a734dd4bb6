"""Pull secrets, the ConfigMap a run refers to, and the files of its own."""

from __future__ import annotations

import pytest

from tests.manifests import Json, complaint, faults, manifest, with_spec


@pytest.mark.parametrize("secrets", [[], [{"name": "a"}], [{"name": "a.b-c"}, {"name": "a.b-c"}]])
def test_pull_secrets(secrets: list[Json]) -> None:
    assert faults(manifest(imagePullSecrets=secrets)) == []


@pytest.mark.parametrize("secret", [{}, {"name": ""}, {"name": None}])
def test_a_pull_secret_without_a_name(secret: Json) -> None:
    assert faults(manifest(imagePullSecrets=[secret])) == [("NR281", "spec.imagePullSecrets[0]")]


def test_a_pull_secret_that_cannot_exist() -> None:
    assert faults(manifest(imagePullSecrets=[{"name": "A"}])) == [("NR282", "spec.imagePullSecrets[0].name")]


def test_a_wrong_pull_secret_is_one_finding() -> None:
    assert faults(manifest(imagePullSecrets=["a"])) == [("NR202", "spec.imagePullSecrets[0]")]
    assert faults(manifest(imagePullSecrets=[{"secret": "a"}])) in (
        [("NR281", "spec.imagePullSecrets[0]"), ("NR201", "spec.imagePullSecrets[0].secret")],
        [("NR201", "spec.imagePullSecrets[0].secret"), ("NR281", "spec.imagePullSecrets[0]")],
    )


@pytest.mark.parametrize("config", [{"inline": {"run.sh": ""}}, {"configMapRef": {"name": "a.b"}}])
def test_configs(config: Json) -> None:
    assert faults(manifest(config=config)) == []


@pytest.mark.parametrize("config", [{}, {"inline": {}}, {"inline": None}, {"configMapRef": None}])
def test_a_config_that_nothing_makes(config: Json) -> None:
    assert faults(manifest(config=config)) == [("NR284", "spec.config")]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"configMapRef": {"name": "My_Files"}}, ["NR282"]),
        ({"configMapRef": {"name": ""}}, ["NR282"]),
        ({"configMapRef": {}}, ["NR284", "NR282"]),
    ],
)
def test_a_config_map_that_cannot_exist(config: Json, expected: list[str]) -> None:
    assert sorted(code for code, _ in faults(manifest(config=config))) == sorted(expected)


@pytest.mark.parametrize("name", ["run.sh", "A_b-c.1", ".hidden", "a" * 253])
def test_file_names(name: str) -> None:
    assert faults(manifest(config={"inline": {name: "x"}})) == []


@pytest.mark.parametrize("name", ["a/b", "a b", ".", "..", "..a", "", "a" * 254, "\u00e9"])
def test_file_names_that_a_config_map_does_not_take(name: str) -> None:
    assert [code for code, _ in faults(manifest(config={"inline": {name: "x"}}))] == ["NR283"]


def test_a_file_name_is_shown_where_it_stands() -> None:
    found = complaint(with_spec("config:\n  inline:\n    run.sh: x\n    @bin/run.sh: x"))
    assert found.code == "NR283"


def test_wrong_types_are_one_finding() -> None:
    assert faults(manifest(config="files")) == [("NR202", "spec.config")]
    assert faults(manifest(config={"configMapRef": "files"})) == [("NR202", "spec.config.configMapRef")]
