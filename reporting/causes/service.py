"""What contractors and the county are told: service due, holding tanks to be serviced, reports late and missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from reporting.causes.records import (
    HOLDING,
    Cause,
    Told,
    after,
    designated,
    duty_key,
    is_before,
    is_service,
    of_duty,
    of_finding,
    place,
    tank_key,
)
from reporting.domain.answers import Assessment, Finding, Obligation, State
from schemas.calendar import local_date
from schemas.program import Program

DUE: Final = (State.DUE_SOON, State.OVERDUE)


def due_service(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """Duties of service that have come due, and holding tanks that need service."""
    for o in assessment.obligations:
        if o.state in DUE and is_service(o, assessment, program):
            yield of_duty("service_due", f"due:{duty_key(told, o)}", o, told)
        if o.state in DUE and o.kind == HOLDING:
            yield of_duty("needs_service", f"needs:{tank_key(told, o)}:{o.cycle}", o, told)
    for f in assessment.findings:
        if f.kind == "pumping_gap" and assessment.needs_service.value:
            yield _gap(f, told)


def reports(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """Reports that are missing, asked for twice, and reports received late, told once: what is there is not asked for.

    Reports that were late or missing before the county went live are none of them: it went live without its backlog.
    """
    live_from = program.day("live_from")
    for o in assessment.obligations:
        if o.state is State.OVERDUE and o.kind == "missing_report" and not is_before(o.last_day, live_from):
            yield from _missing(o, program, told, assessment.as_of)
    for f in assessment.findings:
        if f.kind == "late_report" and (late := _late(f, program, told, live_from)):
            yield late


def stage_days(assessment: Assessment, program: Program) -> Iterator[date]:
    """The days on which a missing report is told of, though the answer stays the same."""
    for o in assessment.obligations:
        if o.kind == "missing_report" and o.state is State.OVERDUE:
            yield from _asked_on(o, program)


def _asked_on(o: Obligation, program: Program) -> tuple[date, date]:
    first = after(o.last_day, 1)
    return first, after(first, program.days("notice_repeat_days"))


def _missing(o: Obligation, program: Program, told: Told, today: date) -> Iterator[Cause]:
    for stage, day in enumerate(_asked_on(o, program), start=1):
        if today >= day:
            key = f"missing:{tank_key(told, o)}:{o.cycle}:{stage}"
            yield of_duty("missing_report", key, o, told, stage=stage)


def _gap(f: Finding, told: Told) -> Cause:
    """A holding tank that has gone far longer than usual: once for each pumping after which it did."""
    pumped = [row for row in told.stored.events if row["event_type"] in ("pumping", "pumping_and_inspection")]
    of_tank = [row for row in pumped if _is_of(row, f)]
    cycle = f"gap:{of_tank[-1]['id']}" if of_tank else "gap"
    key = f"needs:{told.stored.system_id}:{f.component}:{f.component_ref}:{cycle}"
    content = {**place(told), **of_finding(f), **designated(told)}
    return Cause(kind="needs_service", cause_key=key, system=told.stored.system_id, content=content)


def _is_of(row: Mapping[str, Any], f: Finding) -> bool:
    return row["component"] in ("", f.component) and row["component_ref"] in ("", f.component_ref)


def _late(f: Finding, program: Program, told: Told, live_from: date | None) -> Cause | None:
    """A late report's event; none for what was received before the county went live."""
    row = next((row for row in told.stored.events if row["id"] == f.event), None)
    if row is None or row["historical"]:
        return None
    received_on = local_date(row["first_received_at"], program.timezone)
    if is_before(received_on, live_from):
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
    content = {**place(told), **of_finding(f), **component, **{k: v for k, v in report.items() if v}}
    return Cause(kind="late_report", cause_key=key, system=told.stored.system_id, content=content)
