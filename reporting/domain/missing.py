"""Services that the owner told of and that no contractor reported by the report's deadline."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from reporting.domain.answers import Finding, Obligation, Outcome, note, oblige
from reporting.domain.records import Component, Event, OwnerNotice
from reporting.domain.reports import report_deadline
from reporting.domain.view import View
from schemas.acts import RecordsViolation, ServicedNotice
from schemas.calendar import Deadline, add_days
from schemas.program import Provision

SERVICING = ("pumping", "inspection", "pumping_and_inspection", "maintenance", "evaluation", "abandonment")


def assess_missing_reports(view: View) -> Outcome:
    """An obligation and a finding for each; before its deadline a notice only says when it would become one."""
    obligations: list[Obligation] = []
    findings: list[Finding] = []
    changes: list[dt.date] = []
    for p, component, notice, deadline in _awaited(view):
        if view.as_of <= deadline.last_day:
            changes.append(add_days(deadline.last_day, 1))
            continue
        days = view.program.days("notice_match_days")
        because = f"the owner told of service on {notice.on}; no report within {days} days of it"
        found = oblige(
            p,
            "missing_report",
            deadline,
            as_of=view.as_of,
            lead_days=0,
            because=because,
            cycle=f"notice:{notice.on}",
            of=component,
        )
        obligations.append(found)
        findings.append(note(p, "missing_report", because, deadline=deadline, of=component))
        for violation in view.program.at(view.as_of).of(RecordsViolation):
            if view.applies(violation.act, component):
                said = f"{because}; the owner has the report provided or violates"
                findings.append(note(violation, "records_violation", said, deadline=deadline, of=component))
    return Outcome(obligations=tuple(obligations), findings=tuple(findings), changes_on=tuple(changes))


def _awaited(view: View) -> Iterator[tuple[Provision[ServicedNotice], Component, OwnerNotice, Deadline]]:
    for p in view.program.at(view.as_of).of(ServicedNotice):
        for component in view.components:
            if not view.applies(p.act, component):
                continue
            for notice in _unmatched(view, component):
                yield p, component, notice, _deadline(view, notice, component)


def _deadline(view: View, notice: OwnerNotice, component: Component) -> Deadline:
    told = Event(
        id="",
        event_type="pumping",
        service_date=notice.on,
        component=component.kind,
        component_ref=component.ref,
        license_number=notice.license_number,
    )
    due = report_deadline(view, told, component)
    return due[1] if due else view.calendar.deadline_on(notice.on, filing=True)


def _unmatched(view: View, component: Component) -> list[OwnerNotice]:
    """The notices of service that no report received by the end of `as_of` answers."""
    told = [
        n
        for n in view.history.owner_notices
        if n.kind == "serviced"
        and n.on <= view.as_of
        and (not n.component_ref or not component.ref or n.component_ref == component.ref)
    ]
    if not told:
        return []
    told.sort(key=lambda n: n.on)
    reported = [
        e.service_date
        for e in view.reports_of(component)
        if e.event_type in SERVICING and not e.baseline and view.is_received(e)
    ]
    matched = match_days([n.on for n in told], reported, view.program.days("notice_match_days"))
    return [n for i, n in enumerate(told) if i not in matched]


def match_days(told: Sequence[dt.date], reported: Sequence[dt.date], limit: int) -> frozenset[int]:
    """Which of the days told have a report of their own at most `limit` days off. Both are in order.

    One report answers one notice; as many as possible are answered, and of those ways the nearest.
    """
    # best[j]: unanswered notices, days off in all, the answered ones, among the notices so far and the first j reports
    best: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())] * (len(reported) + 1)
    for i, day in enumerate(told):
        before, best = best, []
        for j in range(len(reported) + 1):
            missing, off, answered = before[j]
            ways = [(missing + 1, off, answered)]
            if j and (apart := abs((day - reported[j - 1]).days)) <= limit:
                missing, off, answered = before[j - 1]
                ways.append((missing, off + apart, (*answered, i)))
            best.append(min([*ways, best[j - 1]]) if j else ways[0])
    return frozenset(best[-1][2])
