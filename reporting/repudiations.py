"""A business denies a report in its name: "this was not me".

The report stays on record and goes on counting: one business's word alone neither proves a service nor undoes one, and
an owner's dates may hang on it. Staff decides the review that this opens: `matched` with its system, the report stands;
`voided`, it is taken out, and the dates follow. See docs/decisions/0019-this-was-not-me.md.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final

from reporting.errors import DecisionRefused, ReasonMissing, RecordNotFound, ReportEnded
from reporting.ids import new_id
from reporting.intake.credentials import Sender
from reporting.intake.words import normalize_license
from reporting.receipts import Receipt, receipts_for
from reporting.reviews.reading import REPUDIATED
from reporting.store.engine import Store
from reporting.store.facts import insert_facts, load_county_facts, load_events
from reporting.store.log import NewEntry, append, checkpoint, hold
from reporting.store.matching import insert_reviews
from reporting.store.people import licences_of
from reporting.store.reviews import OPEN
from reporting.store.signing import Signer

REPUDIATION: Final = "repudiation"
"""The kind of the fact, whose id is the report's, and the type of the entry."""
_LONGEST: Final = 2_000


@dataclass(frozen=True, kw_only=True)
class Repudiated:
    """What came of it: the review that staff decides, and the entry's receipt."""

    review: str
    receipt: Receipt


def repudiate(
    store: Store,
    sender: Sender,
    report_id: str,
    reason: str,
    now: dt.datetime,
    signer: Signer,
    *,
    license_number: str | None = None,
) -> Repudiated:
    """Keep a business's word that a report in its name is not its own.

    sender: that business; or staff, who says which one by a licence. Raises RecordNotFound for a report that does not
    bear the business's name, ReportEnded, ReasonMissing, DecisionRefused (it was denied before, or the reason is no
    sentence).
    """
    if not reason.strip():
        raise ReasonMissing
    if len(reason) > _LONGEST or "\x00" in reason:
        raise DecisionRefused(f"Give the reason in at most {_LONGEST:,} characters.")
    hold(store)
    report = load_events(store, [report_id]).get(report_id)
    if report is None or report["submission"] is None or not _bears_name(store, report, sender, license_number):
        raise RecordNotFound
    if report["ended_seq"] is not None:
        raise ReportEnded
    if repudiation_of(store, report_id) is not None:
        raise DecisionRefused("This report was denied before; the county decides about it.")
    business = sender.contractor_id or report["contractor_id"]
    said = {"id": report_id, "by": sender.name, "contractor_id": business}
    appended = append(store, [NewEntry(type=REPUDIATION, content=said, words={"reason": reason})], now)
    seq = appended[0].seq
    content = {"by": sender.name, "contractor_id": business, "reason": reason}
    insert_facts(store, [{"kind": REPUDIATION, "id": report_id, "seq": seq, "content": content}])
    review = {
        "id": new_id("rev", now),
        "event": report_id,
        "state": OPEN,
        "reason": REPUDIATED,
        "candidates": [],
        "created_seq": seq,
        "system": None,
    }
    insert_reviews(store, [review])
    return Repudiated(review=str(review["id"]), receipt=receipts_for(appended, checkpoint(store, signer, now))[0])


def repudiation_of(store: Store, report_id: str) -> dict[str, Any] | None:
    """What was said of a report: `by`, `contractor_id`, `reason`, `seq`; `None` when nobody denied it."""
    for row in load_county_facts(store, REPUDIATION):
        if row["id"] == report_id:
            return {**row["content"], "seq": row["seq"]}
    return None


def _bears_name(store: Store, report: dict[str, Any], sender: Sender, license_number: str | None) -> bool:
    if sender.contractor_id is not None:
        norms = {row["license_norm"] for row in licences_of(store, sender.contractor_id)}
        return report["contractor_id"] == sender.contractor_id or report["license_norm"] in norms
    return license_number is not None and normalize_license(license_number) == report["license_norm"]
