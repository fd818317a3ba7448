"""Taking back a whole submission: every report that it brought in and that stands, in one transaction."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from reporting.errors import ReasonMissing, RecordNotFound, SubmissionEnded
from reporting.intake.credentials import Sender
from reporting.intake.provisional import remove_empty
from reporting.store.derived import mark_dirty
from reporting.store.engine import Store
from reporting.store.log import NewEntry, append, checkpoint
from reporting.store.signing import SignedHead, Signer
from reporting.store.submissions import (
    count_repeats,
    drop_file,
    end_reports,
    get_submission,
    standing_reports,
    update_submission,
)

UNDONE: Final = "undone"


@dataclass(frozen=True, kw_only=True)
class Undone:
    """What was taken back: how many reports, the systems they were of, the signed head that holds all of it.

    repeats: rows of other submissions that were answered as duplicates of these reports, and are now nowhere.
    """

    submission: str
    voided: int
    systems: tuple[str, ...]
    repeats: int
    head: SignedHead

    def as_json(self) -> dict[str, object]:
        """The answer's members beside the county."""
        record = {"size": self.head.size, "root": self.head.root.hex(), "key_id": self.head.key_id}
        counts = {"voided": self.voided, "systems": len(self.systems), "repeats_elsewhere": self.repeats}
        return {"id": self.submission, "status": UNDONE, **counts, "record": record}


def undo(store: Store, sender: Sender, submission_id: str, reason: str, now: dt.datetime, signer: Signer) -> Undone:
    """Take back every standing report of a submission, as if the file had never been sent; one that is being worked off
    is stopped. The record keeps an entry for each report and one for the whole. What it brought in can be sent again.

    Whether the sender may is the caller's to know. Raises RecordNotFound, SubmissionEnded (undone before, or nothing
    was taken of it), ReasonMissing.
    """
    row = get_submission(store, submission_id, lock=True)
    if row is None:
        raise RecordNotFound
    if row["status"] in (UNDONE, "refused"):
        raise SubmissionEnded
    if not reason.strip():
        raise ReasonMissing
    whole = {"id": submission_id, "by": sender.name}
    words = {"reason": reason}
    # The first entry holds the log: what stands now, stands until the end.
    append(store, [NewEntry(type="undo", content=whole, words=words)], now)
    reports = standing_reports(store, submission_id)
    voids = [
        NewEntry(type="void", content={"id": r["id"], "by": sender.name, "undo": submission_id}, words=words)
        for r in reports
    ]
    appended = append(store, voids, now)
    if appended:
        end_reports(store, submission_id, appended[0].seq, sender.name)
        systems = tuple(dict.fromkeys(str(r["system"]) for r in reports if r["system"]))
        remove_empty(store, systems, appended[-1].seq)
        mark_dirty(store, systems)
    else:
        systems = ()
    update_submission(store, submission_id, {"status": UNDONE})
    drop_file(store, submission_id)
    return Undone(
        submission=submission_id,
        voided=len(appended),
        systems=systems,
        repeats=count_repeats(store, submission_id),
        head=checkpoint(store, signer, now),
    )
