"""Dates, times and instants: two orders only, nothing guessed, zones turned into the county's date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.intake.moments import parse_date, parse_instant, parse_month_day, parse_time
from reporting.intake.values import BadValue, Raw

TODAY = date(2026, 7, 13)


def day(raw: Raw) -> date:
    return parse_date(raw, today=TODAY)


def refusal(parse: Callable[[Raw], object], raw: Raw) -> str:
    with pytest.raises(BadValue) as bad:
        parse(raw)
    assert bad.value.message.endswith(".")
    return bad.value.code


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2025-07-02", "2025-07-02"),
        ("7/2/2025", "2025-07-02"),
        ("07/02/2025", "2025-07-02"),
        ("7-2-2025", "2025-07-02"),
        ("7/2/25", "2025-07-02"),
        ("7/13/26", "2026-07-13"),  # today
        ("2/29/2024", "2024-02-29"),
        ("July 2, 2025", "2025-07-02"),
        ("Jul 2 2025", "2025-07-02"),
        ("Sept. 2, 2025", "2025-09-02"),
        ("2-Jul-2025", "2025-07-02"),
        ("2 July 2025", "2025-07-02"),
        (" 2025-07-02\u00a0", "2025-07-02"),
        ("2031-01-01", "2031-01-01"),  # with four digits the future is allowed here
        ("7/2/2025 0:00", "2025-07-02"),
        ("7/2/2025 12:00:00 AM", "2025-07-02"),
        ("2025-07-02T23:59:59", "2025-07-02"),
        ("2025-06-13T04:59:59Z", "2025-06-12"),  # 23:59:59 in the county
        ("2025-06-13T05:00:00Z", "2025-06-13"),
        ("2025-06-13 00:30 -05:00", "2025-06-13"),
        ("2026-01-14T05:30:00+0000", "2026-01-13"),  # winter
        (date(2025, 7, 2), "2025-07-02"),
        (datetime(2025, 7, 2, 23, 59), "2025-07-02"),  # noqa: DTZ001
        (datetime(2025, 6, 13, 4, 59, tzinfo=UTC), "2025-06-12"),
        ("1925-01-01", "1925-01-01"),
        ("2199-12-31", "2199-12-31"),
    ],
)
def test_dates(raw: Raw, iso: str) -> None:
    value = day(raw)
    assert (value.isoformat(), type(value)) == (iso, date)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("2/29/2025", "date_impossible"),
        ("13/02/2025", "date_impossible"),
        ("2025-13-01", "date_impossible"),
        ("2025-02-30", "date_impossible"),
        ("0/1/2025", "date_impossible"),
        ("0025", "date_number"),
        ("7", "date_number"),
        ("20260102", "date_number"),
        ("46205", "date_number"),
        ("46205.5", "date_number"),
        (46205, "date_number"),
        (46205.5, "date_number"),
        (True, "date_number"),
        (None, "date_number"),
        (time(1, 2), "date_number"),
        (timedelta(days=1), "date_number"),
        ("0025-07-02", "date_year"),
        ("7/2/0025", "date_year"),
        ("1924-12-31", "date_year"),
        ("2200-01-01", "date_year"),
        ("0001-01-01", "date_year"),
        ("9999-12-31", "date_year"),
        (date(1901, 2, 15), "date_year"),  # 412 in a cell with a date format
        ("July 2025", "date_incomplete"),
        ("7/2", "date_incomplete"),
        ("3-Dec", "date_incomplete"),
        ("Dec-03", "date_incomplete"),
        ("7/14/26", "date_two_digit_year"),  # tomorrow
        ("7/2/99", "date_two_digit_year"),
        ("2026-W27-4", "date"),
        ("2026-183", "date"),
        ("2026/07/02", "date"),
        ("2025-7-2", "date"),
        ("7-2-25", "date"),
        ("2.7.2025", "date"),
        ("07.02.2025", "date"),
        ("today", "date"),
        ("Juli 2, 2025", "date"),
        ("7/2/2025-7/3/2025", "date"),
        ("7/2/2025 and 7/3/2025", "date"),
        ("٢٠٢٥-٠٧-٠٢", "date"),
        ("7/2/2025 25:00", "time"),
        ("2025-07-02T24:00:00Z", "time"),
        ("2025-07-02T23:59:60Z", "time"),
        ("2025-07-02T10:00:00+15:00", "zone"),
        ("", "blank"),
        ("2025-07-02\x00", "bad_character"),
        ("2025-07-02\ud800", "bad_character"),
        ("2" * 100_000, "too_long"),
    ],
)
def test_what_is_no_date(raw: Raw, code: str) -> None:
    assert refusal(day, raw) == code


def test_another_zone() -> None:
    assert parse_date("2025-06-13T04:30:00Z", today=TODAY, time_zone="America/New_York") == date(2025, 6, 13)


@pytest.mark.parametrize(
    ("raw", "utc"),
    [
        ("2026-07-13T14:05:00Z", "2026-07-13T14:05:00"),
        ("2026-07-13T09:05-05:00", "2026-07-13T14:05:00"),
        ("2026-07-13 09:05:01.25 -0500", "2026-07-13T14:05:01.250000"),
        (datetime(2026, 7, 13, 14, 5, tzinfo=UTC), "2026-07-13T14:05:00"),
    ],
)
def test_instants(raw: Raw, utc: str) -> None:
    value = parse_instant(raw)
    assert value == datetime.fromisoformat(utc + "+00:00")
    assert value.tzinfo is UTC


def test_an_instant_without_zone_needs_one() -> None:
    assert refusal(parse_instant, "2026-07-13T09:05:00") == "zone_missing"
    assert refusal(parse_instant, datetime(2026, 7, 13)) == "zone_missing"  # noqa: DTZ001
    county = parse_instant("2026-07-13T09:05:00", time_zone="America/Chicago")
    assert county == datetime(2026, 7, 13, 14, 5, tzinfo=UTC)
    autumn = parse_instant("2026-11-01T01:30:00", time_zone="America/Chicago")
    assert autumn == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw", ["2026-07-13", "7/13/2026 9:05 AM Z", "14:05", "", 5, None, date(2026, 7, 13), "20260713T140500Z"]
)
def test_what_is_no_instant(raw: Raw) -> None:
    assert refusal(parse_instant, raw) in {"instant", "blank"}


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("14:05", "14:05:00"),
        ("2:05 PM", "14:05:00"),
        ("2:05pm", "14:05:00"),
        ("2 p.m.", "14:00:00"),
        ("12:00 AM", "00:00:00"),
        ("12 pm", "12:00:00"),
        ("9:05:07", "09:05:07"),
        (time(14, 5), "14:05:00"),
        (timedelta(hours=14, minutes=5), "14:05:00"),
    ],
)
def test_times(raw: Raw, iso: str) -> None:
    assert parse_time(raw).isoformat() == iso


@pytest.mark.parametrize(
    "raw", ["24:00", "13 pm", "0 am", "1405", "14", "14:60", "noon", 14, True, timedelta(days=1), None]
)
def test_what_is_no_time(raw: Raw) -> None:
    assert refusal(parse_time, raw) == "time"


@pytest.mark.parametrize(
    ("raw", "month_day"),
    [
        ("05-01", "05-01"),
        ("5/1", "05-01"),
        ("May 1", "05-01"),
        ("1-May", "05-01"),
        ("02-29", "02-29"),
        ("12/31", "12-31"),
        (date(2026, 5, 1), "05-01"),
    ],
)
def test_month_and_day(raw: Raw, month_day: str) -> None:
    assert parse_month_day(raw) == month_day


@pytest.mark.parametrize("raw", ["13-01", "02-30", "5", "2026-05-01", "Foo 1", "0-1", 501, None, True])
def test_what_is_no_month_and_day(raw: Raw) -> None:
    assert refusal(parse_month_day, raw) == "month_day"


@given(st.dates(date(1925, 1, 1), date(2199, 12, 31)))
def test_dates_are_the_same_when_printed(value: date) -> None:
    us = f"{value.month}/{value.day}/{value.year}"
    shown = (
        value.isoformat(),
        us,
        f"{value:%m/%d/%Y}",
        f"{value:%d-%b-%Y}",
        f"{us} 0:00",
        value.isoformat() + "T12:00",
    )
    assert {day(text) for text in shown} == {value}
    two_digits = f"{value.month}/{value.day}/{value.year % 100:02}"
    if date(2000, 1, 1) <= value <= TODAY:
        assert day(two_digits) == value


@given(st.datetimes(datetime(1926, 1, 1), datetime(2198, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_instants_are_the_same_when_printed(value: datetime) -> None:
    assert parse_instant(value.isoformat()) == parse_instant(value) == value


@given(st.times())
def test_times_are_the_same_when_printed(value: time) -> None:
    assert parse_time(value.isoformat()) == value
    assert parse_time(value.replace(microsecond=0).strftime("%I:%M:%S %p")) == value.replace(microsecond=0)


natives = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.times() | st.timedeltas() | st.datetimes()
)


@given(st.text(max_size=20) | st.text("0123456789/-: TZAPMJulyDec,.+\u200b\x00", max_size=22) | natives)
def test_anything_is_a_value_that_prints_back_or_a_refusal(raw: Raw) -> None:
    parsers: list[Callable[[Raw], date | datetime | time]] = [day, parse_instant, parse_time]
    for parse in parsers:
        try:
            value = parse(raw)
        except BadValue:
            continue
        assert parse(value.isoformat()) == value
    try:
        month_day = parse_month_day(raw)
    except BadValue:
        return
    assert parse_month_day(month_day) == month_day
