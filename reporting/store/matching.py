"""Which system a report means: exact normalised identifiers, word pieces, and reports waiting for a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import BindParameter, Select, bindparam, delete, func, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import TENANT, Row, chunks, insert_new_rows, insert_rows, tenant_rows

PERMIT: Final = "permit"
PARCEL: Final = "parcel"
ADDRESS: Final = "address"


_NORMS: Final = 4_000
"""How many numbers one question asks for: a long import asks for three of each row."""


def find_by_identifiers(store: Store, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The (system, component) pairs that have each (kind, norm); a pair that none has is left out.

    The component is `""` where the identifier names the whole system.
    """
    norms: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for kind, norm in pairs:
        norms[kind][norm] = None
    found: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for kind, wanted in norms.items():
        for part in chunks(wanted, _NORMS):
            asked = {"tenant": store.tenant, "kind_": kind, "norms": part}
            for norm, system, component in store.connection.execute(_select_identified(), asked):
                found[kind, norm].append((system, component))
    return dict(found)


@cache
def _select_identified() -> Select[Any]:
    table = tables.identifier
    norms: BindParameter[Any] = bindparam("norms", expanding=True)
    return (
        select(table.c.norm, table.c.system, table.c.component)
        .where(table.c.county == TENANT, table.c.kind == bindparam("kind_"), table.c.norm.in_(norms))
        .order_by(table.c.norm, table.c.system, table.c.component)
    )


def add_identifiers(store: Store, rows: Sequence[Row]) -> None:
    """Add identifiers (`kind`, `norm`, `system`, `component`); those that are there stay."""
    insert_new_rows(store, tables.identifier, tenant_rows(store, [{"component": "", **row} for row in rows]))


def drop_identifiers(store: Store, systems: Iterable[str], kinds: Sequence[str]) -> None:
    """Forget the identifiers of these kinds that the systems had, before their new ones are added."""
    table = tables.identifier
    for part in chunks(dict.fromkeys(systems)):
        store.connection.execute(
            delete(table).where(table.c.county == store.tenant, table.c.system.in_(part), table.c.kind.in_(kinds))
        )


def drop_alias(store: Store, kind: str, norm: str) -> int:
    """Forget one identifier of whatever system; gives how many there were."""
    table = tables.identifier
    statement = delete(table).where(table.c.county == store.tenant, table.c.kind == kind, table.c.norm == norm)
    return store.connection.execute(statement).rowcount


def replace_grams(store: Store, grams: dict[str, frozenset[str]]) -> None:
    """Set the word pieces that each system (key) is found by."""
    table = tables.gram
    for part in chunks(grams):
        store.connection.execute(delete(table).where(table.c.county == store.tenant, table.c.system.in_(part)))
    rows = [{"gram": gram, "system": system} for system, pieces in grams.items() for gram in sorted(pieces)]
    insert_rows(store, table, tenant_rows(store, rows))


def find_by_grams(store: Store, grams: Iterable[str], limit: int) -> list[tuple[str, int]]:
    """The systems that share most of the pieces, with how many: best first, at most `limit`."""
    table = tables.gram
    shared = func.count().label("shared")
    query = (
        select(table.c.system, shared)
        .where(table.c.county == store.tenant, table.c.gram.in_(sorted(set(grams))))
        .group_by(table.c.system)
        .order_by(shared.desc(), table.c.system)
        .limit(limit)
    )
    return [(system, count) for system, count in store.connection.execute(query)]


def insert_reviews(store: Store, rows: Sequence[Row]) -> None:
    """Queue reports for a person (`id`, `event`, `state`, `reason`, `candidates`, `created_seq`)."""
    insert_rows(store, tables.review, tenant_rows(store, rows))
    store.journal.add(tables.review, rows)


def list_reviews(store: Store, state: str, after: str | None, limit: int) -> list[dict[str, Any]]:
    """The reviews in one state by id, after the id `after`."""
    table = tables.review
    query = select(table).where(table.c.county == store.tenant, table.c.state == state).order_by(table.c.id)
    if after is not None:
        query = query.where(table.c.id > after)
    return [dict(row) for row in store.connection.execute(query.limit(limit)).mappings()]


def resolve_review(store: Store, review_id: str, *, state: str, system: str | None, seq: int, by: str) -> bool:
    """Close an open review; `False` when there is none or somebody closed it before."""
    table = tables.review
    statement = (
        update(table)
        .where(table.c.county == store.tenant, table.c.id == review_id, table.c.resolved_seq.is_(None))
        .values(state=state, system=system, resolved_seq=seq, resolved_by=by)
        .returning(table)
    )
    decided = store.connection.execute(statement).mappings().all()
    store.journal.decide(decided)
    return bool(decided)
