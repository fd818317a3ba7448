"""Jobs that must run once: a row for each slot of a job, and leases that several workers compete for."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, case, delete, or_, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import insert_new_rows


def claim_slot(store: Store, job: str, slot: str, by: str, now: datetime, stale_before: datetime) -> bool:
    """Take one slot (such as a local date) of a job; `False` when somebody has it or has done it.

    A slot begun before `stale_before` and never finished is taken over.
    """
    table = tables.job_run
    mine = and_(table.c.job == job, table.c.slot == slot)
    store.connection.execute(
        delete(table).where(mine, table.c.finished_at.is_(None), table.c.started_at < stale_before)
    )
    row = {"job": job, "slot": slot, "by": by, "started_at": now, "finished_at": None}
    before = store.connection.execute(select(table.c.by).where(mine)).first()
    if before is not None:
        return False
    insert_new_rows(store, table, [row])
    holder = store.connection.execute(select(table.c.by, table.c.started_at).where(mine)).one()
    return bool(holder.by == by and holder.started_at == now)


def finish_slot(store: Store, job: str, slot: str, by: str, now: datetime) -> bool:
    """Note that the job ran for the slot; `False` when the slot is no longer `by`'s."""
    table = tables.job_run
    statement = (
        update(table)
        .where(table.c.job == job, table.c.slot == slot, table.c.by == by, table.c.finished_at.is_(None))
        .values(finished_at=now)
    )
    return store.connection.execute(statement).rowcount == 1


def take_lease(store: Store, name: str, owner: str, now: datetime, until: datetime) -> int | None:
    """Take or renew a lease: its fence, or `None` while another owner holds it.

    The fence rises whenever the lease changes hands or had run out, so that a holder who slept past it can be told.
    """
    table = tables.lease
    insert_new_rows(store, table, [{"name": name, "owner": owner, "until": now, "fence": 0}])
    fence = case((and_(table.c.owner == owner, table.c.until > now), table.c.fence), else_=table.c.fence + 1)
    statement = (
        update(table)
        .where(table.c.name == name, or_(table.c.owner == owner, table.c.until <= now))
        .values(owner=owner, until=until, fence=fence)
        .returning(table.c.fence)
    )
    return store.connection.execute(statement).scalar()


def holds_lease(store: Store, name: str, fence: int) -> bool:
    """Whether the lease still has this fence."""
    table = tables.lease
    query = select(table.c.name).where(table.c.name == name, table.c.fence == fence)
    return store.connection.execute(query).first() is not None


def release_lease(store: Store, name: str, owner: str, now: datetime) -> None:
    """Give a lease up before it runs out."""
    table = tables.lease
    store.connection.execute(update(table).where(table.c.name == name, table.c.owner == owner).values(until=now))
