"""A file with a heading and rows of known columns → values and issues: what inventory and contractor files share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from reporting.intake.files import read_sheet
from reporting.intake.headings import HeadingMatch, match_headings, normalize_heading
from reporting.intake.identifiers import ExcelHarm, excel_damage
from reporting.intake.sheet import Cell, FileRefused, Limits, Row, Sheet
from reporting.intake.table import shorten
from reporting.intake.values import BadValue
from reporting.inventory.columns import Column, Day
from schemas.issues import Code, Issue

_REMEMBERED: Final = 20_000


class ReadRow(NamedTuple):
    """One row as read: the values of its filled columns, what rejects it, and what is worth knowing."""

    number: int
    pointer: str
    raw: bytes
    values: dict[str, Any]
    errors: tuple[Issue, ...]
    warnings: tuple[Issue, ...]

    def issue(self, code: str, name: str, message: str, value: object = None) -> Issue:
        """An issue with one field of this row."""
        shown = None if value is None else shorten(str(value), 200)
        return Issue(
            code=code, message=message, field=name, row=self.number, pointer=f"{self.pointer}/{name}", value=shown
        )


@dataclass(frozen=True, kw_only=True)
class HeadedFile:
    """An opened file: its rows, and what its headings mean."""

    sheet: Sheet
    headings: HeadingMatch
    columns: Mapping[str, Column]
    day: Day
    identifiers: frozenset[str] = frozenset()

    @property
    def given(self) -> frozenset[str]:
        """The columns that the file has."""
        return frozenset(self.headings.mapping.values())

    def shown_columns(self) -> dict[str, object]:
        """What the answer says of the headings."""
        found = self.headings
        return {"unknown": list(found.unknown), "suggested": dict(found.suggested), "missing": []}

    def rows(self) -> Iterator[ReadRow]:
        """The rows of the file but for a row of totals; nothing is kept."""
        for row in self.sheet.rows:
            if not row.is_summary:
                yield self._read(row)

    def _read(self, row: Row) -> ReadRow:
        values: dict[str, Any] = {}
        read = ReadRow(row.number, row.pointer, row.raw, values, (), ())
        errors = _row_faults(row)
        warnings: list[Issue] = []
        for heading, cell in row.cells.items():
            known = self._known.get(heading)
            if known is None:
                continue
            name = known.column.name
            try:
                values[name] = known.value(cell, self.day)
            except BadValue as error:
                issue = read.issue(error.code, name, error.message, cell.text)
                (warnings if known.column.lenient else errors).append(issue)
            if known.is_identifier and (harm := _harm(read, name, cell)):
                lost = harm.code == ExcelHarm.SCIENTIFIC or cell.native is not None
                (errors if lost else warnings).append(harm)
        return read._replace(errors=tuple(errors), warnings=tuple(warnings)) if errors or warnings else read

    @cached_property
    def _known(self) -> dict[str, KnownColumn]:
        return {
            heading: KnownColumn(self.columns[name], name in self.identifiers)
            for heading, name in self.headings.mapping.items()
        }


class KnownColumn:
    """A column under one heading of the file, with what its texts mean where few different ones stand in it."""

    __slots__ = ("_meanings", "_repeats", "column", "is_identifier")

    def __init__(self, column: Column, is_identifier: bool) -> None:
        self.column = column
        self.is_identifier = is_identifier
        self._repeats = column.repeats
        self._meanings: dict[str, Any] = {}

    def value(self, cell: Cell, day: Day) -> Any:
        """What a cell says. Raises `BadValue`."""
        text = cell.text
        if not self._repeats or cell.native is not None or cell.fault is not None:
            return self.column.parse(cell, day)
        if text not in self._meanings:
            if len(self._meanings) >= _REMEMBERED:
                self._meanings.clear()
            self._meanings[text] = self.column.parse(cell, day)
        return self._meanings[text]


def open_headed(
    data: bytes,
    *,
    file_name: str | None,
    content_type: str | None,
    limits: Limits,
    columns: Mapping[str, Column],
    required: Sequence[Sequence[str]],
    day: Day,
    identifiers: frozenset[str] = frozenset(),
) -> HeadedFile:
    """Open a CSV, XLSX or JSON file of these columns.

    required: for each need, the sets of columns any of which meets it, their names parted by `+`:
    `(("component",), ("permit_number", "parcel_number+site_address"))`. identifiers: columns whose numbers a
    spreadsheet may have harmed. Raises FileRefused, with all missing columns in one sentence.
    """
    aliases = {name: column.aliases for name, column in columns.items()}
    known = {normalize_heading(word) for name, words in aliases.items() for word in (name, *words)}
    sheet = read_sheet(
        data,
        filename=file_name,
        content_type=content_type,
        known_heading=lambda heading: normalize_heading(heading) in known,
        limits=limits,
    )
    headings = match_headings(sheet.headings, aliases)
    for name, twice in headings.duplicates.items():
        shown = " and ".join(f"“{shorten(one)}”" for one in twice)
        raise FileRefused("duplicate_heading", f"The headings {shown} both mean {name}: leave one of them out.")
    missing = _missing(frozenset(headings.mapping.values()), required)
    if missing:
        raise FileRefused(
            "missing_columns",
            f"These columns are missing: {', '.join(missing)}. Add them and send the file again.",
            headings=sheet.headings,
        )
    return HeadedFile(sheet=sheet, headings=headings, columns=columns, day=day, identifiers=identifiers)


def _missing(given: frozenset[str], required: Sequence[Sequence[str]]) -> list[str]:
    """What is missing; where one of several sets would do and none is whole, the first set."""
    missing: list[str] = []
    for choices in required:
        sets = [choice.split("+") for choice in choices]
        if not any(given.issuperset(one) for one in sets):
            missing += [name for name in sets[0] if name not in given]
    return missing


def _row_faults(row: Row) -> list[Issue]:
    if row.fault is not None:
        return [Issue(code=Code.UNREADABLE_ROW, message=row.fault.message, row=row.number, pointer=row.pointer)]
    if row.surplus:
        message = "The row has more cells than there are headings: look for a comma that is not in quotes."
        return [
            Issue(
                code=Code.SHIFTED_ROW, message=message, row=row.number, pointer=row.pointer,
                value=shorten(", ".join(row.surplus), 200),
            )
        ]  # fmt: skip
    return []


def _harm(read: ReadRow, name: str, cell: Cell) -> Issue | None:
    damage = excel_damage(cell.text, cell.native)
    if damage is None or damage.harm is ExcelHarm.ZEROS:  # a number without zeros in front is what most permits are
        return None
    return read.issue(damage.harm.value, name, damage.message, cell.text)
