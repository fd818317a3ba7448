"""What a log says, for tests that look for an entry."""

import json
from typing import Any

from sqlalchemy import select

from reporting import tables
from reporting.access.entries import log_of
from tests.reporting.api.world import World


def entries_in(world: World, county: str | None) -> list[dict[str, Any]]:
    """The entries of a county's log, or (None) of the service's own, as they were written."""
    log = log_of(county)
    with world.database.reading(log) as store:
        table = tables.log_entry
        query = select(table.c.entry).where(table.c.county == log).order_by(table.c.seq)
        return [json.loads(entry) for entry in store.connection.execute(query).scalars()]
