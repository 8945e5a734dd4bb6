"""Placement, test scale, timeouts and thresholds (NR50x, NR60x). (NVCRE guide, orchestration.)"""

from __future__ import annotations

from nvcre_render import duration
from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun, WorkloadRunSpec

_MEASURED = "  bandwidthMeasurement: {logProfileRef: nccl-bandwidth}\n"
_GANG = "  gangScheduler: {schedulerName: kai-scheduler}\n"

UNPINNED_SCALE = Rule(
    code="NR501",
    name="unpinned-test-scale",
    severity=ERROR,
    summary="placement Unpinned together with a testScale that means several jobs.",
    why="Unpinned is exactly one job, placed by the scheduler; intra-node and intra-rack cut the nodes into many.",
    remedy="remove testScale; to stay inside one domain, put its label into target.matchExpressions",
    bad=run(f"{_GANG}  orchestration:\n    placement: Unpinned\n    testScale: intra-rack  # error\n"),
    good=run(f"{_GANG}  orchestration:\n    placement: Unpinned\n    testScale: full-scale\n"),
)
RACK_WITHOUT_KEY = Rule(
    code="NR502",
    name="intra-rack-without-key",
    severity=WARNING,
    summary="testScale intra-rack in a listed Workflow has no rack label yet.",
    why="The topologyKey is empty until a platform block or an override supplies it; the API server refuses it so.",
    remedy="render with --platform aws, gcp or azure, or add an override with orchestration.topology.topologyKey",
    bad=run("  orchestration: {testScale: intra-rack}  # warning\n"),
    good=run("  orchestration: {testScale: full-scale}\n"),
)
UNREADABLE_TIMEOUT = Rule(
    code="NR503",
    name="unreadable-timeout",
    severity=WARNING,
    summary="timeoutPerJob is not a Go duration and silently becomes 24h.",
    why="NVCRE falls back to 24 hours without a word.",
    remedy="write a Go duration, such as 90m, 36h or 1h30m; there is no unit for days",
    bad=run("  orchestration: {timeoutPerJob: 1d}  # warning\n"),
    good=run("  orchestration: {timeoutPerJob: 36h}\n"),
)
NO_TIME = Rule(
    code="NR504",
    name="no-time-per-job",
    severity=WARNING,
    summary="timeoutPerJob is zero or negative.",
    why="NVCRE takes it as it is, and a job has no time to run.",
    remedy="write a positive Go duration, such as 90m, or leave the field out for 24h",
    bad=run("  orchestration: {timeoutPerJob: -1h}  # warning\n"),
    good=run("  orchestration: {timeoutPerJob: 1h}\n"),
)
UNKNOWN_THRESHOLD = Rule(
    code="NR601",
    name="unknown-threshold",
    severity=ERROR,
    summary="A threshold on a metric that no measurement has.",
    why="NVCRE refuses to read the run.",
    remedy="write a key of the list, in its exact spelling",
    bad=run(f"{_MEASURED}  thresholds:\n    busBandwidth: value >= 900  # error\n"),
    good=run(f"{_MEASURED}  thresholds:\n    busBandwidthGBps: value >= 900\n"),
)
IGNORED_IMPLEMENTATION = Rule(
    code="NR602",
    name="ignored-mpi-implementation",
    severity=WARNING,
    summary="mpiImplementation names another MPI than OpenMPI.",
    why="Nothing reads the field: the runtime is OpenMPI whatever it says.",
    remedy="remove the field, or write OpenMPI",
    bad=run().replace(
        "{torch: {script: /train.py}}",
        "{mpi: {binary: /b, mpirunPath: /m, mpiImplementation: MPICH}}  # warning",
    ),
    good=run().replace("{torch: {script: /train.py}}", "{mpi: {binary: /b, mpirunPath: /m}}"),
)

THRESHOLDS = (
    *("busBandwidthGBps", "algBandwidthGBps", "goodputRatio", "avgTFLOPsPerGPU", "avgStepTimeSec"),
    *("c2cCPUToGPUBandwidthGBps", "c2cGPUToCPUBandwidthGBps", "c2cVerified"),
)
_SCALE_MEANS = {"intra-node": "one job per node", "intra-rack": "one job per topology domain"}
_ORCHESTRATION = ("spec", "orchestration")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with, or without effect in, orchestration, thresholds and the mpi block."""
    spec = run.get("spec", {})
    yield from _check_placement(spec, document)
    yield from _check_timeout(spec, document)
    yield from _check_thresholds(run, document)
    implementation = spec.get("framework", {}).get("mpi", {}).get("mpiImplementation", "")
    if implementation not in ("", "OpenMPI"):
        path = ("spec", "framework", "mpi", "mpiImplementation")
        yield IGNORED_IMPLEMENTATION.at(document, path, f'"{implementation}" has no effect; the runtime is OpenMPI')


def _check_placement(spec: WorkloadRunSpec, document: Document) -> Iterator[Diagnostic]:
    given = spec.get("orchestration", {})
    scale = given.get("testScale", "")
    if given.get("placement") == "Unpinned" and scale in _SCALE_MEANS:
        message = (
            f'orchestration.placement: Unpinned runs exactly one job, but orchestration.testScale "{scale}" '
            f"means {_SCALE_MEANS[scale]}"
        )
        yield UNPINNED_SCALE.at(document, (*_ORCHESTRATION, "testScale"), message)


def _check_timeout(spec: WorkloadRunSpec, document: Document) -> Iterator[Diagnostic]:
    text = spec.get("orchestration", {}).get("timeoutPerJob", "")
    if not text:
        return
    try:
        if duration.parse(text) <= 0:
            message = f'"{text}" leaves a job no time'
            yield NO_TIME.at(document, (*_ORCHESTRATION, "timeoutPerJob"), message)
    except duration.InvalidDurationError:
        message = f'"{text}" is not a Go duration, so the time limit is 24h'
        yield UNREADABLE_TIMEOUT.at(document, (*_ORCHESTRATION, "timeoutPerJob"), message)


def check_rack_key(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield a warning when a listed Workflow is left without the key of its racks."""
    if run["spec"].get("orchestration", {}).get("testScale") == "intra-rack":
        message = 'topologyKey is "" until a platform block or an override supplies the label of a rack'
        yield RACK_WITHOUT_KEY.at(document, (*_ORCHESTRATION, "testScale"), message)


def _check_thresholds(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    given = run.get("spec", {}).get("thresholds", {})
    unknown = sorted(given.keys() - set(THRESHOLDS))
    if not unknown:
        return
    from nvcre_render.checks.spelling import suggestion

    name, known = run.get("metadata", {}).get("name", ""), ", ".join(THRESHOLDS)
    message = f"workloadrun {name}: unknown threshold key(s) [{', '.join(unknown)}]; valid keys: [{known}]"
    for key in unknown:
        near = suggestion(key, THRESHOLDS)
        hint = f'did you mean "{near}"?' if near else ""
        yield UNKNOWN_THRESHOLD.at(document, ("spec", "thresholds", key), message, remedy=hint, on_key=True)
