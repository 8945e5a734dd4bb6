"""From a Workflow and nodes to a plan, and the order in which it can fail."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.planning import planner
from nvcre_render.planning.fleet import Fleet
from tests.plans import H100, PRODUCT, Json, config, fleet, node, planned, racked, runtime, workflow
from tests.test_plan_slices import device, resource_slice

CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "run-claim"}}
CHECKPOINT = {"checkpoint": {"pvcName": "run-claim"}}
KAI = {"gangScheduler": {"schedulerName": "kai"}}


def reason(refusal: nr.RenderError) -> str:
    return refusal.diagnostics[0].rule.name


# Each step of the order with what makes it fail, to be put on top of what makes the later ones fail.
STEPS: list[tuple[str, Json]] = [
    ("missing-checkpoint-claim", {"job": CHECKPOINT}),
    ("no-target-node", {"target": {"nodeNames": ["ghost"]}}),
    ("heterogeneous-platforms", {"nodes": [node("a"), node("b", spec={"providerID": "aws://x"})]}),
    ("unpinned-diagnose", {"placement": "Unpinned", "diagnose": {}}),
    ("no-node-with-enough-gpus", {"nodes": [node("a", gpus="4"), node("b", gpus="1")]}),
    ("runtime-without-queue", {"spec": KAI}),
    ("no-job-size", {"size": None}),
    ("job-larger-than-fleet", {"size": 9}),
    ("unpartitionable-nodes", {"topology": {"topologyKey": "rack"}, "size": 1}),
]


@pytest.mark.parametrize("index", range(len(STEPS)), ids=[name for name, _ in STEPS])
def test_the_first_failure_wins(index: int) -> None:
    given: dict[str, Any] = {"size": 2, "nodes": fleet("a", "b")}
    for _, fields in reversed(STEPS[index:]):
        given.update(fields)
    with pytest.raises(nr.RenderError) as refusal:
        planned(**given)
    assert reason(refusal.value) == STEPS[index][0]


@pytest.mark.parametrize(
    "dependencies", [[runtime()], [runtime(), {**CLAIM, "kind": "ConfigMap"}], [runtime(), {**CLAIM, "metadata": {}}]]
)
def test_the_checkpoint_s_claim_must_be_a_dependency(dependencies: list[Json]) -> None:
    with pytest.raises(nr.RenderError, match=r'CheckpointPVCMissing.*"run-claim"'):
        planned(dependencies=dependencies, job=CHECKPOINT)
    made = planned(dependencies=[*dependencies, CLAIM], job=CHECKPOINT)
    assert [each["kind"] for each in made.dependencies["group-0"]].count("PersistentVolumeClaim") == 1


def test_a_plan_tells_what_became_of_every_node() -> None:
    nodes = [
        *fleet("h1", "h2"),
        node("gb", product="NVIDIA-GB200"),
        node("off", spec={"unschedulable": True}),
        node("small", gpus="4"),
    ]
    made = planned(2, nodes)
    assert (made.eligible, made.excluded) == (("h1", "h2"), ("off", "gb", "small"))
    assert (made.gpus_per_node, made.fleet.products) == (8, (H100,))
    assert [group.to_data() for group in made.groups] == [{"name": "group-0", "nodes": ["h1", "h2"]}]


def test_products_are_those_of_nodes_that_turn_out_too_small_as_well() -> None:
    made = planned(1, [node("a"), node("b", product="NVIDIA-H100-NVL", gpus="4")])
    assert made.fleet.products == ("NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-NVL")


def test_a_size_below_one_takes_all() -> None:
    made = planned(0)
    assert (made.nodes_per_job, [group.nodes for group in made.groups]) == (4, [("a", "b", "c", "d")])
    assert made.jobs[0]["spec"]["workload"]["trainJob"]["trainer"]["numNodes"] == 4


def test_unpinned_is_one_group_without_nodes() -> None:
    made = planned(3, placement="Unpinned", topology={"topologyKey": "rack"})
    assert [group.to_data() for group in made.groups] == [{"name": "group-0", "nodes": []}]
    assert (made.first_wave, made.unexercised) == (("group-0",), 1)


def test_the_topology_cuts() -> None:
    made = planned(2, racked(r1="a b c", r2="d"), topology={"topologyKey": "example.com/rack"})
    assert [(group.name, group.nodes) for group in made.groups] == [
        ("group-0", ("a", "b")),
        ("group-1-overflow", ("a", "c")),
        ("group-2-overflow", ("b", "d")),
    ]
    strict = planned(2, racked(r1="a b c", r2="d"), topology={"topologyKey": "example.com/rack", "strictDomain": True})
    assert [group.nodes for group in strict.groups] == [("a", "b", "c"), ("d",)]


def test_a_diagnosis_screens_and_uses_long_names() -> None:
    made = planned(None, diagnose={})
    assert [group.name for group in made.groups] == ["screen-0", "screen-1"]
    assert made.nodes_per_job == 2
    (single,) = planned(None, fleet("a", "b"), diagnose={}).jobs
    assert single["metadata"]["name"] == "run-screen-0-iter-1"
    assert single["spec"]["workload"]["trainJob"]["trainer"]["numNodes"] == 2


def test_a_template_without_a_workload_is_refused() -> None:
    for given in (workflow(2), workflow(2, diagnose={})):
        given["spec"]["jobTemplate"]["spec"]["workload"] = {}
        with pytest.raises(nr.RenderError, match="PartitionError: nodesPerJob is not known: the job template has no"):
            planner.plan(given, fleet("a", "b"))


def test_a_diagnosis_needs_no_trainer() -> None:
    given = workflow(2, diagnose={})
    del given["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]
    (job,) = planner.plan(given, fleet("a", "b")).jobs
    assert job["spec"]["workload"]["trainJob"]["trainer"] == {"numNodes": 2}


def test_iterations_show_in_the_names_of_each_pass() -> None:
    given = workflow(4, iterations=2)
    for iteration in (1, 2):
        made = planner.plan(given, fleet("a", "b", "c", "d"), iteration=iteration)
        assert made.jobs[0]["metadata"]["name"] == f"run-group-0-iter-{iteration}"
        assert made.dependencies["group-0"][0]["metadata"]["name"].endswith(f"-group-0-iter-{iteration}")


def test_made_up_labels_are_no_requirement() -> None:
    nodes = [node("a", product=None), node("b", product=None)]
    made = planner.plan(workflow(2), nodes, slices=[resource_slice("a", device()), resource_slice("b", device())])
    assert (made.fleet.gpu_architecture, made.fleet.products) == ("gb300", ("NVIDIA-GB300",))
    assert PRODUCT not in str(made.jobs[0])


def test_overrides_see_the_fleet_and_the_rest_sees_the_overrides() -> None:
    seen: list[Fleet] = []

    def resolve(fleet: Fleet) -> Json:
        seen.append(fleet)
        return workflow(1, target={"nodeSelector": {"added": "later"}})

    made = planner.plan(workflow(2, target={"nodeNames": ["a", "b"]}), fleet("a", "b", "c"), resolve=resolve)
    assert [each.name for each in seen[0].nodes] == ["a", "b"]
    assert [group.nodes for group in made.groups] == [("a",), ("b",)]
    assert "'added'" in str(made.jobs[0])


def test_a_platform_that_the_nodes_contradict_is_a_warning() -> None:
    made = planner.plan(workflow(2), fleet("a", "b"), platform="aws")
    (found,) = made.diagnostics
    assert (found.rule.name, found.severity) == ("contradicted-platform", "warning")
    assert found.message == "the platform aws was asked for, and the nodes are of onprem"
    assert made.fleet.platform == "aws"
    assert planner.plan(workflow(2), fleet("a", "b"), platform="onprem").diagnostics == ()


def test_shared_words_are_warned_of() -> None:
    (found,) = planned(4, dependencies=[runtime(note="run-config"), config(mode="node")]).diagnostics
    assert found.rule.name == "renamed-shared-word"


def test_inputs_stay_what_they_are_even_when_results_are_changed() -> None:
    given, nodes = workflow(2, dependencies=[runtime(), config("aside")]), fleet("a", "b")
    before = copy.deepcopy((given, nodes))
    made = planner.plan(given, nodes)
    data = made.to_data()
    data["jobs"][0]["spec"]["workload"]["trainJob"]["trainer"]["command"].append("changed")
    data["sharedDependencies"][0]["data"]["changed"] = "x"
    assert (given, nodes) == before
    assert made.jobs[0]["spec"]["workload"]["trainJob"]["trainer"]["command"] == ["torchrun"]


def test_shared_parts_of_a_workflow_are_told_apart() -> None:
    """A mapping that stands in two places is the user's label in one and a name in the other."""
    label = {"app": "run-config"}
    given = workflow(
        4, dependencies=[runtime(note="run-config"), config()], job={"workloadMetadata": {"labels": label}}
    )
    given["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["env"] = [label]
    (job,) = planner.plan(given, fleet("a", "b", "c", "d")).jobs
    assert job["spec"]["workloadMetadata"] == {"labels": {"app": "run-config"}}
    assert job["spec"]["workload"]["trainJob"]["trainer"]["env"] == [{"app": "run-config-2acd4-job"}]
