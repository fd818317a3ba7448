"""CSV as office software and Excel save it → numbered rows. Pure.

An own reader, because the standard one refuses or swallows what must be one row's error: a lone quotation mark would
eat the rows after it, a cell over 128 kB would end the file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from reporting.intake.sheet import FileRefused, Limits, Row, RowFault, Sheet, SheetKind, is_blank, text_cell
from reporting.intake.table import (
    ROWS_SEARCHED,
    Columns,
    Heading,
    KnownHeading,
    find_heading,
    make_columns,
    refuse_empty,
    refuse_no_rows,
    refuse_too_many_rows,
    refuse_unknown,
)

_DELIMITERS = ",;\t|"
_LINES_A_ROW = 20  # line ends in a file for each row that it may have: blank rows and line breaks in cells
_LINE_END = re.compile(r"\r\n|\r|\n")
_EXCEL_SEPARATOR = re.compile(r"sep=(.)(?:\r\n|\r|\n|$)", re.IGNORECASE)
_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Record(NamedTuple):
    """One record of the text: its number (from 1), where it starts and ends (line end excluded), its cells."""

    number: int
    start: int
    end: int
    cells: list[str]
    fault: RowFault | None


def read_csv(data: bytes, *, known_heading: KnownHeading, limits: Limits) -> Sheet:
    """The rows of a CSV file. FileRefused when it has no text, no known heading, no rows, or too many of them."""
    text, encoding = decode(data)
    if is_blank(text):
        raise refuse_empty()
    text = _without_blank_end(text)
    if text.count("\n") + text.count("\r") > _LINES_A_ROW * limits.max_rows:
        raise refuse_too_many_rows(limits)
    delimiter, heading = _choose_delimiter(text, known_heading)
    if heading is None:
        raise refuse_empty()
    if not heading.known:
        raise refuse_unknown(heading)
    columns, row_count = _survey(text, delimiter, heading, limits)

    def read_rows() -> Iterator[Row]:
        return _rows(text, encoding, delimiter, columns)

    return Sheet(
        kind=SheetKind.CSV,
        headings=columns.headings,
        heading_row=heading.number,
        row_count=row_count,
        read_rows=read_rows,
        notes=("The file was read as Windows-1252.",) if encoding == "cp1252" else (),
    )


def _without_blank_end(text: str) -> str:
    """The text without the blank rows at its end: a spreadsheet may leave a million, which each cost a look."""
    last = len(text.rstrip(" \t\r\n" + _DELIMITERS))
    end = _LINE_END.search(text, last)
    return text[: end.end()] if end else text


def decode(data: bytes) -> tuple[str, str]:
    """The text of a file and the codec that gives its bytes back: by its mark (BOM), else UTF-8, else Windows-1252."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding), encoding
    head = data[:4096]
    if head.count(0) * 3 > len(head):  # UTF-16 without a mark: every second byte of western text is NUL
        encoding = "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
        return _decode_as(data, encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_as(data, "cp1252"), "cp1252"


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FileRefused(
            "encoding",
            f"The file holds bytes that are no text (at byte {error.start + 1:,}): in Excel, choose Save As and the "
            "type “CSV UTF-8 (Comma delimited)”.",
        ) from None


def records(text: str, delimiter: str) -> Iterator[Record]:
    """The records of a text, blank ones too (RFC 4180; CRLF, LF or CR; line breaks and `""` inside quotes).

    A record whose quotes do not close, or close in the middle of a cell, is cut at the end of its first line and
    marked; the lines after it are read as if nothing had been.
    """
    stop = re.compile(f"[{re.escape(delimiter)}\r\n]")
    plain = _plain_record(delimiter)
    position, number, length = 0, 0, len(text)
    while position < length:
        number += 1
        line_end = _LINE_END.search(text, position)
        end = line_end.start() if line_end else length
        after = line_end.end() if line_end else length
        fault: RowFault | None = None
        if text.find('"', position, end) == -1:
            cells = text[position:end].split(delimiter)
        elif plain.fullmatch(line := text[position:end]):
            cells = [cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell for cell in _cells(delimiter, line)]
        elif (quoted := _quoted_record(text, position, delimiter, stop)) is None:
            cells, fault = text[position:end].split(delimiter), RowFault.QUOTES
        else:
            cells, end = quoted
            line_end = _LINE_END.match(text, end)
            after = line_end.end() if line_end else length
        yield Record(number, position, end, cells, fault)
        position = after


@cache
def _plain_record(delimiter: str) -> re.Pattern[str]:
    """A whole record on one line whose cells are either bare or quoted from end to end: nearly all there are."""
    cell = f'(?:"(?:[^"]|"")*+"|[^"{re.escape(delimiter)}]*+)'
    return re.compile(f"{cell}(?:{re.escape(delimiter)}{cell})*+")


@cache
def _splitter(delimiter: str) -> re.Pattern[str]:
    return re.compile(f'(?:^|{re.escape(delimiter)})("(?:[^"]|"")*+"|[^{re.escape(delimiter)}]*+)')


def _cells(delimiter: str, line: str) -> list[str]:
    return _splitter(delimiter).findall(line)


def _quoted_record(text: str, position: int, delimiter: str, stop: re.Pattern[str]) -> tuple[list[str], int] | None:
    """The cells of the record at `position` and where it ends, or None when its quotes do not match."""
    cells: list[str] = []
    while True:
        opening = position
        while text.startswith(" ", opening):  # `a, "b"` is what people type
            opening += 1
        if text.startswith('"', opening):
            quoted = _quoted_cell(text, opening + 1)
            if quoted is None:
                return None
            cell, position = quoted
            while text.startswith(" ", position):
                position += 1
        else:
            found = stop.search(text, position)
            end = found.start() if found else len(text)
            cell, position = text[position:end], end
        cells.append(cell)
        if not text.startswith(delimiter, position):
            at_end = position == len(text) or text[position] in "\r\n"
            return (cells, position) if at_end else None
        position += 1


def _quoted_cell(text: str, position: int) -> tuple[str, int] | None:
    """The content of the quoted cell that starts at `position` and where it ends, or None when it never ends."""
    parts: list[str] = []
    while True:
        mark = text.find('"', position)
        if mark == -1:
            return None
        parts.append(text[position:mark])
        if not text.startswith('"', mark + 1):
            return '"'.join(parts), mark + 1
        position = mark + 2


def _choose_delimiter(text: str, known_heading: KnownHeading) -> tuple[str, Heading | None]:
    """The delimiter that yields most known headings, and the heading row it yields; a comma when none does."""
    told = _EXCEL_SEPARATOR.match(text)
    candidates = told[1] if told and told[1] not in '"\r\n' else _DELIMITERS
    chosen, best = candidates[0], None
    for delimiter in candidates:
        # Blank records are not counted as searched, so the heading may stand below any number of them.
        rows = ((record.number, record.cells) for record in records(text, delimiter))
        first = find_heading(islice(rows, 1 if told else 0, ROWS_SEARCHED * 25), known_heading)
        if delimiter == candidates[0] or (first is not None and first.known > (best.known if best else 0)):
            chosen, best = delimiter, first
    return chosen, best


def _survey(text: str, delimiter: str, heading: Heading, limits: Limits) -> tuple[Columns, int]:
    """The columns and the number of rows below the heading, read once through without keeping anything."""
    nameless = [index for index, each in enumerate(heading.texts) if is_blank(each)]
    used: set[int] = set()
    named = make_columns(heading, frozenset(), limits)
    count = 0
    for record in records(text, delimiter):
        if record.number <= heading.number or _is_skipped(record, named):
            continue
        count += 1
        if count > limits.max_rows:
            raise refuse_too_many_rows(limits)
        used.update(index for index in nameless if index < len(record.cells) and not is_blank(record.cells[index]))
    if not count:
        raise refuse_no_rows()
    return make_columns(heading, frozenset(used), limits), count


def _rows(text: str, encoding: str, delimiter: str, columns: Columns) -> Iterator[Row]:
    for record in records(text, delimiter):
        if record.number <= columns.heading_row or _is_skipped(record, columns):
            continue
        cells = [None if is_blank(cell) else text_cell(cell) for cell in record.cells]
        yield columns.cut(record.number, cells, text[record.start : record.end].encode(encoding), record.fault)


def _is_skipped(record: Record, columns: Columns) -> bool:
    return all(is_blank(cell) for cell in record.cells) or columns.is_heading_again(record.cells)
