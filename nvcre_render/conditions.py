"""When an override applies: the seven selectors of `when`, in NVCRE's order. (NVCRE guide, overrides.)

Everything that is set must hold, and the first selector that does not ends the evaluation, so a broken expression
behind another platform is never compiled.

CEL runs on cel-expr-python, the binding of Google's own C++ implementation: it knows the type of an expression before
evaluating it, as NVCRE's does, and is imported in 3 ms. cel-python (100 ms) and common-expression-language (160 ms)
check no types: they find an unknown variable or a number only where the evaluation comes across it.
"""

from __future__ import annotations

import re
from functools import cache

from nvcre_render.merge import same
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    When = Mapping[str, Any]

VARIABLES = ("platform", "gpuArchitecture", "workloadKind", "topologyMode", "domainCount")
_MAX_EXPRESSION = 40  # bytes of an expression in a summary
_CUT_EXPRESSION = 37


class ConditionError(ValueError):
    """An expression that does not compile, is not a bool, or cannot be evaluated; the text says which and why."""


class Context(Record):
    """What overrides are matched against, known before the first of them: texts are empty where nothing is known."""

    platform: str = ""
    gpu_architecture: str = ""
    workload_kind: str = ""
    topology_mode: str = ""
    domain_count: int = 0
    config: Mapping[str, Any] | None = None  # nothing in a render or a cluster fills it


def context(spec: Mapping[str, Any], *, platform: str, gpu_architecture: str, domain_count: int = 0) -> Context:
    """Return the context of a Workflow spec as built; overrides that change the spec later do not change it.

    `domain_count` is the number of values that the topology key has on the nodes, 0 without nodes.
    """
    workload = spec.get("jobTemplate", {}).get("spec", {}).get("workload", {})
    has_topology = spec.get("orchestration", {}).get("topology") is not None
    return Context(
        platform=platform,
        gpu_architecture=gpu_architecture,
        workload_kind="TrainJob" if workload.get("trainJob") is not None else "",
        topology_mode="topology" if has_topology else "simple",
        domain_count=domain_count,
    )


def matches(when: When, context: Context) -> bool:
    """Tell whether every selector that is set holds; `{}` always does. Raises ConditionError for a bad expression.

    >>> matches({"platform": {"in": ["aws", "gcp"], "notIn": ["gcp"]}}, Context(platform="gcp"))
    False
    """
    topology = when.get("topology") or {}
    return (
        _text_holds(when.get("platform"), context.platform)
        and _text_holds(when.get("gpuArchitecture"), context.gpu_architecture)
        and (not when.get("workloadKind") or when["workloadKind"] == context.workload_kind)
        and (not topology.get("mode") or topology["mode"] == context.topology_mode)
        and _number_holds(topology.get("domainCount"), context.domain_count)
        and (when.get("config") is None or _contains(context.config, when["config"]))
        and (not when.get("expression") or _evaluate(when["expression"], context))
    )


def matches_while_building(when: When, platform: str, gpu_architecture: str) -> bool:
    """Tell whether a block's mpiArgs and preCommand apply: nothing else is known yet, and an error is no match."""
    try:
        return matches(when, Context(platform=platform, gpu_architecture=gpu_architecture))
    except ConditionError:
        return False


def _text_holds(matcher: When | None, value: str) -> bool:
    equals, allowed, excluded = ((matcher or {}).get(name) for name in ("equals", "in", "notIn"))
    return (not equals or value == equals) and (not allowed or value in allowed) and value not in (excluded or ())


def _number_holds(matcher: When | None, value: int) -> bool:
    equals, above, below = ((matcher or {}).get(name) for name in ("equals", "greaterThan", "lessThan"))
    return (equals is None or value == equals) and (above is None or value > above) and (below is None or value < below)


def _contains(value: Any, wanted: Any) -> bool:
    """Tell whether an object has everything of `wanted`; other values must be equal."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(key in value and _contains(value[key], item) for key, item in wanted.items())
    return same(value, wanted)


# -- CEL ---------------------------------------------------------------------------------------------------------


def compiled(expression: str) -> Any:
    """Return the program of an expression; raises ConditionError when it does not compile or gives no bool."""
    from cel_expr_python import cel

    try:
        program = _environment().compile(expression)
    except RuntimeError as error:  # the only kind the library raises
        raise ConditionError(f"the expression does not compile: {_reason(str(error))}") from error
    kind = program.return_type()
    if kind != cel.Type.BOOL:
        raise ConditionError(f"the expression gives {kind.name().lower()}, not bool")
    return program


def _evaluate(expression: str, context: Context) -> bool:
    from cel_expr_python import cel

    program = compiled(expression)
    values = (
        context.platform,
        context.gpu_architecture,
        context.workload_kind,
        context.topology_mode,
        context.domain_count,
    )
    result = program.eval(data=dict(zip(VARIABLES, values, strict=True)))
    if result.type() == cel.Type.ERROR:
        raise ConditionError(f"the expression cannot be evaluated: {_reason(str(result.value()))}")
    return bool(result.value())


@cache
def _environment() -> Any:
    from cel_expr_python import cel

    kinds = dict.fromkeys(VARIABLES, cel.Type.STRING) | {"domainCount": cel.Type.INT}
    return cel.NewEnv(variables=kinds)


def _reason(text: str) -> str:
    r"""Put the library's first complaint in one line.

    >>> _reason("INVALID_ARGUMENT: ERROR: <input>:1:12: Syntax error: mismatched input (in container '')\n | ...")
    'Syntax error: mismatched input at column 12'
    """
    found = re.search(r"<input>:(\d+):(\d+): (.*?)(?: \(in container ''\))?$", text, re.MULTILINE)
    if not found:
        return re.sub(r"^[A-Z_]+: |\s*\[[A-Z_]+\]$", "", text)
    line, column, problem = found.groups()
    place = f"column {column}" if line == "1" else f"line {line}, column {column}"
    known = f"; the variables are {', '.join(VARIABLES)}" if problem.startswith("undeclared") else ""
    return f"{problem} at {place}{known}"


# -- in words ----------------------------------------------------------------------------------------------------


def summary(when: When) -> str:
    """Return a `when` as the tracking of applied overrides shows it.

    >>> summary({"platform": {"in": ["aws", "gcp"]}, "gpuArchitecture": {"equals": "h100"}}), summary({})
    ('gpuArchitecture=h100, platform=in [aws,gcp]', '<always>')
    """
    topology = when.get("topology") or {}
    parts = {
        "gpuArchitecture": _text_summary(when.get("gpuArchitecture")),
        "platform": _text_summary(when.get("platform")),
        "workloadKind": when.get("workloadKind"),
        "topology.mode": topology.get("mode"),
        "topology.domainCount": _number_summary(topology.get("domainCount")),
        "config": None if when.get("config") is None else "<custom>",
        "expression": _shortened(when.get("expression") or ""),
    }
    return ", ".join(f"{name}={part}" for name, part in parts.items() if part) or "<always>"


def _text_summary(matcher: When | None) -> str | None:
    if matcher is None:
        return None
    if matcher.get("equals"):
        return str(matcher["equals"])
    shown = next((name for name in ("in", "notIn") if matcher.get(name)), None)
    return f"{shown} [{','.join(matcher[shown])}]" if shown else "<any>"


def _number_summary(matcher: When | None) -> str | None:
    if matcher is None:
        return None
    signs = {"equals": "=", "greaterThan": ">", "lessThan": "<"}
    return (
        ",".join(f"{sign}{matcher[name]}" for name, sign in signs.items() if matcher.get(name) is not None) or "<any>"
    )


def _shortened(expression: str) -> str:
    text = expression.encode()
    return expression if len(text) <= _MAX_EXPRESSION else text[:_CUT_EXPRESSION].decode(errors="replace") + "..."
