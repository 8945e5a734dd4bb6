"""Reserved names and paths, row by row: volumes, mounts and init containers, in each framework."""

# ruff: noqa: S108  # these are paths in containers

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.checks.reserved import clean_path
from tests import manifests
from tests.manifests import FRAMEWORKS, Json, complaints, manifest, with_spec

OURS = ("NR20", "NR401", "NR402", "NR403", "NR404")  # what else may be said of these runs is not looked at

ALL = {"torch", "mpi", "exec"}
MPI, TRAINER = {"mpi"}, {"torch", "exec"}
CONFIG = {"configMapRef": {"name": "files"}}


def reserved(run: Json) -> list[nr.Diagnostic]:
    return [found for found in nr.validate(run) if found.code.startswith(OURS)]


def faults(run: Json) -> list[tuple[str, str]]:
    return manifests.faults(run, *OURS)


def place(where: str, mount: Json) -> tuple[Json, str]:
    """Return the spec fields that hold a mount, in the workload or in an init container, and its field path."""
    if where == "workload":
        return {"volumeMounts": [{"name": "other", "mountPath": "/other"}, mount]}, "spec.volumeMounts[1]"
    containers = [{"name": "first"}, {"name": "stage", "volumeMounts": [mount]}]
    return {"initContainers": containers}, "spec.initContainers[1].volumeMounts[0]"


# Volume names


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("config", [{}, {"config": CONFIG}], ids=["no config", "config"])
@pytest.mark.parametrize(
    ("name", "taken", "owner"),
    [
        ("dshm", ALL, "the shared-memory volume"),
        ("config-volume", ALL, "spec.config"),
        ("mpi-ssh-auth", MPI, "the MPI SSH key"),
        ("kubeflow-trainer-token", TRAINER, "the Trainer status token"),
        # only on the launcher, which gets none of the user's volumes
        ("ssh-keys", set(), ""),
        ("mpi-hostfile", set(), ""),
        # matched exactly
        ("dshm2", set(), ""),
        ("my-config-volume", set(), ""),
        ("node", set(), ""),
    ],
)
def test_volume_names(name: str, taken: set[str], owner: str, config: Json, framework: str) -> None:
    volumes = [{"name": "scratch", "emptyDir": {}}, {"name": name, "emptyDir": {}}]
    report = reserved(manifest(FRAMEWORKS[framework], volumes=volumes, **config))
    expected = [("NR401", "spec.volumes[1].name")] if framework in taken else []
    assert [(found.code, found.field) for found in report] == expected
    assert all(found.message == f'"{name}" is taken by {owner}' for found in report)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_volume_without_a_name_takes_none(framework: str) -> None:
    assert faults(manifest(FRAMEWORKS[framework], volumes=[{"emptyDir": {}}])) == [("NR205", "spec.volumes[0]")]


# Mount paths


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("where", ["workload", "init container"])
@pytest.mark.parametrize(
    ("path", "taken"),
    [
        # exactly, whatever the spelling
        ("/dev/shm", ALL),
        ("/dev/shm/", ALL),
        ("//dev///shm", ALL),
        ("/dev/./shm/.", ALL),
        ("/dev/pts/../shm", ALL),
        ("/../dev/shm", ALL),
        ("dev/shm", ALL),
        ("/dev/shm/cache", set()),
        ("/dev/shmem", set()),
        ("/dev", set()),
        ("/", set()),
        ("/Dev/Shm", set()),
        # with everything below
        ("/tmp/mpi-ssh-raw", MPI),
        ("/tmp/mpi-ssh-raw/id_rsa", MPI),
        ("/tmp/mpi-ssh-raw2", set()),
        ("/root/.ssh", MPI),
        ("/root/.ssh/", MPI),
        ("/root/.ssh/a/b", MPI),
        ("/root//.ssh/./a/../b", MPI),
        ("/root/.sshx", set()),
        ("/root/.ssh/../data", set()),
        ("/root", set()),
        ("/var/run/secrets/kubeflow/trainer", TRAINER),
        ("/var/run/secrets/kubeflow/trainer/token", TRAINER),
        ("/var/run/secrets/kubeflow/trainers", set()),
        ("/var/run/secrets/kubeflow", set()),
    ],
)
def test_mount_paths(path: str, taken: set[str], where: str, framework: str) -> None:
    fields, base = place(where, {"name": "mine", "mountPath": path})
    report = reserved(manifest(FRAMEWORKS[framework], **fields))
    expected = [("NR402", f"{base}.mountPath")] if framework in taken else []
    assert [(found.code, found.field) for found in report] == expected
    assert all(found.message.startswith(f'"{path}" is taken by ') for found in report)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("where", ["workload", "init container"])
def test_the_config_path_is_taken_only_when_config_is_set(where: str, framework: str) -> None:
    for path, taken in (("/config", True), ("/config/", True), ("/config/mine", False), ("/configs", False)):
        fields, base = place(where, {"name": "mine", "mountPath": path})
        assert faults(manifest(FRAMEWORKS[framework], **fields)) == []
        for config in (CONFIG, {}, {"inline": {"a.sh": "x"}}):
            run = manifest(FRAMEWORKS[framework], config=config, **fields)
            assert faults(run) == ([("NR402", f"{base}.mountPath")] if taken else [])


@pytest.mark.parametrize(
    ("framework", "path", "owner"),
    [
        ("exec", "/dev/shm", "the shared-memory volume"),
        ("exec", "/config", "spec.config"),
        ("mpi", "/tmp/mpi-ssh-raw/x", "the MPI SSH key, with everything below /tmp/mpi-ssh-raw"),
        ("mpi", "/root/.ssh", "the MPI SSH key, with everything below /root/.ssh"),
        (
            "torch",
            "/var/run/secrets/kubeflow/trainer",
            "the Trainer status token, with everything below /var/run/secrets/kubeflow/trainer",
        ),
    ],
)
def test_the_message_names_the_owner(framework: str, path: str, owner: str) -> None:
    mounts = [{"name": "mine", "mountPath": path}]
    (found,) = reserved(manifest(FRAMEWORKS[framework], config=CONFIG, volumeMounts=mounts))
    assert found.message == f'"{path}" is taken by {owner}'


def test_a_sub_path_changes_nothing() -> None:
    mount = {"name": "mine", "mountPath": "/dev/shm", "subPath": "a", "readOnly": True}
    assert faults(manifest(volumeMounts=[mount])) == [("NR402", "spec.volumeMounts[0].mountPath")]


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("", "/"),
        ("/", "/"),
        ("a", "/a"),
        ("/a/", "/a"),
        ("//a//b//", "/a/b"),
        ("/a/./b", "/a/b"),
        ("/a/../b", "/b"),
        ("/../../a", "/a"),
        ("/a/..", "/"),
        ("/a/.../b", "/a/.../b"),
        ("/a b", "/a b"),
    ],
)
def test_a_path_is_cleaned_as_a_container_sees_it(path: str, clean: str) -> None:
    assert clean_path(path) == clean
    assert clean_path(clean) == clean


# Init containers, and mounts of the config volume


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_no_init_container_is_called_as_the_workload_container(framework: str) -> None:
    containers = [{"name": name} for name in ("nodes", "node", "launcher", "fix-ssh-permissions")]
    report = reserved(manifest(FRAMEWORKS[framework], initContainers=containers))
    assert [(found.code, found.field) for found in report] == [("NR403", "spec.initContainers[1].name")]
    assert [found.message for found in report] == ['"node" is taken by the workload container']


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("where", ["workload", "init container"])
def test_the_config_volume_can_be_mounted_elsewhere_only_when_config_creates_it(where: str, framework: str) -> None:
    fields, base = place(where, {"name": "config-volume", "mountPath": "/etc/settings"})
    assert faults(manifest(FRAMEWORKS[framework], **fields)) == [("NR404", f"{base}.name")]
    assert faults(manifest(FRAMEWORKS[framework], config={}, **fields)) == []


def test_every_offence_is_reported_at_once_where_it_stands() -> None:
    text = with_spec(
        """\
volumes:
- {name: @dshm, emptyDir: {}}
- {name: @config-volume, emptyDir: {}}
- {name: @mpi-ssh-auth, emptyDir: {}}
volumeMounts:
- {name: @config-volume, mountPath: @/root/.ssh/x}
- {name: a, mountPath: @/dev/shm}
initContainers:
- name: @node
  volumeMounts:
  - {name: a, mountPath: @/tmp/mpi-ssh-raw}
  - {name: @config-volume, mountPath: /etc/x}
""",
        "{mpi: {binary: /b, mpirunPath: /m}}",
    )
    codes = ["NR401", "NR401", "NR401", "NR404", "NR402", "NR402", "NR403", "NR402", "NR404"]
    assert [found.code for found in complaints(text, *OURS)] == codes


@pytest.mark.parametrize(
    "fields",
    [
        {"volumes": [{"name": "dshm", "emptyDir": {}}]},
        {"volumeMounts": [{"name": "a", "mountPath": "/dev/shm"}]},
        {"initContainers": [{"name": "node"}]},
        {"volumeMounts": [{"name": "config-volume", "mountPath": "/x"}]},
    ],
)
def test_a_render_refuses_the_same_way(fields: Any) -> None:
    with pytest.raises(nr.RenderError) as refusal:
        nr.render(manifest(**fields), gpu_arch="h100")
    assert set(reserved(manifest(**fields))) <= set(refusal.value.diagnostics)
    assert len(reserved(manifest(**fields))) == 1
