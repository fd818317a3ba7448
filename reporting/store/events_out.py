"""Domain events: what reporting leaves behind for notifications to pick up, each cause once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, chunks, tenant_rows


def record_domain_events(store: Store, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Add events (`id`, `kind`, `cause_key`, `system`, `occurred_at`, `content`); gives back the new ones.

    An event whose `cause_key` the county has, or that came before in `rows`, is left out.
    """
    table = tables.domain_event
    make = postgresql.insert if store.dialect == "postgresql" else sqlite.insert
    empty: dict[str, Any] = {"system": None, "content": {}, "handled_at": None}
    complete = [{**empty, **row} for row in tenant_rows(store, rows)]
    new: set[str] = set()
    for part in chunks(complete):
        statement = make(table).values(part).on_conflict_do_nothing(index_elements=["county", "cause_key"])
        new.update(store.connection.execute(statement.returning(table.c.id)).scalars())
    return [row for row in complete if row["id"] in new]


def pending_domain_events(store: Store, limit: int) -> list[dict[str, Any]]:
    """Events that nobody has handled, oldest first."""
    table = tables.domain_event
    query = (
        select(table)
        .where(table.c.county == store.tenant, table.c.handled_at.is_(None))
        .order_by(table.c.occurred_at, table.c.id)
        .limit(limit)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def recorded_causes(store: Store, cause_keys: Iterable[str]) -> set[str]:
    """Of some causes, those that the county has an event of, handled or not."""
    table = tables.domain_event
    found: set[str] = set()
    for part in chunks(dict.fromkeys(cause_keys)):
        query = select(table.c.cause_key).where(table.c.county == store.tenant, table.c.cause_key.in_(part))
        found.update(store.connection.execute(query).scalars())
    return found


def mark_handled(store: Store, ids: Sequence[str], now: datetime) -> int:
    """Note that events were made into messages, or into none for a reason; gives how many were not before."""
    table = tables.domain_event
    done = 0
    for part in chunks(ids):
        statement = (
            update(table)
            .where(table.c.county == store.tenant, table.c.id.in_(part), table.c.handled_at.is_(None))
            .values(handled_at=now)
        )
        done += store.connection.execute(statement).rowcount
    return done
