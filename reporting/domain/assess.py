"""The heart: what is due, late and missing for one system on one day.

Pure: no clock, no database, the same answer for the same arguments.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reporting.domain.abandonment import assess_abandonment
from reporting.domain.answers import (
    Assessment,
    Finding,
    Forecast,
    NeedsService,
    Obligation,
    Outcome,
    Standing,
    State,
    merge,
)
from reporting.domain.areas import assess_areas, windows_ahead
from reporting.domain.cases import assess_cases, assess_system_dates
from reporting.domain.chains import known_history, known_system
from reporting.domain.contracts import assess_contracts, contract_ends
from reporting.domain.documents import assess_documents
from reporting.domain.exemptions import assess_exemptions, exemption_ends, pauses
from reporting.domain.fees import assess_fees
from reporting.domain.holding import Holding, assess_holding
from reporting.domain.intervals import assess_intervals
from reporting.domain.mail import assess_mail
from reporting.domain.missing import assess_missing_reports
from reporting.domain.onward import facts_ahead
from reporting.domain.periods import assess_periods
from reporting.domain.records import History, System
from reporting.domain.remarks import remarks_on
from reporting.domain.reports import assess_reports
from reporting.domain.turns import assess_turns
from reporting.domain.view import View
from schemas.program import Program

PAPER = ("period_report", "missing_report")
SERVICE_KINDS = ("pump", "inspect_tank", "pump_or_inspect", "pump_and_inspect", "inspect_dispersal")


def assess(
    system: System,
    history: History,
    program: Program,
    as_of: dt.date,
    known_at: dt.datetime | None = None,
    *,
    include_met: bool = True,
) -> Assessment:
    """Everything the law says of a system on `as_of`, from what had been recorded by `known_at` (None: all of it).

    `include_met`: the cycles of service already met are among the obligations; without them it is quicker.
    """
    if known_at is not None:
        system = known_system(system, known_at, program.timezone)
        history = known_history(history, known_at, program.timezone)
    view = View(program=program, system=system, history=history, as_of=as_of, known_at=known_at)
    return _assess(view, include_met=include_met)


def assess_both(
    system: System, history: History, old: Program, new: Program, as_of: dt.date
) -> tuple[Assessment, Assessment]:
    """The open duties and findings under two programs: the same as `assess` twice, and quicker."""
    view = View(program=old, system=system, history=history, as_of=as_of, known_at=None)
    return _assess(view, include_met=False), _assess(view.under(new), include_met=False)


def _assess(view: View, *, include_met: bool) -> Assessment:
    if not view.active_components:
        return _answer(view, Standing.INACTIVE, merge([assess_reports(view), assess_abandonment(view)]), ())
    paused = pauses(view)
    tanks = [assess_holding(view, c, paused) for c in view.active_components if c.kind == "holding"]
    parts = merge(
        [
            assess_intervals(view, paused, include_met=include_met),
            *(t.outcome for t in tanks),
            assess_reports(view),
            assess_abandonment(view),
            assess_missing_reports(view),
            assess_periods(view),
            assess_contracts(view),
            assess_exemptions(view),
            assess_cases(view),
            assess_system_dates(view),
            assess_areas(view, paused, include_met=include_met),
            assess_turns(view),
            assess_mail(view, paused, include_met=include_met),
            assess_documents(view),
            assess_fees(view),
        ]
    )
    ahead = (*contract_ends(view), *exemption_ends(view), *windows_ahead(view, paused))
    standing = _standing(parts, any(p.exempt and p.ended_on is None for p in paused))
    return replace(_answer(view, standing, parts, tanks), ahead=ahead)


def _answer(view: View, standing: Standing, parts: Outcome, tanks: Sequence[Holding]) -> Assessment:
    needs = [t.needs for t in tanks if t.needs.value]
    forecasts = [t.forecast for t in tanks if t.forecast.full_on] or [t.forecast for t in tanks]
    overdue = [_overdue(o) for o in parts.obligations if o.kind in SERVICE_KINDS and o.state is State.OVERDUE]
    return Assessment(
        as_of=view.as_of,
        standing=standing,
        obligations=parts.obligations,
        findings=(*parts.findings, *overdue),
        needs_service=min(needs, key=lambda n: n.on or dt.date.max) if needs else NeedsService(),
        forecast=min(forecasts, key=lambda f: f.full_on or dt.date.max) if forecasts else Forecast(),
        next_change_on=_next_change(view, parts),
        remarks=remarks_on(view, parts),
    )


def _overdue(o: Obligation) -> Finding:
    return Finding(
        kind="overdue_service",
        rule=o.rule,
        cite=o.cite,
        because=o.because,
        component=o.component,
        component_ref=o.component_ref,
        due_on=o.due_on,
        last_day=o.last_day,
    )


def _standing(parts: Outcome, exempt: bool) -> Standing:
    """The worst of what is open; papers (period and missing reports) and findings do not change it."""
    judged = [o for o in parts.obligations if o.kind not in PAPER]
    if any(o.is_of_case and o.state is State.OVERDUE for o in judged):
        return Standing.VIOLATION
    states = {o.state for o in judged}
    if State.OVERDUE in states:
        return Standing.OVERDUE
    if State.DUE_SOON in states:
        return Standing.DUE_SOON
    if parts.unknown and not exempt:
        return Standing.UNKNOWN
    return Standing.EXEMPT if exempt else Standing.COMPLIANT


def _next_change(view: View, parts: Outcome) -> dt.date | None:
    days: Iterable[dt.date] = (
        *parts.changes_on,
        *(d for o in parts.obligations for d in o.changes_on),
        *facts_ahead(view),
    )
    return min((d for d in days if d > view.as_of), default=None)
