"""What one system's part in a calendar year of service areas is: windows, notices, questionnaires, certificate, fee."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from reporting.domain.answers import Obligation, State
from reporting.domain.areas import WindowMail, window_mail
from reporting.domain.exemptions import ending, pauses
from reporting.domain.fees import fee_cents, freedom
from reporting.domain.mail import assess_mail
from reporting.domain.view import View
from schemas.acts import AreaNotice, Fee, ServiceAreas
from schemas.program import Program


@dataclass(frozen=True, kw_only=True)
class SystemYear:
    """One system in a year, as seen on a day.

    pumped: a tank was pumped that year; at_rest: exempt or on hold that day; windows: of its septic tanks, with their
    notice; scheduling: the duties that notices to its holding tanks opened; questionnaires: those mailed that year, the
    first that is open among them; ends_on: the last day of a certificate that ends that year; fee_cents: the yearly fee
    that it owes, 0 for none.
    """

    area: int | None
    tanks: tuple[str, ...]
    pumped: bool
    at_rest: bool
    windows: tuple[WindowMail, ...] = ()
    scheduling: tuple[Obligation, ...] = ()
    questionnaires: tuple[Obligation, ...] = ()
    ends_on: tuple[dt.date, ...] = ()
    fee_cents: int = 0


def served_area(program: Program, year: int, on: dt.date) -> tuple[int | None, int]:
    """The area whose turn a year is (None while no base year is set), and how many areas there are (0: none)."""
    for p in program.at(on).of(ServiceAreas):
        base = program.days(p.act.base_setting)
        return ((year - base) % p.act.areas + 1 if base else None), p.act.areas
    return None, 0


def system_year(view: View, year: int) -> SystemYear:
    """The system in a calendar year, judged on the view's day."""
    text, paused, system = view.program.at(view.as_of), pauses(view), view.system
    mail = assess_mail(view, paused, include_met=True).obligations
    notices = {p.act.kind for p in text.of(AreaNotice)}
    ends = (ending(view, grant).last_day for grant in system.exemptions)
    return SystemYear(
        area=system.service_area,
        tanks=tuple(sorted({c.kind for c in view.active_components} - {"dispersal"})),
        pumped=any(s.on.year == year for c in view.active_components for s in view.services(c, "pump")),
        at_rest=any(p.ended_on is None for p in paused),
        windows=tuple(one for one in window_mail(view, paused) if one.window.from_on.year == year),
        scheduling=tuple(o for o in mail if o.kind in notices and o.cycle.startswith(f"mailing:{year:04}-")),
        questionnaires=tuple(o for o in mail if o.cycle.startswith(f"questionnaire:{year:04}-")),
        ends_on=tuple(day for day in ends if day.year == year),
        fee_cents=sum(_fees(view, year)),
    )


def _fees(view: View, year: int) -> Iterator[int]:
    for p in view.program.at(view.as_of).of(Fee):
        owes = p.act.every == "year" and any(view.applies(p.act, c) for c in view.active_components)
        if owes and freedom(view, year) is None:
            yield fee_cents(view, p)


def is_open(duty: Obligation) -> bool:
    """Whether a duty has not been met."""
    return duty.state is not State.MET
