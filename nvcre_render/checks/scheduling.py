"""Advice on placement and gang scheduling (NR521 to NR525). (NVCRE guide, placement and gang scheduling.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun

_GANG = "  gangScheduler: {schedulerName: kai-scheduler, queue: team-a}\n"
_UNPINNED = "  orchestration: {placement: Unpinned}\n"
_RUNAI = "  gangScheduler: {schedulerName: runai-scheduler, queueLabelKey: runai/queue, queue: project-a}\n"

UNPINNED_WITHOUT_GANG = Rule(
    code="NR521",
    name="unpinned-without-gang",
    severity=WARNING,
    summary="placement Unpinned on several nodes, without a gang scheduler.",
    why="The scheduler binds the pods one by one: some can get their nodes and wait for the others for ever.",
    remedy="add gangScheduler with the schedulerName of your cluster, such as kai-scheduler",
    bad=run("  orchestration: {placement: Unpinned}  # warning\n"),
    good=run(_UNPINNED + _GANG),
)
DEFAULT_RUNAI_QUEUE = Rule(
    code="NR522",
    name="runai-default-queue",
    severity=WARNING,
    summary="Run:ai as gang scheduler, without a queue.",
    why="The queue becomes default-queue, which is not a queue of Run:ai unless somebody made one of that name.",
    remedy="add queue with the name of an existing queue",
    bad=run("  gangScheduler: {schedulerName: runai-scheduler, queueLabelKey: runai/queue}  # warning\n"),
    good=run(_RUNAI),
)
RUNAI_LABEL_KEY = Rule(
    code="NR523",
    name="runai-queue-label-key",
    severity=WARNING,
    summary="Run:ai as gang scheduler, with the queue on another label than runai/queue.",
    why="Run:ai reads the queue of a workload from runai/queue, so the one given here is not seen.",
    remedy="write queueLabelKey: runai/queue",
    bad=run("  gangScheduler: {schedulerName: runai-scheduler, queue: project-a}  # warning\n"),
    good=run(_RUNAI),
)
IGNORED_TOPOLOGY = Rule(
    code="NR524",
    name="unpinned-topology",
    severity=WARNING,
    summary="An override sets a topologyKey for a run that is Unpinned.",
    why="The key only drives how nodes are cut into groups; Unpinned has no groups, so it does nothing.",
    remedy="remove topology; to stay inside one domain, put its label into target.matchExpressions",
    bad=run(
        f"{_UNPINNED}{_GANG}  overrides:\n    - when: {{}}\n"
        "      orchestration: {topology: {topologyKey: example.com/rack}}  # warning\n"
    ),
    good=run(
        f"{_GANG}  overrides:\n    - when: {{}}\n      orchestration: {{topology: {{topologyKey: example.com/rack}}}}\n"
    ),
)
IGNORED_SIZE = Rule(
    code="NR525",
    name="node-count-of-single-nodes",
    severity=WARNING,
    summary="numNodes is more than 1 under testScale intra-node.",
    why="intra-node makes one job of each node, whatever numNodes says.",
    remedy="write numNodes: 1, or remove testScale",
    bad=run("  orchestration: {testScale: intra-node}\n", nodes="4  # warning"),
    good=run("  orchestration: {testScale: intra-node}\n", nodes="1"),
)

RUNAI, RUNAI_KEY = "runai-scheduler", "runai/queue"
_ORCHESTRATION = ("spec", "orchestration")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is accepted in orchestration and gangScheduler, but not what it says."""
    spec: Any = run["spec"]
    given = spec.get("orchestration", {})
    nodes = spec.get("numNodes", 1)
    gang = spec.get("gangScheduler", {})
    if given.get("placement") == "Unpinned" and nodes > 1 and not gang.get("schedulerName"):
        message = f"{nodes} pods are scheduled one by one, and some may wait for the others for ever"
        yield UNPINNED_WITHOUT_GANG.at(document, (*_ORCHESTRATION, "placement"), message)
    if given.get("testScale") == "intra-node" and nodes > 1:
        message = f"{nodes} is without effect: testScale intra-node makes a job of each single node"
        place = document.position((*_ORCHESTRATION, "testScale"))
        related = ((place, "the test scale is given here"),) if place else ()
        yield IGNORED_SIZE.at(document, ("spec", "numNodes"), message, related=related)
    if gang.get("schedulerName") == RUNAI:
        yield from _check_runai(gang, document)
    for index, override in enumerate(spec.get("overrides", [])):
        yield from _check_topology(override.get("orchestration", {}), index, given, document)


def _check_runai(gang: Any, document: Document) -> Iterator[Diagnostic]:
    path = ("spec", "gangScheduler")
    if not gang.get("queue"):
        message = "without queue the run goes to default-queue, which is not a queue of Run:ai by itself"
        yield DEFAULT_RUNAI_QUEUE.at(document, path, message, on_key=True)
    key = gang.get("queueLabelKey", "")
    if key != RUNAI_KEY:
        message = f"the queue stands on the label {key or 'kai.scheduler/queue'}; Run:ai reads {RUNAI_KEY}"
        yield RUNAI_LABEL_KEY.at(document, (*path, "queueLabelKey") if key else path, message, on_key=not key)


def _check_topology(change: Any, index: int, given: Any, document: Document) -> Iterator[Diagnostic]:
    placement = change.get("placement") or given.get("placement")
    topology = change.get("topology", {})
    # A strict domain under Unpinned is refused, by a rule of its own.
    if placement == "Unpinned" and topology.get("topologyKey") and not topology.get("strictDomain"):
        path = ("spec", "overrides", index, "orchestration", "topology", "topologyKey")
        yield IGNORED_TOPOLOGY.at(document, path, f'"{topology["topologyKey"]}" does nothing under placement Unpinned')
