"""What reports do to the date of the next pumping: less than a third defers it, a third or more brings it forward, "not necessary" names it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from reporting.domain.records import Component, Event
from reporting.domain.view import Refusal, View
from schemas.acts import Act, Deferral, FullTank, NotNecessary
from schemas.calendar import add_months
from schemas.program import Provision


@dataclass(frozen=True, kw_only=True)
class Change:
    """The date of the next pumping as reports changed it: by which provision, and why. `cycle`: the report that did."""

    provision: Provision[Act]
    due_on: dt.date
    because: str
    cycle: str = ""


class Opened(TypedDict):
    """A duty of pumping that a report opens where no interval does."""

    provision: Provision[Act]
    due_on: dt.date
    because: str
    cycle: str


def adjust(
    view: View,
    component: Component,
    provision: Provision[Act],
    due: dt.date | None,
    basis: dt.date | None,
    last_event: str,
) -> Change | None:
    """The next pumping's date after all reports since the last one that met the duty, or None when they leave it as it is."""
    change: Change | None = None
    for event in _reports_since(view, component, basis, last_event):
        now = change.due_on if change else due
        change = (
            _deferred(view, component, event, now)
            or _full(view, component, event, now)
            or _named(view, component, event, now)
            or change
        )
    return change


def opened_without_interval(view: View, component: Component, has_interval: bool) -> Opened | None:
    """The pumping that a report opens for a component which no interval of pumping binds (S9, OZ20)."""
    if has_interval:
        return None
    pumped = [s for s in view.services(component, "pump") if not s.event.partial]
    last = pumped[-1] if pumped else None
    change: Change | None = None
    for event in _reports_since(view, component, last.on if last else None, last.event.id if last else ""):
        now = change.due_on if change else None
        found = _full(view, component, event, now) or _named(view, component, event, None)
        change = found or change
    if change is None:
        return None
    return Opened(provision=change.provision, due_on=change.due_on, because=change.because, cycle=change.cycle)


def _reports_since(view: View, component: Component, basis: dt.date | None, last_event: str) -> list[Event]:
    """Inspections without pumping on or after the last service that counts, in order of date."""
    found = [e for e in view.reports if view.is_of(e, component) and not e.is_pumping and e.id != last_event]
    return [e for e in found if basis is None or e.service_date >= basis]


def _deferred(view: View, component: Component, event: Event, due: dt.date | None) -> Change | None:
    for p in view.program.at(event.service_date).of(Deferral):
        fraction = event.sludge_scum_fraction
        if not view.applies(p.act, component, event) or fraction is None or fraction >= Fraction(p.act.below):
            continue
        if any(isinstance(c, Refusal) and c.event.id == event.id for c in view.claims(component)):
            continue
        later = add_months(event.service_date, p.act.months)
        if due is None or later > due:
            return Change(
                provision=p,
                due_on=later,
                because=f"less than {p.act.below} found {event.service_date}; deferred {p.act.months} months",
                cycle=f"event:{event.id}",
            )
    return None


def _full(view: View, component: Component, event: Event, due: dt.date | None) -> Change | None:
    for p in view.program.at(event.service_date).of(FullTank):
        fraction = event.sludge_scum_fraction
        if not view.applies(p.act, component, event) or fraction is None or fraction < Fraction(p.act.at_least):
            continue
        if due is None or event.service_date < due:
            return Change(
                provision=p,
                due_on=event.service_date,
                because=f"{p.act.at_least} or more found {event.service_date}, not pumped",
                cycle=f"event:{event.id}",
            )
    return None


def _named(view: View, component: Component, event: Event, due: dt.date | None) -> Change | None:
    for p in view.program.at(event.service_date).of(NotNecessary):
        if not view.applies(p.act, component, event) or event.next_pump_date is None:
            continue
        if due is None or event.next_pump_date < due:
            return Change(
                provision=p,
                due_on=event.next_pump_date,
                because=f"reported {event.service_date} as not necessary; next pumping {event.next_pump_date}",
                cycle=f"event:{event.id}",
            )
    return None
