"""Invitations: a county's staff, a business's first person, an office's colleagues; and the page that accepts one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from notifications.access import invitation_notice
from reporting.access.entries import log_of
from reporting.access.invitations import Acceptance, accept, first_of_business, invite, setup_secret, withdraw
from reporting.access.outcomes import Refused
from reporting.access.totp import setup_uri, shown_secret
from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, service
from reporting.api.cookies import refuse_other_sites
from reporting.api.entering import ENTERED, TRIES_PROBLEMS, let_in, letter, queue, refuse, server_secret
from reporting.api.forms import as_pages, field, form, form_or_object, page, paragraph, wants_page
from reporting.api.members import address_member, choice_member, refuse_unknown, text_member
from reporting.api.moments import instant
from reporting.api.openapi import Answer, Section, form_body, json_body
from reporting.api.problems import Problem, absent, field_error, unprocessable
from reporting.api.shapes import ref
from reporting.errors import AccessRefused
from reporting.store.engine import Store
from reporting.store.invitations import INVITATION_LIFE, find_invitation, list_invitations
from reporting.store.people import get_contractor
from reporting.store.persons import Place
from reporting.store.roles import BUSINESS_ROLES, COUNTY_ROLES, MemberRole
from reporting.store.sessions import Method
from reporting.store.signin import SECRET, count_attempt
from schemas.loader import shipped_program

SECTION: Final = Section("invitations", __name__, description="How people come in: invited, by mail, once.")
INVITATIONS_A_DAY: Final = 200
"""Invitations that one holder of a credential may send in a day."""
_COUNTY: Final = "/v1/<slug:county>/invitations"
_MINE: Final = "/v1/contractors/me/invitations"
_ACCEPT: Final = "/invitations"
_BOTH: Final = ("application/json", "text/html")
_MADE: Final = {201: Answer(tells="Invited; the mail is on its way.", schema=ref("Invitation"))}
_LISTED: Final = {200: Answer(tells="The invitations.", schema=ref("Invitations"))}
_WITHDRAWN: Final = {200: Answer(tells="Withdrawn.", schema=ref("Invitation"))}
_FULL: Final = {429: "Too many invitations today."}


@SECTION.endpoint(_COUNTY, answers=_LISTED)
def list_county_invitations(query: dict[str, Any], county: str) -> Response:
    """Whom the county has invited to its staff, and what came of it."""
    return _list(Place(county=county))


@SECTION.endpoint(_COUNTY, method="POST", body=json_body(ref("Invite")), answers=_MADE, problems=_FULL)
def invite_somebody(query: dict[str, Any], county: str) -> Response:
    """Invite somebody to the staff (`role`), or the first person of a business (`license_number`)."""
    body = read_object(sent_object())
    refuse_unknown(body, "email", "role", "license_number")
    email, number = address_member(body), text_member(body, "license_number")
    if ("role" in body) == bool(number):
        message = "Give either role, for the county's staff, or license_number, for the first person of a business."
        raise unprocessable(message, [field_error("role", "required", message)])
    if not number:
        return _invite(email, Place(county=county), MemberRole(choice_member(body, "role", COUNTY_ROLES)))
    with service().database.reading(None) as store:
        try:
            place = first_of_business(store, number, email, county if call().keyholder.county else None)
        except AccessRefused as error:
            raise unprocessable(error.detail, [field_error("license_number", "refused", error.detail)]) from error
    return _invite(email, place, MemberRole.OFFICE)


@SECTION.endpoint(f"{_COUNTY}/<id:invitation_id>", method="DELETE", answers=_WITHDRAWN)
def withdraw_county_invitation(query: dict[str, Any], county: str, invitation_id: str) -> Response:
    """Take an open invitation of the county back."""
    return _withdraw(invitation_id, Place(county=county))


@SECTION.endpoint(_MINE, answers=_LISTED)
def list_my_invitations(query: dict[str, Any]) -> Response:
    """Whom the business has invited, and what came of it."""
    return _list(_own())


@SECTION.endpoint(_MINE, method="POST", body=json_body(ref("InviteColleague")), answers=_MADE, problems=_FULL)
def invite_colleague(query: dict[str, Any]) -> Response:
    """Invite a technician, or somebody of the office, who may invite others and make keys."""
    body = read_object(sent_object())
    refuse_unknown(body, "email", "role")
    return _invite(address_member(body), _own(), MemberRole(choice_member(body, "role", BUSINESS_ROLES)))


@SECTION.endpoint(
    f"{_MINE}/<id:invitation_id>", method="DELETE", answers=_WITHDRAWN, problems={404: "There is none such."}
)
def withdraw_my_invitation(query: dict[str, Any], invitation_id: str) -> Response:
    """Take an open invitation of the business back."""
    return _withdraw(invitation_id, _own())


@SECTION.endpoint(
    f"{_ACCEPT}/<id:token>",
    answers={200: Answer(tells="What one is invited to.", schema=ref("InvitationShown"), types=_BOTH)},
    pages=True,
)
@as_pages
def show_invitation(query: dict[str, Any], token: str) -> Response:
    """Where the link of an invitation leads: what it is to, and the form. Looking at it changes nothing."""
    with service().database.reading(None) as store:
        found = find_invitation(store, token, call().now) if SECRET.fullmatch(token) else None
        if found is None:
            raise absent()
        business = get_contractor(store, found["contractor_id"]) if found["contractor_id"] else None
    totp = setup_secret(server_secret(), token) if found["county"] else None
    shown = {
        "role": found["role"],
        "county": found["county"],
        "business_name": business["business_name"] if business else None,
        "expires_at": instant(found["expires_at"]),
        "totp": setup_uri(totp, found["email"], "pumper") if totp else None,
    }
    if wants_page():
        return _page(shown, f"{_ACCEPT}/{token}", shown_secret(totp) if totp else "")
    return Reply(status=200, body=shown).response()


@SECTION.endpoint(
    f"{_ACCEPT}/<id:token>",
    method="POST",
    body=form_body(ref("InvitationAccepted")),
    answers={201: Answer(tells="Accepted, and signed in.", schema=ref("SignedIn"), types=_BOTH), **ENTERED},
    problems=TRIES_PROBLEMS,
    pages=True,
)
@as_pages
def accept_invitation(query: dict[str, Any], token: str) -> Response:
    """Accept an invitation, once; the county's staff chooses a password and sets up the second factor with it."""
    refuse_other_sites()
    body = form_or_object()
    refuse_unknown(body, "name", "password", "code")
    given = Acceptance(
        name=text_member(body, "name", required=True),
        password=text_member(body, "password", longest=128) if "password" in body else "",
        code=text_member(body, "code", longest=40),
    )
    if not SECRET.fullmatch(token):
        raise absent()
    done = accept(service().database, server_secret(), token, given, call().now)
    if isinstance(done, Refused):
        raise refuse(done, Method.INVITATION)
    return let_in(done.token, status=201, codes=done.recovery_codes)


def _own() -> Place:
    return Place(contractor_id=call().keyholder.contractor_id)


def _list(place: Place) -> Response:
    with service().database.reading(None) as store:
        rows = list_invitations(store, place)
    return Reply(status=200, body={"invitations": [_shown(row) for row in rows]}).response()


def _invite(email: str, place: Place, role: MemberRole) -> Response:
    by, now = call().keyholder.key_id, call().now
    with service().database.transaction(log_of(place.county)) as store:
        if count_attempt(store, "invitations by one", by, now, INVITATION_LIFE / 7) > INVITATIONS_A_DAY:
            raise Problem(429, "too-many-invitations", "Too many invitations today.", headers={"Retry-After": "3600"})
        invitation, secret = invite(store, email, place, role, by, now)
        told = letter(email, secret, _ACCEPT, INVITATION_LIFE)
        queue(store, invitation_notice(told, _name(store, place), role.value, is_staff=place.county is not None))
        [row] = [row for row in list_invitations(store, place) if row["id"] == invitation]
    return Reply(status=201, body=_shown(row)).response()


def _name(store: Store, place: Place) -> str:
    if place.county:
        return shipped_program(place.county).name
    business = get_contractor(store, place.holder)
    return business["business_name"] if business else ""


def _withdraw(invitation: str, place: Place) -> Response:
    with service().database.transaction(log_of(place.county)) as store:
        if not withdraw(store, invitation, place, call().keyholder.key_id, call().now):
            raise absent()
        [row] = [row for row in list_invitations(store, place) if row["id"] == invitation]
    return Reply(status=200, body=_shown(row)).response()


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["accepted_at"] is not None:
        state = "accepted"
    elif row["revoked_at"] is not None:
        state = "withdrawn"
    else:
        state = "open" if row["expires_at"] > call().now else "expired"
    instants = {name: instant(row[name]) for name in ("created_at", "expires_at")}
    return {**{name: row[name] for name in ("id", "email", "role", "invited_by", "person")}, **instants, "state": state}


def _page(shown: Mapping[str, Any], action: str, secret: str) -> Response:
    inviter = shown["business_name"] or shipped_program(shown["county"]).name
    fields = [field("name", "Your name", complete="name")]
    if secret:
        told = f"Type this key into your authenticator app, then give the code that it shows: {secret}"
        hint = "12 characters or more; several words make a good one."
        fields.append(field("password", "A new password", "password", complete="new-password", hint=hint))
        fields.append(field("code", "Code of the authenticator app", complete="one-time-code", hint=told))
    words = paragraph(f"{inviter} invites you, as {shown['role']}.")
    return page("You are invited", words, form(action, "Accept", *fields))
