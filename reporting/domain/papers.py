"""Contracts on file and the county's cases: their deadlines, and what it means when they pass."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from reporting.domain.answers import Finding, Obligation, Outcome, State, merge, note, oblige
from reporting.domain.records import Case, Component, Contract, Plan
from reporting.domain.view import View
from schemas.acts import Act, CaseDeadline, ContractChange, ContractNeeded, ContractRenewal
from schemas.calendar import add_days
from schemas.program import Provision


def assess_contracts(view: View) -> Outcome:
    """Renewals, changes of contractor and contracts that are not on file."""
    if not view.active_components:
        return Outcome()
    text = view.program.at(view.as_of)
    parts = [_renewal(view, p) for p in text.of(ContractRenewal)]
    for component in view.active_components:
        changes = (p for p in text.of(ContractChange) if view.applies(p.act, component))
        needed = (p for p in text.of(ContractNeeded) if view.applies(p.act, component))
        parts += [_change(view, p, component) for p in changes]
        parts += [_needed(view, p, component) for p in needed]
    whole = merge(parts)
    findings = {
        (f.kind, f.event, f.component, f.component_ref) if f.kind != "contract_expired" else f.kind: f
        for f in reversed(whole.findings)
    }
    return Outcome(
        obligations=whole.obligations, findings=tuple(reversed(findings.values())), changes_on=whole.changes_on
    )


def _on_file(view: View) -> list[Contract]:
    return [c for c in view.system.contracts or () if c.filed_on is None or c.filed_on <= view.as_of]


def _in_force(contract: Contract, day: dt.date) -> bool:
    return (contract.from_on is None or contract.from_on <= day) and (contract.to_on is None or day <= contract.to_on)


def _renewal(view: View, p: Provision[ContractRenewal]) -> Outcome:
    obligations, findings, by_kind = [], [], {}
    for contract in _on_file(view):
        held = by_kind.get(contract.kind)
        if held is None or (contract.to_on or dt.date.max) > (held.to_on or dt.date.max):
            by_kind[contract.kind] = contract
    for contract in by_kind.values():
        if contract.to_on is None:
            continue
        because = f"contract with {contract.license_number} ends {contract.to_on}; a new one is filed before"
        found = oblige(p, "contract", p.on(view.calendar, contract.to_on), as_of=view.as_of, lead_days=view.program.days("contract_lead_days"),
                       because=because, cycle=f"contract:{contract.license_number}:{contract.to_on}")  # fmt: skip
        obligations.append(found)
        if found.state is State.OVERDUE:
            findings.append(
                note(p, "contract_expired", f"contract with {contract.license_number} ended {contract.to_on}")
            )
    return Outcome(obligations=tuple(obligations), findings=tuple(findings))


def _change(view: View, p: Provision[ContractChange], component: Component) -> Outcome:
    """A pumping by another than the contracted one opens the filing of a new contract, until one with that contractor is on file."""
    if view.system.contracts is None:
        return Outcome()
    obligations: dict[str, Obligation] = {}
    findings: list[Finding] = []
    for event in view.reports:
        if not event.is_pumping or event.baseline or not event.license_number or not view.is_of(event, component):
            continue
        before = [
            c
            for c in view.system.contracts
            if _in_force(c, event.service_date) and (c.filed_on is None or c.filed_on <= event.service_date)
        ]
        if not before or any(c.license_number == event.license_number for c in before):
            continue
        deadline = p.after_business_days(view.calendar, event.service_date, p.act.business_days)
        filed = [
            c
            for c in _on_file(view)
            if c.license_number == event.license_number
            and (c.filed_on or c.from_on or event.service_date) <= view.as_of
        ]
        filed_on = min(((c.filed_on or c.from_on or event.service_date) for c in filed), default=None)
        named = ", ".join(sorted({c.license_number for c in before}))
        because = f"pumped {event.service_date} by {event.license_number}, the contract is with {named}; {p.act.business_days} business days"
        where = {"component": component.kind, "component_ref": component.ref, "event": event.id}
        found = oblige(p, "contract", deadline, as_of=view.as_of, lead_days=view.program.days("lead_days"), because=because,
                       cycle=f"change:{event.license_number}", met_on=filed_on, **where)  # fmt: skip
        obligations.setdefault(event.license_number, found)
        if filed_on is None:
            findings.append(note(p, "contract_mismatch", because, deadline=deadline, **where))
    return Outcome(obligations=tuple(obligations.values()), findings=tuple(findings))


def _needed(view: View, p: Provision[ContractNeeded], component: Component) -> Outcome:
    if view.system.contracts is None or not _plan_asks(view, p.act, component):
        return Outcome()
    fit = [c for c in _on_file(view) if not p.act.kinds or c.kind in p.act.kinds or not c.kind]
    if any(_in_force(c, view.as_of) for c in fit):
        ends = [c.to_on for c in fit if c.to_on and _in_force(c, view.as_of)]
        return Outcome(changes_on=tuple(add_days(d, 1) for d in ends))
    where = {"component": component.kind, "component_ref": component.ref}
    ended = max((c.to_on for c in fit if c.to_on and c.to_on < view.as_of), default=None)
    if ended:
        return Outcome(findings=(note(p, "contract_expired", f"the contract on file ended {ended}", **where),))
    return Outcome(findings=(note(p, "contract_missing", "no contract on file", **where),))


def _plan_asks(view: View, act: ContractNeeded, component: Component) -> bool:
    if act.plan_within_months is None:
        return True
    plan = component.plan or view.system.plan or Plan()
    main = view.system.main_tank
    if main is None or (component.kind, component.ref) != (main.kind, main.ref):
        return False
    months = [getattr(plan, name) for name in act.plan_months]
    return any(m is not None and m <= act.plan_within_months for m in months)


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
        if case.kind not in p.act.cases or (p.act.after and case.step(p.act.after, view.as_of) is None):
            continue
        start_name, start = next(((n, d) for n in p.act.counted_from if (d := case.step(n, view.as_of))), ("", None))
        if case.due_on is not None and (p.act.own_period or len(p.act.cases) == 1) and _main_duty(p):
            deadline, counted = p.on(view.calendar, case.due_on), f"by {case.due_on}, set by the county"
        elif p.act.days is not None and start is not None:
            deadline, counted = (
                p.after_days(view.calendar, start, p.act.days),
                f"{start_name.replace('_', ' ')} {start}; {p.act.days} days",
            )
        else:
            continue
        met = [d for n in p.act.met_by if (d := case.step(n, view.as_of))]
        yield oblige(p, p.act.kind, deadline, as_of=view.as_of, lead_days=view.program.days("lead_days"), because=f"{case.kind}: {counted}",
                     cycle=f"case:{case.id or case.kind}:{case.dates.get('opened_on') or start}", met_on=min(met, default=None))  # fmt: skip


def _main_duty(p: Provision[Act]) -> bool:
    """A date on the case itself is the date to correct, not to answer or to report."""
    return getattr(p.act, "kind", "") in ("correction", "failed_system_correction")
