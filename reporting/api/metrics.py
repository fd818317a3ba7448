"""Figures for the operator's monitoring, in the text format of Prometheus 0.0.4; for an administrator's key alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, Final

from flask import Response

from notifications.outbox import count_messages, oldest_waiting
from notifications.records import Channel
from reporting.api.calls import call, service
from reporting.api.counted import Figure
from reporting.api.openapi import Answer, Section
from reporting.store.log import SERVICE_LOG, head
from reporting.store.mail import count_held, list_suppressions
from reporting.store.measures import held_leases, last_runs
from schemas.loader import shipped_slugs

TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
SECTION: Final = Section("metrics", __name__, description="Figures for monitoring.")


@SECTION.endpoint(
    "/metrics",
    answers={200: Answer(tells="Figures.", schema={"type": "string"}, types=("text/plain",))},
    problems={403: "A key that is no administrator's, or plain http from outside.", 503: "The database is away."},
)
def show_metrics(query: dict[str, Any]) -> Response:
    """Calls by route and status and how long they took; mails queued, sent, failed, uncertain and held in each county,
    the oldest that waits, the jobs' last runs, whether a worker lives, entries on record, room on the disk."""
    now = call().now
    text = service().counted.text((*_of_mail(now), *_of_jobs(now), *_of_records()))
    return Response(text, content_type=TYPE)


def _of_mail(now: dt.datetime) -> Iterable[Figure]:
    counts, held, oldest, dead = [], [], [], []
    for county in (SERVICE_LOG, *shipped_slugs()):
        with service().database.reading(county) as store:
            for channel in Channel:
                found = count_messages(store, channel)
                counts += [({"county": county, "channel": str(channel), "state": s}, n) for s, n in found.items()]
            held.append(({"county": county}, sum(count_held(store).values())))
            since = oldest_waiting(store, now)
            oldest.append(({"county": county}, (now - since).total_seconds() if since else 0))
            dead.append(({"county": county}, len(list_suppressions(store))))
    yield Figure(name="pumper_messages", tells="Notices by state.", samples=tuple(counts))
    yield Figure(name="pumper_mails_held", tells="Mails that a county's pause holds.", samples=tuple(held))
    tells = "How long the oldest mail that is due has waited; 0: none is due."
    yield Figure(name="pumper_mail_oldest_waiting_seconds", tells=tells, samples=tuple(oldest))
    yield Figure(name="pumper_mail_suppressed", tells="Entries of the list of addresses.", samples=tuple(dead))


def _of_jobs(now: dt.datetime) -> Iterable[Figure]:
    with service().database.reading(None) as store:
        runs, leases = last_runs(store), held_leases(store)
    done = tuple(({"job": job}, at.timestamp()) for job, at in runs.items())
    yield Figure(name="pumper_job_last_success_timestamp_seconds", tells="When a daily job was done.", samples=done)
    until = tuple(({"job": row["name"].removeprefix("job:")}, row["until"].timestamp()) for row in leases)
    tells = "Until when the last turn of a repeated job, or of the worker itself, holds."
    yield Figure(name="pumper_job_lease_until_timestamp_seconds", tells=tells, samples=until)
    fences = tuple(({"job": row["name"].removeprefix("job:")}, row["fence"]) for row in leases)
    yield Figure(name="pumper_job_lease_changes", tells="How often a job changed hands.", samples=fences)
    yield Figure(name="pumper_time_seconds", tells="The service's own clock.", samples=(({}, now.timestamp()),))


def _of_records() -> Iterable[Figure]:
    entries = []
    for county in (SERVICE_LOG, *shipped_slugs()):
        with service().database.reading(county) as store:
            entries.append(({"county": county}, head(store).size))
    yield Figure(name="pumper_log_entries", tells="Entries of each county's record.", samples=tuple(entries))
    alive = service().worker_alive
    if alive is not None:
        with service().database.reading(None) as store:
            works = int(alive(store, call().now))
        yield Figure(name="pumper_worker_alive", tells="Whether a worker was seen of late.", samples=(({}, works),))
    room = service().database.room
    free = room.free() if room else None
    if free is not None:
        yield Figure(name="pumper_disk_free_bytes", tells="Room on the database's disk.", samples=(({}, free),))
