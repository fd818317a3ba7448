"""Service at least once in each calendar year: which year is next, and when its end is near."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reporting.domain.answers import NeedsService, Obligation, oblige
from reporting.domain.exemptions import Pause, resume, suspend
from reporting.domain.records import Component
from reporting.domain.view import View
from schemas.acts import YearlyService
from schemas.calendar import add_days
from schemas.program import Provision


@dataclass(frozen=True, kw_only=True)
class Year:
    """The first calendar year whose service has not been made. `due_on` None: there is no date to count from."""

    due_on: dt.date | None
    because: str = ""
    cycle: str = ""


def yearly_service(
    view: View, component: Component, paused: Sequence[Pause]
) -> Iterator[tuple[Obligation | None, NeedsService | None]]:
    """The yearly duties of a component, each with the need for service near its end; None for one without a date."""
    for p in view.program.at(view.as_of).of(YearlyService):
        if not view.applies(p.act, component):
            continue
        year = _next_year(view, component, p)
        if year.due_on is None:
            yield None, None
            continue
        due, because = resume(year.due_on, year.because, paused)
        lead = view.program.days(p.act.lead_setting)
        found = oblige(
            p,
            p.act.kind,
            p.on(view.calendar, due),
            as_of=view.as_of,
            lead_days=lead,
            because=because,
            cycle=year.cycle,
            of=component,
        )
        near = add_days(due, -lead) <= view.as_of
        yield suspend(found, paused), NeedsService(value=True, on=due, because=because) if near else None


def _next_year(view: View, component: Component, p: Provision[YearlyService]) -> Year:
    """The year after the last one served; with none served, the one in which counting begins."""
    begins = _begins(view)
    served = begins.year - 1 if begins else None
    last: dt.date | None = None
    cycle = ""
    for s in view.services(component, "pump"):
        if not s.event.partial and (year := _year_served(view, p, s.on, served)) is not None:
            served, last = max(year, served or year), s.on
            cycle = f"event:{s.event.id}"
    if last is not None and served is not None:
        because = f"pumped {last}; at least once each calendar year"
        return Year(due_on=_year_end(served + 1), because=because, cycle=cycle)
    if view.system.assigned_due_on is not None:
        because = f"first date assigned by the county: {view.system.assigned_due_on}; none on record"
        return Year(due_on=view.system.assigned_due_on, because=because, cycle="assigned")
    if begins is None:
        return Year(due_on=None)
    because = f"none on record since {begins}; at least once each calendar year"
    return Year(due_on=_year_end(begins.year), because=because, cycle=f"since:{begins}")


def _begins(view: View) -> dt.date | None:
    known = [view.system.installed_on or view.system.permit_issued_on, view.program.day("records_from")]
    return max((d for d in known if d is not None), default=None)


def _year_end(year: int) -> dt.date:
    return dt.date(min(year, dt.MAXYEAR), 12, 31)


def _year_served(view: View, p: Provision[YearlyService], on: dt.date, before: int | None) -> int | None:
    """The year that a pumping counts for: its own, or an unserved one into whose rolled year end it falls."""
    year = on.year - 1
    if (
        year >= dt.MINYEAR
        and before is not None
        and before < year
        and on <= p.on(view.calendar, _year_end(year)).last_day
    ):
        return year
    return on.year
