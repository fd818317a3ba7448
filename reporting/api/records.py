"""What the record gives out: a system's service record, a business's service log, a county's yearly summary."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from flask import Response

from notifications.letters_pdf import LettersUnavailable
from notifications.records_pdf import record_pdf
from reporting.api.calls import Reply, call, own_business, own_licences, service
from reporting.api.moments import county_today, program_today
from reporting.api.openapi import Answer, Section
from reporting.api.problems import Problem, field_error, unprocessable
from reporting.api.queries import SpanQuery, YearQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.api.visibility import visible_system
from reporting.exports import service_log, service_record, year
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs

SECTION: Final = Section("records", __name__, description="Service records, service logs and yearly summaries.")
_CSV: Final = Answer(tells="A file for a spreadsheet.", schema={"type": "string"}, types=("text/csv",))


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/records",
    query=SpanQuery,
    answers={200: Answer(tells="Every service on record.", schema=ref("ServiceRecord"))},
)
def show_records(query: dict[str, Any], county: str, system_id: str) -> Response:
    """The permanent service record of a system, SPS 383.255(3): any span of time, corrections included.

    A business sees its own services in full, and of other businesses' that the tank was served.
    """
    return Reply(status=200, body=_record(query, system_id)).response()


@SECTION.endpoint("/v1/<slug:county>/systems/<id:system_id>/records.csv", query=SpanQuery, answers={200: _CSV})
def records_csv(query: dict[str, Any], county: str, system_id: str) -> Response:
    """The same as a file for a spreadsheet, one row a service."""
    record = _record(query, system_id)
    name = f"service-record-{county}-{system_id}.csv"
    return csv_response(name, service_record.COLUMNS, record["services"])


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/records.pdf",
    query=SpanQuery,
    answers={
        200: Answer(tells="A document to print or to keep.", schema={"type": "string"}, types=("application/pdf",))
    },
    problems={503: "The typesetter is not installed, or the database is busy."},
)
def records_pdf(query: dict[str, Any], county: str, system_id: str) -> Response:
    """The same as an accessible PDF (PDF/UA-1), the same bytes whenever it is made on a day."""
    record = _record(query, system_id)
    try:
        data = record_pdf(record, shipped_program(county), county_today())
    except LettersUnavailable as error:
        raise Problem(503, "no-typesetter", str(error)) from error
    response = Response(data, mimetype="application/pdf")
    response.headers["Content-Disposition"] = f'attachment; filename="service-record-{county}-{system_id}.pdf"'
    return response


def _record(query: dict[str, Any], system_id: str) -> dict[str, Any]:
    first, last = _span(query)
    with service().database.reading(call().tenant) as store:
        program, today = program_today(store)
        stored = visible_system(store, system_id, today)
        licences = None if call().is_staff or call().own_system else own_licences(store)
    return service_record.service_record(stored, program, first, last, licences=licences)


@SECTION.endpoint("/v1/contractors/me/service-log.csv", query=SpanQuery, answers={200: _CSV})
def service_log_csv(query: dict[str, Any]) -> Response:
    """The business's service log over all counties reported to, in the form of NR 113.11(3)(c).

    Without dates: of the five years for which a log is kept. One row a tank; tanks with one `load_ref` share a load.
    """
    first, last = _span(query)
    business = own_business()
    rows: list[dict[str, Any]] = []
    for county in shipped_slugs():
        program = shipped_program(county)
        today = local_date(call().now, program.timezone)
        start = first or service_log.years_before(today, service_log.YEARS_KEPT)
        with service().database.reading(county) as store:
            rows += service_log.service_log(store, program, business, start, last or today)
    rows.sort(key=lambda row: (row["service_date"], row["county"], row["report_id"]))
    return csv_response("service-log.csv", service_log.COLUMNS, rows)


@SECTION.endpoint(
    "/v1/<slug:county>/summary",
    query=YearQuery,
    answers={200: Answer(tells="The year in numbers.", schema=ref("Summary"))},
)
def show_summary(query: dict[str, Any], county: str) -> Response:
    """The yearly summary of the program's results for the state, SPS 383.255(2)(b)6."""
    return Reply(status=200, body=_summary(query)).response()


@SECTION.endpoint("/v1/<slug:county>/summary.csv", query=YearQuery, answers={200: _CSV})
def summary_csv(query: dict[str, Any], county: str) -> Response:
    """The same as a file for a spreadsheet."""
    summary = _summary(query)
    return csv_response(f"summary-{county}-{summary['year']}.csv", year.COLUMNS, year.summary_rows(summary))


def _summary(query: dict[str, Any]) -> dict[str, Any]:
    asked = query.get("year") or county_today().year - 1
    with service().database.reading(call().tenant) as store:
        program, today = program_today(store)
        if asked > today.year:
            message = f"The year {asked} has not begun: give one up to {today.year}."
            raise unprocessable(message, [{**field_error("year", "bad_value", message), "pointer": ""}], "query")
        return year.yearly_summary(store, program, asked, today)


def _span(query: dict[str, Any]) -> tuple[dt.date | None, dt.date | None]:
    first, last = query.get("from"), query.get("to")
    if first and last and first > last:
        message = f"`from` ({first}) lies after `to` ({last}): give them the other way round."
        raise unprocessable(message, [{**field_error("from", "bad_value", message), "pointer": ""}], "query")
    return first, last
