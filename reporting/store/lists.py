"""The county's lists, filtered and in pages: systems with their standing, and obligations."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.matching import PARCEL, PERMIT
from reporting.store.paging import Page, day_key, read_page


@dataclass(frozen=True, kw_only=True)
class SystemFilter:
    """Which systems to list; `None` and empty ask nothing. `permit` and `parcel` are normalised identifiers.

    Systems that were removed are listed where they are asked for: by that status, or by their numbers.
    """

    permit: str | None = None
    parcel: str | None = None
    q: str | None = None
    standing: Collection[str] = ()
    municipality: str | None = None
    contractor: Collection[str] = ()
    status: Collection[str] = ()


@dataclass(frozen=True, kw_only=True)
class ObligationFilter:
    """Which obligations to list; `None` and empty ask nothing. `contractor` holds normalised licences.

    `due_before` leaves out obligations due on that day or later, and those without a day.
    """

    state: Collection[str] = ()
    kind: Collection[str] = ()
    due_before: date | None = None
    contractor: Collection[str] = ()
    municipality: str | None = None
    system: str | None = None
    duty_of: Collection[str] = ()


def list_systems(store: Store, filters: SystemFilter, cursor: str | None, limit: int) -> Page:
    """Systems as they are known now, each with its standing's columns, by id; raises `BadCursor`.

    A row has the columns of `system_version` and `standing` (`system`, `seq`, `status`, `content`, `standing`, …).
    """
    version, standing = tables.system_version, tables.standing
    join = version.outerjoin(
        standing, and_(standing.c.county == version.c.county, standing.c.system == version.c.system)
    )
    taken = [c for c in standing.c if c.name not in ("county", "system", "state", "municipality")]
    query = (
        select(version, standing.c.state.label("standing"), *taken)
        .select_from(join)
        .where(version.c.county == store.tenant, version.c.ended_seq.is_(None), *system_conditions(store, filters))
    )
    return read_page(store, query, [version.c.system], cursor, limit)


def list_obligations(store: Store, filters: ObligationFilter, cursor: str | None, limit: int) -> Page:
    """Obligations, soonest first and those without a day last; raises `BadCursor`.

    A row has the columns of `obligation`, and of its system `permit_number`, `parcel_number`, `site_address`,
    `municipality`, `latitude` and `longitude` (degrees as text), and `contractor` (the designated licence, normalised).
    """
    obligation, standing, version = tables.obligation, tables.standing, tables.system_version
    join = obligation.outerjoin(
        standing, and_(standing.c.county == obligation.c.county, standing.c.system == obligation.c.system)
    ).outerjoin(
        version,
        and_(
            version.c.county == obligation.c.county,
            version.c.system == obligation.c.system,
            version.c.ended_seq.is_(None),
        ),
    )
    query = (
        select(
            obligation,
            standing.c.contractor,
            version.c.permit_number,
            version.c.parcel_number,
            version.c.site_address,
            version.c.municipality,
            *(version.c.content[name].as_string().label(name) for name in ("latitude", "longitude")),
        )
        .select_from(join)
        .where(obligation.c.county == store.tenant, *_obligation_conditions(filters))
    )
    names = ("system", "component", "component_ref", "kind", "rule", "cycle")
    keys = [day_key(store, obligation.c.due_on), *(obligation.c[name] for name in names)]
    return read_page(store, query, keys, cursor, limit)


def system_conditions(store: Store, filters: SystemFilter) -> list[ColumnElement[bool]]:
    """What a filter asks of `system_version` joined with `standing`, for a query of the county's systems."""
    version, standing = tables.system_version, tables.standing
    conditions: list[ColumnElement[bool]] = []
    for kind, norm in ((PERMIT, filters.permit), (PARCEL, filters.parcel)):
        if norm is not None:
            conditions.append(version.c.system.in_(_systems_named(store, kind, norm)))
    if filters.q:
        words = filters.q.lower()
        fields = (version.c.permit_number, version.c.parcel_number, version.c.site_address)
        conditions.append(or_(*(func.lower(field).contains(words, autoescape=True) for field in fields)))
    if filters.standing:
        conditions.append(standing.c.state.in_(filters.standing))
    if filters.municipality is not None:
        conditions.append(version.c.municipality == filters.municipality)
    if filters.contractor:
        conditions.append(standing.c.contractor.in_(filters.contractor))
    if filters.status:
        conditions.append(version.c.status.in_(filters.status))
    elif filters.permit is None and filters.parcel is None:
        conditions.append(version.c.status != "removed")
    return conditions


def _systems_named(store: Store, kind: str, norm: str) -> Any:
    table = tables.identifier
    return select(table.c.system).where(table.c.county == store.tenant, table.c.kind == kind, table.c.norm == norm)


def _obligation_conditions(filters: ObligationFilter) -> list[ColumnElement[bool]]:
    obligation, standing, version = tables.obligation, tables.standing, tables.system_version
    conditions: list[ColumnElement[bool]] = []
    if filters.state:
        conditions.append(obligation.c.state.in_(filters.state))
    if filters.kind:
        conditions.append(obligation.c.kind.in_(filters.kind))
    if filters.due_before is not None:
        conditions.append(obligation.c.due_on < filters.due_before)
    if filters.contractor:
        conditions.append(standing.c.contractor.in_(filters.contractor))
    if filters.municipality is not None:
        conditions.append(version.c.municipality == filters.municipality)
    if filters.system is not None:
        conditions.append(obligation.c.system == filters.system)
    if filters.duty_of:
        conditions.append(obligation.c.duty_of.in_(filters.duty_of))
    return conditions
