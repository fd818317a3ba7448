"""What a person decides about reports in doubt, as values, and how a decision is written down.

Everything is in the caller's transaction with an entry in the county's record that says who and why. A report that
finds its place is a new version of itself under the entry's number, so that what was known before stays answerable
(`known_at`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from reporting import tables
from reporting.errors import AlreadyDecided, ReasonMissing, ReportEnded
from reporting.intake.contents import visit_of
from reporting.intake.memory import BY_LICENSE, memory_key
from reporting.intake.tanks import Tank
from reporting.receipts import Receipt, receipts_for
from reporting.reviews.reading import damage_of, norms_of_content
from reporting.store.engine import Store
from reporting.store.facts import end_versions, insert_events
from reporting.store.log import Appended, checkpoint
from reporting.store.matching import resolve_review
from reporting.store.signing import Signer

Row = Mapping[str, Any]


class Verdict(StrEnum):
    """What a person says of a report in doubt; with `OPEN` the states of a review, beside those of its report's end."""

    MATCHED = "matched"
    NEW_SYSTEM = "new_system"
    VOIDED = "voided"


@dataclass(frozen=True, kw_only=True)
class Decider:
    """Who decides, when, why, and the key that signs for it."""

    by: str
    now: dt.datetime
    reason: str
    signer: Signer


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What is decided. system: the one that was served (`MATCHED`); component, ref: which of its tanks, where the
    report does not say it. all_reports: of every report in doubt of the same provisional system. keep_in_mind: the same
    numbers from the same business go there by themselves the next time.
    """

    verdict: Verdict
    system: str = ""
    component: str = ""
    ref: str = ""
    all_reports: bool = False
    keep_in_mind: bool = True


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What came of it. reports: each report's id before → now. systems: those to be judged anew. remembered: whether
    the same numbers lead there by themselves from now on; forgotten: whether they did before and no longer do.
    """

    reports: Mapping[str, str]
    systems: tuple[str, ...]
    receipt: Receipt
    system: str | None = None
    remembered: bool = False
    forgotten: bool = False
    reviews: tuple[str, ...] = ()


def key_of(report: Row) -> str:
    """What a decision about a report is remembered under; '' for none."""
    business = str(report["contractor_id"] or f"{BY_LICENSE}{report['license_norm'] or ''}")
    return memory_key(business, norms_of_content(report["content"]), damage_of(report["content"]))


@dataclass(frozen=True, kw_only=True)
class Move:
    """One report on its way: the version that stands, the id of the next one (the same where the report stays), where
    it goes, and the entry that says so.
    """

    report: Row
    fresh: str
    system: str | None
    tank: Tank
    seq: int = 0

    @property
    def stays(self) -> bool:
        """Whether the report is in its place already, and the decision only says so."""
        return bool(self.fresh == self.report["id"])


def replace_versions(store: Store, moves: Sequence[Move]) -> None:
    """End each report's version and add the next one: the same report, received when it was, in its new place."""
    moving = [m for m in moves if not m.stays]
    for m in moving:
        if end_versions(store, tables.event, [{"id": m.report["id"]}], m.seq) != 1:
            raise ReportEnded
    insert_events(store, [_version(m) for m in moving])


def _version(m: Move) -> dict[str, Any]:
    before = m.report
    visit = before["visit"]
    if visit is not None and m.system:
        # Rows of one ticket are one visit, whether their system was certain or not.
        business = str(before["contractor_id"] or f"{BY_LICENSE}{before['license_norm'] or ''}")
        visit = visit_of(business, before["content"], m.system)
    return {
        **{name: value for name, value in before.items() if name != "county"},
        "id": m.fresh,
        "seq": m.seq,
        "ended_seq": None,
        "system": m.system,
        "component": m.tank.kind,
        "component_ref": m.tank.ref,
        "first_received_at": before["first_received_at"] or before["received_at"],
        "supersedes": before["id"],
        "visit": visit,
    }


def close(
    store: Store,
    reviews: Sequence[Row],
    verdict: Verdict,
    system: str | None,
    seq: int,
    decider: Decider,
) -> None:
    """Close the reviews under the entry `seq`; raises AlreadyDecided where somebody was faster."""
    for one in reviews:
        if not resolve_review(store, one["id"], state=verdict.value, system=system, seq=seq, by=decider.by):
            raise AlreadyDecided


def entry_content(
    decider: Decider,
    decision: str,
    report: Row,
    *,
    system: str | None,
    review: Row | None = None,
) -> dict[str, Any]:
    """What the record says of a placement."""
    return {
        "decision": decision,
        "supersedes": report["id"],
        "from_system": report["system"],
        "system": system,
        "by": decider.by,
        **({"review": review["id"]} if review else {}),
    }


def check_reason(decider: Decider) -> None:
    """Raise ReasonMissing for a decision without its reason."""
    if not decider.reason.strip():
        raise ReasonMissing


def receipt_of(store: Store, appended: Sequence[Appended], decider: Decider) -> Receipt:
    """The receipt of the first of some entries, under a head signed now."""
    return receipts_for(appended, checkpoint(store, decider.signer, decider.now))[0]
