"""The county's log to leaf through: entries newest first, of one type or all, between two numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.log import settle

LOOKED: Final = 20_000
"""How many entries one page looks at for those of a type: so many are read in a moment, a million are not."""
_table: Final = tables.log_entry


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry: its number, type and moment; what it says, as plain JSON; the hash of its leaf."""

    seq: int
    type: str
    recorded_at: datetime
    content: Mapping[str, Any]
    leaf: bytes


@dataclass(frozen=True, kw_only=True)
class EntryPage:
    """Some entries, newest first. `before`: where the next page goes on, `None` where there is nothing older."""

    entries: Sequence[Entry]
    before: int | None


def page_entries(store: Store, kind: str, before: int, after: int, limit: int) -> EntryPage:
    """The entries below the number `before` and above `after`, of a type (`""`: of any), at most `limit`.

    Where entries of a type are rare a page may have fewer, or none, and there may be older ones all the same.
    """
    settle(store)
    lowest = max(after, before - 1 - LOOKED) if kind else after
    query = select(_table).where(_table.c.county == store.tenant, _table.c.seq < before, _table.c.seq > lowest)
    if kind:
        query = query.where(_table.c.type == kind)
    found = store.connection.execute(query.order_by(_table.c.seq.desc()).limit(limit + 1)).mappings().all()
    entries = [_entry(row) for row in found[:limit]]
    if len(found) > limit:
        return EntryPage(entries=entries, before=entries[-1].seq)
    return EntryPage(entries=entries, before=lowest + 1 if lowest > after else None)


def entry_at(store: Store, seq: int) -> Entry | None:
    """One entry, or `None`."""
    settle(store)
    query = select(_table).where(_table.c.county == store.tenant, _table.c.seq == seq)
    row = store.connection.execute(query).mappings().first()
    return _entry(row) if row else None


def _entry(row: Mapping[Any, Any]) -> Entry:
    told = json.loads(row["entry"])
    return Entry(
        seq=row["seq"],
        type=row["type"],
        recorded_at=row["recorded_at"],
        content=told.get("content", {}),
        leaf=row["leaf"],
    )
