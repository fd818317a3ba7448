"""What is to be said of a report by itself, before its history: late, not qualified, tampering, no access."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reporting.domain.reports import report_findings
from reporting.domain.view import View
from reporting.histories import Licences, scenario_of
from reporting.intake.places import Known
from reporting.scenario import read_history, read_system, show_finding
from reporting.store.facts import StoredHistory
from schemas.program import Program

_OUTSIDE = StoredHistory(
    system_id="", system=None, components=(), owner=None, designations=(), contracts=(), facts={}, events=()
)


def own_findings(
    program: Program, known: Known | None, event: Mapping[str, Any], licences: Licences, today: dt.date
) -> tuple[dict[str, object], ...]:
    """The findings of one event row (as it is stored) on the day of its receipt, as contract.md's `findings`.

    known: its system; None where that is not certain or not in the inventory.
    """
    alone = replace(_OUTSIDE, components=() if known else _said(event), events=[event])
    if known:
        held = known.stored
        alone = replace(alone, owner=held.owner, designations=held.designations, contracts=held.contracts)
    scenario = scenario_of(alone, program.slug, licences, as_of=today)
    system = known.system if known else read_system(scenario["system"])
    view = View(program=program, system=system, history=read_history(scenario), as_of=today, known_at=None)
    return tuple(show_finding(f) for e in view.reports for f in report_findings(view, e))


def _said(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The component that the report itself names."""
    if not event["component"]:
        return []
    return [{"component": event["component"], "component_ref": event["component_ref"], "content": {}}]
