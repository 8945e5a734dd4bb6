"""The form `plan`: one step of planning, or a whole plan."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nvcre_render.checks import orchestration, plan_rules
from nvcre_render.contract import WORKFLOW_LABELS
from nvcre_render.diagnostics import RenderError
from nvcre_render.document import from_mapping
from nvcre_render.planning import (
    affinity,
    capacity,
    contract,
    copies,
    dependencies,
    detection,
    discovery,
    naming,
    partition,
    patches,
    placement,
    planner,
    renaming,
    size,
    tolerations,
)
from nvcre_render.planning.exclusion import Exclusion
from nvcre_render.planning.group import PartitionError
from nvcre_render.planning.node import by_name, read
from tests.cases.case import CaseError
from tests.cases.compare import Difference, compare, mentions
from tests.cases.document import dig, load_mapping
from tests.cases.product import Product

Input = dict[str, Any]
Operation = Callable[[Input], dict[str, Any]]

_DECLARED = frozenset({"description", "operation", "basis", "input", "expected", "error"})


class RefusedError(Exception):
    """The product refused: the condition's reason, where there is one, and what its user reads."""

    def __init__(self, reason: str | None, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def _partition(given: Input) -> dict[str, Any]:
    nodes = {node["name"]: node.get("labels") or {} for node in given["nodes"]}
    key, strict = given.get("topologyKey") or "", bool(given.get("strictDomain"))
    groups = partition.partition(nodes, given["nodesPerJob"], key, strict=strict)
    return {"groups": [group.to_data() for group in groups]}


def _discover(given: Input) -> dict[str, Any]:
    found = discovery.discover(given.get("target"), map(read, given["nodes"]))
    return {"eligible": [node.name for node in found.eligible], "cordoned": list(found.cordoned)}


def _taint_match(given: Input) -> dict[str, Any]:
    return {"matches": discovery.has_taints(read(given["node"]), given.get("taintSelectors") or [])}


def _detect(given: Input) -> dict[str, Any]:
    nodes = by_name(map(read, given["nodes"]))
    platform = detection.common_platform(nodes)
    primary = detection.architecture(nodes)
    kept, others = detection.split(nodes, primary)
    return {
        "platform": platform,
        "gpuArchitecture": primary,
        "kept": [node.name for node in kept],
        "archExcluded": [node.name for node in others],
        "gpuProducts": list(detection.products(kept)),
    }


def _detect_platform(given: Input) -> dict[str, Any]:
    return {"platforms": [detection.platform(read(node)) for node in given["nodes"]]}


def _capacity(given: Input) -> dict[str, Any]:
    kept, small = capacity.split([read(node) for node in given["nodes"]], given["gpusPerNode"])
    excluded = [{"node": node.name, "allocatable": node.gpus} for node in small]
    return {"kept": [node.name for node in kept], "excluded": excluded}


def _required_gpus(given: Input) -> dict[str, Any]:
    return {"gpusPerNode": capacity.required(given["jobTemplate"], given.get("dependencies") or [])}


def _job_size(given: Input) -> dict[str, Any]:
    chosen = size.resolve(given.get("nodesPerJob"), given["eligible"], given.get("placement") or "", _exclusion(given))
    return {"nodesPerJob": chosen}


def _exclusion(given: Input) -> Exclusion:
    return Exclusion(
        gpu_architecture=given.get("gpuArchitecture") or "",
        need=given.get("gpusPerNode") or 0,
        cordoned=tuple(given.get("cordoned") or ()),
        other_architecture=tuple(given.get("archExcluded") or ()),
        too_small=tuple((each["node"], each["allocatable"]) for each in given.get("capacityExcluded") or ()),
    )


def _exclusion_summary(given: Input) -> dict[str, Any]:
    found = _exclusion(given)
    return {"excluded": list(found.nodes), "reason": found.reason}


def _affinity(given: Input) -> dict[str, Any]:
    hosts = affinity.hostnames(given.get("placement") or "", given.get("target"), given.get("groupNodes") or [])
    expressions = affinity.wanted(given.get("target"), given.get("gpuProducts") or [])
    return {"hostnames": hosts, "nodeAffinity": affinity.node_affinity(hosts, expressions)}


def _build_tolerations(given: Input) -> dict[str, Any]:
    return {"tolerations": tolerations.of_selectors(given.get("taintSelectors") or [])}


def _job_tolerations(given: Input) -> dict[str, Any]:
    found = tolerations.of_job(given.get("placement") or "", given.get("target"), launcher=given["hasLauncher"])
    return {"tolerations": found, "apply": bool(found)}


def _validate_placement(given: Input) -> dict[str, Any]:
    contract.read(given, WORKFLOW_LABELS).require_placement()
    return {"ignoredTopologyKey": placement.ignored_key(given["orchestration"])}


def _validate_run_placement(given: Input) -> dict[str, Any]:
    run: Any = {"spec": given}
    found = list(orchestration.check(run, from_mapping(run, "case")))
    if found:
        raise RefusedError("BuildFailed", "\n".join(map(str, found)))
    return {"valid": True}


def _truncate(given: Input) -> dict[str, Any]:
    return {"output": naming.truncate(given["input"], given["maxLength"])}


def _names(given: Input) -> dict[str, Any]:
    names = naming.names(given["workflowName"], given["totalGroups"], given["iterations"], given["iteration"])
    job = names.job(given["group"])
    return {"job": job, "workload": naming.train_job(job), "dependencySuffix": names.suffix(given["group"])}


def _names_chain(given: Input) -> dict[str, Any]:
    workflow = naming.truncate(given["workflowNameSource"], naming.WORKFLOW_LIMIT)
    job = naming.names(workflow, given["groups"], given["iterations"]).job("group-0")
    return {"workflow": workflow, "job": job, "workload": naming.train_job(job)}


def _classify(given: Input) -> dict[str, Any]:
    shared, copied = dependencies.classify(given["jobSpec"], copies.documents(given["dependencies"]))
    return {
        "workflowScoped": [dependencies.name(each) for each in shared],
        "jobScoped": [dependencies.name(each) for each in copied],
    }


def _order(given: Input) -> dict[str, Any]:
    return {"order": [dependencies.name(each) for each in dependencies.order(given["dependencies"])]}


def _rename(given: Input) -> dict[str, Any]:
    listed = given["dependencies"]
    new = renaming.replacements(renaming.renamed_words(listed), given["suffix"])
    return {"replacements": new, "dependencies": [renaming.substitute(each, new) for each in listed]}


def _is_resource_name(given: Input) -> dict[str, Any]:
    return {"results": [dependencies.is_name_shaped(value) for value in given["values"]]}


_STEPS: Mapping[str, Callable[[Input, Input], Input]] = {
    "ensure-launcher": lambda job, _: patches.with_launcher(job),
    "set-node-affinity": lambda job, step: patches.with_affinity(job, step["nodeAffinity"]),
    "set-tolerations": lambda job, step: patches.with_tolerations(job, step["tolerations"]),
    "inject-label": lambda job, step: patches.with_labels(job, {step["key"]: step["value"]}),
}


def _trainjob(given: Input) -> dict[str, Any]:
    job = given["trainJob"]
    for step in given["steps"]:
        job = _STEPS[step["step"]](job, step)
    return {"trainJob": job}


def _plan(given: Input) -> dict[str, Any]:
    made = planner.plan(given["workflow"], given["nodes"])
    data = made.to_data()
    keys = (
        *("platform", "gpuArchitecture", "gpuProducts", "gpusPerNode", "eligible", "nodesPerJob", "groups"),
        *("firstWave", "workflowScoped", "dependencies", "jobs", "trainJobs"),
    )
    found = {key: data[key] for key in keys}
    return {**found, "excluded": data["excluded"], "reason": data["exclusionReason"]} if made.excluded else found


# Every operation a case may have.
OPERATIONS: Mapping[str, Operation] = {
    "partition": _partition,
    "discover": _discover,
    "taint-match": _taint_match,
    "detect": _detect,
    "detect-platform": _detect_platform,
    "capacity": _capacity,
    "required-gpus": _required_gpus,
    "job-size": _job_size,
    "exclusion-summary": _exclusion_summary,
    "affinity": _affinity,
    "build-tolerations": _build_tolerations,
    "job-tolerations": _job_tolerations,
    "validate-placement": _validate_placement,
    "validate-workloadrun-placement": _validate_run_placement,
    "truncate": _truncate,
    "names": _names,
    "names-chain": _names_chain,
    "classify": _classify,
    "order": _order,
    "rename": _rename,
    "is-resource-name": _is_resource_name,
    "trainjob": _trainjob,
    "plan": _plan,
}
# Texts that a reason has to contain; they stand where the reason would.
_REASONS = ("reasonContains", "exclusionReasonContains")


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the expected outcome of the operation and the product's."""
    case = load_mapping(os.path.join(folder, "case.yaml"))
    name = str(case.get("operation"))
    if name not in OPERATIONS:
        raise CaseError(f"unknown operation of form plan: {name}")
    unknown = sorted(case.keys() - _DECLARED)
    if unknown or ("error" in case) == ("expected" in case):
        raise CaseError(f"a plan case has either expected or error, and no {', '.join(unknown) or 'other key'}")
    try:
        found = _run(OPERATIONS[name], case["input"])
    except RefusedError as refusal:
        yield from _refusal(case.get("error"), refusal)
    else:
        yield from _outcome(case.get("expected"), found)


def _run(operation: Operation, given: Input) -> dict[str, Any]:
    try:
        return operation(given)
    except RenderError as error:
        reasons = {**plan_rules.REASONS, **contract.REASONS}
        raise RefusedError(reasons.get(error.report.errors[0].code), str(error)) from error
    except PartitionError as error:
        raise RefusedError("PartitionError", str(error)) from error


def _refusal(error: dict[str, Any] | None, refusal: RefusedError) -> Iterator[Difference]:
    text = str(refusal)
    if error is None:
        yield Difference("error", "none", text)
        return
    if error.get("reason") not in (None, refusal.reason):
        yield Difference("error.reason", error["reason"], str(refusal.reason))
    yield from mentions(error.get("contains") or [], text, "error.contains")
    for index, listed in enumerate(error.get("notContains") or []):
        if str(listed) in text:
            yield Difference(f"error.notContains[{index}]", f"a text without {listed}", text)


def _outcome(expected: dict[str, Any] | None, found: dict[str, Any]) -> Iterator[Difference]:
    if expected is None:
        yield Difference("error", "a refusal", str(found))
        return
    reason = found.pop("reason", "")
    texts = [text for key in _REASONS for text in expected.get(key) or []]
    yield from compare({key: value for key, value in expected.items() if key not in _REASONS}, found, "expected")
    yield from mentions(texts, reason, "expected.reason")


def runtime_patches(workflow: dict[str, Any], options: dict[str, Any], product: Product) -> list[Any]:
    """The runtime patches of the one Job that a plan makes of a resolved Workflow, on the options' nodes."""
    nodes = [_node(name, workflow) for name in options.get("nodes") or []]
    (job,) = planner.plan(workflow, nodes, platform=options["platform"]).jobs
    patched: list[Any] = job["spec"]["workload"]["trainJob"].get("runtimePatches") or []
    return patched


def _node(name: str, workflow: dict[str, Any]) -> dict[str, Any]:
    """A Ready node of the target's product, with as many GPUs as each worker takes."""
    spec = workflow["spec"]
    product = dig(spec, "orchestration", "target", "nodeSelector", "nvidia.com/gpu.product")
    gpus = dig(spec, "jobTemplate", "spec", "workload", "trainJob", "trainer", "numProcPerNode")
    labels = {"kubernetes.io/hostname": name, "nvidia.com/gpu.present": "true"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**labels, **({"nvidia.com/gpu.product": product} if product else {})}},
        "spec": {},
        "status": {
            "allocatable": {"nvidia.com/gpu": str(gpus)},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
