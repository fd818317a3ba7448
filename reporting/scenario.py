"""Scenarios: the JSON that `pumper evaluate` reads and answers (contract.md), to and from the domain's values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from fractions import Fraction

from reporting.domain.answers import OPEN_STATES, Assessment, Finding, Obligation, Remark, State
from reporting.domain.assess import assess
from reporting.scenario_facts.dealings import read_dealings
from reporting.scenario_facts.histories import read_event as read_event
from reporting.scenario_facts.histories import read_history as read_history
from reporting.scenario_facts.reading import within
from reporting.scenario_facts.systems import read_system as read_system
from reporting.scenario_keys import EVENT_KEYS, SYSTEM_KEYS, TOP_KEYS
from reporting.values import Json, items, object_of, read_day, read_instant, read_text
from reporting.values import ScenarioError as ScenarioError
from schemas.loader import shipped_program
from schemas.program import Program
from schemas.settings import SettingError

END_OF_DAY = dt.time(23, 59, 59)


def evaluate(
    scenario: object, *, show_met: bool = False, today: dt.date | None = None, program: Program | None = None
) -> dict[str, object]:
    """One scenario's answer as plain JSON values. `today` is the day judged where the scenario names none.

    program: in place of the one of the scenario's county.

    Keys that nobody knows are not refused: the answer lists them under `ignored`. Raises ScenarioError.
    """
    if not isinstance(scenario, Mapping):
        raise ScenarioError("scenario", "expected a JSON object with county, as_of, system and events")
    county = read_text(scenario, "county")
    try:
        program = program or shipped_program(county)
    except KeyError:
        raise ScenarioError("county", f"there is no program {county!r}") from None
    program, unknown = _with_settings(program, object_of(scenario, "settings"))
    as_of = read_day(scenario, "as_of") or today
    if as_of is None:
        raise ScenarioError("as_of", "give the day judged as YYYY-MM-DD")
    known_at = read_instant(scenario, "known_at", END_OF_DAY)
    system = within("system", read_system, object_of(scenario, "system"))
    answer = assess(system, read_history(scenario), program, as_of, known_at, include_met=show_met)
    shown = show(answer, show_met=show_met)
    ignored = [*_unknown_keys(scenario), *unknown]
    return {"county": county, **shown, **({"ignored": ignored} if ignored else {})}


def _unknown_keys(scenario: Json) -> Iterator[str]:
    yield from (k for k in scenario if k not in TOP_KEYS)
    yield from (f"system.{k}" for k in object_of(scenario, "system") if k not in SYSTEM_KEYS)
    for i, event in enumerate(items(scenario, "events")):
        yield from (f"events[{i}].{k}" for k in event if k not in EVENT_KEYS)
    yield from read_dealings(scenario)[1]


def _with_settings(program: Program, values: Json) -> tuple[Program, list[str]]:
    """The program under a county's own values; names that it does not know are given back."""
    known: dict[str, object] = {}
    for name, value in values.items():
        if name in program.settings and value is not None:
            try:
                known[name] = program.settings[name].read(value)
            except SettingError as error:
                raise ScenarioError(f"settings.{name}", str(error)) from error
    return program.with_settings(known), [f"settings.{n}" for n in values if n not in program.settings]


def show(answer: Assessment, *, show_met: bool = False) -> dict[str, object]:
    """An assessment as plain JSON values, in the order people read: what is late first."""
    shown = [o for o in answer.obligations if o.state in (*OPEN_STATES, State.SUSPENDED) or show_met]
    shown.sort(key=lambda o: (o.state is State.MET, o.last_day, o.kind))
    needs, ahead = answer.needs_service, answer.forecast
    return {
        "as_of": answer.as_of.isoformat(),
        "standing": answer.standing.value,
        "obligations": [show_obligation(o) for o in shown],
        "findings": [show_finding(f) for f in answer.findings],
        "needs_service": {"value": needs.value, "on": _iso(needs.on), "because": needs.because or None},
        "forecast": {
            "full_on": _iso(ahead.full_on),
            "gallons_per_day": _rounded(ahead.gallons_per_day),
            "filled_gallons": _rounded(ahead.filled_gallons),
            "earliest_on": _iso(ahead.earliest_on),
            "latest_on": _iso(ahead.latest_on),
        },
        "next_change_on": _iso(answer.next_change_on),
        **{name: show_remark(remark) for name, remark in answer.remarks.items()},
    }


def show_remark(r: Remark) -> dict[str, object]:
    """What a rule makes of the system as plain JSON values."""
    return {"value": r.value, "rule": r.rule, "cite": r.cite, "because": r.because or None}


def show_obligation(o: Obligation) -> dict[str, object]:
    """One obligation as plain JSON values; keys that say nothing are left out."""
    always = {
        "kind": o.kind,
        "component": o.component or None,
        "due_on": _iso(o.due_on),
        "last_day": _iso(o.last_day),
        "state": o.state.value,
        "days_late": o.days_late,
    }
    always |= {"rule": o.rule, "cite": o.cite, "because": o.because, "duty_of": o.duty_of}
    sometimes = {
        "component_ref": o.component_ref,
        "event": o.event,
        "period": o.period,
        "met_on": _iso(o.met_on),
        "suspended_because": o.suspended_because,
    }
    return {**always, **{k: v for k, v in sometimes.items() if v}}


def show_finding(f: Finding) -> dict[str, object]:
    """One finding as plain JSON values; keys that say nothing are left out."""
    sometimes = {
        "event": f.event,
        "component": f.component,
        "component_ref": f.component_ref,
        "due_on": _iso(f.due_on),
        "last_day": _iso(f.last_day),
        "period": f.period,
        "amount": _rounded(f.amount),
        "duty_of": f.duty_of,
    }
    return {
        "kind": f.kind,
        **{k: v for k, v in sometimes.items() if v},
        "rule": f.rule,
        "cite": f.cite,
        "because": f.because,
    }


def _iso(day: dt.date | None) -> str | None:
    return day.isoformat() if day else None


def _rounded(value: Fraction | None) -> float | int | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), 3)
