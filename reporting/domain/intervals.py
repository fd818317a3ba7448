"""Service that comes back: which component is due for which service by when, and by which rule."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reporting.domain.answers import Obligation, Outcome, merge, note, oblige
from reporting.domain.exemptions import Pause, in_force, pauses, suspend
from reporting.domain.pumping import adjust, opened_without_interval
from reporting.domain.records import Component, Event
from reporting.domain.view import Service, View
from schemas.acts import Act, Group, PlanIntervals, ServiceInterval, YearlyService
from schemas.calendar import Deadline, add_days, add_months
from schemas.program import Provision, Text

MEETS = {
    "pump": ("pump",),
    "inspect_tank": ("inspect",),
    "pump_or_inspect": ("pump", "inspect"),
    "inspect_dispersal": ("inspect_dispersal",),
}
DONE = {"pump": "pumped", "inspect": "inspected", "inspect_dispersal": "dispersal inspected"}


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
    basis: dt.date | None
    met: tuple[Service, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What one provision asks of one component: a kind of service every so many months, in whose name."""

    kind: str
    months: int
    provision: Provision[Act]
    from_occupancy: bool = False
    inspection_below: Fraction | None = None
    defects_hold: bool = False
    only_contractor: str = ""


def assess_intervals(view: View) -> Outcome:
    """All duties of service by interval, plan, finding of a full tank or next pump date, for every active component."""
    paused = pauses(view)
    return merge(_assess_component(view, c, paused) for c in view.active_components)


def _assess_component(view: View, component: Component, paused: Sequence[Pause]) -> Outcome:
    duties: dict[str, Duty] = {}
    for duty in _duties(view, component):
        held = duties.get(duty.kind)
        if held is None or (duty.due_on is not None and (held.due_on is None or duty.due_on < held.due_on)):
            duties[duty.kind] = duty
    if extra := opened_without_interval(view, component, "pump" in duties):
        duties["pump"] = Duty(kind="pump", component=component, months=0, basis=None, **extra)
    obligations = [o for d in duties.values() for o in _obligations(view, d, paused)]
    missing = [
        note(
            p,
            "management_plan_missing",
            "no management plan on file",
            component=component.kind,
            component_ref=component.ref,
        )
        for p in _plan_missing(view, component)
    ]
    unknown = any(d.due_on is None for d in duties.values())
    changes = [add_days(text.starts_on, 0) for text in view.program.texts if text.starts_on > view.as_of]
    return Outcome(obligations=tuple(obligations), findings=tuple(missing), unknown=unknown, changes_on=tuple(changes))


def _duties(view: View, component: Component) -> Iterator[Duty]:
    """Each duty by the text in force on its due date; where a change of text leaves it to neither, by the new one."""
    in_time: dict[tuple[str, str], Duty] = {}
    latest: dict[tuple[str, str], Duty] = {}
    for text, first, last in view.program.spans():
        latest = {}
        for ask in _asks(view, component, text):
            duty = _duty(view, component, ask)
            latest[ask.kind, ask.provision.id] = duty
            if duty.due_on is None or first <= duty.due_on <= last:
                in_time.setdefault((ask.kind, ask.provision.id), duty)
    yield from {**latest, **in_time}.values()


def _asks(view: View, component: Component, text: Text) -> Iterator[Ask]:
    found = [*_own_asks(view, component, text), *_plan_asks(view, component, text)]
    yield from found
    yearly = any(view.applies(p.act, component) for p in text.of(YearlyService))
    if found or yearly:
        return
    for p in text.of(ServiceInterval):
        if p.act.fallback and view.applies(p.act, component):
            yield Ask(kind=p.act.kind, months=p.act.months, provision=p)


def _own_asks(view: View, component: Component, text: Text) -> Iterator[Ask]:
    for p in text.of(ServiceInterval):
        a = p.act
        if a.fallback or not view.applies(a, component) or not _in_group(view, a.group):
            continue
        only = view.program.text_of(a.only_contractor_setting) if a.only_contractor_setting else ""
        below = Fraction(a.inspection_below) if a.inspection_below else None
        yield Ask(
            kind=a.kind,
            months=a.months,
            provision=p,
            from_occupancy=a.from_occupancy,
            inspection_below=below,
            defects_hold=a.defects_hold,
            only_contractor=only,
        )


def _plan_asks(view: View, component: Component, text: Text) -> Iterator[Ask]:
    for p in text.of(PlanIntervals):
        if not view.applies(p.act, component) or not _in_group(view, p.act.group):
            continue
        plan = component.plan or view.system.plan
        months = {
            "pump": plan and plan.pump_months,
            "inspect": plan and plan.inspect_months,
            "dispersal": plan and plan.dispersal_months,
        }
        if component.kind == "dispersal":
            yield Ask(
                kind="inspect_dispersal",
                months=months["dispersal"] or p.act.months_without_plan,
                provision=p,
                defects_hold=p.act.defects_hold,
            )
        elif months["pump"] and months["inspect"]:
            yield Ask(kind="pump", months=months["pump"], provision=p, defects_hold=p.act.defects_hold)
            yield Ask(kind="inspect_tank", months=months["inspect"], provision=p, defects_hold=p.act.defects_hold)
        elif months["pump"]:
            yield Ask(kind="pump_or_inspect", months=months["pump"], provision=p, defects_hold=p.act.defects_hold)
        elif months["inspect"]:
            yield Ask(kind="inspect_tank", months=months["inspect"], provision=p, defects_hold=p.act.defects_hold)
        else:
            yield Ask(
                kind="pump_or_inspect",
                months=p.act.months_without_plan,
                provision=_without_plan(p, text),
                defects_hold=p.act.defects_hold,
            )


def _without_plan(p: Provision[PlanIntervals], text: Text) -> Provision[Act]:
    return next(q for q in text.of(ServiceInterval) if q.id == p.act.rule_without_plan)


def _plan_missing(view: View, component: Component) -> Iterator[Provision[PlanIntervals]]:
    main = view.system.main_tank
    if main is None or (component.kind, component.ref) != (main.kind, main.ref):
        return
    for p in view.program.at(view.as_of).of(PlanIntervals):
        plan = component.plan or view.system.plan
        if view.applies(p.act, component) and _in_group(view, p.act.group) and not (plan and plan.is_on_file):
            yield p


def _in_group(view: View, group: Group | None) -> bool:
    """Existing: installed, or permit issued, before the day; new: neither. With no date at all a system is taken as existing."""
    if group is None:
        return True
    border = group.before or group.on_or_after
    known = [d for d in (view.system.permit_issued_on, view.system.installed_on) if d is not None]
    existing = not known or any(d < border for d in known if border)
    return existing if group.before else not existing


def _duty(view: View, component: Component, ask: Ask) -> Duty:
    met = _meeting(view, component, ask)
    last = met[-1] if met else None
    if last is not None:
        basis: dt.date | None = last.on
        due = add_months(last.on, ask.months)
        because, cycle = f"{DONE[last.activity]} {last.on}; every {ask.months} months", f"event:{last.event.id}"
    else:
        basis, due, because, cycle = _first_due(view, ask)
    duty = Duty(
        kind=ask.kind,
        component=component,
        provision=ask.provision,
        months=ask.months,
        due_on=due,
        because=because,
        cycle=cycle,
        basis=basis,
        met=met,
    )
    if ask.kind != "pump":
        return duty
    changed = adjust(view, component, ask.provision, due, basis, last.event.id if last else "")
    if changed is None:
        return duty
    return replace(duty, provision=changed.provision, due_on=changed.due_on, because=changed.because)


def _meeting(view: View, component: Component, ask: Ask) -> tuple[Service, ...]:
    """The services that meet what is asked, each with the day from which it counts."""
    found = []
    for s in view.services(component, *MEETS[ask.kind]):
        if s.activity == "pump" and (s.event.partial or not _is_right_contractor(view, ask, s.event)):
            continue
        found.append(s)
    if ask.inspection_below is not None:
        found += [
            s
            for s in view.services(component, "inspect")
            if is_below(s.event, ask.inspection_below) and not s.event.is_pumping
        ]
    if ask.defects_hold:
        found = [
            replace(s, on=max(s.on, s.event.defects_corrected_on or s.on))
            for s in found
            if is_complete(s.event, view.as_of)
        ]
    return tuple(sorted(found, key=lambda s: s.on))


def _is_right_contractor(view: View, ask: Ask, event: Event) -> bool:
    if not ask.only_contractor or event.baseline or not event.license_number:
        return True
    return event.license_number == ask.only_contractor or in_force(view, "inspection_only", event.service_date)


def is_below(event: Event, limit: Fraction) -> bool:
    """Whether the report states less sludge and scum than the limit."""
    return event.sludge_scum_fraction is not None and event.sludge_scum_fraction < limit


def is_complete(event: Event, as_of: dt.date) -> bool:
    """Whether no defect that the report names is still uncorrected on `as_of`."""
    if not event.defects:
        return True
    return event.defects_corrected_on is not None and event.defects_corrected_on <= as_of


def _first_due(view: View, ask: Ask) -> tuple[dt.date | None, dt.date | None, str, str]:
    """Basis, due date, reason and cycle of a duty never yet met."""
    s = view.system
    if s.assigned_due_on:
        return (
            None,
            s.assigned_due_on,
            f"first date assigned by the county: {s.assigned_due_on}; none on record",
            "assigned",
        )
    starts = (
        [(s.installed_on, "installed")]
        if s.installed_on
        else [(s.permit_issued_on, "permit issued")]
        if s.permit_issued_on
        else []
    )
    if ask.from_occupancy and s.occupied_on and (not starts or starts[0][0] is None or s.occupied_on > starts[0][0]):
        starts = [(s.occupied_on, "occupied")]
    records = view.program.day("records_from")
    if records and (not starts or starts[0][0] is None or records > starts[0][0]):
        starts = [(records, "the county's records begin")]
    if not starts or starts[0][0] is None:
        return None, None, "no date to count from", "none"
    day, word = starts[0]
    return (
        day,
        add_months(day, ask.months),
        f"{word} {day}; within {ask.months} months, none on record",
        f"{word.split()[0]}:{day}",
    )


def _obligations(view: View, duty: Duty, paused: Sequence[Pause]) -> Iterator[Obligation]:
    yield from _met(view, duty)
    if duty.due_on is None:
        return
    due, because = duty.due_on, duty.because
    for pause in paused:
        if pause.ended_on is not None and due <= pause.ended_on:
            due, because = add_days(pause.ended_on, 1), f"{duty.because}; {pause.because}, until {pause.ended_on}"
    deadline = duty.provision.on(view.calendar, due)
    lead = view.program.days("lead_days")
    found = oblige(
        duty.provision, duty.kind, deadline, as_of=view.as_of, lead_days=lead, because=because, cycle=duty.cycle,
        component=duty.component.kind, component_ref=duty.component.ref,
    )  # fmt: skip
    yield suspend(found, paused)


def _met(view: View, duty: Duty) -> Iterator[Obligation]:
    """The cycles already met: each service was due an interval after the one before it."""
    for before, after in zip(duty.met, duty.met[1:], strict=False):
        due = add_months(before.on, duty.months)
        deadline: Deadline = duty.provision.on(view.calendar, due)
        yield oblige(
            duty.provision, duty.kind, deadline, as_of=view.as_of, lead_days=0, met_on=after.on, event=after.event.id,
            because=f"{DONE[before.activity]} {before.on}; every {duty.months} months; {DONE[after.activity]} {after.on}",
            cycle=f"event:{before.event.id}", component=duty.component.kind, component_ref=duty.component.ref,
        )  # fmt: skip
