"""Systems on pages: the list with its filters, and one with everything that the county has on file of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import call, service
from reporting.api.fees import show_statement
from reporting.api.meters import show_meters
from reporting.api.moments import county_today, program_today
from reporting.api.problems import Problem
from reporting.api.queries import SystemsQuery
from reporting.api.queries_records import AsOfQuery
from reporting.api.records import show_records
from reporting.api.systems import list_systems, show_system, show_system_status
from reporting.domain.answers import Standing
from reporting.domain.ledger import EntryKind, dollars
from reporting.store.cases import mailed_about
from reporting.web.asking import Told, ask, in_own_county, query_of
from reporting.web.desk_changes import system_changes
from reporting.web.desk_system_charts import meter_charts, pumped_chart
from reporting.web.desk_timeline import timeline
from reporting.web.desk_views import listed
from reporting.web.desk_words import render_desk
from reporting.web.rendering import words

FIELDS: Final = {
    "permit": "Permit number",
    "parcel": "Parcel number",
    "q": "Piece of a permit, parcel or address",
    "municipality": "Town",
    "contractor": "Licence of the designated business",
}


@in_own_county
def show_systems() -> AnyResponse:
    """Systems by what the address asks, a page at a time."""
    found = ask(list_systems, query_of(SystemsQuery))
    return render_desk(
        "systems",
        systems=found.body["systems"],
        more=found.more,
        asked=request.args,
        listed=listed("systems"),
        fields=list(FIELDS.items()),
        standings=[(one.value, words(one)) for one in Standing],
        narrowed=any(request.args.get(name) for name in (*FIELDS, "standing")),
    )


@in_own_county
def show_one_system(system_id: str) -> AnyResponse:
    """One system on a day: how it stands and by which rules, what happened, what is on file."""
    system = ask(show_system, system_id=system_id).body
    query, told = _day_asked()
    try:
        status = ask(show_system_status, query, system_id=system_id).body
    except Problem as problem:
        if not query or problem.status != 404:
            raise
        told = Told(status=404, summary=f"This system was not known on {query['as_of']}.", errors={})
        query, status = {}, ask(show_system_status, system_id=system_id).body
    with service().database.reading(call().tenant) as store:
        program, _today = program_today(store)
        events = timeline(store, program, system)
        changes = system_changes(store, program, system_id)
        mailed = mailed_about(store, system_id)
    day = date.fromisoformat(status["as_of"])
    tanks = ask(show_meters, query, system_id=system_id).body["tanks"]
    services = ask(show_records, {"to": day}, system_id=system_id).body["services"]
    return render_desk(
        "system",
        status=told.status if told else 200,
        system=system,
        judged=status,
        today=county_today(),
        told=told,
        values={"as_of": request.args.get("as_of") or status["as_of"]},
        events=events,
        meters=[tank for tank in tanks if tank["intervals"]],
        charts=[*meter_charts(tanks), *filter(None, [pumped_chart(services)])],
        changes=changes,
        reports=[row for row in services if row.get("source") != "inventory" and row["report_id"]][::-1],
        mailed=mailed[::-1],
        charges=_charges(ask(show_statement, system_id=system_id).body),
        cases=system["facts"].get("case", []),
        papers=system["facts"].get("document", []),
        other_facts=_others(system["facts"]),
    )


def _day_asked() -> tuple[dict[str, Any], Told | None]:
    """The day that the address asks about; a day that is none is told at its field."""
    try:
        return query_of(AsOfQuery), None
    except Problem as problem:
        return {}, Told(status=422, summary=problem.detail, errors={"as_of": str(problem.errors[0]["message"])})


def _charges(account: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The charges with their sums in dollars."""
    names = ("charged", "paid", "left")
    return [{**row, **{name: dollars(row[name] or 0) for name in names}} for row in account["charges"]]


def _others(facts: Mapping[str, Any]) -> dict[str, int]:
    """How many facts of the other kinds are on file."""
    shown = {"case", "document", *EntryKind}
    return {kind: len(rows) for kind, rows in sorted(facts.items()) if rows and kind not in shown}
