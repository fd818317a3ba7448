"""A county's cases: what proposes one, opened, taken further, listed with their deadlines, each with its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, next_link, service
from reporting.api.moments import program_today
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, absent, field_error, unprocessable
from reporting.api.queries import PageQuery
from reporting.api.queries_records import CasesQuery, HoldQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.api.telling import tell
from reporting.cases.holds import permit_hold
from reporting.cases.proposals import confirm, dismiss, open_proposals, show_proposals
from reporting.cases.rows import COLUMNS, all_rows, case_page, list_page
from reporting.cases.steps import open_case, step_case
from reporting.errors import DecisionRefused, RecordNotFound
from reporting.owners import NotTold, Teller, Told
from reporting.store.engine import Store
from reporting.store.paging import cut_page
from reporting.store.services import system_of_fact

SECTION: Final = Section("cases", __name__, description="What the county pursues; nothing is decided by itself.")
_SIGNED: Final = {201: Answer(tells="Kept; signed for.", schema=ref("Told"))}
_DECIDED: Final = {409: "It was confirmed or dismissed before, or the Idempotency-Key is in use."}
_CSV: Final = Answer(tells="A file for a spreadsheet.", schema={"type": "string"}, types=("text/csv",))


@SECTION.endpoint(
    "/v1/<slug:county>/cases",
    query=CasesQuery,
    answers={200: Answer(tells="A page, newest first.", schema=ref("Cases"), headers=("Link",))},
)
def list_cases(query: dict[str, Any], county: str) -> Response:
    """The county's cases, newest first; each with the duties of its system that it has opened."""
    with service().database.reading(county) as store:
        program, today = program_today(store)
        page = list_page(store, program, query, query.get("cursor"), query["limit"], today)
    body = {"county": county, "cases": page.rows}
    return Reply(status=200, body=body, headers=next_link(page.next_cursor)).response()


@SECTION.endpoint("/v1/<slug:county>/cases.csv", query=CasesQuery, answers={200: _CSV})
def cases_csv(query: dict[str, Any], county: str) -> Response:
    """The same list whole: with `?open=true&overdue=true` the legal action list. `limit` and `cursor` do nothing."""
    with service().database.reading(county) as store:
        program, today = program_today(store)
        rows = list(all_rows(store, program, query, today))
    return csv_response(f"cases-{county}.csv", COLUMNS, rows)


@SECTION.endpoint("/v1/<slug:county>/cases", method="POST", once=True, body=json_body(ref("NewCase")), answers=_SIGNED,
                  problems=_DECIDED)  # fmt: skip
def new_case(query: dict[str, Any], county: str) -> Response:
    """Open a case about a system (its kind, the days of the steps already taken), or confirm a `proposal`."""

    def keep(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
        return (confirm if "proposal" in values else open_case)(store, teller, values)

    return tell(_decided(keep))


@SECTION.endpoint(
    "/v1/<slug:county>/cases/proposals",
    query=PageQuery,
    answers={200: Answer(tells="A page, by system.", schema=ref("CaseProposals"), headers=("Link",))},
)
def list_proposals(query: dict[str, Any], county: str) -> Response:
    """What calls for a case or for a step of one, with its evidence; staff confirm it or dismiss it."""
    with service().database.reading(county) as store:
        program, today = program_today(store)
        found = open_proposals(store, program, today)
        page, cursor = cut_page(found, lambda one: one.place, query.get("cursor"), query["limit"])
        rows = show_proposals(store, program, page)
    return Reply(status=200, body={"county": county, "proposals": rows}, headers=next_link(cursor)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/cases/proposals/<id:proposal_key>/dismissal",
    method="POST",
    once=True,
    body=json_body(ref("ProposalDismissal")),
    answers=_SIGNED,
    problems=_DECIDED,
)
def dismiss_proposal(query: dict[str, Any], county: str, proposal_key: str) -> Response:
    """Say that a proposal is no case, and why; it is not proposed again for the same cause."""

    def keep(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
        return dismiss(store, teller, proposal_key, values)

    return tell(_decided(keep))


@SECTION.endpoint(
    "/v1/<slug:county>/cases/<id:case_id>",
    answers={200: Answer(tells="The case with its history.", schema=ref("Case"))},
)
def show_case(query: dict[str, Any], county: str, case_id: str) -> Response:
    """One case: what it asks for, every step with its day and who entered it, what was mailed about it."""
    with service().database.reading(county) as store:
        program, today = program_today(store)
        body = case_page(store, program, case_system(store, case_id), case_id, today)
    return Reply(status=200, body=body).response()


@SECTION.endpoint(
    "/v1/<slug:county>/cases/<id:case_id>/steps",
    method="POST",
    once=True,
    body=json_body(ref("CaseSteps")),
    answers=_SIGNED,
)
def further_step(query: dict[str, Any], county: str, case_id: str) -> Response:
    """Add to a case: days of further steps, notes, an answer, more time, a waiver; as it was stays known."""

    def step(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
        return step_case(store, teller, case_system(store, case_id), case_id, values)

    return tell(step)


@SECTION.endpoint(
    "/v1/<slug:county>/permit-hold",
    query=HoldQuery,
    answers={200: Answer(tells="Whether, by which rule, and why.", schema=ref("PermitHold"))},
)
def show_permit_hold(query: dict[str, Any], county: str) -> Response:
    """Are permits withheld: for a parcel (or by a permit on it) and its owner, for a licensed contractor?"""
    asked = {name: query.get(name) for name in ("parcel", "permit", "license")}
    if not any(asked.values()):
        message = "Give a parcel, a permit or a license."
        raise unprocessable(message, [{**field_error("parcel", "required", message), "pointer": ""}], "query")
    with service().database.reading(county) as store:
        program, today = program_today(store)
        body = permit_hold(
            store, program, today, parcel=asked["parcel"], permit=asked["permit"], license_number=asked["license"]
        )
    return Reply(status=200, body=body).response()


def case_system(store: Store, case_id: str) -> str:
    """The system that a case of the county is about; else the same 404 as for every absent thing."""
    system = system_of_fact(store, "case", case_id)
    if system is None:
        raise absent()
    return system


Keep = Callable[[Store, Teller, Mapping[str, object]], Told | NotTold]


def _decided(keep: Keep) -> Keep:
    """What somebody has decided before is a conflict, and a key that proposes nothing is absent."""

    def decide(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
        try:
            return keep(store, teller, values)
        except DecisionRefused as refused:
            raise Problem(409, "already-decided", str(refused)) from refused
        except RecordNotFound as missing:
            raise absent() from missing

    return decide
