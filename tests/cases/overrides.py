"""The form `overrides`: a Workflow spec and a context in, the resolved spec or an error out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import yaml

from nvcre_render import contract, gang, overrides
from nvcre_render.checks import schema
from nvcre_render.conditions import Context, matches_while_building
from nvcre_render.contract import Finding
from nvcre_render.lower import blocks, environment, labels, trainer
from nvcre_render.lower.labels import Gang
from nvcre_render.overrides import OverrideError
from nvcre_render.planning import renaming
from tests.cases import operation
from tests.cases.case import CaseError
from tests.cases.compare import Difference, compare, mentions, show
from tests.cases.document import dig
from tests.cases.manifest import ANY_ARCHITECTURE
from tests.cases.product import Form, Product, RefusedError

Case = dict[str, Any]
Found = dict[str, Any]

_DECLARED = frozenset({"kind", "description", "expected", "error", "applied"})
_COUNTS = ("gpusPerNode", "mlnxPerNode", "enableMNNVL")
_TARGET = ("platform", "gpuArchitecture")
_CONTEXT = {
    "platform": "platform",
    "gpuArchitecture": "gpu_architecture",
    "workloadKind": "workload_kind",
    "topologyMode": "topology_mode",
    "domainCount": "domain_count",
    "config": "config",
}


class DeclinedError(Exception):
    """The product refused: what its user reads, and the stage where cases tell one."""

    def __init__(self, text: str, stage: str | None = None) -> None:
        super().__init__(text)
        self.stage = stage


def _resolve(case: Case, _: Product) -> Found:
    given = case.get("context") or {}
    _only(given, _CONTEXT, "context")
    context = Context(**{_CONTEXT[key]: value for key, value in given.items()})
    try:
        resolved = overrides.resolve(_spec(case["workflow"]), context)
    except OverrideError as error:
        raise DeclinedError(str(error)) from error
    found = {"expected": resolved.spec, "applied": [each.as_data() for each in resolved.applied]}
    return {key: value for key, value in found.items() if key in case}


def _contract(case: Case, _: Product) -> Found:
    spec, findings = contract.check(_spec(case["workflow"]), contract.RUN_LABELS)
    _refuse(findings)
    return {"expected": spec}


def _workload_run(case: Case, product: Product) -> Found:
    given = case.get("context") or {}
    _only(given, (*_COUNTS, *_TARGET), "context")
    run = case["workloadRun"]
    counts = {key: given[key] for key in _COUNTS if key in given}
    text = yaml.safe_dump({**run, "spec": {**counts, **run["spec"]}})
    target = {"platform": given.get("platform"), "gpu_arch": given.get("gpuArchitecture") or ANY_ARCHITECTURE}
    stages: list[tuple[str, Form]] = [("build", "listed"), ("resolve", "resolved")]
    for stage, form in stages if target["platform"] else stages[:1]:
        try:
            workflow = product.render(text, filename="run.yaml", **target, overrides=form)
        except RefusedError as refusal:
            raise DeclinedError(str(refusal), stage) from refusal
    found = {
        "workloadMetadata": dig(workflow, "spec", "jobTemplate", "spec", "workloadMetadata"),
        "gangScheduler": dig(workflow, "spec", "gangScheduler"),
    }
    return {"expected": found}


def _user_env(case: Case, _: Product) -> Found:
    return {"expected": environment.prefer(case["userEnv"], case["platformOverride"])}


def _mpi_args(case: Case, _: Product) -> Found:
    target = case["context"]
    _only(target, _TARGET, "context")
    known = {"platform": target.get("platform") or "", "gpu_architecture": target.get("gpuArchitecture") or ""}
    matching = [block for block in case["platformOverrides"] if matches_while_building(block["when"], **known)]
    return {"expected": {"mpiArgs": blocks.mpi_args(matching) + (case.get("userMpiArgs") or [])}}


def _mpi_env(case: Case, _: Product) -> Found:
    return {"expected": {"args": environment.forward(case["env"], case["mpiArgs"])}}


def _pre_command(case: Case, _: Product) -> Found:
    path = ("spec", "workload", "trainJob", "trainer")
    template, found = case["jobTemplate"], dig(case["jobTemplate"], *path)
    if found is None:
        return {"expected": template}
    line = (found.get("command") or [], found.get("args") or [])
    command, args = trainer.wrap(case["preCommand"], line)
    return {"expected": gang.replaced_at(template, path, {**found, "command": command, "args": args})}


def _rename(case: Case, _: Product) -> Found:
    before = case["dependency"]
    after = renaming.substitute(before, case["replacements"])
    scheduler = _gang(case)
    return {"expected": gang.restored(before, after, scheduler) if scheduler else after}


def _runtime_gang(case: Case, _: Product) -> Found:
    scheduler = _gang(case)
    written = gang.written(case["dependencies"], scheduler) if scheduler else case["dependencies"]
    return {"expected": {"dependencies": written}}


def _compose(case: Case, _: Product) -> Found:
    scheduler = _gang(case)
    own = {**(case.get("templateLabels") or {}), **(case.get("workloadLabels") or {})}
    composed, findings = contract.with_queue(own, scheduler, contract.RUN_LABELS)
    _refuse([*findings, *contract.check_labels(composed, contract.RUN_LABELS)])
    return {"expected": {"labels": composed or None, "gangScheduler": _gang_data(scheduler)}}


def _spec(given: dict[str, Any]) -> dict[str, Any]:
    """A Workflow's spec as the API holds it, which is how the product reads one."""
    complete = {"orchestration": {}, **given}
    spec, findings = schema.normalise(complete, "workflow.v1alpha1", "WorkflowSpec")
    if not isinstance(spec, dict):
        raise CaseError(f"the workflow is no Workflow spec: {findings}")
    return spec


def _gang(case: Case) -> Gang | None:
    spec: Any = {"gangScheduler": case.get("gangScheduler") or {}}
    return labels.gang(spec)


def _gang_data(scheduler: Gang | None) -> dict[str, str] | None:
    if scheduler is None:
        return None
    return {
        "schedulerName": scheduler.scheduler_name,
        "queue": scheduler.queue,
        "queueLabelKey": scheduler.queue_label_key,
    }


def _refuse(findings: Iterable[Finding]) -> None:
    texts = [each.message for each in findings]
    if texts:
        raise DeclinedError("\n".join(texts))


def _only(given: Mapping[str, Any], known: Collection[str], what: str) -> None:
    unknown = sorted(given.keys() - set(known))
    if unknown:
        raise CaseError(f"unknown keys in {what}: {', '.join(unknown)}")


def _judged(find: Callable[[Case, Product], Found], inputs: str) -> operation.Operation:
    """An operation that compares what the product finds with `expected` and `applied`, or its refusal with `error`."""

    def judge(case: Case, product: Product) -> Iterator[Difference]:
        _only(case, {*_DECLARED, *inputs.split()}, "a case")
        if ("expected" in case) == ("error" in case):
            raise CaseError("a case has either expected or error")
        try:
            found = find(case, product)
        except DeclinedError as refusal:
            yield from _refusal(case, refusal)
            return
        if "error" in case:
            yield Difference("error", f"a refusal that mentions {case['error']['contains']}", show(found))
            return
        for key in ("expected", "applied"):
            if key in case:
                yield from compare(case[key], found.get(key), key)

    return judge


def _refusal(case: Case, refusal: DeclinedError) -> Iterator[Difference]:
    if "error" not in case:
        yield Difference("expected", "no error", f"refused: {refusal}")
        return
    error = case["error"]
    _only(error, ("contains", "stage"), "an error")
    if "stage" in error and error["stage"] != refusal.stage:
        yield Difference("error.stage", error["stage"], str(refusal.stage))
    yield from mentions(error["contains"], str(refusal), "error.contains")


OPERATIONS: Mapping[str, operation.Operation | None] = {
    "resolve": _judged(_resolve, "workflow context"),
    "gang": _judged(_contract, "workflow"),
    "labels": _judged(_contract, "workflow"),
    "workloadrun": _judged(_workload_run, "workloadRun context"),
    "user-env": _judged(_user_env, "platformOverride userEnv"),
    "mpi-args": _judged(_mpi_args, "platformOverrides userMpiArgs context"),
    "mpi-env": _judged(_mpi_env, "env mpiArgs"),
    "pre-command": _judged(_pre_command, "jobTemplate preCommand"),
    "rename": _judged(_rename, "gangScheduler replacements dependency"),
    "runtime-gang": _judged(_runtime_gang, "gangScheduler dependencies"),
    "compose": _judged(_compose, "gangScheduler workloadLabels templateLabels"),
}


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the expected outcome of the kind and the product's."""
    return operation.check(folder, product, form="overrides", key="kind", operations=OPERATIONS)
