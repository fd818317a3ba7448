"""From mail to paper: what an owner's dead address did not get goes into the county's next print run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from notifications.directory import load_systems
from notifications.kinds import KINDS
from notifications.notices_owners import owner_of
from notifications.outbox import add_message
from notifications.records import Channel, Notice, NoticeKind
from reporting.store.engine import Store

_SPENT: Final = ("proof", "dropped")
"""What a message learned on its way, and a new one must not say."""


def to_paper(store: Store, message: Mapping[str, Any], now: datetime) -> bool:
    """Queue an owner's mail that cannot arrive as a letter; `False` where there is none to be.

    None for others than owners, where the owner has another address that works, is another one by now, has no postal
    address on file, or has the letter already. message: a row of the queue, its address on the county's list.
    """
    content, system = message["content"], message["content"].get("system")
    if content.get("audience") != "owner" or not system or not KINDS[NoticeKind(message["kind"])].letter:
        return False
    now_known = load_systems(store, [system]).get(system)
    if now_known is None or now_known.owner_mail.addresses or not now_known.owner_postal:
        return False
    if owner_of(now_known) != content.get("addressee"):
        return False
    context = {name: value for name, value in content.items() if name not in _SPENT}
    notice = Notice(
        kind=NoticeKind(message["kind"]),
        recipient=now_known.owner_postal,
        dedupe_key=str(message["dedupe_key"]).removesuffix(str(message["recipient"])) + "letter",
        context={**context, "channel": str(Channel.LETTER)},
        channel=Channel.LETTER,
        system=system,
    )
    host = str(message["message_id"]).rstrip(">").rpartition("@")[2]
    return add_message(store, notice, now, host)
