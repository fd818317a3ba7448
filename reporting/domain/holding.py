"""Holding tanks: alarms, the forecast of the full tank, gaps between pumpings, designations, the need for service."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from statistics import median

from reporting.domain.answers import Finding, Forecast, NeedsService, Obligation, Outcome, State, note, oblige
from reporting.domain.balance import meter_findings
from reporting.domain.exemptions import Pause, suspend
from reporting.domain.forecast import forecast
from reporting.domain.meters import metering
from reporting.domain.records import Component, OwnerNotice
from reporting.domain.seasons import has_season, occupied_day, occupied_days
from reporting.domain.view import View
from reporting.domain.yearly import yearly_service
from schemas.acts import Designation, PumpingGap, ServiceLevel
from schemas.calendar import add_days
from schemas.program import Provision


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What is said of one holding tank beside the intervals."""

    outcome: Outcome
    needs: NeedsService
    forecast: Forecast


@dataclass(frozen=True, kw_only=True)
class Call:
    """A day on which a tank is to be served: by the owner's call, else by the meter."""

    on: dt.date
    because: str
    cycle: str


def assess_holding(view: View, component: Component, paused: Sequence[Pause]) -> Holding:
    """The holding tank's own duties, findings, forecast, and whether it needs service on the day judged."""
    read = metering(view, component)
    level = next((p for p in view.program.at(view.as_of).of(ServiceLevel) if view.applies(p.act, component)), None)
    fraction = view.program.share(level.act.fraction_setting) if level else Fraction(1)
    ahead = forecast(view, component, read, fraction) if level else Forecast()
    obligations: list[Obligation] = []
    needs: list[NeedsService] = []
    changes: list[dt.date] = []
    if level and (call := _call(view, component, ahead)):
        soon = add_days(_cautious(view, call, ahead), -view.program.days("forecast_lead_days"))
        obligations.append(suspend(_called(view, component, level, call, (call.on - soon).days), paused))
        needs += [NeedsService(value=True, on=call.on, because=call.because)] if soon <= view.as_of else []
    undated = False
    for found, need in yearly_service(view, component, paused):
        undated = undated or found is None
        obligations += [found] if found else []
        needs += [need] if need else []
    gaps = list(_gaps(view, component, changes))
    needs += [n for _, n in gaps]
    resting = any(p.ended_on is None for p in paused)
    return Holding(
        outcome=Outcome(
            obligations=tuple(obligations),
            findings=(
                *meter_findings(view, component, read),
                *(f for f, _ in gaps),
                *_undesignated(view, component),
            ),
            changes_on=tuple(changes),
            unknown=undated,
        ),
        needs=min(needs, key=lambda n: n.on or dt.date.max) if needs and not resting else NeedsService(),
        forecast=ahead,
    )


def _called(view: View, component: Component, level: Provision[ServiceLevel], call: Call, lead_days: int) -> Obligation:
    """A forecast or an alarm is due on its day, neither rolled nor ever overdue."""
    found = oblige(
        level,
        "service_holding",
        level.on(view.calendar, call.on),
        as_of=view.as_of,
        lead_days=lead_days,
        because=call.because,
        cycle=call.cycle,
        of=component,
    )
    state = State.DUE_SOON if found.state is State.OVERDUE else found.state
    changes = tuple(d for d in found.changes_on if d <= call.on)
    return replace(found, last_day=call.on, state=state, days_late=0, changes_on=changes)


def _cautious(view: View, call: Call, ahead: Forecast) -> dt.date:
    """The day from which the lead days of a call count back: where use has risen of late, the one that this gives."""
    cautious = view.program.setting("forecast_cautious") is True and call.on == ahead.full_on
    return ahead.cautious_on if cautious and ahead.cautious_on is not None else call.on


def _call(view: View, component: Component, ahead: Forecast) -> Call | None:
    pumped = view.pumpings(component)
    last = pumped[-1] if pumped else None
    alarm = _open_alarm(view, component, last.service_date if last else None)
    if alarm is not None:
        because = f"the owner reported {alarm.kind} on {alarm.on}"
        return Call(on=alarm.on, because=because, cycle=f"notice:{alarm.on}")
    if ahead.full_on is None or ahead.gallons_per_day is None:
        return None
    because = f"at {float(ahead.gallons_per_day):.1f} gallons a day the service level is reached on {ahead.full_on}"
    return Call(on=ahead.full_on, because=because, cycle=f"event:{last.id}" if last else "meter")


def _open_alarm(view: View, component: Component, pumped_on: dt.date | None) -> OwnerNotice | None:
    """The first alarm or full tank that the owner told of, and neither a report nor the owner's own word answers."""
    told = sorted((n for n in view.history.owner_notices if n.on <= view.as_of), key=lambda n: (n.on, n.kind))
    told = [n for n in told if not n.component_ref or not component.ref or n.component_ref == component.ref]
    served = [n.on for n in told if n.kind == "serviced"] + ([pumped_on] if pumped_on else [])
    since = max(served, default=None)
    return next((n for n in told if n.kind in ("alarm", "full") and (since is None or n.on > since)), None)


def _gaps(view: View, component: Component, changes: list[dt.date]) -> Iterator[tuple[Finding, NeedsService]]:
    system = view.system
    if system.use != "year_round" and not has_season(system):
        return  # without its season nobody can say which months are occupied
    days = sorted({e.service_date for e in view.pumpings(component)})
    for p in view.program.at(view.as_of).of(PumpingGap):
        known = [n for a, b in pairwise(days) if (n := occupied_days(system, a, b)) > 0][-p.act.last :]
        if not view.applies(p.act, component) or len(known) < p.act.at_least:
            continue
        usual = Fraction(median(known))
        limit = usual * view.program.share(p.act.ratio_setting)
        begins = occupied_day(system, days[-1], math.floor(limit) + 1)
        if begins is None or view.as_of < begins:
            changes += [begins] if begins else []
            continue
        gap = occupied_days(system, days[-1], view.as_of)
        because = f"last pumped {days[-1]}, {gap} days ago; usual interval {float(usual):g} days"
        found = note(p, "pumping_gap", because, of=component)
        yield found, NeedsService(value=True, on=begins, because=because)


def _undesignated(view: View, component: Component) -> Iterator[Finding]:
    if not view.system.designation_known or view.system.designated_contractor:
        return
    for p in view.program.at(view.as_of).of(Designation):
        if view.applies(p.act, component):
            because = "no contractor designated for this holding component"
            yield note(p, "no_designated_contractor", because, of=component)
