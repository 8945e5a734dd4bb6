"""The canonical text of an amount of CPU, memory or devices: "1024Mi" is "1Gi", "0.5" is "500m".

The rules are those of Kubernetes resource.Quantity (k8s.io/apimachinery/pkg/api/resource): ParseQuantity
reads and CanonicalizeBytes writes. Inside, an amount is mantissa * 10**power with a positive mantissa; the
sign is only carried along, because every rule is symmetric.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

_DECIMAL = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_NANO = -9
_MAX_BINARY = 2**63 - 1
# Far beyond any amount that means something, and below the 4300 digits at which int() refuses.
_MAX_LENGTH = 1000


class InvalidQuantityError(ValueError):
    """The value is not a Kubernetes quantity."""


def canonical(value: str | float) -> str:
    """Return what Kubernetes writes after it read `value`, a JSON string or number.

    The unit stays of its kind (decimal "M", binary "Mi" or exponent "e6") and becomes the largest that
    leaves an integer. What is finer than a nano rounds away from zero. A binary amount is capped at 2^63-1
    and turns decimal when it is below 1024 or no integer. Raises InvalidQuantityError for any other text,
    and for an amount that no decimal unit can express.

    >>> canonical("1.5Gi"), canonical(2000), canonical("12e5"), canonical("0.1Ki")
    ('1536Mi', '2k', '1200e3', '102400m')
    """
    text = value if isinstance(value, str) else _json_number(value)
    unit = text.lstrip("+-.0123456789")
    number = text[: len(text) - len(unit)]
    whole, _, fraction = _unsigned(number).partition(".")
    if not (whole + fraction).isdigit() or not _is_unit(unit) or len(text) > _MAX_LENGTH:
        raise InvalidQuantityError(
            f"{text[:40]!r} is not a quantity: write a decimal number, alone or followed by a unit "
            "(n u m k M G T P E Ki Mi Gi Ti Pi Ei) or an exponent (e3)",
        )
    whole = whole.lstrip("0")
    mantissa = int(f"0{whole}{fraction}")
    if mantissa == 0:
        return "0"
    if _is_kept(whole, fraction, unit):
        return text
    amount = _write(mantissa, -len(fraction), unit)
    return f"-{amount}" if text.startswith("-") else amount


def amount(text: str) -> Decimal:
    """Return the number a canonical quantity stands for, to compare amounts written in different units.

    >>> amount("1536Mi") == amount("1.5Gi"), amount("500m") < amount("1")
    (True, True)
    """
    from decimal import Decimal

    unit = text.lstrip("+-.0123456789")
    number = Decimal(text[: len(text) - len(unit)])
    if unit.endswith("i"):
        factor: int = 1024 ** _BINARY.index(unit)
        return number * factor
    # Beyond that, amounts are all alike: more than any cluster has.
    return number.scaleb(max(-_MAX_LENGTH, min(_MAX_LENGTH, _power(unit))))


def _json_number(number: float) -> str:
    """Write as Go's encoding/json: without exponent from 1e-6 up to 1e21 (Python: from 1e-4 up to 1e16)."""
    text = str(number)
    digits, _, power = text.partition("e")
    if not power or not 1e-6 <= abs(number) < 1e21:  # noqa: PLR2004
        return text.replace("e-0", "e-")
    whole, _, fraction = digits.partition(".")
    if power.startswith("+"):
        return whole + fraction.ljust(int(power), "0")
    sign, digit = whole[:-1], whole[-1]
    return f"{sign}0.{'0' * (-int(power) - 1)}{digit}{fraction}"


def _unsigned(number: str) -> str:
    return number[1:] if number.startswith(("+", "-")) else number


def _is_unit(unit: str) -> bool:
    if unit in _DECIMAL or unit in _BINARY:
        return True
    exponent = _unsigned(unit[1:])
    return unit[0] in "eE" and exponent.isascii() and exponent.isdigit()


def _is_kept(whole: str, fraction: str, unit: str) -> bool:
    """Tell whether Kubernetes writes the very text it read, because a quick look finds it canonical.

    The look is at short numbers only, which surely fit 64 bits, and is fooled: "+1", "010", "1E3", "1.125".
    """
    if unit.endswith("i"):
        return not fraction and len(whole) <= 14 - 3 * _BINARY.index(unit) and int(whole) % 8 != 0
    digits = whole + fraction
    power = _power(unit) - len(fraction)
    return (
        whole != ""
        and len(digits) <= 18  # noqa: PLR2004
        and power >= _NANO
        and power % 3 == 0
        and not digits.endswith("000")
    )


def _power(unit: str) -> int:
    return 3 * _DECIMAL.index(unit) + _NANO if unit in _DECIMAL else int(unit[1:])


def _write(mantissa: int, power: int, unit: str) -> str:
    if unit.endswith("i"):
        return _write_binary(mantissa << 10 * _BINARY.index(unit), power)
    power += _power(unit)
    return _write_decimal(mantissa, power) if unit in _DECIMAL else _write_exponent(mantissa, power)


def _write_exponent(mantissa: int, power: int) -> str:
    digits, power = _thousands(mantissa, power)
    return f"{digits}e{power}" if power else digits


def _write_decimal(mantissa: int, power: int) -> str:
    digits, power = _thousands(mantissa, power)
    step = (power - _NANO) // 3
    if step >= len(_DECIMAL):
        # Kubernetes would drop the unit here and write 1000E as 1.
        raise InvalidQuantityError(f"{digits}e{power} is too large for a decimal unit: write it with an exponent")
    return digits + _DECIMAL[step]


def _write_binary(mantissa: int, power: int) -> str:
    mantissa, power = _round_up(mantissa, power)
    one = 10**-power
    mantissa = min(mantissa, _MAX_BINARY * one)
    whole, fraction = divmod(mantissa, one)
    if fraction or whole < 1024:  # noqa: PLR2004
        return _write_decimal(mantissa, power)
    step = ((whole & -whole).bit_length() - 1) // 10
    return f"{whole >> 10 * step}{_BINARY[step]}"


def _thousands(mantissa: int, power: int) -> tuple[str, int]:
    """Return the digits and the largest power of a thousand, as an exponent of ten, that leave an integer."""
    mantissa, power = _round_up(mantissa, power)
    digits = str(mantissa)
    power += len(digits)
    digits = digits.rstrip("0")
    power -= len(digits)
    return digits + "0" * (power % 3), power - power % 3


def _round_up(mantissa: int, power: int) -> tuple[int, int]:
    if power >= _NANO:
        return mantissa, power
    # Dropping all digits already leaves 1, so a vast power needs no vast division.
    dropped = min(_NANO - power, len(str(mantissa)))
    return -(-mantissa // 10**dropped), _NANO
