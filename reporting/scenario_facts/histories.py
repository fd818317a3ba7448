"""The history of a scenario: reports, owners' notices, statements, and what passed beside the service."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.domain.records import Credential, Event, History, OwnerNotice, Statement
from reporting.scenario_facts.dealings import read_dealings
from reporting.scenario_facts.reading import each_of, read_unit, read_words, within
from reporting.values import (
    Json,
    ScenarioError,
    is_true,
    items,
    object_of,
    read_day,
    read_instant,
    read_number,
    read_text,
    read_whole,
)


def read_history(raw: Json) -> History:
    """The events, notices and statements of a scenario, and its inventory's last services. Raises ScenarioError."""
    events = [within(f"events[{i}]", read_event, e) for i, e in enumerate(_named(items(raw, "events")))]
    system = object_of(raw, "system")
    for key, done in (("last_pumped_on", "pumping"), ("last_inspected_on", "inspection")):
        if (day := read_day(system, key)) is not None:
            events.append(Event(id=key, event_type=done, service_date=day, baseline=True))
    return History(
        events=tuple(events),
        owner_notices=tuple(sorted(each_of(raw, "owner_notices", _notice), key=lambda n: (n.on, n.kind))),
        statements=each_of(raw, "statements", _statement),
        dealings=read_dealings(raw)[0],
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


def _credential(raw: Json) -> Credential:
    return Credential(kind=read_text(raw, "kind"), expires_on=read_day(raw, "expires_on"))


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
        credentials=each_of(raw, "credentials", _credential),
        license_number=read_text(raw, "license_number", ""),
        inspector_credentials=each_of(raw, "inspector_credentials", _credential),
        inspector_credential_kind=read_text(raw, "inspector_credential_kind", ""),
        inspector_credential_expires_on=read_day(raw, "inspector_credential_expires_on"),
        gallons_pumped=read_whole(raw, "gallons_pumped"),
        partial=is_true(raw, "partial"),
        sludge_scum_fraction=share,
        tank_condition=read_text(raw, "tank_condition", ""),
        ponding=read_text(raw, "ponding", ""),
        meter_reading=read_number(raw, "meter_reading"),
        meter_unit=read_unit(raw, "meter_unit"),
        meter_serial=read_text(raw, "meter_serial", ""),
        meter_estimated=is_true(raw, "meter_estimated"),
        defects=read_words(raw, "defects"),
        defects_corrected_on=read_day(raw, "defects_corrected_on"),
        not_pumped_reason=read_text(raw, "not_pumped_reason", ""),
        next_pump_date=read_day(raw, "next_pump_date"),
        failure_condition=read_text(raw, "failure_condition", ""),
        surface_discharge=is_true(raw, "surface_discharge"),
        tampering=is_true(raw, "tampering"),
        no_access=is_true(raw, "no_access"),
        peak_daily_gallons=read_whole(raw, "peak_daily_gallons"),
        sent_on=read_day(raw, "sent_on"),
        submitter=read_text(raw, "submitter", ""),
        own_tank=is_true(raw, "own_tank") if raw.get("own_tank") is not None else None,
        verification_asked_on=read_day(raw, "verification_asked_on"),
        verification_answer_by=read_day(raw, "verification_answer_by"),
        supersedes=read_text(raw, "supersedes", ""),
        voided=is_true(raw, "voided") or raw.get("voided_at") is not None,
        voided_at=read_instant(raw, "voided_at"),
        historical=is_true(raw, "historical"),
        baseline=is_true(raw, "baseline"),
    )
