"""Contracts on file: renewal before the end, a change of contractor, and contracts that are not on file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from reporting.domain.answers import Ahead, Finding, Obligation, Outcome, State, merge, note, oblige
from reporting.domain.asks import plan_of
from reporting.domain.records import Component, Contract, Event
from reporting.domain.view import View
from schemas.acts import ContractChange, ContractNeeded, ContractRenewal
from schemas.program import Provision


def assess_contracts(view: View) -> Outcome:
    """Renewals, changes of contractor and contracts that are not on file; where contracts are unknown, nothing."""
    if view.system.contracts is None:
        return Outcome()
    text = view.program.at(view.as_of)
    parts = [_renewal(view, p) for p in text.of(ContractRenewal)]
    for component in view.active_components:
        parts += [_change(view, p, component) for p in text.of(ContractChange) if view.applies(p.act, component)]
        parts += [_needed(view, p, component) for p in text.of(ContractNeeded) if view.applies(p.act, component)]
    whole = merge(parts)
    return Outcome(obligations=whole.obligations, findings=tuple(_once(whole.findings)), changes_on=whole.changes_on)


def contract_ends(view: View) -> Iterator[Ahead]:
    """The contracts on file that are still to end and that nothing renews, where some rule asks for a contract."""
    text, on_file = view.program.at(view.as_of), _on_file(view)
    asking: list[Provision[ContractRenewal] | Provision[ContractNeeded]] = [*text.of(ContractRenewal)]
    for component in view.active_components:
        needed = (p for p in text.of(ContractNeeded) if view.applies(p.act, component))
        asking += (p for p in needed if _is_asked(view, p.act, component))
    told: set[str] = set()
    for contract in on_file if asking else ():
        ends, cycle = contract.to_on, f"contract:{contract.license_number}:{contract.from_on or contract.filed_on}"
        if ends is None or ends < view.as_of or cycle in told or any(_renews(other, contract) for other in on_file):
            continue
        told.add(cycle)
        p = asking[0]
        yield Ahead(
            kind="contract",
            on=ends,
            rule=p.id,
            cite=p.cite,
            because=f"contract with {contract.license_number} ends {ends}",
            duty_of=p.duty_of,
            cycle=cycle,
            licence=contract.license_number,
        )


def _once(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Each finding once, in the name of the first rule that made it: an ended contract is pointed out once in all."""
    seen: set[tuple[str, ...]] = set()
    for f in findings:
        key = (f.kind,) if f.kind == "contract_expired" else (f.kind, f.event, f.component, f.component_ref)
        if key not in seen:
            seen.add(key)
            yield f


def _on_file(view: View) -> list[Contract]:
    return [c for c in view.system.contracts or () if c.filed_on is None or c.filed_on <= view.as_of]


def _in_force(contract: Contract, day: dt.date) -> bool:
    return (contract.from_on is None or contract.from_on <= day) and (contract.to_on is None or day <= contract.to_on)


def _renewal(view: View, p: Provision[ContractRenewal]) -> Outcome:
    obligations: list[Obligation] = []
    findings: list[Finding] = []
    on_file = _on_file(view)
    for contract in on_file:
        if contract.to_on is None or any(_renews(other, contract) for other in on_file):
            continue
        cycle = f"contract:{contract.license_number}:{contract.to_on}"
        if any(o.cycle == cycle for o in obligations):
            continue
        found = oblige(
            p,
            "contract",
            p.on(view.calendar, contract.to_on),
            as_of=view.as_of,
            lead_days=view.program.days("contract_lead_days"),
            because=f"contract with {contract.license_number} ends {contract.to_on}; a new one is filed before",
            cycle=cycle,
        )
        obligations.append(found)
        if found.state is State.OVERDUE:
            because = f"contract with {contract.license_number} ended {contract.to_on}"
            findings.append(note(p, "contract_expired", because))
    return Outcome(obligations=tuple(obligations), findings=tuple(findings))


def _renews(later: Contract, earlier: Contract) -> bool:
    """Whether a contract takes another's place: it ends later, and is not known to be of another kind."""
    if later.kind and earlier.kind and later.kind != earlier.kind:
        return False
    return (later.to_on or dt.date.max) > (earlier.to_on or dt.date.max)


def _change(view: View, p: Provision[ContractChange], component: Component) -> Outcome:
    """A pumping by another than the contracted one opens the filing of a new contract, until one is on file."""
    obligations: dict[str, Obligation] = {}
    findings: list[Finding] = []
    for event in view.pumpings(component) if view.system.contracts else ():
        named = _others(view, event)
        if not named:
            continue
        deadline = p.after_business_days(view.calendar, event.service_date, p.act.business_days)
        filed_on = _filed_with(view, event)
        said = f"pumped {event.service_date} by {event.license_number}, the contract is with {named}"
        because = f"{said}; {p.act.business_days} business days"
        held = obligations.get(event.license_number)
        if held is None or (held.state is State.MET and filed_on is None):
            obligations[event.license_number] = oblige(
                p,
                "contract",
                deadline,
                as_of=view.as_of,
                lead_days=view.program.days("lead_days"),
                because=because,
                cycle=f"change:{event.id}",
                met_on=filed_on,
                event=event.id,
                of=component,
            )
        if filed_on is None:
            findings.append(note(p, "contract_mismatch", because, event=event.id, deadline=deadline, of=component))
    return Outcome(obligations=tuple(obligations.values()), findings=tuple(findings))


def _others(view: View, event: Event) -> str:
    """With whom the contracts in force at a pumping were, if none was with who pumped; the owner's own work is none."""
    if not event.is_pumping or event.baseline or not event.license_number:
        return ""
    if event.credential_kind == "registered_owner":
        return ""
    day = event.service_date
    before = [c for c in view.system.contracts or () if _in_force(c, day) and (c.filed_on or day) <= day]
    named = {c.license_number for c in before}
    return "" if event.license_number in named else ", ".join(sorted(named))


def _filed_with(view: View, event: Event) -> dt.date | None:
    """The day on which a contract with who pumped came on file that did not end before the pumping."""
    days = [
        c.filed_on or c.from_on or event.service_date
        for c in _on_file(view)
        if c.license_number == event.license_number and (c.to_on is None or c.to_on >= event.service_date)
    ]
    return min((d for d in days if d <= view.as_of), default=None)


def _needed(view: View, p: Provision[ContractNeeded], component: Component) -> Outcome:
    if not _is_asked(view, p.act, component):
        return Outcome()
    fit = [c for c in _on_file(view) if not p.act.kinds or c.kind in p.act.kinds or not c.kind]
    if any(_in_force(c, view.as_of) for c in fit):
        return Outcome()
    ended = max((c.to_on for c in fit if c.to_on and c.to_on < view.as_of), default=None)
    if ended:
        return Outcome(findings=(note(p, "contract_expired", f"the contract on file ended {ended}", of=component),))
    return Outcome(findings=(note(p, "contract_missing", "no contract on file", of=component),))


def _is_asked(view: View, act: ContractNeeded, component: Component) -> bool:
    if act.plan_within_months is None:
        return True
    main = view.system.main_tank
    if main is None or (component.kind, component.ref) != (main.kind, main.ref):
        return False
    months = [getattr(plan_of(view, component), name) for name in act.plan_months]
    return any(m is not None and m <= act.plan_within_months for m in months)
