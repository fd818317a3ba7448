"""What is said of reports: late, missing, of somebody not entitled, and what they point out to the county."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from reporting.domain.answers import Finding, Obligation, Outcome, note, oblige
from reporting.domain.exemptions import in_force
from reporting.domain.records import Component, Event, OwnerNotice
from reporting.domain.view import Refusal, Service, View
from schemas.acts import Defective, FailureCodes, NoAccess, PeriodReport, ReportDeadline, ServicedNotice, Tampering
from schemas.calendar import Deadline, add_days
from schemas.program import Provision

SERVICE_TYPES = ("pumping", "inspection", "pumping_and_inspection", "maintenance", "evaluation", "abandonment")


def assess_reports(view: View) -> Outcome:
    """Findings on every report that stands, and missing reports."""
    findings: list[Finding] = []
    for event in view.reports:
        findings += report_findings(view, event)
    missing, changes = _missing_reports(view)
    return Outcome(
        obligations=tuple(o for o, _ in missing),
        findings=(*findings, *(f for _, f in missing)),
        changes_on=tuple(changes),
    )


def report_findings(view: View, event: Event) -> Iterator[Finding]:
    """The findings that a report carries by itself."""
    component = view.component_of(event)
    yield from _late(view, event, component)
    if component is not None:
        yield from _refused(view, event, component)
    yield from _pointed_out(view, event, component)


def report_deadline(
    view: View, event: Event, component: Component | None
) -> tuple[Provision[ReportDeadline], Deadline] | None:
    """By when a report was due and by which provision: the strictest that applies; of equal ones the closer, the county's before the state's."""
    found: list[tuple[dt.date, dt.date, int, int, Provision[ReportDeadline], Deadline]] = []
    for order, p in enumerate(view.program.at(event.service_date).of(ReportDeadline)):
        if view.applies(p.act, component, event) and _is_for(view, p.act, event):
            deadline = p.after_days(view.calendar, event.service_date, p.act.days)
            closeness = -(bool(p.act.buildings) + bool(p.act.exemption))
            found.append((deadline.last_day, deadline.due_on, closeness, order, p, deadline))
    if not found:
        return None
    best = min(found, key=lambda f: f[:4])
    return best[4], best[5]


def _is_for(view: View, act: ReportDeadline, event: Event) -> bool:
    if act.exemption and not in_force(view, act.exemption, event.service_date):
        return False
    if not act.contractor_is:
        return True
    named = view.program.text_of(act.contractor_setting)
    if not named:
        return True
    return (event.license_number == named) == (act.contractor_is == "this")


def _late(view: View, event: Event, component: Component | None) -> Iterator[Finding]:
    received = view.receipt(event)
    if event.baseline or event.historical or received is None or received > view.as_of:
        return
    due = report_deadline(view, event, component)
    if due is None:
        return
    provision, deadline = due
    filed, word = received, "received"
    if provision.act.date_sent_counts and event.sent_on is not None and event.sent_on < received:
        filed, word = event.sent_on, "sent"
    if filed > deadline.last_day:
        because = f"{word} {filed}, {provision.act.days} days from {event.service_date} ended {deadline.last_day}"
        yield _on(view, note(provision, "late_report", because, event=event.id, deadline=deadline), component)


def _on(view: View, finding: Finding, component: Component | None) -> Finding:
    from dataclasses import replace

    return replace(finding, component=component.kind, component_ref=component.ref) if component else finding


def _refused(view: View, event: Event, component: Component) -> Iterator[Finding]:
    claims = [c for c in view.claims(component) if c.event.id == event.id]
    counts = any(isinstance(c, Service) and c.activity == "pump" for c in claims)
    for claim in claims:
        if not isinstance(claim, Refusal) or (counts and claim.activity == "inspect"):
            continue
        if claim.activity == "inspect" and not event.is_inspection:
            continue
        kind = "credential_expired" if claim.expired else "not_qualified"
        who = (
            event.inspector_credential_kind
            if claim.activity != "pump" and event.inspector_credential_kind
            else event.credential_kind
        )
        because = (
            f"{who} expired {event.credential_expires_on}"
            if claim.expired
            else f"{who or 'no credential'} is not entitled to {claim.activity.replace('_', ' ')}"
        )
        yield _on(view, note(claim.provision, kind, because, event=event.id), component)


def _pointed_out(view: View, event: Event, component: Component | None) -> Iterator[Finding]:
    text = view.program.at(event.service_date)
    if event.tampering:
        for p in text.of(Tampering):
            if view.applies(p.act, component, event):
                yield _on(view, note(p, "tampering", f"reported {event.service_date}", event=event.id), component)
    if event.defects and (event.defects_corrected_on is None or event.defects_corrected_on > view.as_of):
        for d in text.of(Defective):
            if view.applies(d.act, component, event):
                yield _on(
                    view,
                    note(
                        d,
                        "defect_not_corrected",
                        f"{', '.join(event.defects)}; reported {event.service_date}",
                        event=event.id,
                    ),
                    component,
                )
    if event.no_access:
        for n in text.of(NoAccess):
            if view.applies(n.act, component, event):
                yield _on(view, note(n, "no_access", f"reported {event.service_date}", event=event.id), component)
    if event.failure_condition:
        for f in text.of(FailureCodes):
            said = f.act.codes.get(event.failure_condition, "condition not in this program's list")
            yield _on(
                view,
                note(
                    f,
                    "failing_system",
                    f"condition ({event.failure_condition}): {said}; reported {event.service_date}",
                    event=event.id,
                ),
                component,
            )


def _missing_reports(view: View) -> tuple[list[tuple[Obligation, Finding]], list[dt.date]]:
    """Services that the owner told of and no contractor reported by the report's deadline."""
    found: list[tuple[Obligation, Finding]] = []
    changes: list[dt.date] = []
    for p in view.program.at(view.as_of).of(ServicedNotice):
        for component in view.components:
            if not view.applies(p.act, component):
                continue
            for n in _unmatched(view, component):
                deadline = _deadline_of_notice(view, n, component)
                if view.as_of <= deadline.last_day:
                    changes.append(add_days(deadline.last_day, 1))
                    continue
                because = f"the owner told of service on {n.on}; no report within {view.program.days('notice_match_days')} days of it"
                common = {"component": component.kind, "component_ref": component.ref}
                obligation = oblige(
                    p,
                    "missing_report",
                    deadline,
                    as_of=view.as_of,
                    lead_days=0,
                    because=because,
                    cycle=f"notice:{n.on}",
                    **common,
                )
                found.append((obligation, note(p, "missing_report", because, deadline=deadline, **common)))
    return found, changes


def _deadline_of_notice(view: View, notice: OwnerNotice, component: Component) -> Deadline:
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
    """The notices of service that no report received answers; each report answers one notice, the nearest first."""
    told = [n for n in view.history.owner_notices if n.kind == "serviced" and n.on <= view.as_of]
    reports = [
        e
        for e in view.reports
        if view.is_received(e) and not e.baseline and e.event_type in SERVICE_TYPES and view.is_of(e, component)
    ]
    limit = view.program.days("notice_match_days")
    pairs = sorted(
        (abs((e.service_date - n.on).days), i, j)
        for i, n in enumerate(told)
        for j, e in enumerate(reports)
        if abs((e.service_date - n.on).days) <= limit
    )
    answered: set[int] = set()
    used: set[int] = set()
    for _, i, j in pairs:
        if i not in answered and j not in used:
            answered.add(i)
            used.add(j)
    return [n for i, n in enumerate(told) if i not in answered]


def assess_periods(view: View) -> Outcome:
    """Reporting periods that closed with neither report nor statement: an obligation and a finding each."""
    obligations: list[Obligation] = []
    findings: list[Finding] = []
    changes: list[dt.date] = []
    for component in view.active_components:
        begins = _records_begin(view, component)
        for p, name, start, end in _periods(view, component):
            if end >= view.as_of:
                changes.append(add_days(end, 1))
                continue
            if begins is None or start < begins or _is_reported(view, component, name, start, end):
                continue
            deadline = p.after_days(view.calendar, end, view.program.days(p.act.days_setting))
            because = f"neither a report nor a statement for {name}"
            where = {"component": component.kind, "component_ref": component.ref, "period": name}
            obligations.append(
                oblige(
                    p,
                    "period_report",
                    deadline,
                    as_of=view.as_of,
                    lead_days=view.program.days("lead_days"),
                    because=because,
                    cycle=f"period:{name}",
                    **where,
                )
            )
            findings.append(note(p, "missing_period_report", because, deadline=deadline, **where))
    return Outcome(obligations=tuple(obligations), findings=tuple(findings), changes_on=tuple(changes))


def _records_begin(view: View, component: Component) -> dt.date | None:
    """The first day of which periods are judged: the county's `records_from`, else the first day of the year of the first fact on record."""
    begins = view.program.day("records_from")
    if begins is None:
        known = [e.service_date for e in view.reports if view.is_of(e, component)] + [
            _first_day(s.period) or s.received_on for s in view.history.statements
        ]
        if not known:
            return None
        first = min(known)
        begins = first.replace(month=1 if first.month <= 6 else 7, day=1)
    installed = view.system.installed_on or view.system.permit_issued_on
    return max(begins, installed) if installed else begins


def _first_day(period: str) -> dt.date | None:
    if len(period) >= 4 and period[:4].isdigit() and int(period[:4]) >= 1:
        return dt.date(int(period[:4]), 7 if period.endswith("H2") else 1, 1)
    return None


def _periods(view: View, component: Component) -> Iterator[tuple[Provision[PeriodReport], str, dt.date, dt.date]]:
    """Every reporting period from the first on record to the one that runs on `as_of`, by the text in force on its last day."""
    begins = _records_begin(view, component)
    if begins is None:
        return
    for year in range(begins.year, view.as_of.year + 1):
        for half, end in ((1, dt.date(year, 6, 30)), (2, dt.date(year, 12, 31))):
            for p in view.program.at(end).of(PeriodReport):
                if not view.applies(p.act, component):
                    continue
                if p.act.period == "half_year":
                    yield p, f"{year}-H{half}", dt.date(year, 6 * half - 5, 1), end
                elif half == 2:
                    yield p, str(year), dt.date(year, 1, 1), end


def _is_reported(view: View, component: Component, name: str, start: dt.date, end: dt.date) -> bool:
    for event in view.reports:
        reported = event.event_type in SERVICE_TYPES or event.event_type == "no_service_statement"
        if reported and start <= event.service_date <= end and view.is_received(event) and view.is_of(event, component):
            return True
    return any(
        s.kind == "no_service" and s.period in (name, name[:4]) and s.received_on <= view.as_of
        for s in view.history.statements
    )
