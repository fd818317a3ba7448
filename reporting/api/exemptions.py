"""Certificates of exemption over HTTP: applied for, completed, granted, refused, changed, ended, listed."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, service
from reporting.api.moments import program_today
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.queries_records import ExemptionsQuery
from reporting.api.shapes import ref
from reporting.api.telling import tell
from reporting.service_year.applications import (
    apply_for_exemption,
    complete_application,
    grant_exemption,
    refuse_exemption,
)
from reporting.service_year.exemptions import end_exemption, list_exemptions, report_change

SECTION: Final = Section("exemptions", __name__, description="Certificates of exemption; staff decides each.")
_SIGNED: Final = {201: Answer(tells="Kept; signed for.", schema=ref("Told"))}
_APPLIED: Final = {201: Answer(tells="Kept, with what is still missing.", schema=ref("AppliedExemption"))}
_STALE: Final = {409: "It was decided on or has ended before, or the key is in use."}
_ONE: Final = "/v1/<slug:county>/exemptions/<id:exemption_id>"


@SECTION.endpoint(
    "/v1/<slug:county>/exemptions",
    query=ExemptionsQuery,
    answers={200: Answer(tells="The certificates and applications.", schema=ref("Exemptions"))},
)
def list_certificates(query: dict[str, Any], county: str) -> Response:
    """Certificates with state and last day, and applications with what they lack; all that a system has had."""
    with service().database.reading(county) as store:
        program, today = program_today(store)
        kinds = [query["kind"]] if query.get("kind") else ()
        rows = list_exemptions(store, program, today, kinds, query.get("state", ()))
    return Reply(status=200, body={"county": county, "exemptions": rows}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/exemptions",
    method="POST",
    once=True,
    body=json_body(ref("NewExemption")),
    answers=_APPLIED,
    problems=_STALE,
)
def apply_for_certificate(query: dict[str, Any], county: str) -> Response:
    """File an application: `unmet` says which conditions it does not show yet, each with its section."""
    return tell(apply_for_exemption)


@SECTION.endpoint(
    f"{_ONE}/papers",
    method="POST",
    once=True,
    body=json_body(ref("ExemptionPapers")),
    answers=_APPLIED,
    problems=_STALE,
)
def complete_certificate(query: dict[str, Any], county: str, exemption_id: str) -> Response:
    """What came later for an application: the fee, the affidavit, the contractor's verification."""
    return tell(lambda store, teller, values: complete_application(store, teller, exemption_id, values))


@SECTION.endpoint(
    f"{_ONE}/grant", method="POST", once=True, body=json_body(ref("ExemptionGrant")), answers=_SIGNED, problems=_STALE
)
def grant_certificate(query: dict[str, Any], county: str, exemption_id: str) -> Response:
    """Grant what was applied for; 422 names each condition that is not met. `id` is the certificate's."""
    return tell(lambda store, teller, values: grant_exemption(store, teller, exemption_id, values))


@SECTION.endpoint(
    f"{_ONE}/refusal", method="POST", once=True, body=json_body(ref("Reason")), answers=_SIGNED, problems=_STALE
)
def refuse_certificate(query: dict[str, Any], county: str, exemption_id: str) -> Response:
    """Refuse an application, and say why: the owner is told."""
    return tell(lambda store, teller, values: refuse_exemption(store, teller, exemption_id, values))


@SECTION.endpoint(
    f"{_ONE}/end", method="POST", once=True, body=json_body(ref("ExemptionEnd")), answers=_SIGNED, problems=_STALE
)
def end_certificate(query: dict[str, Any], county: str, exemption_id: str) -> Response:
    """End a certificate early: by written notice, because its conditions are no longer met, or given back."""
    return tell(lambda store, teller, values: end_exemption(store, teller, exemption_id, values))


@SECTION.endpoint(
    f"{_ONE}/changes",
    method="POST",
    once=True,
    body=json_body(ref("ExemptionChange")),
    answers=_SIGNED,
    problems=_STALE,
)
def report_certificate_change(query: dict[str, Any], county: str, exemption_id: str) -> Response:
    """A change that the holder reports: kept, told to the office; it may propose the certificate's end."""
    return tell(lambda store, teller, values: report_change(store, teller, exemption_id, values))
