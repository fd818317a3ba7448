"""What reports do to the date of the next pumping.

Less than a third defers it (a deferral), a third or more brings it forward (a full tank), "not necessary" names it.
A share is written to a few places: what differs from the limit by less than 0.0004 is the limit (0.333 is a third).
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile

from reporting.domain.records import Component, Event
from reporting.domain.view import Service, View
from schemas.acts import Act, Deferral, FullTank, NotNecessary
from schemas.calendar import add_months
from schemas.program import Provision

AS_WRITTEN = Fraction(4, 10_000)


@dataclass(frozen=True, kw_only=True)
class Change:
    """The date of the next pumping as a report sets it: by which provision, why, and by which report."""

    provision: Provision[Act]
    due_on: dt.date
    because: str
    cycle: str


@lru_cache(maxsize=64)
def as_share(text: str) -> Fraction:
    """A share as program files write it: `1/3`."""
    return Fraction(text)


def is_below(event: Event, limit: Fraction) -> bool:
    """Whether the report states less sludge and scum than the limit."""
    share = event.sludge_scum_fraction
    return share is not None and share < limit and limit - share >= AS_WRITTEN


def is_at_least(event: Event, limit: Fraction) -> bool:
    """Whether the report states the limit of sludge and scum, or more."""
    return event.sludge_scum_fraction is not None and not is_below(event, limit)


def change_date(
    view: View, component: Component, *, asked: bool, due: dt.date | None = None, last: Service | None = None
) -> Change | None:
    """The next pumping's date as reports since the last service change it, or None when they leave it as it is.

    `asked`: whether an interval asks for pumping at all; `due`: its date, None where there is nothing to count from;
    `last`: the service that met it last. A deferral moves the date to the later one; a full tank or a named date only
    ever brings it forward, and a date already past stays.
    """
    change = _deferred(view, component, due, last.event.service_date if last else None) if asked else None
    unpumped = _unpumped(view, component)
    if not unpumped:
        return change
    entitled = {s.event.id for s in view.services(component, "inspect")}
    for found in (_full(view, component, unpumped, entitled), _named(view, component, unpumped, entitled)):
        at = change.due_on if change else due
        if found is not None and (at is None or found.due_on < at):
            change = found
    return change


def _deferred(view: View, component: Component, due: dt.date | None, since: dt.date | None) -> Change | None:
    """Each inspection by somebody entitled that finds less defers again."""
    change: Change | None = None
    done = view.services(component, "inspect")
    for service in done[bisect_right(done, since, key=_served_on) if since is not None else 0 :]:
        event = service.event
        if event.is_pumping:
            continue
        for p in view.program.at(event.service_date).of(Deferral):
            later = add_months(event.service_date, p.act.months)
            at = change.due_on if change else due
            if not view.applies(p.act, component, event) or not is_below(event, as_share(p.act.below)):
                continue
            if at is None or later > at:
                because = f"less than {p.act.below} found {event.service_date}; deferred {p.act.months} months"
                change = Change(provision=p, due_on=later, because=because, cycle=f"event:{event.id}")
    return change


def _served_on(service: Service) -> dt.date:
    return service.event.service_date


def _full(view: View, component: Component, unpumped: Sequence[Event], entitled: Set[str]) -> Change | None:
    """The first finding of a full tank since the last emptying, or since an inspection that found less."""
    change: Change | None = None
    for event in unpumped:
        for p in _acting(view, component, event):
            limit = as_share(p.act.at_least)
            if is_at_least(event, limit) and change is None:
                because = f"{p.act.at_least} or more found {event.service_date}, not pumped"
                change = Change(provision=p, due_on=event.service_date, because=because, cycle=f"event:{event.id}")
            elif is_below(event, limit) and event.id in entitled:
                change = None
    return change


def _acting(view: View, component: Component, event: Event) -> Sequence[Provision[FullTank]]:
    """The closest provision on full tanks: the county's own before the state's."""
    return [p for p in view.program.at(event.service_date).of(FullTank) if view.applies(p.act, component, event)][:1]


def _named(view: View, component: Component, unpumped: Sequence[Event], entitled: Set[str]) -> Change | None:
    """The next pumping date that the latest report of "not necessary" gives; a report by somebody not entitled only
    ever brings it forward."""
    change: Change | None = None
    for event in unpumped:
        for p in view.program.at(event.service_date).of(NotNecessary):
            named = event.next_pump_date
            if named is None or not view.applies(p.act, component, event):
                continue
            if change is None or event.id in entitled or named < change.due_on:
                because = f"reported {event.service_date} as not necessary; next pumping {named}"
                change = Change(provision=p, due_on=named, because=because, cycle=f"event:{event.id}")
    return change


def _unpumped(view: View, component: Component) -> list[Event]:
    """Reports without pumping after the day of the last emptying that counts; of one day the fuller tank last."""
    emptied = (s.event.service_date for s in reversed(view.services(component, "pump")) if s.event.is_emptying)
    since = next(emptied, None)
    later = takewhile(lambda e: since is None or e.service_date > since, reversed(view.reports_of(component)))
    found = [e for e in later if not e.is_pumping]
    return sorted(found, key=lambda e: (e.service_date, e.sludge_scum_fraction or Fraction(0), e.id))
