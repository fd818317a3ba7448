"""Fees: charged, paid, waived, given back; the yearly roll and the tax bill; a system's statement of account."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response, request

from reporting.api.bodies import FILE_TYPES, Sent, limits, read_object, sent_file, sent_object
from reporting.api.calls import Reply, call, next_link, problem_reply, service
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, file_body, json_body
from reporting.api.problems import Problem, absent, of_refusal
from reporting.api.queries_records import FeesListQuery, FeesQuery
from reporting.api.shapes import ref
from reporting.api.sheets import csv_response
from reporting.api.verifications import teller_of
from reporting.errors import RecordNotFound
from reporting.fees.bills import FEE_COLUMNS, charge_json, charge_pages, in_dollars, statement
from reporting.fees.charging import charge_by_staff
from reporting.fees.paying import Paid, pay, refund, waive
from reporting.fees.payment_files import ACCEPTED, DUPLICATE, pay_file
from reporting.intake.sheet import FileRefused
from reporting.owners import NotTold, Teller
from reporting.receipts import Receipt
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.store.fees import ChargeFilter, page_charges, totals
from reporting.sweep import assess_now

SECTION: Final = Section("fees", __name__, description="What a county charges, what was paid, and the roll of a year.")
ASSESSED_AT_ONCE: Final = 200
_CSV: Final = Answer(tells="A file for a spreadsheet.", schema={"type": "string"}, types=("text/csv",))
_TAKEN: Final = {"anyOf": [ref("Money"), ref("Payments")]}
_MONEY: Final = {
    200: Answer(tells="It had been entered before; nothing was added.", schema=ref("Money")),
    201: Answer(tells="Kept; signed for.", schema=ref("Money")),
}


def _payments_body() -> dict[str, Any]:
    """One payment as an object, or a list or file of them."""
    body = file_body(*FILE_TYPES)
    one = ref("NewPayment")
    body["content"]["application/json"] = {"schema": {"oneOf": [one, {"type": "array", "items": dict(one)}]}}
    return body


@SECTION.endpoint(
    "/v1/<slug:county>/fees",
    query=FeesListQuery,
    answers={200: Answer(tells="A page of charges.", schema=ref("Fees"), headers=("Link",))},
)
def list_fees(query: dict[str, Any], county: str) -> Response:
    """The county's charges with what was paid, waived and is left of each, in cents; and the totals of all."""
    with service().database.reading(county) as store:
        page = page_charges(store, _filter(query), query.get("cursor"), query["limit"])
        sums = totals(store, query.get("year"))
    body = {"county": county, "fees": [charge_json(row) for row in page.rows], "totals": sums}
    return Reply(status=200, body=body, headers=next_link(page.next_cursor)).response()


@SECTION.endpoint("/v1/<slug:county>/fees.csv", query=FeesQuery, answers={200: _CSV})
def fees_csv(query: dict[str, Any], county: str) -> Response:
    """The same list as a file for a spreadsheet, whole, in dollars and cents."""
    with service().database.reading(county) as store:
        rows = list(in_dollars(charge_pages(store, _filter(query))))
    return csv_response(f"fees-{county}.csv", FEE_COLUMNS, rows)


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/fees",
    answers={200: Answer(tells="The statement of account.", schema=ref("FeeStatement"))},
)
def show_statement(query: dict[str, Any], county: str, system_id: str) -> Response:
    """A system's account: each charge, every entry in order of its day, and what is left, in cents."""
    with service().database.reading(county) as store:
        stored = load_history(store, [system_id]).get(system_id)
    if stored is None:
        raise absent()
    return Reply(status=200, body={"county": county, **statement(stored)}).response()


@SECTION.endpoint("/v1/<slug:county>/fees", method="POST", once=True, body=json_body(ref("NewFee")), answers=_MONEY)
def charge_fee(query: dict[str, Any], county: str) -> Response:
    """Charge the fee of a rule, or another one with its amount; once for each system, fee and cause."""
    sent = sent_object()
    values = read_object(sent)

    def work(store: Store) -> Reply:
        teller = teller_of(store)
        made = charge_by_staff(store, teller, values)
        if isinstance(made, NotTold):
            return _not_kept(made)
        body = {"cents": made.cents, "due_on": made.due_on.isoformat() if made.due_on else None}
        receipt = made.told.receipt if made.told else None
        return _kept(store, teller, made.id, made.id, made.system, receipt, body)

    return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/fees/payments",
    method="POST",
    once=True,
    body=_payments_body(),
    answers={
        200: Answer(tells="Nothing new: all had been entered before.", schema=_TAKEN),
        201: Answer(tells="The payment is in, or all of a list.", schema=_TAKEN),
        207: Answer(tells="Some payments are in; see `outcomes`.", schema=ref("Payments")),
    },
    problems={422: "No payment is in (the body has the members of the answer too), or it cannot be read."},
)
def file_payments(query: dict[str, Any], county: str) -> Response:
    """Payments: one as a JSON object, or a list of them as JSON, CSV or XLSX.

    Each names its charge, or a place with the fee (and year); `cents` or `amount` in dollars; `reference`, the number
    of the receipt or check: the same reference for the same charge again is a duplicate.
    """
    sent = sent_file()
    if request.mimetype.endswith("json") and sent.upload.data.lstrip()[:1] == b"{":
        return _change(sent, pay, read_object(sent))

    def work(store: Store) -> Reply:
        teller, upload = teller_of(store), sent.upload
        try:
            answer = pay_file(
                store, teller, upload.data, file_name=upload.file_name, content_type=upload.content_type,
                limits=limits(),
            )  # fmt: skip
        except FileRefused as refusal:
            raise of_refusal(refusal) from refusal
        _judge(store, teller, answer.systems)
        body = {"county": county, **answer.as_json()}
        rejected = len(answer.rows) - answer.count(ACCEPTED) - answer.count(DUPLICATE)
        if rejected and rejected == len(answer.rows):
            errors = [issue.as_json() for issue in answer.errors]
            detail = "No payment was taken: `errors` says what to do about each."
            return problem_reply(Problem(422, "validation", detail, errors=errors, extra=body))
        return Reply(status=207 if rejected else 201 if answer.count(ACCEPTED) else 200, body=body)

    return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/fees/<id:charge_id>/waiver",
    method="POST",
    once=True,
    body=json_body(ref("FeeRelief")),
    answers={201: _MONEY[201]},
)
def waive_fee(query: dict[str, Any], county: str, charge_id: str) -> Response:
    """Let what is left of a charge go, or part of it: with the reason and by whose authority."""
    return _relieve(charge_id, waive)


@SECTION.endpoint(
    "/v1/<slug:county>/fees/<id:charge_id>/refund",
    method="POST",
    once=True,
    body=json_body(ref("FeeRelief")),
    answers={201: _MONEY[201]},
)
def refund_fee(query: dict[str, Any], county: str, charge_id: str) -> Response:
    """Give back what was paid of a charge, or part of it; also a payment entered by mistake."""
    return _relieve(charge_id, refund)


def _relieve(charge_id: str, how: Callable[[Store, Teller, str, Mapping[str, object]], Paid | NotTold]) -> Response:
    sent = sent_object()

    def relieve(store: Store, teller: Teller, values: Mapping[str, object]) -> Paid | NotTold:
        try:
            return how(store, teller, charge_id, values)
        except RecordNotFound:
            raise absent() from None

    return _change(sent, relieve, read_object(sent))


def _change(
    sent: Sent, how: Callable[[Store, Teller, Mapping[str, object]], Paid | NotTold], values: Mapping[str, object]
) -> Response:
    def work(store: Store) -> Reply:
        teller = teller_of(store)
        done = how(store, teller, values)
        if isinstance(done, NotTold):
            return _not_kept(done)
        account = done.account
        sums = {name: getattr(account, name) for name in ("paid", "refunded", "waived", "left")}
        body = {"account": {"charged": account.charged, **sums}}
        return _kept(store, teller, done.id, done.charge, done.system, done.told.receipt if done.told else None, body)

    return change(sent, work)


def _kept(
    store: Store, teller: Teller, entry: str, charge: str, system: str, receipt: Receipt | None, more: dict[str, Any]
) -> Reply:
    """201 with the receipt of a new entry, 200 for one that was there."""
    if receipt:
        _judge(store, teller, (system,))
    body = {
        "id": entry, "charge": charge, "county": call().tenant, "system": system, "duplicate": receipt is None, **more,
        "receipt": receipt.to_json() if receipt else None,
    }  # fmt: skip
    return Reply(status=201 if receipt else 200, body=body)


def _judge(store: Store, teller: Teller, systems: tuple[str, ...]) -> None:
    if 0 < len(systems) <= ASSESSED_AT_ONCE:
        assess_now(store, teller.program, list(systems), teller.today, teller.now)


def _not_kept(told: NotTold) -> Reply:
    errors = [issue.as_json() for issue in told.issues]
    return problem_reply(Problem(422, "validation", "Nothing was kept: " + told.issues[0].message, errors=errors))


def _filter(query: Mapping[str, Any]) -> ChargeFilter:
    return ChargeFilter(system=query.get("system"), year=query.get("year"), unpaid=query.get("unpaid"))
