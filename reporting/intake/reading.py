"""A row of a file → read values under the contract's field names, and what in it cannot be read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from reporting.intake.identifiers import excel_damage
from reporting.intake.moments import parse_date, parse_time
from reporting.intake.numbers import parse_fraction, parse_gallons, parse_reading
from reporting.intake.sheet import Cell, Row, is_blank
from reporting.intake.values import BadValue, Raw, clean_text, parse_text, raw_value
from reporting.intake.words import is_none_word, parse_choice, parse_license, parse_yes_no
from schemas.fields import FIELDS, Field, Type
from schemas.issues import Code, Issue
from schemas.program import Program

PLACE_FIELDS = ("permit_number", "parcel_number", "site_address")
# Placeholders that office software writes into a field that holds nothing.
_NOTHING = frozenset({Type.TEXT, Type.LONG_TEXT, Type.IDENTIFIER, Type.LIST, Type.DATE, Type.READING, Type.FRACTION})
_KEEP_NONE = frozenset({"ponding", "tank_condition"})


@dataclass(frozen=True, kw_only=True)
class ReadRow:
    """One row as read: `values` by field (empty ones left out), `issues` for what could not be, `warnings` for what
    to look at.
    """

    number: int
    pointer: str
    values: Mapping[str, object]
    issues: tuple[Issue, ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""

    @property
    def service_date(self) -> dt.date | None:
        """The day of service, if it could be read."""
        day = self.values.get("service_date")
        return day if isinstance(day, dt.date) else None

    def text(self, name: str) -> str:
        """The value of a field that is a text, '' when it is empty."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""


def heading_aliases(program: Program) -> Mapping[str, tuple[str, ...]]:
    """Each field with the other names that headings may give it in this program."""
    return {name: program.aliases.get(name, ()) for name in FIELDS}


def read_rows(rows: Iterator[Row], mapping: Mapping[str, str], program: Program, today: dt.date) -> Iterator[ReadRow]:
    """Each row that is a report (a TOTAL row is none), read by the headings' mapping. `today`: the county's date of
    receipt.
    """
    for row in rows:
        if not row.is_summary:
            yield read_row(row, mapping, program, today)


def read_row(row: Row, mapping: Mapping[str, str], program: Program, today: dt.date) -> ReadRow:
    """One row read field by field; nothing that is wrong stops the rest from being looked at."""
    shown = {heading: cell.text for heading, cell in row.cells.items()}
    if row.fault is not None:
        issue = Issue(code=Code.UNREADABLE_ROW, message=row.fault.message).at(row.number, row.pointer)
        return ReadRow(number=row.number, pointer=row.pointer, values={}, issues=(issue,), cells=shown, raw=row.raw)
    values: dict[str, object] = {}
    issues: list[Issue] = []
    warnings: list[Mapping[str, object]] = []
    for heading, cell in row.cells.items():
        spec = FIELDS.get(mapping.get(heading, ""))
        if spec is None or is_blank(cell.text):
            continue
        _read_cell(spec, cell, program, today, values, issues, warnings)
    if row.surplus:
        message = (
            f"Put the row's cells under their headings: {len(row.surplus)} stand beyond the last one, "
            "often after a comma that is not in quotes."
        )
        issues.append(Issue(code=Code.SHIFTED_ROW, message=message, value="; ".join(row.surplus)[:200]))
    _infer_event(values, warnings)
    placed = tuple(i.at(row.number, row.pointer_to(i.field) if i.field else row.pointer) for i in issues)
    return ReadRow(
        number=row.number,
        pointer=row.pointer,
        values=values,
        issues=placed,
        warnings=tuple(warnings),
        cells=shown,
        raw=row.raw,
    )


def _read_cell(
    spec: Field,
    cell: Cell,
    program: Program,
    today: dt.date,
    values: dict[str, object],
    issues: list[Issue],
    warnings: list[Mapping[str, object]],
) -> None:
    if spec.type in _NOTHING and spec.name not in _KEEP_NONE and is_none_word(cell.text) and cell.text.strip() != "0":
        return
    try:
        value = _PARSERS[spec.type](spec, raw_value(cell), program, today)
    except BadValue as error:
        issues.append(Issue(code=error.code, field=spec.name, message=error.message, value=cell.text[:200]))
        return
    if spec.past_only and isinstance(value, dt.date) and value > today:
        message = f"Give a {spec.label} that is not in the future: it was received {today}."
        issues.append(Issue(code=Code.IN_FUTURE, field=spec.name, message=message, value=cell.text[:200]))
        return
    damage = (
        excel_damage(cell.text, cell.native) if spec.type is Type.IDENTIFIER and spec.name in PLACE_FIELDS else None
    )
    if damage is not None:
        warnings.append(
            {"field": spec.name, "code": damage.harm.value, "message": damage.message, "value": cell.text[:200]}
        )
    values[spec.name] = value


def _infer_event(values: dict[str, object], warnings: list[Mapping[str, object]]) -> None:
    """A report that gives gallons and names no type of service is one of pumping; said in the answer."""
    gallons = values.get("gallons_pumped")
    if "event_type" not in values and isinstance(gallons, int) and gallons > 0:
        values["event_type"] = "pumping"
        message = "No type of service was given; gallons were, so it is taken as pumping."
        warnings.append({"field": "event_type", "code": "taken_as_pumping", "message": message})


def _text(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    return parse_text(raw, max_length=200)


def _long_text(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    # A signature may be an image as a data address; the notes of a visit are not longer than a page.
    return parse_text(raw, max_length=200_000 if spec.name.endswith("signature") else 10_000)


def _identifier(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    text = parse_text(raw, max_length=100)
    if "\n" in text or "\r" in text:
        raise BadValue("bad_character", "Give one number in this cell, without a line break.")
    return text


def _license(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    parse_license(raw)
    return clean_text(raw if isinstance(raw, str) else str(raw))


def _list(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    if isinstance(raw, list):
        return tuple(parse_text(item, max_length=200) for item in raw if isinstance(item, str))
    parts = [part.strip() for part in parse_text(raw, max_length=2_000).split(";")]
    return tuple(part for part in parts if part)


def _choice(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    return parse_choice(raw, spec.choices or {}, what=f"the {spec.label} as one")


_PARSERS: Mapping[Type, Callable[[Field, Raw, Program, dt.date], object]] = {
    Type.TEXT: _text,
    Type.LONG_TEXT: _long_text,
    Type.IDENTIFIER: _identifier,
    Type.LICENSE: _license,
    Type.CHOICE: _choice,
    Type.DATE: lambda spec, raw, program, today: parse_date(raw, today=today, time_zone=program.timezone),
    Type.TIME: lambda spec, raw, program, today: parse_time(raw),
    Type.GALLONS: lambda spec, raw, program, today: parse_gallons(raw),
    Type.READING: lambda spec, raw, program, today: parse_reading(raw),
    Type.FRACTION: lambda spec, raw, program, today: parse_fraction(raw),
    Type.YES_NO: lambda spec, raw, program, today: parse_yes_no(raw),
    Type.LIST: _list,
}
