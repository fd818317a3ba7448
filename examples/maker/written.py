"""Sample files as bytes: the same bytes each time they are made."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import xlsxwriter  # type: ignore[import-untyped]

from maker.columns import Row, cells
from maker.sheets import Sheet

#: Excel writes when a workbook was made; ours were all made on the samples' day.
_CREATED = datetime(2026, 7, 13, 8, 0, tzinfo=UTC).replace(tzinfo=None)


def table(columns: Sequence[str], rows: Iterable[Row]) -> bytes:
    """Write a plain CSV: UTF-8, commas, one line feed a row."""
    return _csv([list(columns), *(cells(row, columns) for row in rows)], delimiter=",", newline="\n").encode()


def sheet_bytes(sheet: Sheet) -> bytes:
    """Write a report file in its own kind: csv, xlsx, a JSON list or one JSON object."""
    if sheet.kind == "xlsx":
        return _workbook(sheet)
    if sheet.kind in {"list", "object"}:
        return _json(sheet)
    lines = [[heading for heading, _ in sheet.headings]]
    lines += [[str(sheet.show(line.cells.get(key))) for _, key in sheet.headings] for line in sheet.lines]
    return _csv(lines, delimiter=sheet.delimiter, newline=sheet.newline).encode(sheet.encoding)


def json_text(value: object) -> bytes:
    """Write JSON for reading: two blanks of indent, accents as they are, a last line feed."""
    return (json.dumps(value, indent=2, ensure_ascii=False, default=date.isoformat) + "\n").encode()


def _csv(lines: Iterable[Sequence[str]], *, delimiter: str, newline: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=newline).writerows(lines)
    return out.getvalue()


def _json(sheet: Sheet) -> bytes:
    reports = [
        {key: line.cells[key] for _, key in sheet.headings if line.cells.get(key) is not None} for line in sheet.lines
    ]
    return json_text(reports[0] if sheet.kind == "object" else reports)


def _workbook(sheet: Sheet) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"created": _CREATED, "title": sheet.name})
    page = book.add_worksheet("Reports")
    day = book.add_format({"num_format": "m/d/yyyy"})
    bold = book.add_format({"bold": True})
    for column, (heading, _) in enumerate(sheet.headings):
        page.write_string(0, column, heading, bold)
    for number, line in enumerate(sheet.lines, start=1):
        for column, (_, key) in enumerate(sheet.headings):
            value = sheet.show(line.cells.get(key))
            if isinstance(value, date):
                page.write_datetime(number, column, value, day)
            elif isinstance(value, (int, float)):
                page.write_number(number, column, value)
            elif value is not None:
                page.write_string(number, column, str(value))
    book.close()
    return out.getvalue()
