"""Requests that may come again: one answer a key, kept in the transaction of the record itself.

`begin` first, then the work, then `finish`, all in one transaction: a crash leaves the key free. A caller whose work
spans transactions commits after `begin`; others are told `Running` until `finish`, `release`, or `stale_after`.
Keys are scoped by principal and route; the route is the path as called, county and all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import insert_new_rows

KEPT: Final = timedelta(days=400)
STALE: Final = timedelta(minutes=15)


@dataclass(frozen=True, kw_only=True)
class Fresh:
    """The key is new: do the work, then `finish`."""


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The work was done: answer as the first time."""

    status: int
    answer: Any
    headers: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Running:
    """Somebody is doing this work now."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """The key was used with another body."""


Begun = Fresh | Replay | Running | Mismatch


def begin(
    store: Store,
    principal: str,
    route: str,
    key: str,
    body_sha256: str,
    now: datetime,
    stale_after: timedelta = STALE,
) -> Begun:
    """Take the key, or say what became of it. Never waits for another transaction that holds it."""
    if not _try_lock(store, principal, route, key):
        return Running()
    table = tables.idempotency
    mine = _is(store, principal, route, key)
    row = store.connection.execute(select(table).where(mine)).mappings().first()
    if row is not None and row["state"] == "running" and row["created_at"] <= now - stale_after:
        store.connection.execute(delete(table).where(mine))
        row = None
    if row is None:
        new = {
            "principal": principal,
            "route": route,
            "key": key,
            "county": store.county or "",
            "body_sha256": body_sha256,
            "state": "running",
            "created_at": now,
        }
        insert_new_rows(store, table, [new])
        return Fresh()
    if row["body_sha256"] != body_sha256:
        return Mismatch()
    if row["state"] == "running":
        return Running()
    return Replay(status=row["status"], answer=row["answer"], headers=row["headers"] or {})


def answered(store: Store, principal: str, route: str, key: str, body_sha256: str) -> Replay | Mismatch | None:
    """What a key was answered with, without taking it; `None` while there is no answer."""
    row = (
        store.connection.execute(select(tables.idempotency).where(_is(store, principal, route, key))).mappings().first()
    )
    if row is None or row["state"] == "running":
        return None
    if row["body_sha256"] != body_sha256:
        return Mismatch()
    return Replay(status=row["status"], answer=row["answer"], headers=row["headers"] or {})


def finish(
    store: Store,
    principal: str,
    route: str,
    key: str,
    *,
    status: int,
    answer: Any,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Keep the answer (a JSON value; its keys keep their order) for every repeat."""
    statement = (
        update(tables.idempotency)
        .where(_is(store, principal, route, key))
        .values(state="done", status=status, answer=answer, headers=dict(headers or {}))
    )
    store.connection.execute(statement)


def release(store: Store, principal: str, route: str, key: str) -> None:
    """Free a key whose work was refused, so that it may be mended and sent again."""
    running = and_(_is(store, principal, route, key), tables.idempotency.c.state == "running")
    store.connection.execute(delete(tables.idempotency).where(running))


def forget_old(store: Store, now: datetime, kept: timedelta = KEPT) -> int:
    """Drop the county's answers older than `kept`; gives how many."""
    table = tables.idempotency
    old = and_(table.c.county == (store.county or ""), table.c.created_at < now - kept)
    return store.connection.execute(delete(table).where(old)).rowcount


def _is(store: Store, principal: str, route: str, key: str) -> ColumnElement[bool]:
    table = tables.idempotency
    return and_(
        table.c.principal == principal,
        table.c.route == route,
        table.c.key == key,
        table.c.county == (store.county or ""),
    )


def _try_lock(store: Store, principal: str, route: str, key: str) -> bool:
    """Whether no other open transaction has the key; SQLite has only one writer anyway."""
    if store.dialect == "sqlite":
        return True
    name = "\x1f".join((principal, route, key))
    return bool(
        store.connection.execute(select(func.pg_try_advisory_xact_lock(func.hashtextextended(name, 0)))).scalar()
    )
