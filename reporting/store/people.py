"""Businesses and their licences, which belong to no county."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, chunks, upsert_rows


def upsert_contractors(store: Store, rows: Sequence[Row]) -> None:
    """Add businesses or replace their particulars by `id`; `created_at` stays."""
    upsert_rows(store, tables.contractor, rows, keep=frozenset({"created_at"}))


def upsert_credentials(store: Store, rows: Sequence[Row]) -> None:
    """Add licences or replace them by (`license_norm`, `kind`); `counties` is a list of slugs, empty for all."""
    upsert_rows(store, tables.credential, [{"counties": [], **row} for row in rows])


def get_contractor(store: Store, contractor_id: str) -> dict[str, Any] | None:
    """One business, or `None`."""
    return contractors_of(store, [contractor_id]).get(contractor_id)


def contractors_of(store: Store, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Businesses by id."""
    found: dict[str, dict[str, Any]] = {}
    for part in chunks(dict.fromkeys(ids)):
        query = select(tables.contractor).where(tables.contractor.c.id.in_(part))
        found.update((row["id"], dict(row)) for row in store.connection.execute(query).mappings())
    return found


def list_contractors(store: Store, after: str | None, limit: int) -> list[dict[str, Any]]:
    """Businesses by id, after the id `after`."""
    query = select(tables.contractor).order_by(tables.contractor.c.id).limit(limit)
    if after is not None:
        query = query.where(tables.contractor.c.id > after)
    return [dict(row) for row in store.connection.execute(query).mappings()]


def find_contractors_by_name(store: Store, names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The businesses that have exactly these names but for case; keyed by the name in lower case."""
    table = tables.contractor
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for part in chunks(dict.fromkeys(name.lower() for name in names)):
        query = select(table).where(func.lower(table.c.business_name).in_(part)).order_by(table.c.id)
        for row in store.connection.execute(query).mappings():
            found[row["business_name"].lower()].append(dict(row))
    return dict(found)


def find_credentials(store: Store, license_norms: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The licences with these normalised numbers, each with its business's `business_name`, `email`, `phone`."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for part in chunks(dict.fromkeys(license_norms)):
        for row in store.connection.execute(_select_credentials(), {"norms": part}).mappings():
            found[row["license_norm"]].append(dict(row))
    return dict(found)


@cache
def _select_credentials() -> Select[Any]:
    table, business = tables.credential, tables.contractor
    return (
        select(table, business.c.business_name, business.c.email, business.c.phone)
        .join(business, business.c.id == table.c.contractor_id)
        .where(table.c.license_norm.in_(bindparam("norms", expanding=True)))
        .order_by(table.c.license_norm, table.c.kind)
    )


def expiring_credentials(store: Store, first: date, last: date) -> list[dict[str, Any]]:
    """The licences whose last day lies between two days."""
    table = tables.credential
    query = select(table).where(table.c.expires_on.between(first, last)).order_by(table.c.license_norm, table.c.kind)
    return [dict(row) for row in store.connection.execute(query).mappings()]


def licences_of(store: Store, contractor_id: str) -> list[dict[str, Any]]:
    """Every licence of a business."""
    table = tables.credential
    query = select(table).where(table.c.contractor_id == contractor_id).order_by(table.c.license_norm, table.c.kind)
    return [dict(row) for row in store.connection.execute(query).mappings()]
