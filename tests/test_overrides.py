"""Resolution: which blocks apply, in which order, what is recorded, and how a failure reads."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render import compiler, conditions, facts, overrides, source
from nvcre_render.checks import override_rules
from nvcre_render.conditions import Context
from nvcre_render.diagnostics import REGISTRY, Diagnostic, Rule
from nvcre_render.lower import workflow
from nvcre_render.overrides import OverrideError, resolve
from nvcre_render.resolution import Origin, Resolution, last_writer, resolution

AWS = Context(platform="aws", gpu_architecture="h100", workload_kind="TrainJob", topology_mode="simple")
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}


def trainer(**fields: Any) -> dict[str, Any]:
    return {"spec": {"workload": {"trainJob": {"trainer": fields}}}}


def spec(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "jobTemplate": trainer(image="app:1", args=["--a"]),
        "orchestration": {"execution": {"timeoutPerJob": "1h0m0s"}},
        **more,
        "overrides": list(blocks),
    }


def trainer_of(resolved: overrides.Resolved) -> Any:
    return resolved.spec["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]


# -- order -------------------------------------------------------------------------------------------------------


def test_every_matching_block_applies_once_and_the_later_wins() -> None:
    blocks = (
        {"when": {}, "jobTemplate": trainer(image="app:2", numNodes=2)},
        {"when": {"platform": {"equals": "gcp"}}, "jobTemplate": trainer(numNodes=9)},
        {"when": {"platform": {"equals": "aws"}}, "jobTemplate": trainer(numNodes=3)},
    )
    found = resolve(spec(*blocks), AWS)
    assert trainer_of(found) == {"image": "app:2", "args": ["--a"], "numNodes": 3}
    assert [each.index for each in found.applied] == [0, 2]
    assert "overrides" not in found.spec


def test_inside_a_block_the_template_comes_first_then_its_patch_then_the_rest() -> None:
    block = {
        "when": {},
        "orchestration": {"iterations": 2},
        "dependencies": [CONFIG, {**CONFIG, "data": {"a": "x"}}],
        "jobTemplatePatch": [{"op": "test", "path": "/spec/workload/trainJob/trainer/args/0", "value": "--b"}],
        "jobTemplate": trainer(args=["--b"]),
    }
    found = resolve(spec(block), AWS)
    assert trainer_of(found)["args"] == ["--b"]
    assert found.spec["dependencies"] == [{**CONFIG, "data": {"a": "x"}}]
    assert found.spec["orchestration"] == {"execution": {"timeoutPerJob": "1h0m0s"}, "iterations": 2}
    assert found.applied[0].patches == "jobTemplate, jobTemplatePatch, 2 dependencies, orchestration"


def test_the_context_does_not_follow_what_overrides_do() -> None:
    blocks = (
        {"when": {}, "orchestration": {"topology": {"topologyKey": "example.com/rack"}}},
        {"when": {"topology": {"mode": "topology"}}, "orchestration": {"iterations": 5}},
        {"when": {"topology": {"mode": "simple"}}, "orchestration": {"iterations": 6}},
    )
    found = resolve(spec(*blocks), AWS)
    assert found.spec["orchestration"]["iterations"] == 6


def test_a_later_block_merges_into_what_an_earlier_one_added() -> None:
    blocks = (
        {"when": {}, "dependencies": [{**CONFIG, "data": {"a": "x"}}]},
        {"when": {}, "dependencies": [{**CONFIG, "data": {"b": "y"}}]},
    )
    assert resolve(spec(*blocks), AWS).spec["dependencies"] == [{**CONFIG, "data": {"a": "x", "b": "y"}}]


def test_dependencies_that_are_new_stand_where_the_api_has_them() -> None:
    given = spec({"when": {}, "dependencies": [CONFIG]}, gangScheduler={"schedulerName": "s"})
    assert list(resolve(given, AWS).spec) == ["jobTemplate", "orchestration", "dependencies", "gangScheduler"]


def test_without_overrides_nothing_changes() -> None:
    given = {key: value for key, value in spec().items() if key != "overrides"}
    assert resolve(given, AWS) == overrides.Resolved(spec=given, applied=())
    assert resolve({**given, "overrides": []}, AWS).spec == given


def test_a_block_without_when_always_applies() -> None:
    assert resolve(spec({"orchestration": {"iterations": 3}}), AWS).applied[0].when == "<always>"


# -- records -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "record"),
    [
        ({"when": {}}, {"index": 0, "when": "<always>", "patches": "none", "noOp": True}),
        ({"when": {}, "dependencies": []}, {"index": 0, "when": "<always>", "patches": "none", "noOp": True}),
        ({"when": {}, "jobTemplate": None}, {"index": 0, "when": "<always>", "patches": "none", "noOp": True}),
        (
            {"when": {"platform": {"equals": "aws"}}, "jobTemplate": trainer(numNodes=4)},
            {"index": 0, "when": "platform=aws", "patches": "jobTemplate"},
        ),
        (
            {"when": {}, "jobTemplate": trainer(image="app:1")},
            {"index": 0, "when": "<always>", "patches": "jobTemplate", "noOp": True},
        ),
        (
            {"when": {}, "jobTemplate": trainer(imagee="app:2")},
            {"index": 0, "when": "<always>", "patches": "jobTemplate", "noOp": True},
        ),
        ({"when": {}, "dependencies": [CONFIG]}, {"index": 0, "when": "<always>", "patches": "1 dependencies"}),
        (
            {"when": {}, "orchestration": {"execution": {"timeoutPerJob": "60m"}}},
            {"index": 0, "when": "<always>", "patches": "orchestration", "noOp": True},
        ),
    ],
    ids=str,
)
def test_what_a_block_did_is_recorded(block: dict[str, Any], record: dict[str, Any]) -> None:
    assert [each.as_data() for each in resolve(spec(block), AWS).applied] == [record]


# -- failures ----------------------------------------------------------------------------------------------------

FAILURES: list[tuple[dict[str, Any], str, tuple[str | int, ...], str]] = [
    (
        {"when": {"expression": "1 + 1"}},
        "when",
        ("when", "expression"),
        "override[1]: evaluating when: the expression gives int, not bool",
    ),
    (
        {"when": {}, "jobTemplate": [1]},
        "jobTemplate",
        ("jobTemplate",),
        "override[1]: merging jobTemplate: invalid JSON document: a list stands where an object belongs",
    ),
    (
        {"when": {}, "jobTemplate": trainer(numNodes="4")},
        "jobTemplate",
        ("jobTemplate", "spec", "workload", "trainJob", "trainer", "numNodes"),
        (
            "override[1]: merging jobTemplate: spec.workload.trainJob.trainer.numNodes: "
            'the text "4" stands where a whole number belongs'
        ),
    ),
    (
        {"when": {}, "jobTemplate": trainer(**{"$patch": "append"})},
        "jobTemplate",
        ("jobTemplate", "spec", "workload", "trainJob", "trainer", "$patch"),
        'override[1]: merging jobTemplate: unknown patch type "append": $patch is replace or delete',
    ),
    (
        {"when": {}, "jobTemplatePatch": "[]"},
        "jobTemplatePatch",
        ("jobTemplatePatch",),
        "override[1]: applying jobTemplatePatch: invalid JSON Patch: a text stands where a list of operations belongs",
    ),
    (
        {
            "when": {},
            "jobTemplatePatch": [
                {"op": "remove", "path": "/spec/workload/trainJob/trainer/args"},
                {"op": "remove", "path": "/spec/workload/trainJob/trainer/args"},
            ],
        },
        "jobTemplatePatch",
        ("jobTemplatePatch", 1),
        (
            'override[1]: applying jobTemplatePatch: operation 1 ("remove"): '
            "/spec/workload/trainJob/trainer/args is missing"
        ),
    ),
    (
        {
            "when": {},
            "jobTemplatePatch": [
                {"op": "add", "path": "/spec/thresholds", "value": {}},
                {"op": "add", "path": "/spec/workload/trainJob/trainer/numNodes", "value": "4"},
                {"op": "remove", "path": "/spec/thresholds"},
            ],
        },
        "jobTemplatePatch",
        ("jobTemplatePatch", 1),
        (
            "override[1]: applying jobTemplatePatch: spec.workload.trainJob.trainer.numNodes: "
            'the text "4" stands where a whole number belongs'
        ),
    ),
    (
        {"when": {}, "dependencies": [CONFIG, "c"]},
        "dependency",
        ("dependencies", 1),
        "override[1]: merging a dependency: a text stands where an object belongs",
    ),
    (
        {"when": {}, "dependencies": CONFIG},
        "dependency",
        ("dependencies",),
        "override[1]: merging a dependency: an object stands where a list of objects belongs",
    ),
    (
        {"when": {}, "orchestration": {"iterations": "2"}},
        "orchestration",
        ("orchestration", "iterations"),
        'override[1]: replacing orchestration: iterations: the text "2" stands where a whole number belongs',
    ),
]


@pytest.mark.parametrize(("block", "stage", "path", "text"), FAILURES, ids=[text for *_, text in FAILURES])
def test_a_failure_names_the_block_the_stage_and_the_place(
    block: dict[str, Any], stage: str, path: tuple[str | int, ...], text: str
) -> None:
    skipped = {"when": {"platform": {"equals": "gcp"}}, "jobTemplate": "ignored"}
    with pytest.raises(OverrideError) as refusal:
        resolve(spec(skipped, block), AWS)
    error = refusal.value
    assert (error.index, error.stage, error.path, str(error)) == (1, stage, path, text)
    assert str(error).endswith(error.cause)


def test_the_first_failure_ends_the_resolution() -> None:
    with pytest.raises(OverrideError, match=re.escape("override[0]")):
        resolve(spec({"when": {}, "jobTemplate": 1}, {"when": {"expression": "?"}}), AWS)


# -- what gets lost ----------------------------------------------------------------------------------------------


def test_a_key_without_a_place_is_dropped_and_told() -> None:
    block = {"when": {}, "jobTemplate": trainer(imagee="app:2", numNodes=2)}
    found = resolve(spec(block), AWS)
    assert trainer_of(found) == {"image": "app:1", "args": ["--a"], "numNodes": 2}
    (lost,) = found.dropped
    assert lost.index == 0
    assert lost.path == ("jobTemplate", "spec", "workload", "trainJob", "trainer", "imagee")
    assert lost.message == 'unknown field "imagee"'
    assert lost.remedy == 'did you mean "image"?'


def test_a_directive_in_a_list_that_replaces_another_is_told() -> None:
    first = {"when": {}, "jobTemplate": trainer(env=[{"name": "A", "value": "x"}])}
    second = {"when": {}, "jobTemplate": trainer(env=[{"name": "A", "$patch": "delete"}])}
    found = resolve(spec(first, second), AWS)
    assert trainer_of(found)["env"] == [{"name": "A"}]
    (lost,) = found.dropped
    assert lost.index == 1
    assert lost.path[-3:] == ("env", 0, "$patch")
    assert lost.message.startswith("$patch has no effect here")


def test_a_key_that_a_json_patch_adds_in_vain_is_told_at_its_operation() -> None:
    operations = [
        {"op": "test", "path": "/spec/workload/trainJob/trainer/image", "value": "app:1"},
        {"op": "add", "path": "/spec/workload/trainJob/trainer/nodes", "value": 2},
    ]
    (lost,) = resolve(spec({"when": {}, "jobTemplatePatch": operations}), AWS).dropped
    assert lost.path == ("jobTemplatePatch", 1)


# -- purity ------------------------------------------------------------------------------------------------------

EVERYTHING = {
    "when": {},
    "jobTemplate": trainer(args=["--b"], env=[{"name": "A", "value": "x"}]),
    "jobTemplatePatch": [{"op": "add", "path": "/spec/workload/trainJob/trainer/args/-", "value": "--c"}],
    "dependencies": [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p"},
            "spec": {"volumes": [{"name": "v", "a": {"b": 1}}]},
        }
    ],
    "orchestration": {"target": {"nodeNames": ["n"]}},
}


def test_resolving_changes_nothing_it_is_given() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"volumes": [{"name": "v"}]}}
    given = spec(EVERYTHING, EVERYTHING, dependencies=[pod])
    before = copy.deepcopy(given)
    once = resolve(given, AWS)
    assert given == before
    assert trainer_of(once)["args"] == ["--b", "--c"]
    assert once.spec["dependencies"][0]["spec"]["volumes"] == [{"name": "v", "a": {"b": 1}}]
    again = resolve(once.spec, AWS)
    assert (again.spec, again.applied) == (once.spec, ())


# -- findings at their places ------------------------------------------------------------------------------------

RUN = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: example}
spec:
  image: app:1
  numNodes: 2
  framework: {torch: {script: /train.py}}
  target: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100}}
  gangScheduler: {schedulerName: kai-scheduler, queue: team-a}
  overrides:
  - when: {platform: {equals: aws}}
    jobTemplate: {spec: {workload: {trainJob: {trainer: {imagee: app:2}}}}}
  - when: {platform: {equals: aws}}
    jobTemplate:
      spec:
        workloadMetadata:
          labels:
            kai.scheduler/queue: team-b
"""


def resolved(text: str) -> Resolution:
    """Return what a render for aws resolves a run to."""
    (document,) = source.read(text, "run.yaml")[0]
    run, _ = compiler.check(document)
    known, _ = facts.resolve(run, document, "aws", None)
    assert known is not None
    spec: Any = workflow.lower(run, known)["spec"]
    own = len(document.data["spec"]["overrides"])
    origin = Origin(document=document, platform_blocks=len(spec["overrides"]) - own)
    target = conditions.context(spec, platform="aws", gpu_architecture=known.gpu_architecture)
    return resolution(spec, target, origin)


def test_findings_stand_at_the_override_and_show_the_other_side() -> None:
    result = resolved(RUN)
    assert [str(each).splitlines() for each in result.diagnostics] == [
        [
            (
                "run.yaml:12:58: NR715 warning: spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.imagee: "
                'unknown field "imagee"'
            ),
            '  help: did you mean "image"?',
        ],
        [
            (
                "run.yaml:18:34: NR514 error: "
                'spec.overrides[1].jobTemplate.spec.workloadMetadata.labels["kai.scheduler/queue"]: '
                'spec.workloadMetadata.labels["kai.scheduler/queue"]: '
                'conflicting label value "team-b", expected "team-a"'
            ),
            "  help: remove the label, or give the same queue in gangScheduler",
            "  run.yaml:9:56: the queue is given here",
        ],
    ]
    assert result.spec is not None
    # Platform blocks are counted in the records, as NVCRE does.
    assert [each.when for each in result.applied][-2:] == ["platform=aws", "platform=aws"]


def test_a_failed_override_leaves_no_spec() -> None:
    result = resolved(RUN.replace("{imagee: app:2}", "{image: 2}"))
    assert result.spec is None
    (found,) = result.diagnostics
    assert (found.code, found.position and found.position.line) == ("NR712", 12)
    assert re.search(r"override\[\d+\]: merging jobTemplate: ", found.message)


RULES = [rule for code, rule in sorted(REGISTRY.items()) if code[:4] in ("NR71", "NR73")]
SHOWN = [rule for rule in RULES if rule.bad]


def test_every_rule_has_examples_or_cannot() -> None:
    # Reading refuses what NR714 is about, and a WorkloadRun has no way to set diagnose.
    assert [rule.code for rule in RULES if not rule.bad] == ["NR714", "NR735"]
    assert all(rule.good for rule in SHOWN)
    assert len(RULES) == len([name for name in vars(override_rules).values() if isinstance(name, Rule)])


def rendered(text: str) -> list[Diagnostic]:
    """Return what a render for aws says of a run; what overrides.diagnose is about needs no target."""
    try:
        found = nr.render(text, filename="run.yaml", platform="aws").diagnostics
    except nr.RenderError as refusal:
        found = refusal.diagnostics
    (document,) = source.read(text, "run.yaml")[0]
    return list(nr.Report([*found, *override_rules.check_diagnose(document)]))


@pytest.mark.parametrize("rule", SHOWN, ids=[f"{rule.code}-{rule.name}" for rule in SHOWN])
def test_the_examples_of_a_rule_say_what_it_says(rule: Rule) -> None:
    (line,) = [number for number, text in enumerate(rule.bad.splitlines(), 1) if f"# {rule.severity}" in text]
    places = [(each.code, each.severity, each.position.line if each.position else 0) for each in rendered(rule.bad)]
    assert places == [(rule.code, rule.severity, line)]
    assert rendered(rule.good) == []


# -- who wrote it ------------------------------------------------------------------------------------------------

RUNTIME = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainingRuntime",
    "metadata": {"name": "r"},
    "spec": {"jobs": [{"name": "node", "labels": {"a": "1"}}, {"name": "launcher", "labels": {"a": "1"}}]},
}


@pytest.mark.parametrize(
    ("blocks", "path", "expected"),
    [
        ([], ("jobTemplate", "spec"), None),
        ([{"orchestration": {"iterations": 2}}], ("jobTemplate", "spec"), None),
        (
            [{"orchestration": {"iterations": 2}}, {"orchestration": {"iterations": 3}}],
            ("orchestration", "iterations"),
            (1, ("orchestration", "iterations")),
        ),
        (
            [{"jobTemplate": trainer(numNodes=2)}, {"jobTemplate": trainer(image="app:2")}],
            ("jobTemplate", "spec", "workload", "trainJob", "trainer", "numNodes"),
            (0, ("jobTemplate", "spec", "workload", "trainJob", "trainer", "numNodes")),
        ),
        (
            [{"jobTemplatePatch": [{"op": "add", "path": "/spec/workload/trainJob/trainer/numNodes", "value": 2}]}],
            ("jobTemplate", "spec", "workload", "trainJob", "trainer", "numNodes"),
            (0, ("jobTemplatePatch", 0)),
        ),
        (
            [
                {"dependencies": [CONFIG, {**RUNTIME, "spec": {"jobs": [{"name": "launcher", "labels": {"a": "2"}}]}}]},
                {"dependencies": [{**RUNTIME, "spec": {"paused": True}}]},
            ],
            ("dependencies", 0, "spec", "jobs", 1, "labels", "a"),
            (0, ("dependencies", 1, "spec", "jobs", 0, "labels", "a")),
        ),
        (
            [{"dependencies": [{**RUNTIME, "spec": {"jobs": [{"name": "node", "labels": None}]}}]}],
            ("dependencies", 0, "spec", "jobs", 0, "labels", "a"),
            (0, ("dependencies", 0, "spec", "jobs", 0, "labels")),
        ),
    ],
    ids=str,
)
def test_the_last_block_that_reaches_deepest_is_the_writer(
    blocks: list[dict[str, Any]], path: tuple[str | int, ...], expected: Any
) -> None:
    given = spec(*({"when": {}, **block} for block in blocks), dependencies=[RUNTIME])
    assert last_writer(given, resolve(given, AWS), path) == expected
