"""Threshold expressions, and whether anything measures what they ask about (NR603, NR604).

(NVCRE guide, thresholds: CEL over one double called value; numbers of different types may be compared, not combined.)
"""

from __future__ import annotations

import re
from functools import cache

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun

_MEASURED = "  bandwidthMeasurement: {logProfileRef: nccl-bandwidth}\n"

BROKEN = Rule(
    code="NR603",
    name="broken-threshold-expression",
    severity=ERROR,
    summary="A threshold that is not CEL, or gives no bool for a number.",
    why="Nothing compiles it before the run has ended; then it counts as a violation, whatever was measured.",
    remedy="write a condition on value, such as value >= 380.0",
    bad=run(f'{_MEASURED}  thresholds:\n    busBandwidthGBps: "value * 2 > 700"  # error\n'),
    good=run(f'{_MEASURED}  thresholds:\n    busBandwidthGBps: "value * 2.0 > 700.0"\n'),
)
UNMEASURED = Rule(
    code="NR604",
    name="unmeasured-threshold",
    severity=WARNING,
    summary="A threshold on a metric that the run does not measure.",
    why="The run waits five minutes for the measurement after its end and then fails.",
    remedy="add the measurement, or remove the threshold",
    bad=run("  thresholds:\n    busBandwidthGBps: value >= 380  # warning\n"),
    good=run(f"{_MEASURED}  thresholds:\n    busBandwidthGBps: value >= 380\n"),
)

MEASUREMENTS = {
    "busBandwidthGBps": "bandwidthMeasurement",
    "algBandwidthGBps": "bandwidthMeasurement",
    "goodputRatio": "goodputMeasurement",
    "avgTFLOPsPerGPU": "goodputMeasurement",
    "avgStepTimeSec": "goodputMeasurement",
}
_COMPARISONS = ("<", "<=", ">", ">=")
_WORDS = 3  # of a comparison with a number
_MAX_DIGITS = 15
_NUMBERS = ("int", "uint", "double")
_OTHERS = ("bool", "string", "bytes", "timestamp", "duration")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with each threshold, in their order."""
    spec: Any = run["spec"]
    for key, text in spec.get("thresholds", {}).items():
        path = ("spec", "thresholds", key)
        measurement = MEASUREMENTS.get(key)
        if measurement and measurement not in spec and not _is_patched_in(measurement, spec):
            message = f"nothing measures {key}"
            remedy = f"add spec.{measurement} with its logProfileRef, or remove the threshold"
            yield UNMEASURED.at(document, path, message, remedy=remedy, on_key=True)
        fault = "" if _is_plain(text) else broken(text)
        if fault:
            yield BROKEN.at(document, path, fault, remedy=_remedy(fault))


def _is_patched_in(measurement: str, spec: Any) -> bool:
    """Tell whether an override may add the measurement to the job template."""
    overrides = spec.get("overrides", [])
    return any(measurement in str(each.get(key)) for each in overrides for key in ("jobTemplate", "jobTemplatePatch"))


def _is_plain(text: str) -> bool:
    """Tell whether a text is `value >= 380`, as nearly all are; those need no compiler, which takes time to load."""
    words = text.split()
    if len(words) != _WORDS or words[0] != "value" or words[1] not in _COMPARISONS:
        return False
    whole, point, fraction = words[2].partition(".")
    return (whole + fraction).isdecimal() and whole != "" and (fraction != "") == (point != "") and _is_short(words[2])


def _is_short(number: str) -> bool:
    return number.isascii() and len(number) <= _MAX_DIGITS


def broken(text: str) -> str:
    """Return why an expression cannot judge a measurement, empty when it can.

    >>> broken("value >= 380"), broken("value")
    ('', 'the expression gives double, not bool')
    """
    try:
        kind = _environment().compile(text).return_type().name().lower()
    except RuntimeError as error:  # the only kind the library raises
        return f"the expression does not compile: {_reason(str(error))}"
    return "" if kind in ("bool", "dyn") else f"the expression gives {kind}, not bool"


@cache
def _environment() -> Any:
    """Make the environment of NVCRE: one variable, and comparisons across numbers, which plain CEL does not have."""
    from cel_expr_python import cel

    return cel.NewEnv(config=cel.NewEnvConfigFromYaml(_declarations()))


def _declarations() -> str:
    import json

    pairs = [(one, other) for one in _NUMBERS for other in _NUMBERS] + [(kind, kind) for kind in _OTHERS]
    functions = [
        {
            "name": f"_{operator}_",
            "overloads": [
                {
                    "id": f"{operator}_{one}_{other}",
                    "args": [{"type_name": one}, {"type_name": other}],
                    "return": {"type_name": "bool"},
                }
                for one, other in pairs
            ],
        }
        for operator in _COMPARISONS
    ]
    made = {
        "name": "thresholds",
        "stdlib": {"exclude_functions": [{"name": function["name"]} for function in functions]},
        "variables": [{"name": "value", "type_name": "double"}],
        "functions": functions,
    }
    return json.dumps(made)


def _reason(text: str) -> str:
    """Put the library's first complaint in one line."""
    found = re.search(r"<input>:(\d+):(\d+): (.*?)(?: \(in container ''\)| expecting .*)?$", text, re.MULTILINE)
    if not found:
        return re.sub(r"^[A-Z_]+: |\s*\[[A-Z_]+\]$", "", text.partition("\n")[0])
    _, column, problem = found.groups()
    return f"{problem} at column {column}"


def _remedy(fault: str) -> str:
    if "(double, int)" in fault or "(int, double)" in fault:
        return "value is a double, and arithmetic and == do not mix types: write 2.0 instead of 2"
    return "the only variable is value; write a condition such as value >= 380.0" if "undeclared" in fault else ""
