"""What bounces and complaints change: the one message that they name, and the list of addresses of its county.

A report can be forged by anybody who can mail to us. So it must name a message that went, by an id that is not to be
guessed from outside, and the recipient that this message had; and it changes that message and that address in that
county, nothing else. A report read twice changes nothing the second time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from notifications.bounces import BounceUnreadable, Report, Told, read_reports, split_mailbox
from notifications.outbox import MessageState, find_message
from notifications.paper import to_paper
from notifications.records import ACCESS_KINDS
from notifications.suppression import Reason, Suppressing, suppress_address
from reporting.store import mail
from reporting.store.engine import Database, Store
from reporting.store.log import NewEntry, append

IN_A_ROW: Final = 3
"""After so many mails in a row that were refused for now, an address counts as dead."""
BY_BOUNCE: Final = "bounce"
_WENT: Final = (MessageState.SENT, MessageState.UNCERTAIN, MessageState.FAILED)


@dataclass(frozen=True, kw_only=True)
class Changed:
    """One message of which a report told something new."""

    county: str
    message: str
    told: str
    text: str
    suppressed: bool = False
    on_paper: bool = False


@dataclass(frozen=True, kw_only=True)
class ReturnCounts:
    """What reading a mailbox came to: messages read, and each report counted by what became of it.

    counts: `permanent`, `transient`, `complaint`; `told_before`; `no_report` (other mail); `other` (delivered, relayed,
    not spam); `unknown_message`; `other_recipient` (not the one of the message named). refused: number and words.
    """

    read: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    changed: tuple[Changed, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()


def read_returns(database: Database, counties: Sequence[str], data: bytes, now: datetime) -> ReturnCounts:
    """Work a mailbox file, or one message, off; one that cannot be read does not stop those behind it.

    counties: every tenant whose mails may be meant, the service's own too. Raises `BounceUnreadable` for a file that
    is no mail at all.
    """
    counts: Counter[str] = Counter()
    changed: list[Changed] = []
    refused: list[tuple[int, str]] = []
    messages = split_mailbox(data)
    for number, one in enumerate(messages, start=1):
        try:
            reports = read_reports(one)
        except BounceUnreadable as error:
            if len(messages) == 1:
                raise
            refused.append((number, str(error)))
            continue
        counts["no_report"] += not reports
        for report in reports:
            name, change = _take(database, counties, report, now)
            counts[name] += 1
            changed += [change] if change else []
    return ReturnCounts(read=len(messages), counts=dict(+counts), changed=tuple(changed), refused=tuple(refused))


def _take(database: Database, counties: Sequence[str], report: Report, now: datetime) -> tuple[str, Changed | None]:
    """What became of one report, and the change that it made."""
    if report.told is Told.OTHER:
        return "other", None
    name = report.message_id.rpartition("@")[0].rpartition(".")[2]
    for county in counties:
        with database.reading(county) as store:
            row = find_message(store, f"msg_{name}")
        if row is None or row["message_id"] != f"<{report.message_id}>" or row["state"] not in _WENT:
            continue
        if row["recipient"].lower() not in report.recipients:
            return "other_recipient", None
        with database.transaction(county) as store:
            return note_return(store, row, report, now)
    return "unknown_message", None


def note_return(store: Store, row: Mapping[str, Any], report: Report, now: datetime) -> tuple[str, Changed | None]:
    """Write down what a report tells of a message of the store's county, and do what follows from it."""
    before = mail.get_bounce(store, row["dedupe_key"])
    known = before is not None and (before["outcome"] != Told.TRANSIENT or report.told is Told.TRANSIENT)
    if known and not (report.gave_up and row["state"] != MessageState.FAILED):
        return "told_before", None  # after a delay only the end is news
    text = _words(report)
    if report.gave_up:
        mail.fail_message(store, row["dedupe_key"], text)
    return str(report.told), _follow(store, row, report, text, now)


def note_refusal(store: Store, row: Mapping[str, Any], status: str, text: str, now: datetime) -> Changed:
    """What follows when a server refuses a recipient at once: the same as when the mail had bounced.

    row: the message as it was claimed, noted as failed with these words; status: of RFC 3463, such as 5.1.1.
    """
    named = frozenset([row["recipient"].lower()])
    report = Report(
        message_id=row["message_id"], recipients=named, told=Told.PERMANENT, status=status, gave_up=True, detail=text
    )
    return _follow(store, row, report, text, now)


def _follow(store: Store, row: Mapping[str, Any], report: Report, text: str, now: datetime) -> Changed:
    """Write it down in the county's record, suppress the address where it has come to that, and send paper instead."""
    note = {"message": row["dedupe_key"], "outcome": str(report.told), "status": report.status, "detail": report.detail}
    mail.note_bounce(store, {**note, "noted_at": now})
    content = {"message": row["id"], "told": str(report.told), "status": report.status, "gave_up": report.gave_up}
    append(store, [NewEntry(type="mail_returned", content=content, words={"text": text})], now)
    suppressed = row["kind"] not in ACCESS_KINDS and _suppress(store, row, report, text, now)
    paper = (suppressed or report.gave_up) and to_paper(store, row, now)
    return Changed(
        county=store.tenant,
        message=row["id"],
        told=str(report.told),
        text=text,
        suppressed=suppressed,
        on_paper=paper,
    )


def _suppress(store: Store, row: Mapping[str, Any], report: Report, text: str, now: datetime) -> bool:
    """Put the address on the county's list, where it has come to that."""
    address = row["recipient"].lower()
    if report.told is Told.TRANSIENT:
        last = mail.last_outcomes(store, address, IN_A_ROW)
        if last != [Told.TRANSIENT] * IN_A_ROW:
            return False
        text = f"{IN_A_ROW} mails in a row were refused for now; the last one: {text}"
    reason = Reason.COMPLAINT if report.told is Told.COMPLAINT else Reason.BOUNCE
    one = Suppressing(address=address, reason=reason, by=BY_BOUNCE, now=now, detail=text, message=row["id"])
    return suppress_address(store, one)


def _words(report: Report) -> str:
    if report.told is Told.COMPLAINT:
        return "Its reader complained of it as spam."
    what = "It bounced" if report.gave_up else "It was delayed"
    return f"{what}: {report.status} {report.detail}".strip()[:500]
