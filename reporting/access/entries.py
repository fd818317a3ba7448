"""What the logs say of access: who (by id) got or lost what. Addresses, names and secrets never stand in an entry."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from reporting.store.engine import Database, Store
from reporting.store.log import SERVICE_LOG, NewEntry, append
from reporting.store.signin import logs_with_failures, take_failures


def log_of(county: str | None) -> str:
    """The log that a thing of this county belongs into; of none, the service's own. Open a transaction of it."""
    return county or SERVICE_LOG


def note(
    store: Store, kind: str, content: Mapping[str, Any], now: datetime, words: Mapping[str, Any] | None = None
) -> None:
    """Add an entry to the log of the store's tenant; failed sign-ins of hours that are over come before it.

    words: what people wrote, such as a key's name: kept apart, so that it can be destroyed.
    """
    note_failures(store, now)
    append(store, [NewEntry(type=kind, content=content, words=words or {})], now)


def note_failures(store: Store, now: datetime) -> int:
    """One entry for each hour in which sign-ins failed, however many: nobody can make the log grow. How many entries.

    An entry tells the tries by way and person; those under addresses that are nobody's are told in one number.
    """
    hours = take_failures(store, store.tenant, now)
    entries = [
        NewEntry(
            type="signin_failed",
            content={
                "hour": one.hour,
                "tries": [{"method": m, "person": person or None, "tries": tries} for m, person, tries in one.tries],
            },
        )
        for one in hours
    ]
    append(store, entries, now)
    return len(entries)


def note_all_failures(database: Database, now: datetime) -> int:
    """The same for every log that has some: for the worker, once an hour."""
    with database.reading(None) as store:
        logs = logs_with_failures(store, now)
    noted = 0
    for log in logs:
        with database.transaction(log) as store:
            noted += note_failures(store, now)
    return noted
