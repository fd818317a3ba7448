"""Permit and parcel numbers in the form in which they are compared, and what Excel does to them. Pure.

The normal form of an identifier never joins two different ones: only case, the kind of separator and invisible
characters are lost, never where a separator stands. `143-6` and `14-36` stay apart, and so do `0412` and `412`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from reporting.intake.sheet import INVISIBLE, Native

_SEPARATORS = re.compile(r"[\W_]+")
_SCIENTIFIC = re.compile(r"([0-9])(?:[.,]([0-9]{1,17}))?E\+([0-9]{1,3})", re.IGNORECASE)
_POINT_ZERO = re.compile(r"([0-9]{1,15})\.0{1,2}")
_DAY_MONTH = re.compile(r"([0-9]{1,2})-([A-Za-z]{3})(?:-([0-9]{2}|[0-9]{4}))?")
_MONTH_DAY = re.compile(r"([A-Za-z]{3})-([0-9]{2})")
_SLASHED = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})(?: 0?0:00(?::00)?)?")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]00:00(?::00)?)?")
_ROUNDED = re.compile(r"([1-9][0-9]{14})(0+)")
_EXCEL_DIGITS = 15  # what a number in Excel keeps
_DIGITS = re.compile(r"[0-9]+")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_SAVE_RIGHT = "format the column as Text before the numbers are typed or pasted, then save again"


def normalize_identifier(text: str) -> str:
    """The form in which permit, parcel and similar numbers are compared; "" when there is nothing in it.

    Upper case; every run of spaces, dashes, dots, slashes and other punctuation is one `-`; none at the ends.
    `sp 1987`, `SP/1987` and `SP_1987.` are all `SP-1987`; `SP1987` is another.
    """
    plain = unicodedata.normalize("NFC", INVISIBLE.sub("", text))
    ascii_forms = "".join(chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else char for char in plain)
    upper = "".join(_upper(char) for char in ascii_forms)
    return _SEPARATORS.sub("-", upper).strip("-")


def _upper(char: str) -> str:
    return upper if len(upper := char.upper()) == 1 else char


class ExcelHarm(StrEnum):
    """What a spreadsheet did to an identifier."""

    SCIENTIFIC = "excel_scientific"
    ROUNDED = "excel_rounded"
    DATE = "excel_date"
    DECIMAL = "excel_decimal"
    ZEROS = "excel_zeros"


@dataclass(frozen=True, kw_only=True)
class ExcelDamage:
    """What Excel probably did to an identifier, and what it may have been.

    message: what happened and how to save it right. forms: normal forms the identifier may have had (complete for
    dates). digits: what is left of a number: its significant digits; with `length` the number of digits it had
    (SCIENTIFIC, ROUNDED), without it any number of zeros may have stood in front (DECIMAL, ZEROS).
    """

    harm: ExcelHarm
    message: str
    forms: frozenset[str] = frozenset()
    digits: str = ""
    length: int | None = None

    def could_be(self, identifier: str) -> bool:
        """Whether Excel would have made this of the given identifier; the only such one of an inventory is certain."""
        norm = normalize_identifier(identifier)
        if norm in self.forms:
            return True
        if not self.digits or not _DIGITS.fullmatch(norm):
            return False
        bare = norm.lstrip("0")
        if self.length is None:
            return bare == self.digits
        return _leaves(bare, self.digits, self.length)


def excel_damage(text: str, native: Native = None) -> ExcelDamage | None:
    """What Excel probably did to an identifier, or None when it looks as it was typed.

    native: the value a workbook holds in the cell; a number there has lost the zeros in front, if it had any.
    A text alone can deceive (a permit may really read `2024-12-03`): look for it as it stands first.
    """
    shown = INVISIBLE.sub("", text).strip()
    if isinstance(native, date):
        return _date_damage(native.month, native.day, native.year)
    if found := _SCIENTIFIC.fullmatch(shown):
        return _number_damage(ExcelHarm.SCIENTIFIC, shown, found[1] + (found[2] or ""), int(found[3]) + 1)
    if found := _POINT_ZERO.fullmatch(shown):
        message = f"Excel made the number {shown} of this identifier: {_SAVE_RIGHT}."
        forms = frozenset({normalize_identifier(shown)})
        return ExcelDamage(harm=ExcelHarm.DECIMAL, message=message, digits=found[1].lstrip("0"), forms=forms)
    if found := _ROUNDED.fullmatch(shown):
        return _number_damage(ExcelHarm.ROUNDED, shown, found[1], len(shown))
    if damage := _date_text(shown):
        return damage
    if isinstance(native, int | float | Decimal) and not isinstance(native, bool) and _DIGITS.fullmatch(shown):
        message = f"Excel holds {shown} as a number, so that zeros in front of it are lost: {_SAVE_RIGHT}."
        return ExcelDamage(harm=ExcelHarm.ZEROS, message=message, digits=shown.lstrip("0"))
    return None


def _number_damage(harm: ExcelHarm, shown: str, digits: str, length: int) -> ExcelDamage:
    message = f"Excel shortened this identifier to {shown}, the other digits are lost: {_SAVE_RIGHT}."
    return ExcelDamage(harm=harm, message=message, digits=digits, length=length)


def _leaves(number: str, digits: str, length: int) -> bool:
    """Whether a number, cut (as Excel stores it) or rounded (as it shows it), has these leading digits and length."""
    kept = len(digits)
    if len(number) <= kept:
        return len(number) == length and number.ljust(kept, "0") == digits
    if kept == _EXCEL_DIGITS and number.startswith(digits):
        return len(number) == length
    value, unit = int(number), 10 ** (len(number) - kept)
    # It is rounded after it was cut to 15 digits, so what lies next to a half may go either way.
    slack = value // 10**14 if kept < _EXCEL_DIGITS - 1 else 0
    shown = {(each + unit // 2) // unit for each in (value - slack, value, value + slack)}
    return any(_with_length(each, kept, len(number)) == (digits, length) for each in shown)


def _with_length(rounded: int, kept: int, length: int) -> tuple[str, int]:
    """Leading digits and length of a rounded number: 9.96 becomes 10.0, one digit longer."""
    text = str(rounded)
    return text[:kept], length + len(text) - kept


def _date_text(shown: str) -> ExcelDamage | None:
    if (found := _DAY_MONTH.fullmatch(shown)) and found[2].upper() in _MONTHS:
        return _date_damage(_MONTHS.index(found[2].upper()) + 1, int(found[1]), int(found[3]) if found[3] else None)
    if (found := _MONTH_DAY.fullmatch(shown)) and found[1].upper() in _MONTHS:
        return _date_damage(_MONTHS.index(found[1].upper()) + 1, None, int(found[2]))
    if found := _SLASHED.fullmatch(shown):
        return _date_damage(int(found[1]), int(found[2]), int(found[3]))
    if found := _ISO.fullmatch(shown):
        return _date_damage(int(found[2]), int(found[3]), int(found[1]))
    return None


def _date_damage(month: int, day: int | None, year: int | None) -> ExcelDamage | None:
    """What may have been typed where Excel shows a date: `12-3`, `12/03`, `3-Dec`, with or without the year."""
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    months = {str(month), f"{month:02}", _MONTHS[month - 1]}
    days = {str(day), f"{day:02}"} if day is not None else set()
    years = {str(year), f"{year % 100:02}"} if year is not None else set()
    forms = {f"{m}-{d}" for m in months for d in days} | {f"{_MONTHS[month - 1]}-{d}" for d in days}
    forms |= {f"{d}-{_MONTHS[month - 1]}" for d in days}
    forms |= {f"{m}-{d}-{y}" for m in months for d in days for y in years}
    forms |= {f"{y}-{m}-{d}" for m in months for d in days for y in years if len(y) == 4}
    if day in (None, 1):  # `12-1987` becomes the first of a month, shown as Dec-87
        forms |= {f"{m}-{y}" for m in months for y in years | ({f"19{year:02}", f"20{year:02}"} if year else set())}
    return ExcelDamage(
        harm=ExcelHarm.DATE,
        message=f"Excel made a date of this identifier: {_SAVE_RIGHT}.",
        forms=frozenset(forms),
    )
