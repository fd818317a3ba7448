"""Reports as a records request asks for them: those of a span of days as they stood at one moment, page by page."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from sqlalchemy import and_, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import known_at

PAGE: Final = 500


def requested_reports(
    store: Store, at_seq: int, first: date | None, last: date | None, after: str | None
) -> list[dict[str, Any]]:
    """The next page of the reports that stood at `at_seq` with service dates between two days, by id.

    A row has the columns of `event`, and of its system as known then `permit_number`, `parcel_number`, `site_address`,
    `municipality`, `system_content` and of its owner `owner_name`, `owner_email`, `owner_content`. Baseline events of
    an inventory are no reports. after: the last id of the page before.
    """
    event, version, owner = tables.event, tables.system_version, tables.owner_version
    join = event.outerjoin(
        version,
        and_(version.c.county == event.c.county, version.c.system == event.c.system, known_at(version, at_seq)),
    ).outerjoin(
        owner, and_(owner.c.county == event.c.county, owner.c.system == event.c.system, known_at(owner, at_seq))
    )
    conditions = [event.c.county == store.tenant, event.c.submission.is_not(None), known_at(event, at_seq)]
    conditions += [event.c.service_date >= first] if first else []
    conditions += [event.c.service_date <= last] if last else []
    conditions += [event.c.id > after] if after else []
    query = (
        select(
            event,
            version.c.permit_number,
            version.c.parcel_number,
            version.c.site_address,
            version.c.municipality,
            version.c.content.label("system_content"),
            owner.c.name.label("owner_name"),
            owner.c.email.label("owner_email"),
            owner.c.content.label("owner_content"),
        )
        .select_from(join)
        .where(*conditions)
        .order_by(event.c.id)
        .limit(PAGE)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]
