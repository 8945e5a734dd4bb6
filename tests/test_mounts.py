"""Mounts: the volumes they name and the paths they take, in the workload and in init containers."""

from __future__ import annotations

import pytest

from tests.manifests import EXEC, FRAMEWORKS, MPI, TORCH, Json, complaint, faults, manifest, with_spec

DATA: Json = {"name": "data", "emptyDir": {}}


def stage(*mounts: Json) -> list[Json]:
    return [{"name": "stage", "image": "fetch:2", "volumeMounts": list(mounts)}]


def mount(name: str = "data", path: str = "/data") -> Json:
    return {"name": name, "mountPath": path}


def test_a_declared_volume_may_be_mounted_anywhere() -> None:
    fields: Json = {"volumes": [DATA], "volumeMounts": [mount()], "initContainers": stage(mount())}
    assert faults(manifest(**fields)) == []


def test_an_undeclared_volume_gets_the_near_name() -> None:
    found = complaint(
        with_spec("volumes: [{name: datasets, emptyDir: {}}]\nvolumeMounts:\n- {name: @dataset, mountPath: /d}")
    )
    assert (found.code, found.remedy) == ("NR235", 'did you mean "datasets"?')


def test_init_containers_are_checked_too() -> None:
    assert faults(manifest(initContainers=stage(mount()))) == [("NR235", "spec.initContainers[0].volumeMounts[0].name")]


@pytest.mark.parametrize(
    ("volume", "frameworks"),
    [("dshm", [TORCH, MPI, EXEC]), ("mpi-ssh-auth", [MPI]), ("kubeflow-trainer-token", [TORCH, EXEC])],
)
def test_volumes_that_are_always_there_may_be_mounted(volume: str, frameworks: list[Json]) -> None:
    for framework in FRAMEWORKS.values():
        codes = [code for code, _ in faults(manifest(framework, volumeMounts=[mount(volume, "/elsewhere")]))]
        assert codes == ([] if framework in frameworks else ["NR235"])


def test_the_config_volume_has_a_rule_of_its_own() -> None:
    assert faults(manifest(volumeMounts=[mount("config-volume", "/etc/x")])) == [("NR404", "spec.volumeMounts[0].name")]


def test_a_volume_that_an_override_or_a_platform_adds_is_known() -> None:
    patch = {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": {"volumes": [DATA]}}}}}]}
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "run-runtime"},
        "spec": {"template": {"spec": patch}},
    }
    overrides = [{"when": {"platform": {"equals": "aws"}}, "dependencies": [runtime]}]
    assert faults(manifest(volumeMounts=[mount()], overrides=overrides)) == []


def test_one_volume_at_two_paths_is_right() -> None:
    mounts = [mount(path="/a"), mount(path="/a/b"), mount(path="/ab")]
    assert faults(manifest(volumes=[DATA], volumeMounts=mounts)) == []


def test_two_mounts_at_one_path_show_each_other() -> None:
    lines = (
        "volumes: [{name: data, emptyDir: {}}]\nvolumeMounts:\n"
        "- {name: data, mountPath: /a}\n- {name: data, mountPath: @/a}"
    )
    found = complaint(with_spec(lines))
    assert found.code == "NR236"
    ((other, _),) = found.related
    assert other.line == 10


@pytest.mark.parametrize("path", ["/a/", "//a", "/a/.", "/b/../a"])
def test_one_place_written_in_two_ways_hides_a_mount(path: str) -> None:
    mounts = [mount(path="/a"), mount(path=path)]
    assert faults(manifest(volumes=[DATA], volumeMounts=mounts)) == [("NR237", "spec.volumeMounts[1].mountPath")]


def test_containers_do_not_share_their_paths() -> None:
    fields: Json = {"volumes": [DATA], "volumeMounts": [mount()], "initContainers": [*stage(mount()), *stage(mount())]}
    fields["initContainers"][1]["name"] = "second"
    assert faults(manifest(**fields)) == []


def test_a_mount_without_a_path_or_name_is_one_finding() -> None:
    assert faults(manifest(volumes=[DATA], volumeMounts=[{"name": "data"}])) == [("NR205", "spec.volumeMounts[0]")]
    assert faults(manifest(volumeMounts=[{"mountPath": "/a"}])) == [("NR205", "spec.volumeMounts[0]")]
