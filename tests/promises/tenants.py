"""A world for the proof that nobody sees another's data: every row carries a word by which it is known anywhere.

Two counties; in each a system that names the one business, one that names the other, one that names none; reports of
both businesses, some of which wait for staff and some rejected; people of every role, an owner, invitations; notices
in the outbox. `may_see` says from the roles alone who may meet which word.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from reporting.histories import county_program
from reporting.owners import Teller, Told, set_setting
from reporting.store.people import upsert_contractors
from tests.promises.proof import Arena
from tests.reporting.api.people import PLACES, sign_in_everybody
from tests.reporting.api.world import AWAY, HOME, MINE, NOW, OTHERS, World, a_report, make_world
from tests.reporting.counties import TODAY, csv_of, load, the_system
from tests.services.databases import DatabaseUrls

COUNTIES: Final = (HOME, AWAY)
BUSINESSES: Final = {"mine": "contractor", "others": "other contractor"}
LICENCES: Final = {"mine": MINE, "others": OTHERS, "nobody": ""}
KEYS: Final = ("contractor", "other contractor", "county", "other county", "admin")
EVERYBODY: Final = ("", *KEYS, *PLACES, "owner")
SOME: Final = ("", "contractor", "other contractor", "county", "other county", "owner")
"""Enough to be told of a fault at once."""


def word(county: str, kind: str, whose: str) -> str:
    """The word of one kind of row: `own` (an owner's particulars), `sys` (a system's), `rep` (a report's)."""
    return f"Qz{'h' if county == HOME else 'w'}{kind}{whose}"


WORDS: Final = {
    word(county, kind, whose): (county, kind, whose)
    for county in COUNTIES
    for kind, all_of in (("own", LICENCES), ("sys", LICENCES), ("rep", BUSINESSES))
    for whose in all_of
}


@dataclass(frozen=True, kw_only=True)
class Held:
    """The id of something: in which county, of which business or person; what stands for it in an address."""

    value: str
    county: str | None = None
    business: str | None = None
    person: str | None = None


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The world, everything that has an id (by the name of the part of an address), and what was logged."""

    world: World
    urls: DatabaseUrls
    held: Mapping[str, list[Held]]
    log: io.StringIO
    document: Mapping[str, Any]
    permits: Mapping[tuple[str, str], str] = field(default_factory=dict)


def business_of(who: str) -> str | None:
    """The business in whose name somebody acts."""
    named = {"contractor": "mine", "other contractor": "others", "technician": "mine", "office": "mine"}
    return {**named, "other office": "others"}.get(who)


def county_of(who: str) -> str | None:
    """The one county in whose name somebody acts; an administrator in every one's."""
    if who in ("county", "owner"):
        return HOME
    if who == "other county":
        return AWAY
    return PLACES[who][0].county if who in PLACES else None


def may_see(who: str, found: str, *, by_mail: bool = False) -> bool:
    """Whether somebody may meet a word.

    by_mail: a notice tells the business that is to serve a tank whose it is.
    """
    county, kind, whose = WORDS[found]
    if who == "admin":
        return True
    if who == "owner":  # of the first system, which names `mine` and which both have served
        return county == HOME and (kind == "rep" or whose == "mine")
    business = business_of(who)
    if business is not None:
        return whose == business and (kind != "own" or by_mail)
    return who != "" and county_of(who) == county


@contextmanager
def stage(arena: Arena, **settings: str) -> Iterator[Stage]:
    """Everything set up over a fresh database; whatever the service logs from here on is kept."""
    log = io.StringIO()
    urls = arena.new_database()
    with redirect_stderr(log):
        world = make_world(urls, arena.folder, LOG_LEVEL="DEBUG", **settings)
    try:
        _name_contractors(world)
        permits = {}
        for county in COUNTIES:
            permits.update(_stock(world, county))
            _set_office(world, county)
        sign_in_everybody(world)
        held = {"report_id": [], "submission_id": [], "system_id": [], "review_id": []}
        for county in COUNTIES:
            _send_reports(world, county, permits, held)
        _other_ids(world, held)
        document = world.get("/openapi.json", "").json
        yield Stage(world=world, urls=urls, held=held, log=log, document=document, permits=permits)
    finally:
        world.database.dispose()


def _name_contractors(world: World) -> None:
    with world.database.transaction(None) as store:
        names = {"con_mine": "Kettle Moraine Septic LLC", "con_others": "Ridge Pumping Inc"}
        rows = [
            {"id": key, "business_name": name, "created_at": NOW, "email": f"{key[4:]}@business.example"}
            for key, name in names.items()
        ]
        upsert_contractors(store, rows)


def _stock(world: World, county: str) -> dict[tuple[str, str], str]:
    prefix = "SP" if county == HOME else "PT"
    permits = {(county, whose): f"{prefix}-{number}" for number, whose in enumerate(LICENCES, start=1)}
    rows = []
    for (_county, whose), permit in permits.items():
        own, place = word(county, "own", whose), word(county, "sys", whose)
        rows.append(
            {
                "permit_number": permit,
                "parcel_number": f"08-{permit}",
                "site_address": f"N{sum(permit.encode())} County Road K",
                "municipality": "Town of Saukville",
                "legal_description": f"Lot 4 of {place}",
                "access_notes": f"Gate of {place}",
                "owner_name": own,
                "owner_email": f"{own}@owner.example",
                "owner_phone": f"262-555-0100 {own}",
                "owner_mailing_address": f"PO Box 4, {own}",
                "designated_license_number": LICENCES[whose],
                "component": "septic",
                "capacity_gallons": "1000",
                "last_pumped_on": "2023-06-01",
                "installed_on": "2001-06-01",
                "permit_issued_on": "2001-05-01",
            }
        )
    load(world.database, *rows, county=county, now=NOW - timedelta(days=20))
    return permits


def _set_office(world: World, county: str) -> None:
    with world.database.transaction(county) as store:
        program = county_program(store, county, on=TODAY)
        teller = Teller(program=program, by="test", now=NOW - timedelta(days=20), signer=world.signer)
        told = set_setting(store, teller, "county_email", f"office@{county}.example", TODAY - timedelta(days=20))
        assert isinstance(told, Told), told


def _send_reports(
    world: World, county: str, permits: Mapping[tuple[str, str], str], held: dict[str, list[Held]]
) -> None:
    """From each business: a report of its own system and of the first, one in doubt, one that is rejected."""
    with world.database.reading(county) as store:
        systems = {whose: the_system(store, permits[county, whose]).system_id for whose in LICENCES}
    held["system_id"] += [Held(value=found, county=county, business=whose) for whose, found in systems.items()]
    for whose, who in BUSINESSES.items():
        reports = [
            _report(county, whose, permits[county, whose], "1"),
            _report(county, whose, permits[county, "mine"], "2"),
        ]
        doubted = _report(county, whose, "ZZ-9", "3", parcel_number="99-9")
        wrong = _report(county, whose, permits[county, whose], "4", gallons_pumped="many")
        answer = world.send(county, csv_of(*reports[: 1 + (whose == "others")], doubted, wrong), who).json
        assert {row["outcome"] for row in answer["outcomes"]} >= {"accepted", "queued_for_review", "rejected"}, answer
        held["submission_id"].append(Held(value=answer["id"], county=county, business=whose))
        for row in answer["outcomes"]:
            if row["report_id"]:
                held["report_id"].append(Held(value=row["report_id"], county=county, business=whose))
            if row.get("review"):
                held["review_id"].append(Held(value=row["review"], county=county, business="staff's"))


def _report(county: str, whose: str, permit: str, number: str, **values: Any) -> dict[str, Any]:
    mark = word(county, "rep", whose)
    marked = {"notes": mark, "work_description": f"Pumped, says {mark}", "technician_name": mark, "signature": mark}
    day = {
        "service_date": f"2026-06-0{number}",
        "signed_on": f"2026-06-0{number}",
    }  # late by now, so that mail goes out
    place = {"permit_number": permit, "parcel_number": f"08-{permit}", "owner_name": mark}
    place |= {"site_address": f"N{sum(permit.encode())} County Road K"}
    kept = {"license_number": LICENCES[whose], "report_ref": f"{whose}-{number}", "disposal_site": f"Plant of {mark}"}
    return a_report(**{**place, **marked, **day, **kept, **values})


def _other_ids(world: World, held: dict[str, list[Held]]) -> None:
    """Keys, people, their sessions and invitations, as the service itself lists them."""
    held["key_id"] = [
        Held(value=world.keys[who].split("_")[1], county=county_of(who), business=business_of(who)) for who in KEYS
    ]
    held["person_id"] = [
        Held(value=world.ids[who], county=county_of(who), business=business_of(who), person=who) for who in PLACES
    ]
    held["session_id"] = []
    for who in PLACES:
        listed = world.get("/v1/sessions", who).json["sessions"]
        held["session_id"] += [Held(value=one["id"], person=who) for one in listed]
    held["invitation_id"] = []
    for who, path in (("manager", f"/v1/{HOME}"), ("away manager", f"/v1/{AWAY}"), ("office", "/v1/contractors/me")):
        role = "technician" if who == "office" else "viewer"
        made = world.post(f"{path}/invitations", {"email": f"new-{role}@people.example", "role": role}, who)
        assert made.status_code < 300, made.text
        held["invitation_id"].append(Held(value=made.json["id"], county=county_of(who), business=business_of(who)))
    held["charge_id"] = []
    for who in ("manager", "away manager"):
        county = str(county_of(who))
        system = next(one.value for one in held["system_id"] if one.county == county)
        fee = {"system": system, "what": "permit", "cause": "1", "cents": 100}
        made = world.post(f"/v1/{county}/fees", fee, who)
        assert made.status_code == 201, made.text
        held["charge_id"].append(Held(value=made.json["id"], county=county, business="staff's"))
    held["webhook_id"] = []
    for who, path in (
        ("manager", f"/v1/{HOME}"),
        ("away manager", f"/v1/{AWAY}"),
        ("office", "/v1/contractors/me"),
        ("other office", "/v1/contractors/me"),
    ):
        made = world.post(f"{path}/webhooks", {"url": "https://hooks.example.org/"}, who)
        assert made.status_code == 201, made.text
        held["webhook_id"].append(Held(value=made.json["id"], county=county_of(who), business=business_of(who)))
