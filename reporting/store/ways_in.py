"""Codes by which an owner gets in without e-mail: one for each system, kept as a mark, tried a few times, used once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import tenant_rows, upsert_rows

CODE_LIFE: Final = timedelta(days=14)
CODE_TRIES: Final = 20
"""How often one code may be tried, by whomever: it has 50 bits, so that all tries together are of no use."""
_table: Final = tables.owner_code


def keep_code(store: Store, system: str, mark: str, by: str, now: datetime) -> datetime:
    """Keep the mark of a system's code in place of the one before; gives until when it is good."""
    ends = now + CODE_LIFE
    row = {"system": system, "mark": mark, "made_by": by, "made_at": now, "expires_at": ends, "tries": 0}
    upsert_rows(store, _table, tenant_rows(store, [{**row, "used_at": None}]))
    return ends


def code_of(store: Store, system: str) -> Mapping[str, Any] | None:
    """What is known of a system's code, without its mark; `None` where none was made."""
    shown = [column for column in _table.c if column.name != "mark"]
    query = select(*shown).where(_table.c.county == store.tenant, _table.c.system == system)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def try_code(store: Store, system: str, now: datetime) -> str | None:
    """Count a try of a system's code; gives its mark, `None` where none is good or it was tried too often."""
    mine = (_table.c.county == store.tenant, _table.c.system == system, *_good(now))
    counted = update(_table).where(*mine).values(tries=_table.c.tries + 1).returning(_table.c.mark)
    return store.connection.execute(counted).scalar()


def use_code(store: Store, system: str, mark: str, now: datetime) -> bool:
    """Use a code up; of several who try at once, one gets `True`."""
    mine = (_table.c.county == store.tenant, _table.c.system == system, _table.c.mark == mark)
    statement = update(_table).where(*mine, _table.c.used_at.is_(None)).values(used_at=now)
    return store.connection.execute(statement).rowcount == 1


def drop_code(store: Store, system: str) -> bool:
    """Take a system's code away; `False` where there is none."""
    mine = (_table.c.county == store.tenant, _table.c.system == system)
    return store.connection.execute(delete(_table).where(*mine)).rowcount == 1


def _good(now: datetime) -> tuple[Any, ...]:
    return (_table.c.used_at.is_(None), _table.c.expires_at > now, _table.c.tries < CODE_TRIES)
