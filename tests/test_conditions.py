"""The `when` language: every selector alone, their order, and the expressions."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from nvcre_render import conditions
from nvcre_render.conditions import ConditionError, Context, matches, summary

HERE = Context(
    platform="aws",
    gpu_architecture="gb200",
    workload_kind="TrainJob",
    topology_mode="topology",
    domain_count=3,
)
NOWHERE = Context()

HOLDING: list[dict[str, Any]] = [
    {},
    {"platform": {}},
    {"platform": {"equals": ""}},
    {"platform": {"equals": "aws"}},
    {"platform": {"in": ["gcp", "aws"]}},
    {"platform": {"in": []}},
    {"platform": {"notIn": ["gcp"]}},
    {"platform": {"notIn": []}},
    {"platform": {"equals": "aws", "in": ["aws"], "notIn": ["gcp"]}},
    {"platform": None},
    {"gpuArchitecture": {"equals": "gb200"}},
    {"gpuArchitecture": {"in": ["gb200", "gb300"]}},
    {"workloadKind": "TrainJob"},
    {"workloadKind": ""},
    {"topology": {}},
    {"topology": {"mode": "topology"}},
    {"topology": {"mode": ""}},
    {"topology": {"domainCount": {}}},
    {"topology": {"domainCount": {"equals": 3}}},
    {"topology": {"domainCount": {"greaterThan": 2, "lessThan": 4}}},
    {"topology": {"domainCount": {"equals": None, "greaterThan": None}}},
    {"config": None},
    {"expression": ""},
    {"expression": "platform == 'aws'"},
]
FAILING: list[dict[str, Any]] = [
    {"platform": {"equals": "Aws"}},
    {"platform": {"equals": "gcp"}},
    {"platform": {"in": ["gcp", "azure"]}},
    {"platform": {"notIn": ["aws"]}},
    {"platform": {"equals": "aws", "notIn": ["aws"]}},
    {"platform": {"equals": "aws"}, "gpuArchitecture": {"equals": "h100"}},
    {"gpuArchitecture": {"equals": "NVIDIA-GB200"}},
    {"workloadKind": "Job"},
    {"topology": {"mode": "simple"}},
    {"topology": {"mode": "topology", "domainCount": {"equals": 2}}},
    {"topology": {"domainCount": {"equals": 0}}},
    {"topology": {"domainCount": {"greaterThan": 3}}},
    {"topology": {"domainCount": {"lessThan": 3}}},
    {"config": {}},
    {"config": {"suite": "nccl"}},
    {"expression": "platform == 'gcp'"},
]


@pytest.mark.parametrize("when", HOLDING, ids=str)
def test_holds(when: dict[str, Any]) -> None:
    assert matches(when, HERE)


@pytest.mark.parametrize("when", FAILING, ids=str)
def test_fails(when: dict[str, Any]) -> None:
    assert not matches(when, HERE)


def test_an_undetected_platform_is_the_empty_text() -> None:
    assert matches({"platform": {"notIn": ["aws"]}}, NOWHERE)
    assert not matches({"platform": {"in": ["aws"]}}, NOWHERE)
    assert matches({"expression": "platform == '' && domainCount == 0"}, NOWHERE)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, True),
        ({"suite": "nccl"}, True),
        ({"size": {"nodes": 4}}, True),
        ({"size": {"nodes": 4, "gpus": 8}}, True),
        ({"hosts": ["a", "b"]}, True),
        ({"hosts": ["a"]}, False),
        ({"hosts": ["b", "a"]}, False),
        ({"size": {"nodes": 5}}, False),
        ({"size": {"racks": 1}}, False),
        ({"size": 4}, False),
        ({"fast": 1}, False),
        ({"missing": None}, False),
    ],
)
def test_a_config_is_matched_as_a_subset(wanted: dict[str, Any], expected: bool) -> None:
    config = {"suite": "nccl", "size": {"nodes": 4, "gpus": 8}, "hosts": ["a", "b"], "fast": True}
    assert matches({"config": wanted}, Context(config=config)) is expected


# -- expressions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("true", True),
        ("platform == 'aws' && gpuArchitecture == 'gb200'", True),
        ("platform == 'gcp' || gpuArchitecture.startsWith('gb')", True),
        ("workloadKind == 'TrainJob' && topologyMode == 'topology'", True),
        ("domainCount > 2 && domainCount % 2 == 1", True),
        ("platform in ['aws', 'azure']", True),
        ("!(platform in ['aws', 'azure'])", False),
        ("[1, 2, 3].exists(n, n == domainCount)", True),
        ("gpuArchitecture.matches('^gb[0-9]+$')", True),
        ("size(platform) == 4", False),
        ("domainCount > 2 ? platform == 'aws' : false", True),
    ],
)
def test_an_expression_gives_a_bool(expression: str, expected: bool) -> None:
    assert matches({"expression": expression}, HERE) is expected


@pytest.mark.parametrize(
    ("expression", "cause"),
    [
        ("platform ==", "the expression does not compile: Syntax error: mismatched input '<EOF>'"),
        ("nodes > 1", "does not compile: undeclared reference to 'nodes' at column 1; the variables are platform, "),
        ("true || nodes > 1", "undeclared reference to 'nodes'"),
        ("topology.mode == 'simple'", "undeclared reference to 'topology.mode'"),
        ("config.suite == 'nccl'", "undeclared reference to 'config.suite'"),
        ("platform == 1", "found no matching overload for '_==_' applied to '(string, int)' at column 10"),
        ("domainCount > 1.5", "found no matching overload for '_>_'"),
        ("\n platform = 'aws'", "line 2, column 11"),
        ("domainCount", "the expression gives int, not bool"),
        ("platform", "the expression gives string, not bool"),
        ("dyn(true)", "the expression gives dyn, not bool"),
        ("10 / (domainCount - 3) > 1", "the expression cannot be evaluated: divide by zero"),
        ("int(platform) == 1", "the expression cannot be evaluated: cannot convert string to int"),
        ("platform.matches('(')", "the expression cannot be evaluated: invalid regular expression"),
        ("(" * 300 + "true" + ")" * 300, "the expression does not compile: Expression recursion limit exceeded"),
    ],
)
def test_a_bad_expression_is_an_error_with_its_cause(expression: str, cause: str) -> None:
    with pytest.raises(ConditionError) as refusal:
        matches({"expression": expression}, HERE)
    assert cause in str(refusal.value)
    assert "INVALID_ARGUMENT" not in str(refusal.value)


@pytest.mark.parametrize(
    "selector",
    [
        {"platform": {"equals": "gcp"}},
        {"gpuArchitecture": {"equals": "h100"}},
        {"workloadKind": "Job"},
        {"topology": {"mode": "simple"}},
        {"topology": {"domainCount": {"lessThan": 1}}},
        {"config": {}},
    ],
    ids=str,
)
def test_an_expression_behind_another_selector_that_fails_is_never_looked_at(selector: dict[str, Any]) -> None:
    assert not matches({**selector, "expression": "this is no CEL"}, HERE)


def test_selectors_without_an_expression_do_not_import_cel() -> None:
    program = (
        "import sys; from nvcre_render.conditions import *; matches({'platform': {'equals': 'a'}}, Context());"
        "assert not [name for name in sys.modules if 'cel' in name.split('.')[0]], sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# -- while building ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({}, True),
        ({"platform": {"equals": "aws"}, "gpuArchitecture": {"in": ["gb300"]}}, True),
        ({"platform": {"equals": "gcp"}}, False),
        ({"expression": "platform == 'aws' && domainCount == 0"}, True),
        ({"workloadKind": "TrainJob"}, False),
        ({"topology": {"mode": "simple"}}, False),
        ({"expression": "nodes > 1"}, False),
        ({"expression": "domainCount + 1"}, False),
    ],
    ids=str,
)
def test_while_building_only_the_target_is_known_and_errors_do_not_match(when: dict[str, Any], expected: bool) -> None:
    assert conditions.matches_while_building(when, "aws", "gb300") is expected


# -- the context -------------------------------------------------------------------------------------------------


def test_the_context_is_read_off_the_spec_as_built() -> None:
    train_job: dict[str, Any] = {"spec": {"workload": {"trainJob": {}}}}
    plain = conditions.context({"jobTemplate": train_job}, platform="aws", gpu_architecture="h100")
    assert (plain.workload_kind, plain.topology_mode, plain.domain_count) == ("TrainJob", "simple", 0)
    racks = {"jobTemplate": {}, "orchestration": {"topology": {"topologyKey": ""}}}
    cut = conditions.context(racks, platform="", gpu_architecture="unknown", domain_count=2)
    assert (cut.workload_kind, cut.topology_mode, cut.domain_count) == ("", "topology", 2)
    assert cut.config is None


# -- in words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({}, "<always>"),
        ({"platform": {"equals": "aws"}}, "platform=aws"),
        ({"platform": {}}, "platform=<any>"),
        ({"platform": {"in": ["a", "b"], "notIn": ["c"]}}, "platform=in [a,b]"),
        ({"platform": {"notIn": ["c"]}}, "platform=notIn [c]"),
        ({"platform": {"equals": "a", "in": ["b"]}}, "platform=a"),
        ({"platform": {"equals": "a"}, "gpuArchitecture": {"equals": "b"}}, "gpuArchitecture=b, platform=a"),
        ({"workloadKind": "TrainJob", "topology": {"mode": "simple"}}, "workloadKind=TrainJob, topology.mode=simple"),
        ({"topology": {"domainCount": {"equals": 4}}}, "topology.domainCount==4"),
        ({"topology": {"domainCount": {"lessThan": 9, "greaterThan": 0}}}, "topology.domainCount=>0,<9"),
        ({"config": {}}, "config=<custom>"),
        ({"config": {"a": 1}, "expression": "true"}, "config=<custom>, expression=true"),
        ({"expression": "x" * 40}, "expression=" + "x" * 40),
        ({"expression": "x" * 41}, "expression=" + "x" * 37 + "..."),
        ({"expression": "\u00e9" * 21}, "expression=" + "\u00e9" * 18 + "\ufffd..."),
    ],
    ids=str,
)
def test_a_when_in_words(when: dict[str, Any], expected: str) -> None:
    assert summary(when) == expected
