"""The queue of messages in the database: each once, each claimed by one sender at a time. Never commits.

A claim has a lease and a fence. Whoever sleeps past the lease finds that the fence has risen: its changes touch no row.
States: `queued` → `sending` → `sent`, `failed`, `uncertain` (may have arrived; goes again later under the same
Message-ID) or back to `queued`; `cancelled` when its cause is gone before it left. A letter: `queued` → `printed` (in a
print run) → `sent`.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from notifications.digests import merge_lines
from notifications.records import Channel, Notice
from reporting import tables
from reporting.store.engine import Store
from reporting.store.mail import is_held


class MessageState(StrEnum):
    """Where a message stands."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    PRINTED = "printed"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    CANCELLED = "cancelled"


WAITING: Final = (MessageState.QUEUED, MessageState.UNCERTAIN)
"""The states from which a message is sent when its time has come."""
_RATE: Final = "mail-rate"
_table: Final = tables.message


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One message in the hands of one sender until `lease_until`. `attempts` counts this one."""

    county: str
    dedupe_key: str
    id: str
    kind: str
    recipient: str
    content: Mapping[str, Any]
    message_id: str
    state_before: MessageState
    attempts: int
    fence: int
    lease_until: datetime


def lock_queueing(store: Store) -> None:
    """Let nobody else make messages of this county's events until the transaction ends.

    On SQLite a writer is alone anyway.
    """
    if store.dialect == "postgresql":
        key = text("SELECT pg_advisory_xact_lock(hashtextextended('notices of ' || :county, 0))")
        store.connection.execute(key, {"county": store.tenant})


def add_message(store: Store, notice: Notice, now: datetime, host: str, not_before: datetime | None = None) -> bool:
    """Queue a notice; `False` when the county has a message with its key. `host`: right half of the Message-ID."""
    digest = sha256(f"{store.tenant}\n{notice.dedupe_key}".encode()).digest()
    name = base64.b32encode(digest).decode().lower()[:26]
    row = {
        "county": store.tenant,
        "dedupe_key": notice.dedupe_key,
        "id": f"msg_{name}",
        "kind": str(notice.kind),
        "recipient": notice.recipient,
        "state": str(MessageState.QUEUED),
        "content": dict(notice.context),
        "created_at": now,
        "not_before": not_before or now,
        "fence": 0,
        "attempts": 0,
        "message_id": f"<{notice.kind}.{name}@{host}>",
        "channel": str(notice.channel),
        "system": notice.system,
    }
    make = postgresql.insert if store.dialect == "postgresql" else sqlite.insert
    statement = make(_table).values(row).on_conflict_do_nothing(index_elements=["county", "dedupe_key"])
    return store.connection.execute(statement.returning(_table.c.id)).first() is not None


def extend_digest(store: Store, notice: Notice) -> bool:
    """Add a digest's lines to the one with its key; `False` when that one has set out already."""
    row = store.connection.execute(select(_table).where(_is(store, notice.dedupe_key)).with_for_update()).mappings()
    there = row.one()
    if there["state"] != MessageState.QUEUED or there["attempts"]:
        return False
    lines = merge_lines(there["content"]["lines"], notice.context["lines"])
    statement = (
        update(_table)
        .where(_is(store, notice.dedupe_key), _table.c.fence == there["fence"])
        .values(content={**there["content"], "lines": lines})
    )
    return store.connection.execute(statement).rowcount == 1


def count_lines(store: Store, keys: Sequence[str]) -> dict[str, int]:
    """How many lines each of these digests has, by its key; those that are not there are left out."""
    query = select(_table.c.dedupe_key, _table.c.content).where(
        _table.c.county == store.tenant, _table.c.dedupe_key.in_(keys)
    )
    return {row.dedupe_key: len(row.content.get("lines") or ()) for row in store.connection.execute(query)}


def claim_next(store: Store, now: datetime, lease: timedelta) -> Claim | None:
    """Take the mail that has waited longest; commit before sending it. `None` when nothing is to be sent now.

    Letters wait beside the mails, for a print run; what a pause holds waits until it is over.
    """
    query = (
        select(_table)
        .where(_is_of(store, Channel.MAIL), _table.c.state.in_(WAITING), _table.c.not_before <= now, ~is_held())
        .order_by(_table.c.not_before, _table.c.created_at, _table.c.dedupe_key)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = store.connection.execute(query).mappings().first()
    if row is None:
        return None
    until = now + lease
    statement = (
        update(_table)
        .where(_is(store, row["dedupe_key"]), _table.c.fence == row["fence"], _table.c.state.in_(WAITING))
        .values(
            state=str(MessageState.SENDING),
            lease_until=until,
            fence=_table.c.fence + 1,
            attempts=_table.c.attempts + 1,
        )
    )
    if store.connection.execute(statement).rowcount != 1:
        return None
    taken = {name: row[name] for name in ("county", "dedupe_key", "id", "kind", "recipient", "content", "message_id")}
    return Claim(
        **taken,
        state_before=MessageState(row["state"]),
        attempts=row["attempts"] + 1,
        fence=row["fence"] + 1,
        lease_until=until,
    )


def complete(
    store: Store,
    claim: Claim,
    state: MessageState,
    *,
    sent_at: datetime | None = None,
    not_before: datetime | None = None,
    error: str | None = None,
    content: Mapping[str, Any] | None = None,
) -> bool:
    """Note what came of a claim; `False`, and nothing changed, when the claim has been lost.

    `not_before`: when a message that goes again may go. `content` replaces the message's (with the proof of sending).
    """
    values: dict[str, Any] = {"state": str(state), "lease_until": None, "last_error": error}
    values |= {"sent_at": sent_at} if sent_at else {}
    values |= {"not_before": not_before} if not_before else {}
    values |= {"content": dict(content)} if content is not None else {}
    return store.connection.execute(update(_table).where(_held(store, claim)).values(values)).rowcount == 1


def release(store: Store, claim: Claim, error: str | None = None) -> bool:
    """Put a message back as it was, its attempt not counted; `False` when the claim has been lost."""
    values = {
        "state": str(claim.state_before),
        "lease_until": None,
        "attempts": claim.attempts - 1,
        "last_error": error,
    }
    return store.connection.execute(update(_table).where(_held(store, claim)).values(values)).rowcount == 1


def reap(store: Store, now: datetime) -> int:
    """Free the messages whose sender let the lease run out: they may have arrived, so they are uncertain. How many."""
    lost = and_(_table.c.county == store.tenant, _table.c.state == MessageState.SENDING, _table.c.lease_until <= now)
    values = {
        "state": str(MessageState.UNCERTAIN),
        "lease_until": None,
        "not_before": now,
        "fence": _table.c.fence + 1,
        "last_error": "The sender stopped before it could note whether the message arrived.",
    }
    return store.connection.execute(update(_table).where(lost).values(values)).rowcount


def cancel(store: Store, dedupe_key: str, reason: str) -> bool:
    """Take a waiting message out of the queue; `False` when it is being sent or has come to its end."""
    statement = (
        update(_table)
        .where(_is(store, dedupe_key), _table.c.state.in_(WAITING))
        .values(state=str(MessageState.CANCELLED), fence=_table.c.fence + 1, last_error=reason)
    )
    return store.connection.execute(statement).rowcount == 1


def count_messages(store: Store, channel: Channel = Channel.MAIL) -> dict[str, int]:
    """How many mails (or letters) of the county are in each state, every state named."""
    query = select(_table.c.state, func.count()).where(_is_of(store, channel)).group_by(_table.c.state)
    return {**dict.fromkeys(map(str, MessageState), 0), **dict(store.connection.execute(query).all())}


def count_failed(store: Store, since: datetime) -> int:
    """How many mails made at or after a moment could not be sent."""
    made = and_(_is_of(store, Channel.MAIL), _table.c.state == MessageState.FAILED, _table.c.created_at >= since)
    return int(store.connection.execute(select(func.count()).where(made)).scalar_one())


def oldest_waiting(store: Store, now: datetime) -> datetime | None:
    """Since when the mail that has been due longest waits, those apart that a pause holds; `None`: none is due."""
    due = and_(_is_of(store, Channel.MAIL), _table.c.state.in_(WAITING), _table.c.not_before <= now, ~is_held())
    return store.connection.execute(
        select(_table.c.created_at).where(due).order_by(_table.c.created_at).limit(1)
    ).scalar()


def list_messages(
    store: Store,
    states: Collection[str],
    limit: int = 100,
    *,
    channel: Channel | None = None,
    kinds: Collection[str] = (),
    system: str | None = None,
) -> list[dict[str, Any]]:
    """The county's messages in these states, newest first: what failed, what is uncertain, what was sent to whom.

    channel, kinds, system: only those (None, none: all). A digest is about many systems, and found under none.
    """
    query = (
        select(_table)
        .where(_table.c.county == store.tenant, _table.c.state.in_([str(state) for state in states]))
        .where(*_narrowed(channel, kinds, system))
        .order_by(_table.c.created_at.desc(), _table.c.dedupe_key)
        .limit(limit)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def reserve_slot(store: Store, now: datetime, per_minute: int) -> datetime:
    """The next moment at which any sender of this service may send one message, at most `per_minute` a minute."""
    lease = tables.lease
    make = postgresql.insert if store.dialect == "postgresql" else sqlite.insert
    first = {"name": _RATE, "owner": "", "until": now, "fence": 0}
    store.connection.execute(make(lease).values(first).on_conflict_do_nothing())
    row = store.connection.execute(select(lease.c.until).where(lease.c.name == _RATE).with_for_update()).one()
    slot: datetime = max(now, row.until)
    following = slot + timedelta(seconds=60 / per_minute)
    store.connection.execute(update(lease).where(lease.c.name == _RATE).values(until=following))
    return slot


def lease_until(store: Store, name: str) -> datetime | None:
    """Until when somebody holds a lease, also one that has run out; `None` when nobody ever did."""
    return store.connection.execute(select(tables.lease.c.until).where(tables.lease.c.name == name)).scalar()


def find_message(store: Store, message: str) -> dict[str, Any] | None:
    """One message of the county by its id; `None` where there is none."""
    query = select(_table).where(_table.c.county == store.tenant, _table.c.id == message)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row is not None else None


def _narrowed(channel: Channel | None, kinds: Collection[str], system: str | None) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    found += [_table.c.channel == str(channel)] if channel is not None else []
    found += [_table.c.kind.in_([str(kind) for kind in kinds])] if kinds else []
    return found + ([_table.c.system == system] if system is not None else [])


def _is_of(store: Store, channel: Channel) -> ColumnElement[bool]:
    return and_(_table.c.county == store.tenant, _table.c.channel == str(channel))


def _is(store: Store, dedupe_key: str) -> ColumnElement[bool]:
    return and_(_table.c.county == store.tenant, _table.c.dedupe_key == dedupe_key)


def _held(store: Store, claim: Claim) -> ColumnElement[bool]:
    return and_(_is(store, claim.dedupe_key), _table.c.fence == claim.fence, _table.c.state == MessageState.SENDING)
