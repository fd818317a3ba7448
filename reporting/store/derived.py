"""What assessment found, and which systems it must look at again. All of it can be computed from the facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Select, Table, delete, or_, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, chunks, insert_new_rows, insert_rows, tenant_rows, upsert_rows


@dataclass(frozen=True, kw_only=True)
class AssessedSystem:
    """One system's assessment as rows without `county` and `system`, which the store adds."""

    system: str
    standing: Row
    obligations: Sequence[Row]
    findings: Sequence[Row]


def mark_dirty(store: Store, systems: Iterable[str]) -> None:
    """Note that what is derived of these systems is out of date; makes the standing (`unknown`) of a new one."""
    wanted = list(dict.fromkeys(systems))
    table = tables.standing
    new = [{"system": system, "state": "unknown", "dirty": True} for system in wanted]
    insert_new_rows(store, table, tenant_rows(store, new))
    for part in chunks(wanted):
        store.connection.execute(
            update(table).where(table.c.county == store.tenant, table.c.system.in_(part)).values(dirty=True)
        )


def mark_all_dirty(store: Store) -> int:
    """Note that every system of the county must be assessed again, as when its program text changes; gives how many."""
    table = tables.standing
    return store.connection.execute(update(table).where(table.c.county == store.tenant).values(dirty=True)).rowcount


def dirty_systems(store: Store, limit: int) -> list[str]:
    """Systems whose standing is out of date, at most `limit`."""
    table = tables.standing
    query = (
        select(table.c.system)
        .where(table.c.county == store.tenant, table.c.dirty.is_(True))
        .order_by(table.c.system)
        .limit(limit)
    )
    return list(store.connection.execute(query).scalars())


def due_systems(store: Store, on: date, limit: int, after: str | None = None) -> list[str]:
    """Systems whose standing is out of date or changes by itself on or before `on`: what a scan must look at.

    By id, after the id `after`, at most `limit`: a system that cannot be assessed does not stop those behind it.
    """
    return list(store.connection.execute(_select_due(store, on, limit, after)).scalars())


def claim_due_systems(store: Store, on: date, limit: int, after: str | None = None) -> list[str]:
    """The same for one of several sweeps side by side: the standings are held until the transaction ends.

    On PostgreSQL those that another transaction holds are passed over, so that sweeps share the work; on SQLite there
    is one writer at a time. What is passed over stays due for the next sweep unless its holder brings it up to date.
    """
    query = _select_due(store, on, limit, after)
    if store.dialect == "postgresql":
        query = query.with_for_update(skip_locked=True)
    return list(store.connection.execute(query).scalars())


def replace_assessment(
    store: Store, system: str, standing: Row, obligations: Sequence[Row], findings: Sequence[Row]
) -> None:
    """Put one system's assessment in the place of the one before; it is no longer dirty unless `standing` says so."""
    replace_assessments(
        store, [AssessedSystem(system=system, standing=standing, obligations=obligations, findings=findings)]
    )


def replace_assessments(store: Store, assessed: Sequence[AssessedSystem]) -> None:
    """The same for many systems at once."""
    _clear(store, tables.obligation, [one.system for one in assessed])
    _clear(store, tables.finding, [one.system for one in assessed])
    standings = [{"dirty": False, **one.standing, "system": one.system} for one in assessed]
    obligations = [{**_EMPTY_REFS, **row, "system": one.system} for one in assessed for row in one.obligations]
    findings = [{**row, "system": one.system} for one in assessed for row in one.findings]
    upsert_rows(store, tables.standing, tenant_rows(store, standings))
    insert_rows(store, tables.obligation, tenant_rows(store, obligations))
    insert_rows(store, tables.finding, tenant_rows(store, findings))


def standings_of(store: Store, systems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The standings of some systems, by id; one never marked or assessed is left out."""
    table = tables.standing
    found: dict[str, dict[str, Any]] = {}
    for part in chunks(dict.fromkeys(systems)):
        query = select(table).where(table.c.county == store.tenant, table.c.system.in_(part))
        found.update((row["system"], dict(row)) for row in store.connection.execute(query).mappings())
    return found


def obligations_of(store: Store, systems: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The obligations of some systems, soonest first; a system without any has an empty list."""
    return _rows_of(
        store, tables.obligation, systems, ("due_on", "component", "component_ref", "kind", "rule", "cycle")
    )


def findings_of(store: Store, systems: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The findings of some systems, soonest first; a system without any has an empty list."""
    return _rows_of(store, tables.finding, systems, ("due_on", "kind", "rule", "cause"))


def _select_due(store: Store, on: date, limit: int, after: str | None) -> Select[str]:
    table = tables.standing
    query = (
        select(table.c.system)
        .where(table.c.county == store.tenant, or_(table.c.dirty.is_(True), table.c.next_change_on <= on))
        .order_by(table.c.system)
        .limit(limit)
    )
    return query if after is None else query.where(table.c.system > after)


_EMPTY_REFS: Mapping[str, str] = {"component": "", "component_ref": "", "cycle": ""}


def _clear(store: Store, table: Table, systems: Iterable[str]) -> None:
    for part in chunks(dict.fromkeys(systems)):
        store.connection.execute(delete(table).where(table.c.county == store.tenant, table.c.system.in_(part)))


def _rows_of(
    store: Store, table: Table, systems: Iterable[str], order: tuple[str, ...]
) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    for part in chunks(found):
        query = (
            select(table)
            .where(table.c.county == store.tenant, table.c.system.in_(part))
            .order_by(*(table.c[column].nulls_last() for column in order))
        )
        for row in store.connection.execute(query).mappings():
            found[row["system"]].append(dict(row))
    return found
