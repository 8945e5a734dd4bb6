"""Findings as SARIF 2.1.0, which code scanning services read.

(OASIS Static Analysis Results Interchange Format 2.1.0.)
"""

from __future__ import annotations

import json
import os
from urllib.parse import quote

from nvcre_render.rulebook import page
from nvcre_render.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic, Rule
    from nvcre_render.positions import Position

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(findings: Sequence[Diagnostic]) -> str:
    """Return the findings as a SARIF log with one run; its rules are those that found something, by code."""
    rules = sorted({found.code: found.rule for found in findings}.items())
    indices = {code: index for index, (code, _) in enumerate(rules)}
    driver = {"name": "nvcre-render", "version": __version__, "rules": [_rule(rule) for _, rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(found, indices[found.code]) for found in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"Remedy: {rule.remedy}", "markdown": page(rule)},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(found: Diagnostic, index: int) -> dict[str, Any]:
    text = f"{found.headline}\n{found.remedy}" if found.remedy else found.headline
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": index,
        "level": found.severity,
        "message": {"text": text},
    }
    if found.position:
        result["locations"] = [_location(found.position)]
    if found.related:
        result["relatedLocations"] = [
            {**_location(position), "message": {"text": note}} for position, note in found.related
        ]
    return result


def _location(place: Position) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}}


def _uri(file: str) -> str:
    """Return a file name as a URI reference, relative names as they are, with forward slashes."""
    path = quote(file.replace(os.sep, "/"))
    return f"file://{path}" if os.path.isabs(file) else path
