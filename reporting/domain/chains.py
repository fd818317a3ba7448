"""What had been recorded by a moment: reports with their corrections and voids, and the other dated facts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import replace

from reporting.domain.records import Case, Event, History, System
from schemas.calendar import local_date


def standing_events(events: Iterable[Event], known_at: dt.datetime | None) -> tuple[Event, ...]:
    """The reports that stand at `known_at` (None: all is known), each with the first receipt of its corrections.

    Known by then, not voided by then, not corrected by a report that stands; a voided correction lets the version
    before it stand. A report of no receipt is a baseline and always known. In order of service date and receipt; the
    order in which they are given does not matter.
    """
    received = [e for e in events if known_at is None or e.received_at is None or e.received_at <= known_at]
    known = {e.id: e for e in received}
    alive = [e for e in received if not _is_voided(e, known_at)]
    replaced = {before.id for e in alive if e.supersedes for before in _corrected(e, known)}
    stand = [_with_first_receipt(e, known) for e in alive if e.id not in replaced]
    return tuple(sorted(stand, key=_in_order))


def _in_order(event: Event) -> tuple[dt.date, float, str]:
    received = event.received_at.timestamp() if event.received_at else float("-inf")
    return event.service_date, received, event.id


def _is_voided(event: Event, known_at: dt.datetime | None) -> bool:
    if not event.voided:
        return False
    return known_at is None or event.voided_at is None or event.voided_at <= known_at


def _corrected(event: Event, known: Mapping[str, Event]) -> list[Event]:
    """The earlier versions of a report, the latest first; a report never corrects itself."""
    found: list[Event] = []
    seen = {event.id}
    at = event
    while (before := known.get(at.supersedes)) is not None and before.id not in seen:
        seen.add(before.id)
        found.append(before)
        at = before
    return found


def _with_first_receipt(event: Event, known: Mapping[str, Event]) -> Event:
    """A correction with the receipt of its first version: lateness is judged by that."""
    if not event.supersedes:
        return event
    received = [e.first_receipt for e in (event, *_corrected(event, known)) if e.first_receipt is not None]
    return replace(event, first_received_at=received[-1]) if received else event


def known_history(history: History, known_at: dt.datetime, time_zone: str) -> History:
    """What had been recorded by `known_at` beside the reports, which are left to `standing_events`."""
    today = local_date(known_at, time_zone)

    def is_known(on: dt.date, recorded_at: dt.datetime | None) -> bool:
        return recorded_at <= known_at if recorded_at is not None else on <= today

    return replace(
        history,
        owner_notices=tuple(n for n in history.owner_notices if is_known(n.on, n.recorded_at)),
        statements=tuple(s for s in history.statements if is_known(s.received_on, s.recorded_at)),
        dealings=history.dealings.known(today),
    )


def known_system(system: System, known_at: dt.datetime, time_zone: str) -> System:
    """The system without the steps of cases, contracts filed and certificates granted after `known_at`.

    A fact is never recorded before its own day. Dates that look ahead (a contract's end, a case's due date) stay.
    """
    today = local_date(known_at, time_zone)
    contracts = system.contracts
    if contracts is not None:
        contracts = tuple(c for c in contracts if c.filed_on is None or c.filed_on <= today)
    return replace(
        system,
        contracts=contracts,
        exemptions=tuple(g for g in system.exemptions if g.granted_on <= today),
        cases=tuple(_known_case(c, today) for c in system.cases if _opened(c) <= today),
    )


def _opened(case: Case) -> dt.date:
    return case.dates.get("opened_on") or case.dates.get("notified_on") or dt.date.min


def _known_case(case: Case, today: dt.date) -> Case:
    return replace(
        case,
        dates={name: day for name, day in case.dates.items() if day <= today},
        extensions=tuple(one for one in case.extensions if one.on <= today),
        waivers={duty: day for duty, day in case.waivers.items() if day <= today},
    )
