"""GPUs a pod asks for and GPUs a node offers. (NVCRE guide, node capacity.)"""

from __future__ import annotations

from nvcre_render import quantity
from nvcre_render.checks import plan_rules as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction
    from typing import Any

    from nvcre_render.planning.node import Node

GPU = "nvidia.com/gpu"
_CLAIMS = ("requests", "limits")
_UNITS: dict[str, int] = {
    **{f"{unit}i": 1024**step for step, unit in enumerate(("K", "M", "G", "T", "P", "E"), 1)},
    **{unit: 1000**step for step, unit in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
}
_FRACTIONS: dict[str, int] = {"m": 1000, "u": 1000**2, "n": 1000**3}
_HUGE = 30  # a power of ten beyond any count; larger ones are not worth computing


def required(job_template: Mapping[str, Any], dependencies: Iterable[Mapping[str, Any]]) -> int:
    """Return the largest number of GPUs that any map called requests or limits names, at any depth; 0 for none.

    >>> required({"spec": {"limits": {"nvidia.com/gpu": "4"}}}, [{"requests": {"nvidia.com/gpu": 8}}])
    8
    """
    largest = 0
    waiting: list[Any] = [job_template, *dependencies]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in _CLAIMS and isinstance(inner, dict):
                    largest = max(largest, _claimed(inner.get(GPU)))
                waiting.append(inner)
        elif isinstance(value, list):
            waiting += value
    return largest


def _claimed(value: Any) -> int:
    """Return a claim as a count: numbers are truncated, fractions in a text and whatever is unreadable are 0."""
    if isinstance(value, str):
        amount = _amount(value)
        return 0 if amount is None or amount.denominator != 1 else max(0, int(amount))
    return max(0, int(value)) if _is_number(value) else 0


def offered(value: Any) -> int | None:
    """Return an allocatable amount as a count, a fraction rounded up; None when it is not known: 0 included."""
    if isinstance(value, str):
        amount = _amount(value)
        count = 0 if amount is None else -int(-amount // 1)
    else:
        count = -int(-value // 1) if _is_number(value) else 0
    return count if count > 0 else None


def _is_number(value: Any) -> bool:
    # Python's JSON reader takes Infinity and NaN, of which the difference to themselves is not 0.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value - value == 0


def _amount(text: str) -> int | Fraction | None:
    """Return the number a quantity stands for, None for a text that is no quantity."""
    if text.isascii() and text.isdigit() and len(text) < _HUGE:
        return int(text)
    try:
        digits = quantity.canonical(text)
    except quantity.InvalidQuantityError:
        return None
    from fractions import Fraction

    for unit, factor in _UNITS.items():
        if digits.endswith(unit):
            return Fraction(digits.removesuffix(unit)) * factor
    if digits[-1] in _FRACTIONS:
        return Fraction(digits[:-1]) / _FRACTIONS[digits[-1]]
    mantissa, _, power = digits.partition("e")
    exponent = max(-_HUGE, min(_HUGE, int(power or 0)))
    scale: int = 10 ** abs(exponent)
    amount = Fraction(mantissa)
    return amount * scale if exponent >= 0 else amount / scale


def split(nodes: Sequence[Node], need: int) -> tuple[list[Node], list[Node]]:
    """Return the nodes that offer `need` GPUs or do not tell, and those that offer fewer; both in the order given."""
    small = [node for node in nodes if node.gpus is not None and node.gpus < need]
    if not small:
        return list(nodes), []
    return [node for node in nodes if node.gpus is None or node.gpus >= need], small


def require(nodes: Sequence[Node], need: int) -> tuple[list[Node], list[Node]]:
    """Split the nodes as `split` does; raises RenderError when none is left."""
    kept, small = split(nodes, need)
    if not kept:
        best = max(node.gpus or 0 for node in small)
        message = f"every pod asks for {need} {GPU}, and no node has that many allocatable: the best has {best}"
        raise rules.refusal(rules.TOO_FEW_GPUS, message, ("spec", "dependencies"), rules.TOO_FEW_GPUS.remedy)
    return kept, small
