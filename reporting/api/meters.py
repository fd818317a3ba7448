"""Water meters: what was metered and pumped between emptyings, readings, peaks, the forecast."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, call, service
from reporting.api.moments import county_today, program_at
from reporting.api.openapi import Answer, Section
from reporting.api.queries_records import AsOfQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.api.visibility import visible_system
from reporting.exports.meters import COLUMNS, meter_tables
from reporting.histories import read_domain
from reporting.licences import load_licences

SECTION: Final = Section("meters", __name__, description="Water meters of holding tanks.")


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/meters",
    query=AsOfQuery,
    answers={200: Answer(tells="A table for each holding tank.", schema=ref("Meters"))},
)
def show_meters(query: dict[str, Any], county: str, system_id: str) -> Response:
    """What the meters say of each holding tank: interval, metered, pumped, ratio, finding; readings; the forecast."""
    tanks = _tanks(query, system_id)
    return Reply(status=200, body={"county": county, "system": system_id, "tanks": tanks}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/meters.csv",
    query=AsOfQuery,
    answers={200: Answer(tells="A file for a spreadsheet.", schema={"type": "string"}, types=("text/csv",))},
)
def meters_csv(query: dict[str, Any], county: str, system_id: str) -> Response:
    """The intervals between emptyings as a file for a spreadsheet, one row each."""
    rows = [row for tank in _tanks(query, system_id) for row in tank["intervals"]]
    return csv_response(f"meters-{county}-{system_id}.csv", COLUMNS, rows)


def _tanks(query: dict[str, Any], system_id: str) -> list[dict[str, Any]]:
    """The tables; a business is not shown which reports of others they are made of."""
    today = county_today()
    day = query.get("as_of") or today
    with service().database.reading(call().tenant) as store:
        stored = visible_system(store, system_id, today)
        program = program_at(store, day, None)
        licences = load_licences(store, program, [stored])
        tanks = meter_tables(*read_domain(stored, licences, as_of=day), program, day)
    if call().is_staff or call().own_system is not None:
        return tanks
    mine = {row["id"] for row in stored.events if call().owns(row)}
    for row in (row for tank in tanks for row in (*tank["intervals"], *tank["readings"])):
        row["report_id"] = row["report_id"] if row["report_id"] in mine else None
    return tanks
