"""A domain event to be, and what the events of one system say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from reporting.domain.answers import Assessment, Finding, Obligation
from reporting.store.facts import StoredHistory
from schemas.acts import YearlyService
from schemas.program import Program

SERVICE: Final = ("pump", "inspect_tank", "pump_or_inspect", "pump_and_inspect", "inspect_dispersal", "area_pumping")
HOLDING: Final = "service_holding"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A domain event to be. `cause_key` is its identity in the county: the same cause is never told twice.

    Its parts: what is told, system, component, the duty's kind and rule, the cycle, and the stage where there are
    several. The due date is not in it: a duty that moves its day is not told again. system: '' for one of none.
    """

    kind: str
    cause_key: str
    system: str
    content: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Told:
    """Who and what the events of one system name.

    contractor_license: of the designated contractor, as on file; contractor_id: its business, where it is known.
    first_versions: event → the first version of the report that it corrects.
    """

    stored: StoredHistory
    contractor_license: str | None
    contractor_id: str | None
    first_versions: Mapping[str, str]


def is_service(o: Obligation, assessment: Assessment, program: Program) -> bool:
    """Whether a duty is one of service on a day of its own: also the yearly one of a holding tank, no forecast."""
    if o.kind in SERVICE:
        return True
    return o.kind == HOLDING and o.rule in {p.id for p in program.at(assessment.as_of).of(YearlyService)}


def is_before(day: date, start: date | None) -> bool:
    """Whether a day lies before the county went live."""
    return start is not None and day < start


def days_of(program: Program, setting: str) -> tuple[int, ...]:
    """The days that a setting lists, each once, the fewest first."""
    return tuple(sorted({int(day) for day in program.sheet(setting)}))


def after(day: date, days: int) -> date:
    """So many days later; the last day there is, where the calendar ends before."""
    return day + timedelta(days=days) if days <= (date.max - day).days else date.max


def before(day: date, days: int) -> date:
    """So many days earlier; the first day there is, where the calendar begins after."""
    return day - timedelta(days=days) if days <= (day - date.min).days else date.min


def of_duty(kind: str, cause_key: str, o: Obligation, told: Told, **more: Any) -> Cause:
    """The event that a duty gives, with all that its notices are written from."""
    content = {
        **place(told),
        "component": o.component,
        "component_ref": o.component_ref,
        "obligation": o.kind,
        "state": o.state.value,
        "rule": o.rule,
        "cite": o.cite,
        "because": o.because,
        "duty_of": o.duty_of,
        "due_on": o.due_on.isoformat(),
        "last_day": o.last_day.isoformat(),
        **designated(told),
        **more,
    }
    return Cause(kind=kind, cause_key=cause_key, system=told.stored.system_id, content=content)


def of_finding(f: Finding) -> dict[str, Any]:
    """What a finding says of its tank, rule and days."""
    days = {"due_on": f.due_on, "last_day": f.last_day}
    return {
        "component": f.component,
        "component_ref": f.component_ref,
        "rule": f.rule,
        "cite": f.cite,
        "because": f.because,
        **{name: day.isoformat() for name, day in days.items() if day},
    }


def place(told: Told) -> dict[str, Any]:
    """Which system it is, in the inventory's words."""
    row = told.stored.system or {}
    names = ("permit_number", "parcel_number", "site_address", "municipality")
    return {"system": told.stored.system_id, **{name: row.get(name) for name in names}}


def designated(told: Told) -> dict[str, str]:
    """The contractor whom the owner named."""
    named = {"contractor_license": told.contractor_license, "contractor_id": told.contractor_id}
    return {name: value for name, value in named.items() if value}


def duty_key(told: Told, o: Obligation) -> str:
    """What names a duty: system, component, kind, rule, cycle."""
    return f"{tank_key(told, o)}:{o.kind}:{o.rule}:{o.cycle}"


def tank_key(told: Told, o: Obligation) -> str:
    """What names the tank of a duty."""
    return f"{told.stored.system_id}:{o.component}:{o.component_ref}"


def first_after(days: Iterable[date], today: date) -> date | None:
    """The first of some days that is still to come."""
    return min((day for day in days if day > today), default=None)
