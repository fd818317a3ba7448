"""What makes a database a sandbox's: the first entry of the service's own record says so, and nothing else can.

A record cannot be given another first entry, so that no database that was ever used becomes a sandbox's, and none of a
sandbox becomes another's. See docs/decisions/0043-sandbox.md.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import exists, select

from reporting import tables
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG, NewEntry, append, head

SANDBOX: Final = "sandbox"
"""The type of that entry."""
KEPT: Final = (tables.job_run, tables.lease)
"""What outlives a reset: whose turn the worker's jobs are."""


def made_anew_at(database: Database) -> datetime | None:
    """When the sandbox was last made anew; `None` for a database that is no sandbox's."""
    entry = tables.log_entry
    query = select(entry.c.recorded_at).where(entry.c.county == SERVICE_LOG, entry.c.seq == 1, entry.c.type == SANDBOX)
    with database.reading(SERVICE_LOG) as store:
        found: datetime | None = store.connection.execute(query).scalar()
    return found


def is_sandbox(database: Database) -> bool:
    """Whether a sandbox's reset made this database."""
    return made_anew_at(database) is not None


def is_unused(database: Database) -> bool:
    """Whether nothing was recorded in any log, and there are neither keys nor people nor businesses."""
    with database.reading(None) as store:
        counties = store.connection.execute(select(tables.county.c.slug)).scalars().all()
        held = (tables.api_key, tables.person, tables.contractor)
        if any(store.connection.execute(select(exists().select_from(table))).scalar() for table in held):
            return False
    for county in (*counties, SERVICE_LOG):
        with database.reading(county) as store:
            if head(store).size:
                return False
    return True


def begin_sandbox(database: Database, now: datetime) -> None:
    """Make an unused database a sandbox's; raises `RuntimeError` for one whose record has begun."""
    with database.transaction(SERVICE_LOG) as store:
        [entry] = append(store, [NewEntry(type=SANDBOX, content={})], now)
        if entry.seq != 1:
            raise RuntimeError("the record has begun: this is no sandbox's database")
