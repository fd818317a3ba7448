"""Who can be reached, and what is known of the systems at the moment: read from the store for `notices`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from notifications.addresses import AddressField, postal_lines, read_addresses
from notifications.reasons import DUE
from notifications.records import AddressBook, Contractor, DomainEvent, SystemNow
from notifications.suppression import dead_addresses, refused_kinds, without_dead
from reporting.intake.words import normalize_license
from reporting.store.derived import obligations_of, standings_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_events, load_history
from reporting.store.people import contractors_of, find_credentials
from schemas.program import Program

_PUMPINGS: Final = ("pumping", "pumping_and_inspection")
_PUMPS: Final = "septage_operator"
"""Of several credentials with one number, the one of whoever services tanks."""


def load_book(store: Store, program: Program, events: Iterable[DomainEvent]) -> AddressBook:
    """The businesses that these events name, the county's office, and who does not want which optional notices."""
    contents = [event.content for event in events]
    numbers = {str(content["contractor_license"]) for content in contents if content.get("contractor_license")}
    licences = _businesses_of(store, numbers)
    ids = {str(content["contractor_id"]) for content in contents if content.get("contractor_id")}
    rows = contractors_of(store, sorted(ids | set(licences.values())))
    fields = {key: read_addresses(row["email"]) for key, row in rows.items()}
    county = read_addresses(program.text_of("county_email"))
    sanitarian = read_addresses(program.text_of("sanitarian_email"))
    counsel, towns = read_addresses(program.text_of("counsel_email")), municipalities(program)
    every = (*fields.values(), county, sanitarian, counsel, *towns.values())
    dead = dead_addresses(store, (one for f in every for one in f.addresses))
    return AddressBook(
        contractors={
            key: Contractor(id=key, name=row["business_name"], mail=without_dead(fields[key], dead))
            for key, row in rows.items()
        },
        licences=licences,
        county=without_dead(county, dead),
        sanitarian=without_dead(sanitarian, dead),
        counsel=without_dead(counsel, dead),
        municipalities={name: without_dead(mail, dead) for name, mail in towns.items()},
        refusing=refused_kinds(store),
    )


def municipalities(program: Program) -> dict[str, AddressField]:
    """The addresses of the county's municipalities: `Town of Hull: clerk@hull.example; …`, or one for all of them."""
    found: dict[str, AddressField] = {}
    for part in program.text_of("municipality_email").split(";"):
        name, colon, address = part.partition(":")
        if part.strip():
            found[name.strip().lower() if colon else ""] = read_addresses(address if colon else name)
    return found


def _businesses_of(store: Store, numbers: Iterable[str]) -> dict[str, str]:
    """The business of each licence number; a number that two businesses share without one that pumps is left out."""
    norms = {number: normalize_license(number) for number in numbers}
    credentials = find_credentials(store, sorted(set(norms.values())))
    found: dict[str, str] = {}
    for number, norm in norms.items():
        rows = credentials.get(norm, [])
        owners = {row["contractor_id"] for row in rows if row["kind"] == _PUMPS} or {
            row["contractor_id"] for row in rows
        }
        if len(owners) == 1:
            found[number] = owners.pop()
    return found


def load_systems(store: Store, ids: Iterable[str]) -> dict[str, SystemNow]:
    """What is known now of these systems of the store's county; absent ones are left out."""
    wanted = sorted(set(ids))
    histories = load_history(store, wanted)
    standings = standings_of(store, histories)
    duties = obligations_of(store, histories)
    known = {key: _system_now(history, standings.get(key), duties[key]) for key, history in histories.items()}
    dead = dead_addresses(store, (address for one in known.values() for address in one.owner_mail.addresses))
    return {key: replace(one, owner_mail=without_dead(one.owner_mail, dead)) for key, one in known.items()}


def _system_now(
    history: StoredHistory, standing: Mapping[str, Any] | None, duties: Sequence[Mapping[str, Any]]
) -> SystemNow:
    assessed = standing is not None and not standing["dirty"]
    content = history.system["content"] if history.system else {}
    cases = {row["id"]: row["content"] for row in history.facts.get("case", ())}
    owner = history.owner or {}
    mailing_address = (owner.get("content") or {}).get("mailing_address")
    pumped = [row for row in history.events if row["event_type"] in _PUMPINGS and row["content"].get("gallons_pumped")]
    return SystemNow(
        status=history.system["status"] if history.system else "active",
        on_hold=any(case.get("kind") == "hold" and not case.get("closed_on") for case in cases.values()),
        exempt=assessed and standing is not None and standing["state"] == "exempt",
        needs_service=standing["needs_service"] if assessed and standing is not None else None,
        duties=_states(history.system_id, duties) if assessed else None,
        owner_name=owner.get("name") or "",
        access_notes=content.get("access_notes") or "",
        owner_mail=read_addresses(owner.get("email")),
        owner_postal=postal_lines(owner.get("name"), mailing_address),
        due_on=_days(history.system_id, duties),
        cases=cases,
        latitude=str(content.get("latitude") or ""),
        longitude=str(content.get("longitude") or ""),
        last_pumped_on=pumped[-1]["service_date"] if pumped else None,
        last_gallons=pumped[-1]["content"]["gallons_pumped"] if pumped else None,
        full_on=standing["full_on"] if assessed and standing is not None else None,
    )


def _days(system: str, duties: Sequence[Mapping[str, Any]]) -> dict[str, date]:
    return {_key(system, duty): duty["due_on"] for duty in duties if duty["due_on"]}


def _key(system: str, duty: Mapping[str, Any]) -> str:
    tank = f"{system}:{duty['component']}:{duty['component_ref']}"
    return f"due:{tank}:{duty['kind']}:{duty['rule']}:{duty['cycle']}"


def _states(system: str, duties: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The state of each duty, by the cause key (without a stage) of the event that tells of it."""
    states: dict[str, str] = {}
    for duty in duties:
        tank = f"{system}:{duty['component']}:{duty['component_ref']}"
        if duty["kind"] == "missing_report":
            states[f"missing:{tank}:{duty['cycle']}"] = duty["state"]
        if duty["kind"] == "service_holding":
            # A forecast and a year's end may share a cycle: the one that is due speaks for both.
            key = f"needs:{tank}:{duty['cycle']}"
            states[key] = states[key] if states.get(key) in DUE else duty["state"]
        states[_key(system, duty)] = duty["state"]
    return states


def with_reports(store: Store, events: Sequence[DomainEvent]) -> list[DomainEvent]:
    """The events about one report with that report's day, ticket and component, where they do not say them."""
    ids = {str(event.content["event"]) for event in events if event.content.get("event")}
    reports = load_events(store, sorted(ids))
    return [_with_report(event, reports.get(str(event.content.get("event")))) for event in events]


def _with_report(event: DomainEvent, report: Mapping[str, Any] | None) -> DomainEvent:
    if report is None:
        return event
    names = ("service_date", "report_ref", "component", "component_ref")
    return replace(event, content={**{name: report[name] for name in names}, **event.content})
