"""From the county's stored domain events to what each subscriber is sent: once, in the events' own transaction."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

import structlog

from notifications.webhooks_kinds import HookEvent, Subscriber, hears, messages_of
from reporting.store.engine import Database, Store
from reporting.store.hook_deliveries import add_deliveries, has_unhooked, mark_hooked, unhooked_events
from reporting.store.people import licences_of
from reporting.store.reviews import open_reviews
from reporting.store.submissions import outcomes_of
from reporting.store.webhooks import listening_webhooks

PAGE: Final = 200
"""Events of one transaction."""
_log: Final = structlog.get_logger(__name__)


def queue_hooks(database: Database, county: str, now: datetime) -> int:
    """Queue whatever the county's new events are to tell; how many deliveries. Again, or at once, adds nothing."""
    made = 0
    with database.reading(county) as store:
        if not has_unhooked(store):
            return 0
    while True:
        with database.transaction(county) as store:
            events = unhooked_events(store, PAGE)
            made += _queue(store, events, now)
        if len(events) < PAGE:
            return made


def _queue(store: Store, rows: Sequence[Mapping[str, Any]], now: datetime) -> int:
    subscribers = [_subscriber(store, row) for row in listening_webhooks(store, store.tenant)] if rows else []
    found: list[dict[str, Any]] = []
    for row in rows if subscribers else ():
        try:
            found += _deliveries(_event(store, row), subscribers)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # One that cannot be read must not stop those behind it.
            _log.error("event cannot be read", domain_event=row["id"], kind=row["kind"], problem=repr(error))
    add_deliveries(store, found, now)
    mark_hooked(store, [row["id"] for row in rows], now)
    return len(found)


def _deliveries(event: HookEvent, subscribers: Sequence[Subscriber]) -> list[dict[str, Any]]:
    return [
        {
            "id": delivery_id(event.county, one.webhook, message.source),
            "webhook": one.webhook,
            "source": message.source,
            "kind": message.kind,
            "content": message.body,
        }
        for message in messages_of(event)
        for one in subscribers
        if hears(one, event, message.kind)
    ]


def delivery_id(county: str, webhook: str, source: str) -> str:
    """The id that a receiver knows a message by: the same whoever queues it, however often."""
    digest = sha256(f"{county}\n{webhook}\n{source}".encode()).digest()
    return "dlv_" + base64.b32encode(digest).decode().lower()[:26]


def _subscriber(store: Store, row: Mapping[str, Any]) -> Subscriber:
    business = row["contractor_id"]
    licences = licences_of(store, business) if business else []
    return Subscriber(
        webhook=row["id"],
        county=row["county"],
        contractor_id=business,
        kinds=frozenset(row["kinds"]),
        since=row["created_at"],
        licences=frozenset(one["license_norm"] for one in licences),
    )


def _event(store: Store, row: Mapping[str, Any]) -> HookEvent:
    content = row["content"] or {}
    accepted: list[str] = []
    waiting: list[tuple[str, str]] = []
    if row["kind"] == "receipt":
        submission = str(content["submission"])
        accepted = [one["report_id"] for one in outcomes_of(store, submission, outcome="accepted")]
        doubted = [one["report_id"] for one in outcomes_of(store, submission, outcome="queued_for_review")]
        waiting = [(review["id"], review["event"]) for review in open_reviews(store, events=doubted)] if doubted else []
    return HookEvent(
        county=store.tenant,
        id=row["id"],
        kind=row["kind"],
        occurred_at=row["occurred_at"],
        content=content,
        accepted=accepted,
        waiting=waiting,
    )
