"""Scenarios: the JSON that `pumper evaluate` reads and answers (contract.md), to and from the domain's values."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from reporting.domain.answers import OPEN_STATES, Assessment, Finding, Obligation, State
from reporting.domain.assess import assess
from reporting.domain.records import (
    Case,
    Component,
    Contract,
    Event,
    ExemptionGrant,
    History,
    Meter,
    OwnerNotice,
    Plan,
    Statement,
    System,
)
from schemas.loader import shipped_program
from schemas.program import Program

Json = Mapping[str, Any]


class ScenarioError(Exception):
    """A scenario cannot be read. The message names the key and says what is expected."""


def evaluate(scenario: object, *, show_met: bool = False, today: dt.date | None = None) -> dict[str, object]:
    """One scenario's answer as plain JSON values. `today` is the day judged where the scenario names none. Raises ScenarioError."""
    if not isinstance(scenario, Mapping):
        raise ScenarioError("a scenario is a JSON object with county, as_of, system and events")
    county = _text(scenario, "county")
    try:
        program = shipped_program(county)
    except KeyError:
        raise ScenarioError(f"county: there is no program {county!r}") from None
    program, ignored = _with_settings(program, _object(scenario, "settings"))
    as_of = _day(scenario, "as_of") or today
    if as_of is None:
        raise ScenarioError("as_of: give the day judged as YYYY-MM-DD")
    system = read_system(_object(scenario, "system"))
    answer = assess(system, read_history(scenario), program, as_of, _instant(scenario, "known_at"))
    shown = show(answer, show_met=show_met)
    if ignored:
        shown["ignored_settings"] = ignored
    return {"county": county, **shown}


def _with_settings(program: Program, values: Json) -> tuple[Program, list[str]]:
    """The program under a county's own values; names that it does not know are given back."""
    known = {n: _setting_value(program, n, v) for n, v in values.items() if n in program.settings and v is not None}
    return program.with_settings(known), sorted(n for n in values if n not in program.settings)


def _setting_value(program: Program, name: str, value: object) -> object:
    if isinstance(value, str) and (isinstance(program.settings[name].value, dt.date) or name.endswith("_from")):
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            return value
    if name == "closed_days" and isinstance(value, Sequence) and not isinstance(value, str):
        return [dt.date.fromisoformat(str(v)) for v in value]
    return value


def read_system(raw: Json) -> System:
    """The system of a scenario. Absent keys are unknown, not false or none."""
    components = _components(raw)
    exemption = raw.get("exemption")
    grants = exemption if isinstance(exemption, list) else [exemption] if exemption else []
    return System(
        components=components,
        use=_text(raw, "use", "year_round"),
        building=_text(raw, "building", "dwelling"),
        status=_text(raw, "status", "active"),
        status_since=_day(raw, "status_since"),
        permit_issued_on=_day(raw, "permit_issued_on"),
        installed_on=_day(raw, "installed_on"),
        occupied_on=_day(raw, "occupied_on"),
        assigned_due_on=_day(raw, "assigned_due_on"),
        sewer_available_on=_day(raw, "sewer_available_on"),
        design_flow_gpd=_whole(raw, "design_flow_gpd"),
        service_area=_whole(raw, "service_area"),
        plan=_plan(raw),
        flags=tuple(str(f) for f in raw.get("flags") or ()),
        season_from=_month_day(raw, "season_from"),
        season_to=_month_day(raw, "season_to"),
        designated_contractor=_text(raw, "designated_contractor", ""),
        designation_known="designated_contractor" in raw,
        contracts=tuple(_contract(c) for c in raw["contracts"]) if raw.get("contracts") is not None else None,
        exemptions=tuple(g for g in (_grant(e) for e in grants) if g),
        cases=tuple(_case(c) for c in raw.get("cases") or ()),
    )


def _components(raw: Json) -> tuple[Component, ...]:
    given = raw.get("components")
    kind = _text(raw, "kind", "")
    if not given:
        return (_component({**raw, "kind": kind or "septic", "ref": ""}),)
    found = [_component({"kind": c} if isinstance(c, str) else c, raw) for c in given]
    if kind and not any(c.kind == kind for c in found):
        found.insert(0, _component({**raw, "kind": kind, "ref": ""}))
    return tuple(found)


def _component(raw: Json, system: Json | None = None) -> Component:
    kind = raw.get("component") or raw.get("kind")
    if not isinstance(kind, str):
        raise ScenarioError("system.components: each is a name or an object with its kind")
    inherit = system if system is not None and system.get("kind") == kind else {}
    both = {**{k: inherit[k] for k in ("capacity_gallons", "meter") if k in inherit}, **raw}
    meter = _object(both, "meter")
    return Component(
        kind=kind,
        ref=_text(both, "component_ref", "") or _text(both, "ref", ""),
        capacity_gallons=_whole(both, "capacity_gallons"),
        plan=_plan(raw) if system is not None else None,
        meter=Meter(unit=_text(meter, "unit", "gal"), digits=_whole(meter, "digits"), serial=_text(meter, "serial", ""))
        if meter
        else None,
        status=_text(raw, "status", "active") if system is not None else "active",
    )


def _plan(raw: Json) -> Plan | None:
    plan = raw.get("plan")
    if not isinstance(plan, Mapping):
        return None
    return Plan(
        pump_months=_whole(plan, "pump_months"),
        inspect_months=_whole(plan, "inspect_months"),
        dispersal_months=_whole(plan, "dispersal_months"),
    )


def _contract(raw: Json) -> Contract:
    return Contract(
        license_number=_text(raw, "license_number", ""),
        from_on=_day(raw, "from"),
        to_on=_day(raw, "to"),
        filed_on=_day(raw, "filed_on"),
        kind=_text(raw, "kind", ""),
    )


def _grant(raw: Json) -> ExemptionGrant | None:
    granted = _day(raw, "granted_on")
    return (
        ExemptionGrant(kind=_text(raw, "kind", ""), granted_on=granted, ends_on=_day(raw, "ends_on"))
        if granted
        else None
    )


def _case(raw: Json) -> Case:
    names = [k for k in raw if k.endswith("_on") and k != "due_on" and raw[k]]
    dates = {name: day for name in names if (day := _day(raw, name)) is not None}
    return Case(kind=_text(raw, "kind"), dates=dates, due_on=_day(raw, "due_on"), id=_text(raw, "id", ""))


def read_history(raw: Json) -> History:
    """The events, notices and statements of a scenario."""
    events = [read_event(e, f"E{i}") for i, e in enumerate(raw.get("events") or (), 1)]
    notices = [
        OwnerNotice(on=on, kind=_text(n, "kind"), license_number=_text(n, "license_number", ""))
        for n in raw.get("owner_notices") or ()
        if (on := _day(n, "on"))
    ]
    return History(
        events=tuple(events),
        owner_notices=tuple(sorted(notices, key=lambda n: n.on)),
        statements=tuple(s for s in (_statement(s) for s in raw.get("statements") or ()) if s),
    )


def _statement(raw: Json) -> Statement | None:
    received = _day(raw, "received_on")
    kind = _text(raw, "kind", "certification" if "certif" in _text(raw, "reason", "").lower() else "no_service")
    return (
        Statement(period=_text(raw, "period", ""), received_on=received, reason=_text(raw, "reason", ""), kind=kind)
        if received
        else None
    )


def read_event(raw: Json, default_id: str) -> Event:
    """One event of a scenario. Raises ScenarioError where it has no date."""
    service_date = _day(raw, "service_date")
    if service_date is None:
        raise ScenarioError(f"events: {raw.get('id', default_id)}: service_date: give the day of service as YYYY-MM-DD")
    defects = raw.get("defects") or ()
    return Event(
        id=_text(raw, "id", default_id),
        event_type=_text(raw, "event_type"),
        service_date=service_date,
        received_at=_instant(raw, "received_on") or _instant(raw, "received_at"),
        component=_text(raw, "component", ""),
        component_ref=_text(raw, "component_ref", ""),
        credential_kind=_text(raw, "credential_kind", ""),
        credential_expires_on=_day(raw, "credential_expires_on"),
        license_number=_text(raw, "license_number", ""),
        inspector_credential_kind=_text(raw, "inspector_credential_kind", ""),
        gallons_pumped=_whole(raw, "gallons_pumped"),
        partial=bool(raw.get("partial")),
        sludge_scum_fraction=_number(raw, "sludge_scum_fraction"),
        tank_condition=_text(raw, "tank_condition", ""),
        ponding=_text(raw, "ponding", ""),
        meter_reading=_number(raw, "meter_reading"),
        meter_unit=_text(raw, "meter_unit", ""),
        meter_serial=_text(raw, "meter_serial", ""),
        meter_estimated=bool(raw.get("meter_estimated")),
        defects=(defects,) if isinstance(defects, str) else tuple(str(d) for d in defects),
        defects_corrected_on=_day(raw, "defects_corrected_on"),
        not_pumped_reason=_text(raw, "not_pumped_reason", ""),
        next_pump_date=_day(raw, "next_pump_date"),
        failure_condition=_text(raw, "failure_condition", ""),
        surface_discharge=bool(raw.get("surface_discharge")),
        tampering=bool(raw.get("tampering")),
        no_access=bool(raw.get("no_access")),
        sent_on=_day(raw, "sent_on"),
        submitter=_text(raw, "submitter", ""),
        supersedes=_text(raw, "supersedes", ""),
        voided=bool(raw.get("voided") or raw.get("voided_at")),
        voided_at=_instant(raw, "voided_at"),
        historical=bool(raw.get("historical")),
    )


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
        },
        "next_change_on": _iso(answer.next_change_on),
    }


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


def _text(raw: Json, key: str, default: str | None = None) -> str:
    value = raw.get(key)
    if value is None or value == "":
        if default is None:
            raise ScenarioError(f"{key}: is missing")
        return default
    if not isinstance(value, str):
        raise ScenarioError(f"{key}: expected a text, got {json.dumps(value)[:60]}")
    return value


def _object(raw: Json, key: str) -> Json:
    value = raw.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ScenarioError(f"{key}: expected an object")
    return value


def _parsed(raw: Json, key: str, parse: Callable[[str], Any], expected: str) -> Any:
    value = raw.get(key)
    if value is None or value == "":
        return None
    try:
        return parse(value)
    except (ValueError, TypeError, OverflowError):
        raise ScenarioError(f"{key}: expected {expected}, got {json.dumps(value, default=str)[:60]}") from None


def _day(raw: Json, key: str) -> dt.date | None:
    found = _parsed(
        raw,
        key,
        lambda v: dt.date.fromisoformat(v[:10]) if len(v) >= 10 and v[4] == "-" else dt.date.fromisoformat("bad"),
        "a date as YYYY-MM-DD",
    )
    return found if isinstance(found, dt.date) else None


def _instant(raw: Json, key: str) -> dt.datetime | None:
    found = _parsed(raw, key, dt.datetime.fromisoformat, "an instant such as 2026-07-13T14:05:00-05:00")
    if not isinstance(found, dt.datetime):
        return None
    if found.tzinfo is None:
        raise ScenarioError(f"{key}: say which time zone, such as 2026-07-13T14:05:00-05:00")
    return found


def _month_day(raw: Json, key: str) -> tuple[int, int] | None:
    def parse(value: str) -> tuple[int, int]:
        day = dt.date.fromisoformat(f"2000-{value[-5:]}")
        return day.month, day.day

    found = _parsed(raw, key, parse, "a day of the year as MM-DD")
    return found if isinstance(found, tuple) else None


def _whole(raw: Json, key: str) -> int | None:
    def parse(value: Any) -> int:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError(value)
        return int(value)

    found = _parsed(raw, key, parse, "a whole number")
    return found if isinstance(found, int) else None


def _number(raw: Json, key: str) -> Fraction | None:
    def parse(value: Any) -> Fraction:
        if isinstance(value, bool):
            raise TypeError(value)
        return Fraction(str(value))

    found = _parsed(raw, key, parse, "a number")
    return found if isinstance(found, Fraction) else None
