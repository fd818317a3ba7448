"""A business's word that a report in its name is not its own."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from reporting.api.bodies import members, read_object, reason_of, sent_object
from reporting.api.calls import Reply, call, own, problem_reply, service
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem
from reporting.api.shapes import ref
from reporting.errors import DecisionRefused
from reporting.repudiations import repudiate
from reporting.store.engine import Store
from reporting.store.facts import load_events

SECTION: Final = Section("repudiation", __name__, description="Reports that the business named in them denies.")


@SECTION.endpoint(
    "/v1/<slug:county>/reports/<id:report_id>/repudiation",
    method="POST",
    once=True,
    body=json_body(ref("Repudiation")),
    answers={201: Answer(tells="Noted; signed for.", schema=ref("Repudiated"))},
    problems={409: "It was denied, amended or voided before, or the Idempotency-Key is in use."},
)
def repudiate_report(query: dict[str, Any], county: str, report_id: str) -> Response:
    """Say that a report in your business's name is not yours. It stays on record; the county decides what of it."""
    sent = sent_object()
    body = members(read_object(sent), "reason")

    def work(store: Store) -> Reply:
        own(load_events(store, [report_id]).get(report_id))
        try:
            done = repudiate(store, call().sender, report_id, reason_of(body), call().now, service().signer)
        except DecisionRefused as refused:
            return problem_reply(Problem(409, "not-repudiable", str(refused)))
        answer = {"id": report_id, "county": county, "review": done.review, "receipt": done.receipt.to_json()}
        return Reply(status=201, body=answer)

    return change(sent, work)
