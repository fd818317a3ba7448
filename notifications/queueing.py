"""From the county's unhandled domain events to queued messages: what `pumper scan` does last, in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final
from urllib.parse import urlsplit

import structlog

from notifications.digests import group_lines, morning_of, moved_to, next_day
from notifications.directory import load_book, load_systems, with_reports
from notifications.facts import office_facts
from notifications.notices import make_notices
from notifications.outbox import add_message, extend_digest, lock_queueing
from notifications.records import DomainEvent, EventKind, Line, NoNotice, Notice, Occasion, SkipReason, SystemNow, Told
from reporting.store.engine import Store
from reporting.store.events_out import mark_handled, pending_domain_events
from schemas.program import Program

PAGE: Final = 5_000
"""How many events are read at once; digests and stages are judged within a page."""
_DAYS_AHEAD: Final = 30
_log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class QueueCounts:
    """What one run made: events handled, new messages by kind, tanks put into digests, and every skip by its reason."""

    events: int = 0
    messages: Mapping[str, int] = field(default_factory=dict)
    lines: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: QueueCounts) -> QueueCounts:
        return QueueCounts(
            events=self.events + other.events,
            messages=dict(Counter(self.messages) + Counter(other.messages)),
            lines=self.lines + other.lines,
            skipped=dict(Counter(self.skipped) + Counter(other.skipped)),
        )


def queue_notices(store: Store, program: Program, today: date, now: datetime, base_url: str) -> QueueCounts:
    """Turn every unhandled event of the store's county into messages, and note the event as handled.

    `program`: the county's, with its own settings; `today`: the county's date; `base_url`: for links, its host for
    Message-IDs. Runs at the same time, or again, add nothing. Raises `ValueError` for another county's program.
    """
    if program.slug != store.tenant:
        raise ValueError(f"the program of {program.slug} in a transaction of {store.tenant}")
    lock_queueing(store)
    counts = QueueCounts()
    while rows := pending_domain_events(store, PAGE):
        counts += _queue_page(store, [_event(row) for row in rows], program, today, now, base_url)
    return counts


def _queue_page(
    store: Store, events: Sequence[DomainEvent], program: Program, today: date, now: datetime, base_url: str
) -> QueueCounts:
    occasion = Occasion(program=program, book=load_book(store, program, events), today=today, base_url=base_url)
    systems = load_systems(store, [event.system for event in events if event.system])
    outdone = _outdone(events)
    told = [one for event in with_reports(store, events) for one in _told(event, outdone, systems, occasion)]
    lines = [one for one in told if isinstance(one, Line)]
    skipped = Counter(str(one.reason) for one in told if isinstance(one, NoNotice))
    messages: Counter[str] = Counter()
    host = urlsplit(base_url).hostname or "localhost"
    for notice in (one for one in told if isinstance(one, Notice)):
        if add_message(store, notice, now, host):
            messages[str(notice.kind)] += 1
        else:
            skipped[str(SkipReason.ALREADY_QUEUED)] += 1
    for digest in group_lines(lines, today, office_facts(occasion)):
        messages[str(digest.kind)] += _queue_digest(store, digest, program, today, now, host)
    mark_handled(store, [event.id for event in events], now)
    return QueueCounts(events=len(events), messages=dict(+messages), lines=len(lines), skipped=dict(skipped))


def _queue_digest(store: Store, digest: Notice, program: Program, today: date, now: datetime, host: str) -> int:
    """Put a digest's lines into today's or, where that one has left, the next day's; how many messages it made."""
    day = today
    for _ in range(_DAYS_AHEAD):
        notice = moved_to(digest, day)
        not_before = now if day == today else max(now, morning_of(day, program.timezone))
        if add_message(store, notice, now, host, not_before):
            return 1
        if extend_digest(store, notice):
            return 0
        day = next_day(day)
    raise RuntimeError(f"the digests of {_DAYS_AHEAD} days ahead have left already")


def _told(event: DomainEvent, outdone: Set[str], systems: Mapping[str, SystemNow], occasion: Occasion) -> list[Told]:
    """What follows from one event; one that cannot be read is counted and logged, and does not stop the others."""
    if event.id in outdone:
        return [NoNotice(reason=SkipReason.LATER_STAGE, cause_key=event.cause_key)]
    try:
        return make_notices(event, systems.get(event.system or ""), occasion)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        _log.error("event cannot be read", domain_event=event.id, kind=event.kind, problem=repr(error))
        return [NoNotice(reason=SkipReason.UNREADABLE_EVENT, cause_key=event.cause_key)]


def _outdone(events: Sequence[DomainEvent]) -> frozenset[str]:
    """The events of a stage whose next one waits too, as after an outage: only the latest is told."""
    latest: dict[str, tuple[str, str]] = {}
    outdone: set[str] = set()
    for event in events:
        if event.kind == EventKind.MISSING_REPORT:
            duty, _, stage = event.cause_key.rpartition(":")
            earlier, later = sorted([(stage, event.id), latest.get(duty, (stage, event.id))])
            latest[duty] = later
            outdone |= {earlier[1]} - {later[1]}
    return frozenset(outdone)


def _event(row: Mapping[str, Any]) -> DomainEvent:
    content = row["content"] or {}
    return DomainEvent(
        id=row["id"],
        kind=row["kind"],
        cause_key=row["cause_key"],
        system=row["system"] or content.get("system"),
        content=content,
    )
