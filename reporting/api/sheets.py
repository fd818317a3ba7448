"""Rows as CSV for spreadsheets (RFC 4180, CRLF, BOM); a text that would be taken for a formula is made harmless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from flask import Response

from reporting.spreadsheets import BOM, csv_lines


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A file with these columns; what a row lacks is empty, and what it has more is left out."""
    return table_bytes([columns, *([row.get(column) for column in columns] for row in rows)])


def table_bytes(lines: Iterable[Sequence[object]]) -> bytes:
    """A file of these lines, of which the first is the heading; a line may be longer than it."""
    return BOM + csv_lines(lines)


def streamed_csv(name: str, lines: Iterator[Sequence[object]]) -> Response:
    """A file of any length, sent as its lines come; what goes wrong with the first ones is a problem as usual."""
    first = table_bytes(islice(lines, 50))

    def parts() -> Iterator[bytes]:
        yield first
        while part := list(islice(lines, 200)):
            yield csv_lines(part)

    response = csv_download(name, b"")
    response.response = parts()
    response.headers.pop("Content-Length", None)
    return response


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Response:
    """The same as a download called `name`."""
    return csv_download(name, csv_bytes(columns, rows))


def csv_download(name: str, data: bytes) -> Response:
    """A CSV file as a download called `name`."""
    response = Response(data, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
