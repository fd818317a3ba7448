"""Roles of people given and taken, by the command line, by a manager or an office, or by a provider's groups."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from reporting.access.entries import log_of, note
from reporting.errors import AccessRefused
from reporting.store.engine import Store
from reporting.store.persons import Place, Via, current_roles, get_person, give_role, list_members, take_role
from reporting.store.roles import BUSINESS_ROLES, COUNTY_ROLES, MemberRole
from reporting.store.sessions import end_sessions_of


def roles_in(place: Place) -> tuple[MemberRole, ...]:
    """The roles that there are in a county or in a business."""
    return COUNTY_ROLES if place.county else BUSINESS_ROLES


def is_member(store: Store, person: str, place: Place) -> bool:
    """Whether a person has or had a role in a place; of others it is told nothing."""
    return any(row["person"] == person for row in list_members(store, place, ended=True))


def add_role(store: Store, person: str, place: Place, role: MemberRole, via: Via, by: str, now: datetime) -> bool:
    """Give a role, in a transaction of `log_of(place.county)`; `False` when the person has it already.

    Raises `AccessRefused` for a role that the place does not know or a person who is not there.
    """
    _check(store, place, role)
    if get_person(store, person) is None:
        raise AccessRefused(f"There is no person {person}.")
    given = give_role(store, person, place, role, via, by, now)
    if given:
        note(store, "role_given", {**_told(person, place, role), "via": via, "by": by}, now)
    return given


def end_role(
    store: Store, person: str, place: Place, role: MemberRole, by: str, now: datetime, via: Via | None = None
) -> bool:
    """Take a role; without any left in the place, the person's sessions there end at once. `False`: had none such."""
    _check(store, place, role)
    if not take_role(store, person, place, role, now, via):
        return False
    note(store, "role_taken", {**_told(person, place, role), "by": by}, now)
    if not current_roles(store, person, place):
        end_sessions(store, person, place, by, now)
    return True


def follow_groups(
    store: Store, person: str, place: Place, roles: Iterable[MemberRole], issuer: str, now: datetime
) -> None:
    """Let a person have just these roles from the provider: what it does not say any more ends."""
    wanted = set(roles)
    held = {
        MemberRole(row["role"])
        for row in list_members(store, place)
        if row["person"] == person and row["via"] == Via.OIDC.value
    }
    # What is new first: between two roles nobody is without any, which would end the sessions.
    for role in sorted(wanted - held):
        add_role(store, person, place, role, Via.OIDC, issuer, now)
    for role in sorted(held - wanted):
        end_role(store, person, place, role, issuer, now, Via.OIDC)


def end_sessions(store: Store, person: str, place: Place, by: str, now: datetime) -> int:
    """End a person's sessions in a place; how many."""
    ended = end_sessions_of(store, person, now, place)
    if ended:
        content: dict[str, Any] = {"person": person, "contractor_id": place.contractor_id, "sessions": ended, "by": by}
        note(store, "sessions_ended", content, now)
    return ended


def _told(person: str, place: Place, role: MemberRole) -> dict[str, Any]:
    return {"person": person, "contractor_id": place.contractor_id, "role": role}


def _check(store: Store, place: Place, role: MemberRole) -> None:
    if store.tenant != log_of(place.county):
        raise RuntimeError(f"a role in {place.holder} in a transaction of {store.tenant}")
    if role not in roles_in(place):
        raise AccessRefused(f"The role is one of {', '.join(roles_in(place))}.")
