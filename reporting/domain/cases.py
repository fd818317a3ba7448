"""The county's cases: their deadlines, and what it means when they pass; deadlines that a date of the system opens."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from reporting.domain.answers import Finding, Obligation, Outcome, State, oblige
from reporting.domain.records import Case
from reporting.domain.view import View
from schemas.acts import CaseDeadline, SystemDeadline
from schemas.calendar import Deadline
from schemas.program import Provision

CORRECTIONS = ("correction", "failed_system_correction")


def assess_cases(view: View) -> Outcome:
    """The deadlines of the county's cases; one that has passed is pointed out."""
    obligations = [o for case in view.system.cases for o in _case(view, case)]
    late = [_overdue(o) for o in obligations if o.state is State.OVERDUE]
    return Outcome(obligations=tuple(obligations), findings=tuple(late))


def _overdue(o: Obligation) -> Finding:
    return Finding(
        kind="correction_overdue", rule=o.rule, cite=o.cite, because=o.because, due_on=o.due_on, last_day=o.last_day
    )


def _case(view: View, case: Case) -> Iterator[Obligation]:
    for p in view.program.at(view.as_of).of(CaseDeadline):
        if case.kind not in p.act.cases or not view.applies(p.act, view.system.main_tank):
            continue
        counted = _counted(view, case, p)
        if counted is None:
            continue
        deadline, because = counted
        met = [d for n in p.act.met_by if (d := case.step(n, view.as_of))]
        opened = case.dates.get("opened_on") or case.dates.get("notified_on") or deadline.due_on
        yield oblige(
            p,
            p.act.kind,
            deadline,
            as_of=view.as_of,
            lead_days=view.program.days("lead_days"),
            because=f"{case.kind}: {because}",
            cycle=f"case:{case.id or case.kind}:{opened}:{p.act.after}",
            met_on=min(met, default=None),
        )


def _counted(view: View, case: Case, p: Provision[CaseDeadline]) -> tuple[Deadline, str] | None:
    """The deadline of a case and how it is counted; None while nothing on file sets one."""
    act = p.act
    if act.after and case.step(act.after, view.as_of) is None:
        return None
    opened = case.dates.get("opened_on") or case.dates.get("notified_on") or dt.date.min
    if case.due_on is not None and act.kind in CORRECTIONS:
        # the county's own date is the date to correct, not to answer or to report
        return (
            (p.on(view.calendar, case.due_on), f"by {case.due_on}, set by the county") if opened <= view.as_of else None
        )
    for name in act.counted_from:
        start = case.step(name, view.as_of)
        if start is not None and act.days is not None:
            said = f"{name.replace('_', ' ')} {start}; {act.days} days"
            return p.after_days(view.calendar, start, act.days), said
    return None


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
                p.after_months(view.calendar, start, p.act.months),
                as_of=view.as_of,
                lead_days=view.program.days("lead_days"),
                because=f"{word} {start}; within {p.act.months} months",
                cycle=f"{p.act.counted_from}:{start}",
            )
        )
    return Outcome(obligations=tuple(obligations))
