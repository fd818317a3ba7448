"""Typed reading of JSON objects: each value by its key, and a problem that names the key and says what is expected."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from schemas.calendar import COUNTY_TIME_ZONE, local_date

Json = Mapping[str, Any]

NOON = dt.time(12)
GREATEST = 10**12
_SHARE = re.compile(r"[0-9]{1,6}/[0-9]{1,6}|[0-9]{1,13}(\.[0-9]{1,13})?", re.ASCII)


class ScenarioError(Exception):
    """A scenario cannot be read. `key`: the key and its place; `said`: what is expected there; the message has both."""

    def __init__(self, key: str, said: str) -> None:
        self.key, self.said = key, said
        super().__init__(f"{key}: {said}")


def _shown(value: object) -> str:
    return json.dumps(value, default=str)[:60]


def read_text(raw: Json, key: str, default: str | None = None) -> str:
    """A text; without a default it must be there."""
    value = raw.get(key)
    if value is None or value == "":
        if default is None:
            raise ScenarioError(key, "is missing")
        return default
    if not isinstance(value, str):
        raise ScenarioError(key, f"expected a text, got {_shown(value)}")
    return value


def object_of(raw: Json, key: str) -> Json:
    """An object; {} where there is none."""
    value = raw.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ScenarioError(key, f"expected an object, got {_shown(value)}")
    return value


def items(raw: Json, key: str) -> Sequence[Json]:
    """A list of objects; () where there is none."""
    value = raw.get(key)
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ScenarioError(key, f"expected a list, got {_shown(value)}")
    for i, each in enumerate(value):
        if not isinstance(each, Mapping):
            raise ScenarioError(f"{key}[{i}]", f"expected an object, got {_shown(each)}")
    return value


def is_true(raw: Json, key: str) -> bool:
    """A yes or no; absent is no."""
    value = raw.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise ScenarioError(key, f"expected true or false, got {_shown(value)}")
    return value


def read_day(raw: Json, key: str) -> dt.date | None:
    """A date (YYYY-MM-DD), or an instant's date in the county's zone; None where there is none."""
    value = raw.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    try:
        if isinstance(value, str) and len(value) == 10:
            return dt.date.fromisoformat(value)
        if isinstance(value, str) and len(value) > 10:
            return local_date(_instant(value))
    except ValueError:
        pass
    raise ScenarioError(key, f"expected a date as YYYY-MM-DD, got {_shown(value)}")


def read_instant(raw: Json, key: str, time_of_day: dt.time = NOON) -> dt.datetime | None:
    """An instant; one without a zone is the county's time, and a mere date is its `time_of_day`."""
    value = raw.get(key)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str) and len(value) == 10:
            day = dt.date.fromisoformat(value)
            return dt.datetime.combine(day, time_of_day, ZoneInfo(COUNTY_TIME_ZONE))
        if isinstance(value, str) and len(value) > 10:
            return _instant(value)
    except ValueError:
        pass
    raise ScenarioError(key, f"expected an instant such as 2026-07-13T14:05:00-05:00, got {_shown(value)}")


def _instant(value: str) -> dt.datetime:
    found = dt.datetime.fromisoformat(value)
    return found if found.tzinfo is not None else found.replace(tzinfo=ZoneInfo(COUNTY_TIME_ZONE))


def read_month_day(raw: Json, key: str) -> tuple[int, int] | None:
    """A day of the year (MM-DD; a full date's year is passed over)."""
    value = raw.get(key)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            day = dt.date.fromisoformat(f"2000-{value[-5:]}")
            return day.month, day.day
    except ValueError:
        pass
    raise ScenarioError(key, f"expected a day of the year as MM-DD, got {_shown(value)}")


def read_whole(raw: Json, key: str) -> int | None:
    """A whole number that is not negative."""
    value = read_number(raw, key)
    if value is not None and value.denominator != 1:
        raise ScenarioError(key, f"expected a whole number, got {_shown(raw[key])}")
    return None if value is None else int(value)


def read_number(raw: Json, key: str) -> Fraction | None:
    """A number that is not negative, exactly as written; a text may be a decimal or a fraction such as 1/4."""
    value = raw.get(key)
    if value is None or value == "":
        return None
    found: Fraction | None = None
    if isinstance(value, str) and _SHARE.fullmatch(value) and not re.search("/0+$", value):
        found = Fraction(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        exact = value if isinstance(value, int) else str(value)
        found = Fraction(exact) if 0 <= value <= GREATEST else None
    if found is None or found > GREATEST:
        raise ScenarioError(key, f"expected a number from 0 to {GREATEST:,}, got {_shown(value)}")
    return found
