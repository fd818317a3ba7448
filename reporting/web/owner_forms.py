"""What an owner tells of the own system: a service, an alarm or a full tank, who services it, how notices arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response
from werkzeug.wrappers import Response as AnyResponse

from notifications.addresses import read_addresses
from notifications.suppression import DEAD, Reason, Suppressing, lift_suppression, suppress_address
from reporting.api.calls import call, service
from reporting.api.facts import designation, owner_notice
from reporting.api.moments import county_today
from reporting.api.records import show_records
from reporting.api.systems import show_system, show_system_status
from reporting.api.telling import tell as keep_told
from reporting.errors import RecordNotFound
from reporting.owners import NOTICES, change_contact
from reporting.store.mail import list_suppressions
from reporting.web.asking import Told, ask, form_values, go, in_own_county
from reporting.web.owner import business_name
from reporting.web.owner_asking import HOME, own_system, render_owner, tell_own

CONTACT: Final = f"{HOME}/contact"
_CONTACT_FIELDS: Final = ("mailing_address", "email", "phone")
_STOP, _AGAIN = "stop", "again"


@in_own_county
def show_notice_form() -> AnyResponse:
    """Where an owner tells that a tank was serviced, is full, or that its alarm went off."""
    return _notice({"on": county_today().isoformat()}, None)


@in_own_county
def tell_own_notice() -> AnyResponse:
    """Keep what the owner told, or say what is wrong with it."""
    values = form_values()
    told = tell_own(owner_notice, values, "on", "kind", "license_number")
    return go(HOME, f"told_{values['kind']}") if told.ok else _notice(values, told)


def _notice(values: Mapping[str, Any], told: Told | None) -> Response:
    return render_owner("notice", status=told.status if told else 200, kinds=NOTICES, values=values, told=told)


@in_own_county
def show_contractor_form() -> AnyResponse:
    """Where an owner names the business that services the system."""
    return _contractor({}, None)


@in_own_county
def name_contractor() -> AnyResponse:
    """Keep which business it is, or say what is wrong: a number as typed goes before one that was chosen."""
    values = form_values()
    number = values.get("license_number") or values.get("known")
    told = tell_own(designation, {**values, "license_number": number or ""}, "license_number", "valid_from")
    return go(HOME, "named") if told.ok else _contractor(values, told)


def _contractor(values: Mapping[str, Any], told: Told | None) -> Response:
    services = list(reversed(ask(show_records, system_id=own_system()).body["services"]))
    numbers = dict.fromkeys(str(one["license_number"]) for one in services if one.get("license_number"))
    known = [(one, f"{business_name(services, one) or 'A business'}, license {one}") for one in numbers]
    number = ask(show_system_status, system_id=own_system()).body["system"]["designated_contractor"]
    now = dict(known).get(number, f"license {number}") if number else ""
    status = told.status if told else 200
    return render_owner("contractor", status=status, known=known, now=now, values=values, told=told)


@in_own_county
def show_contact_form() -> AnyResponse:
    """How the county reaches the owner, to be changed; and whether reminders come by mail."""
    return _contact(_on_file(), None)


@in_own_county
def change_own_contact() -> AnyResponse:
    """Keep how the owner is reached from now on, or say what is wrong."""
    values = form_values()
    told = tell_own(lambda query, county: keep_told(change_contact), values, *_CONTACT_FIELDS)
    return go(CONTACT, "reached") if told.ok else _contact(values, told)


@in_own_county
def choose_own_mail() -> AnyResponse:
    """Stop reminders to the owner's own addresses, or let them come again; what the law asks for always comes."""
    choice, now, by = form_values().get("choice"), call().now, call().keyholder.key_id
    if choice not in (_STOP, _AGAIN):
        told = Told(status=422, summary="Choose one of the buttons.", errors={})
        return _contact(_on_file(), told)
    with service().database.transaction(call().tenant) as store:
        for address in _addresses():
            if choice == _STOP:
                suppress_address(store, Suppressing(address=address, reason=Reason.UNSUBSCRIBED, by=by, now=now))
                continue
            try:
                lift_suppression(store, address, by, now, "", (Reason.UNSUBSCRIBED,))
            except RecordNotFound:
                continue  # it comes already
    return go(CONTACT, f"mail_{choice}")


def _on_file() -> dict[str, str]:
    owner = ask(show_system, system_id=own_system()).body["owner"] or {}
    return {name: str(owner.get(name) or "") for name in _CONTACT_FIELDS}


def _addresses() -> tuple[str, ...]:
    return read_addresses(_on_file()["email"]).addresses


def _contact(values: Mapping[str, Any], told: Told | None) -> Response:
    addresses = _addresses()
    with service().database.reading(call().tenant) as store:
        rows = list_suppressions(store, list(addresses)) if addresses else []
    return render_owner(
        "contact",
        status=told.status if told else 200,
        values=values,
        told=told,
        addresses=addresses,
        dead=sorted({row["address"] for row in rows if row["reason"] in DEAD}),
        stopped=any(row["reason"] == Reason.UNSUBSCRIBED for row in rows),
    )
