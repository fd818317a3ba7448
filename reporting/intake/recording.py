"""Writing what came in: log entries with the raw rows, events, provisional systems, reviews, outcomes. Set-based."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reporting.ids import new_id
from reporting.intake.judging import Judged, Outcome
from reporting.intake.places import Doubt
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


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What a chunk left in the record: the receipt of each report by its id, and the signed head they stand on."""

    receipts: Mapping[str, Receipt] = field(default_factory=dict)
    head: SignedHead | None = None


def record_chunk(
    store: Store,
    program: Program,
    chunk: Sequence[Judged],
    *,
    submission: str,
    file_sha256: str,
    principal: str,
    now: dt.datetime,
    historical: bool,
    signer: Signer,
) -> Recording:
    """Write the chunk's reports and every row's outcome in the caller's transaction."""
    kept = [j for j in chunk if j.outcome in (Outcome.ACCEPTED, Outcome.QUEUED)]
    placed, opened = _open_systems(kept, now)
    base = {"submission": submission, "file_sha256": file_sha256, "by": principal, "historical": historical}
    systems = append(store, [NewEntry(type="system", content=_system_entry(o)) for o in opened], now)
    entries = [NewEntry(type="report", content={**base, **_report_entry(j)}, raw=j.row.raw) for j in placed]
    appended = append(store, entries, now)
    _write_systems(store, opened, systems)
    events = [_event_row(j, a, submission, historical) for j, a in zip(placed, appended, strict=True)]
    insert_events(store, events)
    insert_reviews(store, [_review_row(j, a, now) for j, a in zip(placed, appended, strict=True) if _in_doubt(j)])
    head = checkpoint(store, signer, now) if appended else None
    receipts = receipts_for(appended, head) if head else []
    by_report = {j.report_id: r for j, r in zip(placed, receipts, strict=True)}
    insert_outcomes(store, [_outcome_row(j, by_report.get(j.report_id), submission) for j in chunk])
    mark_dirty(store, {j.place.system for j in placed if j.place.system})
    return Recording(receipts=by_report, head=head)


@dataclass(frozen=True, kw_only=True)
class _Opened:
    """A provisional system that reports opened: they name a place that the inventory does not have (SPS
    383.255(2)(b)3).
    """

    id: str
    first: Judged
    norms: Mapping[str, str]


def _open_systems(kept: Sequence[Judged], now: dt.datetime) -> tuple[list[Judged], list[_Opened]]:
    """The reports with the provisional system that each belongs to; rows of one unknown place share one."""
    opened: dict[tuple[str, str], _Opened] = {}
    placed = []
    for j in kept:
        if j.place.doubt is not Doubt.NOT_IN_INVENTORY:
            placed.append(j)
            continue
        key = next(iter(j.norms.items()))
        if key not in opened:
            opened[key] = _Opened(id=new_id("sys", now), first=j, norms=j.norms)
        placed.append(replace(j, place=replace(j.place, system=opened[key].id)))
    return placed, list(opened.values())


def _in_doubt(j: Judged) -> bool:
    return j.outcome is Outcome.QUEUED


def _system_entry(opened: _Opened) -> dict[str, object]:
    row = opened.first.row
    place = {n: row.text(n) for n in ("permit_number", "parcel_number", "site_address", "municipality", "owner_name")}
    return {"id": opened.id, "status": "provisional", **{n: v for n, v in place.items() if v}}


def _write_systems(store: Store, opened: Sequence[_Opened], appended: Sequence[Appended]) -> None:
    rows, components, identifiers = [], [], []
    for o, a in zip(opened, appended, strict=True):
        row = o.first.row
        version = {
            "id": o.id,
            "created_seq": a.seq,
            "permit_number": row.text("permit_number") or None,
            "parcel_number": row.text("parcel_number") or None,
            "site_address": row.text("site_address") or None,
            "municipality": row.text("municipality") or None,
            "status": "provisional",
            "content": {"status": "provisional"},
        }
        rows.append(version)
        kind = row.text("component")
        if kind:
            components.append({"system": o.id, "component": kind, "seq": a.seq, "content": {}})
        identifiers += [{"kind": k, "norm": n, "system": o.id} for k, n in o.norms.items()]
    insert_systems(store, rows)
    insert_components(store, components)
    add_identifiers(store, identifiers)


def _report_entry(j: Judged) -> dict[str, object]:
    return {
        "id": j.report_id,
        "row": j.row.number,
        "system": j.place.system,
        "component": j.component,
        "doubt": j.place.doubt.value if j.place.doubt else None,
        "report": j.content,
    }


def _event_row(j: Judged, a: Appended, submission: str, historical: bool) -> dict[str, object]:
    number = j.row.text("license_number")
    return {
        "id": j.report_id,
        "seq": a.seq,
        "system": j.place.system,
        "component": j.component,
        "component_ref": j.row.text("component_ref"),
        "event_type": j.content["event_type"],
        "service_date": j.row.service_date,
        "received_at": a.recorded_at,
        "first_received_at": a.recorded_at,
        "contractor_id": j.contractor_id,
        "license_number": number or None,
        "license_norm": normalize_license(number) or None,
        "report_ref": j.row.text("report_ref") or None,
        "identity": j.identity,
        "content_sha": j.content_sha,
        "visit": j.visit,
        "submission": submission,
        "row": j.row.number,
        "possible_duplicate_of": j.possible_duplicate_of,
        "historical": historical,
        "content": dict(j.content),
    }


def _review_row(j: Judged, a: Appended, now: dt.datetime) -> dict[str, object]:
    reason = j.place.doubt.value if j.place.doubt else Doubt.NOT_IN_INVENTORY.value
    return {
        "id": new_id("rev", now),
        "event": j.report_id,
        "state": "open",
        "reason": reason,
        "candidates": list(j.place.candidates),
        "created_seq": a.seq,
        "system": j.place.system,
    }


def _outcome_row(j: Judged, receipt: Receipt | None, submission: str) -> dict[str, object]:
    stands = j.outcome in (Outcome.ACCEPTED, Outcome.QUEUED)
    return {
        "submission": submission,
        "row": j.row.number,
        "outcome": j.outcome.value,
        "report_id": j.report_id if stands else j.duplicate_of,
        "duplicate_of": j.duplicate_of,
        "permit_number": j.row.text("permit_number") or None,
        "seq": receipt.seq if receipt else None,
        "receipt": receipt.to_json() if receipt else None,
        "errors": [i.as_json() for i in j.issues],
        "warnings": list(j.warnings),
        "cells": dict(j.row.cells),
    }
