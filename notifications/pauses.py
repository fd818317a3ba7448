"""A county's switch: it holds all its mails, those of a kind, or those to one recipient, until it lets them go again.

What is held stays queued, notices of law too, and is counted; when it is let go it is judged once more. Letters are not
held: nobody but the county prints them. Who paused what, when and why, and who ended it, is in the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from notifications.addresses import is_address
from notifications.records import ACCESS_KINDS, NoticeKind
from reporting.errors import PumperError, RecordNotFound
from reporting.ids import new_id
from reporting.store import mail
from reporting.store.engine import Store
from reporting.store.log import NewEntry, append

PAUSABLE: Final = tuple(str(kind) for kind in NoticeKind if kind not in ACCESS_KINDS)
"""The kinds that a county sends; what lets people in is the service's own."""
LONGEST_REASON: Final = 500


class PauseRefused(PumperError):
    """Mail cannot be paused so."""


class AlreadyPaused(PauseRefused):
    """That is paused already; end that pause first to give another reason."""


@dataclass(frozen=True, kw_only=True)
class Hand:
    """Who turns the switch, and when: for the record."""

    by: str
    now: datetime


def pause_mail(store: Store, hand: Hand, reason: str, *, kind: str = mail.ALL, recipient: str = mail.ALL) -> str:
    """Hold the county's mails of a kind and to a recipient ("": of all, to all) from now on; gives the pause's id.

    A mail that a sender has in hand at the moment still goes. Raises `PauseRefused` (no reason, no such kind, no plain
    address), `AlreadyPaused`.
    """
    recipient = recipient.strip().lower()
    if not reason.strip() or len(reason) > LONGEST_REASON or not reason.isprintable():
        raise PauseRefused(f"Say why, in one line of at most {LONGEST_REASON} characters.")
    if kind != mail.ALL and kind not in PAUSABLE:
        raise PauseRefused(f"Give the kind as one of {', '.join(PAUSABLE)}.")
    if recipient != mail.ALL and not is_address(recipient):
        raise PauseRefused("Give the recipient as one plain mail address, such as office@example.org.")
    pause = new_id("pau", hand.now)
    row = {"id": pause, "kind": kind, "recipient": recipient, "reason": reason.strip()}
    if not mail.add_pause(store, {**row, "created_at": hand.now, "created_by": hand.by}):
        raise AlreadyPaused
    content = {"pause": pause, "kind": kind or None, "by": hand.by}
    words = {"reason": reason.strip(), **({"recipient": recipient} if recipient else {})}
    append(store, [NewEntry(type="mail_paused", content=content, words=words)], hand.now)
    return pause


def resume_mail(store: Store, hand: Hand, pause: str, reason: str = "") -> int:
    """Let the mails go that this pause held; how many wait that no other pause holds. Raises `RecordNotFound`."""
    reason = reason.strip()
    if len(reason) > LONGEST_REASON or not (reason.isprintable()):
        raise PauseRefused(f"Say why in one line of at most {LONGEST_REASON} characters.")
    held = sum(mail.count_held(store).values())
    if not mail.end_pause(store, pause, ended_at=hand.now, ended_by=hand.by, end_reason=reason or None):
        raise RecordNotFound
    words = {"reason": reason} if reason else {}
    content = {"pause": pause, "by": hand.by}
    append(store, [NewEntry(type="mail_resumed", content=content, words=words)], hand.now)
    return held - sum(mail.count_held(store).values())


def find_pause(store: Store, kind: str = mail.ALL, recipient: str = mail.ALL) -> str:
    """The id of the pause that holds now of just this kind and recipient; raises `RecordNotFound`."""
    wanted = (kind, recipient.strip().lower())
    for row in mail.list_pauses(store):
        if (row["kind"], row["recipient"]) == wanted:
            return str(row["id"])
    raise RecordNotFound


def pause_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """A pause as plain JSON values; `kind` and `recipient` null: all."""
    instants = {name: row[name].isoformat() if row[name] else None for name in ("created_at", "ended_at")}
    about = {"id": row["id"], "kind": row["kind"] or None, "recipient": row["recipient"] or None}
    return {**about, **{name: row[name] for name in ("reason", "created_by", "ended_by", "end_reason")}, **instants}
