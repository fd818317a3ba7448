"""What the service measures of itself, beyond any county: when its jobs last ran."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, select

from reporting import tables
from reporting.store.engine import Store

_JOB: Final = "job:"


def last_runs(store: Store) -> dict[str, datetime]:
    """When each daily job was last finished; those that never were are left out."""
    run = tables.job_run
    query = select(run.c.job, func.max(run.c.finished_at)).where(run.c.finished_at.is_not(None)).group_by(run.c.job)
    return dict(sorted((job, at) for job, at in store.connection.execute(query) if at is not None))


def held_leases(store: Store) -> list[dict[str, Any]]:
    """The repeated jobs and the heartbeat: `name`, until when their last lease runs, how often it changed hands."""
    lease = tables.lease
    query = select(lease.c.name, lease.c.until, lease.c.fence).order_by(lease.c.name)
    rows = [dict(row) for row in store.connection.execute(query).mappings()]
    return [row for row in rows if row["name"].startswith(_JOB) or row["name"] == "worker"]
