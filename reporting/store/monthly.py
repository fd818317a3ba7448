"""How systems stood at the end of each month, as the daily sweep counted them: kept, since it cannot be told later."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from sqlalchemy import delete, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import insert_rows, tenant_rows
from reporting.store.summaries import count_standings

_month: Final = tables.standing_month


def keep_month(store: Store, day: date) -> None:
    """Count the county's systems by standing for the month of a day; the last day counted of a month stays."""
    month = f"{day:%Y-%m}"
    mine = (_month.c.county == store.tenant, _month.c.month == month)
    last = store.connection.execute(select(_month.c.counted_on).where(*mine).limit(1)).scalar()
    if last is not None and last > day:
        return
    store.connection.execute(delete(_month).where(*mine))
    counts = count_standings(store)
    rows = [{"month": month, "state": state, "systems": n, "counted_on": day} for state, n in sorted(counts.items())]
    insert_rows(store, _month, tenant_rows(store, rows))


def months_since(store: Store, month: str) -> dict[str, Mapping[str, Any]]:
    """By month (YYYY-MM), from this one on: `counted_on`, and `systems` by standing. Months without a count lack."""
    query = select(_month).where(_month.c.county == store.tenant, _month.c.month >= month)
    found: dict[str, dict[str, Any]] = {}
    for row in store.connection.execute(query.order_by(_month.c.month, _month.c.state)).mappings():
        one = found.setdefault(row["month"], {"counted_on": row["counted_on"], "systems": {}})
        one["systems"][row["state"]] = row["systems"]
    return dict(found)
