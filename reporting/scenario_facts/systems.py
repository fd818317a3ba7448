"""The system of a scenario: its components, plan, contracts, certificates, cases."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from reporting.domain.records import Case, Component, Contract, ExemptionGrant, Extension, Meter, Plan, System
from reporting.scenario_facts.reading import each_of, read_unit, read_words, within
from reporting.values import Json, ScenarioError, items, object_of, read_day, read_month_day, read_text, read_whole


def read_system(raw: Json) -> System:
    """The system of a scenario. Absent keys are unknown, not false or none. Raises ScenarioError."""
    one = raw.get("exemption")
    grants = each_of({"exemption": [one] if isinstance(one, Mapping) and one else one or None}, "exemption", _grant)
    return System(
        components=_components(raw),
        use=read_text(raw, "use", "year_round"),
        building=read_text(raw, "building", "dwelling"),
        status=read_text(raw, "status", "active"),
        status_since=read_day(raw, "status_since"),
        permit_issued_on=read_day(raw, "permit_issued_on"),
        installed_on=read_day(raw, "installed_on"),
        occupied_on=read_day(raw, "occupied_on"),
        assigned_due_on=read_day(raw, "assigned_due_on"),
        sewer_available_on=read_day(raw, "sewer_available_on"),
        design_flow_gpd=read_whole(raw, "design_flow_gpd"),
        service_area=read_whole(raw, "service_area"),
        agreement_recorded_on=read_day(raw, "agreement_recorded_on"),
        plan=_plan(raw),
        flags=read_words(raw, "flags"),
        season_from=read_month_day(raw, "season_from"),
        season_to=read_month_day(raw, "season_to"),
        designated_contractor=read_text(raw, "designated_contractor", ""),
        designation_known="designated_contractor" in raw,
        contracts=each_of(raw, "contracts", _contract) if raw.get("contracts") is not None else None,
        exemptions=(*grants, *each_of(raw, "exemptions", _grant)),
        cases=each_of(raw, "cases", _case),
    )


def _components(raw: Json) -> tuple[Component, ...]:
    given = raw.get("components") or ()
    kind = read_text(raw, "kind", "")
    own = {**{k: raw[k] for k in ("capacity_gallons", "meter", "component_ref") if k in raw}, "kind": kind or "septic"}
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ScenarioError("components", "expected a list of names or objects")
    found: list[Component] = []
    for i, each in enumerate(given):
        one = {"kind": each} if isinstance(each, str) else each
        if not isinstance(one, Mapping):
            raise ScenarioError(f"components[{i}]", "expected a name or an object")
        alone = sum((e if isinstance(e, str) else e.get("kind")) == kind for e in given) == 1
        inherited = own if kind and alone and kind in (one.get("kind"), one.get("component")) else {}
        found.append(within(f"components[{i}]", _component, {**inherited, **one}))
    if not found or (kind and not any(c.kind == kind for c in found)):
        found.insert(0, _component(own))
    return tuple(found)


def _component(raw: Json) -> Component:
    meter = object_of(raw, "meter")
    return Component(
        kind=read_text(raw, "component", "") or read_text(raw, "kind"),
        ref=read_text(raw, "component_ref", "") or read_text(raw, "ref", ""),
        capacity_gallons=read_whole(raw, "capacity_gallons"),
        plan=_plan(raw),
        meter=within("meter", _meter, meter) if meter else None,
        status=read_text(raw, "status", "active"),
    )


def _meter(raw: Json) -> Meter:
    unit = read_unit(raw, "unit")
    return Meter(unit=unit or "gal", digits=read_whole(raw, "digits"), serial=read_text(raw, "serial", ""))


def _plan(raw: Json) -> Plan | None:
    plan = object_of(raw, "plan")
    if not plan:
        return None
    months = ("pump_months", "inspect_months", "dispersal_months")
    return within("plan", lambda p: Plan(**{name: read_whole(p, name) for name in months}), plan)


def _contract(raw: Json) -> Contract:
    return Contract(
        license_number=read_text(raw, "license_number", ""),
        from_on=read_day(raw, "from"),
        to_on=read_day(raw, "to"),
        filed_on=read_day(raw, "filed_on"),
        kind=read_text(raw, "kind", ""),
    )


def _grant(raw: Json) -> ExemptionGrant:
    granted = read_day(raw, "granted_on")
    if granted is None:
        raise ScenarioError("granted_on", "is missing")
    return ExemptionGrant(kind=read_text(raw, "kind"), granted_on=granted, ends_on=read_day(raw, "ends_on"))


def _case(raw: Json) -> Case:
    names = [k for k in raw if k.endswith("_on") and k != "due_on"]
    dates = {name: day for name in names if (day := read_day(raw, name)) is not None}
    return Case(
        kind=read_text(raw, "kind"),
        dates=dates,
        due_on=read_day(raw, "due_on"),
        id=read_text(raw, "id", ""),
        not_taken=frozenset(name for name in names if raw[name] is None),
        extensions=each_of(raw, "extensions", _extension),
        waivers={read_text(one, "duty"): _needed_day(one, "on") for one in items(raw, "waivers")},
    )


def _extension(raw: Json) -> Extension:
    return Extension(duty=read_text(raw, "duty"), until=_needed_day(raw, "until"), on=_needed_day(raw, "on"))


def _needed_day(raw: Json, key: str) -> dt.date:
    day = read_day(raw, key)
    if day is None:
        raise ScenarioError(key, "is missing")
    return day
