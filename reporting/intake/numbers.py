"""Numbers as haulers write them → exact values: gallons, readings, fractions, counts, coordinates. Pure.

Only ASCII digits; a comma only where thousands are parted; nothing that is another number elsewhere.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction

from reporting.intake.values import BadValue, Raw, clean_text

MAX_GALLONS = 1_000_000_000

_WHOLE = r"[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,15}"
_WHOLE_NUMBER = re.compile(rf"({_WHOLE})(?:\.0{{1,2}})?")
_GALLONS = re.compile(rf"({_WHOLE})(?:\.0{{1,2}})?(?:\s*(?:g|gals?|gallons?)\.?)?", re.IGNORECASE)
_DECIMAL = re.compile(rf"({_WHOLE})?(?:\.([0-9]{{1,9}}))?")
_THOUSANDS_BY_POINT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_RATIO = re.compile(r"([0-9]{1,24})\s*/\s*([0-9]{1,24})")
_PERCENT = re.compile(r"([0-9]{0,3}(?:\.[0-9]{1,6})?)\s*%")
_EXCEL_DATE = re.compile(r"[0-9]{1,2}-[A-Za-z]{3}|[A-Za-z]{3}-[0-9]{1,2}")
_PART = re.compile(r"[01]?\.[0-9]{1,9}|[01]\.?")
_DEGREES = re.compile(r"[-+]?[0-9]{1,3}(?:\.[0-9]{1,20})?")


def parse_gallons(raw: Raw) -> int:
    """Whole gallons, 0 or more: `1500`, `1,500`, `1500 gal`, `1500.0`; not `1.500`, `~1500`, `1_500`."""
    if isinstance(raw, str):
        return _whole(clean_text(raw), _GALLONS, "gallons", MAX_GALLONS)
    return _native_whole(raw, "gallons", MAX_GALLONS)


def parse_whole(raw: Raw, *, minimum: int = 0, maximum: int = MAX_GALLONS) -> int:
    """A whole number between two bounds (capacities, months, counts): `12`, `1,500`, `12.0`."""
    if isinstance(raw, str):
        value = _whole(clean_text(raw), _WHOLE_NUMBER, "number", maximum)
    else:
        value = _native_whole(raw, "number", maximum)
    if value < minimum:
        raise BadValue("too_small", f"Give a whole number of at least {minimum:,}.")
    return value


def parse_reading(raw: Raw) -> Decimal:
    """A meter reading, 0 or more, as the meter shows it: `012345`, `12,345.6`."""
    if not isinstance(raw, str):
        value = _native_decimal(raw)
        if value < 0 or value.adjusted() > 14 or _decimals(value) > 9:
            raise BadValue("reading", "Give the meter reading as the meter shows it, for example 123456.")
        return value
    text = clean_text(raw)
    found = _DECIMAL.fullmatch(text)
    if found is None or (found[1] is None and found[2] is None):
        raise BadValue("reading", "Give the meter reading in digits only, for example 123456 or 123456.7.")
    return Decimal(f"{(found[1] or '0').replace(',', '')}.{found[2]}" if found[2] else found[1].replace(",", ""))


def parse_fraction(raw: Raw) -> Fraction:
    """A part of the tank's volume, 0 to 1, exactly: `1/4`, `25%`, `.25`, `0.25`."""
    if isinstance(raw, date) or (isinstance(raw, str) and _EXCEL_DATE.fullmatch(raw.strip())):
        raise BadValue(
            "excel_date", "Excel made a date of this fraction: format the column as text, or write it as 25%."
        )
    value = _fraction_of(clean_text(raw)) if isinstance(raw, str) else Fraction(_bounded(_native_decimal(raw)))
    if not 0 <= value <= 1:
        raise BadValue("fraction", "Give the part of the tank as 0 to 1, for example 1/4, 25% or 0.25.")
    return value


def parse_latitude(raw: Raw) -> Decimal:
    """Degrees north, -90 to 90, as a decimal number."""
    return _degrees(raw, 90, "latitude", "43.3857")


def parse_longitude(raw: Raw) -> Decimal:
    """Degrees east, -180 to 180, as a decimal number; all of Wisconsin is negative."""
    return _degrees(raw, 180, "longitude", "-87.9523")


def _whole(text: str, pattern: re.Pattern[str], what: str, maximum: int) -> int:
    found = pattern.fullmatch(text)
    if found is None:
        raise _bad_whole(text, what)
    return _limited(int(found[1].replace(",", "")), what, maximum)


def _bad_whole(text: str, what: str) -> BadValue:
    if _THOUSANDS_BY_POINT.fullmatch(text):
        return BadValue(
            "ambiguous_number", f"Write {what} without a point: {text.replace('.', '')} or {text.partition('.')[0]}."
        )
    if text.startswith("-"):
        return BadValue("negative", f"Give {what} as 0 or more.")
    return BadValue("not_whole", f"Give {what} as a whole number in digits, for example 1500.")


def _native_whole(raw: Raw, what: str, maximum: int) -> int:
    value = _native_decimal(raw)
    if value < 0:
        raise BadValue("negative", f"Give {what} as 0 or more.")
    if value.adjusted() > 15:
        raise BadValue("too_large", f"Give {what} of at most {maximum:,}.")
    if _decimals(value) and value != value.to_integral_value():
        raise BadValue("not_whole", f"Give {what} as a whole number, for example 1500.")
    return _limited(int(value), what, maximum)


def _limited(value: int, what: str, maximum: int) -> int:
    if value > maximum:
        raise BadValue("too_large", f"Give {what} of at most {maximum:,}.")
    return value


def _native_decimal(raw: Raw) -> Decimal:
    """The number a workbook or JSON holds, as its shortest decimal. BadValue for true, dates, NaN, infinity, lists."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        raise BadValue("not_a_number", "Give this as a number in digits.")
    if isinstance(raw, int) and raw.bit_length() > 200:
        raise BadValue("too_large", "This number is too large.")
    value = Decimal(repr(raw)) if isinstance(raw, float) else Decimal(raw)
    if not value.is_finite():
        raise BadValue("not_a_number", "Give this as a number in digits.")
    return value


def _bounded(value: Decimal) -> Decimal:
    """The same number, when it is short enough to be made a fraction of."""
    if value.adjusted() > 3 or _decimals(value) > 20:
        raise BadValue("fraction", "Give the part of the tank as 0 to 1, for example 1/4, 25% or 0.25.")
    return value


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _fraction_of(text: str) -> Fraction:
    if (ratio := _RATIO.fullmatch(text)) and int(ratio[2]):
        return Fraction(int(ratio[1]), int(ratio[2]))
    if (percent := _PERCENT.fullmatch(text)) and percent[1]:
        return Fraction(percent[1]) / 100
    if _PART.fullmatch(text):
        return Fraction(text.rstrip(".") or "0")
    raise BadValue("fraction", "Give the part of the tank as 0 to 1, for example 1/4, 25% or 0.25.")


def _degrees(raw: Raw, bound: int, what: str, example: str) -> Decimal:
    if isinstance(raw, str):
        text = clean_text(raw)
        value = Decimal(text) if _DEGREES.fullmatch(text) else None
    else:
        value = _native_decimal(raw)
        value = value if _decimals(value) <= 20 else None
    if value is None or not -bound <= value <= bound:
        raise BadValue(what, f"Give the {what} in decimal degrees, for example {example}.")
    return value
