"""Reports into systems: matched, moved from one to another, sent back; the dates follow on both.

Both the system that a report leaves and the one it comes to are named in the answer: the caller judges them anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reporting.errors import DecisionRefused, RecordNotFound, ReportEnded
from reporting.histories import PROVISIONAL, read_domain
from reporting.ids import new_id, new_ids
from reporting.intake.memory import forget, remember
from reporting.intake.places import DECIDED_BY_NUMBERS, Doubt
from reporting.intake.provisional import REMOVED, remove_empty
from reporting.intake.tanks import Tank, tank_of
from reporting.reviews.decisions import (
    Decided,
    Decider,
    Decision,
    Move,
    Row,
    check_reason,
    close,
    entry_content,
    key_of,
    receipt_of,
    replace_versions,
)
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.facts import load_events, load_history
from reporting.store.log import NewEntry, append
from reporting.store.matching import insert_reviews
from reporting.store.reviews import OPEN, open_reviews


def move(store: Store, report_id: str, decision: Decision, decider: Decider) -> Decided:
    """Undo a match: the report goes to another system or tank. What was remembered of it is forgotten and, if wanted,
    remembered anew. Raises as `resolve` does.
    """
    report = _standing(store, report_id, decider)
    reviews = open_reviews(store, events=[report_id])
    return match_reports(store, reviews, {report_id: report}, decision, decider)


def send_back(store: Store, report_id: str, decider: Decider) -> Decided:
    """Undo a match: the report waits for a person again, and counts for no system."""
    report = _standing(store, report_id, decider)
    if report["system"] is None or open_reviews(store, events=[report_id]):
        raise DecisionRefused("This report waits for a decision already.")
    content = entry_content(decider, "sent_back", report, system=None)
    fresh = new_id("rep", decider.now)
    said = NewEntry(type="placement", content={**content, "id": fresh}, words={"reason": decider.reason})
    [entry] = append(store, [said], decider.now)
    kind, ref = (str(report["content"].get(name) or "") for name in ("component", "component_ref"))
    tank = Tank(kind=kind, ref=ref)
    replace_versions(store, [Move(report=report, fresh=fresh, system=None, tank=tank, seq=entry.seq)])
    review = {
        "id": new_id("rev", decider.now),
        "event": fresh,
        "state": OPEN,
        "reason": Doubt.SENT_BACK.value,
        "candidates": [],
        "created_seq": entry.seq,
        "system": None,
    }
    insert_reviews(store, [review])
    forgotten = forget(store, key_of(report))
    left = str(report["system"])
    remove_empty(store, [left], entry.seq)
    mark_dirty(store, [left])
    return Decided(
        reports={report_id: fresh}, systems=(left,), receipt=receipt_of(store, [entry], decider), forgotten=forgotten,
        reviews=(str(review["id"]),),
    )  # fmt: skip


def match_reports(
    store: Store,
    reviews: Sequence[Row],
    reports: Mapping[str, Row],
    decision: Decision,
    decider: Decider,
) -> Decided:
    """Put reports into the decided system. Raises DecisionRefused where it is not there, or its tank is not certain."""
    stored = load_history(store, [decision.system]).get(decision.system)
    if stored is None or stored.system is None or stored.system["status"] in (PROVISIONAL, REMOVED):
        raise DecisionRefused("There is no such system in the county's inventory.")
    domain = read_domain(stored)[0]
    ids = new_ids("rep", decider.now, len(reports))
    moves = []
    for fresh, report in zip(ids, reports.values(), strict=True):
        said = report["content"]
        kind = decision.component or str(said.get("component") or "")
        # A tank's name of the sender's own says nothing where a person says which tank it is.
        ref = decision.ref or ("" if decision.component else str(said.get("component_ref") or ""))
        tank = tank_of(domain, kind, ref)
        if not tank.certain:
            parts = sorted({(c.kind, c.ref) for c in domain.components})
            listed = ", ".join(" ".join(p for p in part if p) for part in parts) or "none"
            raise DecisionRefused(f"Say which of the system's tanks was served (component, component_ref): {listed}.")
        here = (report["system"], report["component"], report["component_ref"])
        stays = here == (decision.system, tank.kind, tank.ref)
        if stays and not reviews:
            raise DecisionRefused("The report is of this system and tank already.")
        moves.append(Move(report=report, fresh=report["id"] if stays else fresh, system=decision.system, tank=tank))
    return carry_out(store, reviews, moves, decision, decider)


def carry_out(
    store: Store,
    reviews: Sequence[Row],
    moves: Sequence[Move],
    decision: Decision,
    decider: Decider,
) -> Decided:
    """Write the moves with an entry each, close their reviews, keep in mind what holds the next time."""
    by_report = {one["event"]: one for one in reviews}
    entries = []
    for m in moves:
        review = by_report.get(m.report["id"])
        content = entry_content(decider, decision.verdict.value, m.report, system=m.system, review=review)
        content |= {"id": m.fresh, "component": m.tank.kind, "component_ref": m.tank.ref}
        entries.append(NewEntry(type="placement", content=content, words={"reason": decider.reason}))
    appended = append(store, entries, decider.now)
    replace_versions(store, [replace(m, seq=entry.seq) for m, entry in zip(moves, appended, strict=True)])
    seq = appended[-1].seq
    close(store, reviews, decision.verdict, decision.system, seq, decider)
    forgotten = {m.fresh for m in moves if forget(store, key_of(m.report))}
    to_keep = [m for m in moves if m.fresh in forgotten or _may_remember(by_report.get(m.report["id"]))]
    remembered = [remember(store, key_of(m.report), decision.system) for m in to_keep if decision.keep_in_mind]
    left = [str(m.report["system"]) for m in moves if m.report["system"]]
    remove_empty(store, left, seq)
    touched = tuple(dict.fromkeys((*left, decision.system)))
    mark_dirty(store, touched)
    return Decided(
        reports={str(m.report["id"]): m.fresh for m in moves},
        systems=touched,
        receipt=receipt_of(store, appended, decider),
        system=decision.system,
        remembered=any(remembered),
        forgotten=bool(forgotten) and not any(remembered),
        reviews=tuple(str(one["id"]) for one in reviews),
    )


def _may_remember(review: Row | None) -> bool:
    """Whether a decision holds for the same numbers the next time: not where it was of one day's service."""
    return review is not None and review["reason"] in {*DECIDED_BY_NUMBERS, Doubt.SENT_BACK}


def _standing(store: Store, report_id: str, decider: Decider) -> Row:
    report = load_events(store, [report_id]).get(report_id)
    if report is None or report["submission"] is None:  # a baseline is the inventory's own
        raise RecordNotFound
    if report["ended_seq"] is not None:
        raise ReportEnded
    check_reason(decider)
    return report
