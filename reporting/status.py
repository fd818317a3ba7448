"""How does this system stand? The county's question, by permit, parcel or address, for any day, as known at any time.

One system is always judged from its facts, which takes a few milliseconds: what the sweep kept may lie a report behind,
and says nothing of other days. Lists are read from what the sweep kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from reporting.domain.assess import assess
from reporting.errors import RecordNotFound
from reporting.histories import designated_license, load_licences, read_domain, with_windows
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.words import normalize_license
from reporting.scenario import show
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.lists import ObligationFilter, list_obligations
from reporting.store.log import seq_at
from reporting.store.matching import ADDRESS, PARCEL, PERMIT, find_by_identifiers
from reporting.store.paging import LARGEST_PAGE
from schemas.acts import COMPONENTS
from schemas.calendar import local_date
from schemas.program import Program

_LAST_SERVICES: Final = 5
_ALL_STATES: Final = ("due_soon", "overdue")
_ORDER: Final = {kind: number for number, kind in enumerate(COMPONENTS)}
_PUBLIC_DUTY: Final = ("kind", "component", "due_on", "last_day", "state", "days_late", "rule", "cite")


@dataclass(frozen=True, kw_only=True)
class StatusAnswer:
    """One system's standing on one day. `system`: what it is; `services`: its last services, newest first;
    `answer`: as `pumper evaluate` answers (contract.md).
    """

    county: str
    as_of: date
    known_at: datetime | None
    system: Mapping[str, Any]
    services: Sequence[Mapping[str, Any]]
    answer: Mapping[str, Any]

    def as_json(self) -> dict[str, object]:
        """The answer as plain JSON values."""
        known = self.known_at.isoformat() if self.known_at else None
        return {
            "county": self.county,
            "system": dict(self.system),
            **self.answer,
            "known_at": known,
            "services": [dict(service) for service in self.services],
        }

    def public_view(self) -> dict[str, object]:
        """What anybody may see: standing and dates, neither names nor licences nor what reports say."""
        last: dict[str, str] = {}
        for service in self.services:
            last.setdefault(str(service["event_type"]), str(service["service_date"]))
        return {
            "county": self.county,
            "as_of": self.as_of.isoformat(),
            "permit_number": self.system["permit_number"],
            "parcel_number": self.system["parcel_number"],
            "municipality": self.system["municipality"],
            "standing": self.answer["standing"],
            "obligations": [{name: duty[name] for name in _PUBLIC_DUTY} for duty in self.answer["obligations"]],
            "last_services": last,
        }


def find_systems(
    store: Store, *, permit: str | None = None, parcel: str | None = None, address: str | None = None
) -> list[str]:
    """The ids of the systems with this permit, parcel or address: exactly, but for case and punctuation.

    With several, all must fit. Raises `ValueError` when none is given.
    """
    given = ((PERMIT, permit, normalize_identifier), (PARCEL, parcel, normalize_identifier))
    pairs = [(kind, norm(text)) for kind, text, norm in (*given, (ADDRESS, address, normalize_address)) if text]
    if not pairs:
        raise ValueError("give a permit, a parcel or an address")
    found = find_by_identifiers(store, pairs)
    fitting = [{system for system, _component in found.get(pair, ())} for pair in pairs]
    return sorted(set.intersection(*fitting))


def system_status(
    store: Store,
    program: Program,
    system_id: str,
    *,
    as_of: date | None = None,
    known_at: datetime | None = None,
    today: date,
    show_met: bool = False,
) -> StatusAnswer:
    """How a system stands on `as_of` (None: today), by what had been recorded at `known_at` (None: all of it).

    program: the county's own on that day (`county_program`). Raises `RecordNotFound` for a system that was not known.
    """
    day = as_of or today
    at_seq = seq_at(store, known_at) if known_at is not None else None
    stored = load_history(store, [system_id], at_seq).get(system_id)
    if stored is None:
        raise RecordNotFound(system_id)
    stored = with_windows(store, {system_id: stored}, at_seq)[system_id]
    licences = load_licences(store, program, [stored])
    judged = assess(*read_domain(stored, licences, as_of=day), program, day)
    norm = designated_license(stored, day)
    return StatusAnswer(
        county=program.slug,
        as_of=day,
        known_at=known_at,
        system=_identity(stored, licences.number(norm) if norm else None),
        services=_services(stored, program, day),
        answer=show(judged, show_met=show_met),
    )


def status_text(status: StatusAnswer) -> str:
    """The answer as a page of plain text, for the clerk who asked and whoever is on the telephone."""
    system, answer = status.system, status.answer
    names = {"permit_number": "Permit", "parcel_number": "Parcel", "site_address": "Address", "municipality": "In"}
    lines = [f"{label + ':':<10}{system[name]}" for name, label in names.items() if system[name]]
    lines += [f"{'Tanks:':<10}{'; '.join(_component_words(one) for one in system['components'])}"]
    if system["designated_contractor"]:
        lines.append(f"{'Serviced:':<10}by licence {system['designated_contractor']}")
    known = f", as known at {status.known_at.isoformat()}" if status.known_at else ""
    lines += ["", f"Standing on {status.as_of}{known}: {_words(answer['standing']).upper()}"]
    if answer["needs_service"]["value"]:
        lines.append(f"Needs service ({answer['needs_service']['on']}): {answer['needs_service']['because']}")
    lines += ["", "Duties:" if answer["obligations"] else "No open duties."]
    for duty in answer["obligations"]:
        lines += _duty_words(duty)
    if answer["findings"]:
        lines += ["", "Findings:"]
        lines += [f"  {_words(f['kind'])}: {f['because']} [{f['rule']}, {f['cite']}]" for f in answer["findings"]]
    lines += ["", "Last services:" if status.services else "No services on record."]
    lines += [f"  {_service_words(service)}" for service in status.services]
    return "\n".join(lines) + "\n"


def list_due(
    store: Store,
    *,
    today: date,
    state: Collection[str] = _ALL_STATES,
    kind: Collection[str] = (),
    due_before: date | None = None,
    contractor: Collection[str] = (),
    municipality: str | None = None,
) -> Iterator[dict[str, Any]]:
    """The county's open duties as the sweep left them, soonest first, as rows for a table or CSV (`DUE_COLUMNS`).

    contractor: licence numbers, however written, of the designated business.
    """
    filters = ObligationFilter(
        state=state,
        kind=kind,
        due_before=due_before,
        contractor=[normalize_license(number) for number in contractor],
        municipality=municipality,
    )
    cursor: str | None = None
    while True:
        page = list_obligations(store, filters, cursor, LARGEST_PAGE)
        yield from (due_row(row, today) for row in page.rows)
        cursor = page.next_cursor
        if cursor is None:
            return


DUE_COLUMNS: Final = (
    "permit_number", "parcel_number", "site_address", "municipality", "component", "component_ref", "kind", "state",
    "due_on", "last_day", "days_late", "rule", "cite", "because", "duty_of", "contractor", "system",
)  # fmt: skip


def due_row(row: Mapping[str, Any], today: date) -> dict[str, Any]:
    """One row of `reporting.store.lists.list_obligations` as plain JSON values, with the days late on `today`."""
    last_day: date | None = row["last_day"]
    late = max(0, (today - last_day).days) if last_day and row["state"] == "overdue" else 0
    days = {name: row[name].isoformat() if row[name] else None for name in ("due_on", "last_day")}
    plain = {name: row[name] for name in DUE_COLUMNS if name not in ("due_on", "last_day", "days_late")}
    return {name: {**plain, **days, "days_late": late}[name] for name in DUE_COLUMNS}


def _identity(stored: StoredHistory, license_number: str | None) -> dict[str, Any]:
    row = stored.system or {}
    names = ("permit_number", "parcel_number", "site_address", "municipality", "status")
    return {
        "id": stored.system_id,
        **{name: row.get(name) for name in names},
        "use": row["content"].get("use", "year_round") if row else None,
        "components": [
            {"component": part["component"], "component_ref": part["component_ref"] or None, **_part(part["content"])}
            for part in sorted(stored.components, key=lambda row: _ORDER.get(row["component"], 99))
        ],
        "designated_contractor": license_number,
    }


def _part(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: content.get(name) for name in ("capacity_gallons", "meter", "status")}


def _services(stored: StoredHistory, program: Program, as_of: date) -> list[dict[str, Any]]:
    """The last services on or before the day, newest first; a baseline has no receipt."""
    past = [row for row in stored.events if row["service_date"] <= as_of]
    return [_service(row, program) for row in reversed(past[-_LAST_SERVICES:])]


def _service(row: Mapping[str, Any], program: Program) -> dict[str, Any]:
    baseline = bool(row["content"].get("baseline"))
    received = None if baseline else local_date(row["first_received_at"], program.timezone).isoformat()
    return {
        "report_id": row["id"],
        "event_type": row["event_type"],
        "service_date": row["service_date"].isoformat(),
        "component": row["component"] or None,
        "component_ref": row["component_ref"] or None,
        "gallons_pumped": row["content"].get("gallons_pumped"),
        "license_number": row["license_number"],
        "received_on": received,
        "baseline": baseline,
    }


def _words(name: object) -> str:
    return str(name).replace("_", " ")


def _component_words(one: Mapping[str, Any]) -> str:
    ref = f" {one['component_ref']}" if one["component_ref"] else ""
    gallons = f", {one['capacity_gallons']:,} gallons" if one["capacity_gallons"] else ""
    state = f", {one['status']}" if one["status"] not in (None, "active") else ""
    return f"{_words(one['component'])}{ref}{gallons}{state}"


def _duty_words(duty: Mapping[str, Any]) -> list[str]:
    tank = " ".join(_words(part) for part in (duty["component"], duty.get("component_ref")) if part)
    late = f", {duty['days_late']} days late" if duty["days_late"] else ""
    last = f" (last day {duty['last_day']})" if duty["last_day"] != duty["due_on"] else ""
    named = tank and not _words(duty["kind"]).endswith(tank)  # "inspect dispersal" says it already
    head = f"  {_words(duty['kind'])}{f', {tank}' if named else ''}: {_words(duty['state'])}{late}"
    because = duty.get("suspended_because") or duty["because"]
    return [head, f"    due {duty['due_on']}{last}; {because} [{duty['rule']}, {duty['cite']}]"]


def _service_words(service: Mapping[str, Any]) -> str:
    tank = " ".join(_words(part) for part in (service["component"], service["component_ref"]) if part)
    gallons = f", {service['gallons_pumped']:,} gallons" if service["gallons_pumped"] else ""
    by = f", licence {service['license_number']}" if service["license_number"] else ""
    source = " (from the inventory)" if service["baseline"] else f", reported {service['received_on']}"
    kind = f"{_words(service['event_type'])}{f' of {tank}' if tank else ''}"
    return f"{service['service_date']} {kind}{gallons}{by}{source}"
