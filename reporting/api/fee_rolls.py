"""The fee roll of a year: run once and again, looked at, and given out for the tax bill."""

from __future__ import annotations

import re
from typing import Any, Final

from flask import Response

from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, address, next_link, problem_reply, service
from reporting.api.members import count_member, refuse_unknown
from reporting.api.moments import program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, absent, field_error, unprocessable
from reporting.api.queries import NoQuery, PageQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.api.verifications import teller_of
from reporting.fees.bills import BILL_COLUMNS, all_bills, bill_page, bills_xlsx, in_dollars
from reporting.fees.rolls import run_roll
from reporting.owners import NotTold
from reporting.store.engine import Store

SECTION: Final = Section("fee_rolls", __name__, description="The fee roll of a year, and the tax bill.")
SHOWN: Final = 1_000
"""Lines in the answer to a roll that was run; all of them are at its address."""
_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_ADDRESS: Final = "/v1/<slug:county>/fees/rolls"


@SECTION.endpoint(
    _ADDRESS,
    method="POST",
    once=True,
    body=json_body(ref("NewFeeRoll")),
    answers={
        200: Answer(tells="A dry run: this is what would be charged.", schema=ref("FeeRoll")),
        201: Answer(tells="Every system is charged, or free and why.", schema=ref("FeeRoll")),
    },
)
def make_roll(query: dict[str, Any], county: str) -> Response:
    """Charge every system the yearly fee of a year, and fees due once that it was never charged; again it adds nothing.

    The first thousand lines are in the answer, all of them at the address that it names.
    """
    sent = sent_object()
    values = read_object(sent)
    refuse_unknown(values, "year", "dry_run")
    if "year" not in values or values.get("dry_run") not in (None, True, False):
        name = "dry_run" if "year" in values else "year"
        message = "Give true or false." if name == "dry_run" else "Give the calendar year of the roll, such as 2026."
        raise unprocessable(message, [field_error(name, "required" if name == "year" else "bad_value", message)])
    year, dry = count_member(values, "year", 1900, 2199, 0), bool(values.get("dry_run"))

    def work(store: Store) -> Reply:
        roll = run_roll(store, teller_of(store), year, dry_run=dry)
        if isinstance(roll, NotTold):
            errors = [issue.as_json() for issue in roll.issues]
            return problem_reply(Problem(422, "validation", roll.issues[0].message, errors=errors))
        lines = [line.as_json() for line in roll.lines[:SHOWN]]
        body = {"county": county, "year": year, "dry_run": dry, "totals": roll.totals(), "lines": lines}
        return Reply(status=200 if dry else 201, body={**body, "all": address("fees", "rolls", str(year))})

    return change(sent, work)


@SECTION.endpoint(
    f"{_ADDRESS}/<id:year>",
    query=PageQuery,
    answers={200: Answer(tells="A page.", schema=ref("FeeBills"), headers=("Link",))},
)
def show_roll(query: dict[str, Any], county: str, year: str) -> Response:
    """A year's roll as it stands, in cents: what each system was charged for it, paid and has left, or why it is free.

    A page is of so many systems (`limit`).
    """
    number = _year(year)
    with service().database.reading(county) as store:
        program, today = program_today(store)
        rows, cursor = bill_page(store, program, number, today, query.get("cursor"), query["limit"])
    return Reply(
        status=200, body={"county": county, "year": number, "rows": rows}, headers=next_link(cursor)
    ).response()


@SECTION.endpoint(
    f"{_ADDRESS}/<id:year>.csv",
    query=NoQuery,
    answers={200: Answer(tells="The whole roll.", schema={"type": "string"}, types=("text/csv",))},
)
def roll_csv(query: dict[str, Any], county: str, year: str) -> Response:
    """The same for the tax bill: parcel, owner, legal description, charged, paid and left in dollars, section."""
    name, rows = _whole(county, _year(year))
    return csv_response(f"{name}.csv", BILL_COLUMNS, in_dollars(rows))


@SECTION.endpoint(
    f"{_ADDRESS}/<id:year>.xlsx",
    query=NoQuery,
    answers={200: Answer(tells="The whole roll.", schema={"type": "string"}, types=(_XLSX,))},
)
def roll_xlsx(query: dict[str, Any], county: str, year: str) -> Response:
    """The same as a workbook, with the sums."""
    name, rows = _whole(county, _year(year))
    response = Response(bills_xlsx(name, rows), content_type=_XLSX)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.xlsx"'
    return response


def _whole(county: str, year: int) -> tuple[str, list[dict[str, Any]]]:
    with service().database.reading(county) as store:
        program, today = program_today(store)
        return f"fee-roll-{county}-{year}", list(all_bills(store, program, year, today))


def _year(text: str) -> int:
    if not re.fullmatch("(19|20|21)[0-9]{2}", text, re.ASCII):
        raise absent()
    return int(text)
