"""Who works here and as what: a county's staff, a business's people; roles given and taken, sessions ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from reporting.access.entries import log_of
from reporting.access.staff import add_role, end_role, end_sessions, is_member, roles_in
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, service
from reporting.api.members import choice_member, refuse_unknown
from reporting.api.moments import instant
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.problems import Problem, absent
from reporting.api.shapes import ref
from reporting.store.persons import Place, Via, current_roles, list_members
from reporting.store.roles import MemberRole

SECTION: Final = Section("staff", __name__, description="Who works in a county or a business, and as what.")
_COUNTY: Final = "/v1/<slug:county>/staff"
_MINE: Final = "/v1/contractors/me/people"
_PERSON: Final = "<id:person_id>"
_LISTED: Final = {200: Answer(tells="A line for each person and role.", schema=ref("Staff"))}
_ROLES: Final = {200: Answer(tells="What the person is now.", schema=ref("Roles"))}
_OWN: Final = {409: "One's own last role that manages is taken by somebody else."}


@SECTION.endpoint(_COUNTY, answers=_LISTED)
def list_staff(query: dict[str, Any], county: str) -> Response:
    """The county's staff and their roles."""
    return _list(Place(county=county))


@SECTION.endpoint(f"{_COUNTY}/{_PERSON}/roles", method="POST", body=json_body(ref("GiveRole")), answers=_ROLES)
def give_staff_role(query: dict[str, Any], county: str, person_id: str) -> Response:
    """Give one of the staff another role."""
    return _give(person_id, Place(county=county))


@SECTION.endpoint(f"{_COUNTY}/{_PERSON}/roles/<id:role>", method="DELETE", answers=_ROLES, problems=_OWN)
def take_staff_role(query: dict[str, Any], county: str, person_id: str, role: str) -> Response:
    """Take a role; without any, the person's sessions here end at once."""
    return _take(person_id, role, Place(county=county))


@SECTION.endpoint(
    f"{_COUNTY}/{_PERSON}/sessions", method="DELETE", answers={200: Answer(tells="Ended.", schema=ref("Ended"))}
)
def end_staff_sessions(query: dict[str, Any], county: str, person_id: str) -> Response:
    """End every session that one of the staff has here, as when a computer was stolen."""
    return _end(person_id, Place(county=county))


@SECTION.endpoint(_MINE, answers=_LISTED)
def list_people(query: dict[str, Any]) -> Response:
    """The business's people and their roles."""
    return _list(_own())


@SECTION.endpoint(f"{_MINE}/{_PERSON}/roles", method="POST", body=json_body(ref("GiveBusinessRole")), answers=_ROLES)
def give_role(query: dict[str, Any], person_id: str) -> Response:
    """Give one of the business's people another role."""
    return _give(person_id, _own())


@SECTION.endpoint(f"{_MINE}/{_PERSON}/roles/<id:role>", method="DELETE", answers=_ROLES, problems=_OWN)
def take_role(query: dict[str, Any], person_id: str, role: str) -> Response:
    """Take a role from one of the business's people; without any, their sessions end at once."""
    return _take(person_id, role, _own())


@SECTION.endpoint(
    f"{_MINE}/{_PERSON}/sessions", method="DELETE", answers={200: Answer(tells="Ended.", schema=ref("Ended"))}
)
def end_sessions_of_colleague(query: dict[str, Any], person_id: str) -> Response:
    """End every session that one of the business's people has here."""
    return _end(person_id, _own())


def _own() -> Place:
    return Place(contractor_id=call().keyholder.contractor_id)


def _list(place: Place) -> Response:
    with service().database.reading(None) as store:
        rows = list_members(store, place)
    return Reply(status=200, body={"staff": [_shown(row) for row in rows]}).response()


def _give(person: str, place: Place) -> Response:
    body = read_object(sent_object())
    refuse_unknown(body, "role")
    role = MemberRole(choice_member(body, "role", roles_in(place)))
    with service().database.transaction(log_of(place.county)) as store:
        if not is_member(store, person, place):
            raise absent()
        add_role(store, person, place, role, Via.INVITATION, call().keyholder.key_id, call().now)
        roles = current_roles(store, person, place)
    return _roles(person, roles)


def _take(person: str, role: str, place: Place) -> Response:
    if role not in [str(one) for one in roles_in(place)]:
        raise absent()
    if person == call().keyholder.person and role in (MemberRole.MANAGER, MemberRole.OFFICE):
        raise Problem(409, "own-role", "Let somebody else take this role from you: there must be one left.")
    with service().database.transaction(log_of(place.county)) as store:
        if not end_role(store, person, place, MemberRole(role), call().keyholder.key_id, call().now):
            raise absent()
        roles = current_roles(store, person, place)
    return _roles(person, roles)


def _end(person: str, place: Place) -> Response:
    with service().database.transaction(log_of(place.county)) as store:
        if not is_member(store, person, place):
            raise absent()
        ended = end_sessions(store, person, place, call().keyholder.key_id, call().now)
    return Reply(status=200, body={"ended": ended}).response()


def _roles(person: str, roles: tuple[MemberRole, ...]) -> Response:
    return Reply(status=200, body={"person": person, "roles": [str(role) for role in roles]}).response()


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: row[name] for name in ("person", "name", "email", "role", "via")}
    return {**named, "since": instant(row["started_at"])}
