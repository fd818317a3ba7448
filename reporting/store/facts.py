"""Facts about systems: adding versions, ending them, and reading what was known at one sequence number.

Rows are plain mappings with the columns of `reporting.tables`; `county` is always the store's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Select, Table, and_, bindparam, or_, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.journal import key_columns
from reporting.store.rows import TENANT, Row, chunks, insert_rows, tenant_rows

COUNTY_ITSELF: Final = ""
"""The `system` of a fact about the county, such as a setting."""
_THEN: Final[BindParameter[int]] = bindparam("at_seq")


@dataclass(frozen=True, kw_only=True)
class StoredHistory:
    """All that was known of one system: plain rows, ordered by the date they tell of and then as recorded.

    `system` and `owner` are `None` when no version was known; `facts` has a list for each kind that has any.
    """

    system_id: str
    system: Mapping[str, Any] | None
    components: Sequence[Mapping[str, Any]]
    owner: Mapping[str, Any] | None
    designations: Sequence[Mapping[str, Any]]
    contracts: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Sequence[Mapping[str, Any]]]
    events: Sequence[Mapping[str, Any]]


def insert_systems(store: Store, rows: Sequence[Row]) -> None:
    """Add systems not seen before (`id`, `created_seq`) with their first version's columns beside, if given.

    A row that also has `status` and `content` becomes a `system_version` with `seq = created_seq`.
    """
    own = tables.system.columns.keys()
    _add(store, tables.system, [{k: row[k] for k in row if k in own} for row in rows])
    versions = [
        {**{k: row[k] for k in row if k not in own}, "system": row["id"], "seq": row["created_seq"]}
        for row in rows
        if "status" in row
    ]
    insert_system_versions(store, versions)


def insert_system_versions(store: Store, rows: Sequence[Row]) -> None:
    """Add versions of systems that are there."""
    _add(store, tables.system_version, rows)


def insert_components(store: Store, rows: Sequence[Row]) -> None:
    """Add versions of components."""
    _add(store, tables.component_version, [_with_empty_refs(row) for row in rows])


def insert_owners(store: Store, rows: Sequence[Row]) -> None:
    """Add versions of owners."""
    _add(store, tables.owner_version, rows)


def insert_designations(store: Store, rows: Sequence[Row]) -> None:
    """Add designations of contractors."""
    _add(store, tables.designation, rows)


def insert_contracts(store: Store, rows: Sequence[Row]) -> None:
    """Add service contracts."""
    _add(store, tables.contract, rows)


def insert_facts(store: Store, rows: Sequence[Row]) -> None:
    """Add facts of any kind; one without `system` is about the county itself."""
    _add(store, tables.fact, [{"system": COUNTY_ITSELF, **row} for row in rows])


def insert_events(store: Store, rows: Sequence[Row]) -> None:
    """Add events; raises `IntegrityError` for an identity that a current event has."""
    _add(store, tables.event, [_with_empty_refs(row) for row in rows])


def end_versions(store: Store, table: Table, keys: Sequence[Row], ended_seq: int) -> int:
    """End the current rows of `table` that have each key's values (such as `{"system": …}` or `{"id": …}`).

    Every key names the same columns. Gives how many rows ended. What ended before stays as it was.
    """
    return end_each(store, table, [(key, ended_seq) for key in keys])


def end_each(store: Store, table: Table, keys: Sequence[tuple[Row, int]]) -> int:
    """End the current rows of `table` that have each key's values, each at its own number; as `end_versions` does."""
    if not keys:
        return 0
    columns = sorted(keys[0][0])
    condition = and_(*(table.c[column] == bindparam(f"key_{column}") for column in columns))
    statement = (
        update(table)
        .where(table.c.county == store.tenant, not_ended(table), condition)
        .values(ended_seq=bindparam("at_seq"))
        .returning(*(table.c[column] for column in key_columns(table)))
    )
    count = 0
    # One by one: only so does the database say which rows each key has ended, as the record has to.
    for key, seq in keys:
        parameters = {"at_seq": seq, **{f"key_{column}": key[column] for column in columns}}
        ended = store.connection.execute(statement, parameters).all()
        store.journal.end(table, ((seq, tuple(row)) for row in ended))
        count += len(ended)
    return count


def known_at(table: Table, at_seq: int | BindParameter[int] | None) -> ColumnElement[bool]:
    """The condition for the rows of a versioned table known at `at_seq`, or (`None`) now."""
    if at_seq is None:
        return not_ended(table)
    return and_(table.c.seq <= at_seq, or_(table.c.ended_seq.is_(None), table.c.ended_seq > at_seq))


def not_ended(table: Table) -> ColumnElement[bool]:
    """The condition for the rows known now, where others name the systems or ids that are wanted.

    The sum keeps SQLite, which has no figures of its own, from reading all that has not ended in the county.
    """
    return (table.c.ended_seq + 0).is_(None)


def list_system_ids(store: Store) -> list[str]:
    """The ids of all systems that the county has, in order."""
    system = tables.system
    query = select(system.c.id).where(system.c.county == store.tenant).order_by(system.c.id)
    return list(store.connection.execute(query).scalars())


def has_system(store: Store, system: str) -> bool:
    """Whether the county has a system of this id."""
    table = tables.system
    query = select(table.c.id).where(table.c.county == store.tenant, table.c.id == system)
    return store.connection.execute(query).first() is not None


def load_history(store: Store, system_ids: Sequence[str], at_seq: int | None = None) -> dict[str, StoredHistory]:
    """What was known at `at_seq` (`None`: now) of each system that the county has; absent ids are left out.

    Eight questions for each 500 systems, however much is known of them.
    """
    histories: dict[str, StoredHistory] = {}
    for part in chunks(dict.fromkeys(system_ids)):
        histories.update(_load_part(store, part, at_seq))
    return histories


def load_events(store: Store, event_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Events by id, ended ones too."""
    found: dict[str, dict[str, Any]] = {}
    for part in chunks(dict.fromkeys(event_ids)):
        query = select(tables.event).where(tables.event.c.county == store.tenant, tables.event.c.id.in_(part))
        found.update((row["id"], dict(row)) for row in store.connection.execute(query).mappings())
    return found


def load_county_facts(store: Store, kind: str, at_seq: int | None = None) -> list[dict[str, Any]]:
    """The facts of one kind about the county itself, such as its settings, as known at `at_seq`, oldest first."""
    asked = {"tenant": store.tenant, "kind_": kind, **_at(at_seq)}
    query = _select_county_facts(then=at_seq is not None)
    return [dict(row) for row in store.connection.execute(query, asked).mappings()]


@cache
def _select_county_facts(*, then: bool) -> Select[Any]:
    fact = tables.fact
    return (
        select(fact)
        .where(fact.c.county == TENANT, fact.c.system == COUNTY_ITSELF, fact.c.kind == bindparam("kind_"))
        .where(known_at(fact, _THEN if then else None))
        .order_by(fact.c.valid_from, fact.c.seq)
    )


def _at(at_seq: int | None) -> dict[str, int]:
    """The moment of a question that is asked of one."""
    return {} if at_seq is None else {"at_seq": at_seq}


def _load_part(store: Store, ids: Sequence[str], at_seq: int | None) -> dict[str, StoredHistory]:
    system = tables.system
    present = select(system.c.id).where(system.c.county == store.tenant, system.c.id.in_(ids))
    if at_seq is not None:
        present = present.where(system.c.created_seq <= at_seq)
    systems = _by_system(store, tables.system_version, ids, at_seq, ("seq",))
    components = _by_system(store, tables.component_version, ids, at_seq, ("component", "component_ref", "seq"))
    owners = _by_system(store, tables.owner_version, ids, at_seq, ("seq",))
    designations = _by_system(store, tables.designation, ids, at_seq, ("valid_from", "seq"))
    contracts = _by_system(store, tables.contract, ids, at_seq, ("from_on", "seq"))
    facts = _by_system(store, tables.fact, ids, at_seq, ("kind", "valid_from", "seq"))
    events = _by_system(store, tables.event, ids, at_seq, ("service_date", "seq"))
    return {
        key: StoredHistory(
            system_id=key,
            system=systems[key][-1] if systems[key] else None,
            components=components[key],
            owner=owners[key][-1] if owners[key] else None,
            designations=designations[key],
            contracts=contracts[key],
            facts=_by_kind(facts[key]),
            events=events[key],
        )
        for key in store.connection.execute(present).scalars()
    }


def _by_system(
    store: Store, table: Table, ids: Sequence[str], at_seq: int | None, order: tuple[str, ...]
) -> defaultdict[str, list[dict[str, Any]]]:
    query = _select_by_system(table, order, then=at_seq is not None)
    asked = {"tenant": store.tenant, "ids": list(ids), **_at(at_seq)}
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in store.connection.execute(query, asked).mappings():
        rows[row["system"]].append(dict(row))
    return rows


@cache
def _select_by_system(table: Table, order: tuple[str, ...], *, then: bool) -> Select[Any]:
    """What is known of some systems (`ids`). Putting it together takes longer than asking it: that is done once."""
    return (
        select(table)
        .where(table.c.county == TENANT, table.c.system.in_(bindparam("ids", expanding=True)))
        .where(known_at(table, _THEN if then else None))
        .order_by(*(table.c[column].nulls_first() for column in order))
    )


def _by_kind(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    kinds: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        kinds[row["kind"]].append(row)
    return dict(kinds)


def _add(store: Store, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows of the store's county, and note them for the entries that make them."""
    insert_rows(store, table, tenant_rows(store, rows))
    store.journal.add(table, rows)


def _with_empty_refs(row: Row) -> dict[str, Any]:
    return {**row, "component": row.get("component") or "", "component_ref": row.get("component_ref") or ""}
