"""Where a county's systems lie: those of a map's view, the towns' middles, the coordinates of some systems."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Float, Subquery, and_, case, cast, func, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import not_ended
from reporting.store.lists import SystemFilter, system_conditions
from reporting.store.rows import chunks

_DEGREES: Final = r"^-?[0-9]{1,3}(\.[0-9]+)?$"
_LISTED: Final = ("permit_number", "site_address", "municipality")


@dataclass(frozen=True, kw_only=True)
class Box:
    """A view of a map, in degrees (WGS 84)."""

    west: float
    south: float
    east: float
    north: float


def systems_within(store: Store, filters: SystemFilter, box: Box | None, limit: int) -> list[dict[str, Any]]:
    """Systems with coordinates, those of a box or all, by id and at most so many: `system`, `permit_number`,
    `site_address`, `municipality`, `standing`, `latitude`, `longitude` (degrees).
    """
    placed = _placed(store, filters)
    query = select(placed).where(placed.c.latitude.is_not(None), placed.c.longitude.is_not(None))
    if box is not None:
        query = query.where(
            placed.c.latitude.between(box.south, box.north), placed.c.longitude.between(box.west, box.east)
        )
    found = store.connection.execute(query.order_by(placed.c.system).limit(limit))
    return [dict(row) for row in found.mappings()]


def extent_of(store: Store, filters: SystemFilter) -> tuple[int, Box | None]:
    """How many of some systems have coordinates, and the smallest box around them (None: none has)."""
    placed = _placed(store, filters)
    latitude, longitude = placed.c.latitude, placed.c.longitude
    edges = (func.min(longitude), func.min(latitude), func.max(longitude), func.max(latitude))
    query = select(func.count(), *edges).where(latitude.is_not(None), longitude.is_not(None))
    count, west, south, east, north = store.connection.execute(query).one()
    return int(count), Box(west=west, south=south, east=east, north=north) if count else None


def town_middles(store: Store) -> list[dict[str, Any]]:
    """Each `municipality` with the mean `latitude` and `longitude` of its systems that have coordinates."""
    version = tables.system_version
    inner = (
        select(
            version.c.municipality,
            _degrees(store, "latitude").label("latitude"),
            _degrees(store, "longitude").label("longitude"),
        )
        .where(version.c.county == store.tenant, version.c.ended_seq.is_(None), version.c.status != "removed")
        .subquery()
    )
    query = (
        select(
            inner.c.municipality,
            func.avg(inner.c.latitude).label("latitude"),
            func.avg(inner.c.longitude).label("longitude"),
        )
        .where(inner.c.municipality.is_not(None), inner.c.latitude.is_not(None), inner.c.longitude.is_not(None))
        .group_by(inner.c.municipality)
        .order_by(inner.c.municipality)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def coordinates_of(store: Store, systems: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """`latitude` and `longitude` of some systems, as texts; those without any are left out."""
    version = tables.system_version
    columns = [version.c.content[name].as_string().label(name) for name in ("latitude", "longitude")]
    found: dict[str, dict[str, str | None]] = {}
    for part in chunks(dict.fromkeys(systems)):
        query = select(version.c.system, *columns).where(
            version.c.county == store.tenant, version.c.system.in_(part), not_ended(version)
        )
        for row in store.connection.execute(query).mappings():
            if row["latitude"] and row["longitude"]:
                found[row["system"]] = {"latitude": row["latitude"], "longitude": row["longitude"]}
    return found


def _placed(store: Store, filters: SystemFilter) -> Subquery:
    """The systems that a filter lets through, with their coordinates as numbers."""
    version, standing = tables.system_version, tables.standing
    join = version.outerjoin(
        standing, and_(standing.c.county == version.c.county, standing.c.system == version.c.system)
    )
    return (
        select(
            version.c.system,
            *(version.c[name] for name in _LISTED),
            func.coalesce(standing.c.state, "unknown").label("standing"),
            *(_degrees(store, name).label(name) for name in ("latitude", "longitude")),
        )
        .select_from(join)
        .where(version.c.county == store.tenant, version.c.ended_seq.is_(None), *system_conditions(store, filters))
        .subquery()
    )


def _degrees(store: Store, name: str) -> ColumnElement[float | None]:
    """A coordinate as a number; what is none (PostgreSQL would refuse the whole question for it) is not there."""
    text = tables.system_version.c.content[name].as_string()
    if store.dialect == "postgresql":
        return case((text.regexp_match(_DEGREES), cast(text, Float)), else_=None)
    return case((text != "", cast(text, Float)), else_=None)
