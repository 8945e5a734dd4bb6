"""Go durations such as "1h30m", counted in nanoseconds.

The rules are those of Go time.ParseDuration and time.Duration.String; durationpy does not serve, because it
keeps microseconds only and does not write Go's canonical text.
"""

from __future__ import annotations

_UNITS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # micro sign, the one that Go writes
    "\u03bcs": 10**3,  # Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_DIGITS = "0123456789."
_LETTERS = "".join(_UNITS)
_SECOND = _UNITS["s"]
_TOO_LARGE = 2**63
# Longer than any duration that means something, and below the 4300 digits at which int() refuses.
_MAX_LENGTH = 1000


class InvalidDurationError(ValueError):
    """The text is not a Go duration, or does not fit 64 bits."""


def parse(text: str) -> int:
    """Return the nanoseconds of `text`; raise InvalidDurationError as Go time.ParseDuration fails.

    >>> parse("1h30m"), parse("-1.5us"), parse("0")
    (5400000000000, -1500, 0)
    """
    terms = text[1:] if text.startswith(("+", "-")) else text
    size = 0 if terms == "0" else _sum(terms)
    if size is None:
        raise InvalidDurationError(
            f"{text[:40]!r} is not a duration: write numbers with the units h m s ms us ns, such as 1h30m",
        )
    nanoseconds = -size if text.startswith("-") else size
    if not -_TOO_LARGE <= nanoseconds < _TOO_LARGE:
        raise InvalidDurationError(f"{text[:40]!r} is longer than the 292 years that a Go duration can hold")
    return nanoseconds


def format_duration(nanoseconds: int) -> str:
    """Return the text of Go Duration.String for a 64-bit number of nanoseconds.

    >>> format_duration(86400 * 10**9), format_duration(1500), format_duration(0)
    ('24h0m0s', '1.5µs', '0s')
    """
    sign = "-" if nanoseconds < 0 else ""
    size = abs(nanoseconds)
    if 0 < size < _SECOND:
        unit = "ns" if size < _UNITS["us"] else "\u00b5s" if size < _UNITS["ms"] else "ms"
        return f"{sign}{_decimal(size, _UNITS[unit])}{unit}"
    minutes, rest = divmod(size, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, _SECOND)}s"
    if size >= _UNITS["m"]:
        text = f"{minutes}m{text}"
    if hours:
        text = f"{hours}h{text}"
    return sign + text


def canonical(text: str) -> str:
    """Return `text` as Go writes it: "90m" -> "1h30m0s". Raises InvalidDurationError as `parse` does."""
    return format_duration(parse(text))


def _sum(terms: str) -> int | None:
    """Return the nanoseconds of terms such as "1h30m", or None if the text is anything else."""
    if not 0 < len(terms) <= _MAX_LENGTH:
        return None
    total = 0
    while terms:
        number, terms = _take(terms, _DIGITS)
        unit, terms = _take(terms, _LETTERS)
        whole, _, fraction = number.partition(".")
        if unit not in _UNITS or not (whole + fraction).isdigit():
            return None
        total += int(whole or "0") * _UNITS[unit] + _part(fraction, _UNITS[unit])
    return total


def _take(text: str, characters: str) -> tuple[str, str]:
    """Split `text` behind its leading characters of the given set."""
    rest = text.lstrip(characters)
    return text[: len(text) - len(rest)], rest


def _part(fraction: str, unit: int) -> int:
    """Return 0.fraction * unit, computed and truncated in floating point exactly as Go does it."""
    value, scale = 0, 1.0
    for digit in fraction:
        longer = 10 * value + int(digit)
        if longer > _TOO_LARGE:
            break
        value, scale = longer, 10 * scale
    return int(value * (unit / scale))


def _decimal(size: int, unit: int) -> str:
    """Return size / unit, unit being a power of ten, without trailing zeros."""
    whole, rest = divmod(size, unit)
    return f"{whole}.{str(unit + rest)[1:].rstrip('0')}" if rest else str(whole)
