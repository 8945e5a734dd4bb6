"""Trainer releases: the form each understands, and what it has no place for."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.executor.releases import MANAGER, names, pruned, release, unknown
from tests.executors import built, ready

TAINTS = [{"operator": "Exists"}]
PRIVILEGED = {"privileged": True}
POD = {"tolerations": TAINTS, "nodeSelector": {"pool": "gpu"}}


def spec(target: str, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = built(ready(**fields), trainer_release=target).train_job["spec"]
    return made


def patched(pod: dict[str, Any], metadata: dict[str, Any] | None = None, manager: str = MANAGER) -> dict[str, Any]:
    template = {**({"metadata": metadata} if metadata else {}), **({"spec": pod} if pod else {})}
    jobs = [{"name": "node", "template": {"spec": {"template": template}}}]
    return {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}


def lost(target: str, **fields: Any) -> list[str]:
    findings = built(ready(**fields), trainer_release=target).diagnostics
    return [found.field for found in findings if found.code == "NR922"]


def test_the_releases_there_are() -> None:
    assert names() == ("2.0", "2.1", "2.2", "2.3")


def test_2_1_gets_what_nemo_run_writes() -> None:
    made = built(ready(**POD_SETTINGS), trainer_release="2.1")
    assert made.train_job == made.nemo_run


POD_SETTINGS: dict[str, Any] = {
    "tolerations": TAINTS,
    "pod_spec_overrides": {"nodeSelector": {"pool": "gpu"}},
    "pod_labels": {"a": "b"},
}


def test_2_0_has_the_fields_beside_the_target_and_no_metadata() -> None:
    made = spec("2.0", **POD_SETTINGS)
    assert made["podSpecOverrides"] == [{"targetJobs": [{"name": "node"}], **POD}]
    assert "podTemplateOverrides" not in made
    assert lost("2.0", **POD_SETTINGS) == ["pod_labels"]


@pytest.mark.parametrize("target", ["2.2", "2.3"])
def test_later_releases_have_runtime_patches(target: str) -> None:
    made = spec(target, **POD_SETTINGS)
    assert made["runtimePatches"] == [patched(POD, {"labels": {"a": "b"}})]
    assert list(made) == ["runtimeRef", "trainer", "runtimePatches"]
    assert lost(target, **POD_SETTINGS) == []


@pytest.mark.parametrize("target", ["2.0", "2.2", "2.3"])
def test_without_pod_settings_nothing_is_translated(target: str) -> None:
    made = built(ready(gpus_per_node=8), trainer_release=target)
    assert made.train_job == made.nemo_run
    assert made.diagnostics == ()


def test_an_entry_of_which_nothing_is_left_goes_with_it() -> None:
    assert "podSpecOverrides" not in spec("2.0", affinity={"nodeAffinity": {}})


def test_a_security_context_moves_from_the_trainer_into_a_patch() -> None:
    fields = {"container_kwargs": {"securityContext": PRIVILEGED, "args": ["a"]}}
    made = spec("2.3", **fields)
    assert made["runtimePatches"] == [patched({"containers": [{"name": "node", "securityContext": PRIVILEGED}]})]
    assert made["trainer"]["args"] == ["a"]
    assert "securityContext" not in made["trainer"]
    assert lost("2.3", **fields) == []
    assert lost("2.1", **fields) == ["container_kwargs.securityContext"]
    assert "securityContext" not in spec("2.0", **fields)["trainer"]


def test_moved_fields_join_the_container_that_is_there() -> None:
    mount, more = {"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}
    extra = {"container_kwargs": {"volumeMounts": [more], "securityContext": PRIVILEGED}}
    (patch,) = spec("2.2", volume_mounts=[mount], **extra)["runtimePatches"]
    container = {"name": "node", "volumeMounts": [mount, more], "securityContext": PRIVILEGED}
    assert patch == patched({"containers": [container]})
    (entry,) = spec("2.0", volume_mounts=[mount], **extra)["podSpecOverrides"]
    assert entry["containers"] == [{"name": "node", "volumeMounts": [mount, more]}]


def test_patches_of_the_users_own_stay_in_front() -> None:
    own = {"manager": "example.com/tool"}
    assert spec("2.3", tolerations=TAINTS, spec_kwargs={"runtimePatches": [own]})["runtimePatches"] == [
        own,
        patched({"tolerations": TAINTS}),
    ]
    taken = {"manager": MANAGER}
    found = spec("2.3", tolerations=TAINTS, spec_kwargs={"runtimePatches": [taken]})["runtimePatches"]
    assert found == [taken, patched({"tolerations": TAINTS}, manager=f"{MANAGER}-2")]


def test_overrides_of_the_users_own_are_translated_too() -> None:
    entry = {"targetJobs": [{"name": "a"}, {"name": "b"}], "spec": {"tolerations": TAINTS}}
    more = {"targetJobs": [{"name": "node"}], "metadata": {"labels": {"a": "b"}}}
    made = spec("2.2", spec_kwargs={"podTemplateOverrides": [entry, more]})
    first, second = made["runtimePatches"]
    jobs = first["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    pod = {"spec": {"tolerations": TAINTS}}
    assert jobs == [{"name": name, "template": {"spec": {"template": pod}}} for name in ("a", "b")]
    assert (first["manager"], second["manager"]) == (MANAGER, f"{MANAGER}-2")


@pytest.mark.parametrize(
    ("fields", "releases"),
    [
        ({"pod_spec_overrides": {"resourceClaims": [{"name": "imex"}]}}, "2.0 2.1 2.2 2.3"),
        ({"pod_spec_overrides": {"hostIPC": True}}, "2.0 2.1 2.2 2.3"),
        ({"pod_spec_overrides": {"securityContext": {"fsGroup": 1}}}, "2.0 2.1"),
        ({"pod_spec_overrides": {"terminationGracePeriodSeconds": 5}}, "2.0 2.1 2.2"),
        ({"pod_spec_overrides": {"containers": [{"name": "node", "securityContext": {}}]}}, "2.0 2.1"),
        ({"pod_spec_overrides": {"containers": [{"name": "node", "ports": []}]}}, "2.0 2.1 2.2 2.3"),
        ({"affinity": {"nodeAffinity": {}}}, "2.0"),
        ({"image_pull_secrets": ["login"]}, "2.0"),
        ({"pod_annotations": {"a": "b"}}, "2.0"),
        ({"container_kwargs": {"workingDir": "/opt"}}, "2.0 2.1 2.2 2.3"),
        ({"spec_kwargs": {"labels": {"a": "b"}}}, "2.2 2.3"),
        ({"spec_kwargs": {"activeDeadlineSeconds": 60}}, "2.0 2.1"),
        ({"spec_kwargs": {"runtimePatches": [{"manager": "a.example/b"}]}}, "2.0 2.1"),
        ({"tolerations": TAINTS, "spec_kwargs": {"suspend": True}}, ""),
        ({"pod_spec_overrides": {"hostIPC": None}}, ""),
    ],
)
def test_where_a_field_has_no_place(fields: dict[str, Any], releases: str) -> None:
    assert [target for target in names() if lost(target, **fields)] == releases.split()


def test_a_field_without_place_is_kept_for_2_1_and_left_out_of_translations() -> None:
    fields = {"pod_spec_overrides": {"hostIPC": True, "nodeSelector": {"a": "b"}}}
    assert spec("2.1", **fields)["podTemplateOverrides"][0]["spec"]["hostIPC"] is True
    assert spec("2.3", **fields)["runtimePatches"] == [patched({"nodeSelector": {"a": "b"}})]


def test_shapes() -> None:
    shape: dict[str, Any] = {"a": {"b": None}, "c": [{"d": None}]}
    value = {"a": {"b": {"x": 1}, "y": 2}, "c": [{"d": 3}, {"z": 4, "n": None}], "w": None}
    assert list(unknown(value, shape)) == [("a", "y"), ("c", 1, "z")]
    assert pruned(value, shape) == {"a": {"b": {"x": 1}}, "c": [{"d": 3}, {}]}
    assert list(unknown({"anything": [1]}, None)) == []
    assert release("2.3").pod_field == "runtimePatches"
