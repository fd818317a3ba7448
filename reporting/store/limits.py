"""Limits on calls, shared by every worker: allowances are taken in blocks, so that not every call writes.

A worker takes a block of a bucket's window (such as 50 calls of one key in one minute) from its row, then spends it
from memory. What is taken never exceeds the limit, so what is spent cannot either; a worker may be refused while
another one still holds a part of a block, of which the size is small beside the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import insert_new_rows

WINDOW: Final = timedelta(minutes=1)
LARGEST_BLOCK: Final = 50
KEPT: Final = timedelta(minutes=10)
"""How long a window's rows are of use to anybody: they name keys and addresses."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """What was given: `granted` calls (0: the window is used up), of which `left` are in the row afterwards."""

    granted: int
    left: int


def window_of(now: datetime) -> datetime:
    """The beginning of the window that `now` lies in, the same for every worker."""
    return now.replace(second=0, microsecond=0)


def block_size(limit: int) -> int:
    """How many calls a worker takes at once: a twentieth of the limit, at most 50."""
    return max(1, min(LARGEST_BLOCK, limit // 20))


def take_block(store: Store, bucket: str, window_at: datetime, limit: int) -> Block:
    """Take a block of a bucket's window, or as much of one as is left. Commit at once: others wait for the row."""
    table = tables.rate_allowance
    mine = (table.c.bucket == bucket, table.c.window_at == window_at)
    insert_new_rows(store, table, [{"bucket": bucket, "window_at": window_at, "taken": 0}])
    taken = store.connection.execute(select(table.c.taken).where(*mine).with_for_update()).scalar_one()
    granted = max(0, min(block_size(limit), limit - taken))
    if granted:
        store.connection.execute(update(table).where(*mine).values(taken=taken + granted))
    return Block(granted=granted, left=max(0, limit - taken - granted))


def forget_windows(store: Store, now: datetime, kept: timedelta = KEPT) -> int:
    """Drop the windows that are over for longer than `kept`; gives how many."""
    table = tables.rate_allowance
    return store.connection.execute(delete(table).where(table.c.window_at < now - kept)).rowcount
