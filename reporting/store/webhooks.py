"""Webhooks' subscriptions: a county's own or a business's. Kept for no county, as keys are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, or_, select, text, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, insert_rows

ACTIVE, DISABLED, REMOVED = "active", "disabled", "removed"
_table: Final = tables.webhook


def hold_holder(store: Store, county: str | None, contractor_id: str | None) -> None:
    """Let nobody else add a webhook for this holder until the transaction ends; on SQLite a writer is alone anyway."""
    if store.dialect == "postgresql":
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || :holder, 0))")
        store.connection.execute(lock, {"holder": county or contractor_id or ""})


def insert_webhook(store: Store, row: Row) -> None:
    """Add a subscription."""
    insert_rows(store, _table, [row])


def get_webhook(store: Store, webhook: str) -> dict[str, Any] | None:
    """One subscription that was not removed, or `None`."""
    query = select(_table).where(_table.c.id == webhook, _table.c.state != REMOVED)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def list_webhooks(store: Store, *, county: str | None = None, contractor_id: str | None = None) -> list[dict[str, Any]]:
    """The subscriptions that were not removed, oldest first; with a county or a business, only its own."""
    query = select(_table).where(_table.c.state != REMOVED).order_by(_table.c.created_at, _table.c.id)
    if county is not None:
        query = query.where(_table.c.county == county)
    if contractor_id is not None:
        query = query.where(_table.c.contractor_id == contractor_id)
    return [dict(row) for row in store.connection.execute(query).mappings()]


def listening_webhooks(store: Store, county: str) -> list[dict[str, Any]]:
    """The active subscriptions to which something of a county may be for: its own, and every business's."""
    whose = or_(_table.c.county == county, _table.c.contractor_id.is_not(None))
    query = select(_table).where(_table.c.state == ACTIVE, whose).order_by(_table.c.id)
    return [dict(row) for row in store.connection.execute(query).mappings()]


def change_webhook(store: Store, webhook: str, **values: Any) -> bool:
    """Change a subscription that was not removed; `False` where there is none."""
    statement = update(_table).where(_table.c.id == webhook, _table.c.state != REMOVED).values(**values)
    return store.connection.execute(statement).rowcount == 1


def disable_webhook(store: Store, webhook: str, now: datetime, because: str) -> bool:
    """End an active subscription until its holder enables it again; `False` where it was not active."""
    values = {"state": DISABLED, "ended_at": now, "ended_because": because, "busy_until": None}
    statement = update(_table).where(_table.c.id == webhook, _table.c.state == ACTIVE).values(**values)
    return store.connection.execute(statement).rowcount == 1


def take_webhook(store: Store, webhook: str, now: datetime, until: datetime) -> bool:
    """Hold a subscription for one call; `False` while somebody calls it, it rests, or is not active."""
    statement = update(_table).where(_table.c.id == webhook, is_free(now)).values(busy_until=until)
    return store.connection.execute(statement).rowcount == 1


def is_free(now: datetime) -> ColumnElement[bool]:
    """The condition under which a subscription may be called."""
    return and_(
        _table.c.state == ACTIVE,
        or_(_table.c.busy_until.is_(None), _table.c.busy_until <= now),
        or_(_table.c.rest_until.is_(None), _table.c.rest_until <= now),
    )


def free_webhook(store: Store, webhook: str, held_until: datetime) -> None:
    """Give up what `take_webhook` took; does nothing where somebody else has taken it since."""
    mine = and_(_table.c.id == webhook, _table.c.busy_until == held_until)
    store.connection.execute(update(_table).where(mine).values(busy_until=None))


def note_taken(store: Store, webhook: str, now: datetime) -> None:
    """Note that a subscription's receiver took something: it is well again."""
    values = {"failures": 0, "failing_since": None, "rest_until": None, "last_sent_at": now, "last_error": None}
    store.connection.execute(update(_table).where(_table.c.id == webhook).values(**values))


def note_failure(store: Store, webhook: str, now: datetime, rest: timedelta, error: str) -> None:
    """Note that a receiver did not take something: it is left alone for a while."""
    values = {
        "failures": _table.c.failures + 1,
        "failing_since": func.coalesce(_table.c.failing_since, now),
        "rest_until": now + rest,
        "last_error": error,
    }
    store.connection.execute(update(_table).where(_table.c.id == webhook).values(**values))
