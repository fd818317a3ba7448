"""What lies near to an identifier: numbers by length, addresses by their beginning, what is on file of a place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import and_, func, or_, select, union

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import not_ended
from reporting.store.matching import ADDRESS
from reporting.store.rows import chunks, tenant_rows, upsert_rows

_BEGINNINGS: Final = 100
"""How many beginnings one question asks for."""
_GUESSES: Final = 5_000


def find_any(store: Store, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """The systems that have each (kind, norm): for very many guesses, of which nearly all are wrong."""
    table = tables.identifier
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    norms: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for kind, norm in pairs:
        norms[kind][norm] = None
    for kind, wanted in norms.items():
        for part in chunks(wanted, _GUESSES):
            query = select(table.c.norm, table.c.system).where(
                table.c.county == store.tenant, table.c.kind == kind, table.c.norm.in_(part)
            )
            for norm, system in store.connection.execute(query):
                found[kind, norm].append(system)
    return dict(found)


def find_long_numbers(store: Store, kind: str, shortest: int) -> list[tuple[str, str]]:
    """(norm, system) of every identifier of a kind that has at least `shortest` characters and no dash, by norm."""
    table = tables.identifier
    query = (
        select(table.c.norm, table.c.system)
        .where(table.c.county == store.tenant, table.c.kind == kind, func.length(table.c.norm) >= shortest)
        .where(table.c.norm.not_like("%-%"))
        .order_by(table.c.norm, table.c.system)
        .distinct()
    )
    return [(norm, system) for norm, system in store.connection.execute(query)]


def find_addresses(store: Store, beginnings: Iterable[str], limit: int) -> dict[str, list[tuple[str, str]]]:
    """(norm, system) of every address on file whose normal form begins with each word; at most `limit` of them for
    each hundred words.
    """
    table = tables.identifier
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for part in chunks(dict.fromkeys(beginnings), _BEGINNINGS):
        # A space ends a word; "!" is the next character after it.
        ranges = [and_(table.c.norm >= f"{word} ", table.c.norm < f"{word}!") for word in part]
        query = (
            select(table.c.norm, table.c.system)
            .where(table.c.county == store.tenant, table.c.kind == ADDRESS, or_(*ranges))
            .order_by(table.c.norm, table.c.system)
            .limit(limit)
        )
        for norm, system in store.connection.execute(query):
            found[norm.split(" ", 1)[0]].append((norm, system))
    return dict(found)


def load_places(store: Store, systems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What is on file now of where these systems are: numbers, address, municipality, status and `owner_name`."""
    version, owner = tables.system_version, tables.owner_version
    join = version.outerjoin(
        owner,
        and_(owner.c.county == version.c.county, owner.c.system == version.c.system, not_ended(owner)),
    )
    names = ("system", "permit_number", "parcel_number", "site_address", "municipality", "status")
    columns = [version.c[name] for name in names]
    found: dict[str, dict[str, Any]] = {}
    for part in chunks(dict.fromkeys(systems)):
        query = (
            select(*columns, owner.c.name.label("owner_name"))
            .select_from(join)
            .where(version.c.county == store.tenant, not_ended(version), version.c.system.in_(part))
        )
        found.update((row["system"], dict(row)) for row in store.connection.execute(query).mappings())
    return found


def grams_up_to(store: Store) -> int:
    """The entry of the log up to which places are indexed by word pieces; 0 before the first."""
    table = tables.gram_head
    return store.connection.execute(select(table.c.seq).where(table.c.county == store.tenant)).scalar() or 0


def set_grams_up_to(store: Store, seq: int) -> None:
    """Note up to which entry places are indexed."""
    upsert_rows(store, tables.gram_head, tenant_rows(store, [{"seq": seq}]))


def places_after(store: Store, seq: int, limit: int) -> list[tuple[int, str]]:
    """(entry, system) of what was put on file of places and owners after an entry, in order, about `limit` of them.

    All of one entry are given or none.
    """
    parts = [
        select(table.c.seq, table.c.system).where(table.c.county == store.tenant, table.c.seq > seq)
        for table in (tables.system_version, tables.owner_version)
    ]
    both = union(*parts).subquery()
    query = select(both.c.seq, both.c.system).order_by(both.c.seq, both.c.system)
    found = [(entry, system) for entry, system in store.connection.execute(query.limit(limit))]
    if len(found) == limit:
        last = found[-1][0]
        whole = store.connection.execute(query.where(both.c.seq == last))
        found = [*(one for one in found if one[0] < last), *((entry, system) for entry, system in whole)]
    return found


def has_grams(store: Store) -> bool:
    """Whether the county's places have been indexed by word pieces."""
    table = tables.gram
    query = select(table.c.system).where(table.c.county == store.tenant).limit(1)
    return store.connection.execute(query).first() is not None
