"""A system as a business may see it that reports of it: in full where it is named there, else as anybody does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from reporting.api.calls import call, service
from reporting.api.moments import program_today
from reporting.api.problems import absent
from reporting.api.visibility import visible_systems
from reporting.exports.meters import meter_tables
from reporting.histories import read_domain
from reporting.licences import load_licences
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory
from reporting.store.people import get_contractor, licences_of
from reporting.store.persons import get_person
from reporting.web.public import public_view
from schemas.acts import COMPONENTS
from schemas.program import Program
from schemas.report import Traits


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the work was. `system` "": one that was not found; `seen` None: one that does not name the business."""

    program: Program
    today: dt.date
    system: str = ""
    seen: StoredHistory | None = None
    view: Mapping[str, Any] | None = None
    traits: Traits = field(default_factory=Traits)

    @property
    def facts(self) -> dict[str, str]:
        """What of the place goes into a report by itself, as far as the business sees it."""
        row = (self.seen.system if self.seen else None) or self.view or {}
        names = ("permit_number", "parcel_number", "site_address", "municipality")
        return {name: str(row[name]) for name in names if row.get(name)}

    @property
    def tanks(self) -> list[tuple[str, str]]:
        """Its parts that can be reported of, each with its name where it has one; all kinds where none is on file."""
        parts = self.seen.components if self.seen else ()
        known = [(part["component"], part["component_ref"] or "") for part in parts]
        return sorted(known, key=lambda one: (COMPONENTS.index(one[0]), one[1])) or [(one, "") for one in COMPONENTS]


def place_of(store: Store, system: str) -> Place:
    """A system of the call's county; 404 for none. An empty id: one that was not found, to be reported all the same."""
    program, today = program_today(store)
    if not system:
        return Place(program=program, today=today)
    view = public_view(store, program.slug, system)
    if view is None:
        raise absent()
    seen = visible_systems(store, [system], today).get(system)
    traits = Traits()
    if seen is not None:
        known, _history = read_domain(seen, load_licences(store, program, [seen]), as_of=today)
        traits = Traits(building=known.building, use=known.use, flags=known.flags)
    return Place(program=program, today=today, system=system, seen=seen, view=view, traits=traits)


def last_reading(store: Store, place: Place, component: str, ref: str) -> dict[str, Any] | None:
    """The last meter reading on file of a tank that the business sees; `None` for none."""
    if place.seen is None or component != "holding":  # the tanks that have meters
        return None
    licences = load_licences(store, place.program, [place.seen])
    tanks = meter_tables(*read_domain(place.seen, licences, as_of=place.today), place.program, place.today)
    mine = [tank for tank in tanks if (tank["component_ref"] or "") == ref]
    readings = [one for tank in mine for one in tank["readings"] if not one["estimated"]]
    return readings[-1] if readings else None


def is_below(text: str, last: Mapping[str, Any] | None) -> bool:
    """Whether a reading as typed is lower than the last one."""
    try:
        return last is not None and Decimal(text.replace(",", "")) < Decimal(str(last["reading"]))
    except InvalidOperation:
        return False  # the reading itself is told to be wrong


def own_values(store: Store) -> dict[str, str]:
    """Who reports, as the service knows it: the business, its first licence, the person who is signed in."""
    principal = call().keyholder
    business = get_contractor(store, str(principal.contractor_id)) or {}
    held = licences_of(store, str(principal.contractor_id))
    first = held[0] if held else {}
    person = None
    if principal.person:
        with service().database.reading(None) as own:
            person = get_person(own, principal.person)
    found = {
        "business_name": business.get("business_name"),
        "business_address": business.get("address"),
        "technician_name": person["name"] if person else None,
        "license_number": first.get("license_number"),
        "credential_kind": first.get("kind"),
    }
    return {name: str(value) for name, value in found.items() if value}


def own_counties(store: Store) -> list[str]:
    """The slugs of the counties that the business's licences are for; none: all."""
    held = licences_of(store, str(call().keyholder.contractor_id))
    if not held or any(not row["counties"] for row in held):
        return []
    return sorted({slug for row in held for slug in row["counties"]})
