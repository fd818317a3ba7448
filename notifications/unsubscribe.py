"""One click out of reminders (RFC 8058), and back in: the link that each optional mail carries in its headers.

The link names the message and is signed with the service's secret; it holds no address. A notice of law has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from notifications.kinds import KINDS, is_legal
from notifications.outbox import Claim, find_message
from notifications.records import Channel, NoticeKind
from notifications.suppression import OPTIONAL, Reason, Suppressing, lift_suppression, suppress_address
from reporting.access.secret import Secret
from reporting.errors import RecordNotFound
from reporting.store import mail
from reporting.store.engine import Store

BY_LINK: Final = "unsubscribe link"
"""Who it was, for the record: whoever reads that mailbox."""
_PURPOSE: Final = "unsubscribe"
_PATH: Final = re.compile(r"([a-z2-7]{26})-([a-z2-7]{26})", re.ASCII)


class Choice(StrEnum):
    """What the reader of a reminder chooses."""

    KIND = "kind"
    REMINDERS = "reminders"
    AGAIN = "again"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a good link is about: the message's recipient and kind. `title`: the kind in words."""

    message: str
    address: str
    kind: str
    title: str


def linker(secret: Secret, base_url: str) -> Callable[[Claim, Any], str]:
    """What gives a message's content its link; "" for a notice that may not be refused."""

    def link(claim: Claim, content: Any) -> str:
        if is_legal(claim.kind, content):
            return ""
        return f"{base_url}/unsubscribe/{claim.county}/{unsubscribe_path(secret, claim.county, claim.id)}"

    return link


def unsubscribe_path(secret: Secret, county: str, message: str) -> str:
    """The end of a link's address: the message's name and a signature over it and the county."""
    return f"{message.removeprefix('msg_')}-{secret.mark(_PURPOSE, _signed(county, message))}"


def read_path(store: Store, secret: Secret, path: str) -> Asked | None:
    """What a link is about, in the store's county; `None` for one that we did not make, or of a notice of law."""
    parts = _PATH.fullmatch(path)
    message = f"msg_{parts[1]}" if parts else ""
    if not parts or not secret.is_mark(_PURPOSE, _signed(store.tenant, message), parts[2]):
        return None
    row = find_message(store, message)
    if row is None or row["channel"] != Channel.MAIL or is_legal(row["kind"], row["content"]):
        return None
    title = KINDS[NoticeKind(row["kind"])].title
    return Asked(message=message, address=row["recipient"].lower(), kind=row["kind"], title=title)


def choose(store: Store, asked: Asked, choice: Choice, now: datetime) -> None:
    """Do what the reader chose; the same choice again changes nothing."""
    if choice is Choice.AGAIN:
        try:
            lift_suppression(store, asked.address, BY_LINK, now, "", (Reason.UNSUBSCRIBED,))
        except RecordNotFound:
            return
        return
    kind = asked.kind if choice is Choice.KIND and asked.kind in OPTIONAL else mail.ALL
    suppress_address(
        store,
        Suppressing(
            address=asked.address,
            reason=Reason.UNSUBSCRIBED,
            by=BY_LINK,
            now=now,
            message=asked.message,
            kind=kind,
        ),
    )


def _signed(county: str, message: str) -> str:
    return f"{county}\n{message}"
