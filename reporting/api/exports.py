"""The county's reports as one file, for a records request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.calls import call, service
from reporting.api.openapi import Answer, Section
from reporting.api.problems import field_error, unprocessable
from reporting.api.queries import RequestedQuery
from reporting.api.sheets import streamed_csv
from reporting.exports.requested import KEPT_BACK, SIGNATURES, requested_rows
from reporting.store.engine import Database
from reporting.store.log import head
from reporting.store.requested import PAGE, requested_reports

SECTION: Final = Section("exports", __name__, description="Files for records requests.")
_CSV: Final = Answer(
    tells="The whole file, as it comes. `Left-Out` names the columns that are kept back.",
    schema={"type": "string"},
    types=("text/csv",),
    headers=("Content-Disposition", "Left-Out"),
)
_NONE: Final = "none"


@SECTION.endpoint("/v1/<slug:county>/reports.csv", query=RequestedQuery, answers={200: _CSV})
def reports_csv(query: dict[str, Any], county: str) -> Response:
    """All reports of a span of service dates as they stand, for a records request (Wis. Stat. 19.35(1)).

    Without `redacted=false`, what says who an owner is, how to reach them and how to get in is left out, as are notes
    and images of signatures (19.36(6)); a place that held something says so.
    """
    first, last, redacted = query.get("from"), query.get("to"), query["redacted"]
    if first and last and first > last:
        message = f"`from` ({first}) lies after `to` ({last}): give them the other way round."
        raise unprocessable(message, [{**field_error("from", "bad_value", message), "pointer": ""}], "query")
    rows = _rows(service().database, call().tenant, first, last)
    name = f"reports-{county}-{'redacted' if redacted else 'full'}.csv"
    response = streamed_csv(name, requested_rows(rows, redacted=redacted))
    left_out = [*KEPT_BACK, *(f"{column} (images)" for column in SIGNATURES)] if redacted else [_NONE]
    response.headers["Left-Out"] = ", ".join(left_out)
    return response


def _rows(database: Database, county: str, first: Any, last: Any) -> Iterator[Mapping[str, Any]]:
    """Page by page, each in a transaction of its own, all as it was when the first was read."""
    at_seq, after = None, None
    while True:
        with database.reading(county) as store:
            at_seq = head(store).size if at_seq is None else at_seq
            page = requested_reports(store, at_seq, first, last, after)
        yield from page
        if len(page) < PAGE:
            return
        after = page[-1]["id"]
