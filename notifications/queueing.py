"""From the county's unhandled domain events to queued messages: what `pumper scan` does last, in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import structlog

from notifications.digests import DIGESTS, digest_key, group_lines, merge_lines, morning_of, moved_to, next_day, spread
from notifications.directory import load_book, load_systems, with_reports
from notifications.facts import office_facts
from notifications.notices import make_notices
from notifications.outbox import add_message, count_lines, extend_digest, lock_queueing
from notifications.reasons import STAGED, stage_of
from notifications.records import (
    DomainEvent,
    Line,
    NoNotice,
    Notice,
    NoticeKind,
    Occasion,
    SkipReason,
    SystemNow,
    Told,
)
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


def queue_notices(
    store: Store, program: Program, today: date, now: datetime, base_url: str, map_url: str = ""
) -> QueueCounts:
    """Turn every unhandled event of the store's county into messages, and note the event as handled.

    `program`: the county's, with its own settings; `today`: the county's date; `base_url`: for links, its host for
    Message-IDs; `map_url`: a map's address with `{lat}` and `{lon}`. Runs at the same time, or again, add nothing.
    Raises `ValueError` for another county's program.
    """
    if program.slug != store.tenant:
        raise ValueError(f"the program of {program.slug} in a transaction of {store.tenant}")
    lock_queueing(store)
    counts = QueueCounts()
    while rows := pending_domain_events(store, PAGE):
        events = [_event(row) for row in rows]
        book = load_book(store, program, events)
        occasion = Occasion(program=program, book=book, today=today, base_url=base_url, map_url=map_url)
        counts += _queue_page(store, events, occasion, now)
    return counts


def _queue_page(store: Store, events: Sequence[DomainEvent], occasion: Occasion, now: datetime) -> QueueCounts:
    systems = load_systems(store, [event.system for event in events if event.system])
    outdone = _outdone(events)
    told = [one for event in with_reports(store, events) for one in _told(event, outdone, systems, occasion)]
    lines = [one for one in told if isinstance(one, Line)]
    grouped = group_lines(lines, occasion.today, office_facts(occasion))
    skipped = Counter(str(one.reason) for one in told if isinstance(one, NoNotice))
    messages: Counter[str] = Counter()
    alone = [one for one in told if isinstance(one, Notice)]
    for notice in (*alone, *(one for one in grouped if one.kind not in DIGESTS)):
        if add_message(store, notice, now, _host(occasion)):
            messages[str(notice.kind)] += 1
        else:
            skipped[str(SkipReason.ALREADY_QUEUED)] += 1
    for digest in (one for one in grouped if one.kind in DIGESTS):
        for day, part in _over_days(store, digest, occasion).items():
            messages[str(digest.kind)] += _queue_digest(store, part, occasion, day, now)
    mark_handled(store, [event.id for event in events], now)
    return QueueCounts(events=len(events), messages=dict(+messages), lines=len(lines), skipped=dict(skipped))


def _over_days(store: Store, digest: Notice, occasion: Occasion) -> dict[date, Notice]:
    """A contractor's digest as the days have it on which its lines are told, by the county's `digest_lines_per_day`."""
    per_day = occasion.program.days("digest_lines_per_day")
    if digest.kind is not NoticeKind.DUE_DIGEST or not per_day:
        return {occasion.today: digest}
    lines, today = digest.context["lines"], occasion.today
    days = [today + timedelta(days=n) for n in range(_DAYS_AHEAD + len(lines) // per_day + 1)]
    keys = {digest_key(digest.kind, digest.context["group"], digest.recipient, day): day for day in days}
    taken = {keys[key]: count for key, count in count_lines(store, list(keys)).items()}
    return {
        day: replace(digest, context={**digest.context, "lines": merge_lines([], part)})
        for day, part in spread(lines, today, per_day, taken).items()
    }


def _host(occasion: Occasion) -> str:
    return urlsplit(occasion.base_url).hostname or "localhost"


def _queue_digest(store: Store, digest: Notice, occasion: Occasion, day: date, now: datetime) -> int:
    """Put lines into a day's digest or, where that one has left, the next day's; how many messages it made."""
    for _ in range(_DAYS_AHEAD):
        notice = moved_to(digest, day)
        zone = occasion.program.timezone
        not_before = now if day == occasion.today else max(now, morning_of(day, zone))
        if add_message(store, notice, now, _host(occasion), not_before):
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
    latest: dict[str, tuple[int, str]] = {}
    outdone: set[str] = set()
    for event in events:
        if event.kind in STAGED:
            duty, stage = stage_of(event.cause_key)
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
