"""Writing what came in: log entries with the raw rows, events, provisional systems, reviews, outcomes. Set-based."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reporting.histories import Licences
from reporting.ids import new_ids
from reporting.intake.findings import own_findings
from reporting.intake.outcomes import Judged
from reporting.intake.words import normalize_license
from reporting.receipts import Receipt, receipts_for
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import insert_components, insert_events, insert_systems
from reporting.store.log import Appended, NewEntry, append, checkpoint
from reporting.store.matching import add_identifiers, insert_reviews
from reporting.store.signing import SignedHead, Signer
from reporting.store.submissions import insert_outcomes
from schemas.program import Program

_PLACE = ("permit_number", "parcel_number", "site_address", "municipality", "owner_name")

Findings = tuple[dict[str, object], ...]


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What a chunk left in the record: the receipt of each report by its id, and the signed head they stand on.

    findings: of each report by its id. `written` False: it was tried only.
    """

    written: bool = False
    receipts: Mapping[str, Receipt] = field(default_factory=dict)
    findings: Mapping[str, Findings] = field(default_factory=dict)
    head: SignedHead | None = None


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What every row of a submission shares. `today`: the county's date of `now`, its receipt.

    paper: when the county received on paper what a clerk now enters. received_at: when a long file was handed in that
    is worked off later: lateness is judged by it.
    """

    id: str
    file_sha256: str
    principal: str
    now: dt.datetime
    today: dt.date
    historical: bool
    paper: dt.datetime | None = None
    received_at: dt.datetime | None = None

    @property
    def entered(self) -> dict[str, str]:
        """What the record says of paper that a clerk enters."""
        return {"received_on": self.paper.date().isoformat()} if self.paper else {}


def record_submission(store: Store, submission: Submission, file_name: str | None) -> None:
    """Note in the log that something was handed in.

    It is the first thing written, so that two senders of the same reports follow one another: the second one finds
    what the first has brought in.
    """
    content = {
        "id": submission.id,
        "file_sha256": submission.file_sha256,
        "by": submission.principal,
        "historical": submission.historical,
        **submission.entered,
    }
    words = {"file_name": file_name} if file_name else {}
    append(store, [NewEntry(type="submission", content=content, words=words)], submission.now)


def record_chunk(
    store: Store,
    program: Program,
    chunk: Sequence[Judged],
    submission: Submission,
    licences: Licences,
    signer: Signer,
) -> Recording:
    """Write the chunk's reports and every row's outcome in the caller's transaction."""
    kept = [j for j in chunk if j.stands]
    open_systems(store, kept, submission.now)
    base = {"submission": submission.id, "by": submission.principal, "historical": submission.historical}
    base |= submission.entered
    entries = [NewEntry(type="report", content={**base, **report_entry(j)}, raw=j.row.raw) for j in kept]
    appended = append(store, entries, submission.now)
    rows = [event_row(j, a.seq, a.recorded_at, submission) for j, a in zip(kept, appended, strict=True)]
    insert_events(store, rows)
    record_doubts(store, kept, appended, submission.now)
    head = checkpoint(store, signer, submission.now) if appended else None
    receipts = receipts_for(appended, head) if head else []
    by_report = {j.report_id: r for j, r in zip(kept, receipts, strict=True)}
    findings = find_own(program, kept, rows, licences, submission.today)
    insert_outcomes(store, [_outcome_row(j, by_report, findings, submission.id) for j in chunk])
    mark_dirty(store, {j.place.system for j in kept if j.place.system})
    return Recording(written=True, receipts=by_report, findings=findings, head=head)


def try_chunk(program: Program, chunk: Sequence[Judged], submission: Submission, licences: Licences) -> Recording:
    """What would be said of the chunk's reports; nothing is written."""
    kept = [j for j in chunk if j.stands]
    rows = [event_row(j, 0, submission.now, submission) for j in kept]
    found = find_own(program, kept, rows, licences, submission.today)
    unnamed = {r: tuple({k: v for k, v in f.items() if k != "event"} for f in each) for r, each in found.items()}
    return Recording(findings=unnamed)


def find_own(
    program: Program, kept: Sequence[Judged], rows: Sequence[Mapping[str, Any]], licences: Licences, today: dt.date
) -> dict[str, Findings]:
    """The findings of each report by itself, by its id; reports without any are left out."""
    found = {
        j.report_id: own_findings(program, j.known if j.place.system else None, row, licences, today)
        for j, row in zip(kept, rows, strict=True)
    }
    return {report: each for report, each in found.items() if each}


def record_doubts(store: Store, kept: Sequence[Judged], appended: Sequence[Appended], now: dt.datetime) -> None:
    """Queue for a person what is not certain."""
    doubted = [(j, a) for j, a in zip(kept, appended, strict=True) if j.place.doubt is not None]
    ids = new_ids("rev", now, len(doubted))
    rows = [
        {
            "id": review,
            "event": j.report_id,
            "state": "open",
            "reason": j.place.doubt.value if j.place.doubt else "",
            "candidates": [candidate.as_json() for candidate in j.near],
            "created_seq": a.seq,
            "system": j.place.system,
        }
        for review, (j, a) in zip(ids, doubted, strict=True)
    ]
    insert_reviews(store, rows)


def _system_entry(j: Judged) -> NewEntry:
    place = {name: j.row.text(name) for name in _PLACE}
    content = {"id": j.place.system, "status": "provisional"}
    return NewEntry(type="system", content=content, words={n: v for n, v in place.items() if v})


def open_systems(store: Store, kept: Sequence[Judged], now: dt.datetime) -> None:
    """Open the provisional systems that reports need (SPS 383.255(2)(b)3).

    One is called whatever its reports call it, so that the next report finds it.
    """
    opening = [j for j in kept if j.opens]
    appended = append(store, [_system_entry(j) for j in opening], now)
    rows: list[dict[str, object]] = []
    components: list[dict[str, object]] = []
    for j, a in zip(opening, appended, strict=True):
        version: dict[str, object] = {
            "id": j.place.system,
            "created_seq": a.seq,
            "permit_number": j.row.text("permit_number") or None,
            "parcel_number": j.row.text("parcel_number") or None,
            "site_address": j.row.text("site_address") or None,
            "municipality": j.row.text("municipality") or None,
            "status": "provisional",
            "content": {"status": "provisional"},
        }
        rows.append(version)
        if j.tank.kind:
            components.append({"system": j.place.system, "component": j.tank.kind, "seq": a.seq, "content": {}})
    insert_systems(store, rows)
    insert_components(store, components)
    add_identifiers(store, [n for j in kept if j.place.doubt and j.place.system for n in _names(j)])


def _names(j: Judged) -> list[dict[str, object]]:
    return [{"kind": kind, "norm": norm, "system": j.place.system} for kind, norm in j.found.norms.items()]


def report_entry(j: Judged) -> dict[str, object]:
    """What the record says of a report for good; the report itself is a row of the entry's detail."""
    return {
        "id": j.report_id,
        "row": j.row.number,
        "system": j.place.system,
        "component": j.tank.kind,
        "component_ref": j.tank.ref,
        "doubt": j.place.doubt.value if j.place.doubt else None,
        **({"matched_by": j.place.matched_by} if j.place.matched_by else {}),
        "event_type": j.content["event_type"],
        "service_date": j.row.service_date,
    }


def event_row(j: Judged, seq: int, received_at: dt.datetime, submission: Submission) -> dict[str, object]:
    """The report as a row of facts."""
    number = j.row.text("license_number")
    return {
        "id": j.report_id,
        "seq": seq,
        "system": j.place.system,
        "component": j.tank.kind,
        "component_ref": j.tank.ref,
        "event_type": j.content["event_type"],
        "service_date": j.row.service_date,
        "received_at": received_at,
        "first_received_at": submission.paper or submission.received_at or received_at,
        "contractor_id": j.holder.contractor_id,
        "license_number": number or None,
        "license_norm": normalize_license(number) or None,
        "report_ref": j.row.text("report_ref") or None,
        "identity": j.claim.same[0],
        "content_sha": j.claim.content_sha,
        "visit": j.visit,
        "submission": submission.id,
        "row": j.row.number,
        "possible_duplicate_of": j.possible_duplicate_of,
        "historical": submission.historical,
        "content": dict(j.content),
    }


def _outcome_row(
    j: Judged, receipts: Mapping[str, Receipt], findings: Mapping[str, Findings], submission: str
) -> dict[str, object]:
    receipt = receipts.get(j.report_id) if j.stands else None
    return {
        "submission": submission,
        "row": j.row.number,
        "outcome": j.outcome.value,
        "report_id": j.report_id if j.stands else j.duplicate_of,
        "duplicate_of": j.duplicate_of,
        "permit_number": j.row.text("permit_number") or None,
        "seq": receipt.seq if receipt else None,
        "receipt": receipt.to_json() if receipt else None,
        "findings": list(findings.get(j.report_id, ())) if j.stands else [],
        "errors": [i.as_json() for i in j.issues],
        "warnings": list(j.warnings),
        "cells": dict(j.row.cells),
    }
