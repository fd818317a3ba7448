"""Reporting periods: who reported for a half-year or a year, and who did not."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, next_link, service
from reporting.api.moments import program_today
from reporting.api.openapi import Answer, Section
from reporting.api.problems import field_error, unprocessable
from reporting.api.queries_records import PeriodsQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.exports.periods import COLUMNS, PERIOD, all_periods, period_page, periods_asked
from reporting.store.engine import Store
from schemas.program import Program

SECTION: Final = Section("periods", __name__, description="Half-years and years: who reported, who did not.")


@SECTION.endpoint(
    "/v1/<slug:county>/periods",
    query=PeriodsQuery,
    answers={200: Answer(tells="A page.", schema=ref("Periods"), headers=("Link",))},
)
def list_periods(query: dict[str, Any], county: str) -> Response:
    """Each tank of which a report is asked for the period: reported, stated why not, missing, or not judged.

    A page is of so many systems (`limit`); those that owe no such report, or stand otherwise than asked, have no row.
    """
    with service().database.reading(county) as store:
        program, today, name = _asked(store, query)
        rows, cursor = period_page(store, program, name, today, query.get("cursor"), query["limit"])
    wanted = [row for row in rows if not query.get("state") or row["state"] in query["state"]]
    body = {"period": name, "periods": wanted}
    return Reply(status=200, body=body, headers=next_link(cursor)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/periods.csv",
    query=PeriodsQuery,
    answers={200: Answer(tells="The whole list.", schema={"type": "string"}, types=("text/csv",))},
)
def periods_csv(query: dict[str, Any], county: str) -> Response:
    """The same list as a file for a spreadsheet, whole: `limit` and `cursor` do nothing here."""
    with service().database.reading(county) as store:
        program, today, name = _asked(store, query)
        rows = list(all_periods(store, program, name, today, query.get("state", ())))
    return csv_response(f"periods-{county}-{name}.csv", COLUMNS, rows)


def _asked(store: Store, query: dict[str, Any]) -> tuple[Program, dt.date, str]:
    """The program, today, and the period asked for; else a problem that says which there are."""
    program, today = program_today(store)
    name = query.get("period")
    if name is not None and not re.fullmatch(PERIOD, name):
        message = "Give a year, or a half of one: 2026 or 2026-H1."
        raise unprocessable(message, [{**field_error("period", "bad_value", message), "pointer": ""}], "query")
    year = int(name[:4]) if name else today.year - 1
    known = periods_asked(program, year)
    if name is None and known:
        return program, today, known[-1]
    if name not in known:
        there = f"for {year} there are: {', '.join(known)}" if known else f"no text asks for any in {year}"
        message = f"This county asks for no report of {name or 'such a period'}; {there}."
        raise unprocessable(message, [{**field_error("period", "bad_value", message), "pointer": ""}], "query")
    return program, today, name
