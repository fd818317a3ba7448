"""The county asks for verification of a report (SPS 383.55(4)); the business answers; staff closes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response

from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, next_link, own, problem_reply, service
from reporting.api.moments import program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, absent
from reporting.api.queries_records import VerificationsQuery
from reporting.api.shapes import ref
from reporting.errors import DecisionRefused
from reporting.owners import NotTold, Teller, Told
from reporting.store.engine import Store
from reporting.store.facts import load_events
from reporting.store.verifications import page_verifications, verifications_of
from reporting.sweep import assess_now
from reporting.verifications import answer, ask, close, shown

SECTION: Final = Section("verifications", __name__, description="What the county asks to have verified in reports.")
Work = Callable[[Store, Teller, Mapping[str, Any], Mapping[str, object]], Told | NotTold]
_KEPT: Final = {201: Answer(tells="Kept; signed for.", schema=ref("Told"))}
_STALE: Final = {409: "It was asked, answered or closed before, or the Idempotency-Key is in use."}
_COLUMNS: Final = ("service_date", "event_type", "report_ref", "license_number")


@SECTION.endpoint(
    "/v1/<slug:county>/verifications",
    query=VerificationsQuery,
    answers={200: Answer(tells="A page.", schema=ref("Verifications"), headers=("Link",))},
)
def list_verifications(query: dict[str, Any], county: str) -> Response:
    """What was asked of reports: for the county of all, for a business of its own."""
    own_only = None if call().is_staff else call().keyholder.contractor_id or ""
    with service().database.reading(county) as store:
        page = page_verifications(store, query.get("state", ()), query.get("cursor"), query["limit"], own_only)
    rows = [
        {
            "report_id": row["content"]["report"],
            **{name: row[name] for name in _COLUMNS},
            **(seen_verification(row) or {}),
        }
        for row in page.rows
    ]
    return Reply(status=200, body={"verifications": rows}, headers=next_link(page.next_cursor)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/verification",
    answers={200: Answer(tells="What was asked, and what came of it.", schema=ref("Verification"))},
)
def show_verification(query: dict[str, Any], county: str, report_id: str) -> Response:
    """What the county asked of a report last, and the answer."""
    with service().database.reading(county) as store:
        own(load_events(store, [report_id]).get(report_id))
        found = seen_verification(verifications_of(store, [report_id]).get(report_id))
    if found is None:
        raise absent()
    return Reply(status=200, body={"report_id": report_id, **found}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/verification",
    method="POST",
    once=True,
    body=json_body(ref("NewVerification")),
    answers=_KEPT,
    problems=_STALE,
)
def ask_verification(query: dict[str, Any], county: str, report_id: str) -> Response:
    """Ask the business to verify something in its report. The report stands; the business is told."""
    return _change(report_id, ask)


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/verification/answer",
    method="POST",
    once=True,
    body=json_body(ref("VerificationAnswer")),
    answers=_KEPT,
    problems=_STALE,
)
def answer_verification(query: dict[str, Any], county: str, report_id: str) -> Response:
    """The business's word on what was asked; an amendment of the report is an answer too."""
    return _change(report_id, answer)


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/verification/close",
    method="POST",
    once=True,
    body=json_body(ref("VerificationClosing")),
    answers=_KEPT,
    problems=_STALE,
)
def close_verification(query: dict[str, Any], county: str, report_id: str) -> Response:
    """The county is content, answered or not."""
    return _change(report_id, close)


def teller_of(store: Store) -> Teller:
    """The caller as one who tells the county something."""
    program, _today = program_today(store)
    return Teller(program=program, by=call().keyholder.key_id, now=call().now, signer=service().signer)


def _change(report_id: str, work_on: Work) -> Response:
    sent = sent_object()
    values = read_object(sent)

    def work(store: Store) -> Reply:
        report = own(load_events(store, [report_id]).get(report_id))
        teller = teller_of(store)
        try:
            told = work_on(store, teller, report, values)
        except DecisionRefused as refused:
            return problem_reply(Problem(409, "not-verifiable", str(refused)))
        if isinstance(told, NotTold):
            errors = [issue.as_json() for issue in told.issues]
            detail = "Nothing was kept: " + told.issues[0].message
            return problem_reply(Problem(422, "validation", detail, errors=errors))
        if told.system:
            assess_now(store, teller.program, [told.system], teller.today, teller.now)
        body = {"id": report_id, "county": call().tenant, "system": told.system, "receipt": told.receipt.to_json()}
        return Reply(status=201, body=body)

    return change(sent, work)


def _listed(row: Mapping[str, Any]) -> dict[str, Any]:
    report = {"report_id": row["content"]["report"], **{name: row[name] for name in _COLUMNS}}
    return {**report, "service_date": row["service_date"].isoformat(), **(seen_verification(row) or {})}


def seen_verification(fact: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the caller may see of it: the county's own note is for the county."""
    found = shown(fact)
    if found is not None and not call().is_staff:
        found = {name: value for name, value in found.items() if name not in ("note", "answered_by")}
    return found
