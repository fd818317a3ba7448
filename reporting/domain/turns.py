"""Whose turn it is: the years in which a service area is served, and what an exempted owner owes in them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from reporting.domain.answers import Obligation, Outcome, Remark, oblige
from reporting.domain.exemptions import ending
from reporting.domain.records import Component, ExemptionGrant
from reporting.domain.view import View
from schemas.acts import ServiceAreas, ServiceYearInspection
from schemas.program import Provision


def is_turn(view: View, year: int) -> bool | None:
    """Whether the system's area is served in a year; None where area or base year are not known."""
    for p in view.program.at(view.as_of).of(ServiceAreas):
        base, area = view.program.days(p.act.base_setting), view.system.service_area
        if base and area is not None and 1 <= area <= p.act.areas:
            return (year - base) % p.act.areas == area - 1
    return None


def next_turn(view: View) -> Remark | None:
    """The next year in which the system's area is served, this year included; None where nobody can say."""
    for p in view.program.at(view.as_of).of(ServiceAreas):
        if not any(view.applies(p.act, c) for c in view.active_components):
            continue
        for year in range(view.as_of.year, min(view.as_of.year + p.act.areas, dt.MAXYEAR + 1)):
            if is_turn(view, year):
                base = view.program.days(p.act.base_setting)
                because = f"area {view.system.service_area} of {p.act.areas}, one each year, counted from {base}"
                return Remark(value=year, rule=p.id, cite=p.cite, because=because)
    return None


def assess_turns(view: View) -> Outcome:
    """The inspection of exempted systems in their area's service year."""
    found = [
        o
        for p in view.program.at(view.as_of).of(ServiceYearInspection)
        for component in view.active_components
        if view.applies(p.act, component)
        for o in _inspection(view, p, component)
    ]
    turn = next_turn(view)
    changes = (dt.date(turn.value + 1, 1, 1),) if turn and isinstance(turn.value, int) and turn.value < 9999 else ()
    return Outcome(obligations=tuple(found), changes_on=changes)


def _inspection(view: View, p: Provision[ServiceYearInspection], component: Component) -> Iterator[Obligation]:
    """The first service year under the certificate that has seen no inspection since it began."""
    for grant in view.system.exemptions:
        end = ending(view, grant).last_day
        if grant.kind != p.act.exemption or not grant.granted_on <= view.as_of <= end:
            continue
        seen = max((s.on for s in view.services(component, "inspect", "pump")), default=dt.date.min)
        year = next((y for y in _years(view, grant) if seen < dt.date(y, 1, 1) and dt.date(y, 12, 31) <= end), None)
        if year is not None:
            yield oblige(
                p,
                p.act.kind,
                p.on(view.calendar, dt.date(year, 12, 31)),
                as_of=view.as_of,
                lead_days=view.program.days("lead_days"),
                because=f"exempt ({grant.kind}) since {grant.granted_on}; the area is served in {year}",
                cycle=f"turn:{year}",
                of=component,
            )
            return


def _years(view: View, grant: ExemptionGrant) -> Iterator[int]:
    """The service years from the certificate on; where nobody can count them, the years of the windows on file."""
    begins = max(grant.granted_on, view.program.day("records_from") or dt.date.min).year
    known = is_turn(view, begins) is not None
    windows = {w.from_on.year for w in view.history.dealings.windows if w.area in (None, view.system.service_area)}
    years = range(begins, min(view.as_of.year + 10, dt.MAXYEAR) + 1) if known else sorted(windows)
    yield from (y for y in years if y >= begins and (not known or is_turn(view, y)))
