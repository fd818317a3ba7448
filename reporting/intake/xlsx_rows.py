"""XLSX (by python-calamine, behind `xlsx_package`) → numbered rows. Pure."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import TypeAlias

from python_calamine import CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from reporting.intake.sheet import Cell, CellFault, FileRefused, Limits, Row, Sheet, SheetKind, is_blank
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
    shorten,
)
from reporting.intake.xlsx_package import (
    MAX_MARKED_CELLS,
    check_package,
    measure_sheet,
    open_package,
    refuse_broken,
    refuse_too_big,
    sheet_members,
    string_lengths,
)

_Value: TypeAlias = int | float | str | bool | time | date | datetime | timedelta
_EXACT = 1e15  # Excel keeps 15 digits; beyond, what it stored is no longer what was typed


@dataclass(frozen=True, kw_only=True)
class _Table:
    """One worksheet: its name, its cells, and what calamine does not tell, by row and column from 0."""

    name: str
    sheet: CalamineSheet
    faults: Mapping[int, Mapping[int, Cell]]

    def records(self) -> Iterator[tuple[int, list[Cell | None]]]:
        """Row number (from 1) and cells by column; None for a blank one."""
        left = self.sheet.start[1] if self.sheet.start else 0
        blanks: list[Cell | None] = [None] * left
        index = -1
        for index, values in enumerate(self.sheet.iter_rows()):
            cells = blanks + [_cell(value) for value in values]
            if index in self.faults:
                cells = _overlay(cells, self.faults[index])
            yield index + 1, cells
        for below in sorted(row for row in self.faults if row > index):  # rows calamine takes for blank
            yield below + 1, _overlay(blanks, self.faults[below])


def read_xlsx(data: bytes, *, known_heading: KnownHeading, limits: Limits) -> Sheet:
    """The rows of the visible worksheet that has most known headings.

    FileRefused when the workbook is damaged or too big, when no visible sheet has a known heading, or when two sheets
    with the same headings both hold rows: which of them is meant, or whether both, only the sender knows.
    """
    tables, hidden = _tables(data, limits)
    headings = [_heading(table, known_heading) for table in tables]
    best = max((heading.known for heading in headings if heading), default=0)
    if not best:
        raise _refuse_unfound(headings, hidden, known_heading)
    equal = [(table, heading) for table, heading in zip(tables, headings, strict=True) if _known(heading) == best]
    chosen = [
        (table, heading, columns, count)
        for table, heading in equal
        if heading is not None
        for columns, count in (_survey(table, heading, limits),)
        if count
    ]
    if not chosen:
        raise refuse_no_rows()
    if len(chosen) > 1:
        names = ", ".join(f"“{shorten(each[0].name)}”" for each in chosen)
        raise FileRefused(
            "several_sheets", f"The sheets {names} all hold reports: put them on one sheet, or send each."
        )
    table, heading, columns, count = chosen[0]
    unread = [each.name for each in tables if each is not table] + [each.name for each in hidden]

    def read_rows() -> Iterator[Row]:
        return _rows(table, columns)

    return Sheet(
        kind=SheetKind.XLSX,
        headings=columns.headings,
        heading_row=heading.number,
        row_count=count,
        read_rows=read_rows,
        notes=(f"Read from the sheet “{shorten(table.name)}”.", *(f"Not read: “{shorten(name)}”." for name in unread)),
    )


def _tables(data: bytes, limits: Limits) -> tuple[list[_Table], list[_Table]]:
    """The visible and the hidden worksheets, each measured before calamine builds it."""
    package = open_package(data)
    check_package(data, package, limits)
    members = sheet_members(data, package)
    lengths = string_lengths(data, package, limits)
    visible: list[_Table] = []
    hidden: list[_Table] = []
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for meta in workbook.sheets_metadata:
            if meta.typ is not SheetTypeEnum.WorkSheet or meta.name not in members:
                continue
            marked = measure_sheet(data, package.getinfo(members[meta.name]), lengths, limits).marked
            sheet = workbook.get_sheet_by_name(meta.name)
            table = _Table(name=meta.name, sheet=sheet, faults=_faults(sheet, marked))
            (visible if meta.visible is SheetVisibleEnum.Visible else hidden).append(table)
    except FileRefused:
        raise
    except Exception:
        raise refuse_broken() from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what a panic in Rust becomes; it derives from BaseException
            raise
        raise refuse_broken() from None
    return visible, hidden


def _faults(sheet: CalamineSheet, marked: Mapping[tuple[int, int], str]) -> dict[int, dict[int, Cell]]:
    """Formulas without result, error cells, and the cells that a merge leaves blank."""
    faults: dict[int, dict[int, Cell]] = {}
    last_row, last_column = sheet.end or (-1, -1)
    count = 0
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        bottom, right = min(bottom, last_row), min(right, last_column)
        count += max(0, bottom - top + 1) * max(0, right - left + 1)
        if count > MAX_MARKED_CELLS:
            raise refuse_too_big()
        for row in range(top, bottom + 1):
            faults.setdefault(row, {}).update(
                (column, Cell("", None, CellFault.MERGED))
                for column in range(left, right + 1)
                if (row, column) != (top, left)
            )
    for (row, column), text in marked.items():
        fault = CellFault.FORMULA_WITHOUT_VALUE if text.startswith("=") else CellFault.FORMULA_ERROR
        faults.setdefault(row, {})[column] = Cell(text, None, fault)
    return faults


def _overlay(cells: list[Cell | None], marked: Mapping[int, Cell]) -> list[Cell | None]:
    width = max(len(cells), max(marked, default=-1) + 1)
    padded = cells + [None] * (width - len(cells))
    return [marked.get(column, cell) for column, cell in enumerate(padded)]


def _heading(table: _Table, known_heading: KnownHeading) -> Heading | None:
    rows = ((number, _texts(cells)) for number, cells in table.records())
    return find_heading(islice(rows, ROWS_SEARCHED * 25), known_heading)


def _known(heading: Heading | None) -> int:
    return heading.known if heading else 0


def _survey(table: _Table, heading: Heading, limits: Limits) -> tuple[Columns, int]:
    """The columns and the number of rows below the heading."""
    nameless = [index for index, text in enumerate(heading.texts) if is_blank(text)]
    used: set[int] = set()
    named = make_columns(heading, frozenset(), limits)
    count = 0
    for number, cells in table.records():
        if number <= heading.number or _is_skipped(cells, named):
            continue
        count += 1
        if count > limits.max_rows:
            raise refuse_too_many_rows(limits)
        used.update(index for index in nameless if index < len(cells) and _is_filled(cells[index]))
    return make_columns(heading, frozenset(used), limits), count


def _rows(table: _Table, columns: Columns) -> Iterator[Row]:
    for number, cells in table.records():
        if number > columns.heading_row and not _is_skipped(cells, columns):
            end = max((index + 1 for index, cell in enumerate(cells) if _is_filled(cell)), default=0)
            kept = cells[: max(end, len(columns.texts))]
            yield columns.cut(number, kept, _raw(kept))


def _is_skipped(cells: Sequence[Cell | None], columns: Columns) -> bool:
    return not any(map(_is_filled, cells)) or columns.is_heading_again(_texts(cells))


def _is_filled(cell: Cell | None) -> bool:
    return cell is not None and cell.fault is not CellFault.MERGED


def _texts(cells: Iterable[Cell | None]) -> list[str]:
    return [cell.text if cell is not None else "" for cell in cells]


def _raw(cells: Iterable[Cell | None]) -> bytes:
    return json.dumps(_texts(cells), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _cell(value: _Value) -> Cell | None:
    """A cell with the text that Excel would show for it in its general format."""
    if isinstance(value, str):
        return None if is_blank(value) else Cell(value)
    if isinstance(value, bool):
        return Cell("TRUE" if value else "FALSE", value)
    if isinstance(value, float):
        if value.is_integer() and abs(value) < _EXACT:
            return Cell(str(int(value)), int(value))
        return Cell(repr(value).upper(), value)
    if isinstance(value, int):
        return Cell(str(value), value)
    if isinstance(value, timedelta):
        return Cell(str(value), value)
    return Cell(value.isoformat(), value)


def _refuse_unfound(
    headings: Sequence[Heading | None], hidden: Sequence[_Table], known_heading: KnownHeading
) -> FileRefused:
    for table in hidden:
        if _known(_heading(table, known_heading)):
            return FileRefused(
                "hidden_sheet",
                f"The reports stand on the hidden sheet “{shorten(table.name)}”: unhide it and save again.",
            )
    first = next((heading for heading in headings if heading is not None), None)
    return refuse_unknown(first) if first else refuse_empty()
