"""A report's schema for other programs and people: JSON Schema 2020-12, Frictionless Table Schema, and a CSV
template.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterable, Mapping

from schemas.fields import FIELDS, Field, Type
from schemas.program import Program
from schemas.report import ALWAYS, Requirement, Traits, requirements

JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"

_JSON_TYPES: Mapping[Type, Mapping[str, object]] = {
    Type.DATE: {"type": "string", "format": "date"},
    Type.TIME: {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?$"},
    Type.GALLONS: {"type": "integer", "minimum": 0},
    Type.READING: {"type": ["number", "string"], "pattern": "^[0-9]+(\\.[0-9]+)?$", "minimum": 0},
    Type.FRACTION: {"type": ["number", "string"], "minimum": 0, "maximum": 1, "pattern": "^[0-9./%]+$"},
    Type.YES_NO: {"type": "boolean"},
    Type.LIST: {"type": "array", "items": {"type": "string"}},
}
_TABLE_TYPES: Mapping[Type, str] = {
    Type.DATE: "date",
    Type.TIME: "time",
    Type.GALLONS: "integer",
    Type.READING: "number",
    Type.YES_NO: "boolean",
}


def asked(
    program: Program, component: str, event: str, day: dt.date, traits: Traits | None = None
) -> tuple[Requirement, ...]:
    """What a program asks of such a report on a day."""
    return requirements(program.at(day), component, event, day, traits or Traits())


def json_schema(
    program: Program, component: str, event: str, day: dt.date, traits: Traits | None = None
) -> dict[str, object]:
    """The report as JSON Schema 2020-12; each condition names in `$comment` the section that asks for it."""
    wanted = asked(program, component, event, day, traits)
    properties = {name: _property(field) for name, field in FIELDS.items()}
    properties["event_type"] = {**properties["event_type"], "const": event}
    if component:
        properties["component"] = {**properties["component"], "const": component}
    schema: dict[str, object] = {
        "$schema": JSON_SCHEMA,
        "title": f"{program.name}: {event.replace('_', ' ')} report, {component or 'any component'}",
        "description": f"{program.authority}, text {program.at(day).name}",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [n for n in FIELDS if n in {*ALWAYS, *(f for r in wanted if not r.with_field for f in r.fields)}],
        "x-citations": {f: r.cite for r in wanted for f in (*r.fields, *(n for names in r.any_of for n in names))},
    }
    conditions = [
        {"anyOf": [{"required": list(names)} for names in r.any_of], "$comment": r.cite} for r in wanted if r.any_of
    ]
    if conditions:
        schema["allOf"] = conditions
    together: dict[str, list[str]] = {}
    for r in wanted:
        if r.with_field:
            together.setdefault(r.with_field, []).extend(r.fields)
    if together:
        schema["dependentRequired"] = together
    return schema


def _property(field: Field) -> dict[str, object]:
    found: dict[str, object] = {"title": field.label[0].upper() + field.label[1:], "description": field.help}
    if field.choices is not None:
        return {**found, "type": "string", "enum": list(dict.fromkeys(field.choices.values()))}
    return {**found, **_JSON_TYPES.get(field.type, {"type": "string", "minLength": 1})}


def table_schema(
    program: Program, component: str, event: str, day: dt.date, traits: Traits | None = None
) -> dict[str, object]:
    """The columns of such a file as Frictionless Table Schema; `cite` names the section that asks for a column."""
    wanted = asked(program, component, event, day, traits)
    needed = {*ALWAYS, *(f for r in wanted if not r.with_field for f in r.fields)}
    cites = {f: r.cite for r in wanted for f in (*r.fields, *(n for names in r.any_of for n in names))}
    columns = [_column(field, name in needed, cites.get(name)) for name, field in FIELDS.items()]
    return {
        "fields": columns,
        "missingValues": [""],
        "description": f"{program.name}: {event.replace('_', ' ')} reports",
    }


def _column(field: Field, needed: bool, cite: str | None) -> dict[str, object]:
    constraints: dict[str, object] = {"required": needed}
    if field.choices is not None:
        constraints["enum"] = list(dict.fromkeys(field.choices.values()))
    column: dict[str, object] = {
        "name": field.name,
        "title": field.label,
        "description": field.help,
        "type": _TABLE_TYPES.get(field.type, "string"),
        "constraints": constraints,
    }
    return {**column, "cite": cite} if cite else column


def csv_template(program: Program, component: str, event: str, day: dt.date, traits: Traits | None = None) -> bytes:
    """An empty file with the headings that such a report needs, the needed ones first, with BOM and CRLF for Excel
    (RFC 4180).
    """
    out = io.StringIO()
    headings = template_headings(asked(program, component, event, day, traits))
    csv.writer(out, lineterminator="\r\n").writerow(headings)
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8")


def template_headings(wanted: Iterable[Requirement]) -> list[str]:
    """Every field as a heading, those that a report needs first."""
    first = {
        *ALWAYS,
        "report_ref",
        *(f for r in wanted for f in (*r.fields, *(n for names in r.any_of for n in names))),
    }
    return [n for n in FIELDS if n in first] + [n for n in FIELDS if n not in first]
