"""Cells as spreadsheets take them: CSV (RFC 4180, CRLF) in which no text is taken for a formula. Pure.

An export's apostrophe before such a text is taken off again when a file is read (`reporting.intake.sheet`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Where Excel or a reader of CSV would see a formula (full-width forms too)."""
BOM: Final = b"\xef\xbb\xbf"
"""By which Excel knows UTF-8; it stands once, at the start of a file."""
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.,]*", re.ASCII)


def guarded(value: object) -> str:
    """A leading apostrophe before what begins like a formula; numbers stay as they are, None is empty."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) and not _NUMBER.fullmatch(text) else text


def csv_lines(lines: Iterable[Sequence[object]]) -> bytes:
    """Lines of CSV in UTF-8, without the mark at the start; they may differ in length."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for line in lines:
        writer.writerow([guarded(value) for value in line])
    return out.getvalue().encode("utf-8", "replace")
