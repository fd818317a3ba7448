"""The money facts of a county: charges with what was paid, given back and waived of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import case, func, literal, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import not_ended
from reporting.store.paging import Page, read_page
from reporting.store.rows import chunks

CHARGE: Final = "fee_charge"
MONEY: Final = (CHARGE, "payment", "fee_refund", "fee_waiver")
"""The kinds of facts about money."""
_PLACE: Final = ("permit_number", "parcel_number", "site_address")


@dataclass(frozen=True, kw_only=True)
class ChargeFilter:
    """Which charges to list; `None` asks nothing. unpaid: only those of which something is left (or of which nothing
    is).
    """

    system: str | None = None
    year: int | None = None
    unpaid: bool | None = None


def money_of(store: Store, systems: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The current money facts of some systems, in the order in which they were recorded; columns of `fact`."""
    fact = tables.fact
    found: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    for part in chunks(found):
        query = (
            select(fact)
            .where(fact.c.county == store.tenant, fact.c.system.in_(part), fact.c.kind.in_(MONEY), not_ended(fact))
            .order_by(fact.c.seq)
        )
        for row in store.connection.execute(query).mappings():
            found[row["system"]].append(dict(row))
    return found


def money_by_id(store: Store, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Current money facts by their ids; columns of `fact`."""
    fact = tables.fact
    found: dict[str, dict[str, Any]] = {}
    for part in chunks(ids):
        query = select(fact).where(
            fact.c.county == store.tenant, fact.c.id.in_(part), fact.c.kind.in_(MONEY), not_ended(fact)
        )
        found.update((row["id"], dict(row)) for row in store.connection.execute(query).mappings())
    return found


def page_charges(store: Store, filters: ChargeFilter, cursor: str | None, limit: int) -> Page:
    """Charges by system and id, without those of nothing that stand for a property's; raises `BadCursor`.

    A row has `id`, `system`, `content`, `valid_from`; `charged`, `paid`, `refunded`, `waived`, `left` in cents; and of
    its system `permit_number`, `parcel_number`, `site_address`.
    """
    fact, version = tables.fact, tables.system_version
    sums = _sums(store).subquery()
    left = sums.c.charged - sums.c.paid + sums.c.refunded - sums.c.waived
    join = fact.join(sums, sums.c.charge == fact.c.id).outerjoin(
        version,
        (version.c.county == fact.c.county) & (version.c.system == fact.c.system) & version.c.ended_seq.is_(None),
    )
    query = (
        select(
            fact.c.id, fact.c.system, fact.c.content, fact.c.valid_from,
            sums.c.charged, sums.c.paid, sums.c.refunded, sums.c.waived, left.label("left"),
            *(version.c[name] for name in _PLACE),
        )
        .select_from(join)
        .where(fact.c.county == store.tenant, fact.c.kind == CHARGE, fact.c.ended_seq.is_(None))
        .where(sums.c.charged > 0)
    )  # fmt: skip
    if filters.system is not None:
        query = query.where(fact.c.system == filters.system)
    if filters.year is not None:
        query = query.where(fact.c.content["year"].as_integer() == filters.year)
    if filters.unpaid is not None:
        query = query.where(left > 0 if filters.unpaid else left <= 0)
    return read_page(store, query, [fact.c.system, fact.c.id], cursor, limit)


def totals(store: Store, year: int | None = None, on: date | None = None) -> dict[str, int]:
    """How many charges there are, and their sums in cents: `charges`, `charged`, `paid`, `refunded`, `waived`, `left`.

    year: only the charges of it. on: only what was entered for that day or before.
    """
    sums = _sums(store, on).subquery()
    fact = tables.fact
    names = ("charged", "paid", "refunded", "waived")
    query = (
        select(func.count(), *(func.coalesce(func.sum(sums.c[name]), 0).label(name) for name in names))
        .select_from(fact.join(sums, sums.c.charge == fact.c.id))
        .where(fact.c.county == store.tenant, fact.c.kind == CHARGE, fact.c.ended_seq.is_(None))
        .where(sums.c.charged > 0)
    )
    if year is not None:
        query = query.where(fact.c.content["year"].as_integer() == year)
    if on is not None:
        query = query.where(fact.c.valid_from <= on)
    count, *found = store.connection.execute(query).one()
    charged, paid, refunded, waived = (int(one) for one in found)
    left = charged - paid + refunded - waived
    return {
        "charges": count, "charged": charged, "paid": paid, "refunded": refunded, "waived": waived, "left": left,
    }  # fmt: skip


def _sums(store: Store, on: date | None = None) -> Any:
    """By charge: what was charged, paid, refunded, waived."""
    fact = tables.fact
    charge = case((fact.c.kind == CHARGE, fact.c.id), else_=fact.c.content["charge"].as_string())
    cents = fact.c.content["cents"].as_integer()

    def of(kind: str, name: str) -> Any:
        return func.sum(case((fact.c.kind == kind, cents), else_=literal(0))).label(name)

    columns = [of(kind, name) for kind, name in zip(MONEY, ("charged", "paid", "refunded", "waived"), strict=True)]
    query = (
        select(charge.label("charge"), *columns)
        .where(fact.c.county == store.tenant, fact.c.kind.in_(MONEY), fact.c.ended_seq.is_(None))
        .group_by("charge")
    )
    return query if on is None else query.where(fact.c.valid_from <= on)
