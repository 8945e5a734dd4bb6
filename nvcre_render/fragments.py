"""The package's data that ends up in manifests: loading, selecting and filling `fragments/`.

The YAML and shell files there are read through `fragments/compiled.json`, which `scripts/generate.py` makes of
them: parsing YAML on every start would cost a fifth of a cold render.

The fill language (docs/fragments.md): `${parameter}` alone keeps the parameter's type, inside text it is text; a
list spliced into a list by a lone item; `$if` on a mapping keeps or drops it; `$value` stands for a value that
is not a mapping. What a parameter brings in is never scanned again.
"""

from __future__ import annotations

import json
from functools import cache

from nvcre_render.package_data import read_text
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FAMILIES = ("env", "tolerations")
ABSENT: Any = object()  # the value of a parameter that is not set


class Library(Record):
    """What block files contribute: platform names, override blocks in order, and named lists by family."""

    platforms: tuple[str, ...]
    blocks: tuple[dict[str, Any], ...]
    lists: dict[str, dict[str, Any]]  # families env and tolerations


class Parameters(dict[str, "Any"]):
    """What fragments may refer to; names with a dot come from the library, filled with these parameters.

    `env.NAME` is a list of variables, `mpirun.NAME` the same list as mpirun arguments, `tolerations.NAME` a
    list of tolerations, `script.NAME` the text of a shell script.
    """

    library: Library | None = None  # where named lists come from; the package's when None

    def __missing__(self, name: str) -> Any:
        family, _, member = name.partition(".")
        if family == "script":
            value: Any = _compiled()["scripts"][member]
        elif family == "mpirun":
            value = [token for entry in self[f"env.{member}"] for token in ("-x", f"{entry['name']}={entry['value']}")]
        elif family in FAMILIES:
            value = fill((self.library or package()).lists[family][member], self)
        else:
            raise KeyError(f"fragments know no parameter {name}")
        self[name] = value
        return value


def load(name: str) -> Any:
    """Return the data of the package's fragment `name`, such as runtime/mpi.yaml; shared, not to be changed."""
    return _compiled()["data"][name]


@cache
def _compiled() -> dict[str, Any]:
    compiled: dict[str, Any] = json.loads(read_text("fragments", "compiled.json"))
    return compiled


@cache
def package() -> Library:
    """Return the platforms, blocks and lists of the package, blocks in the order in which they apply."""
    files = sorted(name for name in _compiled()["data"] if name.startswith("platforms/"))
    return Library(
        platforms=tuple(platform["name"] for platform in load("platforms.yaml")["platforms"]),
        blocks=tuple(block for name in files for block in load(name)["blocks"]),
        lists={family: load(f"_lib/{family}.yaml")[family] for family in FAMILIES},
    )


def fill(template: Any, parameters: Parameters) -> Any:
    """Return `template` with its parameters filled in, or ABSENT when nothing of it is left.

    >>> fill({"image": "${image}", "none": "${gap}", "args": ["-n", "${n}"]}, Parameters(image="a", n=2, gap=ABSENT))
    {'image': 'a', 'args': ['-n', 2]}
    """
    if isinstance(template, str):
        return _fill_text(template, parameters) if "${" in template else template
    if isinstance(template, list):
        return _fill_list(template, parameters)
    if isinstance(template, dict):
        return _fill_mapping(template, parameters)
    return template


def _fill_text(text: str, parameters: Parameters) -> Any:
    before, *references = text.split("${")
    if not before and len(references) == 1 and text.index("}") == len(text) - 1:
        return _copy(parameters[text[2:-1]])
    result = before
    for reference in references:
        name, _, after = reference.partition("}")
        value = parameters[name]
        if value is ABSENT:
            return ABSENT
        result += f"{value}{after}"
    return result


def _fill_list(items: list[Any], parameters: Parameters) -> list[Any]:
    result: list[Any] = []
    for item in items:
        value = fill(item, parameters)
        if value is ABSENT:
            continue
        if isinstance(value, list) and isinstance(item, str):
            result += value
        else:
            result.append(value)
    return result


def _fill_mapping(template: dict[str, Any], parameters: Parameters) -> Any:
    if not holds(template.get("$if"), parameters):
        return ABSENT
    if "$value" in template:
        return fill(template["$value"], parameters)
    result: dict[str, Any] = {}
    for key, item in template.items():
        if key == "$if":
            continue
        value = fill(item, parameters)
        name = _fill_text(key, parameters) if "${" in key else key
        if value is not ABSENT and name is not ABSENT:
            result[name] = value
    return result


def holds(condition: Mapping[str, Any] | None, parameters: Mapping[str, Any]) -> bool:
    """Tell whether every entry of an `$if` holds: a scalar must be equal, a list contain, a mapping compare."""
    return not condition or all(_holds(operand, parameters[name]) for name, operand in condition.items())


def _holds(operand: Any, value: Any) -> bool:
    if isinstance(operand, dict):
        return all(_COMPARISONS[name](value, limit) for name, limit in operand.items())
    return value in operand if isinstance(operand, list) else bool(value == operand)


_COMPARISONS: dict[str, Any] = {
    "exists": lambda value, wanted: (value is not ABSENT) == wanted,
    "greaterThan": lambda value, limit: value > limit,
    "lessThan": lambda value, limit: value < limit,
}


def _copy(value: Any) -> Any:
    """Copy what is filled in, so that no two places of a manifest share a list."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
