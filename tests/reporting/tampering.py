"""Hands that reach past the service: changes to a database that its own role may not make, seen and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from reporting.store.engine import Database, Store

PROTECTED = ("log_entry", "checkpoint")


@dataclass(frozen=True, kw_only=True)
class Hands:
    """One transaction of the role that owns the tables, with nothing in its way."""

    store: Store

    def run(self, statement: str, **values: Any) -> Any:
        """One statement; `:county` is the county's."""
        return self.store.connection.execute(text(statement), {"county": self.store.tenant, **values})

    def one(self, statement: str, **values: Any) -> Any:
        """The one value that a statement finds."""
        return self.run(statement, **values).scalar_one()


class _TakeBack(Exception):
    pass


@contextmanager
def tampered(owner: Database, county: str, change: Callable[[Hands], object]) -> Iterator[Store]:
    """The county's store as it is after a change, within the transaction that made it; then all is as it was."""
    try:
        with owner.transaction(county) as store:
            _disarm(store)
            change(Hands(store=store))
            yield store
            raise _TakeBack
    except _TakeBack:
        pass


def _disarm(store: Store) -> None:
    """Take away the triggers that refuse changes, as whoever owns the tables can; taken back with the transaction."""
    for table in PROTECTED:
        if store.dialect == "postgresql":
            store.connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        else:
            for change in ("update", "delete"):
                store.connection.execute(text(f"DROP TRIGGER {table}_no_{change}"))
    if store.dialect == "sqlite":
        store.connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
