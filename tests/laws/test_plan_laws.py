"""What holds for every whole plan: when it is refused, and what its Jobs and TrainJobs have in common."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import nvcre_render as nr
from nvcre_render.planning import discovery, planner
from nvcre_render.planning.fleet import survey
from nvcre_render.planning.node import read
from nvcre_render.planning.result import Plan
from tests.fleets import Json, fleets, targets
from tests.plans import CONTROLLER, RACK, config, expressions, launched, pods, runtime, workflow

BOUNDED = settings(max_examples=60, deadline=None)
OTHER = "example.com/other"
NEED = 8
QUEUE = "kai.scheduler/queue"
GANG = {"schedulerName": "kai", "queue": "run-config"}


@st.composite
def workflows(draw: st.DrawFn) -> Json:
    """Draw Workflows whose own settings are valid: nothing but the nodes can make them fail."""
    unpinned = draw(st.booleans()) and draw(st.booleans())
    orchestration: Json = {"target": draw(targets()), "iterations": draw(st.integers(1, 2))}
    orchestration["execution"] = {"maxConcurrent": draw(st.integers(0, 3))}
    if unpinned:
        orchestration["placement"] = "Unpinned"
    if draw(st.booleans()):
        orchestration["topology"] = {"topologyKey": RACK, "strictDomain": not unpinned and draw(st.booleans())}
    own, dependencies = runtime(labels={"app": "run"}), [config("aside"), config(note="run-runtime")]
    spec: Json = {}
    if draw(st.booleans()):
        # The queue has the name of something that is renamed.
        spec["gangScheduler"] = GANG
        mark(own, GANG["queue"])
    return workflow(
        draw(st.integers(0, 5)),
        name=draw(st.sampled_from(["run", "a-long-name-of-a-workflow-indeed"])),
        dependencies=[*dependencies, own],
        patches=draw(st.sampled_from([[], launched(), [OTHER_PATCH, *launched()], [OTHER_PATCH]])),
        job={"workloadMetadata": {"labels": {"team": "run-config"}}} if draw(st.booleans()) else {},
        spec=spec,
        **orchestration,
    )


OTHER_PATCH: Json = {
    "manager": OTHER,
    "trainingRuntimeSpec": {
        "template": {
            "spec": {
                "replicatedJobs": [
                    {"name": "node", "template": {"spec": {"template": {"spec": {"tolerations": [{"key": "k"}]}}}}}
                ]
            }
        }
    },
}


def mark(made: Json, queue: str) -> None:
    (job,) = made["spec"]["template"]["spec"]["replicatedJobs"]
    job["template"]["metadata"] = {"labels": {QUEUE: queue}}
    pod = job["template"]["spec"]["template"]
    pod["metadata"] = {"labels": {QUEUE: queue}}
    pod["spec"]["schedulerName"] = "kai"


def outcome(given_workflow: Json, nodes: list[Json]) -> Any:
    try:
        return planner.plan(given_workflow, nodes).to_data()
    except nr.RenderError as refusal:
        return str(refusal)


def attempt(given_workflow: Json, nodes: list[Json]) -> Plan | str:
    """Return the plan, or the name of the rule that refuses it."""
    try:
        return planner.plan(given_workflow, nodes)
    except nr.RenderError as refusal:
        return refusal.diagnostics[0].rule.name


@BOUNDED
@given(workflows(), fleets(), st.randoms(use_true_random=False))
def test_inputs_stay_and_their_order_never_matters(given_workflow: Json, nodes: list[Json], random: Any) -> None:
    before = copy.deepcopy((given_workflow, nodes))
    found = outcome(given_workflow, nodes)
    assert (given_workflow, nodes) == before
    shuffled = list(nodes)
    random.shuffle(shuffled)
    assert outcome(given_workflow, shuffled) == found


@BOUNDED
@given(workflows(), fleets(), st.booleans())
def test_a_plan_is_refused_for_the_documented_reasons_alone(
    given_workflow: Json, nodes: list[Json], bare: bool
) -> None:
    if bare:
        del nodes[0]["metadata"]["labels"][RACK]
    found = attempt(given_workflow, nodes)
    orchestration = given_workflow["spec"]["orchestration"]
    size = given_workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["numNodes"]
    eligible = discovery.discover(orchestration["target"], map(read, nodes)).eligible
    if not eligible:
        assert found == "no-target-node"
        return
    unpinned = orchestration.get("placement") == "Unpinned"
    others = survey(orchestration["target"], nodes).other_architecture
    kept = [node for node in eligible if node.name not in others]
    usable = [node for node in kept if node.gpus is None or node.gpus >= NEED]
    keyed = "topology" in orchestration and not unpinned
    if not usable:
        assert found == "no-node-with-enough-gpus"
    elif size < 1 and unpinned:
        assert found == "no-job-size"
    elif size > len(usable):
        assert found == "job-larger-than-fleet"
    elif keyed and not all(node.labels.get(RACK) for node in usable):
        assert found == "unpartitionable-nodes"
    else:
        assert isinstance(found, Plan)


@BOUNDED
@given(workflows(), fleets())
def test_used_and_excluded_nodes_are_the_target_s(given_workflow: Json, nodes: list[Json]) -> None:
    made = attempt(given_workflow, nodes)
    if isinstance(made, str):
        return
    target = given_workflow["spec"]["orchestration"]["target"]
    found = discovery.discover(target, map(read, nodes))
    assert set(made.eligible).isdisjoint(made.excluded)
    assert len(set(made.excluded)) == len(made.excluded)
    assert sorted([*made.eligible, *made.excluded]) == sorted(
        [*(node.name for node in found.eligible), *found.cordoned]
    )
    assert sorted([*made.eligible, *(name for name, _ in made.left_out)]) == sorted(
        node["metadata"]["name"] for node in nodes
    )
    if not made.unpinned:
        assert {name for group in made.groups for name in group.nodes} == set(made.eligible)


@BOUNDED
@given(workflows(), fleets(usable=True))
def test_jobs_and_train_jobs(given_workflow: Json, nodes: list[Json]) -> None:
    made = attempt(given_workflow, nodes)
    if isinstance(made, str):
        return
    data = made.to_data()
    assert len(data["jobs"]) == len(data["trainJobs"]) == len(data["dependencies"]) == len(data["groups"])
    if made.unpinned:
        assert (len(made.groups), made.groups[0].nodes) == (1, ())
    names = [job["metadata"]["name"] for job in data["jobs"]]
    assert len(set(names)) == len(names)
    for group, job, train_job, copied in zip(
        made.groups, data["jobs"], data["trainJobs"], data["dependencies"].values(), strict=True
    ):
        spec = job["spec"]["workload"]["trainJob"]
        check_size(made, group.nodes, job, spec)
        assert spec["runtimeRef"]["name"] in [each["metadata"]["name"] for each in copied]
        check_targets(given_workflow, made, group.nodes, spec)
        check_label(spec, train_job, job["metadata"]["name"])
        check_protected(given_workflow, job, copied)


def check_size(made: Plan, nodes: tuple[str, ...], job: Json, spec: Json) -> None:
    noted = job["metadata"].get("annotations", {}).get("nvcre.nvidia.com/group-nodes")
    if made.unpinned:
        assert (spec["trainer"]["numNodes"], noted) == (made.nodes_per_job, None)
    else:
        assert (spec["trainer"]["numNodes"], noted) == (len(nodes), ",".join(nodes))


def check_targets(given_workflow: Json, made: Plan, nodes: tuple[str, ...], spec: Json) -> None:
    target = given_workflow["spec"]["orchestration"]["target"]
    hosts = list(target.get("nodeNames") or ()) if made.unpinned else list(nodes)
    selector = [
        {"key": key, "operator": "In", "values": [value]}
        for key, value in sorted((target.get("nodeSelector") or {}).items())
    ]
    product = {"key": "nvidia.com/gpu.product", "operator": "In", "values": list(made.fleet.products)}
    wanted = [*selector, *target.get("matchExpressions", []), *([product] if made.fleet.products else [])]
    given_patches = given_workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"].get("runtimePatches", [])
    launcher = "launcher" in str(given_patches)
    selected = target.get("taintSelectors") or []
    tolerated = len(selected) or (0 if not launcher else 2 if made.unpinned else 1)
    if not (hosts or wanted or tolerated):
        assert spec.get("runtimePatches", []) == given_patches
        return
    assert [each["manager"] for each in spec["runtimePatches"]].count(CONTROLLER) == 1
    assert [each for each in spec["runtimePatches"] if each["manager"] == OTHER] == [
        each for each in given_patches if each["manager"] == OTHER
    ]
    written = pods(spec)
    assert sorted(written) == (["launcher", "node"] if launcher else ["node"])
    assert len({str(pod["spec"]) for pod in written.values()}) == 1
    pod = written["node"]
    assert len(pod["spec"].get("tolerations", [])) == tolerated
    assert ("affinity" in pod["spec"]) == bool(hosts or wanted)
    if "affinity" in pod["spec"]:
        found = expressions(pod)
        if hosts:
            assert found[0] == {"key": "kubernetes.io/hostname", "operator": "In", "values": hosts}
            found = found[1:]
        keys = [(each["key"], each["operator"], tuple(each.get("values", ()))) for each in found]
        assert len(set(keys)) == len(keys)
        assert set(keys) == {(each["key"], each["operator"], tuple(each.get("values", ()))) for each in wanted}


def check_label(spec: Json, train_job: Json, name: str) -> None:
    own = copy.deepcopy(train_job["spec"])
    labels = [pod.get("metadata", {}).get("labels") for pod in pods(own).values()]
    assert [each for each in labels if each] == [{"nvcre.nvidia.com/job": name}]
    pods(own)["node"].pop("metadata")
    # What was made to hold the label is gone with it.
    if not pods(own)["node"]:
        assert "runtimePatches" not in spec or OTHER in str(spec["runtimePatches"]) or "launcher" in str(spec)
        return
    assert own == spec


def check_protected(given_workflow: Json, job: Json, copied: list[Json]) -> None:
    labels = given_workflow["spec"]["jobTemplate"]["spec"].get("workloadMetadata", {}).get("labels", {})
    gang = "gangScheduler" in given_workflow["spec"]
    expected = {**labels, **({QUEUE: GANG["queue"]} if gang else {})}
    assert job["spec"].get("workloadMetadata", {}).get("labels", {}) == expected
    assert [each["kind"] for each in copied].count("TrainingRuntime") == 1
    if gang:
        (made,) = [each for each in copied if each["kind"] == "TrainingRuntime"]
        (replicated,) = made["spec"]["template"]["spec"]["replicatedJobs"]
        assert replicated["template"]["metadata"]["labels"] == {QUEUE: GANG["queue"]}
