"""What the API server or Kubeflow Trainer's admission refuses in a TrainJob, whatever the runtime (NR91x)."""

from __future__ import annotations

import re

from nvcre_render.checks.executor_rules.submitted import ready
from nvcre_render.diagnostics import ERROR, WARNING, Rule
from nvcre_render.executor import launcher, releases
from nvcre_render.executor.manifest import NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.positions import Path

NAME = Rule(
    code="NR911",
    name="trainjob-name",
    severity=ERROR,
    summary="A TrainJob name that does not begin with a letter.",
    why="Trainer 2.1 and later want an RFC 1035 label; NeMo-Run keeps a leading digit, so the API server refuses it.",
    remedy="begin train_job_basename (or the task's name) with a letter",
    bad=ready().replace("job_name: example", "job_name: 70b-pretrain  # error"),
    good=ready().replace("job_name: example", "job_name: pretrain-70b"),
)
REPEATED_VARIABLE = Rule(
    code="NR912",
    name="repeated-variable",
    severity=ERROR,
    summary="An environment variable is given twice.",
    why="env_vars and env_list are written one after the other, neither wins, and the API server refuses the list.",
    remedy="give the variable once, in env_vars or in env_list",
    bad=ready("env_vars: {LEVEL: '1'}\nenv_list:\n- {name: LEVEL, value: '2'}  # error\n"),
    good=ready("env_vars: {LEVEL: '1'}\n"),
)
RESERVED_VARIABLE = Rule(
    code="NR913",
    name="reserved-variable",
    severity=ERROR,
    summary="A variable that Trainer itself sets on torch runtimes.",
    why="Trainer's admission refuses PET_ variables of the rendezvous in spec.trainer.env.",
    remedy="remove the variable; num_nodes, nprocs_per_node and the TrainJob's name decide its value",
    bad=ready("env_vars: {PET_NNODES: '2'}  # error\n"),
    good=ready("num_nodes: 2\n"),
)
TWO_MOUNTS = Rule(
    code="NR914",
    name="volume-mounted-twice",
    severity=ERROR,
    summary="One volume is mounted twice.",
    why="Trainer keys mounts by the volume's name, so the API server refuses the second mount of a volume.",
    remedy="declare the volume a second time under another name and mount that",
    bad=ready(
        "volumes: [{name: data, emptyDir: {}}]\n"
        "volume_mounts:\n- {name: data, mountPath: /a}\n- {name: data, mountPath: /b}  # error\n"
    ),
    good=ready(
        "volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}]\n"
        "volume_mounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}]\n"
    ),
)
REPEATED_NAME = Rule(
    code="NR915",
    name="repeated-name",
    severity=ERROR,
    summary="Two entries of one list have the same name.",
    why="The list is keyed by name, so the API server refuses the object.",
    remedy="give every entry a name of its own",
    bad=ready("volumes:\n- {name: data, emptyDir: {}}\n- {name: data, emptyDir: {}}  # error\n"),
    good=ready("volumes:\n- {name: data, emptyDir: {}}\n- {name: more, emptyDir: {}}\n"),
)
CONTAINER_VARIABLES = Rule(
    code="NR916",
    name="variables-in-override",
    severity=ERROR,
    summary="Environment variables for the trainer's container in a pod-level setting.",
    why="Trainer's admission refuses env on the containers node, dataset-initializer and model-initializer there.",
    remedy="write env_vars or env_list",
    bad=ready("pod_spec_overrides: {containers: [{name: node, env: [{name: A, value: b}]}]}  # error\n"),
    good=ready("env_vars: {A: b}\n"),
)
UNKNOWN_CONTAINER = Rule(
    code="NR917",
    name="container-not-in-runtime",
    severity=WARNING,
    summary="A container that Trainer's own torch-distributed runtime does not have.",
    why="Pod-level settings change containers of the runtime and add none; admission refuses an unknown name.",
    remedy="write the name node, or use a runtime that has the container",
    bad=ready("pod_spec_overrides:\n  containers:\n  - {name: trainer, volumeMounts: []}  # warning\n"),
    good=ready("runtime_ref: team-runtime\npod_spec_overrides: {containers: [{name: trainer, volumeMounts: []}]}\n"),
)
LIMIT = Rule(
    code="NR918",
    name="release-limit",
    severity=ERROR,
    summary="A value outside what the Trainer release allows.",
    why="The API server refuses the object.",
    remedy="write a value within the limit",
    bad=ready("trainer_release: '2.3'\nnprocs_per_node: auto  # error\n"),
    good=ready("trainer_release: '2.3'\nnprocs_per_node: 8\n"),
)
MANAGER = Rule(
    code="NR919",
    name="patch-manager",
    severity=ERROR,
    summary="A runtime patch whose manager is not a path below a domain, or that has the manager of another.",
    why="Trainer's admission wants to know who made a patch, and keeps one patch for each manager.",
    remedy="write a domain and a name, such as example.com/tool",
    bad=ready("trainer_release: '2.3'\nspec_kwargs:\n  runtimePatches:\n  - {manager: tool}  # error\n"),
    good=ready("trainer_release: '2.3'\nspec_kwargs:\n  runtimePatches:\n  - {manager: example.com/tool}\n"),
)

_KEYS = {
    "runtimePatches": ("manager", MANAGER),
    "env": ("name", REPEATED_VARIABLE),
    "volumeMounts": ("name", TWO_MOUNTS),
}
_NAMED = ("volumes", "containers", "initContainers", "imagePullSecrets", "schedulingGates", "claims", "replicatedJobs")
_KEYS.update(dict.fromkeys(_NAMED, ("name", REPEATED_NAME)))
_RESERVED = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
_TRAINER_CONTAINERS = (NODE, "dataset-initializer", "model-initializer")
_TORCH_DISTRIBUTED = "torch-distributed"
_MANAGED_BY = ("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue")
_MANAGER = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+/[^\s]+")
_MAX_MANAGER = 253
_INT32_MAX = 2**31 - 1


def check(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield everything that is refused of what the release knows of the TrainJob."""
    yield from _check_name(submitted)
    yield from _check_values(submitted)
    for path, value in releases.fields(submitted.kept, submitted.release.shape):
        key = path[-1]
        if key in _KEYS and isinstance(value, list):
            yield from _check_keys(submitted, path, value)
        if key == "containers":
            yield from _check_containers(submitted, path, value)
        yield from _check_size(submitted, path, value)


def _check_name(submitted: Submitted) -> Iterator[Diagnostic]:
    name, release = submitted.job["metadata"]["name"], submitted.release
    if release.letter_first and not name[0].isalpha():
        message = f'the name "{name}" does not begin with a letter, as Trainer {release.name} wants (RFC 1035)'
        yield submitted.at_field(NAME, ("metadata", "name"), message)


def _check_values(submitted: Submitted) -> Iterator[Diagnostic]:
    spec, release = submitted.kept["spec"], submitted.release
    trainer = spec.get("trainer") if isinstance(spec.get("trainer"), dict) else {}
    count = trainer.get("numProcPerNode")
    if release.whole_processes and count is not None and not _is_int32(count):
        message = f"Trainer {release.name} takes a whole number of processes, not {count}"
        yield submitted.at_field(LIMIT, ("spec", "trainer", "numProcPerNode"), message)
    managed = spec.get("managedBy")
    if managed is not None and managed not in _MANAGED_BY:
        message = f"managedBy is {' or '.join(_MANAGED_BY)}, not {managed}"
        yield submitted.at_field(LIMIT, ("spec", "managedBy"), message, remedy=f"write {_MANAGED_BY[0]}")
    if _is_torch(submitted):
        for index, entry in enumerate(_mappings(trainer.get("env"))):
            if entry.get("name") in _RESERVED:
                message = f"{entry['name']} is set by Trainer"
                yield submitted.at_field(RESERVED_VARIABLE, ("spec", "trainer", "env", index), message)


def _is_int32(count: Any) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and -_INT32_MAX - 1 <= count <= _INT32_MAX


def _is_torch(submitted: Submitted) -> bool:
    """Tell whether the runtime is one for torch, as far as its name or the launcher tells."""
    values = submitted.values
    return "torch" in str(values["runtime_ref"]) or launcher.is_distributed(values["launcher"])


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [item if isinstance(item, dict) else {} for item in value] if isinstance(value, list) else []


def _check_keys(submitted: Submitted, path: Path, entries: list[Any]) -> Iterator[Diagnostic]:
    key, rule = _KEYS[str(path[-1])]
    seen: set[Any] = set()
    for index, entry in enumerate(_mappings(entries)):
        name = entry.get(key)
        if not isinstance(name, str):
            continue
        if rule is MANAGER and not (_MANAGER.fullmatch(name) and len(name) <= _MAX_MANAGER):
            yield submitted.at_field(rule, (*path, index), f'"{name}" is not a path below a domain')
        if name in seen:
            field = {"env": "variable", "volumeMounts": "volume"}.get(str(path[-1]), key)
            message = f'the {field} "{name}" stands twice in {path[-1]}'
            yield submitted.at_field(rule, (*path, index), message)
        seen.add(name)


def _check_containers(submitted: Submitted, path: Path, containers: Any) -> Iterator[Diagnostic]:
    for index, container in enumerate(_mappings(containers)):
        name = container.get("name")
        if name in _TRAINER_CONTAINERS and container.get("env"):
            message = f"env of the container {name} may not be set here"
            yield submitted.at_field(CONTAINER_VARIABLES, (*path, index), message)
        if name != NODE and submitted.values["runtime_ref"] == _TORCH_DISTRIBUTED:
            message = f'the runtime {_TORCH_DISTRIBUTED} has a container node and none called "{name}"'
            yield submitted.at_field(UNKNOWN_CONTAINER, (*path, index), message)


def _check_size(submitted: Submitted, path: Path, value: Any) -> Iterator[Diagnostic]:
    release, key = submitted.release, str(path[-1])
    most = release.items.get(key)
    if most is not None and isinstance(value, list) and len(value) > most:
        message = f"{key} has {len(value)} entries; Trainer {release.name} takes {most}"
        yield submitted.at_field(LIMIT, path, message, remedy=f"write at most {most}")
    longest = release.characters.get(key)
    if longest is None:
        return
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and len(text) > longest:
            message = f"{key} has a text of {len(text)} characters; Trainer {release.name} takes {longest}"
            yield submitted.at_field(LIMIT, path, message, remedy=f"write at most {longest} characters")
