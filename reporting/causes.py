"""What an assessment gives notifications to pick up: each cause once, by a key that names it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from reporting.domain.answers import Assessment, Finding, Obligation, State
from reporting.store.facts import StoredHistory
from schemas.acts import YearlyService
from schemas.calendar import local_date
from schemas.program import Program

SERVICE: Final = ("pump", "inspect_tank", "pump_or_inspect", "pump_and_inspect", "inspect_dispersal", "area_pumping")
HOLDING: Final = "service_holding"
DUE: Final = (State.DUE_SOON, State.OVERDUE)


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A domain event to be. `cause_key` is its identity in the county: the same cause is never told twice."""

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


def causes_of(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """The events of one system on the day judged; none before the county's `live_from`.

    What is due on and after that day is told, however long it has been overdue; reports that were late or missing
    before it are not: the county went live without its backlog. Suspended duties and those of a system that is no
    longer in use are none of them; a report is late all the same.
    """
    today, live_from = assessment.as_of, program.day("live_from")
    if live_from is not None and today < live_from:
        return
    yearly = {p.id for p in program.at(today).of(YearlyService)}
    for o in assessment.obligations:
        if o.state in DUE and (o.kind in SERVICE or (o.kind == HOLDING and o.rule in yearly)):
            yield _of_duty("service_due", f"due:{_tank(told, o)}:{o.kind}:{o.rule}:{o.cycle}", o, told)
        if o.state in DUE and o.kind == HOLDING:
            yield _of_duty("needs_service", f"needs:{_tank(told, o)}:{o.cycle}", o, told)
        is_backlog = live_from is not None and o.last_day < live_from
        if o.state is State.OVERDUE and o.kind == "missing_report" and not is_backlog:
            yield from _missing(o, told, today, program.days("notice_repeat_days"))
    for f in assessment.findings:
        if f.kind == "pumping_gap" and assessment.needs_service.value:
            yield _gap(f, told)
        if f.kind == "late_report" and (late := _late(f, program, told, live_from)):
            yield late


def next_stage_on(assessment: Assessment, program: Program) -> date | None:
    """The next day on which another stage of a missing report is to be told, though the answer stays the same."""
    repeat = timedelta(days=program.days("notice_repeat_days"))
    awaited = (o for o in assessment.obligations if o.kind == "missing_report" and o.state is State.OVERDUE)
    days = (o.last_day + timedelta(days=1) + repeat for o in awaited)
    return min((day for day in days if day > assessment.as_of), default=None)


def _missing(o: Obligation, told: Told, today: date, repeat_days: int) -> Iterator[Cause]:
    first = o.last_day + timedelta(days=1)
    for stage, day in ((1, first), (2, first + timedelta(days=repeat_days))):
        if today >= day:
            key = f"missing:{_tank(told, o)}:{o.cycle}:{stage}"
            yield _of_duty("missing_report", key, o, told, stage=stage)


def _of_duty(kind: str, cause_key: str, o: Obligation, told: Told, **more: Any) -> Cause:
    content = {
        **_place(told),
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
        **_designated(told),
        **more,
    }
    return Cause(kind=kind, cause_key=cause_key, system=told.stored.system_id, content=content)


def _gap(f: Finding, told: Told) -> Cause:
    """A holding tank that has gone far longer than usual: once for each pumping after which it did."""
    pumped = [row for row in told.stored.events if row["event_type"] in ("pumping", "pumping_and_inspection")]
    of_tank = [row for row in pumped if _is_of(row, f)]
    cycle = f"gap:{of_tank[-1]['id']}" if of_tank else "gap"
    key = f"needs:{told.stored.system_id}:{f.component}:{f.component_ref}:{cycle}"
    content = {**_place(told), **_of_finding(f), **_designated(told)}
    return Cause(kind="needs_service", cause_key=key, system=told.stored.system_id, content=content)


def _is_of(row: Mapping[str, Any], f: Finding) -> bool:
    return row["component"] in ("", f.component) and row["component_ref"] in ("", f.component_ref)


def _late(f: Finding, program: Program, told: Told, live_from: date | None) -> Cause | None:
    """A late report's event; none for what was received before the county went live."""
    row = next((row for row in told.stored.events if row["id"] == f.event), None)
    if row is None or row["historical"]:
        return None
    received_on = local_date(row["first_received_at"], program.timezone)
    if live_from is not None and received_on < live_from:
        return None
    key = f"late:{told.first_versions.get(row['id'], row['id'])}:{f.rule}"
    report = {
        "event": row["id"],
        "received_on": received_on.isoformat(),
        "service_date": row["service_date"].isoformat(),
        "report_ref": row["report_ref"],
        "contractor_id": row["contractor_id"],
        "contractor_license": row["license_number"],
    }
    component = {"component": f.component or row["component"], "component_ref": f.component_ref or row["component_ref"]}
    content = {**_place(told), **_of_finding(f), **component, **{k: v for k, v in report.items() if v}}
    return Cause(kind="late_report", cause_key=key, system=told.stored.system_id, content=content)


def _place(told: Told) -> dict[str, Any]:
    row = told.stored.system or {}
    names = ("permit_number", "parcel_number", "site_address", "municipality")
    return {"system": told.stored.system_id, **{name: row.get(name) for name in names}}


def _of_finding(f: Finding) -> dict[str, Any]:
    days = {"due_on": f.due_on, "last_day": f.last_day}
    return {
        "component": f.component,
        "component_ref": f.component_ref,
        "rule": f.rule,
        "cite": f.cite,
        "because": f.because,
        **{name: day.isoformat() for name, day in days.items() if day},
    }


def _designated(told: Told) -> dict[str, str]:
    named = {"contractor_license": told.contractor_license, "contractor_id": told.contractor_id}
    return {name: value for name, value in named.items() if value}


def _tank(told: Told, o: Obligation) -> str:
    return f"{told.stored.system_id}:{o.component}:{o.component_ref}"
