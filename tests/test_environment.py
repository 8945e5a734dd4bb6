"""The environment: defaults, spec.env and platform values, in every place they meet."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.lower.environment import forward, forwarded_names, merge, operand, prefer
from tests.manifests import EXEC, FRAMEWORKS, MPI, Json, manifest, pods, render, train_job, workload

DEFAULTS = [
    ("NCCL_DEBUG", "INFO"),
    ("NCCL_NVLS_ENABLE", "1"),
    ("NCCL_CUMEM_ENABLE", "1"),
    ("NCCL_NET_GDR_C2C", "1"),
    ("NCCL_NET_GDR_LEVEL", "PHB"),
    ("NCCL_P2P_NET_CHUNKSIZE", "2097152"),
    ("NCCL_SHM_DISABLE", "1"),
    ("NCCL_MNNVL_ENABLE", "0"),
    ("NCCL_SOCKET_IFNAME", "eth0"),
]
SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


def entries(*pairs: tuple[str, str]) -> list[Any]:
    return [{"name": name, "value": value} for name, value in pairs]


# The list every workload container gets


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("platform", [None, "aws", "onprem"])
def test_the_defaults_are_the_same_everywhere(framework: str, platform: str | None) -> None:
    workflow = render(FRAMEWORKS[framework], platform=platform)
    assert [workload(pod)["env"] for pod in pods(workflow).values()] == [entries(*DEFAULTS)] * len(pods(workflow))
    assert set(pods(workflow)) == ({"node", "launcher"} if framework == "mpi" else {"node"})


@pytest.mark.parametrize(
    ("arch", "fields", "expected"),
    [
        ("h100", {}, "0"),
        ("gb200", {}, "1"),
        ("gb300", {}, "1"),
        ("h100", {"enableMNNVL": True}, "1"),
        ("gb300", {"enableMNNVL": False}, "0"),
    ],
)
def test_mnnvl_follows_architecture_and_field(arch: str, fields: Json, expected: str) -> None:
    for pod in pods(render(MPI, arch, **fields)).values():
        assert {"name": "NCCL_MNNVL_ENABLE", "value": expected} in workload(pod)["env"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_user_entry_replaces_the_default_and_stands_in_the_users_order(framework: str) -> None:
    user = [
        {"name": "FIRST", "value": "a"},
        {"name": "NCCL_SHM_DISABLE", "value": "0"},
        {"name": "TOKEN", "valueFrom": SECRET},
        {"name": "NCCL_DEBUG", "valueFrom": SECRET},
        {"name": "FIRST", "value": "b"},
    ]
    rest = [pair for pair in DEFAULTS if pair[0] not in ("NCCL_SHM_DISABLE", "NCCL_DEBUG")]
    for pod in pods(render(FRAMEWORKS[framework], env=user)).values():
        assert workload(pod)["env"] == entries(*rest) + user


def test_an_empty_value_is_a_name_alone() -> None:
    env = workload(pods(render(env=[{"name": "EMPTY", "value": ""}]))["node"])["env"]
    assert env[-1] == {"name": "EMPTY"}


def test_init_containers_get_no_environment() -> None:
    (stage,) = pods(render(initContainers=[{"name": "stage", "image": "a"}], env=entries(("A", "1"))))["node"][
        "initContainers"
    ]
    assert "env" not in stage


def test_merge() -> None:
    defaults = entries(("A", "1"), ("B", "2"), ("C", "3"))
    assert merge(defaults, []) == defaults
    assert merge(defaults, entries(("B", "x"))) == entries(("A", "1"), ("C", "3"), ("B", "x"))
    assert merge(defaults, entries(("D", "x"), ("A", "y"))) == entries(("B", "2"), ("C", "3"), ("D", "x"), ("A", "y"))
    assert merge([], entries(("D", "1"), ("D", "2"))) == entries(("D", "1"), ("D", "2"))
    assert defaults == entries(("A", "1"), ("B", "2"), ("C", "3"))


# Handing it to the ranks


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"name": "A", "value": "1"}, "A=1"),
        ({"name": "A", "value": ""}, "A="),
        ({"name": "A"}, "A="),
        ({"name": "A", "value": "x=y z"}, "A=x=y z"),
        ({"name": "A", "valueFrom": SECRET}, "A"),
    ],
)
def test_what_follows_the_option(entry: Any, text: str) -> None:
    assert operand(entry) == text


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], set()),
        (["-x", "A=1"], {"A"}),
        (["-x", "A"], {"A"}),
        (["-x", "A=1=2", "--tag-output", "-x", "B="], {"A", "B"}),
        (["--mca", "btl", "tcp,self", "-x", "A"], {"A"}),
        # not recognised: no option of its own, no next element
        (["-xA=1"], set()),
        (["--x", "A=1"], set()),
        (["-x"], set()),
        (["A=1", "-x"], set()),
    ],
)
def test_names_that_are_forwarded_already(arguments: list[str], names: set[str]) -> None:
    assert forwarded_names(arguments) == names


def test_forward_skips_what_the_arguments_forward() -> None:
    env: list[Any] = [*entries(("A", "1"), ("B", "2"), ("A", "3")), {"name": "C", "valueFrom": SECRET}]
    assert forward(env, []) == ["-x", "A=1", "-x", "B=2", "-x", "A=3", "-x", "C"]
    assert forward(env, ["-x", "A=9"]) == ["-x", "B=2", "-x", "C"]
    assert forward(env, ["-x", "C=9", "-xA=9"]) == ["-x", "A=1", "-x", "B=2", "-x", "A=3"]
    assert forward([], ["-x", "A=9"]) == []


# Inside platform blocks the user's value stands in place


def container_patch(**container: Any) -> Json:
    pod = {"containers": [{"name": "node", **container}], "initContainers": [{"name": "i", "env": entries(("A", "1"))}]}
    job = {"name": "node", "template": {"spec": {"template": {"spec": pod}}}}
    return {"kind": "TrainingRuntime", "spec": {"template": {"spec": {"replicatedJobs": [job]}}}}


def env_of(patch: Json) -> Any:
    (job,) = patch["spec"]["template"]["spec"]["replicatedJobs"]
    return job["template"]["spec"]["template"]["spec"]["containers"][0].get("env")


def trainer_patch(env: list[Any]) -> Json:
    return {"spec": {"workload": {"trainJob": {"trainer": {"env": env}}}}}


def test_the_three_places_of_a_block() -> None:
    block = {
        "id": "b",
        "when": {},
        "mpiArgs": ["-x", "A=1", "-x", "B=2", "A=1", "--x", "A=1"],
        "jobTemplate": trainer_patch(entries(("B", "2"), ("A", "1"))),
        "dependencies": [container_patch(env=entries(("A", "1"), ("C", "3")))],
    }
    before = copy.deepcopy(block)
    result = prefer([{"name": "A", "value": "mine"}, {"name": "NEW", "value": "x"}], block)
    assert result == {
        "id": "b",
        "when": {},
        "mpiArgs": ["-x", "A=mine", "-x", "B=2", "A=1", "--x", "A=1"],
        "jobTemplate": trainer_patch(entries(("B", "2"), ("A", "mine"))),
        "dependencies": [container_patch(env=entries(("A", "mine"), ("C", "3")))],
    }
    assert block == before


def test_the_whole_entry_is_replaced_and_the_last_of_the_users_wins() -> None:
    reference = {"name": "A", "valueFrom": SECRET}
    block = {"mpiArgs": ["-x", "A=1"], "dependencies": [container_patch(env=entries(("A", "1")))]}
    result = prefer([{"name": "A", "value": "first"}, reference], block)  # type: ignore[list-item]
    assert result["mpiArgs"] == ["-x", "A"]
    assert env_of(result["dependencies"][0]) == [reference]
    result = prefer([reference, {"name": "A", "value": "last"}], block)  # type: ignore[list-item]
    assert result["mpiArgs"] == ["-x", "A=last"]
    assert env_of(result["dependencies"][0]) == entries(("A", "last"))


@pytest.mark.parametrize(
    "block",
    [
        {"when": {"platform": {"equals": "A"}}},
        {"dependencies": [{"kind": "ConfigMap", "spec": container_patch(env=entries(("A", "1")))["spec"]}]},
        {"dependencies": [{"kind": "TrainingRuntime", "spec": {}}]},
        {"dependencies": [container_patch()]},
        {"jobTemplate": {"spec": {"env": entries(("A", "1"))}}},
        {"preCommand": ["A=1"]},
        {"orchestration": {"topology": {"topologyKey": "A"}}},
    ],
)
def test_nothing_else_of_a_block_is_touched(block: Json) -> None:
    assert prefer([{"name": "A", "value": "mine"}], block) == block


def test_without_user_entries_a_block_stays_as_it_is() -> None:
    block = {"mpiArgs": ["-x", "A=1"], "jobTemplate": trainer_patch(entries(("A", "1")))}
    assert prefer([], block) == block


# The same through a render


def test_listed_platform_blocks_carry_the_users_values() -> None:
    user = [{"name": "NCCL_IB_DISABLE", "value": "0"}, {"name": "MINE", "value": "1"}]
    own = {"when": {}, "jobTemplate": trainer_patch(entries(("NCCL_IB_DISABLE", "theirs")))}
    overrides = render(EXEC, env=user, overrides=[own])["spec"]["overrides"]
    (block,) = [each for each in overrides if each["when"].get("gpuArchitecture") == {"equals": "rtxpro6000"}]
    env = block["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["env"]
    assert {"name": "NCCL_IB_DISABLE", "value": "0"} in env
    assert [entry["name"] for entry in env] == [
        *("NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_NET_PLUGIN", "NCCL_SOCKET_IFNAME", "NCCL_P2P_LEVEL"),
    ]
    # what the user wrote as an override is left as it was written
    assert overrides[-1] == own


def test_the_trainer_has_no_environment_of_its_own() -> None:
    for framework in FRAMEWORKS.values():
        assert "env" not in train_job(render(framework, env=entries(("A", "1"))))["trainer"]


def test_the_manifest_is_not_changed() -> None:
    run = manifest(MPI, env=[{"name": "NCCL_DEBUG", "value": "WARN"}, {"name": "NCCL_DEBUG", "valueFrom": SECRET}])
    before = copy.deepcopy(run)
    nr.render(run, gpu_arch="gb300", platform="aws", overrides="listed")
    assert run == before
