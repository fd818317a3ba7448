"""The reports that a county has received, newest first, each with what became of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import ColumnElement, and_, case, exists, or_, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.paging import Page, read_page


class Became(StrEnum):
    """What became of a report: `kept` and placed, `late` besides, `waiting` to be placed, `ended` (corrected by a later
    version, or taken back).
    """

    KEPT = "kept"
    LATE = "late"
    WAITING = "waiting"
    ENDED = "ended"


STANDING: Final = (Became.KEPT, Became.LATE, Became.WAITING)
"""Those that count, or will."""
_EVENT: Final = (
    "id", "event_type", "service_date", "first_received_at", "component", "component_ref", "license_number",
    "report_ref", "system", "historical",
)  # fmt: skip
_CONTENT: Final = ("business_name", "technician_name")
_PLACE: Final = ("permit_number", "parcel_number", "site_address", "municipality")


@dataclass(frozen=True, kw_only=True)
class ReceivedFilter:
    """Which reports to list; `None` and empty ask nothing. `contractor`: normalised licences that the report names.

    received_from, received_before: of its first version. served_from, served_to: service dates, both counted.
    """

    contractor: Collection[str] = ()
    received_from: datetime | None = None
    received_before: datetime | None = None
    served_from: date | None = None
    served_to: date | None = None
    state: Collection[Became] = ()


def page_received(store: Store, filters: ReceivedFilter, cursor: str | None, limit: int) -> Page:
    """Reports that came in, newest first; the dates of an inventory are none. Raises `BadCursor`.

    A row: `id`, `became`, `event_type`, `service_date`, `first_received_at`, `component`, `component_ref`,
    `license_number`, `report_ref`, `system`, `historical`, `business_name`, `technician_name`, `gallons_pumped`, and of
    the system, else of what the report says, `permit_number`, `parcel_number`, `site_address`, `municipality`,
    `latitude`, `longitude` (degrees as text).
    """
    event, version = tables.event, tables.system_version
    here = and_(version.c.county == event.c.county, version.c.system == event.c.system, version.c.ended_seq.is_(None))
    became = _became()
    query = (
        select(
            *(event.c[name] for name in _EVENT),
            *(event.c.content[name].as_string().label(name) for name in _CONTENT),
            event.c.content["gallons_pumped"].as_integer().label("gallons_pumped"),
            *(_place(name).label(name) for name in _PLACE),
            *(version.c.content[name].as_string().label(name) for name in ("latitude", "longitude")),
            became.label("became"),
        )
        .select_from(event.outerjoin(version, here))
        .where(event.c.county == store.tenant, event.c.submission.is_not(None), *_conditions(filters))
    )
    if filters.state:
        query = query.where(became.in_([str(one) for one in filters.state]))
    return read_page(store, query, [event.c.id], cursor, limit, newest_first=True)


def _place(name: str) -> ColumnElement[str]:
    version = tables.system_version
    said = tables.event.c.content[name].as_string()
    return case((version.c.system.is_not(None), version.c[name]), else_=said)


def _became() -> ColumnElement[str]:
    event, review, finding = tables.event, tables.review, tables.finding
    waits = exists().where(review.c.county == event.c.county, review.c.event == event.c.id, review.c.state == "open")
    late = exists().where(
        finding.c.county == event.c.county, finding.c.event == event.c.id, finding.c.kind == "late_report"
    )
    return case(
        (event.c.ended_seq.is_not(None), Became.ENDED.value),
        (or_(event.c.system.is_(None), waits), Became.WAITING.value),
        (late, Became.LATE.value),
        else_=Became.KEPT.value,
    )


def _conditions(filters: ReceivedFilter) -> list[ColumnElement[bool]]:
    event = tables.event
    conditions: list[ColumnElement[bool]] = []
    if filters.contractor:
        conditions.append(event.c.license_norm.in_(filters.contractor))
    if filters.received_from is not None:
        conditions.append(event.c.first_received_at >= filters.received_from)
    if filters.received_before is not None:
        conditions.append(event.c.first_received_at < filters.received_before)
    if filters.served_from is not None:
        conditions.append(event.c.service_date >= filters.served_from)
    if filters.served_to is not None:
        conditions.append(event.c.service_date <= filters.served_to)
    return conditions
