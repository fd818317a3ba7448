"""What webhooks are sent, of one county: a queue in which each thing stands once. Never commits.

A claim has a lease and a fence, as one of a mail has (`notifications.outbox`). States: `queued` → `sending` → `sent`,
`failed`, or back to `queued`; `cancelled` where its subscription ended first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, chunks, insert_new_rows, tenant_rows
from reporting.store.webhooks import ACTIVE, free_webhook, is_free, take_webhook

_table: Final = tables.webhook_delivery
_hook: Final = tables.webhook
_CANDIDATES: Final = 10


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    CANCELLED = "cancelled"


_ENDED: Final = (DeliveryState.SENT, DeliveryState.FAILED, DeliveryState.CANCELLED)


@dataclass(frozen=True, kw_only=True)
class HookClaim:
    """One delivery in the hands of one sender until `lease_until`. `attempts` counts this one.

    hook: the subscription's row, with its address and sealed secrets.
    """

    county: str
    id: str
    kind: str
    content: Mapping[str, Any]
    attempts: int
    fence: int
    lease_until: datetime
    hook: Mapping[str, Any]


def has_unhooked(store: Store) -> bool:
    """Whether there are events of which nothing was made for webhooks yet."""
    table = tables.domain_event
    query = select(table.c.id).where(table.c.county == store.tenant, table.c.hooked_at.is_(None)).limit(1)
    return store.connection.execute(query).first() is not None


def unhooked_events(store: Store, limit: int) -> list[dict[str, Any]]:
    """Events of which nothing was made for webhooks yet, oldest first, held until the transaction ends."""
    table = tables.domain_event
    query = (
        select(table)
        .where(table.c.county == store.tenant, table.c.hooked_at.is_(None))
        .order_by(table.c.occurred_at, table.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def mark_hooked(store: Store, ids: Sequence[str], now: datetime) -> None:
    """Note that whatever is to be sent of events stands in the queue."""
    table = tables.domain_event
    for part in chunks(ids):
        where = and_(table.c.county == store.tenant, table.c.id.in_(part))
        store.connection.execute(update(table).where(where).values(hooked_at=now))


def add_deliveries(store: Store, rows: Sequence[Row], now: datetime) -> None:
    """Queue deliveries (`id`, `webhook`, `source`, `kind`, `content`); what is there already stays as it is."""
    started = {"state": DeliveryState.QUEUED.value, "created_at": now, "not_before": now}
    for part in chunks(tenant_rows(store, [{**row, **started} for row in rows])):
        insert_new_rows(store, _table, part)


def claim_delivery(store: Store, now: datetime, lease: timedelta, only: str | None = None) -> HookClaim | None:
    """Take the oldest of a receiver that nobody is calling; commit before sending it. `None`: nothing, or not now.

    Receivers take turns, so that none with much to hear keeps the others waiting. only: this delivery and no other.
    """
    this = [_table.c.id == only] if only else []
    waiting = and_(_is_waiting(store), _table.c.not_before <= now, *this)
    turns = func.coalesce(_hook.c.last_sent_at, _hook.c.created_at)
    query = (
        select(_hook.c.id)
        .where(is_free(now), _hook.c.id.in_(select(_table.c.webhook).where(waiting)))
        .order_by(turns, _hook.c.id)
        .limit(_CANDIDATES)
    )
    for webhook in store.connection.execute(query).scalars().all():
        if not take_webhook(store, webhook, now, now + lease):
            continue
        oldest = (
            select(_table)
            .where(waiting, _table.c.webhook == webhook)
            .order_by(_table.c.not_before, _table.c.created_at, _table.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        row = store.connection.execute(oldest).mappings().first()
        if row is not None:
            return _take(store, dict(row), now, now + lease)
        free_webhook(store, webhook, now + lease)
    return None


def _take(store: Store, row: Mapping[str, Any], now: datetime, until: datetime) -> HookClaim:
    values = {
        "state": DeliveryState.SENDING.value,
        "lease_until": until,
        "fence": row["fence"] + 1,
        "attempts": row["attempts"] + 1,
        "tried_at": now,
    }
    store.connection.execute(update(_table).where(_is(store, row["id"])).values(values))
    hook = store.connection.execute(select(_hook).where(_hook.c.id == row["webhook"])).mappings().one()
    taken = {name: row[name] for name in ("county", "id", "kind", "content")}
    return HookClaim(**taken, attempts=row["attempts"] + 1, fence=row["fence"] + 1, lease_until=until, hook=dict(hook))


def finish_delivery(store: Store, claim: HookClaim, state: DeliveryState, **values: Any) -> bool:
    """Note what came of a claim, and let its receiver go; `False` when the claim has been lost.

    values: `status`, `last_error`, `sent_at`, `not_before`.
    """
    held = and_(_is(store, claim.id), _table.c.fence == claim.fence, _table.c.state == DeliveryState.SENDING.value)
    statement = update(_table).where(held).values(state=state.value, lease_until=None, **values)
    done = store.connection.execute(statement).rowcount == 1
    free_webhook(store, claim.hook["id"], claim.lease_until)
    return done


def reap_deliveries(store: Store, now: datetime) -> int:
    """Queue again what a sender held past its lease: it may have arrived, and goes under the same id. How many.

    What waits for a subscription that has ended is cancelled.
    """
    lost = and_(
        _table.c.county == store.tenant, _table.c.state == DeliveryState.SENDING.value, _table.c.lease_until <= now
    )
    values = {
        "state": DeliveryState.QUEUED.value,
        "lease_until": None,
        "not_before": now,
        "fence": _table.c.fence + 1,
        "last_error": "The sender stopped before it could note whether it arrived.",
    }
    freed = store.connection.execute(update(_table).where(lost).values(values)).rowcount
    ended = _table.c.webhook.in_(select(_hook.c.id).where(_hook.c.state != ACTIVE))
    gone = {"state": DeliveryState.CANCELLED.value, "last_error": "The webhook has ended."}
    store.connection.execute(update(_table).where(_is_waiting(store), ended).values(gone))
    return freed


def recent_deliveries(store: Store, webhook: str, limit: int) -> list[dict[str, Any]]:
    """What was made for a subscription of late, newest first."""
    query = (
        select(_table)
        .where(_table.c.county == store.tenant, _table.c.webhook == webhook)
        .order_by(_table.c.created_at.desc(), _table.c.id)
        .limit(limit)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def count_waiting(store: Store) -> int:
    """How many deliveries of the county have not come to their end."""
    live = _table.c.state.in_([DeliveryState.QUEUED.value, DeliveryState.SENDING.value])
    query = select(func.count()).where(_table.c.county == store.tenant, live)
    return int(store.connection.execute(query).scalar_one())


def forget_deliveries(store: Store, before: datetime, states: Collection[DeliveryState] = _ENDED) -> int:
    """Drop from the log what came to its end and was made before a moment; how many."""
    old = and_(
        _table.c.county == store.tenant, _table.c.created_at < before, _table.c.state.in_([s.value for s in states])
    )
    return store.connection.execute(delete(_table).where(old)).rowcount


def _is(store: Store, delivery: str) -> ColumnElement[bool]:
    return and_(_table.c.county == store.tenant, _table.c.id == delivery)


def _is_waiting(store: Store) -> ColumnElement[bool]:
    return and_(_table.c.county == store.tenant, _table.c.state == DeliveryState.QUEUED.value)
