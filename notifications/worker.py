"""The clockwork beside the web server: it only ticks; the database decides whose turn it is and what is due.

`pumper worker` hands in the jobs as callables. Several workers may run: of a daily job one does each local date
(`job_run`), of a repeated job one does it at a time (`lease`). An entry point: the tick's moment is taken here.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Final
from uuid import uuid4
from zoneinfo import ZoneInfo

import structlog
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler

from notifications.outbox import lease_until
from reporting.store.engine import Database, Store
from reporting.store.jobs import claim_slot, finish_slot, holds_lease, release_lease, take_lease
from schemas.calendar import COUNTY_TIME_ZONE

HEARTBEAT: Final = "worker"
"""The lease that some living worker always holds."""
_log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a job is told: the moment, the slot it works for (a local date, or the moment), and how to look around.

    `still_mine`: whether another worker has not taken over meanwhile; `stopping`: whether the worker is to end.
    """

    now: datetime
    slot: str
    still_mine: Callable[[], bool]
    stopping: Callable[[], bool]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One job: `daily_at` a local time (04:00 to 22:00: hours that every day has once), or `every` so often."""

    name: str
    run: Callable[[Turn], None]
    every: timedelta | None = None
    daily_at: time | None = None

    def __post_init__(self) -> None:
        """Raises `ValueError` for a job with no time or two, or with a daily time that some days do not have."""
        if (self.every is None) == (self.daily_at is None):
            raise ValueError(f"{self.name}: give either every or daily_at")
        if self.daily_at is not None and not time(4) <= self.daily_at <= time(22):
            raise ValueError(f"{self.name}: a daily job runs between 04:00 and 22:00")


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """How a worker ticks. A daily job begun and not finished for `stale_after` is taken over."""

    name: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}")
    tick: timedelta = timedelta(seconds=15)
    lease: timedelta = timedelta(seconds=60)
    stale_after: timedelta = timedelta(minutes=30)
    zone: str = COUNTY_TIME_ZONE


def system_clock() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


def run_worker(
    database: Database,
    jobs: Sequence[Job],
    options: WorkerOptions,
    stop: threading.Event,
    now: Callable[[], datetime] = system_clock,
) -> None:
    """Tick until `stop` is set (by the entry point's signal handler), then let running jobs end and return.

    A job that fails is logged and has its next turn; it stops neither the others nor the heartbeat.
    """
    scheduler = BackgroundScheduler(
        timezone=UTC,
        jobstores={"default": MemoryJobStore()},
        executors={"default": ThreadPoolExecutor(len(jobs) + 1)},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": 3600},
    )
    seconds = options.tick.total_seconds()
    start = {"trigger": "interval", "seconds": seconds, "next_run_time": system_clock()}
    scheduler.add_job(lambda: _guarded(HEARTBEAT, lambda: beat(database, options, now())), id=HEARTBEAT, **start)
    for job in jobs:
        tick = _ticker(database, job, options, stop, now)
        pace = job.every.total_seconds() if job.every else seconds
        scheduler.add_job(tick, id=job.name, **{**start, "seconds": pace})
    _log.info("worker started", worker=options.name, jobs=[job.name for job in jobs])
    scheduler.start()
    try:
        stop.wait()
    finally:
        scheduler.shutdown(wait=True)
        with database.transaction(None) as store:
            release_lease(store, HEARTBEAT, options.name, now())
        _log.info("worker stopped", worker=options.name)


def beat(database: Database, options: WorkerOptions, now: datetime) -> None:
    """Show that a worker is alive: hold the heartbeat's lease, or know that another one does."""
    with database.transaction(None) as store:
        take_lease(store, HEARTBEAT, options.name, now, now + options.lease)


def is_alive(store: Store, now: datetime, grace: timedelta = timedelta(minutes=2)) -> bool:
    """Whether some worker has ticked of late: for `/readyz`. With the usual lease it turns false within 3 minutes."""
    until = lease_until(store, HEARTBEAT)
    return until is not None and until + grace > now


def take_turn(
    database: Database,
    job: Job,
    options: WorkerOptions,
    clock: Callable[[], datetime],
    stopping: Callable[[], bool] = lambda: False,
) -> bool:
    """Run the job if it is due and this worker's; whether it ran. What the job raises goes through."""
    if job.daily_at is not None:
        return _daily_turn(database, job, job.daily_at, options, clock, stopping)
    return _repeated_turn(database, job, options, clock(), stopping)


def _daily_turn(
    database: Database,
    job: Job,
    daily_at: time,
    options: WorkerOptions,
    clock: Callable[[], datetime],
    stopping: Callable[[], bool],
) -> bool:
    now = clock()
    local = now.astimezone(ZoneInfo(options.zone))
    slot = local.date().isoformat()
    if local.time() < daily_at:
        return False
    with database.transaction(None) as store:
        if not claim_slot(store, job.name, slot, options.name, now, now - options.stale_after):
            return False
    job.run(Turn(now=now, slot=slot, still_mine=lambda: True, stopping=stopping))
    with database.transaction(None) as store:
        if not finish_slot(store, job.name, slot, options.name, clock()):
            _log.warning("another worker has taken the job over", job=job.name, slot=slot)
    return True


def _repeated_turn(
    database: Database, job: Job, options: WorkerOptions, now: datetime, stopping: Callable[[], bool]
) -> bool:
    assert job.every is not None
    name = f"job:{job.name}"
    with database.transaction(None) as store:
        # At least three turns long: whoever runs the job keeps it, and loses it soon after it dies.
        fence = take_lease(store, name, options.name, now, now + max(options.lease, 3 * job.every))
    if fence is None:
        return False

    def still_mine() -> bool:
        with database.reading(None) as store:
            return holds_lease(store, name, fence)

    job.run(Turn(now=now, slot=now.isoformat(), still_mine=still_mine, stopping=stopping))
    return True


def _ticker(
    database: Database, job: Job, options: WorkerOptions, stop: threading.Event, now: Callable[[], datetime]
) -> Callable[[], None]:
    def tick() -> None:
        if not stop.is_set():
            _guarded(job.name, lambda: take_turn(database, job, options, now, stop.is_set))

    return tick


def _guarded(name: str, action: Callable[[], object]) -> None:
    try:
        action()
    except Exception:
        _log.exception("job failed", job=name)
