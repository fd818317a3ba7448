"""Gallons, readings, fractions and coordinates: what is taken, what is refused, and that nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.numbers import (
    parse_fraction,
    parse_gallons,
    parse_latitude,
    parse_longitude,
    parse_reading,
    parse_whole,
)
from reporting.intake.values import BadValue, Raw

PARSERS: list[Callable[[Raw], object]] = [
    parse_gallons,
    parse_whole,
    parse_reading,
    parse_fraction,
    parse_latitude,
    parse_longitude,
]


def refusal(parse: Callable[[Raw], object], raw: Raw) -> str:
    with pytest.raises(BadValue) as bad:
        parse(raw)
    assert bad.value.message.endswith(".")
    return bad.value.code


@pytest.mark.parametrize(
    ("raw", "gallons"),
    [
        ("1500", 1500),
        ("1,500", 1500),
        ("1,234,567", 1_234_567),
        ("1500 gal", 1500),
        ("1500gal.", 1500),
        ("1,500 Gallons", 1500),
        ("1500.0", 1500),
        ("1500.00", 1500),
        (" 1500\u00a0", 1500),
        ("\u200b1500", 1500),
        ("0", 0),
        ("0412", 412),
        (1500, 1500),
        (1500.0, 1500),
        (Decimal("1500.0"), 1500),
        (Decimal("1.5e3"), 1500),
        ("1,000,000,000", 1_000_000_000),
    ],
)
def test_gallons(raw: Raw, gallons: int) -> None:
    value = parse_gallons(raw)
    assert (value, type(value)) == (gallons, int)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("1.500", "ambiguous_number"),
        ("1.500.000", "ambiguous_number"),
        ("~1500", "not_whole"),
        ("1_500", "not_whole"),
        ("1500.5", "not_whole"),
        ("1500.000", "not_whole"),
        ("1 500", "not_whole"),
        ("1,50", "not_whole"),
        ("15,00", "not_whole"),
        ("1,5000", "not_whole"),
        (",500", "not_whole"),
        ("NaN", "not_whole"),
        ("inf", "not_whole"),
        ("1e400", "not_whole"),
        ("1e3", "not_whole"),
        ("0x10", "not_whole"),
        ("true", "not_whole"),
        ("+1500", "not_whole"),
        ("-1500", "negative"),
        ("٣٤", "not_whole"),
        ("１５００", "not_whole"),
        ("1500²", "not_whole"),
        ("1500 gal 1500", "not_whole"),
        ("1500 m3", "not_whole"),
        ("", "blank"),
        (" ", "blank"),
        ("1\x00500", "bad_character"),
        ("1\ud800", "bad_character"),
        ("1" * 100_000, "too_long"),
        ("1" * 16, "not_whole"),
        ("1,000,000,001", "too_large"),
        (True, "not_a_number"),
        (None, "not_a_number"),
        ([1500], "not_a_number"),
        ({"a": 1}, "not_a_number"),
        (date(2026, 1, 1), "not_a_number"),
        (float("nan"), "not_a_number"),
        (float("inf"), "not_a_number"),
        (Decimal("NaN"), "not_a_number"),
        (1500.5, "not_whole"),
        (-1, "negative"),
        (-0.5, "negative"),
        (2**63, "too_large"),
        (-(2**63), "negative"),
        (10**4000, "too_large"),
        (1e300, "too_large"),
        (Decimal("1e999999"), "too_large"),
        (Decimal("1e-999999"), "not_whole"),
    ],
)
def test_what_are_no_gallons(raw: Raw, code: str) -> None:
    assert refusal(parse_gallons, raw) == code


def test_whole_numbers_have_bounds() -> None:
    assert [parse_whole(raw, minimum=1, maximum=12) for raw in ("1", "12", 12, "12.0")] == [1, 12, 12, 12]
    assert refusal(lambda raw: parse_whole(raw, minimum=1), "0") == "too_small"
    assert refusal(lambda raw: parse_whole(raw, maximum=12), "13") == "too_large"
    assert refusal(parse_whole, "12 gal") == "not_whole"


@pytest.mark.parametrize(
    ("raw", "reading"),
    [
        ("012345", "12345"),
        ("12,345.6", "12345.6"),
        (".5", "0.5"),
        ("0", "0"),
        (12345, "12345"),
        (12345.6, "12345.6"),
        (Decimal("12345.60"), "12345.60"),
        ("1.500", "1.500"),
    ],
)
def test_readings(raw: Raw, reading: str) -> None:
    assert parse_reading(raw) == Decimal(reading)


@pytest.mark.parametrize("raw", ["", ".", "1.", "-1", "1e5", "1.2.3", "1,2", "12345 gal", "NaN", "٣", "1.1234567890"])
def test_what_is_no_reading(raw: str) -> None:
    assert refusal(parse_reading, raw) in {"reading", "blank"}


@pytest.mark.parametrize(
    "raw", [True, -1, 1e300, Decimal("1e999999"), Decimal("1e-999999"), float("nan"), None, 10**4000]
)
def test_what_is_no_native_reading(raw: Raw) -> None:
    assert refusal(parse_reading, raw) in {"reading", "not_a_number", "too_large"}


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        ("1/4", Fraction(1, 4)),
        ("1 / 3", Fraction(1, 3)),
        ("25%", Fraction(1, 4)),
        ("33.3 %", Fraction(333, 1000)),
        (".5%", Fraction(1, 200)),
        (".25", Fraction(1, 4)),
        ("0.25", Fraction(1, 4)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("1.0", Fraction(1)),
        ("100%", Fraction(1)),
        ("0/4", Fraction(0)),
        (0.25, Fraction(1, 4)),
        (0.1, Fraction(1, 10)),
        (1, Fraction(1)),
        (Decimal("0.34"), Fraction(34, 100)),
    ],
)
def test_fractions_are_exact(raw: Raw, part: Fraction) -> None:
    assert parse_fraction(raw) == part


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("25", "fraction"),
        ("5/4", "fraction"),
        ("1/0", "fraction"),
        ("101%", "fraction"),
        ("-1/4", "fraction"),
        ("1.01", "fraction"),
        ("%", "fraction"),
        (".", "fraction"),
        ("1/4/2", "fraction"),
        ("½", "fraction"),
        ("0.2_5", "fraction"),
        ("1e-1", "fraction"),
        ("4-Jan", "excel_date"),
        ("Jan-04", "excel_date"),
        (date(2026, 1, 4), "excel_date"),
        (25, "fraction"),
        (-0.1, "fraction"),
        (True, "not_a_number"),
        (float("nan"), "not_a_number"),
        (Decimal("1e999999"), "fraction"),
        (Decimal("1e-999999"), "fraction"),
    ],
)
def test_what_is_no_fraction(raw: Raw, code: str) -> None:
    assert refusal(parse_fraction, raw) == code


def test_coordinates() -> None:
    assert parse_latitude("43.3857") == Decimal("43.3857")
    assert parse_longitude(-87.9523) == Decimal("-87.9523")
    assert [parse_latitude("90"), parse_longitude("-180")] == [Decimal(90), Decimal(-180)]
    for raw in ("90.1", "-91", "43° 23'", "43,38", "NaN", "1e1", "", "43.3857 N"):
        assert refusal(parse_latitude, raw) in {"latitude", "blank"}
    for native in (181, -180.5, float("inf"), True, None, Decimal("1e-999999")):
        assert refusal(parse_longitude, native) in {"longitude", "not_a_number"}


@given(st.integers(0, 1_000_000_000))
def test_gallons_are_the_same_when_printed(value: int) -> None:
    assert {parse_gallons(text) for text in (str(value), f"{value:,}", f"{value} gal", f"{value}.0")} == {value}


@given(st.decimals(0, 10**12, places=3) | st.decimals(0, 10**12, places=0))
def test_readings_are_the_same_when_printed(value: Decimal) -> None:
    assert parse_reading(f"{value:f}") == parse_reading(f"{value:,f}") == parse_reading(value) == value


@given(st.fractions(0, 1, max_denominator=999_999))
def test_fractions_are_the_same_when_printed(value: Fraction) -> None:
    assert parse_fraction(str(value)) == value


@given(st.decimals(-90, 90, places=6))
def test_coordinates_are_the_same_when_printed(value: Decimal) -> None:
    assert parse_latitude(f"{value:f}") == parse_longitude(f"{value:f}") == value


natives = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.dates()
    | st.lists(st.integers(), max_size=1)
)


@given(st.text(max_size=30) | st.text("0123456789.,/%- galE+_\u200b\x00", max_size=12) | natives)
def test_anything_is_a_value_that_prints_back_or_a_refusal(raw: Raw) -> None:
    for parse in PARSERS:
        try:
            value = parse(raw)
        except BadValue:
            continue
        assert isinstance(value, int | Decimal | Fraction)
        printed = f"{value:f}" if isinstance(value, Decimal) else str(value)
        assert parse(printed) == value, (parse, raw)
