"""The form `reports`: what a user had, through the command line."""

import os
from collections.abc import Iterator
from typing import Any

from tests.cases.case import CaseError
from tests.cases.command import judge
from tests.cases.compare import Difference
from tests.cases.document import load_mapping, text
from tests.cases.manifest import ANY_ARCHITECTURE, names_product
from tests.cases.product import Product

_COMMANDS = {"validate", "render", "plan", "trainjob"}
_OUTCOMES = {"ok", "error"}
_FLAGS = {"platform": "--platform", "gpu_arch": "--gpu-arch", "nodes": "--nodes"}


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the right outcome and the one the command line has."""
    right = load_mapping(os.path.join(folder, "right.yaml"))
    command = right.get("command")
    if command not in _COMMANDS:
        raise CaseError(f"unknown command: {command}")
    argv = [command, *_arguments(folder, command, right.get("options") or {})]
    if product.command([command, "--help"]).outcome != "ok":
        raise CaseError(f"{command}: not built yet")
    yield from judge(product.command(argv), _allowed(right), right.get("must_mention") or [])


def _allowed(right: dict[str, Any]) -> list[str]:
    allowed = [right.get("outcome"), *([right["also_ok"]] if "also_ok" in right else [])]
    if not _OUTCOMES.issuperset(allowed):
        raise CaseError(f"unknown outcome: {allowed}")
    return [str(outcome) for outcome in allowed]


def _arguments(folder: str, command: str, options: dict[str, Any]) -> list[str]:
    unknown = sorted(options.keys() - {*_FLAGS, "files"})
    if unknown:
        raise CaseError(f"unknown option: {', '.join(unknown)}")
    files = [os.path.join(folder, name) for name in options.get("files") or ["input.yaml"]]
    given = {key: str(value) for key, value in options.items() if key in _FLAGS and value is not None}
    if "nodes" in given:
        given["nodes"] = os.path.join(folder, given["nodes"])
    unnamed = not any(names_product(text(file)) for file in files)
    if command == "render" and unnamed:
        given.setdefault("gpu_arch", ANY_ARCHITECTURE)
    return [*files, *(word for key, value in given.items() for word in (_FLAGS[key], value))]
