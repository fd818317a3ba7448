"""A row of a file → read values under the contract's field names, and what in it cannot be read."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from reporting.intake.identifiers import ExcelDamage, excel_damage
from reporting.intake.moments import parse_date, parse_time
from reporting.intake.numbers import parse_fraction, parse_gallons, parse_reading
from reporting.intake.sheet import Cell, Row, is_blank
from reporting.intake.signatures import FIELDS_SIGNED, check_signature
from reporting.intake.values import BadValue, Raw, clean_text, parse_text, raw_value
from reporting.intake.words import is_none_word, parse_choice, parse_license, parse_yes_no
from schemas.fields import FIELDS, Field, Type
from schemas.issues import Code, Issue
from schemas.program import Program

PLACE_FIELDS = ("permit_number", "parcel_number", "site_address")
BEYOND = "(beyond the headings "
"""How the name begins under which a row's cells are kept that stand beyond the last heading."""
# Placeholders that office software writes into a field that holds nothing.
_NOTHING = frozenset(Type) - {Type.GALLONS, Type.YES_NO}
_KEEP_NONE = frozenset({"ponding"})
# NUL and half characters: one database keeps them and the other does not.
_UNKEPT = re.compile("[\x00\ud800-\udfff]")
_REMEMBERED = 50_000


@dataclass(frozen=True, kw_only=True)
class ReadRow:
    """One row as read.

    values: by field, empty ones left out. issues: what could not be read. warnings: what to look at. damage: what a
    spreadsheet did to an identifier, by field. cells: the row as it came, heading → text.
    """

    number: int
    pointer: str
    values: Mapping[str, object]
    issues: tuple[Issue, ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    damage: Mapping[str, ExcelDamage] = field(default_factory=dict)
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

    def place(self, issue: Issue) -> Issue:
        """The issue with the row's number and the pointer (RFC 6901) to its field."""
        name = (issue.field or "").replace("~", "~0").replace("/", "~1")
        return issue.at(self.number, f"{self.pointer}/{name}" if name else self.pointer)


def heading_aliases(program: Program) -> Mapping[str, tuple[str, ...]]:
    """Each field with the other names that headings may give it in this program."""
    return {name: program.aliases.get(name, ()) for name in FIELDS}


def keepable(text: str) -> str:
    """A text that both databases can keep: NUL and half characters show as U+FFFD."""
    return _UNKEPT.sub("\ufffd", text)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads the rows of one file. `today`: the county's date of receipt.

    What a text means in a field is found out once: files repeat themselves.
    """

    mapping: Mapping[str, str]
    program: Program
    today: dt.date
    _known: dict[tuple[str, str], object] = field(default_factory=dict)

    def read(self, row: Row) -> ReadRow:
        """One row read field by field; nothing that is wrong stops the rest from being looked at."""
        shown = {heading: keepable(cell.text) for heading, cell in row.cells.items()}
        shown |= {f"{BEYOND}{n})": keepable(text) for n, text in enumerate(row.surplus, 1)}
        if row.fault is not None:
            issue = Issue(code=Code.UNREADABLE_ROW, message=row.fault.message).at(row.number, row.pointer)
            return ReadRow(number=row.number, pointer=row.pointer, values={}, issues=(issue,), cells=shown, raw=row.raw)
        values: dict[str, object] = {}
        issues: list[Issue] = []
        damage: dict[str, ExcelDamage] = {}
        for heading, cell in row.cells.items():
            spec = FIELDS.get(self.mapping.get(heading, ""))
            if spec is None or (cell.fault is None and is_blank(cell.text)):
                continue
            found = self._value(spec, cell)
            if isinstance(found, Issue):
                issues.append(found)
            elif found is not None:
                values[spec.name] = found
                if spec.name in PLACE_FIELDS and spec.type is Type.IDENTIFIER:
                    harm = excel_damage(cell.text, cell.native)
                    damage |= {spec.name: harm} if harm else {}
        if row.surplus:
            issues.append(_shifted(row.surplus))
        warnings = () if any(i.field == "event_type" for i in issues) else _infer_event(values)
        read = ReadRow(
            number=row.number,
            pointer=row.pointer,
            values=values,
            warnings=warnings,
            damage=damage,
            cells=shown,
            raw=row.raw,
        )
        return replace(read, issues=tuple(read.place(i) for i in issues)) if issues else read

    def _value(self, spec: Field, cell: Cell) -> object:
        """The value of a cell, None when it says that there is nothing, or the Issue of what is wrong with it."""
        if cell.native is not None or cell.fault is not None or len(cell.text) > 100:
            return self._parse(spec, cell)
        key = (spec.name, cell.text)
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = self._parse(spec, cell)
        return self._known[key]

    def _parse(self, spec: Field, cell: Cell) -> object:
        if cell.native is None and cell.fault is None and _says_nothing(spec, cell.text):
            return None
        try:
            value = _PARSERS[spec.type](spec, raw_value(cell), self.program, self.today)
        except BadValue as error:
            return Issue(code=error.code, field=spec.name, message=error.message, value=keepable(cell.text[:200]))
        if spec.past_only and isinstance(value, dt.date) and value > self.today:
            message = f"Give a {spec.label} that is not in the future: it was received {self.today}."
            return Issue(code=Code.IN_FUTURE, field=spec.name, message=message, value=keepable(cell.text[:200]))
        return value


def _says_nothing(spec: Field, text: str) -> bool:
    return spec.type in _NOTHING and spec.name not in _KEEP_NONE and text.strip() != "0" and is_none_word(text)


def _shifted(surplus: tuple[str, ...]) -> Issue:
    message = (
        f"Put the row's cells under their headings: {len(surplus)} stand beyond the last one, "
        "often after a comma that is not in quotes."
    )
    return Issue(code=Code.SHIFTED_ROW, message=message, value=keepable("; ".join(surplus)[:200]))


def _infer_event(values: dict[str, object]) -> tuple[Mapping[str, object], ...]:
    """A report that gives gallons and names no type of service is one of pumping; said in the answer."""
    gallons = values.get("gallons_pumped")
    if "event_type" in values or not isinstance(gallons, int) or gallons <= 0:
        return ()
    values["event_type"] = "pumping"
    message = "No type of service was given; gallons were, so it is taken as pumping."
    return ({"field": "event_type", "code": "taken_as_pumping", "message": message, "value": None},)


def _text(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    return parse_text(raw, max_length=200)


def _long_text(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    if spec.name in FIELDS_SIGNED:
        return check_signature(parse_text(raw, max_length=200_000))
    return parse_text(raw, max_length=10_000)  # the notes of a visit are not longer than a page


def _identifier(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    text = parse_text(raw, max_length=100)
    if "\n" in text or "\r" in text:
        raise BadValue("bad_character", "Give one number in this cell, without a line break.")
    return text


def _license(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    parse_license(raw)
    return re.sub(r"(?<=[0-9])\.0$", "", clean_text(raw if isinstance(raw, str) else str(raw)))


def _list(spec: Field, raw: Raw, program: Program, today: dt.date) -> object:
    if isinstance(raw, list):
        if not all(isinstance(item, str) for item in raw):
            raise BadValue("not_text", "Give each as text.")
        return tuple(parse_text(str(item), max_length=200) for item in raw)
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
