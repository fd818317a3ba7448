"""Rows as CSV for spreadsheets (RFC 4180, CRLF, BOM); a text that would be taken for a formula is made harmless."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from flask import Response

_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.,]*", re.ASCII)


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A file with these columns; what a row lacks is empty, and what it has more is left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_guarded(column) for column in columns])
    for row in rows:
        writer.writerow([_guarded(row.get(column)) for column in columns])
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Response:
    """The same as a download called `name`."""
    response = Response(csv_bytes(columns, rows), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _guarded(value: object) -> str:
    """A leading apostrophe before what begins like a formula; reading takes it off again. Numbers stay as they are."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_STARTS) and not _NUMBER.fullmatch(text) else text
