"""Services as they stand now, for exports: a business's own over time, and a county's counts of a year."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from sqlalchemy import and_, case, exists, extract, func, select, tuple_

from reporting import tables
from reporting.store.engine import Store

_PAGE: Final = 1_000


def services_of(store: Store, contractor_id: str, first: date, last: date) -> Iterator[dict[str, Any]]:
    """A business's standing reports of services in these days (both counted), by date and id, a page at a time.

    Columns of `event`. What the county has on file of the place is not among them: it is not the business's.
    """
    event = tables.event
    query = (
        select(event)
        .where(
            event.c.county == store.tenant,
            event.c.contractor_id == contractor_id,
            event.c.ended_seq.is_(None),
            event.c.service_date >= first,
            event.c.service_date <= last,
        )
        .order_by(event.c.service_date, event.c.id)
    )
    after: tuple[Any, ...] | None = None
    while True:
        page = query if after is None else query.where(tuple_(event.c.service_date, event.c.id) > after)
        rows = [dict(row) for row in store.connection.execute(page.limit(_PAGE)).mappings()]
        yield from rows
        if len(rows) < _PAGE:
            return
        after = (rows[-1]["service_date"], rows[-1]["id"])


def count_services(store: Store, first: date, last: date) -> list[dict[str, Any]]:
    """What was done in these days by `component`, `event_type`: how many `services`, and `gallons` in all.

    The dates of an inventory are no reports, and left out.
    """
    event = tables.event
    gallons = event.c.content["gallons_pumped"].as_integer()
    query = (
        select(
            event.c.component,
            event.c.event_type,
            func.count().label("services"),
            func.count(event.c.system.distinct()).label("systems"),
            func.coalesce(func.sum(gallons), 0).label("gallons"),
        )
        .where(*_reported(store, first, last))
        .group_by(event.c.component, event.c.event_type)
        .order_by(event.c.component, event.c.event_type)
    )
    rows = store.connection.execute(query).mappings()
    return [{**row, "gallons": int(row["gallons"])} for row in rows]


def count_late(store: Store, first: date, last: date) -> dict[str, int]:
    """Of the services of these days that were reported late: how many by the rule whose deadline they missed."""
    event, finding = tables.event, tables.finding
    query = (
        select(finding.c.rule, func.count(event.c.id.distinct()))
        .select_from(finding.join(event, and_(event.c.county == finding.c.county, event.c.id == finding.c.event)))
        .where(finding.c.county == store.tenant, finding.c.kind == "late_report", *_reported(store, first, last))
        .group_by(finding.c.rule)
        .order_by(finding.c.rule)
    )
    return dict(store.connection.execute(query).all())


def count_judged(store: Store, first: date, last: date) -> int:
    """How many reports of services in these days could have been late: those that are no backlog."""
    event = tables.event
    query = select(func.count()).where(*_reported(store, first, last), event.c.historical.is_(False))
    return store.connection.execute(query).scalar_one()


def count_by_month(store: Store, first: date, last: date) -> dict[tuple[int, int], tuple[int, int]]:
    """Of the services of each month (year, month) of these days: how many could have been reported late, and how many
    were, by whichever rule; months without any are left out.
    """
    event, finding = tables.event, tables.finding
    month = (extract("year", event.c.service_date), extract("month", event.c.service_date))
    mine = (*_reported(store, first, last), event.c.historical.is_(False))
    late = exists().where(
        finding.c.county == event.c.county, finding.c.event == event.c.id, finding.c.kind == "late_report"
    )
    query = select(*month, func.count(), func.sum(case((late, 1), else_=0))).where(*mine).group_by(*month)
    rows = store.connection.execute(query).all()
    return {(int(year), int(number)): (judged, int(missed)) for year, number, judged, missed in rows}


def count_by_business(store: Store, first: date, last: date) -> list[dict[str, Any]]:
    """By the licence that reports of these days' services name (`license_norm`, None: none; `license_number` as one of
    them writes it): how many could have been reported late (`judged`), and how many were (`late`).

    Summed over all licences they are the counts of `count_by_month`.
    """
    event, finding = tables.event, tables.finding
    late = exists().where(
        finding.c.county == event.c.county, finding.c.event == event.c.id, finding.c.kind == "late_report"
    )
    query = (
        select(
            event.c.license_norm,
            func.max(event.c.license_number).label("license_number"),
            func.count().label("judged"),
            func.sum(case((late, 1), else_=0)).label("late"),
        )
        .where(*_reported(store, first, last), event.c.historical.is_(False))
        .group_by(event.c.license_norm)
        .order_by(event.c.license_norm)
    )
    return [{**row, "late": int(row["late"])} for row in store.connection.execute(query).mappings()]


def count_inventory(store: Store) -> dict[str, dict[str, int]]:
    """The county's systems now: by `status`, by `standing`, and their tanks by `component`."""
    version, standing, component = tables.system_version, tables.standing, tables.component_version
    counts = {
        "status": select(version.c.status, func.count())
        .where(version.c.county == store.tenant, version.c.ended_seq.is_(None))
        .group_by(version.c.status),
        "standing": select(standing.c.state, func.count())
        .where(standing.c.county == store.tenant)
        .group_by(standing.c.state),
        "component": select(component.c.component, func.count())
        .where(component.c.county == store.tenant, component.c.ended_seq.is_(None))
        .group_by(component.c.component),
    }
    return {name: dict(sorted(store.connection.execute(query).all())) for name, query in counts.items()}


def facts_of_kind(store: Store, kind: str) -> list[dict[str, Any]]:
    """The current facts of one kind, each with its `system`, `id` and `content`."""
    fact = tables.fact
    query = select(fact.c.system, fact.c.id, fact.c.content).where(
        fact.c.county == store.tenant, fact.c.kind == kind, fact.c.ended_seq.is_(None)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def system_of_fact(store: Store, kind: str, fact_id: str) -> str | None:
    """The system that the current fact of this kind and id is about, or `None`."""
    fact = tables.fact
    query = select(fact.c.system).where(
        fact.c.county == store.tenant, fact.c.id == fact_id, fact.c.kind == kind, fact.c.ended_seq.is_(None)
    )
    return store.connection.execute(query).scalar()


def _reported(store: Store, first: date, last: date) -> tuple[Any, ...]:
    event = tables.event
    return (
        event.c.county == store.tenant,
        event.c.ended_seq.is_(None),
        event.c.submission.is_not(None),
        event.c.service_date >= first,
        event.c.service_date <= last,
    )


def reports_before(store: Store, contractor_id: str, before: str | None, limit: int) -> list[dict[str, Any]]:
    """A business's reports of every version, newest first, those whose id is lower than `before` (None: from the top).

    Ids rise with time, in all counties alike. Columns of `event`; the dates of an inventory are no reports.
    """
    event = tables.event
    query = select(event).where(
        event.c.county == store.tenant, event.c.contractor_id == contractor_id, event.c.submission.is_not(None)
    )
    if before is not None:
        query = query.where(event.c.id < before)
    return [dict(row) for row in store.connection.execute(query.order_by(event.c.id.desc()).limit(limit)).mappings()]
