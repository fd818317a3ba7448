"""Counting time: each legal limit in pairs, a slow second implementation, and the `holidays` package as a witness."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import holidays
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.calendar import (
    Calendar,
    Deadline,
    add_days,
    add_months,
    is_legal_holiday,
    is_mail_holiday,
    legal_holidays,
    local_date,
    mail_holidays,
)

STATE = Calendar()
ANY_DAY = st.dates()
USUAL_DAY = st.dates(min_value=date(2000, 1, 1), max_value=date(2060, 12, 31))


def d(text: str) -> date:
    return date.fromisoformat(text)


# Wis. Stat. 995.20


def test_the_holidays_of_2026() -> None:
    days = "01-01 01-15 02-16 05-25 06-19 07-04 08-11 09-07 10-12 11-03 11-11 11-26 12-25"
    assert " ".join(day.isoformat()[5:] for day in legal_holidays(2026)) == days


@pytest.mark.parametrize(
    ("day", "is_holiday", "why"),
    [
        ("2009-06-19", False, "June 19 is a holiday since 2009-12-16"),
        ("2010-06-19", True, "so 2010 is its first"),
        ("2011-06-19", False, "a Sunday: the Monday is the holiday"),
        ("2011-06-20", True, "the Monday after"),
        ("2010-09-14", True, "September primary: second Tuesday until 2010"),
        ("2010-08-10", False, "not August yet"),
        ("2012-08-14", True, "partisan primary: second Tuesday of August from 2012"),
        ("2012-09-11", False, "no longer September"),
        ("2013-08-13", False, "no primary in odd years"),
        ("2022-11-08", True, "general election: Tuesday after the first Monday, Nov 1 being a Tuesday"),
        ("2022-11-01", False, "the first Tuesday is not after the first Monday"),
        ("2024-11-05", True, "general election"),
        ("2025-11-04", False, "no general election in odd years"),
        ("2026-01-15", True, "January 15 itself"),
        ("2026-01-19", False, "the federal third Monday of January is no legal holiday of the state"),
        ("2028-01-15", True, "a Saturday stays a holiday"),
        ("2028-01-14", False, "and the Friday before is none"),
        ("2023-01-15", False, "a Sunday: Monday is the holiday"),
        ("2023-01-16", True, "the Monday after"),
        ("2026-04-03", False, "Good Friday is no full day"),
        ("2026-11-26", True, "Thanksgiving, fourth Thursday"),
        ("2026-11-27", False, "the day after is none"),
        ("2026-12-24", False, "no legal holiday, whatever offices do"),
        ("2026-12-31", False, "no legal holiday"),
        ("2026-02-12", False, "Feb 12 is celebrated on the third Monday"),
    ],
)
def test_each_holiday_and_its_neighbour(day: str, is_holiday: bool, why: str) -> None:
    assert is_legal_holiday(d(day)) is is_holiday, why


def test_no_holiday_is_listed_on_a_sunday_and_none_is_lost() -> None:
    for year in (*range(1, 10), *range(1995, 2105), *range(9990, 10_000)):
        days = legal_holidays(year)
        assert all(day.weekday() != 6 and day.year == year for day in days)
        assert len(days) == 10 + (year >= 2010) + 2 * (year % 2 == 0)


def test_the_list_of_holidays_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        legal_holidays(2026)[d("2026-12-24")] = "mine"  # type: ignore[index]


def test_the_holidays_package_agrees_but_for_named_differences() -> None:
    """Its US-WI list is the one of state employees' days off: the federal King day instead of January 15, Susan B.
    Anthony Day (Feb 15), Dec 24 and Dec 31, June 19 from 2021 only, neither the second Monday of October nor elections.
    Sundays are left out on both sides, and moved to Monday on theirs."""
    only_theirs = {"Martin Luther King Jr. Day", "Susan B. Anthony Day", "Christmas Eve", "New Year's Eve"}
    only_ours = {"January 15", "Second Monday in October", "Partisan primary", "General election"}
    for year in range(2000, 2050):
        theirs = {
            day + timedelta(days=1) if day.weekday() == 6 else day
            for day, name in holidays.country_holidays("US", subdiv="WI", years=year, observed=False).items()
            if name not in only_theirs
        }
        ours = {
            day
            for day, name in legal_holidays(year).items()
            if name not in only_ours and not (name == "Juneteenth" and year < 2021)
        }
        assert ours == theirs, year


def test_mail_holidays_are_the_federal_ones_as_mail_is_delivered() -> None:
    for year in range(2000, 2050):
        federal = holidays.country_holidays("US", years=year, observed=False)
        expected = {day + timedelta(days=1) if day.weekday() == 6 else day for day in federal if day.year == year}
        mourning = {day for day in mail_holidays(year) if mail_holidays(year)[day].startswith("National")}
        assert set(mail_holidays(year)) - mourning == expected


@pytest.mark.parametrize(
    ("day", "no_mail"),
    [
        ("2026-01-19", True),  # third Monday of January
        ("2026-01-15", False),  # the state's holiday only
        ("1985-01-21", False),  # before the first King day
        ("1986-01-20", True),
        ("2020-06-19", False),  # a state holiday, not yet a federal one
        ("2023-06-19", True),
        ("2026-07-03", False),  # July 4 is a Saturday: the mail is delivered on the Friday
        ("2026-07-04", True),
        ("2027-07-05", True),  # July 4 is a Sunday
        ("2025-01-09", True),  # a national day of mourning
        ("2026-11-03", False),  # election day
    ],
)
def test_days_without_mail(day: str, no_mail: bool) -> None:
    assert is_mail_holiday(d(day)) is no_mail


# Wis. Stat. 990.001(4)


@pytest.mark.parametrize(
    ("day", "service", "filing", "mailed"),
    [
        ("2026-03-13", "2026-03-13", "2026-03-13", "2026-03-13"),  # a Friday
        ("2026-03-14", "2026-03-14", "2026-03-16", "2026-03-16"),  # a Saturday moves filings only
        ("2026-03-15", "2026-03-16", "2026-03-16", "2026-03-16"),  # a Sunday moves everything
        ("2026-11-26", "2026-11-27", "2026-11-27", "2026-11-27"),  # Thanksgiving
        ("2026-06-19", "2026-06-20", "2026-06-22", "2026-06-22"),  # Friday holiday, then a Saturday
        ("2026-07-04", "2026-07-06", "2026-07-06", "2026-07-06"),  # Saturday holiday, then Sunday
        ("2026-07-03", "2026-07-03", "2026-07-03", "2026-07-03"),  # no holiday before a Saturday holiday
        ("2028-12-31", "2029-01-02", "2029-01-02", "2029-01-02"),  # Sunday, then New Year's Day
        ("2027-01-01", "2027-01-02", "2027-01-04", "2027-01-04"),
        ("2022-11-08", "2022-11-09", "2022-11-09", "2022-11-09"),  # general election
        ("2026-02-16", "2026-02-17", "2026-02-17", "2026-02-17"),
        ("2026-10-12", "2026-10-13", "2026-10-13", "2026-10-13"),
        ("2026-11-11", "2026-11-12", "2026-11-12", "2026-11-12"),
        ("2026-12-25", "2026-12-26", "2026-12-28", "2026-12-28"),
        ("2026-01-19", "2026-01-19", "2026-01-19", "2026-01-20"),  # no mail: only what may be mailed moves
        ("2026-01-17", "2026-01-17", "2026-01-19", "2026-01-20"),  # Saturday, Sunday, no mail
        ("2027-02-28", "2027-03-01", "2027-03-01", "2027-03-01"),
        ("2022-12-25", "2022-12-27", "2022-12-27", "2022-12-27"),  # Christmas on a Sunday: Monday is the holiday
    ],
)
def test_the_last_day(day: str, service: str, filing: str, mailed: str) -> None:
    assert STATE.roll(d(day), filing=False) == d(service)
    assert STATE.roll(d(day), filing=True) == d(filing)
    assert STATE.roll(d(day), filing=True, mailable=True) == d(mailed)
    assert STATE.roll(d(day), filing=True, mailable=True, prior=True) == d(day)


def test_an_office_open_on_saturdays_takes_filings_on_saturdays() -> None:
    assert Calendar(closed_saturdays=False).roll(d("2026-03-14"), filing=True) == d("2026-03-14")
    assert Calendar(closed_saturdays=False).roll(d("2026-03-15"), filing=True) == d("2026-03-16")


def test_closed_days_move_filings_and_nothing_else() -> None:
    county = Calendar(closed_days=frozenset({d("2026-12-24"), d("2026-11-27")}))
    assert county.roll(d("2026-12-24"), filing=True) == d("2026-12-28")
    assert county.roll(d("2026-12-24"), filing=False) == d("2026-12-24")
    assert county.roll(d("2026-12-23"), filing=True) == d("2026-12-23")
    assert county.roll(d("2026-11-26"), filing=True) == d("2026-11-30")
    assert county.roll(d("2026-12-24"), filing=True, prior=True) == d("2026-12-24")


@pytest.mark.parametrize(
    ("start", "days", "due_on", "last_day"),
    [
        ("2023-06-01", 10, "2023-06-11", "2023-06-12"),  # Sunday
        ("2025-06-04", 10, "2025-06-14", "2025-06-16"),  # Saturday
        ("2025-06-02", 10, "2025-06-12", "2025-06-12"),
        ("2026-05-01", 20, "2026-05-21", "2026-05-21"),
        ("2026-01-05", 90, "2026-04-05", "2026-04-06"),
        ("2026-08-03", 30, "2026-09-02", "2026-09-02"),
        ("2024-02-28", 1, "2024-02-29", "2024-02-29"),
        ("2025-12-31", 31, "2026-01-31", "2026-02-02"),  # Saturday
        ("2026-03-13", 0, "2026-03-13", "2026-03-13"),
    ],
)
def test_days_count_the_last_and_not_the_first(start: str, days: int, due_on: str, last_day: str) -> None:
    assert STATE.deadline_after_days(d(start), days, filing=True) == Deadline(due_on=d(due_on), last_day=d(last_day))


@pytest.mark.parametrize(
    ("start", "months", "due_on", "last_day"),
    [
        ("2024-02-29", 36, "2027-02-28", "2027-03-01"),
        ("2024-02-29", 48, "2028-02-29", "2028-02-29"),
        ("2023-08-31", 6, "2024-02-29", "2024-02-29"),
        ("2022-08-10", 36, "2025-08-10", "2025-08-11"),  # Sunday
        ("2024-03-15", 24, "2026-03-15", "2026-03-16"),
        ("2023-07-04", 36, "2026-07-04", "2026-07-06"),  # a Saturday that is a holiday
        ("2023-05-30", 36, "2026-05-30", "2026-05-30"),  # a plain Saturday, and no filing
        ("2025-12-31", 12, "2026-12-31", "2026-12-31"),
    ],
)
def test_months_keep_the_day_of_the_month(start: str, months: int, due_on: str, last_day: str) -> None:
    deadline = STATE.deadline_after_months(d(start), months, filing=False)
    assert deadline == Deadline(due_on=d(due_on), last_day=d(last_day))


@pytest.mark.parametrize(
    ("start", "days", "due_on"),
    [
        ("2026-09-01", 10, "2026-09-16"),  # over Labor Day
        ("2026-09-01", 1, "2026-09-02"),
        ("2026-09-04", 1, "2026-09-08"),  # Friday; Saturday, Sunday and Labor Day are skipped
        ("2026-09-05", 1, "2026-09-08"),  # from a Saturday
        ("2026-11-02", 1, "2026-11-04"),  # over the general election
        ("2026-11-25", 2, "2026-11-30"),  # over Thanksgiving and a week-end
        ("2026-01-16", 1, "2026-01-19"),  # a federal holiday is a business day
    ],
)
def test_business_days_forward(start: str, days: int, due_on: str) -> None:
    deadline = STATE.deadline_after_business_days(d(start), days, filing=True)
    assert deadline == Deadline(due_on=d(due_on), last_day=d(due_on))


def test_a_business_day_without_mail_still_moves_what_may_be_mailed() -> None:
    deadline = STATE.deadline_after_business_days(d("2026-01-16"), 1, filing=True, mailable=True)
    assert deadline == Deadline(due_on=d("2026-01-19"), last_day=d("2026-01-20"))


def test_every_way_of_counting_rolls_as_it_is_told() -> None:
    # Each begins so that it ends on one day: a Saturday; the third Monday of January, on which no mail is delivered.
    ways = {
        "days": lambda on, **how: STATE.deadline_after_days(add_days(on, -30), 30, **how),
        "months": lambda on, **how: STATE.deadline_after_months(add_months(on, -1), 1, **how),
        "set": STATE.deadline_on,
    }
    for name, count in ways.items():
        for day, how, last in (
            ("2026-03-14", {"filing": False}, "2026-03-14"),
            ("2026-03-14", {"filing": True}, "2026-03-16"),
            ("2026-03-14", {"filing": True, "prior": True}, "2026-03-14"),
            ("2026-01-19", {"filing": True}, "2026-01-19"),
            ("2026-01-19", {"filing": True, "mailable": True}, "2026-01-20"),
            ("2026-01-19", {"filing": True, "mailable": True, "prior": True}, "2026-01-19"),
        ):
            assert count(d(day), **how) == Deadline(due_on=d(day), last_day=d(last)), (name, day, how)


def test_business_days_roll_as_they_are_told() -> None:
    friday = d("2026-01-16")
    assert STATE.deadline_after_business_days(friday, 1, filing=True, mailable=True, prior=True).last_day == d(
        "2026-01-19"
    )
    closed_after = Calendar(closed_days=frozenset({d("2026-03-16")}))
    # No office is open from that Saturday on until Tuesday; for work, only Sunday is left out.
    for filing, last in ((True, "2026-03-17"), (False, "2026-03-14")):
        assert closed_after.deadline_after_business_days(d("2026-03-14"), 0, filing=filing).last_day == d(last)


@pytest.mark.parametrize(
    ("day", "days", "latest"),
    [
        ("2026-06-01", 3, "2026-05-27"),  # Monday; Friday, Thursday, Wednesday
        ("2026-05-28", 3, "2026-05-22"),  # Thursday; Wednesday, Tuesday, (Memorial Day), Friday
        ("2026-09-08", 1, "2026-09-04"),
        ("2026-06-07", 1, "2026-06-05"),
    ],
)
def test_business_days_back(day: str, days: int, latest: str) -> None:
    assert STATE.business_days_before(d(day), days) == d(latest)


def test_closed_days_are_no_business_days_for_filings() -> None:
    county = Calendar(closed_days=frozenset({d("2026-11-27")}))
    assert county.deadline_after_business_days(d("2026-11-25"), 1, filing=True).due_on == d("2026-11-30")
    assert county.deadline_after_business_days(d("2026-11-25"), 1, filing=False).due_on == d("2026-11-27")
    assert county.business_days_before(d("2026-11-30"), 1) == d("2026-11-25")
    assert county.business_days_before(d("2026-11-30"), 1, filing=False) == d("2026-11-27")


def test_fewer_than_no_business_days_are_refused() -> None:
    with pytest.raises(ValueError, match="business days"):
        STATE.deadline_after_business_days(d("2026-06-01"), -1, filing=True)


# Local dates


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        ("2025-06-13T04:59:59+00:00", "2025-06-12"),  # summer: UTC-5
        ("2025-06-13T05:00:00+00:00", "2025-06-13"),
        ("2026-01-14T05:59:59+00:00", "2026-01-13"),  # winter: UTC-6
        ("2026-01-14T06:00:00+00:00", "2026-01-14"),
        ("2026-11-01T05:30:00+00:00", "2026-11-01"),  # the night the clocks go back
        ("2025-06-12T23:59:00-05:00", "2025-06-12"),
        ("2025-06-13T00:01:00-05:00", "2025-06-13"),
        ("2025-06-13T13:00:00+09:00", "2025-06-12"),
    ],
)
def test_local_date(instant: str, day: str) -> None:
    assert local_date(datetime.fromisoformat(instant)) == d(day)


def test_another_zone_and_no_zone() -> None:
    instant = datetime(2025, 6, 13, 4, 30, tzinfo=UTC)
    assert local_date(instant, "America/New_York") == d("2025-06-13")
    with pytest.raises(ValueError, match="time zone"):
        local_date(datetime(2025, 6, 13, 4, 30))  # noqa: DTZ001


def test_local_date_at_the_ends_of_time() -> None:
    assert local_date(datetime.min.replace(tzinfo=UTC)) == date.min
    assert local_date(datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))) == date.max


# Slow and obvious second implementations


def slow_roll(day: date, *, filing: bool, mailable: bool, closed: frozenset[date]) -> date:
    while True:
        before = day
        while day.weekday() == 6 or day in legal_holidays(day.year) or (mailable and day in mail_holidays(day.year)):
            day += timedelta(days=1)
        while filing and day in closed:
            day += timedelta(days=1)
        while filing and (day.weekday() in (5, 6) or day in legal_holidays(day.year)):
            day += timedelta(days=1)
        if day == before:
            return day


def slow_add_months(day: date, months: int) -> date:
    year, month = day.year, day.month
    for _ in range(months):
        month += 1
        if month == 13:
            year, month = year + 1, 1
    for dom in range(day.day, 0, -1):
        try:
            return date(year, month, dom)
        except ValueError:
            continue
    raise AssertionError


def slow_is_legal_holiday(day: date) -> bool:
    """Day by day, from the words of 995.20, without a list for the year."""

    def is_one(each: date) -> bool:
        month, dom, weekday, even = each.month, each.day, each.weekday(), each.year % 2 == 0
        fixed = {(1, 1), (1, 15), (7, 4), (11, 11), (12, 25)} | ({(6, 19)} if each >= date(2009, 12, 16) else set())
        nth = (dom - 1) // 7 + 1
        last_of_month = (each + timedelta(days=7)).month != month
        return (
            (month, dom) in fixed
            or (weekday == 0 and (month, nth) in {(2, 3), (9, 1), (10, 2)})
            or (weekday == 0 and month == 5 and last_of_month)
            or (weekday == 3 and (month, nth) == (11, 4))
            or (even and weekday == 1 and (month, nth) == (8 if each.year >= 2012 else 9, 2))
            or (even and weekday == 1 and month == 11 and 2 <= dom <= 8)
        )

    if day.weekday() == 6:
        return False
    return is_one(day) or (day.weekday() == 0 and is_one(day - timedelta(days=1)))


def test_holidays_agree_with_the_slow_reading_day_by_day() -> None:
    day = date(2000, 1, 1)
    while day < date(2101, 1, 1):
        assert is_legal_holiday(day) is slow_is_legal_holiday(day), day
        day += timedelta(days=1)


@given(USUAL_DAY, st.booleans(), st.booleans(), st.frozensets(USUAL_DAY, max_size=3), st.integers(0, 4))
def test_roll_agrees_with_the_slow_one(
    day: date, filing: bool, mailable: bool, far: frozenset[date], near: int
) -> None:
    closed = far | {day + timedelta(days=n) for n in range(near)}
    county = Calendar(closed_days=closed)
    rolled = county.roll(day, filing=filing, mailable=mailable)
    assert rolled == slow_roll(day, filing=filing, mailable=mailable, closed=closed)
    assert county.roll(rolled, filing=filing, mailable=mailable) == rolled


@given(USUAL_DAY, st.integers(0, 600))
def test_add_months_agrees_with_the_slow_one(day: date, months: int) -> None:
    assert add_months(day, months) == slow_add_months(day, months)


@given(USUAL_DAY, st.integers(0, 40), st.booleans())
def test_business_days_agree_with_counting_them(start: date, days: int, filing: bool) -> None:
    end = STATE.deadline_after_business_days(start, days, filing=filing).due_on
    between = [start + timedelta(days=n) for n in range(1, (end - start).days + 1)]
    assert sum(day.weekday() < 5 and not slow_is_legal_holiday(day) for day in between) == days
    if days:
        assert STATE.is_business_day(end, filing=filing)
        back = STATE.business_days_before(end, days)
        assert back <= start or not STATE.is_business_day(start, filing=filing)


# The edges of the calendar


@given(ANY_DAY, st.integers(-(10**12), 10**12), st.booleans())
def test_nothing_overflows(day: date, amount: int, filing: bool) -> None:
    is_legal_holiday(day)
    closed = Calendar(closed_days=frozenset({date.max, date.max - timedelta(days=1)}))
    for deadline in (
        closed.deadline_on(day, filing=filing, mailable=True),
        closed.deadline_after_days(day, amount, filing=filing),
        closed.deadline_after_months(day, amount, filing=filing),
        closed.deadline_after_business_days(day, abs(amount) % 40, filing=filing),
    ):
        assert deadline.due_on <= deadline.last_day
    closed.business_days_before(day, abs(amount) % 40)


def test_the_edges_clamp() -> None:
    assert add_days(date.max, 1) == date.max
    assert add_days(date.min, -1) == date.min
    assert add_months(d("9999-12-01"), 1) == date.max
    assert add_months(d("9999-10-31"), 1) == d("9999-11-30")
    assert add_months(d("0001-01-31"), -1) == date.min
    assert add_months(d("0001-02-28"), -1) == d("0001-01-28")
    assert Calendar(closed_days=frozenset({date.max})).roll(date.max, filing=True) == date.max
    assert STATE.deadline_after_business_days(date.max, 3, filing=True).due_on == date.max
    assert STATE.business_days_before(date.min, 3) == date.min


def test_deadlines_are_values() -> None:
    assert hash(STATE.deadline_on(d("2026-06-01"), filing=True)) == hash(
        Deadline(due_on=d("2026-06-01"), last_day=d("2026-06-01"))
    )
