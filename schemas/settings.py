"""What a county may set: a value of the same sort as the program file's own, and why another cannot be one."""

from __future__ import annotations

import datetime as dt
import math


class SettingError(ValueError):
    """A value cannot be what a setting holds; the sentence says what is expected."""


# Settings whose file value is empty until the county sets it, and which hold a date.
DATES = ("records_from", "live_from")
DAY_LISTS = ("closed_days",)
FRACTIONAL = ("rollover_factor",)  # whole in the file, and need not be


def read_setting(name: str, usual: object, given: object) -> object:
    """`given` as a value of the setting `name` whose program file has `usual`; dates may be texts (YYYY-MM-DD).

    An empty date or text unsets the setting. Raises SettingError with a sentence that says what is expected.
    """
    if name in DATES or (isinstance(usual, dt.date) and not isinstance(usual, dt.datetime)):
        return "" if given in ("", None) and name in DATES else _day(given)
    if name in DAY_LISTS:
        return [_day(day) for day in _items(given)]
    if isinstance(usual, bool):
        if not isinstance(given, bool):
            raise SettingError(f"expected true or false, got {given!r}")
        return given
    if isinstance(usual, int | float):
        return _number(given, whole=isinstance(usual, int) and name not in FRACTIONAL)
    if isinstance(usual, list | tuple):
        return [_number(each, whole=True) for each in _items(given)]
    if not isinstance(given, str):
        raise SettingError(f"expected a text, got {given!r}")
    return given


def _day(given: object) -> dt.date:
    if isinstance(given, dt.date) and not isinstance(given, dt.datetime):
        return given
    try:
        if isinstance(given, str) and len(given) == 10:
            return dt.date.fromisoformat(given)
    except ValueError:
        pass
    raise SettingError(f"expected a date as YYYY-MM-DD, got {given!r}")


def _items(given: object) -> list[object]:
    if not isinstance(given, list | tuple):
        raise SettingError(f"expected a list, got {given!r}")
    return list(given)


def _number(given: object, *, whole: bool) -> int | float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise SettingError(f"expected a number, got {given!r}")
    if given < 0 or given > 1_000_000:
        raise SettingError(f"expected a number from 0 to 1,000,000, got {given!r}")
    if whole and given != int(given):
        raise SettingError(f"expected a whole number, got {given!r}")
    return int(given) if whole else given
