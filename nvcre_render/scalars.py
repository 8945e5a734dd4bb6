"""What a plain YAML scalar means to Kubernetes.

Kubernetes reads manifests with a YAML 1.1 reader that deviates from the specification: no dates, no
base-60 numbers, but `y` and `off` are booleans, `010` is eight and `08` a float. `resolve` is used in both
directions: the reader asks what a plain scalar is, the writer asks whether a string needs quotes.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Scalar = str | int | float | bool | None

MAX_UINT64 = 2**64 - 1
MIN_INT64 = -(2**63)
MAX_EXACT = 1e21  # from here on Go writes floats with an exponent

_WORDS: dict[str, Scalar] = {"": None, "~": None}
for _names, _meaning in (
    ("y Y yes Yes YES on On ON true True TRUE", True),
    ("n N no No NO off Off OFF false False FALSE", False),
    ("null Null NULL", None),
    (".nan .NaN .NAN", float("nan")),
    (".inf .Inf .INF +.inf +.Inf +.INF", float("inf")),
    ("-.inf -.Inf -.INF", float("-inf")),
):
    _WORDS.update(dict.fromkeys(_names.split(), _meaning))

_NUMBER_STARTS = frozenset("+-.0123456789")
_DIGITS = {2: "01", 8: "01234567", 10: "0123456789", 16: "0123456789abcdefABCDEF"}
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"


def resolve(text: str) -> Scalar:
    """Return the value of the plain scalar `text`: a string unless Kubernetes' reader sees something else.

    >>> resolve("yes"), resolve("010"), resolve("08"), resolve("1_000"), resolve("2001-01-01")
    (True, 8, 8.0, 1000, '2001-01-01')
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    digits = text.replace("_", "")
    if text[0] == "." and digits != text and not _between_digits(text):
        return text
    for read in (_integer, _float):
        number = read(digits)
        if number is not None:
            return number
    return text


def whole(value: Any) -> Any:
    """Return a float without a fraction as an integer, as it stands in JSON; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < MAX_EXACT else value


def fits(tag: str, value: Scalar) -> bool:
    """Tell whether a scalar tagged `tag` (int, float, bool or null) may have the value `value`."""
    kinds: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
    return type(value) in kinds.get(tag, ())


def meaning(value: Scalar) -> str:
    """Return what a finding calls a value that is not a text: true, null, the number 8."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else f"the number {value}"


def _between_digits(text: str) -> bool:
    """Tell whether every underscore stands between two digits, as Go's strconv.ParseFloat wants it."""
    return not re.search("(?<![0-9])_|_(?![0-9])", text)


def _integer(digits: str) -> int | None:
    """Read as Go's strconv.ParseInt and ParseUint with base 0 do: prefixes 0x, 0o, 0b and a bare 0 for octal."""
    sign, body = (digits[0], digits[1:]) if digits[:1] in "+-" else ("", digits)
    base, body = _base(body)
    if base == 2 and body[:1] in ("+", "-") and digits.startswith("0b"):  # noqa: PLR2004
        sign, body = body[0], body[1:]  # what follows 0b is tried once more by itself, sign and all
    if not body or body.strip(_DIGITS[base]):
        return None
    try:
        number = int(sign + body, base)
    except ValueError:  # more digits than Python converts, let alone 64 bits
        return None
    upper = MAX_UINT64 if not sign else -MIN_INT64 - 1
    return number if MIN_INT64 <= number <= upper else None


def _base(body: str) -> tuple[int, str]:
    prefix = body[:2].lower()
    if prefix in ("0x", "0o", "0b"):
        return {"0x": 16, "0o": 8, "0b": 2}[prefix], body[2:]
    if len(body) > 1 and body[0] == "0":
        return 8, body[1:]
    return 10, body


def _float(digits: str) -> float | None:
    if not re.fullmatch(_FLOAT, digits):
        return None
    number = float(digits)
    # Go reports overflow as an error, and its YAML reader then keeps the text.
    return None if number in (float("inf"), float("-inf")) else number
