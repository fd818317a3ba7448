"""Figures of a county's week: what stands how, what has become overdue, what was late, what waits for staff."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import and_, func, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import chunks

_PAPERS: Final = ("missing_report", "period_report")


def count_standings(store: Store) -> dict[str, int]:
    """How many systems of the county have each standing; removed ones are in no list, and are not counted."""
    table, version = tables.standing, tables.system_version
    here = and_(version.c.county == table.c.county, version.c.system == table.c.system, version.c.ended_seq.is_(None))
    query = (
        select(table.c.state, func.count())
        .select_from(table.join(version, here))
        .where(table.c.county == store.tenant, version.c.status != "removed")
        .group_by(table.c.state)
    )
    return dict(store.connection.execute(query).all())


def count_events_since(store: Store, since: datetime) -> dict[str, int]:
    """How many domain events of each kind were recorded at or after a moment."""
    table = tables.domain_event
    query = (
        select(table.c.kind, func.count())
        .where(table.c.county == store.tenant, table.c.occurred_at >= since)
        .group_by(table.c.kind)
    )
    return dict(store.connection.execute(query).all())


def count_overdue(store: Store, kind: str) -> int:
    """How many duties of a kind are past their last day."""
    table = tables.obligation
    query = select(func.count()).where(table.c.county == store.tenant, table.c.kind == kind, table.c.state == "overdue")
    return int(store.connection.execute(query).scalar_one())


def count_open_reviews(store: Store) -> int:
    """How many reports wait for the county's staff to place them."""
    table = tables.review
    query = select(func.count()).where(table.c.county == store.tenant, table.c.state == "open")
    return int(store.connection.execute(query).scalar_one())


def newly_overdue(store: Store, first: date, last: date, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """The duties that are overdue and whose last day lies between two days: how many, and the first of them.

    Papers (missing and period reports) are none of them. A row has the columns of `obligation`, and of its system
    `permit_number`, `site_address`, `municipality`.
    """
    table = tables.obligation
    return _with_places(
        store,
        [table.c.state == "overdue", table.c.last_day.between(first, last), table.c.kind.not_in(_PAPERS)],
        limit,
    )


def case_deadlines(store: Store, first: date, last: date, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """The duties of cases, not yet met, whose last day lies between two days; as `newly_overdue` gives them."""
    table = tables.obligation
    return _with_places(store, [table.c.cycle.startswith("case:"), table.c.last_day.between(first, last)], limit)


def overdue_by_town(store: Store) -> list[dict[str, Any]]:
    """How many duties are past their last day in each `municipality` (None: not on file), the most first: `duties`.

    Papers (missing and period reports) are none of them, as in `newly_overdue`.
    """
    table, version = tables.obligation, tables.system_version
    join = table.outerjoin(
        version,
        and_(version.c.county == table.c.county, version.c.system == table.c.system, version.c.ended_seq.is_(None)),
    )
    query = (
        select(version.c.municipality, func.count().label("duties"))
        .select_from(join)
        .where(table.c.county == store.tenant, table.c.state == "overdue", table.c.kind.not_in(_PAPERS))
        .group_by(version.c.municipality)
    )
    found = [dict(row) for row in store.connection.execute(query).mappings()]
    return sorted(found, key=lambda row: (-row["duties"], row["municipality"] or ""))


def designated_among(store: Store, norms: Iterable[str]) -> set[str]:
    """Of some normalised licences, those that are designated for a system of the county."""
    table = tables.designation
    found: set[str] = set()
    for part in chunks(dict.fromkeys(norms)):
        query = (
            select(table.c.license_norm)
            .where(table.c.county == store.tenant, table.c.license_norm.in_(part), table.c.ended_seq.is_(None))
            .distinct()
        )
        found.update(store.connection.execute(query).scalars())
    return found


def _with_places(store: Store, conditions: list[Any], limit: int) -> tuple[int, list[dict[str, Any]]]:
    table, version = tables.obligation, tables.system_version
    mine = and_(table.c.county == store.tenant, *conditions)
    total = int(store.connection.execute(select(func.count()).select_from(table).where(mine)).scalar_one())
    join = table.outerjoin(
        version,
        and_(version.c.county == table.c.county, version.c.system == table.c.system, version.c.ended_seq.is_(None)),
    )
    query = (
        select(table, version.c.permit_number, version.c.site_address, version.c.municipality)
        .select_from(join)
        .where(mine)
        .order_by(table.c.last_day, table.c.system, table.c.component, table.c.kind, table.c.rule, table.c.cycle)
        .limit(limit)
    )
    return total, [dict(row) for row in store.connection.execute(query).mappings()]
