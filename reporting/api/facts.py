"""What staff tells the service: the inventory, owners' notices, designations, contracts, statements, meter readings."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from reporting.api.bodies import FILE_TYPES, limits, sent_file
from reporting.api.calls import Reply, call, problem_reply
from reporting.api.moments import program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, file_body, json_body
from reporting.api.problems import Problem
from reporting.api.queries import ImportQuery
from reporting.api.reports import take_report
from reporting.api.shapes import ref
from reporting.api.telling import tell
from reporting.documents import file_document
from reporting.inventory.answers import InventoryAnswer
from reporting.inventory.importing import import_inventory as read_inventory
from reporting.owners import designate, file_contract, file_statement, tell_notice
from reporting.store.engine import Store

SECTION: Final = Section("facts", __name__, description="What owners and the county's staff tell.")
_SIGNED: Final = {201: Answer(tells="Kept; signed for.", schema=ref("Told"))}


@SECTION.endpoint(
    "/v1/<slug:county>/inventory",
    method="POST",
    query=ImportQuery,
    once=True,
    body=file_body(*FILE_TYPES),
    answers={
        200: Answer(tells="All rows are in (or would be).", schema=ref("Inventory")),
        207: Answer(tells="Some rows are in; see `outcomes`.", schema=ref("Inventory")),
    },
)
def import_inventory(query: dict[str, Any], county: str) -> Response:
    """Systems, owners and designations from a file: added or brought up to date by permit number."""
    sent = sent_file()

    def work(store: Store) -> Reply:
        program, _today = program_today(store)
        upload = sent.upload
        answer = read_inventory(
            store,
            program,
            upload.data,
            file_name=upload.file_name,
            content_type=upload.content_type,
            principal=call().keyholder.key_id,
            now=call().now,
            dry_run=query["dry_run"],
            limits=limits(),
        )
        return _imported(answer)

    return change(sent, work)


@SECTION.endpoint(
    "/v1/<slug:county>/owner-notices",
    method="POST",
    once=True,
    body=json_body(ref("OwnerNotice")),
    answers=_SIGNED,
)
def owner_notice(query: dict[str, Any], county: str) -> Response:
    """An owner's word: the tank was serviced, is full, or its alarm went off."""
    return tell(tell_notice)


@SECTION.endpoint(
    "/v1/<slug:county>/designations",
    method="POST",
    once=True,
    body=json_body(ref("Designation")),
    answers=_SIGNED,
)
def designation(query: dict[str, Any], county: str) -> Response:
    """The business that services a system from a day on."""
    return tell(designate)


@SECTION.endpoint(
    "/v1/<slug:county>/contracts", method="POST", once=True, body=json_body(ref("Contract")), answers=_SIGNED
)
def contract(query: dict[str, Any], county: str) -> Response:
    """A maintenance or servicing contract, as filed with the county."""
    return tell(file_contract)


@SECTION.endpoint(
    "/v1/<slug:county>/documents", method="POST", once=True, body=json_body(ref("NewDocument")), answers=_SIGNED
)
def document(query: dict[str, Any], county: str) -> Response:
    """An agreement, contract or certificate that was filed with the county; which kinds there are, its program says."""
    return tell(file_document)


@SECTION.endpoint(
    "/v1/<slug:county>/statements", method="POST", once=True, body=json_body(ref("Statement")), answers=_SIGNED
)
def statement(query: dict[str, Any], county: str) -> Response:
    """An owner's statement for a period: nothing was serviced, or the exemption still holds."""
    return tell(file_statement)


@SECTION.endpoint(
    "/v1/<slug:county>/meter-readings",
    method="POST",
    once=True,
    body=json_body(ref("NewReport")),
    answers={201: Answer(tells="Taken; signed for.", schema=ref("ReportAnswer"), headers=("Location",))},
)
def meter_reading(query: dict[str, Any], county: str) -> Response:
    """A reading of a water meter: a report whose `event_type` is `meter_reading`, which need not be named."""
    return take_report("meter_reading")


def _imported(answer: InventoryAnswer) -> Reply:
    body = answer.as_json()
    if not answer.rejected:
        return Reply(status=200, body=body)
    if answer.rejected < answer.rows:
        return Reply(status=207, body=body)
    errors = [issue.as_json() for issue in answer.errors]
    detail = "No row was taken: `errors` says what to do about each."
    return problem_reply(Problem(422, "validation", detail, errors=errors, extra=body))
