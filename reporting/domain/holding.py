"""Holding tanks: the yearly service of seasonal ones, alarms, the forecast of the full tank, gaps, designations."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from reporting.domain.answers import Finding, Forecast, NeedsService, Obligation, Outcome, note, oblige
from reporting.domain.exemptions import Pause, suspend
from reporting.domain.meters import forecast, meter_findings, metering, occupied_days
from reporting.domain.records import Component
from reporting.domain.view import View
from schemas.acts import Designation, PumpingGap, ServiceLevel, YearlyService
from schemas.calendar import add_days


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What is said of one holding tank beside the intervals."""

    outcome: Outcome
    needs: NeedsService
    forecast: Forecast


def assess_holding(view: View, component: Component, paused: Sequence[Pause]) -> Holding:
    """The holding tank's own duties, findings, forecast, and whether it needs service on the day judged."""
    read = metering(view, component)
    levels = [p for p in view.program.at(view.as_of).of(ServiceLevel) if view.applies(p.act, component)]
    ahead = (
        forecast(view, component, read, Fraction(str(view.program.number(levels[0].act.fraction_setting))))
        if levels
        else Forecast()
    )
    obligations, needs, changes = [], [], []
    for due, because, cycle in _calls(view, component, ahead):
        for p in levels:
            found = oblige(p, "service_holding", p.on(view.calendar, due), as_of=view.as_of, lead_days=view.program.days("forecast_lead_days"),
                           because=because, cycle=cycle, component=component.kind, component_ref=component.ref)  # fmt: skip
            obligations.append(suspend(_never_late(found), paused))
            soon = add_days(due, -view.program.days("forecast_lead_days"))
            changes += [soon] if soon > view.as_of else []
            needs += [NeedsService(value=True, on=due, because=because)] if soon <= view.as_of else []
    for found, need in _yearly(view, component):
        obligations.append(suspend(found, paused))
        needs += [need] if need else []
    gaps = list(_gaps(view, component, changes))
    findings = [*meter_findings(view, component, read), *(f for f, _ in gaps), *_undesignated(view, component)]
    needs += [n for _, n in gaps]
    resting = any(p.ended_on is None for p in paused)
    first = min(needs, key=lambda n: n.on or dt.date.max) if needs and not resting else NeedsService()
    outcome = Outcome(obligations=tuple(obligations), findings=tuple(findings), changes_on=tuple(changes))
    return Holding(outcome=outcome, needs=first, forecast=ahead)


def _never_late(found: Obligation) -> Obligation:
    """A forecast or an alarm is due on its day, neither rolled nor ever overdue."""
    from dataclasses import replace

    from reporting.domain.answers import State

    changes = tuple(d for d in found.changes_on if d <= found.due_on)
    state = State.DUE_SOON if found.state is State.OVERDUE else found.state
    return replace(found, last_day=found.due_on, state=state, days_late=0, changes_on=changes)


def _calls(view: View, component: Component, ahead: Forecast) -> Iterator[tuple[dt.date, str, str]]:
    """The day on which the tank is to be served: by the owner's call, else by the meter; reason and cycle beside it."""
    pumped = [e for e in view.reports if e.is_pumping and view.is_of(e, component)]
    last = pumped[-1] if pumped else None
    calls = [n for n in view.history.owner_notices if n.kind in ("alarm", "full") and n.on <= view.as_of]
    opened = [n for n in calls if last is None or n.on > last.service_date]
    if opened:
        first = opened[0]
        yield first.on, f"the owner reported {first.kind} on {first.on}", f"notice:{first.on}"
    elif ahead.full_on is not None and ahead.gallons_per_day is not None:
        because = f"at {float(ahead.gallons_per_day):.1f} gallons a day the service level is reached on {ahead.full_on}"
        yield ahead.full_on, because, f"event:{last.id}" if last else "meter"


def _yearly(view: View, component: Component) -> Iterator[tuple[Obligation, NeedsService | None]]:
    for p in view.program.at(view.as_of).of(YearlyService):
        if not view.applies(p.act, component):
            continue
        year, cycle, because = _next_year(view, component)
        if year is None:
            continue
        deadline = p.on(view.calendar, dt.date(year, 12, 31))
        lead = view.program.days(p.act.lead_setting)
        found = oblige(p, p.act.kind, deadline, as_of=view.as_of, lead_days=lead, because=because, cycle=cycle,
                       component=component.kind, component_ref=component.ref)  # fmt: skip
        near = add_days(deadline.due_on, -lead) <= view.as_of
        yield found, NeedsService(value=True, on=deadline.due_on, because=because) if near else None


def _next_year(view: View, component: Component) -> tuple[int | None, str, str]:
    """The first calendar year whose service has not been made: the one after the last that has; else the year in which counting begins."""
    served = None
    for s in view.services(component, "pump"):
        served = _year_served(view, component, s.on, served)
        last = s
    if served is not None:
        return served + 1, f"event:{last.event.id}", f"pumped {last.on}; at least once each calendar year"
    begins = [
        d for d in (view.system.installed_on or view.system.permit_issued_on, view.program.day("records_from")) if d
    ]
    if not begins:
        return None, "", ""
    return (
        max(begins).year,
        f"since:{max(begins)}",
        f"none on record since {max(begins)}; at least once each calendar year",
    )


def _year_served(view: View, component: Component, on: dt.date, before: int | None) -> int:
    """The year that a pumping counts for: its own; in the days into which an unserved year's end was rolled, the old one."""
    year = on.year - 1
    for p in view.program.at(on).of(YearlyService):
        rolled = p.on(view.calendar, dt.date(year, 12, 31)).last_day if year >= 1 else on
        if view.applies(p.act, component) and on <= rolled and before is not None and before < year:
            return year
    return max(on.year, before or 0)


def _gaps(view: View, component: Component, changes: list[dt.date]) -> Iterator[tuple[Finding, NeedsService]]:
    for p in view.program.at(view.as_of).of(PumpingGap):
        if not view.applies(p.act, component) or (view.system.use != "year_round" and not view.system.season_from):
            continue
        days = sorted({e.service_date for e in view.reports if e.is_pumping and view.is_of(e, component)})
        usual = [occupied_days(view.system, a, b) for a, b in zip(days, days[1:], strict=False)][-p.act.last :]
        if len(usual) < p.act.at_least:
            continue
        limit = Fraction(median(usual)) * Fraction(str(view.program.number(p.act.ratio_setting)))
        gap = occupied_days(view.system, days[-1], view.as_of)
        if gap <= limit:
            changes.append(
                add_days(view.as_of, 1) if view.system.use == "seasonal" else add_days(days[-1], math.floor(limit) + 1)
            )
            continue
        because = f"last pumped {days[-1]}, {gap} days ago; usual interval {float(median(usual)):g} days"
        yield (
            note(p, "pumping_gap", because, component=component.kind, component_ref=component.ref),
            NeedsService(value=True, on=add_days(days[-1], math.floor(limit) + 1), because=because),
        )


def _undesignated(view: View, component: Component) -> Iterator[Finding]:
    if not view.system.designation_known or view.system.designated_contractor:
        return
    for p in view.program.at(view.as_of).of(Designation):
        if view.applies(p.act, component):
            yield note(
                p,
                "no_designated_contractor",
                "no contractor designated for this holding component",
                component=component.kind,
                component_ref=component.ref,
            )
