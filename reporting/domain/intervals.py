"""Service that comes back: which component is due for which service by when, and by which rule."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reporting.domain.answers import Obligation, Outcome, merge, note, oblige
from reporting.domain.areas import noticed_until
from reporting.domain.asks import Ask, asks, plans_missing
from reporting.domain.exemptions import Pause, counts_for, resume, suspend
from reporting.domain.pumping import change_date, is_below
from reporting.domain.records import Component, Event
from reporting.domain.view import Service, View
from schemas.acts import Act
from schemas.calendar import add_months
from schemas.program import Provision

MEETS = {
    "pump": ("pump",),
    "inspect_tank": ("inspect",),
    "pump_or_inspect": ("pump", "inspect"),
    "inspect_dispersal": ("inspect_dispersal",),
}
DONE = {"pump": "pumped", "inspect": "inspected", "inspect_dispersal": "dispersal inspected"}


Met = dict[tuple[object, ...], tuple[Service, ...]]
"""The services that meet what is asked in one way, of one component."""


@dataclass(frozen=True, kw_only=True)
class Duty:
    """A duty of service before it is judged. `due_on` None: there is no date to count from."""

    kind: str
    component: Component
    provision: Provision[Act]
    months: int
    due_on: dt.date | None
    because: str
    cycle: str
    met: tuple[Service, ...] = ()


def assess_intervals(view: View, paused: Sequence[Pause], *, include_met: bool) -> Outcome:
    """All duties of service by interval, plan, finding of a full tank or next pump date, for every active component."""
    return merge(_assess_component(view, c, paused, include_met) for c in view.active_components)


def _assess_component(view: View, component: Component, paused: Sequence[Pause], include_met: bool) -> Outcome:
    duties: dict[str, Duty] = {}
    for duty in _duties(view, component):
        held = duties.get(duty.kind)
        if held is None or (duty.due_on is not None and (held.due_on is None or duty.due_on < held.due_on)):
            duties[duty.kind] = duty
    if "pump" not in duties and (opened := change_date(view, component, asked=False)):
        duties["pump"] = Duty(
            kind="pump",
            component=component,
            provision=opened.provision,
            months=0,
            due_on=opened.due_on,
            because=opened.because,
            cycle=opened.cycle,
        )
    return Outcome(
        obligations=tuple(o for d in duties.values() for o in _obligations(view, d, paused, include_met)),
        findings=tuple(
            note(p, "management_plan_missing", "no management plan on file", of=component)
            for p in plans_missing(view, component)
        ),
        unknown=any(d.due_on is None for d in duties.values()),
    )


def _duties(view: View, component: Component) -> Iterator[Duty]:
    """Each duty by the text in force on its due date; where a change of text leaves it to neither, by the new one."""
    in_time: dict[tuple[str, str], Duty] = {}
    latest: dict[tuple[str, str], Duty] = {}
    met: Met = {}
    for text, first, last in view.program.spans():
        latest = {}
        for ask in asks(view, component, text):
            duty = _duty(view, component, ask, met)
            latest[ask.kind, ask.provision.id] = duty
            if duty.due_on is None or first <= duty.due_on <= last:
                in_time.setdefault((ask.kind, ask.provision.id), duty)
    yield from {**latest, **in_time}.values()


def _duty(view: View, component: Component, ask: Ask, known: Met) -> Duty:
    how = (ask.kind, ask.inspection_below, ask.defects_hold, ask.only_contractor)
    if how not in known:  # several texts mostly ask for what the same services meet
        known[how] = _meeting(view, component, ask)
    met = known[how]
    if met:
        last = met[-1]
        due: dt.date | None = add_months(last.on, ask.months)
        because, cycle = f"{DONE[last.activity]} {last.on}; every {ask.months} months", f"event:{last.event.id}"
    else:
        due, because, cycle = _first_due(view, ask)
    if ask.until_window and due is not None and (slot := noticed_until(view, component, due)):
        due, because = slot.to_on, f"{because}; not before the window from {slot.from_on} to {slot.to_on} ends"
    duty = Duty(
        kind=ask.kind,
        component=component,
        provision=ask.provision,
        months=ask.months,
        due_on=due,
        because=because,
        cycle=cycle,
        met=met,
    )
    if ask.kind != "pump":
        return duty
    changed = change_date(view, component, asked=True, due=due, last=met[-1] if met else None)
    if changed is None:
        return duty
    return replace(duty, provision=changed.provision, due_on=changed.due_on, because=changed.because)


def _meeting(view: View, component: Component, ask: Ask) -> tuple[Service, ...]:
    """The services that meet what is asked, each with the day from which it counts, in order of that day."""
    found = [
        s
        for s in view.services(component, *MEETS[ask.kind])
        if s.activity != "pump" or (not s.event.partial and counts_for(view, ask.only_contractor, s.event))
    ]
    if ask.inspection_below is not None:
        found += [
            s
            for s in view.services(component, "inspect")
            if is_below(s.event, ask.inspection_below) and not s.event.is_pumping
        ]
    if ask.defects_hold:
        found = [_completed(s) for s in found if is_complete(s.event, view.as_of)]
    return tuple(sorted(found, key=lambda s: (s.on, s.event.service_date, s.event.id, s.activity == "pump")))


def _completed(service: Service) -> Service:
    """A service with a defect counts from the day of the correction."""
    corrected = service.event.defects_corrected_on
    if not service.event.defects or corrected is None or corrected <= service.on:
        return service
    return service._replace(on=corrected)


def is_complete(event: Event, as_of: dt.date) -> bool:
    """Whether no defect that the report names is still uncorrected on `as_of`."""
    if not event.defects:
        return True
    return event.defects_corrected_on is not None and event.defects_corrected_on <= as_of


def _first_due(view: View, ask: Ask) -> tuple[dt.date | None, str, str]:
    """Due date, reason and cycle of a duty never yet met."""
    s = view.system
    if s.assigned_due_on:
        because = f"first date assigned by the county: {s.assigned_due_on}; none on record"
        return s.assigned_due_on, because, "assigned"
    day, word = (s.installed_on, "installed") if s.installed_on else (s.permit_issued_on, "permit issued")
    if ask.from_occupancy and s.occupied_on and (day is None or s.occupied_on > day):
        day, word = s.occupied_on, "occupied"
    records = view.program.day("records_from")
    if records and (day is None or records > day):
        day, word = records, "the county's records begin"
    if day is None:
        return None, "no date to count from", "none"
    because = f"{word} {day}; within {ask.months} months, none on record"
    return add_months(day, ask.months), because, f"{word.split()[0]}:{day}"


def _obligations(view: View, duty: Duty, paused: Sequence[Pause], include_met: bool) -> Iterator[Obligation]:
    if include_met:
        yield from _met(view, duty)
    if duty.due_on is None:
        return
    due, because = resume(duty.due_on, duty.because, paused)
    yield suspend(
        oblige(
            duty.provision,
            duty.kind,
            duty.provision.on(view.calendar, due),
            as_of=view.as_of,
            lead_days=view.program.days("lead_days"),
            because=because,
            cycle=duty.cycle,
            of=duty.component,
        ),
        paused,
    )


def _met(view: View, duty: Duty) -> Iterator[Obligation]:
    """The cycles already met: each service was due an interval after the one before it."""
    for before, after in pairwise(duty.met):
        because = f"{DONE[before.activity]} {before.on}; every {duty.months} months; {DONE[after.activity]} {after.on}"
        yield oblige(
            duty.provision,
            duty.kind,
            duty.provision.on(view.calendar, add_months(before.on, duty.months)),
            as_of=view.as_of,
            lead_days=0,
            met_on=after.on,
            event=after.event.id,
            because=because,
            cycle=f"event:{before.event.id}",
            of=duty.component,
        )
