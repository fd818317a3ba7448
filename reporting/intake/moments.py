"""Dates, times and instants as haulers write them → values. Pure: today and the zone are arguments.

ISO 8601 and the US order (month first) only. Nothing is guessed: no missing day or year is ever filled in.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from reporting.intake.values import BadValue, Raw, clean_text
from schemas.calendar import COUNTY_TIME_ZONE, local_date

# Excel shows a small number in a date cell as a day of the first years of the 1900s: 412 is 1901-02-15.
FIRST_YEAR, LAST_YEAR = 1925, 2199

_CLOCK = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:\s?([AaPp])\.?[Mm]\.?)?"
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_US = re.compile(r"([0-9]{1,2})([/-])([0-9]{1,2})\2([0-9]{4})|([0-9]{1,2})/([0-9]{1,2})/([0-9]{2})")
_NAMED = re.compile(r"([A-Za-z]{3,9})\.? ([0-9]{1,2}),? ([0-9]{4})|([0-9]{1,2})[- ]([A-Za-z]{3,9})\.?[- ]([0-9]{4})")
_ZONE = r"(Z|z|[+-][0-9]{2}:?[0-9]{2})"
_WITH_TIME = re.compile(rf"(.+?)(?:T|t|,? ){_CLOCK}\s?{_ZONE}?")
_TIME = re.compile(_CLOCK)
_HOUR = re.compile(r"([0-9]{1,2})\s?([AaPp])\.?[Mm]\.?")
_MONTH_DAY = re.compile(r"([0-9]{1,2})[-/]([0-9]{1,2})")
_DAY_MONTH_NAME = re.compile(r"([0-9]{1,2})[- ]([A-Za-z]{3,9})\.?|([A-Za-z]{3,9})\.?[- ]([0-9]{1,2})")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november")
_MONTH_NAMES = (*_MONTHS, "december")
_HOW = "write it as 2025-07-02 or 7/2/2025"


def parse_date(raw: Raw, *, today: date, time_zone: str = COUNTY_TIME_ZONE) -> date:
    """A day: `2025-07-02`, `7/2/2025`, `7/2/25`, `July 2, 2025`, `2-Jul-2025`, with or without a time of day.

    today: a two-digit year means 20xx and is refused where that day is later than today. time_zone: a time with a zone
    or offset becomes the local date there. Four-digit years may lie in the future: whether that makes sense is a rule's
    question.
    """
    if isinstance(raw, datetime):
        return _in_range(raw.date() if raw.utcoffset() is None else local_date(raw, time_zone))
    if isinstance(raw, date):
        return _in_range(raw)
    if not isinstance(raw, str):
        raise BadValue("date_number", f"This is a number and no date: {_HOW}, or format the cells as dates in Excel.")
    text = clean_text(raw, max_length=60)
    found = _WITH_TIME.fullmatch(text)
    if found is None:
        return _in_range(_day(text, today))
    day, clock = _in_range(_day(found[1], today)), _clock(*found.groups()[1:6])
    if found[7] is None:
        return day
    return _in_range(local_date(datetime.combine(day, clock, _offset(found[7])), time_zone))


def parse_instant(raw: Raw, *, time_zone: str | None = None) -> datetime:
    """A moment in UTC: `2026-07-13T14:05:00Z`, `2026-07-13T09:05-05:00`.

    time_zone: where a time without a zone is meant (at the hour that the autumn change gives twice, the first); None:
    a time without a zone is refused.
    """
    if isinstance(raw, datetime):
        day, clock = raw.date(), raw.time()
        zone: tzinfo | None = raw.tzinfo
    else:
        found = _WITH_TIME.fullmatch(clean_text(raw, max_length=60)) if isinstance(raw, str) else None
        iso = _ISO.fullmatch(found[1]) if found else None
        if found is None or iso is None:
            raise BadValue("instant", "Write date, time and zone, for example 2026-07-13T09:05:00-05:00.")
        day, clock = _make_day(*iso.groups()), _clock(*found.groups()[1:6])
        zone = _offset(found[7]) if found[7] else None
    if zone is None:
        if time_zone is None:
            raise BadValue("zone_missing", "Write the time with its zone, for example 2026-07-13T09:05:00-05:00.")
        zone = ZoneInfo(time_zone)
    return datetime.combine(_in_range(day), clock, zone).astimezone(UTC)


def parse_time(raw: Raw) -> time:
    """A time of day: `14:05`, `2:05 PM`, `2 pm`. An Excel time is taken as it is."""
    if isinstance(raw, time) and raw.tzinfo is None:
        return raw
    if isinstance(raw, timedelta) and timedelta(0) <= raw < timedelta(days=1):
        return (datetime.min.replace(tzinfo=UTC) + raw).time()
    text = clean_text(raw, max_length=40) if isinstance(raw, str) else ""
    if found := _TIME.fullmatch(text):
        return _clock(*found.groups())
    if found := _HOUR.fullmatch(text):
        return _clock(found[1], "00", None, None, found[2])
    raise BadValue("time", "Write the time of day as 14:05 or 2:05 PM.")


def parse_month_day(raw: Raw) -> str:
    """A day of every year, as MM-DD: `05-01`, `5/1`, `May 1`; a date that Excel made of `5/1` is taken for that."""
    if isinstance(raw, date):
        return f"{raw.month:02}-{raw.day:02}"
    text = clean_text(raw, max_length=40) if isinstance(raw, str) else ""
    month: int | None = None
    day = 0
    if found := _MONTH_DAY.fullmatch(text):
        month, day = int(found[1]), int(found[2])
    elif named := _DAY_MONTH_NAME.fullmatch(text):
        month, day = _month(named[2] or named[3]), int(named[1] or named[4])
    try:
        date(2024, month or 0, day)  # a leap year: 02-29 is a day of every fourth year
    except ValueError:
        raise BadValue("month_day", "Write month and day as MM-DD, for example 05-01.") from None
    return f"{month:02}-{day:02}"


def _day(text: str, today: date) -> date:
    if iso := _ISO.fullmatch(text):
        return _make_day(*iso.groups())
    if us := _US.fullmatch(text):
        if us[4]:
            return _make_day(us[4], us[1], us[3])
        day = _make_day(f"20{us[7]}", us[5], us[6])
        if day > today:
            raise BadValue(
                "date_two_digit_year", f"Write the year with four digits: {us[5]}/{us[6]}/20{us[7]} is to come."
            )
        return day
    if (named := _NAMED.fullmatch(text)) and (month := _month(named[1] or named[5])):
        return _make_day(named[3] or named[6], str(month), named[2] or named[4])
    raise _unreadable(text)


def _unreadable(text: str) -> BadValue:
    if re.fullmatch(r"[0-9]+(?:[.,][0-9]+)?", text):
        return BadValue("date_number", f"This is a number and no date: {_HOW}, or format the cells as dates in Excel.")
    if re.match(r"[A-Za-z]{3,9}\.?[ -]?[0-9]{2,4}$|[0-9]{1,2}[/-][A-Za-z0-9]{1,4}$", text):
        return BadValue("date_incomplete", f"Give day, month and year: {_HOW}.")
    return BadValue("date", f"This is no date that can be read: {_HOW}.")


def _make_day(year: str, month: str, day: str) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise BadValue("date_impossible", f"There is no such day (month first): {_HOW}.") from None


def _in_range(day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise BadValue("date_year", f"Check the year ({day.year:04}): {_HOW}.")
    return day


def _month(name: str) -> int | None:
    lower = name.lower()
    for number, full in enumerate(_MONTH_NAMES, start=1):
        if lower in (full, full[:3]) or (lower == "sept" and full == "september"):
            return number
    return None


def _clock(hour: str, minute: str, second: str | None, fraction: str | None, half: str | None) -> time:
    value = int(hour)
    if half:
        value = value % 12 + (12 if half in "Pp" else 0) if 1 <= value <= 12 else 99
    try:
        return time(value, int(minute), int(second or 0), int((fraction or "0").ljust(6, "0")[:6]))
    except ValueError:
        raise BadValue("time", "There is no such time: write it as 14:05 or 2:05 PM.") from None


def _offset(zone: str) -> timezone:
    if zone in "Zz":
        return UTC
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    if hours > 14 or minutes > 59:
        raise BadValue("zone", "There is no such time zone: write it as Z or -05:00.")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if zone[0] == "-" else offset)
