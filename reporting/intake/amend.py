"""Corrections: an amendment or a void of a report. Nothing is overwritten; who, when and why is in the record.

An amended report keeps its first receipt for lateness and is judged with the amended date of service; a voided one
never happened. What was known before stays answerable (`known_at`).
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reporting import tables
from reporting.errors import ReasonMissing, RecordNotFound, ReportEnded
from reporting.histories import Licences
from reporting.intake.answer import RowAnswer, answer_row
from reporting.intake.credentials import Sender
from reporting.intake.headings import match_headings
from reporting.intake.json_rows import read_json_report
from reporting.intake.judging import judge_correction
from reporting.intake.outcomes import Judged, Outcome
from reporting.intake.places import Doubt, Place
from reporting.intake.provisional import is_provisional, remove_empty
from reporting.intake.reading import Reader, ReadRow, heading_aliases, keepable
from reporting.intake.recording import (
    Recording,
    Submission,
    event_row,
    find_own,
    open_systems,
    record_doubts,
    report_entry,
)
from reporting.intake.sheet import FileRefused, Limits
from reporting.intake.tanks import Tank
from reporting.receipts import Receipt, receipts_for
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import end_versions, insert_events, load_events
from reporting.store.log import NewEntry, append, checkpoint
from reporting.store.reviews import close_reviews_of, open_reviews
from reporting.store.signing import Signer
from schemas.calendar import local_date
from schemas.fields import FIELDS
from schemas.issues import Code, Issue
from schemas.program import Program

_PLACING = frozenset({"permit_number", "parcel_number", "site_address", "component", "component_ref"})


def amend(
    store: Store,
    program: Program,
    sender: Sender,
    report_id: str,
    changes: Mapping[str, object],
    reason: str,
    now: dt.datetime,
    signer: Signer,
) -> RowAnswer:
    """Correct some fields of a report (None empties one). The answer is a row's: accepted with the new id, or rejected.

    Whether the sender may is the caller's to know. Raises RecordNotFound, ReportEnded (it was amended or voided
    before), ReasonMissing.
    """
    before = _standing_report(store, report_id, reason)
    today = local_date(now, program.timezone)
    unknown = [name for name in changes if name not in FIELDS]
    try:
        row = _amended_row(program, before, changes, today)
    except FileRefused as refusal:
        return _refusal(Judged(row=_NO_ROW, outcome=Outcome.REJECTED), unknown, refusal.detail)
    judged, licences = judge_correction(store, program, sender, row, report_id, now)
    if unknown or not judged.stands:
        return _refusal(judged, unknown)
    judged = _in_its_place(store, judged, before, changes)
    submission = Submission(
        id=str(before["submission"] or ""),
        file_sha256="",
        principal=sender.name,
        now=now,
        today=today,
        historical=bool(before["historical"]),
    )
    raw = _json({"reason": reason, "changes": dict(changes)})
    return answer_row(judged, _write(store, program, judged, before, reason, raw, submission, licences, signer))


_NO_ROW = ReadRow(number=1, pointer="", values={})


def _amended_row(program: Program, before: Mapping[str, Any], changes: Mapping[str, object], today: dt.date) -> ReadRow:
    """The whole report with its changes, read like one that is sent."""
    merged = {k: v for k, v in {**before["content"], **changes}.items() if v is not None and k in FIELDS}
    sheet = read_json_report(_json(merged), limits=Limits())
    match = match_headings(sheet.headings, dict.fromkeys(heading_aliases(program), ()))
    return Reader(mapping=match.mapping, program=program, today=today).read(next(sheet.rows))


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, default=str).encode()


def _standing_report(store: Store, report_id: str, reason: str) -> dict[str, Any]:
    found = load_events(store, [report_id]).get(report_id)
    if found is None:
        raise RecordNotFound
    if found["ended_seq"] is not None:
        raise ReportEnded
    if not reason.strip():
        raise ReasonMissing
    return found


def _refusal(judged: Judged, unknown: list[str], why: str = "") -> RowAnswer:
    issues = [
        _NO_ROW.place(Issue(code=Code.UNKNOWN_FIELD, field=keepable(n), message=f"Leave out {keepable(n[:60])!r}."))
        for n in unknown
    ]
    if why:
        issues.append(_NO_ROW.place(Issue(code=Code.UNREADABLE_ROW, message=why)))
    if judged.outcome is Outcome.DUPLICATE:
        message = f"Report {judged.duplicate_of} says the same: void this one instead."
        issues.append(_NO_ROW.place(Issue(code=Code.REF_CONFLICT, message=message, value=judged.duplicate_of)))
    return RowAnswer(
        row=judged.row.number,
        outcome=Outcome.REJECTED,
        report_id=None,
        permit_number=judged.row.text("permit_number") or None,
        errors=(*issues, *judged.issues),
        warnings=judged.row.warnings,
    )


def _in_its_place(store: Store, j: Judged, before: Mapping[str, Any], changes: Mapping[str, object]) -> Judged:
    """The amended report with what a person decided of its first version, where the change is not of the place."""
    if before["system"] == j.place.system or _PLACING & changes.keys():
        return j
    if before["system"] is None:
        waits = {one["reason"] for one in open_reviews(store, events=[str(before["id"])])}
        if Doubt.SENT_BACK not in waits:
            return j
        held = Tank(kind=before["component"], ref=before["component_ref"])
        place = Place(doubt=Doubt.SENT_BACK)
        return replace(j, outcome=Outcome.QUEUED, place=place, tank=held, opens=False, known=None)
    if is_provisional(store, str(before["system"])):
        return j
    tank = Tank(kind=before["component"], ref=before["component_ref"])
    warnings = tuple(w for w in j.warnings if w["code"] != "review")
    place = Place(system=before["system"])
    return replace(
        j, outcome=Outcome.ACCEPTED, place=place, tank=tank, opens=False, known=None, visit=before["visit"],
        warnings=warnings,
    )  # fmt: skip


def _write(
    store: Store,
    program: Program,
    judged: Judged,
    before: Mapping[str, Any],
    reason: str,
    raw: bytes,
    submission: Submission,
    licences: Licences,
    signer: Signer,
) -> Recording:
    now = submission.now
    open_systems(store, [judged], now)
    content = {**report_entry(judged), "supersedes": before["id"], "by": submission.principal}
    entry = NewEntry(type="amendment", content=content, raw=raw, words={"reason": reason})
    appended = append(store, [entry], now)
    _end(store, str(before["id"]), appended[0].seq)
    row = {
        **event_row(judged, appended[0].seq, appended[0].recorded_at, submission),
        "first_received_at": before["first_received_at"] or before["received_at"],
        "supersedes": before["id"],
        "submission": before["submission"],
        "row": before["row"],
    }
    insert_events(store, [row])
    close_reviews_of(store, str(before["id"]), state="amended", seq=appended[0].seq, by=submission.principal)
    remove_empty(store, [str(before["system"])] if before["system"] else [], appended[0].seq)
    record_doubts(store, [judged], appended, now)
    mark_dirty(store, {s for s in (before["system"], judged.place.system) if s})
    head = checkpoint(store, signer, now)
    receipts = {judged.report_id: receipts_for(appended, head)[0]}
    findings = find_own(program, [judged], [row], licences, submission.today)
    return Recording(written=True, receipts=receipts, findings=findings, head=head)


def _end(store: Store, report_id: str, seq: int) -> None:
    """End the version that stands. Whoever held the log before may have ended it since it was read."""
    if end_versions(store, tables.event, [{"id": report_id}], seq) != 1:
        raise ReportEnded


def void(store: Store, sender: Sender, report_id: str, reason: str, now: dt.datetime, signer: Signer) -> Receipt:
    """Take a report back: it never happened, and the earlier due date comes back. The receipt is the void's own.

    Raises RecordNotFound, ReportEnded, ReasonMissing.
    """
    before = _standing_report(store, report_id, reason)
    content = {"id": report_id, "by": sender.name}
    appended = append(store, [NewEntry(type="void", content=content, words={"reason": reason})], now)
    _end(store, report_id, appended[0].seq)
    close_reviews_of(store, report_id, state="voided", seq=appended[0].seq, by=sender.name)
    if before["system"]:
        remove_empty(store, [str(before["system"])], appended[0].seq)
        mark_dirty(store, {str(before["system"])})
    return receipts_for(appended, checkpoint(store, signer, now))[0]
