"""The form `render`: a WorkloadRun in, all or part of a Workflow out."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.cases import containment, plan, reading
from tests.cases.case import CaseError
from tests.cases.command import judge
from tests.cases.compare import Difference, compare, join, mentions, show
from tests.cases.document import dig, load_mapping, text
from tests.cases.manifest import ANY_ARCHITECTURE, names_product, runs, with_counts
from tests.cases.product import Form, Product, RefusedError

_COUNTS = ("gpusPerNode", "mlnxPerNode", "enableMNNVL")
_OPTIONS = {"platform", "gpuArch", "frameworkType", "path", "nodes", *_COUNTS}
_EXPECTED = {"covers", "value", "scriptExecArgv", "error"}
_ARCHITECTURE = "nvcrectl.nvidia.com/detected-gpu-architecture"


@dataclass(frozen=True)
class RenderCase:
    """One render case, its manifest completed by what the options state."""

    path: str
    manifest: str
    options: dict[str, Any]
    expected: dict[str, Any]
    product: Product

    @property
    def covers(self) -> str:
        """What of the Workflow the case is about."""
        return str(self.expected.get("covers", ""))

    @property
    def value(self) -> Any:
        """What is expected of that."""
        return self.expected["value"]

    @property
    def run(self) -> dict[str, Any]:
        """The WorkloadRun as a mapping."""
        return next(iter(runs(self.manifest)), {})

    @property
    def gpu_arch(self) -> str | None:
        """The architecture to render for: any known one where neither options nor manifest name it."""
        given: str | None = self.options.get("gpuArch")
        return given or (None if names_product(self.manifest) else ANY_ARCHITECTURE)

    @property
    def form(self) -> Form:
        """Which of the two outputs the case reads."""
        after = self.covers.startswith(("resolved", "after-overrides", "containment after overrides"))
        return "resolved" if after or dig(self.expected, "error", "stage") == "after-overrides" else "listed"

    def workflow(self) -> dict[str, Any]:
        """The Workflow the product makes of the manifest, or RefusedError."""
        return self.product.render(
            self.manifest,
            filename=self.path,
            platform=self.options.get("platform"),
            gpu_arch=self.gpu_arch,
            overrides=self.form,
        )


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between what the case expects and what the product does."""
    case = _load(folder, product)
    if "error" in case.expected:
        yield from _refusal(case, case.expected["error"])
    elif case.covers == "detection":
        yield from _detection(case)
    elif case.covers == "overrides with mpiArgs, in override order":
        yield from compare(case.value, _blocks(case), "value")
    else:
        yield from _output(case)


def _load(folder: str, product: Product) -> RenderCase:
    options_path = os.path.join(folder, "options.yaml")
    options = load_mapping(options_path) if os.path.exists(options_path) else {}
    expected = load_mapping(os.path.join(folder, "expected.yaml"))
    unknown = sorted((options.keys() - _OPTIONS) | (expected.keys() - _EXPECTED))
    if unknown:
        raise CaseError(f"unknown keys in a render case: {', '.join(unknown)}")
    if not ("error" in expected or {"covers", "value"} <= expected.keys()):
        raise CaseError("expected.yaml has neither covers and value nor error")
    path = os.path.join(folder, "workloadrun.yaml")
    counts = {key: options[key] for key in _COUNTS if options.get(key) is not None}
    return RenderCase(path, with_counts(text(path), counts), options, expected, product)


def _refusal(case: RenderCase, error: dict[str, Any]) -> Iterator[Difference]:
    listed = error.get("mentions") or []
    if error.get("stage") == "flags":
        yield from judge(case.product.command(_arguments(case)), ["error"], listed)
        return
    try:
        case.workflow()
    except RefusedError as refusal:
        yield from mentions(listed, str(refusal), "error.mentions")
    else:
        yield Difference("error", f"a refusal that mentions {', '.join(map(str, listed))}", "a Workflow")


def _arguments(case: RenderCase) -> list[str]:
    """The command line whose flags the case is about; no architecture is added to what it gives."""
    flags = {"--platform": case.options.get("platform"), "--gpu-arch": case.options.get("gpuArch")}
    given = [word for flag, value in flags.items() if value is not None for word in (flag, str(value))]
    return ["render", case.path, *given]


def _detection(case: RenderCase) -> Iterator[Difference]:
    refusal, workflow = "", {}
    try:
        workflow = case.workflow()
    except RefusedError as error:
        refusal = str(error) or "refused without a word"
    found = {
        "error": refusal,
        "detectedGPUArchitecture": dig(workflow, "metadata", "annotations", _ARCHITECTURE) or "",
    }
    expected = {"error": "", **case.value}
    if expected.get("error"):
        yield from mentions([expected.pop("error")], refusal, "value.error")
    yield from compare(expected, {key: found.get(key) for key in expected}, "value")


def _blocks(case: RenderCase) -> list[dict[str, Any]]:
    blocks = case.product.platform_blocks(case.run, platform=case.options.get("platform"), gpu_arch=case.gpu_arch)
    keys = ("when", "mpiArgs")
    return [{key: block[key] for key in keys if key in block} for block in blocks if block.get("mpiArgs")]


def _output(case: RenderCase) -> Iterator[Difference]:
    # Looked up first: an unknown reading is told as such, whatever the product does.
    read = _reading(case.covers)
    try:
        workflow = case.workflow()
    except RefusedError as refusal:
        yield Difference("value", "a Workflow", f"refused: {refusal}")
        return
    yield from read(case, workflow)
    if "scriptExecArgv" in case.expected:
        words = reading.exec_words(workflow.get("spec"))
        yield from compare(case.expected["scriptExecArgv"], words, "scriptExecArgv")


Read = Callable[[RenderCase, dict[str, Any]], Iterator[Difference]]


def _of_spec(function: Callable[[Any], Any]) -> Read:
    """A reading that needs the Workflow's spec alone and is compared whole."""
    return lambda case, workflow: compare(case.value, function(workflow.get("spec")), "value")


def _containment(case: RenderCase, workflow: dict[str, Any]) -> Iterator[Difference]:
    return containment.differences(workflow["spec"], case.value, "value")


def _mpi_args(case: RenderCase, workflow: dict[str, Any]) -> Iterator[Difference]:
    found = {"mpiArgs": reading.mpi_args(workflow["spec"], case.run, case.value.get("mpiArgs") or [])}
    return compare(case.value, found, "value")


def _user_env(case: RenderCase, workflow: dict[str, Any]) -> Iterator[Difference]:
    return compare(case.value, reading.user_env(workflow["spec"], case.run, case.value), "value")


def _resolved(case: RenderCase, workflow: dict[str, Any]) -> Iterator[Difference]:
    for key in sorted(case.value, key="runtimePatches".__eq__):
        if key == "runtimePatches":
            yield from _runtime_patches(case, workflow)
        elif key in reading.RESOLVED:
            yield from compare(case.value[key], reading.RESOLVED[key](workflow["spec"]), join("value", key))
        else:
            raise CaseError(f"unknown resolved key: {key}")


def _runtime_patches(case: RenderCase, workflow: dict[str, Any]) -> Iterator[Difference]:
    try:
        patches = plan.runtime_patches(workflow, case.options, case.product)
    except CaseError as error:  # not the whole case: what was found before counts first
        yield Difference("value.runtimePatches", show(case.value["runtimePatches"]), str(error))
    else:
        yield from compare(case.value["runtimePatches"], patches, "value.runtimePatches")


# What `covers` says, without a leading `after-overrides:`, and how it is read.
_READINGS: Mapping[str, Read] = {
    r"workflow\.spec": _of_spec(lambda spec: spec),
    r"workflow\.spec\.projection": _of_spec(reading.projection),
    r"containment( after overrides)?": _containment,
    r"framework\.mpi\.mpiArgs": _mpi_args,
    r"workflow\.spec\.overrides\[\*\].*trainer\.env": _user_env,
    r".*workloadMetadata\.labels\+workflow\.spec\.gangScheduler": _of_spec(reading.metadata),
    r"workflow\.spec\.orchestration\.placement\+trainer\.numNodes": _of_spec(reading.placement),
    r"runtime\.priorityClassName": _of_spec(reading.priority_classes),
    r"resolved\..*": _resolved,
}


def _reading(covers: str) -> Read:
    name = covers.removeprefix("after-overrides:").strip()
    for pattern, read in _READINGS.items():
        if re.fullmatch(pattern, name):
            return read
    raise CaseError(f"unknown reading: covers {covers!r}")
