"""What a text of the ordinance asks of a component: which kind of service every how many months, in whose name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from reporting.domain.records import Component, Plan
from reporting.domain.view import View
from schemas.acts import Act, Group, PlanIntervals, ServiceInterval, YearlyService
from schemas.program import Provision, Text


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What one provision asks of one component."""

    kind: str
    months: int
    provision: Provision[Act]
    from_occupancy: bool = False
    inspection_below: Fraction | None = None
    defects_hold: bool = False
    only_contractor: str = ""
    until_window: bool = False


def asks(view: View, component: Component, text: Text) -> tuple[Ask, ...]:
    """All that a text asks of a component; the fallback only where nothing else comes back by itself."""
    found = (*_own(view, component, text), *_by_plan(view, component, text))
    if found or any(view.applies(p.act, component) for p in text.of(YearlyService)):
        return found
    fallbacks = (p for p in text.of(ServiceInterval) if p.act.fallback and view.applies(p.act, component))
    return tuple(Ask(kind=p.act.kind, months=p.act.months, provision=p) for p in fallbacks)


def _own(view: View, component: Component, text: Text) -> Iterator[Ask]:
    for p in text.of(ServiceInterval):
        a = p.act
        if a.fallback or not view.applies(a, component) or not in_group(view, a.group):
            continue
        yield Ask(
            kind=a.kind,
            months=a.months,
            provision=p,
            from_occupancy=a.from_occupancy,
            inspection_below=Fraction(a.inspection_below) if a.inspection_below else None,
            defects_hold=a.defects_hold,
            only_contractor=view.program.text_of(a.only_contractor_setting) if a.only_contractor_setting else "",
            until_window=a.until_window,
        )


def plan_of(view: View, component: Component) -> Plan:
    """The component's own management plan, else the system's; one with no months where none is on file."""
    for plan in (component.plan, view.system.plan):
        if plan is not None and plan.is_on_file:
            return plan
    return Plan()


def _by_plan(view: View, component: Component, text: Text) -> Iterator[Ask]:
    for p in text.of(PlanIntervals):
        if not view.applies(p.act, component) or not in_group(view, p.act.group):
            continue
        plan, hold = plan_of(view, component), p.act.defects_hold
        pump, inspect = plan.pump_months, plan.inspect_months
        if component.kind == "dispersal":
            months = plan.dispersal_months or p.act.months_without_plan
            yield Ask(kind="inspect_dispersal", months=months, provision=p, defects_hold=hold)
        elif pump and inspect:
            yield Ask(kind="pump", months=pump, provision=p, defects_hold=hold)
            yield Ask(kind="inspect_tank", months=inspect, provision=p, defects_hold=hold)
        elif pump:
            yield Ask(kind="pump_or_inspect", months=pump, provision=p, defects_hold=hold)
        elif inspect:
            yield Ask(kind="inspect_tank", months=inspect, provision=p, defects_hold=hold)
        else:
            named = next(q for q in text.of(ServiceInterval) if q.id == p.act.rule_without_plan)
            yield Ask(kind=named.act.kind, months=p.act.months_without_plan, provision=named, defects_hold=hold)


def plans_missing(view: View, component: Component) -> Iterator[Provision[PlanIntervals]]:
    """The provisions that want a management plan where none is on file; said once, of the main tank."""
    main = view.system.main_tank
    if main is None or (component.kind, component.ref) != (main.kind, main.ref):
        return
    for p in view.program.at(view.as_of).of(PlanIntervals):
        if view.applies(p.act, component) and in_group(view, p.act.group) and not plan_of(view, component).is_on_file:
            yield p


def in_group(view: View, group: Group | None) -> bool:
    """Existing: installed, or permit issued, before the day; new: neither. With no date at all a system is existing."""
    if group is None:
        return True
    border = group.before or group.on_or_after
    known = [d for d in (view.system.permit_issued_on, view.system.installed_on) if d is not None]
    existing = not known or any(d < border for d in known if border)
    return existing if group.before else not existing
