"""Who decides a variable, for any defaults, platform and user: in the containers, and at the ranks of mpirun.

At the ranks the order is, weakest first: default, platform, spec.env, a -x of the user's own mpirun arguments.
"""

from __future__ import annotations

import copy
import shlex
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import nvcre_render as nr
from nvcre_render.lower.environment import forward, merge
from tests.manifests import EXEC, MPI, TORCH, Json, manifest, pods, train_job, workload

DEFAULTS = {
    "NCCL_DEBUG": "INFO",
    "NCCL_NVLS_ENABLE": "1",
    "NCCL_CUMEM_ENABLE": "1",
    "NCCL_NET_GDR_C2C": "1",
    "NCCL_NET_GDR_LEVEL": "PHB",
    "NCCL_P2P_NET_CHUNKSIZE": "2097152",
    "NCCL_SHM_DISABLE": "1",
    "NCCL_MNNVL_ENABLE": "0",
    "NCCL_SOCKET_IFNAME": "eth0",
}
EFA = {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1", "FI_EFA_FORK_SAFE": "1"}
ROCE = {
    "NCCL_NET_PLUGIN": "none",
    "NCCL_DEBUG_SUBSYS": "NET,INIT",
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_IB_GID_INDEX": "3",
    "NCCL_NVLS_ENABLE": "1",
    "NCCL_CUMEM_ENABLE": "1",
    "NCCL_NET_GDR_C2C": "1",
}
TCP = {
    "NCCL_DEBUG": "INFO",
    "NCCL_IB_DISABLE": "1",
    "NCCL_NET_PLUGIN": "none",
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_P2P_LEVEL": "SYS",
}
# What the platforms hand to mpirun, by what they are asked for.
PLATFORMS: dict[tuple[str | None, str], dict[str, str]] = {
    (None, "h100"): {},
    ("aws", "h100"): EFA,
    ("aws", "gb300"): ROCE,
    ("gcp", "rtxpro6000"): TCP,
    ("gcp", "h100"): {},
    ("oci", "gb300"): {},
}

Target = tuple[str | None, str]

NAMES = ["NCCL_DEBUG", "NCCL_NVLS_ENABLE", "NCCL_SOCKET_IFNAME", "NCCL_NET_PLUGIN", "FI_PROVIDER", "A", "B"]
names = st.sampled_from(NAMES)
values = st.text("abc1= ", max_size=4)
targets = st.sampled_from(list(PLATFORMS))


def reference(key: str) -> Json:
    return {"configMapKeyRef": {"name": "settings", "key": key}}


entries = st.one_of(
    st.builds(lambda name, value: {"name": name, "value": value}, names, values),
    st.builds(lambda name: {"name": name}, names),
    st.builds(lambda name, key: {"name": name, "valueFrom": reference(key)}, names, st.sampled_from("kl")),
)
environments = st.lists(entries, max_size=5)
options = st.one_of(
    st.builds(lambda name, value: ["-x", f"{name}={value}"], names, values),
    st.builds(lambda name: ["-x", name], names),
    # these forward nothing: not an option of its own, another option, no option at all
    st.builds(lambda name: [f"-x{name}=z"], names),
    st.builds(lambda name: ["--x", f"{name}=z"], names),
    st.builds(lambda name: [f"{name}=z"], names),
    st.just(["--tag-output"]),
    st.just(["--mca", "btl", "tcp,self"]),
)
mpi_arguments = st.lists(options, max_size=4).map(lambda parts: [word for part in parts for word in part])


def render(run: Json, target: Target) -> Json:
    platform, arch = target
    workflow: Any = nr.render(run, platform=platform, gpu_arch=arch, overrides="listed").workflow
    return dict(workflow)


def mpirun(workflow: Json) -> list[str]:
    """Return mpirun's own arguments, up to the binary."""
    trainer = train_job(workflow)["trainer"]
    words = trainer["command"] + trainer["args"]
    if words[0] == "/bin/bash":  # lines run first, and the last one becomes mpirun
        words = shlex.split(words[2].splitlines()[-1])[1:]
    assert words[:2] == ["timeout", "3600"]
    return list(words[3 : words.index(MPI["mpi"]["binary"])])


def content(entry: Json) -> Any:
    """Return what a container sees of an entry: its text, or where it comes from."""
    return entry.get("valueFrom") or entry.get("value", "")


def seen(env: list[Any]) -> dict[str, Any]:
    """Return the environment of a container: of entries with one name the last one counts."""
    return {entry["name"]: content(entry) for entry in env}


def at_ranks(arguments: list[str], launcher: dict[str, Any]) -> dict[str, Any]:
    """Do as mpirun does: -x NAME=value sets, -x NAME takes the launcher's own, and a later one wins."""
    ranks: dict[str, Any] = {}
    for option, word in pairwise(arguments):
        if option == "-x":
            name, equals, value = word.partition("=")
            if equals:
                ranks[name] = value
            elif name in launcher:
                ranks[name] = launcher[name]
    return ranks


@given(environments, mpi_arguments, targets)
@settings(deadline=None, max_examples=50)
def test_containers_see_the_user_over_the_defaults(env: list[Json], own: list[str], target: Target) -> None:
    workflow = render(manifest({"mpi": {**MPI["mpi"], "mpiArgs": own}}, env=env), target)
    mnnvl = {"NCCL_MNNVL_ENABLE": "1"} if target[1] == "gb300" else {}
    for pod in pods(workflow).values():
        assert seen(workload(pod)["env"]) == {**DEFAULTS, **mnnvl, **seen(env)}


@given(environments, mpi_arguments, targets)
@settings(deadline=None)
def test_ranks_see_default_then_platform_then_user_then_the_users_option(
    env: list[Json], own: list[str], target: Target
) -> None:
    workflow = render(manifest({"mpi": {**MPI["mpi"], "mpiArgs": own}}, env=env), target)
    mnnvl = {"NCCL_MNNVL_ENABLE": "1"} if target[1] == "gb300" else {}
    launcher = {**DEFAULTS, **mnnvl, **seen(env)}
    expected = {**DEFAULTS, **mnnvl, **PLATFORMS[target], **seen(env), **at_ranks(own, launcher)}
    assert at_ranks(mpirun(workflow), seen(workload(pods(workflow)["launcher"])["env"])) == expected


@given(environments, mpi_arguments, st.lists(values.filter(bool), max_size=3), targets)
@settings(deadline=None, max_examples=50)
def test_nothing_the_user_wrote_is_lost_or_reordered(
    env: list[Json], own: list[str], args: list[str], target: Target
) -> None:
    workflow = render(manifest({"mpi": {**MPI["mpi"], "mpiArgs": own, "args": args}}, env=env), target)
    written = [{key: value for key, value in entry.items() if value != ""} for entry in env]
    for pod in pods(workflow).values():
        listed = workload(pod)["env"]
        assert listed[len(listed) - len(env) :] == written
    arguments = mpirun(workflow)
    assert arguments[len(arguments) - len(own) :] == own
    trainer = train_job(workflow)["trainer"]
    if trainer["command"][0] == "timeout":
        assert trainer["args"][len(trainer["args"]) - len(args) - 1 :] == [MPI["mpi"]["binary"], *args]


@given(st.lists(entries, max_size=6), environments, mpi_arguments)
def test_merging_and_forwarding_any_lists(defaults: list[Any], user: list[Any], own: list[str]) -> None:
    before = copy.deepcopy((defaults, user, own))
    merged = merge(defaults, user)
    assert seen(merged) == {**seen(defaults), **seen(user)}
    assert len(merged) <= len(defaults) + len(user)
    launcher = seen(merged)
    ranks = at_ranks([*forward(merged, own), *own], launcher)
    assert ranks == {**launcher, **at_ranks(own, launcher)}
    # an argument the user gives is not given a second time
    own_names = {word.partition("=")[0] for option, word in pairwise(own) if option == "-x"}
    assert not own_names & {word.partition("=")[0] for word in forward(merged, own)[1::2]}
    assert (defaults, user, own) == before


# The whole render


runs = st.builds(
    lambda framework, env, labels, files, selector, requests: manifest(
        framework,
        env=env,
        workloadMetadata={"labels": labels},
        config={"inline": files},
        target={"nodeSelector": selector},
        resources={"requests": requests, "limits": requests},
        volumes=[{"name": "data", "hostPath": {"path": "/data"}}],
        volumeMounts=[{"name": "data", "mountPath": "/data", "readOnly": True}],
        overrides=[{"when": {"platform": {"in": ["aws", "gcp"]}}, "orchestration": {"iterations": 2}}],
    ),
    st.sampled_from([TORCH, MPI, EXEC]),
    environments,
    st.dictionaries(st.sampled_from(["a", "b", "z.example.com/c", "team-10", "team-9"]), st.sampled_from(["", "v"])),
    st.dictionaries(st.sampled_from(["a.sh", "b10", "b9", "Z"]), st.text("xy\n: ", max_size=6)),
    st.dictionaries(st.sampled_from(["zone", "a", "rack.example.com/id"]), st.sampled_from(["1", "no", "x"])),
    st.fixed_dictionaries(
        {},
        optional={
            "rdma/ib": st.sampled_from([1, "2"]),
            "memory": st.sampled_from(["1024Mi", "2G"]),
            "cpu": st.sampled_from([1, 0.5]),
        },
    ),
)


def shuffled(value: Any, random: Random) -> Any:
    """Return the same data with the keys of every mapping in another order."""
    if isinstance(value, list):
        return [shuffled(item, random) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    random.shuffle(keys)
    return {key: shuffled(value[key], random) for key in keys}


def both_forms(run: Json, target: Target) -> tuple[str, str]:
    rendered = nr.render(run, platform=target[0], gpu_arch=target[1], overrides="listed")
    return rendered.to_yaml(), rendered.to_json()


@given(runs, targets, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_the_order_of_keys_changes_no_byte(run: Json, target: Target, random: Random) -> None:
    assert both_forms(shuffled(run, random), target) == both_forms(run, target)


@given(runs, targets)
@settings(deadline=None, max_examples=40)
def test_the_input_is_not_changed(run: Json, target: Target) -> None:
    before = copy.deepcopy(run)
    first = both_forms(run, target)
    assert run == before
    assert both_forms(run, target) == first


@given(st.lists(st.tuples(runs, targets), min_size=8, max_size=8))
@settings(deadline=None, max_examples=8)
def test_eight_threads_render_the_same_bytes(jobs: list[tuple[Json, Target]]) -> None:
    alone = [both_forms(*job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(both_forms, *zip(*jobs, strict=True))) == alone
