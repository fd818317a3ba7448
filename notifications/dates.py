"""Dates in the words of a notice: how a deadline was counted, and why its last day is another one. Pure.

Source of the counting: Wis. Stat. § 990.001(4) and § 995.20, by `schemas.calendar`.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from schemas.calendar import Calendar, add_days, legal_holidays, mail_holidays

_ISO_DAY: Final = re.compile(r"(?<![\w-])([0-9]{4}-[0-9]{2}-[0-9]{2})(?![\w-])")
_SATURDAY, _SUNDAY = 5, 6


def long_day(day: date) -> str:
    """`Friday, July 10, 2026`."""
    return f"{day:%A}, {short_day(day)}"


def short_day(day: date) -> str:
    """`July 10, 2026`."""
    return f"{day:%B} {day.day}, {day.year}"


def plain_days(text: str) -> str:
    """The text with its ISO dates written out: `pumped 2023-06-01` becomes `pumped June 1, 2023`."""
    return _ISO_DAY.sub(_written, text)


def days_away(due_on: date, last_day: date, today: date) -> str:
    """How far off a deadline is, in words: `in 23 days`, `today`, `52 days overdue` (counted from the last day)."""
    if today > last_day:
        return f"{_days((today - last_day).days)} overdue"
    if today > due_on:
        return "today is the last day" if today == last_day else f"{_days((last_day - today).days)} left"
    return "today" if today == due_on else f"in {_days((due_on - today).days)}"


def explain_deadline(due_on: date, last_day: date, calendar: Calendar) -> str:
    """How the deadline was counted, as sentences: both dates and, where they differ, what moved the last day."""
    counted = "the day of the event itself is not counted, the last day is (Wis. Stat. § 990.001(4)(a))"
    if last_day <= due_on:
        return f"{counted[0].upper()}{counted[1:]}; it falls on a day that counts, so nothing moves it."
    moved = "; ".join(_reasons(due_on, last_day, calendar))
    return (
        f"As counted it is due {long_day(due_on)}: {counted}. "
        f"{moved}; so the last day is {long_day(last_day)} (Wis. Stat. § 990.001(4)(b), (c))."
    )


def _reasons(due_on: date, last_day: date, calendar: Calendar) -> list[str]:
    days = [add_days(due_on, offset) for offset in range(min((last_day - due_on).days, 14))]
    return [f"{short_day(day)} is {_why_not(day, calendar)}" for day in days]


def _why_not(day: date, calendar: Calendar) -> str:
    if day.weekday() == _SUNDAY:
        return "a Sunday"
    if day in legal_holidays(day.year):
        return f"a legal holiday ({legal_holidays(day.year)[day]})"
    if day in calendar.closed_days:
        return "a day on which the office is closed"
    if day.weekday() == _SATURDAY:
        return "a Saturday, when the office is closed"
    if day in mail_holidays(day.year):
        return f"a day without mail ({mail_holidays(day.year)[day]})"
    return "a day that does not count"


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


def _written(found: re.Match[str]) -> str:
    try:
        return short_day(date.fromisoformat(found[1]))
    except ValueError:
        return found[1]
