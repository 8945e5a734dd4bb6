"""Conditions of overrides that hold nowhere, or everywhere."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from tests.manifests import Json, complaint, faults, manifest, with_spec

PATCH: Json = {"orchestration": {"iterations": 2}}


def judged(when: Json) -> list[tuple[str, str]]:
    return faults(manifest(overrides=[{"when": when, **PATCH}]))


@pytest.mark.parametrize(
    "when",
    [
        {},
        {"platform": {"equals": "aws"}},
        {"platform": {"in": ["aws", "elsewhere"]}},
        {"platform": {"notIn": ["elsewhere"]}},
        {"platform": {"in": ["aws", "gcp"], "notIn": ["gcp"]}},
        {"gpuArchitecture": {"equals": "gb200"}},
        {"gpuArchitecture": {"equals": "h20"}},  # outside the table, yet an architecture
        {"gpuArchitecture": {"in": ["t4", "a10", "unknown"]}},
        {"workloadKind": "TrainJob"},
        {"workloadKind": ""},
        {"topology": {"mode": "simple"}},
        {"topology": {"mode": "topology", "domainCount": {"greaterThan": 1, "lessThan": 3}}},
        {"topology": {"domainCount": {"equals": 0}}},
        {"topology": {"domainCount": {}}},
        {"config": None},
        {"expression": "domainCount > 1"},
    ],
)
def test_conditions_that_can_hold(when: Json) -> None:
    assert judged(when) == []


@pytest.mark.parametrize(
    ("when", "field"),
    [
        ({"platform": {"equals": "AWS"}}, "platform.equals"),
        ({"platform": {"in": ["amazon", "google"]}}, "platform.in"),
        ({"platform": {"equals": "aws", "in": ["gcp"]}}, "platform"),
        ({"platform": {"equals": "aws", "notIn": ["aws"]}}, "platform"),
        ({"platform": {"in": ["aws"], "notIn": ["aws"]}}, "platform"),
        ({"gpuArchitecture": {"equals": "H100"}}, "gpuArchitecture.equals"),
        ({"gpuArchitecture": {"equals": "NVIDIA-H100"}}, "gpuArchitecture.equals"),
        ({"gpuArchitecture": {"equals": "gb2oo"}}, "gpuArchitecture.equals"),
        ({"gpuArchitecture": {"in": ["H100", "a 100"]}}, "gpuArchitecture.in"),
        ({"workloadKind": "Job"}, "workloadKind"),
        ({"topology": {"mode": "single-rack"}}, "topology.mode"),
        ({"topology": {"domainCount": {"lessThan": 0}}}, "topology.domainCount"),
        ({"topology": {"domainCount": {"equals": -1}}}, "topology.domainCount"),
        ({"topology": {"domainCount": {"greaterThan": 3, "lessThan": 4}}}, "topology.domainCount"),
        ({"topology": {"domainCount": {"equals": 2, "greaterThan": 2}}}, "topology.domainCount"),
        ({"config": {"a": 1}}, "config"),
        ({"config": {}}, "config"),
    ],
)
def test_conditions_that_hold_nowhere(when: Json, field: str) -> None:
    assert judged(when) == [("NR621", f"spec.overrides[0].when.{field}")]


@pytest.mark.parametrize("matcher", [{}, {"equals": ""}, {"in": []}, {"notIn": []}, {"equals": None}])
def test_matchers_that_compare_nothing(matcher: Json) -> None:
    for selector in ("platform", "gpuArchitecture"):
        assert judged({selector: matcher}) == [("NR622", f"spec.overrides[0].when.{selector}")]


def test_the_near_name_is_offered() -> None:
    found = complaint(with_spec("overrides:\n- when: {platform: {equals: @gpc}}\n  orchestration: {iterations: 2}"))
    assert found.remedy.endswith('did you mean "gcp"?')


def test_a_wrong_type_or_field_is_one_finding() -> None:
    assert [code for code, _ in judged({"platform": {"equals": 5}})] == ["NR203"]
    assert [code for code, _ in judged({"platform": {"equal": "aws"}})] == ["NR201"]
    assert [code for code, _ in judged({"platform": "aws"})] == ["NR202"]


def test_a_platform_of_ones_own_is_known() -> None:
    from nvcre_render import compiler, fragments
    from nvcre_render.rendering import Target

    package = fragments.package()
    library = fragments.Library(platforms=(*package.platforms, "here"), blocks=package.blocks, lists=package.lists)
    run = manifest(overrides=[{"when": {"platform": {"equals": "here"}}, **PATCH}])
    documents, findings = compiler.read(run, "run.yaml")
    assert list(compiler.validate(documents, findings, Target(library=library), "run.yaml")) == []
    assert [found.code for found in nr.validate(run)] == ["NR621"]
