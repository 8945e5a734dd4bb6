"""Placement and test scale, the time limit, thresholds, and fields that nothing reads."""

from __future__ import annotations

import itertools

import pytest

import nvcre_render as nr
from tests import manifests
from tests.manifests import MPI, Json, manifest, with_spec

OURS = ("NR20", "NR501", "NR502", "NR503", "NR601", "NR602")  # what else may be said of these runs is not looked at

METRICS = [
    "busBandwidthGBps",
    "algBandwidthGBps",
    "goodputRatio",
    "avgTFLOPsPerGPU",
    "avgStepTimeSec",
    "c2cCPUToGPUBandwidthGBps",
    "c2cGPUToCPUBandwidthGBps",
    "c2cVerified",
]
SCALES = [None, "", "full-scale", "intra-node", "intra-rack"]


def said(run: Json) -> nr.Report:
    return nr.Report(found for found in nr.validate(run) if found.code.startswith(OURS))


def faults(run: Json | str) -> list[tuple[str, str]]:
    return manifests.faults(run, *OURS)


def complaint(text: str) -> nr.Diagnostic:
    return manifests.complaint(text, *OURS)


# Placement


@pytest.mark.parametrize(
    ("placement", "scale"),
    list(itertools.product([None, "", "Pinned"], SCALES)) + [("Unpinned", s) for s in SCALES[:3]],
)
def test_placement_and_scale_that_go_together(placement: str | None, scale: str | None) -> None:
    # One node, so that nothing is to be said about pods that wait for one another.
    assert faults(manifest(numNodes=1, orchestration={"placement": placement, "testScale": scale})) == []


@pytest.mark.parametrize(
    ("scale", "meaning"), [("intra-node", "one job per node"), ("intra-rack", "one job per topology domain")]
)
def test_unpinned_is_one_job_and_these_scales_are_many(scale: str, meaning: str) -> None:
    lines = f"gangScheduler: {{schedulerName: s}}\norchestration: {{placement: Unpinned, testScale: @{scale}}}"
    found = complaint(with_spec(lines))
    assert (found.code, found.severity, found.field) == ("NR501", "error", "spec.orchestration.testScale")
    for part in ("orchestration.placement: Unpinned", f'orchestration.testScale "{scale}"', "exactly one job", meaning):
        assert part in found.message
    assert "target.matchExpressions" in found.remedy


# intra-rack leaves its key to platform or override; only a render knows whether one came


def test_a_listed_intra_rack_says_that_the_key_is_missing() -> None:
    run = with_spec("orchestration: {testScale: intra-rack}")
    assert faults(run) == []
    (found,) = nr.render(run, filename="run.yaml", gpu_arch="h100").diagnostics
    assert (found.code, found.severity, found.field) == ("NR502", "warning", "spec.orchestration.testScale")
    assert found.position == nr.Position(file="run.yaml", line=8, column=30)
    assert "--platform" in found.remedy
    assert "orchestration.topology.topologyKey" in found.remedy


@pytest.mark.parametrize("scale", [None, "", "full-scale", "intra-node"])
def test_other_scales_need_no_key(scale: str | None) -> None:
    found = nr.render(manifest(orchestration={"testScale": scale}), gpu_arch="h100").diagnostics
    assert "NR502" not in [each.code for each in found]


# The time limit


@pytest.mark.parametrize("text", ["24h", "90m", "1h30m", "1.5h", "0", "0s", "500ms", "-1h", "+1h", ""])
def test_a_go_duration(text: str) -> None:
    assert faults(manifest(orchestration={"timeoutPerJob": text})) == []


@pytest.mark.parametrize("text", ["1d", "90", "1 h", "one hour", "1H", "P1D", "10:00", "1h\n", "9999999999h"])
def test_any_other_text_becomes_a_day_with_a_warning(text: str) -> None:
    report = said(manifest(orchestration={"timeoutPerJob": text}))
    (found,) = report
    assert (found.code, found.severity, found.field) == ("NR503", "warning", "spec.orchestration.timeoutPerJob")
    assert f'"{text}"' in found.message
    assert "24h" in found.message
    assert report.ok


def test_the_warning_stands_at_the_text() -> None:
    assert complaint(with_spec("orchestration:\n  timeoutPerJob: @2 days")).code == "NR503"


# Thresholds


def test_every_metric_may_have_a_threshold() -> None:
    assert faults(manifest(thresholds=dict.fromkeys(METRICS, "value >= 1"))) == []
    assert faults(manifest(thresholds={})) == []


def test_unknown_metrics_are_named_together_and_found_one_by_one() -> None:
    text = with_spec("thresholds:\n  @speed: value > 1\n  goodputRatio: value > 0.9\n  @avgTFLOPSPerGPU: value > 300")
    first, second = manifests.complaints(text, *OURS)
    assert {first.code, second.code} == {"NR601"}
    assert first.message == second.message
    assert first.message == (
        f"workloadrun run: unknown threshold key(s) [avgTFLOPSPerGPU, speed]; valid keys: [{', '.join(METRICS)}]"
    )
    assert second.remedy == 'did you mean "avgTFLOPsPerGPU"?'
    assert first.remedy == "write a key of the list, in its exact spelling"


@pytest.mark.parametrize(
    ("key", "meant"),
    [("busBandwidth", "busBandwidthGBps"), ("goodputratio", "goodputRatio"), ("c2cverified", "c2cVerified")],
)
def test_a_near_spelling_is_suggested(key: str, meant: str) -> None:
    (found,) = said(manifest(thresholds={key: "value >= 1"}))
    assert (found.code, found.remedy) == ("NR601", f'did you mean "{meant}"?')


# The MPI implementation


@pytest.mark.parametrize("name", [None, "", "OpenMPI"])
def test_open_mpi_is_what_runs(name: str | None) -> None:
    assert faults(manifest({"mpi": {**MPI["mpi"], "mpiImplementation": name}})) == []


@pytest.mark.parametrize("name", ["MPICH", "Intel", "openmpi"])
def test_another_implementation_has_no_effect_and_says_so(name: str) -> None:
    report = said(manifest({"mpi": {**MPI["mpi"], "mpiImplementation": name}}))
    (found,) = report
    assert (found.code, found.severity, found.field) == ("NR602", "warning", "spec.framework.mpi.mpiImplementation")
    assert f'"{name}"' in found.message
    assert report.ok
    workflow = nr.render(manifest({"mpi": {**MPI["mpi"], "mpiImplementation": name}}), gpu_arch="h100").workflow
    assert workflow["spec"]["dependencies"][0]["spec"]["mlPolicy"]["mpi"]["mpiImplementation"] == "OpenMPI"  # type: ignore[typeddict-item]
