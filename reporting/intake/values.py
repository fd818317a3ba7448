"""What every parser of one value shares: the refusal, and what no value may hold. Pure.

The parsers stand in `numbers`, `moments` and `words`. Each takes a cell's text, or its native value where a workbook or
JSON gives one, and returns a value or raises BadValue. What a parser accepts, it accepts again when printed.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from reporting.intake.sheet import INVISIBLE, Cell, Native

Raw: TypeAlias = str | Native

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
SHORT, LONG = 200, 10_000


class BadValue(ValueError):
    """A value that cannot be taken.

    code: short name of what is wrong. message: one sentence that says what to do, for the person who filled the cell.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def raw_value(cell: Cell) -> Raw:
    """What to parse of a cell: its native value where there is one, else its text. BadValue when the cell is faulty."""
    if cell.fault is not None:
        raise BadValue(cell.fault.value, cell.fault.message)
    return cell.text if cell.native is None else cell.native


def clean_text(raw: Raw, *, max_length: int = SHORT) -> str:
    """One line of text: trimmed, without invisible characters. BadValue for NUL, half characters, too much, no text."""
    if not isinstance(raw, str):
        raise BadValue("not_text", "Give this as text.")
    if len(raw) > max_length * 4 or len(text := INVISIBLE.sub("", raw).strip()) > max_length:
        raise BadValue("too_long", f"Shorten this to {max_length:,} characters.")
    if "\x00" in text or _CONTROL.search(text) or _SURROGATE.search(text):
        raise BadValue("bad_character", "This holds characters that are no text: type it again.")
    if not text:
        raise BadValue("blank", "Fill this in.")
    return text


def parse_text(raw: Raw, *, max_length: int = LONG) -> str:
    """Free text, line breaks kept. A number or a date that a workbook or JSON holds is taken as it would be shown."""
    if isinstance(raw, bool | list | dict) or raw is None:
        raise BadValue("not_text", "Give this as text.")
    return clean_text(raw if isinstance(raw, str) else str(raw), max_length=max_length)
