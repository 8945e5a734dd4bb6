"""Plain scalars as Kubernetes' reader takes them.

The reader is sigs.k8s.io/yaml, whose resolver is go-yaml v2: a map of words, then strconv.ParseInt and
ParseUint with base 0 on the text without underscores, then a float pattern, then a second try at 0b.
(workloadrun-api.md 7.2)
"""

from __future__ import annotations

import math

import pytest

from nvcre_render.scalars import MAX_UINT64, MIN_INT64, Scalar, fits, meaning, resolve, whole

TRUE = ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"]
FALSE = ["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"]
NULL = ["", "~", "null", "Null", "NULL"]


def exactly(value: object) -> tuple[type, object]:
    """Return what tells 1, 1.0 and True apart."""
    return type(value), value


@pytest.mark.parametrize(
    ("words", "value"), [(TRUE, True), (FALSE, False), (NULL, None)], ids=["true", "false", "null"]
)
def test_the_words_of_yaml_1_1(words: list[str], value: Scalar) -> None:
    assert [exactly(resolve(word)) for word in words] == [exactly(value)] * len(words)


@pytest.mark.parametrize("word", [".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"])
def test_infinity(word: str) -> None:
    assert resolve(word) == math.inf
    assert resolve("-" + word.lstrip("+")) == -math.inf


@pytest.mark.parametrize("word", [".nan", ".NaN", ".NAN"])
def test_not_a_number(word: str) -> None:
    number = resolve(word)
    assert isinstance(number, float)
    assert math.isnan(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0", 0),
        ("7", 7),
        ("+1", 1),
        ("-1", -1),
        # Other bases; a leading zero alone is octal.
        ("010", 8),
        ("0777", 511),
        ("-010", -8),
        ("+010", 8),
        ("00", 0),
        ("0o17", 15),
        ("0O17", 15),
        ("-0o17", -15),
        ("0x10", 16),
        ("0XfF", 255),
        ("+0x10", 16),
        ("-0x1F", -31),
        ("0b11", 3),
        ("0B11", 3),
        ("-0b1", -1),
        ("+0b11", 3),
        ("0x0b1", 177),
        # Underscores are dropped wherever they stand after the first character.
        ("1_000", 1000),
        ("1_", 1),
        ("1__0", 10),
        ("0_10", 8),
        ("0_x10", 16),
        ("0x_1", 1),
        ("+_1", 1),
        ("0_", 0),
        # What follows 0b is tried by itself, sign and all.
        ("0b-1", -1),
        ("0b+1", 1),
        # The ends of 64 bits; only what carries no sign may be unsigned.
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2**63),
        ("18446744073709551615", MAX_UINT64),
        ("-9223372036854775808", MIN_INT64),
        ("0xffffffffffffffff", MAX_UINT64),
        ("-0x8000000000000000", MIN_INT64),
        ("01777777777777777777777", MAX_UINT64),
        ("0b" + "1" * 64, MAX_UINT64),
        ("+9223372036854775807", 2**63 - 1),
    ],
)
def test_integers(text: str, number: int) -> None:
    assert exactly(resolve(text)) == (int, number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5),
        ("-1.5", -1.5),
        ("+.5", 0.5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1.0", 1.0),
        ("1e3", 1000.0),
        ("1E3", 1000.0),
        ("1e+3", 1000.0),
        ("1.e3", 1000.0),
        ("12e03", 12000.0),
        ("1.5e-3", 0.0015),
        (".5e-3", 0.0005),
        ("0.0", 0.0),
        ("1e-999", 0.0),
        # A leading zero is no octal number here: 8 and 9 are no octal digits.
        ("08", 8.0),
        ("09", 9.0),
        ("-08", -8.0),
        ("0999", 999.0),
        ("00.5", 0.5),
        ("1_000.5", 1000.5),
        ("1_e3", 1000.0),
        ("09_9", 99.0),
        # After a leading point underscores stand between digits or make a text.
        (".5_0", 0.5),
        (".1_2_3", 0.123),
        # Beyond 64 bits
        ("18446744073709551616", 18446744073709551616.0),
        ("+9223372036854775808", 9223372036854775808.0),
        ("-9223372036854775809", -9223372036854775808.0),
        ("1e308", 1e308),
    ],
)
def test_floats(text: str, number: float) -> None:
    assert exactly(resolve(text)) == (float, number)


@pytest.mark.parametrize(
    "text",
    [
        # Words in another letter case, or nearly words
        *("yES", "nO", "oN", "tRUE", "nULL", "yeah", "NaN", "nan", "Inf", "inf", "Infinity", "infinity", "none", "~~"),
        *("y ", " y", ".Nan", ".iNF", "+.nan", "-.nan", "++.inf"),
        # No base 60, no dates, no merge and no default value
        *("1:30", "22:22", "1:30:00.5", "190:20:30", "2001-01-01", "2001-01-01T00:00:00Z", "2001-1-1 0:0:0", "<<", "="),
        # No digits where digits belong
        *("-", "+", ".", "..", "...", "-.", "+.", "0x", "0o", "0b", "-0x", "-0b", "0xg", "0o8", "0b2", "0b102"),
        *("e5", "1e", "1e+", ".e5", "1e5.0", "1.2.3", "1.5.2", "0x1.8", "0x1p3", "1-1", "--1", "+-1", "-0b-1", "+0b-1"),
        # A prefix counts once
        *("0x0x10", "0b0b1", "0o0o7", "00o7", "00x1", "00b1", "0B-1"),
        # Underscores do not stand first, nor loosely behind a leading point
        *("_1", "_", "__", "._5", ".5_", "._", ".5__0", ".5_e3", ".5e_3", "0x_", "0b_"),
        # Too large even for a float, or for an integer that is no decimal number
        *("1e999", "-1e999", "1E400", ".1e999", "9" * 400, "1" * 5000, "0x10000000000000000", "0b" + "1" * 65),
        *("0xffffffffffffffffffffffffffffffffffffffff", "-0x8000000000000001", "0o2000000000000000000000"),
        # Digits of other scripts, full-width forms and superscripts
        *("\u0661\u0662", "\uff11", "1\u0661", "²", "1²", "½"),
        *("run", "a b", "é", "10.0.0.1", "1 2", "1Gi", "100m", "v1", "x1", "-b", "--mca", "1,000", "0x1F z"),
    ],
)
def test_texts(text: str) -> None:
    assert exactly(resolve(text)) == (str, text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.0, 2),
        (-0.0, 0),
        (1e20, 10**20),
        (-3e5, -300000),
        (1e21, 1e21),  # Go writes an exponent from here on
        (-1e21, -1e21),
        (1.5, 1.5),
        (1e-7, 1e-7),
        (3, 3),
        (True, True),
        (None, None),
        ("1.0", "1.0"),
        ([1.0], [1.0]),
    ],
)
def test_a_float_without_fraction_is_whole(value: object, expected: object) -> None:
    assert exactly(whole(value)) == exactly(expected)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinity_is_not_whole(value: float) -> None:
    assert exactly(whole(value)) == (float, value)


@pytest.mark.parametrize(
    ("tag", "values"),
    [("int", [1, -1]), ("float", [1, -1, 1.5]), ("bool", [True, False]), ("null", [None]), ("str", []), ("map", [])],
)
def test_a_tag_fits_the_values_of_its_type(tag: str, values: list[Scalar]) -> None:
    every: list[Scalar] = [1, -1, 1.5, True, False, None, "", "1", "true"]
    assert [value for value in every if fits(tag, value)] == [
        value for value in every if exactly(value) in map(exactly, values)
    ]


@pytest.mark.parametrize(
    ("value", "name"),
    [(True, "true"), (False, "false"), (None, "null"), (8, "the number 8"), (1.5, "the number 1.5")],
)
def test_a_value_has_a_name_in_findings(value: Scalar, name: str) -> None:
    assert meaning(value) == name
