"""The county's cases: their deadlines, and what it means when they pass; deadlines that a date of the system opens."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import replace

from reporting.domain.answers import Finding, Obligation, Outcome, State, note, oblige
from reporting.domain.records import Case
from reporting.domain.view import View
from schemas.acts import Act, CaseClosing, CaseDeadline, Handover, Referral, SystemDeadline
from schemas.calendar import Deadline
from schemas.program import Program, Provision

CORRECTIONS = ("correction", "failed_system_correction")


def assess_cases(view: View) -> Outcome:
    """The deadlines of the county's cases; one that has passed is pointed out, as is a closing that does not count."""
    obligations: list[Obligation] = []
    findings: list[Finding] = []
    for case in view.system.cases:
        for p in _deadlines(view, case):
            found = _duty(view, case, p)
            obligations += [found] if found else []
            if found is not None and found.state is State.OVERDUE:
                findings += [_overdue(found, p), *_handover(view, case, found)]
        findings += _not_closed(view, case)
    return Outcome(obligations=tuple(obligations), findings=tuple(findings))


def _deadlines(view: View, case: Case) -> list[Provision[CaseDeadline]]:
    """The provisions that set a case its deadlines; one for a date of the system stands in place of the others."""
    found = [
        p
        for p in view.program.at(view.as_of).of(CaseDeadline)
        if case.kind in p.act.cases and view.applies(p.act, view.system.main_tank) and _is_since(view, case, p.act)
    ]
    return [p for p in found if p.act.with_date] or found


def _is_since(view: View, case: Case, act: CaseDeadline) -> bool:
    if not act.with_date:
        return True
    since, opened = getattr(view.system, act.with_date), _opened(case)
    return since is not None and opened is not None and since <= opened


def _opened(case: Case) -> dt.date | None:
    return case.dates.get("opened_on") or case.dates.get("notified_on")


def _overdue(o: Obligation, p: Provision[CaseDeadline]) -> Finding:
    return Finding(
        kind=p.act.late_as, rule=o.rule, cite=o.cite, because=o.because, due_on=o.due_on, last_day=o.last_day
    )


def _handover(view: View, case: Case, late: Obligation) -> Iterator[Finding]:
    """A duty past its last day goes to another office, until it is on file that it did."""
    for p in view.program.at(view.as_of).of(Handover):
        is_of = p.act.kind == late.kind and case.kind in (p.act.cases or (case.kind,))
        if is_of and case.step(p.act.step, view.as_of) is None:
            deadline = Deadline(due_on=late.due_on, last_day=late.last_day)
            yield note(p, "handover_due", f"{late.because}; to be handed to {p.act.to}", deadline=deadline)


def _duty(view: View, case: Case, p: Provision[CaseDeadline]) -> Obligation | None:
    counted = _counted(view, case, p)
    if counted is None:
        return None
    first, because = counted
    deadline, because = _extended(view, case, p, first, because)
    met = [d for n in p.act.met_by if (d := _taken(view, case, p.act, n))]
    found = oblige(
        p,
        p.act.kind,
        deadline,
        as_of=view.as_of,
        lead_days=view.program.days("lead_days"),
        because=f"{case.kind}: {because}",
        cycle=f"case:{case.id or case.kind}:{_opened(case) or first.due_on}:{p.act.after}",
        met_on=min(met, default=None),
    )
    waived = case.waived(p.act.kind, view.as_of)
    if waived is None or found.state is State.MET:
        return found
    return replace(
        found, state=State.SUSPENDED, days_late=0, changes_on=(), suspended_because=f"waived by the county {waived}"
    )


def _extended(
    view: View, case: Case, p: Provision[CaseDeadline], first: Deadline, because: str
) -> tuple[Deadline, str]:
    """The deadline after the county's extension; the one before stays in the reason."""
    given = case.extension(p.act.kind, view.as_of)
    if given is None or given.until <= first.due_on:
        return first, because
    until = f"{because}: {first.last_day}; extended {given.on} until {given.until}"
    return p.on(view.calendar, given.until), until


def _taken(view: View, case: Case, act: CaseDeadline, name: str) -> dt.date | None:
    """When a step was taken; a closing that waits for another step counts from that one, and not before it."""
    day = case.step(name, view.as_of)
    if day is None or name != "closed_on":
        return day
    for p in view.program.at(view.as_of).of(CaseClosing):
        if case.kind not in p.act.cases or act.kind != p.act.kind or case.waived(act.kind, view.as_of):
            continue
        if p.act.needs in case.dates:
            needed = case.step(p.act.needs, view.as_of)
            return max(day, needed) if needed is not None else None
        if p.act.needs in case.not_taken:
            return None
    return day


def _not_closed(view: View, case: Case) -> Iterator[Finding]:
    """A closing without the step that it needs; where nobody said whether it was taken, it is taken to have been."""
    closed = case.step("closed_on", view.as_of)
    for p in view.program.at(view.as_of).of(CaseClosing):
        if case.waived(p.act.kind, view.as_of):
            continue
        known = p.act.needs in case.not_taken or p.act.needs in case.dates
        if closed and case.kind in p.act.cases and known and case.step(p.act.needs, view.as_of) is None:
            said = p.act.needs.removesuffix("_on").replace("_", " ")
            deadline = Deadline(due_on=closed, last_day=closed)
            yield note(p, "closing_not_verified", f"{case.kind}: closed {closed}, not {said}", deadline=deadline)


def _counted(view: View, case: Case, p: Provision[CaseDeadline]) -> tuple[Deadline, str] | None:
    """The deadline of a case and how it is counted; None while nothing on file sets one."""
    act = p.act
    if act.after and case.step(act.after, view.as_of) is None:
        return None
    own = case.due_on if (_opened(case) or dt.date.min) <= view.as_of else None
    usual = _usual(view, case, p)
    if act.at_most:
        if usual and own is not None and own < usual[0].due_on:
            return p.on(view.calendar, own), f"by {own}, set by the county"
        return usual
    if case.due_on is not None and (act.own_period or act.kind in CORRECTIONS):
        # the county's own date is the date to correct, not to answer or to report
        return (p.on(view.calendar, own), f"by {own}, set by the county") if own is not None else None
    return usual


def _usual(view: View, case: Case, p: Provision[CaseDeadline]) -> tuple[Deadline, str] | None:
    """The deadline as the text counts it, from the first date on file."""
    act = p.act
    for name in act.counted_from:
        start = case.step(name, view.as_of)
        if start is None:
            continue
        said = f"{name.replace('_', ' ')} {start}"
        if act.days is not None:
            return p.after_days(view.calendar, start, act.days), f"{said}; {act.days} days"
        if act.business_days is not None:
            until = p.after_business_days(view.calendar, start, act.business_days)
            return until, f"{said}; {act.business_days} business days"
        if act.months is not None:
            return p.after_months(view.calendar, start, act.months), f"{said}; {act.months} months"
    return None


def referral_steps(program: Program) -> dict[str, str]:
    """The steps that hand a case to another office, each with that office's name among the county's settings."""
    acts: Iterable[Act] = (act for rule in program.rules for act in rule.acts)
    named = {act.step: act.office for act in acts if isinstance(act, Handover | Referral)}
    return {"handed_over_on": "sanitarian", **named}


def assess_system_dates(view: View) -> Outcome:
    """Duties that a date of the system itself opens: public sewer that has come, a temporary tank."""
    obligations = []
    for p in view.program.at(view.as_of).of(SystemDeadline):
        start = getattr(view.system, p.act.counted_from)
        if start is None or start > view.as_of or not any(view.applies(p.act, c) for c in view.active_components):
            continue
        word = p.act.counted_from.removesuffix("_on").replace("_", " ")
        obligations.append(
            oblige(
                p,
                p.act.kind,
                p.after_months(view.calendar, start, p.act.months) if p.act.months else p.on(view.calendar, start),
                as_of=view.as_of,
                lead_days=view.program.days("lead_days"),
                because=f"{word} {start}; " + (f"within {p.act.months} months" if p.act.months else "at once"),
                cycle=f"{p.act.counted_from}:{start}",
            )
        )
    return Outcome(obligations=tuple(obligations))
