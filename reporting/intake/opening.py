"""A file that was sent, opened: what its headings mean, its rows as read values, and what to tell of both."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from reporting.intake.files import read_sheet
from reporting.intake.headings import HeadingMatch, match_headings, normalize_heading
from reporting.intake.json_rows import read_json_report
from reporting.intake.reading import PLACE_FIELDS, Reader, ReadRow, heading_aliases, keepable
from reporting.intake.sheet import FileRefused, Limits, Sheet, SheetKind, is_blank
from reporting.intake.table import refuse_no_rows
from schemas.fields import FIELDS
from schemas.issues import Code, Issue
from schemas.program import Program
from schemas.report import check_report

LACKING = (Code.REQUIRED, Code.REQUIRED_ONE_OF)
_SHOWN_TOTALS = 10


@dataclass(frozen=True, kw_only=True)
class OpenFile:
    """A readable file. `strict`: a field that is not known is an error of its row (one JSON report)."""

    sheet: Sheet
    match: HeadingMatch
    program: Program
    today: dt.date
    strict: bool = False
    totals: list[int] = field(default_factory=list)

    def rows(self) -> Iterator[ReadRow]:
        """Each row that is a report, read by the headings' mapping; TOTAL rows are noted and passed over, as are
        rows of merged cells with nothing in them."""
        self.totals.clear()
        reader = Reader(mapping=self.match.mapping, program=self.program, today=self.today)
        for row in self.sheet.rows:
            if row.is_summary:
                self.totals.append(row.number)
            elif row.surplus or row.fault or any(not is_blank(cell.text) for cell in row.cells.values()):
                read = reader.read(row)
                yield _refuse_unknown(read, self.match) if self.strict else read

    def notes(self) -> tuple[str, ...]:
        """What the sender should know about how the file was read."""
        if not self.totals:
            return self.sheet.notes
        shown = ", ".join(str(n) for n in self.totals[:_SHOWN_TOTALS])
        more = "" if len(self.totals) <= _SHOWN_TOTALS else " and others"
        return (*self.sheet.notes, f"Taken for totals and not counted as reports: row {shown}{more}.")

    def columns(self, errors: Iterable[Issue]) -> dict[str, object]:
        """What the headings meant: unknown ones, near misses, and fields without a column that some row was asked
        for.
        """
        return self.columns_without(i.field for i in errors if i.code in LACKING)

    def columns_without(self, fields: Iterable[str | None]) -> dict[str, object]:
        """The same where the fields that rows were asked for are known."""
        lacking = set(fields) - set(self.match.mapping.values())
        is_table = self.sheet.kind is not SheetKind.JSON
        return {
            "unknown": [keepable(h) for h in self.match.unknown],
            "suggested": {keepable(h): name for h, name in self.match.suggested.items()},
            "missing": [n for n in FIELDS if n in lacking and is_table],
        }


def open_file(
    program: Program,
    data: bytes,
    file_name: str | None,
    content_type: str | None,
    limits: Limits,
    today: dt.date,
    *,
    strict: bool = False,
    learned: Mapping[str, str | None] | None = None,
) -> OpenFile:
    """Open a CSV file, a workbook, a JSON list, or (`strict`, or a file that holds just one object) one JSON report.

    learned: what the sender's own headings mean (`headings.match_headings`); names of JSON reports are the contract's.
    Raises FileRefused, also where two headings mean one field and where no row can be whole for want of columns.
    """
    aliases = heading_aliases(program)
    strict = strict or _is_one_report(data, file_name, content_type)
    if strict:
        aliases, learned = dict.fromkeys(aliases, ()), None
        sheet = read_json_report(data, limits=limits)
    else:
        names = {normalize_heading(alias) for name in aliases for alias in (name, *aliases[name])}
        names |= set(learned or ())
        sheet = read_sheet(
            data,
            filename=file_name,
            content_type=content_type,
            known_heading=lambda heading: normalize_heading(heading) in names,
            limits=limits,
        )
    match = match_headings(sheet.headings, aliases, learned=learned)
    _refuse_two_meanings(match, sheet)
    file = OpenFile(sheet=sheet, match=match, program=program, today=today, strict=strict)
    _refuse_if_no_row_can_be_whole(file)
    return file


def _is_one_report(data: bytes, file_name: str | None, content_type: str | None) -> bool:
    named = (file_name or "").strip().lower().endswith(".json")
    typed = not file_name and "json" in (content_type or "")
    return (named or typed or not (file_name or content_type)) and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def _refuse_two_meanings(match: HeadingMatch, sheet: Sheet) -> None:
    if match.duplicates:
        named = "; ".join(
            f"{' and '.join(f'“{h[:60]}”' for h in found)} both mean {n}" for n, found in match.duplicates.items()
        )
        raise FileRefused(
            "duplicate_heading", f"Rename or remove one column of each pair: {named}.", headings=sheet.headings
        )


def _refuse_if_no_row_can_be_whole(file: OpenFile) -> None:
    """Refuse a table without the columns that make a row a report: a date of service, and a place.

    All columns that its rows lack are named at once, the others that the program asks for among them. A table that has
    these is answered row by row, however much else is missing.
    """
    given = set(file.match.mapping.values())
    if file.sheet.kind is SheetKind.JSON or ("service_date" in given and given & set(PLACE_FIELDS)):
        if next(file.rows(), None) is None:
            raise refuse_no_rows()
        return
    wanted: dict[str, None] = {} if "service_date" in given else {"service_date": None}
    some = False
    for row in file.rows():
        some = True
        issues = check_report(file.program, row.values) if not any(i.field is None for i in row.issues) else []
        lacking = [str(i.field) for i in issues if i.code in LACKING and i.field not in given]
        wanted.update(dict.fromkeys(lacking))
    if not some:
        raise refuse_no_rows()
    named = "; ".join(f"{FIELDS[n].label} ({n})" for n in FIELDS if n in wanted)
    raise FileRefused(
        "missing_columns",
        f"The file has no column for what every report needs: {named}. Add the columns and send it again.",
        headings=file.sheet.headings,
    )


def _refuse_unknown(row: ReadRow, match: HeadingMatch) -> ReadRow:
    """The row with an error for each field that is not known and filled in."""
    issues = []
    for heading in (h for h in match.unknown if h in row.cells):
        near = match.suggested.get(heading)
        message = f"Leave out {heading[:60]!r}: it is no field of a report." + (f" Was {near} meant?" if near else "")
        value = row.cells[heading][:200]
        issues.append(row.place(Issue(code=Code.UNKNOWN_FIELD, field=heading, message=message, value=value)))
    return replace(row, issues=(*row.issues, *issues))
