"""The facts of a scenario as the assessment reads them: system, reports, notices, statements, from JSON values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from reporting.domain.meters import GALLONS
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
from reporting.values import (
    Json,
    ScenarioError,
    is_true,
    items,
    object_of,
    read_day,
    read_instant,
    read_month_day,
    read_number,
    read_text,
    read_whole,
)

T = TypeVar("T")


def within(place: str, read: Callable[[Json], T], raw: Json) -> T:
    """What `read` makes of an object; a problem in it is told with its place."""
    try:
        return read(raw)
    except ScenarioError as problem:
        raise ScenarioError(f"{place}.{problem.key}", problem.said) from problem


def _each(raw: Json, key: str, read: Callable[[Json], T]) -> tuple[T, ...]:
    return tuple(within(f"{key}[{i}]", read, each) for i, each in enumerate(items(raw, key)))


def read_system(raw: Json) -> System:
    """The system of a scenario. Absent keys are unknown, not false or none. Raises ScenarioError."""
    one = raw.get("exemption")
    grants = _each({"exemption": [one] if isinstance(one, Mapping) and one else one or None}, "exemption", _grant)
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
        plan=_plan(raw),
        flags=_words(raw, "flags"),
        season_from=read_month_day(raw, "season_from"),
        season_to=read_month_day(raw, "season_to"),
        designated_contractor=read_text(raw, "designated_contractor", ""),
        designation_known="designated_contractor" in raw,
        contracts=_each(raw, "contracts", _contract) if raw.get("contracts") is not None else None,
        exemptions=(*grants, *_each(raw, "exemptions", _grant)),
        cases=_each(raw, "cases", _case),
    )


def _words(raw: Json, key: str) -> tuple[str, ...]:
    """A list of words; one text is a list of one, or of several between semicolons."""
    value = raw.get(key)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return tuple(w.strip() for w in value.split(";") if w.strip()) if key == "flags" else (value,)
    if isinstance(value, Sequence) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise ScenarioError(key, "expected a list of texts")


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
    unit = _unit(raw, "unit")
    return Meter(unit=unit or "gal", digits=read_whole(raw, "digits"), serial=read_text(raw, "serial", ""))


def _unit(raw: Json, key: str) -> str:
    unit = read_text(raw, key, "")
    if unit and unit not in GALLONS:
        raise ScenarioError(key, f"expected one of {', '.join(GALLONS)}, got {unit!r}")
    return unit


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
    return Case(kind=read_text(raw, "kind"), dates=dates, due_on=read_day(raw, "due_on"), id=read_text(raw, "id", ""))


def read_history(raw: Json) -> History:
    """The events, notices and statements of a scenario, and its inventory's last services. Raises ScenarioError."""
    events = [within(f"events[{i}]", read_event, e) for i, e in enumerate(_named(items(raw, "events")))]
    system = object_of(raw, "system")
    for key, done in (("last_pumped_on", "pumping"), ("last_inspected_on", "inspection")):
        if (day := read_day(system, key)) is not None:
            events.append(Event(id=key, event_type=done, service_date=day, baseline=True))
    return History(
        events=tuple(events),
        owner_notices=tuple(sorted(_each(raw, "owner_notices", _notice), key=lambda n: (n.on, n.kind))),
        statements=_each(raw, "statements", _statement),
    )


def _named(events: Sequence[Json]) -> list[Json]:
    """The events with ids; one that has none is called by its number. Raises ScenarioError for an id given twice."""
    given = [e.get("id") for e in events]
    for i, name in enumerate(given):
        if name is not None and name in given[:i]:
            raise ScenarioError(f"events[{i}].id", f"{name!r} stands twice")
    found: list[Json] = []
    for i, event in enumerate(events, 1):
        name = f"E{i}"
        while event.get("id") is None and name in given:
            name += "'"
        found.append({**event, "id": name if event.get("id") is None else event["id"]})
    return found


def _notice(raw: Json) -> OwnerNotice:
    on = read_day(raw, "on")
    if on is None:
        raise ScenarioError("on", "is missing")
    return OwnerNotice(
        on=on,
        kind=read_text(raw, "kind"),
        license_number=read_text(raw, "license_number", ""),
        component_ref=read_text(raw, "component_ref", ""),
        recorded_at=read_instant(raw, "recorded_at"),
    )


def _statement(raw: Json) -> Statement:
    received = read_day(raw, "received_on")
    if received is None:
        raise ScenarioError("received_on", "is missing")
    reason = read_text(raw, "reason", "")
    return Statement(
        period=read_text(raw, "period", ""),
        received_on=received,
        reason=reason,
        kind=read_text(raw, "kind", "certification" if "certif" in reason.lower() else ""),
        recorded_at=read_instant(raw, "recorded_at"),
    )


def read_event(raw: Json, default_id: str = "") -> Event:
    """One event of a scenario. Raises ScenarioError where it has no date or a value cannot be read."""
    service_date = read_day(raw, "service_date")
    if service_date is None:
        raise ScenarioError("service_date", "give the day of service as YYYY-MM-DD")
    share = read_number(raw, "sludge_scum_fraction")
    if share is not None and share > 1:
        raise ScenarioError("sludge_scum_fraction", "expected a share from 0 to 1")
    return Event(
        id=read_text(raw, "id", default_id),
        event_type=read_text(raw, "event_type"),
        service_date=service_date,
        received_at=read_instant(raw, "received_on") or read_instant(raw, "received_at"),
        component=read_text(raw, "component", ""),
        component_ref=read_text(raw, "component_ref", ""),
        credential_kind=read_text(raw, "credential_kind", ""),
        credential_expires_on=read_day(raw, "credential_expires_on"),
        license_number=read_text(raw, "license_number", ""),
        inspector_credential_kind=read_text(raw, "inspector_credential_kind", ""),
        inspector_credential_expires_on=read_day(raw, "inspector_credential_expires_on"),
        gallons_pumped=read_whole(raw, "gallons_pumped"),
        partial=is_true(raw, "partial"),
        sludge_scum_fraction=share,
        tank_condition=read_text(raw, "tank_condition", ""),
        ponding=read_text(raw, "ponding", ""),
        meter_reading=read_number(raw, "meter_reading"),
        meter_unit=_unit(raw, "meter_unit"),
        meter_serial=read_text(raw, "meter_serial", ""),
        meter_estimated=is_true(raw, "meter_estimated"),
        defects=_words(raw, "defects"),
        defects_corrected_on=read_day(raw, "defects_corrected_on"),
        not_pumped_reason=read_text(raw, "not_pumped_reason", ""),
        next_pump_date=read_day(raw, "next_pump_date"),
        failure_condition=read_text(raw, "failure_condition", ""),
        surface_discharge=is_true(raw, "surface_discharge"),
        tampering=is_true(raw, "tampering"),
        no_access=is_true(raw, "no_access"),
        sent_on=read_day(raw, "sent_on"),
        submitter=read_text(raw, "submitter", ""),
        supersedes=read_text(raw, "supersedes", ""),
        voided=is_true(raw, "voided") or raw.get("voided_at") is not None,
        voided_at=read_instant(raw, "voided_at"),
        historical=is_true(raw, "historical"),
        baseline=is_true(raw, "baseline"),
    )
