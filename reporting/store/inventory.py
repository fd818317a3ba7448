"""What writing the inventory needs of the store beside facts: one writer at a time, identifiers row by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import and_, bindparam, delete, func, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.matching import PARCEL, find_by_identifiers
from reporting.store.rows import Row, chunks

FORMER_PARCEL: Final = "former_parcel"
"""The kind of identifier of a parcel number that a system had before a split or merger of parcels."""
MERGED: Final = "merged"
"""The kind of identifier of the names under which a record that was merged away stood in the county's own list."""


def hold_inventory(store: Store) -> None:
    """Wait until nobody else writes the county's inventory, and keep others waiting until the transaction ends.

    On SQLite every writing transaction does so by itself.
    """
    if store.dialect == "postgresql":
        key = func.hashtextextended(f"inventory:{store.tenant}", 0)
        store.connection.execute(select(func.pg_advisory_xact_lock(key)))


def identifiers_of(store: Store, systems: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """All identifiers of some systems (`kind`, `norm`, `system`, `component`), of whatever kind."""
    table = tables.identifier
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for part in chunks(dict.fromkeys(systems)):
        query = (
            select(table.c.kind, table.c.norm, table.c.system, table.c.component)
            .where(table.c.county == store.tenant, table.c.system.in_(part))
            .order_by(table.c.kind, table.c.norm, table.c.component)
        )
        for row in store.connection.execute(query).mappings():
            found[row["system"]].append(dict(row))
    return dict(found)


def drop_names(store: Store, rows: Sequence[Row]) -> None:
    """Forget single identifiers (`kind`, `norm`, `system`)."""
    if not rows:
        return
    table = tables.identifier
    named = and_(*(table.c[name] == bindparam(f"of_{name}") for name in ("kind", "norm", "system")))
    parameters = [{f"of_{name}": row[name] for name in ("kind", "norm", "system")} for row in rows]
    store.connection.execute(delete(table).where(table.c.county == store.tenant, named), parameters)


def settle_parcels(store: Store, norms: Iterable[str]) -> None:
    """A parcel number finds the system that has it now; those that had it before only while no system has it."""
    former = find_by_identifiers(store, [(FORMER_PARCEL, norm) for norm in norms])
    holders = find_by_identifiers(store, [(PARCEL, norm) for _kind, norm in former])
    dropped: list[Row] = []
    for (_kind, norm), rows in former.items():
        before = {system for system, _component in rows}
        now = {system for system, _component in holders.get((PARCEL, norm), ())}
        if now - before:
            dropped += [{"kind": PARCEL, "norm": norm, "system": system} for system in sorted(now & before)]
    drop_names(store, dropped)
