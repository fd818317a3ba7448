"""The season of a seasonal building: which days are occupied, how many lie between two, when so many have passed."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache

from reporting.domain.records import System
from schemas.calendar import add_days

FAR_OFF_DAYS = 3660  # ten years: nothing is foretold further off


def has_season(system: System) -> bool:
    """Whether only part of the year counts: the use is not all year round and its season is known."""
    return system.use != "year_round" and system.season_from is not None and system.season_to is not None


def occupied_days(system: System, start: dt.date, end: dt.date) -> int:
    """Days after `start` up to `end`; for a known season only those in it."""
    if not has_season(system):
        return (end - start).days
    return _occupied_until(system, end) - _occupied_until(system, start)


def occupied_day(system: System, start: dt.date, days: int) -> dt.date | None:
    """The day on which so many occupied days have passed after `start` (itself for none); None beyond ten years."""
    if days <= 0:
        return start
    if not has_season(system):
        return add_days(start, days) if days <= FAR_OFF_DAYS else None
    low, high = 1, FAR_OFF_DAYS
    if occupied_days(system, start, add_days(start, high)) < days:
        return None
    while low < high:
        middle = (low + high) // 2
        if occupied_days(system, start, add_days(start, middle)) >= days:
            high = middle
        else:
            low = middle + 1
    return add_days(start, low)


def _occupied_until(system: System, day: dt.date) -> int:
    """Occupied days from the first day of the calendar up to `day`."""
    assert system.season_from is not None
    assert system.season_to is not None
    if system.season_from <= system.season_to:
        return _days_until(day, system.season_from, system.season_to)
    return day.toordinal() - _days_until(day, _next(system.season_to), _before(system.season_from))


@lru_cache(maxsize=8192)  # the same readings are counted between again and again
def _days_until(day: dt.date, first: tuple[int, int], last: tuple[int, int]) -> int:
    """Days of a season within the year, from year 1 up to `day`; an empty season (`first` after `last`) has none."""
    if first > last:
        return 0
    years = day.year - 1
    leaps = years // 4 - years // 100 + years // 400
    whole = _length(first, last, leap=False) * years + leaps * (
        _length(first, last, leap=True) - _length(first, last, leap=False)
    )
    leap = day.year % 4 == 0 and (day.year % 100 != 0 or day.year % 400 == 0)
    return whole + _length(first, min(last, (day.month, day.day)), leap=leap)


def _length(first: tuple[int, int], last: tuple[int, int], *, leap: bool) -> int:
    return max(_days_through(last, leap=leap) - _days_through(_before(first), leap=leap), 0)


def _days_through(month_day: tuple[int, int], *, leap: bool) -> int:
    """Days of a year up to a day of a month, which need not exist (Feb 29, or the 31st of the month 0)."""
    month, day = month_day
    if month < 1 or month > 12:
        return 0 if month < 1 else 365 + leap
    lengths = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return sum(lengths[: month - 1]) + min(day, lengths[month - 1])


def _next(month_day: tuple[int, int]) -> tuple[int, int]:
    return (month_day[0], month_day[1] + 1) if month_day[1] < 31 else (month_day[0] + 1, 1)


def _before(month_day: tuple[int, int]) -> tuple[int, int]:
    return (month_day[0], month_day[1] - 1) if month_day[1] > 1 else (month_day[0] - 1, 31)
