"""After resolution, on every platform: the environment obeys the documented precedence."""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import nvcre_render as nr
from nvcre_render import facts, fragments

# Names that defaults and platforms set, and two that nobody does.
NAMES = sorted(
    {
        entry["name"]
        for entries in fragments.load("_lib/env.yaml")["env"].values()
        for entry in entries
        if isinstance(entry, dict)
    }
)
NAMES += ["USER_ONLY", "LR"]

entries = st.lists(
    st.one_of(
        st.builds(
            lambda name, value: {"name": name, "value": value}, st.sampled_from(NAMES), st.sampled_from(["u", "0"])
        ),
        st.builds(
            lambda name: {"name": name, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            st.sampled_from(NAMES),
        ),
    ),
    max_size=6,
)
exports = st.lists(st.builds("{}=x".format, st.sampled_from(NAMES)), max_size=3)
targets = st.tuples(st.sampled_from(facts.platforms()), st.sampled_from(facts.architectures()))


def rendered(framework: dict[str, Any], env: list[dict[str, Any]], target: tuple[str, str]) -> Any:
    run = {
        "apiVersion": "nvcre.nvidia.com/v1alpha1",
        "kind": "WorkloadRun",
        "metadata": {"name": "r"},
        "spec": {"image": "a:1", "numNodes": 2, "framework": framework, "env": env},
    }
    return nr.render(run, platform=target[0], gpu_arch=target[1]).workflow["spec"]


def last(env: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in env}


def container(spec: Any, job: str) -> dict[str, dict[str, Any]]:
    (found,) = [
        each for each in spec["dependencies"][0]["spec"]["template"]["spec"]["replicatedJobs"] if each["name"] == job
    ]
    return last(found["template"]["spec"]["template"]["spec"]["containers"][0]["env"])


@given(entries, exports, targets)
@settings(max_examples=60, deadline=None)
def test_the_ranks_of_mpi(env: list[dict[str, Any]], exported: list[str], target: tuple[str, str]) -> None:
    mpi_args = [word for pair in exported for word in ("-x", pair)]
    spec = rendered({"mpi": {"binary": "/b", "mpirunPath": "/m", "mpiArgs": mpi_args}}, env, target)
    words = spec["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["args"]
    if len(words) == 1:  # wrapped by a platform's preCommand
        words = shlex.split(words[0].splitlines()[-1])
    pairs = [after for before, after in pairwise(words) if before == "-x"]
    own = {pair.partition("=")[0]: pair for pair in exported}
    for name, entry in last(env).items():
        given_to_ranks = [pair for pair in pairs if pair.partition("=")[0] == name]
        wanted = name if "valueFrom" in entry else f"{name}={entry['value']}"
        if name in own:
            # The user's own -x stands last, where mpirun lets it win.
            assert given_to_ranks[-1] == own[name]
        else:
            assert given_to_ranks[-1] == wanted
            assert container(spec, "launcher")[name] == entry
        assert container(spec, "node")[name] == entry
    for name, value in last(fragments.load("_lib/env.yaml")["env"]["base"]).items():
        if name not in last(env) and name not in own:
            assert any(pair.partition("=")[0] == name for pair in pairs), value


@given(entries, targets)
@settings(max_examples=60, deadline=None)
def test_the_containers_of_torch(env: list[dict[str, Any]], target: tuple[str, str]) -> None:
    spec = rendered({"torch": {"script": "/t.py"}}, env, target)
    trainer = spec["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]
    seen = {**container(spec, "node"), **last(trainer.get("env", []))}
    for name, entry in last(env).items():
        assert seen[name] == entry
