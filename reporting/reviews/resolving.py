"""Deciding a review: the report is of a system of the inventory, of a new one, or of none of this county."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from reporting import tables
from reporting.errors import AlreadyDecided, DecisionRefused, RecordNotFound, ReportEnded
from reporting.histories import PROVISIONAL
from reporting.ids import new_id
from reporting.intake.amend import void
from reporting.intake.credentials import Sender
from reporting.intake.memory import forget
from reporting.intake.tanks import Tank
from reporting.receipts import Receipt
from reporting.reviews.decisions import (
    Decided,
    Decider,
    Decision,
    Move,
    Row,
    Verdict,
    check_reason,
    close,
    key_of,
    receipt_of,
)
from reporting.reviews.placing import carry_out, match_reports
from reporting.reviews.reading import REPUDIATED, norms_of_content
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import (
    end_versions,
    insert_components,
    insert_system_versions,
    insert_systems,
    load_events,
    load_history,
)
from reporting.store.log import NewEntry, append
from reporting.store.matching import PERMIT, add_identifiers, find_by_identifiers
from reporting.store.reviews import OPEN, get_review, open_reviews, standing_versions
from schemas.acts import COMPONENTS

_NAMES: Final = ("permit_number", "parcel_number", "site_address", "municipality")


def resolve(store: Store, review_id: str, decision: Decision, decider: Decider) -> Decided:
    """Decide a review. Raises RecordNotFound, AlreadyDecided, ReasonMissing, ReportEnded, DecisionRefused."""
    review = get_review(store, review_id)
    if review is None:
        raise RecordNotFound
    check_reason(decider)
    if review["state"] != OPEN:
        raise AlreadyDecided
    reviews = [review]
    provisional = review["system"]
    if provisional and (decision.all_reports or decision.verdict is Verdict.NEW_SYSTEM):
        reviews += [one for one in open_reviews(store, systems=[provisional]) if one["id"] != review_id]
    reports = _reports_of(store, reviews)
    if review["reason"] == REPUDIATED and decision.verdict is Verdict.NEW_SYSTEM:
        raise DecisionRefused("The business denies this report: match it where it stands, or void it.")
    if decision.verdict is Verdict.MATCHED:
        return match_reports(store, reviews, reports, decision, decider)
    if decision.verdict is Verdict.NEW_SYSTEM:
        return _open(store, reviews, reports, decision, decider)
    return _void(store, reviews, reports, decider)


def forget_match(store: Store, review_id: str, decider: Decider) -> Receipt:
    """No longer send reports by themselves where this review was decided to; the decided report stays where it is.

    Raises RecordNotFound also where nothing is remembered of the review.
    """
    review = get_review(store, review_id)
    event = load_events(store, [review["event"]]).get(review["event"]) if review else None
    check_reason(decider)
    if event is None or not forget(store, key_of(event)):
        raise RecordNotFound
    content = {"review": review_id, "decision": "forgotten", "by": decider.by}
    entry = NewEntry(type="review", content=content, words={"reason": decider.reason})
    return receipt_of(store, append(store, [entry], decider.now), decider)


def _open(
    store: Store,
    reviews: Sequence[Row],
    reports: Mapping[str, Row],
    decision: Decision,
    decider: Decider,
) -> Decided:
    """The reports' system becomes one of the county's own: the provisional one, or a new one."""
    system = reviews[0]["system"]
    if system:
        return _adopt(store, reviews, reports, decision, decider, str(system))
    report = next(iter(reports.values()))
    norms = norms_of_content(report["content"])
    permit = (PERMIT, norms.get(PERMIT, ""))
    if permit[1] and permit in find_by_identifiers(store, [permit]):
        raise DecisionRefused("A system has this permit number: match the report with it, or have the report amended.")
    kind = decision.component or report["component"]
    if not kind:
        raise DecisionRefused(f"Say what sort of tank it has (component): {', '.join(COMPONENTS)}.")
    fresh = new_id("sys", decider.now)
    version = {name: report["content"].get(name) for name in _NAMES}
    content = {"id": fresh, "status": "active", "by": decider.by, "review": reviews[0]["id"]}
    said = NewEntry(type="system", content=content, words={"reason": decider.reason})
    [entry] = append(store, [said], decider.now)
    row = {"id": fresh, "created_seq": entry.seq, **version, "status": "active", "content": {"status": "active"}}
    insert_systems(store, [row])
    part: dict[str, object] = {
        "system": fresh,
        "component": kind,
        "component_ref": decision.ref,
        "seq": entry.seq,
        "content": {},
    }
    insert_components(store, [part])
    add_identifiers(store, [{"kind": of, "norm": norm, "system": fresh} for of, norm in norms.items()])
    moves = [
        Move(report=one, fresh=new_id("rep", decider.now), system=fresh, tank=Tank(kind=kind, ref=decision.ref))
        for one in reports.values()
    ]
    # Its own numbers lead there from now on: there is nothing to keep in mind.
    decided = replace(decision, system=fresh, keep_in_mind=False)
    return carry_out(store, reviews, moves, decided, decider)


def _part(system: str, kind: str, ref: str, seq: int) -> Row:
    return {"system": system, "component": kind, "component_ref": ref, "seq": seq, "content": {}}


def _adopt(
    store: Store,
    reviews: Sequence[Row],
    reports: Mapping[str, Row],
    decision: Decision,
    decider: Decider,
    system: str,
) -> Decided:
    stored = load_history(store, [system])[system]
    if stored.system is None or stored.system["status"] != PROVISIONAL:
        raise DecisionRefused("This system is in the inventory by now: match the report with it.")
    kind = decision.component or ""
    if not stored.components and not kind:
        raise DecisionRefused(f"Say what sort of tank it has (component): {', '.join(COMPONENTS)}.")
    content = {
        "system": system, "decision": Verdict.NEW_SYSTEM.value, "by": decider.by,
        "reviews": [one["id"] for one in reviews],
    }  # fmt: skip
    said = NewEntry(type="review", content=content, words={"reason": decider.reason})
    [entry] = append(store, [said], decider.now)
    end_versions(store, tables.system_version, [{"system": system}], entry.seq)
    kept = {name: stored.system[name] for name in _NAMES}
    version = {**kept, "system": system, "seq": entry.seq, "status": "active"}
    insert_system_versions(store, [{**version, "content": {**stored.system["content"], "status": "active"}}])
    there = {(part["component"], part["component_ref"]) for part in stored.components}
    if kind and (kind, decision.ref) not in there:
        part: dict[str, object] = {
            "system": system,
            "component": kind,
            "component_ref": decision.ref,
            "seq": entry.seq,
            "content": {},
        }
        insert_components(store, [part])
    close(store, reviews, Verdict.NEW_SYSTEM, system, entry.seq, decider)
    mark_dirty(store, [system])
    return Decided(
        reports={key: key for key in reports},
        systems=(system,),
        receipt=receipt_of(store, [entry], decider),
        system=system,
        reviews=tuple(str(one["id"]) for one in reviews),
    )


def _void(store: Store, reviews: Sequence[Row], reports: Mapping[str, Row], decider: Decider) -> Decided:
    content = {
        "decision": Verdict.VOIDED.value, "by": decider.by,
        "reviews": [one["id"] for one in reviews],
    }  # fmt: skip
    said = NewEntry(type="review", content=content, words={"reason": decider.reason})
    [entry] = append(store, [said], decider.now)
    close(store, reviews, Verdict.VOIDED, None, entry.seq, decider)
    sender = Sender(name=decider.by)
    receipts = [void(store, sender, key, decider.reason, decider.now, decider.signer) for key in reports]
    left = [str(one["system"]) for one in reports.values() if one["system"]]
    return Decided(
        reports={key: key for key in reports},
        systems=tuple(dict.fromkeys(left)),
        receipt=receipts[-1],
        reviews=tuple(str(one["id"]) for one in reviews),
    )


def _reports_of(store: Store, reviews: Sequence[Row]) -> dict[str, Row]:
    """The reports of some reviews, each of which must stand."""
    found = standing_versions(store, [one["event"] for one in reviews])
    standing = {key: row for key, row in found.items() if row is not None and row["id"] == key}
    if len(standing) != len(reviews):
        raise ReportEnded
    return standing
