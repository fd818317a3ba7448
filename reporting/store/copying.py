"""Every row of a database into another one, whichever kinds they are: for backups, restoring and moving.

Both sides are one open transaction each: what is read is a single moment, and what is written is there whole or not at
all. Row security shows one county at a time, also to the owner of the tables, so a county is copied after the other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Table, delete, func, select, text

from reporting import tables
from reporting.errors import CopyFailed
from reporting.store.counties import list_counties
from reporting.store.engine import SQLITE_WAIT_MS, Store
from reporting.store.log import SERVICE_LOG, Head, head
from reporting.store.room import database_address
from reporting.store.rows import insert_new_rows, insert_rows, upsert_rows
from reporting.store.signing import SignedHead
from reporting.store.verify import take_time
from schemas.loader import shipped_slugs

BATCH: Final = 5_000
"""Rows that are in memory at once."""
SET_UP: Final = frozenset({"county", "program_text"})
"""What `pumper init` writes into an empty database."""
_MOVED: Final = "moved"


def tenants(store: Store) -> tuple[str, ...]:
    """Whose rows there are: every county, the service's own log, and calls of no county (`""`).

    Those with a program too: a new one may have rows before `pumper init` has noted it.
    """
    return (*sorted({*list_counties(store), *shipped_slugs()}), SERVICE_LOG, "")


def of_county(store: Store, county: str) -> Store:
    """The same transaction in the name of one county (`""`: of none)."""
    if store.dialect == "postgresql":
        # Of the transaction alone, as everywhere.
        store.connection.execute(text("SELECT set_config('app.county', :county, true)"), {"county": county})
    return replace(store, county=county)


def shared_tables() -> list[Table]:
    """The tables that belong to no county, parents before children."""
    return [table for table in tables.metadata.sorted_tables if not table.info["tenant"]]


def count_rows(store: Store) -> dict[str, int]:
    """How many rows each table has, over all counties."""
    take_time(store)
    counts = {table.name: _count(store, table) for table in shared_tables()}
    counts |= {table.name: 0 for table in tables.tenant_tables()}
    for county in tenants(store):
        one = of_county(store, county)
        for table in tables.tenant_tables():
            counts[table.name] += _count(one, table, county)
    return dict(sorted(counts.items()))


def is_empty(store: Store) -> bool:
    """Whether nothing is there but what `pumper init` writes."""
    return not any(number for name, number in count_rows(store).items() if name not in SET_UP)


def copy_rows(source: Store, target: Store) -> dict[str, int]:
    """Copy every row, parents before children; gives how many of each table.

    Raises `CopyFailed` when the source has rows of a county that it does not know, or the target took another number.
    """
    take_time(source)
    take_time(target)
    if source.dialect == "sqlite":
        _refuse_unknown(source)
    copied = {table.name: _copy(source, target, table, None) for table in shared_tables()}
    copied |= {table.name: 0 for table in tables.tenant_tables()}
    for county in tenants(source):
        whose = of_county(source, county), of_county(target, county)
        for table in tables.tenant_tables():
            copied[table.name] += _copy(*whose, table, county)
    if target.dialect == "postgresql":
        target.connection.exec_driver_sql("ANALYZE")  # or it plans as for empty tables until it comes by itself
    found = count_rows(target)
    wrong = [name for name, number in copied.items() if found[name] != number and name not in SET_UP]
    if wrong:
        raise CopyFailed(f"{', '.join(wrong)}: the other database has another number of rows.")
    return dict(sorted(copied.items()))


def heads(store: Store) -> dict[str, tuple[Head, SignedHead | None]]:
    """Where each log stands that has entries, and its last signed head."""
    found = {}
    for county in tenants(store):
        one = of_county(store, county)
        at = head(one) if county else None
        if at is not None and at.size:
            found[county] = (at, _last_signed(one))
    return found


def _last_signed(store: Store) -> SignedHead | None:
    table = tables.checkpoint
    query = select(table).where(table.c.county == store.tenant).order_by(table.c.size.desc()).limit(1)
    row = store.connection.execute(query).mappings().first()
    return SignedHead(**row) if row else None


def snapshot_sqlite(url: str, copy: Path) -> None:
    """The SQLite database at `url` as it stands at one moment, as a file; whoever writes waits as long as that takes.

    Not the bytes of the file as it lies there: half a transaction may be in them, or in the file beside it.
    """
    name = database_address(url).database
    assert name is not None
    # Not read-only: where a process was killed while it wrote, what it left must be rolled back first.
    there = f"{Path(name).resolve().as_uri()}?mode=rw"
    try:
        with (
            closing(sqlite3.connect(there, uri=True, timeout=SQLITE_WAIT_MS / 1000)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            # All pages in one step: in several, each writer in between would make it begin again.
            source.backup(target, pages=-1)
            target.execute("PRAGMA journal_mode = TRUNCATE").close()
    except sqlite3.Error as error:
        raise CopyFailed(f"{name}: {error}.") from error


def hold_writers(store: Store) -> None:
    """Let nobody add to any log until this writing transaction ends; on SQLite none can as it is."""
    if store.dialect == "postgresql":
        store.connection.execute(text("LOCK TABLE log_head IN EXCLUSIVE MODE"))


def mark_moved(store: Store, where: str) -> None:
    """Note that this database was moved, so that nobody serves from it by mistake."""
    row = {"name": _MOVED, "owner": where, "until": datetime(9999, 1, 1, tzinfo=UTC), "fence": 0}
    upsert_rows(store, tables.lease, [row])


def moved_to(store: Store) -> str | None:
    """Where this database was moved, or `None`."""
    lease = tables.lease
    return store.connection.execute(select(lease.c.owner).where(lease.c.name == _MOVED)).scalar()


def unmark_moved(store: Store) -> None:
    """Take the note back."""
    store.connection.execute(delete(tables.lease).where(tables.lease.c.name == _MOVED))


def count_named(store: Store, names: Iterable[str]) -> dict[str, int]:
    """How many rows the tables of a SQLite file have, of whatever version it is; those that are not there have none."""
    take_time(store)
    there = set(store.connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    quote = store.connection.dialect.identifier_preparer.quote_identifier
    return {
        name: int(store.connection.exec_driver_sql(f"SELECT count(*) FROM {quote(name)}").scalar_one())  # noqa: S608
        for name in names
        if name in there
    }


def check_file(store: Store) -> list[str]:
    """What is wrong with a SQLite file as such; empty when nothing is."""
    take_time(store)
    said = store.connection.exec_driver_sql("PRAGMA quick_check(20)").scalars().all()
    return [] if said == ["ok"] else [str(line) for line in said]


def _refuse_unknown(source: Store) -> None:
    """Whatever would be left behind: on SQLite, where no row security hides it."""
    known = set(tenants(source))
    for table in tables.tenant_tables():
        found = set(source.connection.execute(select(table.c.county).distinct()).scalars())
        if found - known:
            raise CopyFailed(f"{table.name} has rows of {', '.join(sorted(found - known))}, which is no county here.")


def _copy(source: Store, target: Store, table: Table, county: str | None) -> int:
    number = 0
    rows = _rows(source, table, county)
    while part := [dict(row) for row in islice(rows, BATCH)]:
        if table.name in SET_UP:
            insert_new_rows(target, table, part)
        else:
            insert_rows(target, table, part)
        number += len(part)
    return number


def _rows(store: Store, table: Table, county: str | None) -> Iterator[Any]:
    query = select(table)
    if county is not None:
        query = query.where(table.c.county == county)
    # In the order of the key, so that the other side's indexes grow at their end.
    query = query.order_by(*table.primary_key)
    yield from store.connection.execute(query, execution_options={"yield_per": BATCH}).mappings()


def _count(store: Store, table: Table, county: str | None = None) -> int:
    query = select(func.count()).select_from(table)
    if county is not None:
        query = query.where(table.c.county == county)
    return int(store.connection.execute(query).scalar_one())


def differences(counts: Mapping[str, int], expected: Mapping[str, int], *, but: Sequence[str] = ()) -> list[str]:
    """The tables that have another number of rows than they should, in words."""
    names = sorted({*counts, *expected} - set(but))
    return [
        f"{name} has {counts.get(name, 0):,} rows and not {expected.get(name, 0):,}"
        for name in names
        if counts.get(name, 0) != expected.get(name, 0)
    ]
