"""Lists of the desk as files, whole: CSV, Excel, and a map layer (GeoJSON) where rows have places."""

from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import IO, Any, Final

import xlsxwriter  # type: ignore[import-untyped]
from flask import Response, request

from reporting.api.calls import call, service
from reporting.api.problems import absent, unprocessable
from reporting.api.sheets import streamed_csv
from reporting.store.engine import Database
from reporting.store.paging import LARGEST_PAGE
from reporting.web.asking import in_own_county, query_of
from reporting.web.desk_lists import LISTS, DeskList, Turn
from reporting.web.desk_words import sentence

_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST_ROWS: Final = 50_000
"""Of a workbook, which is made whole before it is sent; the other files are sent as their rows come."""
_PART: Final = 64 * 1024
_OWNERS: Final = frozenset({"owner_name"})
"""Left out of map layers, which are passed on more easily than a list."""
Row = Mapping[str, Any]


class _Parts:
    """A file in parts, closed once it is read or given up."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        with self._file:
            while part := self._file.read(_PART):
                yield part

    def close(self) -> None:
        """End the reading; of an answer to HEAD none has begun."""
        self._file.close()


def file_of(path: str) -> Any:
    """The view that gives out a list as the file that the address names by its end; the filters are the page's own."""

    @in_own_county
    def show_file() -> Response:
        found = LISTS[path]
        form = request.path.rpartition(".")[2]
        turn = found.open({**found.usual, **query_of(found.query)})
        rows = _all_rows(service().database, call().tenant, turn)
        name = f"{path}-{call().tenant}.{form}"
        if form == "csv":
            return streamed_csv(name, _lines(found, rows))
        if form == "xlsx":
            return _attached(Response(_Parts(_workbook(found, rows)), content_type=_XLSX), name)
        if form == "geojson" and found.placed:
            return _attached(Response(_layer(found, rows), content_type="application/geo+json"), name)
        raise absent()

    return show_file


def addresses_of(path: str) -> list[str]:
    """The addresses of a list's files."""
    forms = ("csv", "xlsx", "geojson") if LISTS[path].placed else ("csv", "xlsx")
    return [f"/desk/{path}.{form}" for form in forms]


def _all_rows(database: Database, county: str, turn: Turn) -> Iterator[Row]:
    """Page by page, each in a transaction of its own, so that a slow reader holds nobody up."""
    cursor: str | None = None
    while True:
        with database.reading(county) as store:
            page = turn(store, cursor, LARGEST_PAGE)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return


def _lines(found: DeskList, rows: Iterator[Row]) -> Iterator[list[object]]:
    return chain([list(found.columns)], ([_plain(row.get(name)) for name in found.columns] for row in rows))


def _plain(value: object) -> object:
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _workbook(found: DeskList, rows: Iterator[Row]) -> IO[bytes]:
    """A workbook in a file that goes with its reader: rows are written to disk as they come."""
    out = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the answer is sent
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(out, options)
    book.set_properties(
        {"title": found.title, "created": dt.datetime(2000, 1, 1, tzinfo=dt.UTC)}
    )  # the same bytes twice
    try:
        _fill(book, found, rows)
    except Exception:
        book.close()
        out.close()
        raise
    book.close()
    out.seek(0)
    return out


def _fill(book: Any, found: DeskList, rows: Iterator[Row]) -> None:
    sheet, bold = book.add_worksheet(found.title[:31]), book.add_format({"bold": True})
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(found.columns):
        sheet.set_column(column, column, max(12, len(name) + 2))
        sheet.write_string(0, column, sentence(name), bold)
    for number, row in enumerate(rows, start=1):
        if number > MOST_ROWS:
            raise unprocessable(f"That is more than {MOST_ROWS:,} rows: narrow the list, or take the CSV file.")
        for column, name in enumerate(found.columns):
            value = _plain(row.get(name))
            if isinstance(value, int | float):
                sheet.write_number(number, column, value)
            elif value is not None:
                sheet.write_string(number, column, str(value)[:32_767])


def _layer(found: DeskList, rows: Iterator[Row]) -> Iterator[bytes]:
    """A FeatureCollection of the rows with coordinates, longitude first (RFC 7946, 3.1.1)."""
    names = [name for name in found.columns if name not in _OWNERS and name not in ("latitude", "longitude")]
    yield b'{"type":"FeatureCollection","features":['
    between = b""
    for row in rows:
        if row.get("latitude") and row.get("longitude"):
            point = {"type": "Point", "coordinates": [float(row["longitude"]), float(row["latitude"])]}
            told = {name: _jsonable(row.get(name)) for name in names}
            feature = {"type": "Feature", "geometry": point, "properties": told}
            yield between + json.dumps(feature, separators=(",", ":")).encode()
            between = b","
    yield b"]}"


def _jsonable(value: object) -> object:
    return value.isoformat() if isinstance(value, dt.date) else value


def _attached(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
