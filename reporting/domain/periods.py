"""Reporting periods that closed with neither a report nor a statement."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from reporting.domain.answers import Finding, Obligation, Outcome, note, oblige
from reporting.domain.missing import SERVICING
from reporting.domain.records import Component, Statement
from reporting.domain.submitters import filing_duty
from reporting.domain.view import View
from schemas.acts import PeriodReport
from schemas.calendar import add_days
from schemas.program import Provision

REPORTING = (*SERVICING, "no_service_statement")


class PeriodState(StrEnum):
    """Where a component stands with the report of one period."""

    REPORTED = "reported"
    STATED = "stated"
    MISSING = "missing"
    RUNNING = "running"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, kw_only=True)
class PeriodLine:
    """One component's report of one period: how it stands, by which rule, by when, whose duty, the services reported.

    `not_judged`: the period began before the records, or there are none.
    """

    component: Component
    state: PeriodState
    rule: str
    cite: str
    duty_of: str
    last_day: dt.date
    services: tuple[dt.date, ...]


def period_lines(view: View, name: str) -> Iterator[PeriodLine]:
    """How each component in use stands with the period `name` (`2026`, `2026-H1`); nothing where the text in force on
    its last day asks for no report of such a period."""
    start, end = span_of(name)
    for component in view.active_components:
        for p in view.program.at(end).of(PeriodReport):
            if (p.act.period == "half_year") != ("-" in name) or not view.applies(p.act, component):
                continue
            days = tuple(day for day in _reported_days(view, component) if start <= day <= end)
            deadline = p.after_days(view.calendar, end, view.program.days(p.act.days_setting))
            yield PeriodLine(
                component=component,
                state=_state(view, component, name, bool(days)),
                rule=p.id,
                cite=p.cite,
                duty_of=_duty_of(view, component, end, p.duty_of),
                last_day=deadline.last_day,
                services=days,
            )


def _state(view: View, component: Component, name: str, reported: bool) -> PeriodState:
    start, end = span_of(name)
    begins = _records_begin(view, component)
    if reported:
        return PeriodState.REPORTED
    if _is_stated(view, name):
        return PeriodState.STATED
    if end >= view.as_of:
        return PeriodState.RUNNING
    return PeriodState.NOT_JUDGED if begins is None or start < begins else PeriodState.MISSING


def span_of(name: str) -> tuple[dt.date, dt.date]:
    """The first and the last day of a period (`2026`, `2026-H1`, `2026-H2`)."""
    year, _, half = name.partition("-H")
    first, last = {"": (1, 12), "1": (1, 6), "2": (7, 12)}[half]
    return dt.date(int(year), first, 1), dt.date(int(year), last, 30 if last == 6 else 31)


def assess_periods(view: View) -> Outcome:
    """An obligation and a finding for each period that closed with nothing on file.

    Periods before the records begin are not judged.
    """
    obligations: list[Obligation] = []
    findings: list[Finding] = []
    changes: list[dt.date] = []
    if not any(text.of(PeriodReport) for text in view.program.texts):
        return Outcome()
    for component in view.active_components:
        begins = _records_begin(view, component)
        if begins is None:
            continue
        reported = _reported_days(view, component)
        for p, name, start, end in _periods(view, component, begins):
            if end >= view.as_of:
                changes.append(add_days(end, 1))
                continue
            if start < begins or any(start <= day <= end for day in reported) or _is_stated(view, name):
                continue
            found, pointed_out = _missing(view, p, component, name, end)
            obligations.append(found)
            findings.append(pointed_out)
    return Outcome(obligations=tuple(obligations), findings=tuple(findings), changes_on=tuple(changes))


def _missing(
    view: View, p: Provision[PeriodReport], component: Component, name: str, end: dt.date
) -> tuple[Obligation, Finding]:
    deadline = p.after_days(view.calendar, end, view.program.days(p.act.days_setting))
    because = f"neither a report nor a statement for {name}"
    found = oblige(
        p,
        "period_report",
        deadline,
        as_of=view.as_of,
        lead_days=view.program.days("lead_days"),
        because=because,
        cycle=f"period:{name}",
        of=component,
        period=name,
    )
    found = replace(found, duty_of=_duty_of(view, component, end, found.duty_of))
    return found, note(p, "missing_period_report", because, deadline=deadline, of=component, period=name)


def _duty_of(view: View, component: Component, end: dt.date, usual: str) -> str:
    """Whose duty a period's report is: the owner's where the last pumping was the owner's own under a registration."""
    pumped = [e for e in view.reports_of(component) if e.is_pumping and e.service_date <= end]
    return filing_duty(view, pumped[-1], component, usual) if pumped else usual


def _reported_days(view: View, component: Component) -> tuple[dt.date, ...]:
    events = view.reports_of(component)
    return tuple(e.service_date for e in events if e.event_type in REPORTING and view.is_received(e))


def _records_begin(view: View, component: Component) -> dt.date | None:
    """The first day of which periods are judged.

    The county's `records_from`, else the first day of the half-year of the first report or statement on file. Backlog
    and an inventory's own dates begin nothing.
    """
    begins = view.program.day("records_from")
    if begins is None:
        events = (e for e in view.reports_of(component) if view.is_received(e))
        known = [e.service_date for e in events if not e.baseline and not e.historical]
        known += [_first_day(s) for s in view.history.statements if s.received_on <= view.as_of]
        if not known:
            return None
        first = min(known)
        begins = first.replace(month=1 if first.month <= 6 else 7, day=1)
    installed = view.system.installed_on or view.system.permit_issued_on
    return max(begins, installed) if installed else begins


def _first_day(statement: Statement) -> dt.date:
    period = statement.period
    if period[:4].isdecimal() and len(period) >= 4 and int(period[:4]) >= dt.MINYEAR:
        return dt.date(int(period[:4]), 7 if period.endswith("H2") else 1, 1)
    return statement.received_on


def _periods(
    view: View, component: Component, begins: dt.date
) -> Iterator[tuple[Provision[PeriodReport], str, dt.date, dt.date]]:
    """Every reporting period from `begins` to the one that runs on `as_of`, by the text in force on its last day.

    Where the records begin only after `as_of`, those of their first year.
    """
    for year in range(begins.year, max(begins.year, view.as_of.year) + 1):
        for half, end in ((1, dt.date(year, 6, 30)), (2, dt.date(year, 12, 31))):
            for p in view.program.at(end).of(PeriodReport):
                if not view.applies(p.act, component):
                    continue
                if p.act.period == "half_year":
                    yield p, f"{year}-H{half}", dt.date(year, 6 * half - 5, 1), end
                elif half == 2:
                    yield p, str(year), dt.date(year, 1, 1), end


def _is_stated(view: View, name: str) -> bool:
    """Whether a statement closes a period: for it, for the year it lies in, or for both halves of it."""
    stated = {s.period for s in view.history.statements if s.kind in ("no_service", "") and s.received_on <= view.as_of}
    return name in stated or name[:4] in stated or {f"{name}-H1", f"{name}-H2"} <= stated
