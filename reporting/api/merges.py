"""Two records of one system: merged, and brought back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flask import Response

from reporting.api.bodies import Sent, members, read_object, reason_of, sent_object
from reporting.api.calls import Reply, call, service
from reporting.api.moments import program_today
from reporting.api.once import change
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import absent, field_error, unprocessable
from reporting.api.shapes import ref
from reporting.errors import DecisionRefused
from reporting.inventory.merging import Merged, Merger, merge_systems, record_named
from reporting.inventory.unmerging import undo_merge
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.sweep import assess_now

SECTION: Final = Section("merges", __name__, description="Two records of one system made one.")
_DONE: Final = {200: Answer(tells="Done; signed for.", schema=ref("Merged"))}


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/merge",
    method="POST",
    once=True,
    body=json_body(ref("Merge")),
    answers=_DONE,
)
def merge_system(query: dict[str, Any], county: str, system_id: str) -> Response:
    """Merge another record of the same system (`other`: its id or permit number) into this one, which is kept.

    Reports, contracts, designations and other facts go over, and the due dates follow.
    """
    sent = sent_object()
    body = members(read_object(sent), "other", "reason")

    def merge(store: Store, merger: Merger) -> Merged:
        return merge_systems(store, system_id, _record(store, body["other"]), merger)

    return _merge(sent, system_id, reason_of(body), merge)


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/unmerge",
    method="POST",
    once=True,
    body=json_body(ref("Void")),
    answers=_DONE,
)
def unmerge_system(query: dict[str, Any], county: str, system_id: str) -> Response:
    """Bring back this record, which was merged into another one, with what had come over from it."""
    sent = sent_object()
    body = members(read_object(sent), "reason")
    return _merge(sent, system_id, reason_of(body), lambda store, merger: undo_merge(store, system_id, merger))


def _merge(sent: Sent, system_id: str, reason: str, merge: Callable[[Store, Merger], Merged]) -> Response:
    """Carry it out and judge both systems, so that lists and dates agree at once."""

    def work(store: Store) -> Reply:
        if system_id not in load_history(store, [system_id]):
            raise absent()
        program, today = program_today(store)
        merger = Merger(by=call().keyholder.key_id, now=call().now, today=today, reason=reason, signer=service().signer)
        try:
            done = merge(store, merger)
        except DecisionRefused as refused:
            raise unprocessable(refused.detail, [field_error("other", "bad_value", refused.detail)]) from refused
        assess_now(store, program, [done.kept, done.other], today, call().now)
        return Reply(status=200, body={"county": call().tenant, **done.as_json()})

    return change(sent, work)


def _record(store: Store, name: object) -> str:
    if not isinstance(name, str):
        message = "Give the other record's id or permit number, as a text."
        raise unprocessable(message, [field_error("other", "bad_value", message)])
    return record_named(store, name)
