"""The programs: which there are, what each asks, and the shape of a report under it."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, call, service
from reporting.api.openapi import Answer, Section
from reporting.api.queries import OnQuery, ReportSchemaQuery
from reporting.api.shapes import ref
from reporting.histories import county_program
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs
from schemas.program import Program, Provision
from schemas.publish import csv_template, json_schema, table_schema
from schemas.template import xlsx_template

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_TEMPLATES: Final = {"csv": (csv_template, "text/csv; charset=utf-8"), "xlsx": (xlsx_template, XLSX)}
SECTION: Final = Section("programs", __name__, description="The law as data: what is asked, where, since when.")


@SECTION.endpoint("/v1/programs", answers={200: Answer(tells="Every program.", schema=ref("Programs"))})
def list_programs(query: dict[str, Any]) -> Response:
    """Every program."""
    programs = [_summary(shipped_program(slug)) for slug in shipped_slugs()]
    return Reply(status=200, body={"programs": programs}).response()


@SECTION.endpoint(
    "/v1/programs/<slug:county>", query=OnQuery, answers={200: Answer(tells="The rules.", schema=ref("Program"))}
)
def show_program(query: dict[str, Any], county: str) -> Response:
    """The rules of one program as they stand on a day, each with its citation."""
    program, day = _program(county, query.get("on"))
    text = program.at(day)
    found: dict[str, list[Provision[Any]]] = {}
    for provision in text.provisions:
        found.setdefault(provision.id, []).append(provision)
    body = {
        **_summary(program),
        "on": day.isoformat(),
        "text": {"name": text.name, "starts_on": text.starts_on.isoformat()},
        "note": program.note,
        "rules": [_rule(provisions) for provisions in found.values()],
        "settings": {name: {"value": s.value, "meaning": s.meaning} for name, s in program.settings.items()},
    }
    return Reply(status=200, body=body).response()


@SECTION.endpoint(
    "/v1/programs/<slug:county>/report-schema",
    query=ReportSchemaQuery,
    answers={
        200: Answer(
            tells="JSON Schema 2020-12, Frictionless Table Schema, or a template to fill in (CSV, XLSX).",
            types=("application/schema+json", "application/json", "text/csv", XLSX),
        )
    },
)
def report_schema(query: dict[str, Any], county: str) -> Response:
    """The shape of a report of one kind under a program, with the section that asks for each field."""
    program, day = _program(county, query.get("on"))
    asked = (program, query["component"], query["event"], day)
    if query["format"] in _TEMPLATES:
        make, kind = _TEMPLATES[query["format"]]
        name = f"{county}-{query['component']}-{query['event']}.{query['format']}"
        response = Response(make(*asked), content_type=kind)
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response
    if query["format"] == "table-schema":
        return Reply(status=200, body=table_schema(*asked)).response()
    response = Reply(status=200, body=json_schema(*asked)).response()
    response.mimetype = "application/schema+json"
    return response


def _program(county: str, asked: dt.date | None) -> tuple[Program, dt.date]:
    """The program with the county's own settings, which may move the dates of its texts, on the day asked about."""
    day = asked or local_date(call().now, shipped_program(county).timezone)
    with service().database.reading(county) as store:
        return county_program(store, county, on=day), day


def _summary(program: Program) -> dict[str, Any]:
    return {
        "county": program.slug,
        "name": program.name,
        "authority": program.authority,
        "governmental_unit": program.governmental_unit,
        "timezone": program.timezone,
        "texts": [{"name": text.name, "starts_on": text.starts_on.isoformat()} for text in program.texts],
    }


def _rule(provisions: list[Provision[Any]]) -> dict[str, Any]:
    rule = provisions[0].rule
    return {
        "id": rule.id,
        "title": rule.title,
        "cite": rule.cite,
        "duty_of": rule.duty_of,
        "filing": rule.filing,
        "pending": rule.pending,
        "note": rule.note,
    }
