"""What the assessment answers: obligations, findings, the forecast and the standing, with rule, citation, reason."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from reporting.domain.records import Component
from schemas.acts import Act
from schemas.calendar import Deadline, add_days
from schemas.program import Provision


class State(StrEnum):
    """The state of an obligation on the day judged."""

    MET = "met"
    UPCOMING = "upcoming"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"
    SUSPENDED = "suspended"


class Standing(StrEnum):
    """The standing of a system on the day judged."""

    COMPLIANT = "compliant"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"
    VIOLATION = "violation"
    EXEMPT = "exempt"
    UNKNOWN = "unknown"
    INACTIVE = "inactive"


OPEN_STATES = (State.UPCOMING, State.DUE_SOON, State.OVERDUE)


@dataclass(frozen=True, kw_only=True)
class Obligation:
    """One duty: what, by when (`due_on` as counted, `last_day` after the roll), whose, by which rule, and why.

    `cycle`: what opened it (the last service, the installation, a notice, a period, a case): with kind, rule and
    component it names the duty, and stays the same when the date moves. `changes_on`: the days after the one judged on
    which its state changes by itself.
    """

    kind: str
    due_on: dt.date
    last_day: dt.date
    state: State
    rule: str
    cite: str
    because: str
    duty_of: str
    cycle: str
    component: str = ""
    component_ref: str = ""
    days_late: int = 0
    event: str = ""
    period: str = ""
    met_on: dt.date | None = None
    suspended_because: str = ""
    changes_on: tuple[dt.date, ...] = ()

    @property
    def is_of_case(self) -> bool:
        """Whether a case or an order of the county's opened it: past its date it is a violation."""
        return self.cycle.startswith("case:")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing noted about a report or a system. Findings never change the standing.

    `amount`: dollars, of a fee. `duty_of`: of a late report, whose duty it was to file it.
    """

    kind: str
    rule: str
    cite: str
    because: str
    event: str = ""
    component: str = ""
    component_ref: str = ""
    due_on: dt.date | None = None
    last_day: dt.date | None = None
    period: str = ""
    amount: Fraction | None = None
    duty_of: str = ""


@dataclass(frozen=True, kw_only=True)
class NeedsService:
    """Whether a holding tank needs service now, since or from when, and why."""

    value: bool = False
    on: dt.date | None = None
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """When a metered holding tank reaches its service level, and by which use.

    `earliest_on`, `latest_on`: when it would by the highest and by the lowest use that is to be expected;
    `cautious_on`: by the last interval's, where that is above the average.
    """

    full_on: dt.date | None = None
    gallons_per_day: Fraction | None = None
    filled_gallons: Fraction | None = None
    cautious_on: dt.date | None = None
    earliest_on: dt.date | None = None
    latest_on: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One thing that a rule makes of the system as a whole: its value, by which rule, and why."""

    value: str | int | bool
    rule: str
    cite: str
    because: str


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """A day to come that people are told of before: a contract or certificate ends, a window opens. It is no duty.

    kind: `contract`, `exemption`, `window` (of pumping), `area` (the notice to holding tanks of their area). `cycle`:
    which contract, certificate or window. `until`: the window's last day; `mail_by`: the last day on which its notice
    can be mailed to be received in time. `licence`: with whom the contract is.
    """

    kind: str
    on: dt.date
    rule: str
    cite: str
    because: str
    duty_of: str
    cycle: str
    component: str = ""
    component_ref: str = ""
    until: dt.date | None = None
    mail_by: dt.date | None = None
    licence: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one part of the assessment contributes. `changes_on`: days on which it will answer otherwise by itself."""

    obligations: tuple[Obligation, ...] = ()
    findings: tuple[Finding, ...] = ()
    changes_on: tuple[dt.date, ...] = ()
    unknown: bool = False


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """The whole answer for one system on one day. `next_change_on`: the first day on which it changes by itself.

    `remarks`: what rules make of the system as a whole, by name (`service_year`, `size_class`, `permit_hold`).
    `ahead`: what people are told of before it comes, whatever the standing.
    """

    as_of: dt.date
    standing: Standing
    obligations: tuple[Obligation, ...]
    findings: tuple[Finding, ...]
    needs_service: NeedsService
    forecast: Forecast
    next_change_on: dt.date | None
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    ahead: tuple[Ahead, ...] = ()


def judge(as_of: dt.date, deadline: Deadline, lead_days: int) -> tuple[State, int, tuple[dt.date, ...]]:
    """The state on `as_of`, the days late, and the later days on which the state changes by itself."""
    soon = add_days(deadline.due_on, -lead_days)
    late = add_days(deadline.last_day, 1) if deadline.last_day < dt.date.max else None
    changes = tuple(d for d in (soon, late) if d is not None and d > as_of)
    if as_of > deadline.last_day:
        return State.OVERDUE, (as_of - deadline.last_day).days, changes
    return (State.DUE_SOON if as_of >= soon else State.UPCOMING), 0, changes


def oblige(
    provision: Provision[Act],
    kind: str,
    deadline: Deadline,
    *,
    as_of: dt.date,
    lead_days: int,
    because: str,
    cycle: str,
    of: Component | None = None,
    event: str = "",
    period: str = "",
    met_on: dt.date | None = None,
) -> Obligation:
    """The obligation that a provision sets for a component (`of`), judged on `as_of`; met when `met_on` is given."""
    state, late, changes = (State.MET, 0, ()) if met_on is not None else judge(as_of, deadline, lead_days)
    return Obligation(
        kind=kind,
        due_on=deadline.due_on,
        last_day=deadline.last_day,
        state=state,
        days_late=late,
        rule=provision.id,
        cite=provision.cite,
        because=because,
        duty_of=provision.duty_of,
        cycle=cycle,
        component=of.kind if of else "",
        component_ref=of.ref if of else "",
        event=event,
        period=period,
        met_on=met_on,
        changes_on=changes,
    )


def note(
    provision: Provision[Act],
    kind: str,
    because: str,
    *,
    event: str = "",
    of: Component | None = None,
    deadline: Deadline | None = None,
    period: str = "",
    amount: Fraction | None = None,
    duty_of: str = "",
) -> Finding:
    """The finding that a provision asks for."""
    return Finding(
        kind=kind,
        rule=provision.id,
        cite=provision.cite,
        because=because,
        event=event,
        component=of.kind if of else "",
        component_ref=of.ref if of else "",
        due_on=deadline.due_on if deadline else None,
        last_day=deadline.last_day if deadline else None,
        period=period,
        amount=amount,
        duty_of=duty_of,
    )


def merge(outcomes: Iterable[Outcome]) -> Outcome:
    """Several outcomes as one, in their order."""
    parts = tuple(outcomes)
    return Outcome(
        obligations=tuple(o for p in parts for o in p.obligations),
        findings=tuple(f for p in parts for f in p.findings),
        changes_on=tuple(d for p in parts for d in p.changes_on),
        unknown=any(p.unknown for p in parts),
    )
