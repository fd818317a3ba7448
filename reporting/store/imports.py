"""Inventory files that staff imported: those that wait for the worker, and what became of the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, insert_rows, tenant_rows

_table: Final = tables.inventory_file


def keep_import(store: Store, row: Row) -> None:
    """Keep a file with what is known of it."""
    insert_rows(store, _table, tenant_rows(store, [row]))


def get_import(store: Store, import_id: str) -> dict[str, Any] | None:
    """One file with its bytes, or `None`."""
    query = select(_table).where(_table.c.county == store.tenant, _table.c.id == import_id)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def list_imports(store: Store, limit: int, states: Collection[str] = ()) -> list[dict[str, Any]]:
    """The county's files, the newest first, without their bytes and answers; with `states`, those in one of them."""
    shown = [column for column in _table.c if column.name not in ("data", "answer")]
    query = select(*shown).where(_table.c.county == store.tenant)
    if states:
        query = query.where(_table.c.state.in_(states))
    ordered = query.order_by(_table.c.received_at.desc(), _table.c.id.desc()).limit(limit)
    return [dict(row) for row in store.connection.execute(ordered).mappings()]


def update_import(store: Store, import_id: str, changes: Mapping[str, Any]) -> bool:
    """Set some columns; `False` where there is no such file."""
    mine = (_table.c.county == store.tenant, _table.c.id == import_id)
    return store.connection.execute(update(_table).where(*mine).values(dict(changes))).rowcount == 1


def forget_imports(store: Store, before: datetime) -> int:
    """Drop the files that were done before a moment; what they changed stays on record. How many."""
    over = (_table.c.county == store.tenant, _table.c.ended_at < before)
    return store.connection.execute(delete(_table).where(*over)).rowcount
