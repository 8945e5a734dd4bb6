"""Environment variables: names, references, and values that do not arrive (NR244, NR245, NR405, NR406, NR61x).

(Kubernetes API, EnvVar; NVCRE guide, environment variables; Kubeflow Trainer, torch plugin.)
"""

from __future__ import annotations

from itertools import pairwise

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, WARNING, Rule
from nvcre_render.framework import framework
from nvcre_render.lower.environment import EXPORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.core import EnvVar
    from nvcre_render.model.workloadrun import WorkloadRun
    from nvcre_render.positions import Path

MALFORMED_NAME = Rule(
    code="NR244",
    name="malformed-variable-name",
    severity=ERROR,
    summary="The name of an environment variable is empty or has a character that cannot stand in one.",
    why="The API server refuses the pod.",
    remedy="write printable ASCII without '='; the usual form is letters, digits and '_'",
    bad=run('  env: [{name: "LEVEL=5", value: "5"}]  # error\n'),
    good=run('  env: [{name: LEVEL, value: "5"}]\n'),
)
ONE_REFERENCE = Rule(
    code="NR245",
    name="ambiguous-value-source",
    severity=ERROR,
    summary="valueFrom names no source, or more than one.",
    why="The API server refuses the pod.",
    remedy="keep one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef",
    bad=run("  env: [{name: TOKEN, valueFrom: {}}]  # error\n"),
    good=run("  env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]\n"),
)
TORCH_VARIABLE = Rule(
    code="NR405",
    name="reserved-torch-variable",
    severity=WARNING,
    summary="spec.env sets a variable that Kubeflow Trainer sets for torchrun.",
    why="Trainer writes its own value for the container, so this one never arrives.",
    remedy="remove the variable; node count and processes come from numNodes and gpusPerNode",
    bad=run('  env: [{name: PET_NNODES, value: "2"}]  # warning\n'),
    good=run('  env: [{name: NCCL_NNODES, value: "2"}]\n'),
)
REFUSED_TORCH_VARIABLE = Rule(
    code="NR406",
    name="refused-torch-variable",
    severity=ERROR,
    summary="An override puts a variable into trainer.env that Kubeflow Trainer sets for torchrun.",
    why="Trainer's admission refuses the TrainJob.",
    remedy="remove the variable; node count and processes come from numNodes and gpusPerNode",
    bad=run(
        "  overrides:\n    - when: {}\n      jobTemplate: {spec: {workload: {trainJob: {trainer: {env: ["
        '{name: PET_NNODES, value: "2"}]}}}}}  # error\n'
    ),
    good=run(
        "  overrides:\n    - when: {}\n      jobTemplate: {spec: {workload: {trainJob: {trainer: {env: ["
        '{name: LEVEL, value: "2"}]}}}}}\n'
    ),
)
HIDDEN = Rule(
    code="NR611",
    name="hidden-variable",
    severity=WARNING,
    summary="A -x in mpiArgs gives a variable of spec.env another value at the ranks.",
    why="At the ranks the -x wins; the value of spec.env stays in the containers, where few programs read it.",
    remedy="keep one of the two",
    bad=run("  env: [{name: NCCL_DEBUG, value: TRACE}]\n").replace(
        "{torch: {script: /train.py}}",
        "{mpi: {binary: /b, mpirunPath: /m, mpiArgs: [-x, NCCL_DEBUG=WARN]}}  # warning",
    ),
    good=run("  env: [{name: NCCL_DEBUG, value: TRACE}]\n").replace(
        "{torch: {script: /train.py}}", "{mpi: {binary: /b, mpirunPath: /m, mpiArgs: [-x, NCCL_ALGO=Ring]}}"
    ),
)
REPEATED = Rule(
    code="NR612",
    name="variable-written-twice",
    severity=WARNING,
    summary="A variable stands twice in one list.",
    why="The last one wins in the container; the others are without effect.",
    remedy="keep one of them",
    bad=run('  env:\n    - {name: LEVEL, value: "4"}\n    - {name: LEVEL, value: "5"}  # warning\n'),
    good=run('  env:\n    - {name: LEVEL, value: "5"}\n'),
)

TORCH_VARIABLES = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_ENV: Path = ("spec", "env")
_TRAINER_ENV: Path = ("jobTemplate", "spec", "workload", "trainJob", "trainer", "env")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with spec.env and the env of each init container."""
    spec: Any = run["spec"]
    env = spec.get("env", [])
    yield from _check_list(env, _ENV, document)
    for index, container in enumerate(spec.get("initContainers", [])):
        yield from _check_list(container.get("env", []), ("spec", "initContainers", index, "env"), document)
    if framework(spec) == "mpi":
        yield from _check_hidden(spec["framework"]["mpi"].get("mpiArgs", []), env, document)
        return
    for index, entry in enumerate(env):
        if entry.get("name") in TORCH_VARIABLES:
            message = f"Trainer sets {entry['name']} itself, so this value never arrives"
            yield TORCH_VARIABLE.at(document, (*_ENV, index, "name"), message)


def check_overrides(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield the variables of torchrun that an override puts where Trainer refuses them."""
    spec: Any = run["spec"]
    if framework(spec) == "mpi":
        return
    for number, override in enumerate(spec.get("overrides", [])):
        env: Any = override
        for step in _TRAINER_ENV:
            env = env.get(step) if isinstance(env, dict) else None
        for index, entry in enumerate(env if isinstance(env, list) else ()):
            name = entry.get("name") if isinstance(entry, dict) else None
            if name in TORCH_VARIABLES:
                path = ("spec", "overrides", number, *_TRAINER_ENV, index, "name")
                yield REFUSED_TORCH_VARIABLE.at(document, path, f"Trainer sets {name} itself and refuses it here")


def _check_list(env: list[EnvVar], base: Path, document: Document) -> Iterator[Diagnostic]:
    first: dict[str, int] = {}
    for index, entry in enumerate(env):
        name = entry.get("name", "")
        path = (*base, index, "name")
        if not _is_name(name) and isinstance(_written(document, (*base, index)).get("name"), str):
            yield MALFORMED_NAME.at(document, path, f'"{name}" is not a name for a variable')
        elif name and first.setdefault(name, index) != index:
            earlier = document.position((*base, first[name], "name"))
            related = ((earlier, "without effect"),) if earlier else ()
            yield REPEATED.at(document, path, f"{name} stands here twice; the last one wins", related=related)
        if "valueFrom" in entry:
            yield from _check_source((*base, index, "valueFrom"), document)


def _check_source(path: Path, document: Document) -> Iterator[Diagnostic]:
    given = [key for key, value in _written(document, path).items() if value is not None]
    known = [key for key in given if key in _SOURCES]
    if not given:
        yield ONE_REFERENCE.at(document, path, "valueFrom names no source", on_key=True)
    elif len(known) > 1:
        message = f"valueFrom names {' and '.join(known)}; a value has one source"
        yield ONE_REFERENCE.at(document, (*path, known[1]), message, on_key=True)


def _check_hidden(arguments: list[str], env: list[EnvVar], document: Document) -> Iterator[Diagnostic]:
    places = {entry.get("name", ""): index for index, entry in enumerate(env)}
    for index, (option, operand) in enumerate(pairwise(arguments), 1):
        if option != EXPORT or not isinstance(operand, str):  # another type is a finding of its own
            continue
        name, equals, value = operand.partition("=")
        if not equals or name not in places:
            continue
        entry = env[places[name]]
        if "valueFrom" not in entry and entry.get("value", "") == value:
            continue
        place = document.position((*_ENV, places[name]))
        related = ((place, "stays in the containers only"),) if place else ()
        path = ("spec", "framework", "mpi", "mpiArgs", index)
        yield HIDDEN.at(document, path, f"at the ranks {name} is {value}, not what spec.env says", related=related)


def _written(document: Document, path: Path) -> dict[str, Any]:
    """Return the mapping at `path` as it was written, before anything unknown was left out."""
    value: Any = document.data
    for step in path:
        value = value[step]
    return value if isinstance(value, dict) else {}


def _is_name(text: str) -> bool:
    return text != "" and text.isascii() and text.isprintable() and "=" not in text
