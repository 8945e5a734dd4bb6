"""Durations against the rules of Go time.ParseDuration and Duration.String."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nvcre_render.duration import InvalidDurationError, canonical, format_duration, parse

US, MS, S = 10**3, 10**6, 10**9
M, H = 60 * S, 3600 * S

int64 = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("-0", 0),
        ("+0", 0),
        ("0s", 0),
        ("30s", 30 * S),
        ("1h30m", 90 * M),
        ("90m", 90 * M),
        ("5s1h5s", H + 10 * S),
        ("-1.5h", -90 * M),
        ("+5s", 5 * S),
        ("5.s", 5 * S),
        (".5s", S // 2),
        ("1.004s", S + 4 * MS),
        ("10ns", 10),
        ("11us", 11 * US),
        ("12\u00b5s", 12 * US),
        ("12\u03bcs", 12 * US),
        ("13ms", 13 * MS),
        # a fraction of a nanosecond is cut off, in either direction
        ("1.9ns", 1),
        ("-1.9ns", -1),
        ("0.0000000009s", 0),
        # the limits of floating point and of 64 bits, most from Go's own tests
        ("52763797000ns", 52763797000),
        ("0.3333333333333333333h", 20 * M),
        ("0.100000000000000000000h", 6 * M),
        ("0.830103483285477580700h", 49 * M + 48 * S + 372539827),
        ("0.11111111111111111111h", 400 * S),
        ("0.90806790478500h", 3269044457225),
        ("0.908067904785h", 3269044457226),
        ("9007199254.740993ms", 2**53 + 1),
        ("9223372036854775807ns", 2**63 - 1),
        ("9223372036854775.807us", 2**63 - 1),
        ("9223372036s854ms775us807ns", 2**63 - 1),
        ("-9223372036854775808ns", -(2**63)),
    ],
)
def test_parse(text: str, nanoseconds: int) -> None:
    assert parse(text) == nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "-",
        "s",
        ".",
        "-.",
        ".s",
        "+.s",
        "--1s",
        "00",
        "1d",
        "1S",
        "1 s",
        " 1s",
        "1s\n",
        "1.5.5s",
        "1e3s",
        "\u0661s",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidDurationError, match="h m s ms us ns"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "9223372036854775808ns",
        "-9223372036854775809ns",
        "9223372036854775.808us",
        "3000000h",
        "9223372036854ms775us808ns",
    ],
)
def test_more_than_64_bits_is_refused(text: str) -> None:
    with pytest.raises(InvalidDurationError, match="longer than"):
        parse(text)


def test_more_digits_than_python_reads_are_refused() -> None:
    with pytest.raises(InvalidDurationError):
        parse("9" * 5000 + "s")


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (999, "999ns"),
        (1000, "1\u00b5s"),
        (1100, "1.1\u00b5s"),
        (999999, "999.999\u00b5s"),
        (2200 * US, "2.2ms"),
        (500 * MS, "500ms"),
        (S - 1, "999.999999ms"),
        (S, "1s"),
        (1500 * MS, "1.5s"),
        (45 * S, "45s"),
        (M, "1m0s"),
        (90 * S, "1m30s"),
        (5 * M + S + MS, "5m1.001s"),
        (H, "1h0m0s"),
        (24 * H, "24h0m0s"),
        (90 * M, "1h30m0s"),
        (5 * H + 6 * M + 7 * S + MS, "5h6m7.001s"),
        (-90 * S, "-1m30s"),
        (-1, "-1ns"),
        (2**63 - 1, "2562047h47m16.854775807s"),
        (-(2**63), "-2562047h47m16.854775808s"),
    ],
)
def test_format(nanoseconds: int, text: str) -> None:
    assert format_duration(nanoseconds) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("24h", "24h0m0s"), ("90m", "1h30m0s"), ("45s", "45s"), ("0", "0s"), ("1500us", "1.5ms"), ("-0.5h", "-30m0s")],
)
def test_canonical(text: str, expected: str) -> None:
    assert canonical(text) == expected


@given(int64)
def test_what_is_written_reads_back(nanoseconds: int) -> None:
    text = format_duration(nanoseconds)
    assert parse(text) == nanoseconds
    assert canonical(text) == text


@given(
    st.lists(st.tuples(st.integers(0, 10**5), st.sampled_from([("h", H), ("m", M), ("s", S), ("ns", 1)])), min_size=1)
)
def test_terms_add_up_in_any_order(terms: list[tuple[int, tuple[str, int]]]) -> None:
    text = "".join(f"{count}{unit}" for count, (unit, _) in terms)
    total = sum(count * size for count, (_, size) in terms)
    assert parse(text) == total
    assert parse(f"-{text}") == -total


@given(st.integers(0, 10**6), st.integers(0, S - 1))
def test_a_decimal_of_seconds_is_exact(seconds: int, rest: int) -> None:
    assert parse(f"{seconds}.{rest:09}s") == seconds * S + rest
