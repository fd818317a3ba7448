"""One report: sent, seen, amended, taken back, and its receipt."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Response

from reporting.api.bodies import limits, members, read_object, reason_of, sent_object
from reporting.api.calls import Reply, address, call, own, problem_reply, service
from reporting.api.moments import instant, program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, encode_bytes, field_error, unprocessable
from reporting.api.queries import ReceivedQuery, read_day
from reporting.api.shapes import ref
from reporting.api.verifications import seen_verification, teller_of
from reporting.intake.accept import Options, Upload, submit
from reporting.intake.amend import amend, void
from reporting.intake.answer import Refused, RowAnswer
from reporting.intake.judging import Outcome
from reporting.receipts import Receipt, stored_receipt
from reporting.store.derived import findings_of
from reporting.store.engine import Store
from reporting.store.facts import load_events
from reporting.store.reviews import standing_versions
from reporting.store.signing import checkpoint_note
from reporting.store.verifications import verifications_of
from reporting.sweep import assess_now
from reporting.verifications import REQUESTED, follow

SECTION: Final = Section("reports", __name__, description="Single reports; nothing is ever overwritten.")
_CREATED: Final = Answer(tells="Taken; signed for.", schema=ref("ReportAnswer"), headers=("Location",))


@SECTION.endpoint(
    "/v1/<slug:county>/reports",
    method="POST",
    query=ReceivedQuery,
    once=True,
    body=json_body(ref("NewReport")),
    answers={201: _CREATED},
)
def submit_report(query: dict[str, Any], county: str) -> Response:
    """Send one report. A report of a system that is not in the inventory is kept and queued, never refused.

    The county's staff gives the day of receipt or postmark of a paper report (`received_on`, here or in the body).
    """
    if query and not call().is_staff:
        raise Problem(403, "forbidden", "Only the county's own keys may say when a report was received.")
    return take_report(received_on=query.get("received_on"))


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>", answers={200: Answer(tells="The report.", schema=ref("Report"))}
)
def show_report(query: dict[str, Any], county: str, report_id: str) -> Response:
    """One report as it was sent, what it was taken for, and whether it still stands."""
    with service().database.reading(county) as store:
        return Reply(status=200, body=seen_report(store, report_id)).response()


def seen_report(store: Store, report_id: str) -> dict[str, Any]:
    """A report that the caller may see, as `Report` shows it; else the same 404 as if there were none."""
    event = own(load_events(store, [report_id]).get(report_id))
    stands = standing_versions(store, [report_id])[report_id]
    asked = verifications_of(store, [report_id]).get(report_id)
    findings = findings_of(store, [event["system"]])[event["system"]] if event["system"] else []
    body = _report(event, [finding for finding in findings if finding["event"] == report_id])
    if asked is not None:
        body["verification"] = seen_verification(asked)
        if body["state"] == "stands" and asked["content"]["state"] == REQUESTED:
            body["state"] = "verification_requested"
    if stands is not None and stands["id"] != report_id:
        body["replaced_by"] = stands["id"]
    return body


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/amendments",
    method="POST",
    once=True,
    body=json_body(ref("Amendment")),
    answers={201: _CREATED},
    problems={409: "The report was amended or voided before, or the Idempotency-Key is in use."},
)
def amend_report(query: dict[str, Any], county: str, report_id: str) -> Response:
    """Correct some fields of a report (`null` empties one). The corrected report supersedes the first."""
    sent = sent_object()
    body = members(read_object(sent), "reason", "changes")
    changes = body["changes"]
    if not isinstance(changes, dict) or not changes:
        message = "Give an object with the fields to correct and their right values."
        raise unprocessable(message, [field_error("changes", "bad_value", message)])
    return change(sent, amending(report_id, changes, reason_of(body)))


def amending(report_id: str, changes: Mapping[str, Any], reason: str) -> Callable[[Store], Reply]:
    """What corrects a report of the caller's, for `change`; also for its page."""

    def work(store: Store) -> Reply:
        own(load_events(store, [report_id]).get(report_id))
        program, _today = program_today(store)
        row = amend(store, program, call().sender, report_id, changes, reason, call().now, service().signer)
        if row.outcome is Outcome.REJECTED:
            return _rejected(row, {})
        _follow(store, report_id, str(row.report_id))
        _assess(store, report_id, str(row.report_id))
        return _created(store, row, {"supersedes": report_id, "received_at": instant(call().now)})

    return work


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/void",
    method="POST",
    once=True,
    body=json_body(ref("Void")),
    answers={200: Answer(tells="Taken back; signed for.", schema=ref("Told"))},
    problems={409: "The report was amended or voided before, or the Idempotency-Key is in use."},
)
def void_report(query: dict[str, Any], county: str, report_id: str) -> Response:
    """Take a report back, as if it had never been; the record keeps that it was sent, and why it was taken back."""
    sent = sent_object()
    return change(sent, voiding(report_id, reason_of(members(read_object(sent), "reason"))))


def voiding(report_id: str, reason: str) -> Callable[[Store], Reply]:
    """What takes a report of the caller's back, for `change`; also for its page."""

    def work(store: Store) -> Reply:
        own(load_events(store, [report_id]).get(report_id))
        receipt = void(store, call().sender, report_id, reason, call().now, service().signer)
        _follow(store, report_id, None)
        _assess(store, report_id)
        return Reply(status=200, body={"id": report_id, "county": call().tenant, "receipt": receipt.to_json()})

    return work


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/receipt",
    answers={200: Answer(tells="The receipt, for `pumper verify`.", schema=ref("Receipt"))},
)
def show_receipt(query: dict[str, Any], county: str, report_id: str) -> Response:
    """The whole receipt: the entry's hash in the county's record, under a signed head."""
    with service().database.reading(county) as store:
        event = own(load_events(store, [report_id]).get(report_id))
        receipt = stored_receipt(store, event["seq"])
    return Reply(status=200, body={**receipt.to_json(), "checkpoint": checkpoint_note(receipt.head)}).response()


def take_report(event_type: str | None = None, received_on: dt.date | None = None) -> Response:
    """One report from the body of the call; `event_type`: what it is unless it says so itself, and nothing else.

    received_on: of a paper report that staff enters, which may give it in the body instead.
    """
    sent = sent_object()
    values = read_object(sent)
    if call().is_staff and "received_on" in values:
        received_on = read_day("received_on", values.pop("received_on"))
        sent = replace(sent, upload=replace(sent.upload, data=encode_bytes(values)))
    if event_type and values.setdefault("event_type", event_type) != event_type:
        message = f"Leave out event_type, or give {event_type}."
        raise unprocessable(message, [field_error("event_type", "not_a_choice", message, values["event_type"])])
    upload = sent.upload if event_type is None else replace(sent.upload, data=encode_bytes(values))
    return change(sent, taking(upload, received_on))


def taking(upload: Upload, received_on: dt.date | None = None) -> Callable[[Store], Reply]:
    """What takes one report, a JSON object, in the caller's name, for `change`; also for its page."""

    def work(store: Store) -> Reply:
        program, _today = program_today(store)
        options = Options(strict=True, received_on=received_on, limits=limits())
        taken = submit(store, program, call().sender, upload, call().now, service().signer, options)
        if isinstance(taken, Refused):
            return problem_reply(Problem(taken.status, taken.code.replace("_", "-"), taken.detail))
        row = taken.outcomes[0]
        if row.outcome is Outcome.REJECTED:
            return _rejected(row, {"submission": taken.id})
        if row.outcome is Outcome.ACCEPTED:
            _assess(store, str(row.report_id))
        return _created(store, row, {"submission": taken.id, "received_at": instant(taken.received_at)})

    return work


def _assess(store: Store, *reports: str) -> None:
    """Judge the systems of these reports now, so that the answer and the county's lists agree at once."""
    systems = {event["system"] for event in load_events(store, reports).values() if event["system"]}
    program, today = program_today(store)
    assess_now(store, program, sorted(systems), today, call().now)


def _follow(store: Store, former: str, amended: str | None) -> None:
    """What a change of a report means for the verification that was asked of it."""
    report = load_events(store, [amended])[amended] if amended else None
    follow(store, teller_of(store), former, report)


def _created(store: Store, row: RowAnswer, more: Mapping[str, Any]) -> Reply:
    """201 for a report that is in; a second copy names the first and shows its receipt."""
    report_id = str(row.report_id)
    receipt = row.receipt or _receipt_of(store, report_id)
    shown = {
        "id": report_id,
        "county": call().tenant,
        **more,
        **row.as_json(),
        "receipt": receipt.to_json() if receipt else None,
    }
    return Reply(status=201, body=shown, headers={"Location": address("reports", report_id)})


def _receipt_of(store: Store, report_id: str) -> Receipt | None:
    event = load_events(store, [report_id]).get(report_id)
    return stored_receipt(store, event["seq"]) if event else None


def _rejected(row: RowAnswer, extra: Mapping[str, Any]) -> Reply:
    errors = [issue.as_json() for issue in row.errors]
    detail = "The report was not taken: " + (row.errors[0].message if row.errors else "see errors.")
    return problem_reply(Problem(422, "validation", detail, errors=errors, extra=extra))


def _report(event: Mapping[str, Any], findings: list[dict[str, Any]]) -> dict[str, Any]:
    shown = {
        "id": event["id"],
        "county": call().tenant,
        "state": "stands" if event["ended_seq"] is None else "ended",
        "system": event["system"],
        "component": event["component"] or None,
        "component_ref": event["component_ref"] or None,
        "event_type": event["event_type"],
        "service_date": event["service_date"],
        "received_at": instant(event["received_at"]),
        "first_received_at": instant(event["first_received_at"]),
        "submission": event["submission"],
        "row": event["row"],
        "supersedes": event["supersedes"],
        "historical": event["historical"],
        "seq": event["seq"],
        "findings": [{k: v for k, v in f.items() if k not in ("county", "cause")} for f in findings],
        "content": event["content"],
    }
    # Another business's report may be the one that this one seems to repeat.
    return {**shown, "possible_duplicate_of": event["possible_duplicate_of"]} if call().is_staff else shown
