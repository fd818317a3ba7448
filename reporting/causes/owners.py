"""What owners are told of their duties: reminders before a service is due, and that a service or report is overdue."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from reporting.causes.records import Cause, Told, after, before, days_of, duty_key, is_before, is_service, of_duty
from reporting.domain.answers import Assessment, Obligation, State
from schemas.program import Program

PAPERS: Final = ("missing_report", "period_report")
AHEAD: Final = (State.UPCOMING, State.DUE_SOON)
NOTICED: Final = ("area_pumping",)
"""Duties of which a notice of law tells the owner beforehand: they are not reminded of beside it."""


def reminders(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """Each stage that has been reached before a service's due date (setting `notice_lead_days`), the earliest first.

    Whoever picks them up tells the latest one only: after an outage nobody is reminded twice in a day.
    """
    for o in _to_come(assessment, program):
        for stage, day in enumerate(_reminded_on(o, program), start=1):
            if assessment.as_of >= day:
                yield of_duty("owner_reminder", f"remind:{duty_key(told, o)}:{stage}", o, told, stage=stage)


def delinquencies(assessment: Assessment, program: Program, told: Told) -> Iterator[Cause]:
    """Services and reports past their last day, of which the county notifies the owner, SPS 383.255(2)(b)4.

    Stages by `delinquent_notice_days`. Reports that were missing before the county went live are none of them.
    """
    for o in _delinquent(assessment, program):
        for stage, day in enumerate(_notified_on(o, program), start=1):
            if assessment.as_of >= day:
                yield of_duty("delinquent_owner", f"delinquent:{duty_key(told, o)}:{stage}", o, told, stage=stage)


def stage_days(assessment: Assessment, program: Program) -> Iterator[date]:
    """The days on which an owner is told something, though the answer stays the same."""
    for o in _to_come(assessment, program):
        yield from _reminded_on(o, program)
    for o in _delinquent(assessment, program):
        yield from _notified_on(o, program)


def _reminded_on(o: Obligation, program: Program) -> list[date]:
    return [before(o.due_on, days) for days in reversed(days_of(program, "notice_lead_days"))]


def _notified_on(o: Obligation, program: Program) -> list[date]:
    return [after(o.last_day, days) for days in days_of(program, "delinquent_notice_days")]


def _to_come(assessment: Assessment, program: Program) -> Iterator[Obligation]:
    for o in assessment.obligations:
        if o.state in AHEAD and o.duty_of == "owner" and o.kind not in NOTICED and is_service(o, assessment, program):
            yield o


def _delinquent(assessment: Assessment, program: Program) -> Iterator[Obligation]:
    live_from = program.day("live_from")
    for o in assessment.obligations:
        if o.state is not State.OVERDUE:
            continue
        paper = o.kind in PAPERS and not is_before(o.last_day, live_from)
        if paper or (o.duty_of == "owner" and is_service(o, assessment, program)):
            yield o
