"""Counting time as Wisconsin law counts it, for every rule of every program. Pure; time is an argument.

Sources: Wis. Stat. 990.001(4) (how a period is counted, when its last day moves), Wis. Stat. 995.20 (legal holidays),
5 U.S.C. 6103 (federal holidays, for filings that may be mailed).

Every deadline has two dates: `due_on`, as counted, and `last_day`, on which the act is still in time. Dates that would
fall outside 0001-01-01 to 9999-12-31 become the nearest of these two, so that no input can raise OverflowError.
"""

from __future__ import annotations

import calendar as months_of_year
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from zoneinfo import ZoneInfo

COUNTY_TIME_ZONE = "America/Chicago"

_MONDAY, _TUESDAY, _THURSDAY, _SATURDAY, _SUNDAY = 0, 1, 3, 5, 6

_JUNETEENTH_SINCE = 2010  # in force since 2009-12-16
_FEDERAL_JUNETEENTH_SINCE = 2021  # Pub. L. 117-17
_AUGUST_PRIMARY_SINCE = 2012  # 2011 Wis. Act 75; in September before
_KING_DAY_SINCE = 1986  # Pub. L. 98-144

# National days of mourning on which the Postal Service made no regular deliveries (the "other holiday designated by the
# federal government" of 990.001(4)(e)).
_MAIL_SUSPENDED = (date(2004, 6, 11), date(2007, 1, 2), date(2018, 12, 5), date(2025, 1, 9))


@dataclass(frozen=True, kw_only=True)
class Deadline:
    """A deadline as counted (`due_on`) and the last day on which the act is in time (`last_day`, never earlier)."""

    due_on: date
    last_day: date


@lru_cache(maxsize=256)
def legal_holidays(year: int) -> Mapping[date, str]:
    """The statewide legal holidays of a year (1 to 9999) with their names, Wis. Stat. 995.20.

    A holiday that falls on a Sunday is listed on the Monday after it and not on the Sunday ("the succeeding Monday
    shall be the legal holiday"). Good Friday is left out: 11 a.m. to 3 p.m. is no full day. Every year has today's
    text, except for the two changes since 2000: June 19 from 2010 on, the partisan primary in August from 2012 on.
    """
    days = {
        date(year, 1, 1): "New Year's Day",
        date(year, 1, 15): "January 15",
        _nth_weekday(year, 2, _MONDAY, 3): "Third Monday in February",
        _last_weekday(year, 5, _MONDAY): "Memorial Day",
        date(year, 7, 4): "Independence Day",
        _nth_weekday(year, 9, _MONDAY, 1): "Labor Day",
        _nth_weekday(year, 10, _MONDAY, 2): "Second Monday in October",
        date(year, 11, 11): "November 11",
        _nth_weekday(year, 11, _THURSDAY, 4): "Thanksgiving",
        date(year, 12, 25): "Christmas Day",
    }
    if year >= _JUNETEENTH_SINCE:
        days[date(year, 6, 19)] = "Juneteenth"
    if year % 2 == 0:
        primary_month = 8 if year >= _AUGUST_PRIMARY_SINCE else 9
        days[_nth_weekday(year, primary_month, _TUESDAY, 2)] = "Partisan primary"
        days[_nth_weekday(year, 11, _MONDAY, 1) + timedelta(days=1)] = "General election"
    return MappingProxyType({_monday_if_sunday(day): name for day, name in sorted(days.items())})


@lru_cache(maxsize=256)
def mail_holidays(year: int) -> Mapping[date, str]:
    """The days of a year without regular mail delivery other than Sundays, for Wis. Stat. 990.001(4)(e).

    The holidays of 5 U.S.C. 6103(a) as mail delivery sees them: one on a Sunday stops the mail on the Monday after it;
    one on a Saturday stops it on that Saturday, and the Friday before, which 6103(b) gives to federal employees for pay
    and leave, is delivered as usual. Four national days of mourning are added. All but the third Monday of January
    and those four are legal holidays of the state too, so only these move a deadline further than 995.20 does.
    """
    days = {
        date(year, 1, 1): "New Year's Day",
        _nth_weekday(year, 2, _MONDAY, 3): "Washington's Birthday",
        _last_weekday(year, 5, _MONDAY): "Memorial Day",
        date(year, 7, 4): "Independence Day",
        _nth_weekday(year, 9, _MONDAY, 1): "Labor Day",
        _nth_weekday(year, 10, _MONDAY, 2): "Columbus Day",
        date(year, 11, 11): "Veterans Day",
        _nth_weekday(year, 11, _THURSDAY, 4): "Thanksgiving Day",
        date(year, 12, 25): "Christmas Day",
    }
    if year >= _KING_DAY_SINCE:
        days[_nth_weekday(year, 1, _MONDAY, 3)] = "Birthday of Martin Luther King, Jr."
    if year >= _FEDERAL_JUNETEENTH_SINCE:
        days[date(year, 6, 19)] = "Juneteenth"
    days.update({day: "National day of mourning" for day in _MAIL_SUSPENDED if day.year == year})
    return MappingProxyType({_monday_if_sunday(day): name for day, name in sorted(days.items())})


def is_legal_holiday(day: date) -> bool:
    """Whether a day is a statewide legal holiday (a Sunday never is: its Monday is)."""
    return day in legal_holidays(day.year)


def is_mail_holiday(day: date) -> bool:
    """Whether a day other than a Sunday has no regular mail delivery."""
    return day in mail_holidays(day.year)


def add_days(day: date, days: int) -> date:
    """The day so many days later (earlier when negative), held within the years 1 to 9999."""
    return date.fromordinal(min(max(day.toordinal() + days, date.min.toordinal()), date.max.toordinal()))


def add_months(day: date, months: int) -> date:
    """The same day of the month so many months later; where that month has none (Feb 29, the 31st), its last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year < date.min.year:
        return date.min
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(day.day, _days_in_month(year, month + 1)))


def local_date(instant: datetime, time_zone: str = COUNTY_TIME_ZONE) -> date:
    """The county's calendar date at an instant. The instant must carry its own zone or offset, else ValueError."""
    if instant.utcoffset() is None:
        raise ValueError("an instant needs a time zone")
    try:
        return instant.astimezone(UTC).astimezone(ZoneInfo(time_zone)).date()
    except OverflowError:  # within a day of year 1 or 9999
        return instant.date()


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """One county's way of counting: the state's law and the days on which its own offices are closed.

    `closed_days` count as legal holidays for filings with the county and for nothing else: work on a tank is not put
    off because an office is closed. `closed_saturdays`: its offices have no hours on Saturdays (990.001(4)(c)).
    """

    closed_days: frozenset[date] = frozenset()
    closed_saturdays: bool = True

    def roll(self, day: date, *, filing: bool, mailable: bool = False, prior: bool = False) -> date:
        """The last day on which an act due on `day` is in time, Wis. Stat. 990.001(4).

        filing: payment to, service upon or filing with an office; closed Saturdays and closed days move it too.
        mailable: the rule lets the filing be mailed; then days without mail delivery count as legal holidays.
        prior: a "before" deadline (renewal before expiry, mailing before a window), which never moves.
        (b) and (c) are applied until neither moves the date.
        """
        if prior:
            return day
        return _first_day(day, 1, lambda each: not self._moves(each, filing=filing, mailable=mailable))

    def deadline_on(self, day: date, *, filing: bool, mailable: bool = False, prior: bool = False) -> Deadline:
        """The deadline that a text, an order or a county sets on a given day."""
        return Deadline(due_on=day, last_day=self.roll(day, filing=filing, mailable=mailable, prior=prior))

    def deadline_after_days(
        self, start: date, days: int, *, filing: bool, mailable: bool = False, prior: bool = False
    ) -> Deadline:
        """The deadline so many days after an event, whose day is not counted; the last is (990.001(4)(a))."""
        return self.deadline_on(add_days(start, days), filing=filing, mailable=mailable, prior=prior)

    def deadline_after_months(
        self, start: date, months: int, *, filing: bool, mailable: bool = False, prior: bool = False
    ) -> Deadline:
        """The deadline so many months after an event, counted by `add_months` (years are twelve months each)."""
        return self.deadline_on(add_months(start, months), filing=filing, mailable=mailable, prior=prior)

    def deadline_after_business_days(
        self, start: date, days: int, *, filing: bool, mailable: bool = False, prior: bool = False
    ) -> Deadline:
        """The deadline so many business days (0 or more) after an event, whose day is not counted."""
        due_on = self._count_business_days(start, days, step=1, filing=filing)
        return self.deadline_on(due_on, filing=filing, mailable=mailable, prior=prior)

    def business_days_before(self, day: date, days: int, *, filing: bool = True) -> date:
        """The last day that is "at least so many business days before" `day`, which is not counted. Never rolled."""
        return self._count_business_days(day, days, step=-1, filing=filing)

    def is_business_day(self, day: date, *, filing: bool) -> bool:
        """Whether a day is no Saturday, Sunday or legal holiday (for a filing: no closed day of the county either)."""
        closed = filing and day in self.closed_days
        return day.weekday() < _SATURDAY and not is_legal_holiday(day) and not closed

    def _count_business_days(self, start: date, days: int, *, step: int, filing: bool) -> date:
        if days < 0:
            raise ValueError("count business days forward from 0")
        day = start
        for _ in range(days):
            following = _first_day(add_days(day, step), step, lambda each: self.is_business_day(each, filing=filing))
            if following == day:  # the end of the calendar
                break
            day = following
        return day

    def _moves(self, day: date, *, filing: bool, mailable: bool) -> bool:
        if day.weekday() == _SUNDAY or is_legal_holiday(day) or (mailable and is_mail_holiday(day)):
            return True
        return filing and (day in self.closed_days or (self.closed_saturdays and day.weekday() == _SATURDAY))


def _first_day(day: date, step: int, is_wanted: Callable[[date], bool]) -> date:
    """The first wanted day from `day` on, walking by `step` (1 or -1), or the end of the calendar."""
    while not is_wanted(day):
        following = add_days(day, step)
        if following == day:
            return day
        day = following
    return day


def _nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


def _last_weekday(year: int, month: int, weekday: int) -> date:
    last = date(year, month, _days_in_month(year, month))
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def _days_in_month(year: int, month: int) -> int:
    return months_of_year.monthrange(year, month)[1]


def _monday_if_sunday(day: date) -> date:
    return day + timedelta(days=1) if day.weekday() == _SUNDAY else day
