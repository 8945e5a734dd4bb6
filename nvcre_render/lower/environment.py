"""The environment of a run: defaults, platform values and the user's `spec.env`, in every place they meet.

Strongest first at mpi ranks: a user's `-x` in mpiArgs, spec.env, a platform's `-x`, the NCCL defaults.
(NVCRE guide, environment variables.)
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nvcre_render.model.core import EnvVar

    Block = dict[str, Any]

EXPORT = "-x"  # mpirun's option that hands a variable to the ranks


def merge(defaults: list[EnvVar], user: list[EnvVar]) -> list[EnvVar]:
    """Return the defaults the user does not name, then all of the user's entries, both in their order.

    >>> merge([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], [{"name": "A", "value": "3"}])
    [{'name': 'B', 'value': '2'}, {'name': 'A', 'value': '3'}]
    """
    named = {entry["name"] for entry in user}
    return [entry for entry in defaults if entry["name"] not in named] + user


def operand(entry: EnvVar) -> str:
    """Return what follows -x: NAME=value, or the bare NAME of a reference, which mpirun reads from its own env."""
    return entry["name"] if "valueFrom" in entry else f"{entry['name']}={entry.get('value', '')}"


def forwarded_names(arguments: list[str]) -> set[str]:
    """Return the names that `-x` pairs in mpirun arguments already hand to the ranks."""
    pairs = pairwise(arguments)
    return {name.partition("=")[0] for option, name in pairs if option == EXPORT}


def forward(env: list[EnvVar], arguments: list[str]) -> list[str]:
    """Return the `-x` pairs for `env`, without the names that `arguments` forwards itself."""
    taken = forwarded_names(arguments)
    return [token for entry in env if entry["name"] not in taken for token in (EXPORT, operand(entry))]


def prefer(user: list[EnvVar], block: Block) -> Block:
    """Return a platform block in which spec.env wins wherever the block sets a variable of the same name.

    Names the block does not set are not added. Touched are trainer.env, the env of the containers of a
    TrainingRuntime, and the operands of -x; nothing else, init containers included.
    """
    entries = {entry["name"]: entry for entry in user}
    if not entries:
        return block

    def replace(env: list[EnvVar]) -> list[EnvVar]:
        return _replace(env, entries)

    result = dict(block)
    if "mpiArgs" in block:
        result["mpiArgs"] = _replace_operands(block["mpiArgs"], entries)
    if "jobTemplate" in block:
        result["jobTemplate"] = _at(block["jobTemplate"], _TRAINER_ENV, replace)
    if "dependencies" in block:
        result["dependencies"] = [
            _at(each, _CONTAINER_ENV, replace) if each.get("kind") == "TrainingRuntime" else each
            for each in block["dependencies"]
        ]
    return result


_TRAINER_ENV = ("spec", "workload", "trainJob", "trainer", "env")
_EACH = "*"
_CONTAINER_ENV = (
    *("spec", "template", "spec", "replicatedJobs", _EACH),
    *("template", "spec", "template", "spec", "containers", _EACH, "env"),
)


def _at(value: Any, path: tuple[str, ...], change: Callable[[list[EnvVar]], list[EnvVar]]) -> Any:
    """Return `value` with `change` applied at `path`, `*` standing for every item; untouched where there is none."""
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    if step == _EACH:
        return [_at(item, rest, change) for item in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or step not in value:
        return value
    return {**value, step: _at(value[step], rest, change)}


def _replace(env: list[EnvVar], entries: dict[str, EnvVar]) -> list[EnvVar]:
    """Put the user's entry in place of the platform's last one of that name."""
    last = {entry["name"]: index for index, entry in enumerate(env)}
    return [
        entries[entry["name"]] if entry["name"] in entries and last[entry["name"]] == index else entry
        for index, entry in enumerate(env)
    ]


def _replace_operands(arguments: list[str], entries: dict[str, EnvVar]) -> list[str]:
    return [
        operand(entries[name]) if before == EXPORT and (name := argument.partition("=")[0]) in entries else argument
        for before, argument in pairwise(["", *arguments])
    ]
