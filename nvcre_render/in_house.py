"""Platforms of your own: block files of a directory join those of the package.

One file is enough for a platform: its name under `platforms`, its blocks under `blocks`, and lists it wants to name
under `env` and `tolerations` (docs/fragments.md; schemas/fragment.v1.json).
"""

from __future__ import annotations

import json

from nvcre_render.checks import fragment_rules as rules
from nvcre_render.checks.spelling import suggestion
from nvcre_render.fragments import FAMILIES, Library
from nvcre_render.package_data import read_text
from nvcre_render.positions import field_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.positions import Path

PARAMETERS = (
    *("name", "framework", "nodesPerJob", "gpusPerNode", "mlnxPerNode", "mlnxQuantity", "nicResourceName", "mnnvl"),
)


def extend(library: Library, documents: Sequence[Document]) -> tuple[Library, list[Diagnostic]]:
    """Return `library` with the platforms, blocks and lists of `documents`, and what is wrong with them.

    A document with a fault contributes nothing. Blocks come after those there are, so they win.
    """
    findings = [finding for document in documents for finding in _check_shape(document)]
    if findings:
        return library, findings
    extended = Library(
        platforms=tuple(dict.fromkeys((*library.platforms, *_names(documents)))),
        blocks=(*library.blocks, *(block for document in documents for block in document.data.get("blocks", []))),
        lists={family: _lists(library, family, documents) for family in FAMILIES},
    )
    return extended, [finding for document in documents for finding in _check_names(document, library, extended)]


def _names(documents: Sequence[Document]) -> list[str]:
    return [platform["name"] for document in documents for platform in document.data.get("platforms", [])]


def _lists(library: Library, family: str, documents: Sequence[Document]) -> dict[str, Any]:
    merged = dict(library.lists[family])
    for document in documents:
        merged.update(document.data.get(family, {}))
    return merged


def _check_shape(document: Document) -> Iterator[Diagnostic]:
    # Only users with fragments of their own pay for the import.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    schema = json.loads(read_text("schemas", "fragment.v1.json"))
    for error in Draft202012Validator(schema).iter_errors(document.data):
        worst = best_match([error])
        path: Path = tuple(worst.absolute_path)
        where = f"{field_path(path)}: " if path else ""
        yield rules.BAD_FRAGMENT.at(document, path, f"{where}{worst.message}")


def _check_names(document: Document, before: Library, library: Library) -> Iterator[Diagnostic]:
    taken = {block["id"] for block in before.blocks}
    for index, block in enumerate(document.data.get("blocks", [])):
        base: Path = ("blocks", index)
        if block["id"] in taken:
            message = f'the id "{block["id"]}" is taken by another block'
            yield rules.TAKEN_ID.at(document, (*base, "id"), message)
        taken.add(block["id"])
        matcher = block["when"].get("platform", {})
        for platform in filter(None, (matcher.get("equals"), *matcher.get("in", []))):
            if platform not in library.platforms:
                message = f'the platform "{platform}" is not known'
                remedy = _near(platform, library.platforms) or f"add it to this file: platforms: [{{name: {platform}}}]"
                yield rules.UNDECLARED_PLATFORM.at(document, (*base, "when", "platform"), message, remedy=remedy)
        yield from _check_parameters(document, block, base, library)


def _check_parameters(document: Document, value: Any, path: Path, library: Library) -> Iterator[Diagnostic]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _check_references(document, key, path, library)
            yield from _check_parameters(document, item, (*path, key), library)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _check_parameters(document, item, (*path, index), library)
    elif isinstance(value, str):
        yield from _check_references(document, value, path, library)


def _check_references(document: Document, text: str, path: Path, library: Library) -> Iterator[Diagnostic]:
    known = [*PARAMETERS, *(f"{family}.{name}" for family in FAMILIES for name in library.lists[family])]
    known += [f"mpirun.{name}" for name in library.lists["env"]]
    for reference in text.split("${")[1:]:
        name = reference.partition("}")[0]
        if name not in known:
            remedy = _near(name, known) or f"the parameters are {', '.join(PARAMETERS)} and the named lists"
            message = f"${{{name}}} is not a parameter of fragments"
            yield rules.UNKNOWN_PARAMETER.at(document, path, message, remedy=remedy)


def _near(word: str, known: Sequence[str]) -> str:
    near = suggestion(word, known)
    return f'did you mean "{near}"?' if near else ""
