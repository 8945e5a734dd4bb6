"""Findings as one JSON object, for programs.

    {"errors": 1, "warnings": 0, "notes": 0, "findings": [
      {"code": "NR201", "name": "unknown-field", "severity": "error", "message": "...", "field": "spec.volumeMount",
       "path": ["spec", "volumeMount"], "remedy": "...", "file": "run.yaml", "line": 8, "column": 3,
       "related": [{"message": "...", "file": "run.yaml", "line": 5, "column": 3}]}]}

`file`, `line` (from 1) and `column` (from 1, in characters) are null for findings about the command itself.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.positions import Position


def render(findings: Sequence[Diagnostic]) -> str:
    """Return the findings as JSON text that ends in a line feed."""
    severities = [found.severity for found in findings]
    report = {
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "notes": severities.count("note"),
        "findings": [_finding(found) for found in findings],
    }
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "name": found.rule.name,
        "severity": found.severity,
        "message": found.message,
        "field": found.field,
        "path": list(found.path),
        "remedy": found.remedy,
        **_place(found.position),
        "related": [{"message": note, **_place(position)} for position, note in found.related],
    }


def _place(position: Position | None) -> dict[str, Any]:
    if position is None:
        return {"file": None, "line": None, "column": None}
    return {"file": position.file, "line": position.line, "column": position.column}
