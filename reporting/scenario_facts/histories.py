"""The history of a scenario: reports, owners' notices, statements, and what passed beside the service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

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


def _word(raw: Json, key: str) -> str:
    return read_text(raw, key, "")


def _credentials(raw: Json, key: str) -> tuple[Credential, ...]:
    return each_of(raw, key, _credential)


def _share(raw: Json, key: str) -> Fraction | None:
    share = read_number(raw, key)
    if share is not None and share > 1:
        raise ScenarioError(key, "expected a share from 0 to 1")
    return share


def _told(raw: Json, key: str) -> bool | None:
    return is_true(raw, key) if raw.get(key) is not None else None


_READERS: Final[Mapping[str, Callable[[Json, str], Any]]] = {
    "sludge_scum_fraction": _share,
    "component": _word,
    "component_ref": _word,
    "credential_kind": _word,
    "credential_expires_on": read_day,
    "credentials": _credentials,
    "license_number": _word,
    "inspector_credentials": _credentials,
    "inspector_credential_kind": _word,
    "inspector_credential_expires_on": read_day,
    "gallons_pumped": read_whole,
    "partial": is_true,
    "tank_condition": _word,
    "ponding": _word,
    "meter_reading": read_number,
    "meter_unit": read_unit,
    "meter_serial": _word,
    "meter_estimated": is_true,
    "defects": read_words,
    "defects_corrected_on": read_day,
    "not_pumped_reason": _word,
    "next_pump_date": read_day,
    "failure_condition": _word,
    "surface_discharge": is_true,
    "tampering": is_true,
    "no_access": is_true,
    "peak_daily_gallons": read_whole,
    "sent_on": read_day,
    "submitter": _word,
    "own_tank": _told,
    "verification_asked_on": read_day,
    "verification_answer_by": read_day,
    "supersedes": _word,
    "voided_at": read_instant,
    "historical": is_true,
    "baseline": is_true,
}
"""How each key of an event is read that it need not have; what it does not have is as `Event` says."""


def read_event(raw: Json, default_id: str = "") -> Event:
    """One event of a scenario. Raises ScenarioError where it has no date or a value cannot be read."""
    service_date = read_day(raw, "service_date")
    if service_date is None:
        raise ScenarioError("service_date", "give the day of service as YYYY-MM-DD")
    return Event(
        id=read_text(raw, "id", default_id),
        event_type=read_text(raw, "event_type"),
        service_date=service_date,
        received_at=read_instant(raw, "received_on") or read_instant(raw, "received_at"),
        voided=is_true(raw, "voided") or raw.get("voided_at") is not None,
        **{key: read(raw, key) for key, read in _READERS.items() if key in raw},
    )
