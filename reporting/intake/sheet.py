"""The rows of one file, whatever it was: what `files.read_sheet` returns and what intake works on. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from reporting.spreadsheets import FORMULA_STARTS

# What a workbook or a JSON document says a value is. A list or an object comes from JSON only.
Native: TypeAlias = (
    bool | int | float | Decimal | date | datetime | time | timedelta | list[object] | dict[str, object] | None
)

_EXCEL_TEXT = re.compile(r'="([^"]*)"')  # ="00412", the usual way to keep a leading zero in CSV
# Soft hyphen, zero-width and direction marks: copied along from web pages, never meant.
INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SUMMARY = re.compile(r"(?:grand |sub ?|sub-)?totals?\b.{0,24}|sum", re.IGNORECASE)
_SUMMARY_STARTS = frozenset("gGsStT")  # looked at first: this is asked of every row
_LONGEST_FIGURE = 200
_NUMERIC = re.compile(r"[\s$]*[-+]?[\d,.]++\s*+(?:gal|gallons|loads?|%)?\.?\s*+", re.IGNORECASE | re.ASCII)


class SheetKind(StrEnum):
    """What a file turned out to be by its content."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"


class CellFault(StrEnum):
    """Why a cell of a workbook has no value that could be trusted. The row is to be refused with `message`."""

    FORMULA_WITHOUT_VALUE = "formula_without_value"
    FORMULA_ERROR = "formula_error"
    MERGED = "merged_cell"

    @property
    def message(self) -> str:
        """One sentence for the office that sent the file."""
        return _CELL_FAULTS[self]


_CELL_FAULTS = {
    CellFault.FORMULA_WITHOUT_VALUE: (
        "The cell holds a formula whose result was not saved: open the file in Excel, save it, and send it again."
    ),
    CellFault.FORMULA_ERROR: "The cell holds a formula that ends in an error: type the value instead.",
    CellFault.MERGED: "The cell is merged with another: unmerge the cells and fill in every row.",
}


class Cell(NamedTuple):
    """One filled cell: its text as sent and, from a workbook or JSON, the value it is there (None: plain text)."""

    text: str
    native: Native = None
    fault: CellFault | None = None


class RowFault(StrEnum):
    """Why a whole row cannot be read. The row is to be refused with `message`."""

    QUOTES = "quotes"
    NOT_AN_OBJECT = "not_an_object"

    @property
    def message(self) -> str:
        """One sentence for the office that sent the file."""
        return _ROW_FAULTS[self]


_ROW_FAULTS = {
    RowFault.QUOTES: 'A quotation mark (") opens a cell of this row and does not close it: double or remove it.',
    RowFault.NOT_AN_OBJECT: 'Each report in a JSON list is an object, for example {"permit_number": "SP-1987"}.',
}


class Row(NamedTuple):
    """One row that holds something.

    number: the row as the spreadsheet shows it, first line = 1 (a quoted line break does not start a row). For JSON,
        place in the list + 2, so that the same reports as CSV (heading in row 1) and as JSON have the same numbers.
    pointer: RFC 6901 pointer of the row, `/3` for the fourth below the heading; empty for a single JSON report.
    cells: heading as sent → cell; blank cells are left out.
    raw: the bytes of the row as received (CSV, JSON), or its values as a JSON list (XLSX).
    surplus: filled cells to the right of the last heading: the row is shifted, most often by an unquoted comma.
    missing: headings that a short row does not reach.
    is_summary: a TOTAL row, which is no report; to be named in the answer and not counted.
    """

    number: int
    pointer: str
    cells: Mapping[str, Cell]
    raw: bytes
    surplus: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    is_summary: bool = False
    fault: RowFault | None = None

    def pointer_to(self, field: str) -> str:
        """RFC 6901 pointer of one field of this row."""
        return f"{self.pointer}/{field.replace('~', '~0').replace('/', '~1')}"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much one file may hold. The defaults are those of HTTP; the command line has its own, larger ones."""

    max_bytes: int = 10_000_000
    max_rows: int = 20_000
    max_columns: int = 64
    max_unpacked_bytes: int = 128_000_000
    max_cells: int = 1_500_000


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A file as numbered rows.

    headings: as sent, without blank ones (a filled column without a heading is named `(column C)`). heading_row: its
    number (0 for JSON). row_count: how many rows iteration yields, summary rows among them. notes: what the sender
    should know about how the file was read (sheets not read, encoding).
    """

    kind: SheetKind
    headings: tuple[str, ...]
    heading_row: int
    row_count: int
    read_rows: Callable[[], Iterator[Row]]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> Iterator[Row]:
        """The rows from the first on, each time anew; nothing is kept in memory."""
        return self.read_rows()


class FileRefused(Exception):
    """A file that cannot be read at all.

    code: short name of the reason. detail: one sentence that says how to save the file right. status: 413 too big,
    415 another kind of file, 422 anything else. headings: the first row, where no heading of it was recognised.
    """

    def __init__(self, code: str, detail: str, status: int = 422, *, headings: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.headings = tuple(headings)


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: spaces of any kind and invisible characters."""
    if not text or "!" <= text[0] <= "~":
        return not text
    return text.isspace() or not INVISIBLE.sub("", text).strip()


def text_cell(text: str) -> Cell:
    """A cell of CSV: the apostrophe that an export put before a formula and Excel's `="00412"` are taken off."""
    if text[0] == "'" and len(text) > 1 and text[1] in FORMULA_STARTS:
        return Cell(text[1:])
    if text[0] == "=" and (quoted := _EXCEL_TEXT.fullmatch(text.strip())):
        return Cell(quoted[1])
    return Cell(text)


def is_summary(texts: Iterable[str]) -> bool:
    """Whether the filled cells of a row are a TOTAL and its figures, and no report."""
    filled = [text.strip() for text in texts]
    labels = [text for text in filled if text[:1] in _SUMMARY_STARTS and _SUMMARY.fullmatch(text)]
    if len(labels) != 1 or any(len(text) > _LONGEST_FIGURE for text in filled):
        return False
    return all(text in labels or text[:1] == "=" or _NUMERIC.fullmatch(text) for text in filled)


def column_letter(index: int) -> str:
    """The letters Excel shows above a column: 0 → A, 26 → AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
