"""Quantities against the rules of Kubernetes resource.Quantity."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nvcre_render.quantity import InvalidQuantityError, canonical

DECIMAL = {unit: Fraction(10) ** (3 * step - 9) for step, unit in enumerate(("n", "u", "m", "", *"kMGTPE"))}
BINARY = {f"{letter}i": Fraction(1024) ** step for step, letter in enumerate("KMGTPE", 1)}
NANO = Fraction(1, 10**9)

# The pattern that Kubernetes generates into CRD schemas. It also allows fractional exponents, which
# Quantity itself refuses.
CRD_PATTERN = re.compile(
    r"(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?"
)

numbers = st.from_regex(r"[+-]?([0-9]{1,22}(\.[0-9]{0,14})?|\.[0-9]{1,14})", fullmatch=True)
exponents = st.from_regex(r"[eE][+-]?[0-9]{1,2}", fullmatch=True)


def join(number: str, unit: str) -> str:
    return number + unit


decimals = st.builds(join, numbers, st.sampled_from(sorted(DECIMAL)))
exponentials = st.builds(join, numbers, exponents)
binaries = st.builds(join, numbers, st.sampled_from(sorted(BINARY)))


def amount(text: str) -> Fraction:
    """Read a quantity exactly, without any of Kubernetes' bounds."""
    found = re.fullmatch(r"([+-]?[0-9.]+)(.*)", text)
    assert found is not None
    number, unit = found.groups()
    units = DECIMAL | BINARY
    return Fraction(number) * units[unit] if unit in units else Fraction(text)


def accepted(text: str) -> str:
    """Return the canonical text, setting aside the decimal amounts of 1000E and more that have no unit."""
    try:
        return canonical(text)
    except InvalidQuantityError:
        assume(abs(amount(text)) < 1000 * DECIMAL["E"])
        raise


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # the largest unit that leaves an integer
        ("1024Mi", "1Gi"),
        ("1048576Ki", "1Gi"),
        ("1000Ki", "1000Ki"),
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("1000m", "1"),
        ("2000", "2k"),
        ("-2000k", "-2M"),
        ("100000000000000000000n", "100G"),
        # a binary unit with a fraction
        ("1.5Gi", "1536Mi"),
        ("1024.5Ki", "1049088"),
        ("0.0009765625Mi", "1Ki"),
        ("0.9765625Ki", "1k"),
        ("1.0001Ki", "1024102400u"),
        ("0.1Ki", "102400m"),
        # an exponent stays one, in steps of three
        ("1e3", "1e3"),
        ("1500e3", "1500e3"),
        ("1e4", "10e3"),
        ("1e-4", "100e-6"),
        ("1e2", "100"),
        ("1E", "1E"),
        # zero has no unit and no sign
        ("0", "0"),
        ("0Mi", "0"),
        ("-0.00e7", "0"),
        # what is finer than a nano counts as a whole one, away from zero
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("1.0000000001", "1000000001n"),
        ("1.0000000001Ki", "1024000000103n"),
        ("1e-999999999", "1e-9"),
        # only binary amounts are capped, at 2^63-1
        ("8Ei", "9223372036854775807"),
        ("-9Ei", "-9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"),
        # JSON numbers
        (0.0, "0"),
        (0.5, "500m"),
        (1e16, "10P"),
        (1.5e-05, "15u"),
        (-1e-06, "-1u"),
        (1e-07, "100e-9"),
        (1e-09, "1e-9"),
        (1.5e21, "1500e18"),
    ],
)
def test_canonical(value: str | float, expected: str) -> None:
    assert canonical(value) == expected


@pytest.mark.parametrize(
    "text", ["+100", "-01", "0123456789012345678", "1.", "1.Gi", "+4Gi", "1E3", "1e0", "1.125", "15.1e1", "+99Ti"]
)
def test_kubernetes_keeps_a_text_that_looks_canonical(text: str) -> None:
    assert canonical(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.125", "125m"),
        ("+8Gi", "8Gi"),
        ("+100Ti", "100Ti"),
        ("+1.50", "1500m"),
        ("+1234567890123456789", "1234567890123456789"),
    ],
)
def test_kubernetes_rewrites_what_its_quick_look_is_not_sure_of(text: str, expected: str) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    "text", ["", ".", "Ki", " 1", "1\n", "1e", "1e1.5", "1e\u0661", "1K", "1.1.1", "--1", "\u0661", "9" * 5000]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidQuantityError, match="Ki Mi Gi"):
        canonical(text)


@pytest.mark.parametrize("value", [True, float("nan"), float("-inf")])
def test_other_values_are_refused(value: float) -> None:
    with pytest.raises(InvalidQuantityError):
        canonical(value)


def test_a_decimal_amount_beyond_the_last_unit_is_refused() -> None:
    with pytest.raises(InvalidQuantityError, match="too large"):
        canonical("1000E")


@given(st.text("0123.+-eimMK ", max_size=8))
def test_accepts_what_the_crd_pattern_accepts(text: str) -> None:
    if CRD_PATTERN.fullmatch(text) and not re.search(r"e.*\.", text):
        assert canonical(text)
    else:
        with pytest.raises(InvalidQuantityError):
            canonical(text)


@given(decimals | exponentials | binaries)
def test_the_amount_stays_or_rounds_up_to_a_nano(text: str) -> None:
    exact = amount(text)
    assume(text[-1] != "i" or abs(exact) < 2**63)
    written = amount(accepted(text))
    assert 0 <= abs(written) - abs(exact) < NANO
    assert written * exact >= 0
    if exact % NANO == 0:
        assert written == exact


@given(decimals | exponentials | binaries)
def test_a_rewritten_text_has_an_integer_and_the_largest_unit(text: str) -> None:
    written = accepted(text)
    assume(written not in (text, "0"))
    found = re.fullmatch(r"-?([1-9][0-9]*)([numkMGTPE]?|[KMGTPE]i|e-?[1-9][0-9]*)", written)
    assert found is not None
    number, unit = int(found[1]), found[2]
    base = 1024 if text.endswith("i") and unit in {"", *BINARY} else 1000
    assert number % base != 0


@given(decimals | exponentials | st.builds(join, st.integers().map(str), st.sampled_from(sorted(BINARY))))
def test_canonical_is_idempotent(text: str) -> None:
    # Not so for fractions of binary units: "1.953125Ki" is written "2000", which would be read as "2k".
    written = accepted(text)
    assert canonical(written) == written


@given(st.integers(-(2**63), 2**64))
def test_an_integer_is_its_digits(number: int) -> None:
    assert canonical(number) == canonical(str(number))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_shortest_digits(number: float) -> None:
    written = canonical(number)
    assert 0 <= abs(amount(written)) - abs(Fraction(repr(number))) < NANO
    assert ("e" in written) <= (abs(number) < 1e-6 or abs(number) >= 1e21)
