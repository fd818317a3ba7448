"""Who works here and as what: a county's staff, and the people of a business; invited, given and losing roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.access.staff import roles_in
from reporting.api import invitations, staff
from reporting.api.calls import call, service
from reporting.store.factors import factors_of
from reporting.store.persons import Place, SignsIn, get_person
from reporting.store.roles import SCOPES_OF, Scope
from reporting.store.sessions import list_sessions
from reporting.web.asking import DONE, Told, ask, form_values, go, in_own_county, tell, without_county
from reporting.web.desk_words import render_desk
from reporting.web.rendering import render, words

View = Callable[..., Response]
SCOPE_WORDS: Final = {
    Scope.REPORTS_WRITE: "send, correct and take back reports",
    Scope.REPORTS_READ: "read reports",
    Scope.SYSTEMS_READ: "read systems and what is due",
    Scope.FACTS_WRITE: "enter the inventory, papers, letters and what owners tell",
    Scope.REVIEWS_READ: "read reports in doubt",
    Scope.REVIEWS_WRITE: "decide on reports in doubt",
    Scope.CASES_WRITE: "open cases and take them further",
    Scope.SETTINGS_WRITE: "change settings",
    Scope.RECORD_READ: "read the log and the whole record",
    Scope.KEYS_MANAGE: "make and end keys",
    Scope.PEOPLE_MANAGE: "invite people and give roles",
}
"""What a scope lets somebody do, in words."""


@dataclass(frozen=True, kw_only=True)
class Office:
    """Whose people a page is about: where it and its forms stand, and the endpoints that it asks."""

    path: str
    actions: str
    people: View
    invited: View
    invite: View
    withdraw: View
    give: View
    take: View
    end: View
    of_county: bool
    invitations: str


COUNTY: Final = Office(
    path="/desk/users",
    actions="/desk/users",
    people=staff.list_staff,
    invited=invitations.list_county_invitations,
    invite=invitations.invite_somebody,
    withdraw=invitations.withdraw_county_invitation,
    give=staff.give_staff_role,
    take=staff.take_staff_role,
    end=staff.end_staff_sessions,
    of_county=True,
    invitations="/desk/invitations",
)
BUSINESS: Final = Office(
    path="/office",
    actions="/office/people",
    people=without_county(staff.list_people),
    invited=without_county(invitations.list_my_invitations),
    invite=without_county(invitations.invite_colleague),
    withdraw=without_county(invitations.withdraw_my_invitation),
    give=without_county(staff.give_role),
    take=without_county(staff.take_role),
    end=without_county(staff.end_sessions_of_colleague),
    of_county=False,
    invitations="/office/invitations",
)


def _show(of: Office) -> AnyResponse:
    return _page(of, {}, None)


def _invite(of: Office) -> AnyResponse:
    values = {name: value for name, value in form_values().items() if value != ""}
    told = tell(of.invite, values)
    return go(of.path, "invited") if told.ok else _page(of, values, told)


def _give(of: Office, person_id: str) -> AnyResponse:
    told = tell(of.give, {"role": form_values().get("role", "")}, person_id=person_id)
    return go(of.path, "role_given") if told.ok else _page(of, {}, told)


def _take(of: Office, person_id: str) -> AnyResponse:
    told = tell(of.take, {}, person_id=person_id, role=str(form_values().get("role", "")))
    return go(of.path, "role_taken") if told.ok else _page(of, {}, told)


def _end(of: Office, person_id: str) -> AnyResponse:
    told = tell(of.end, {}, person_id=person_id)
    return go(of.path, "sessions_ended") if told.ok else _page(of, {}, told)


def _withdraw(of: Office, invitation_id: str) -> AnyResponse:
    told = tell(of.withdraw, {}, invitation_id=invitation_id)
    return go(of.path, "withdrawn") if told.ok else _page(of, {}, told)


def _page(of: Office, values: Mapping[str, Any], told: Told | None) -> Response:
    roles = [str(role) for role in roles_in(_place(of))]
    show = render_desk if of.of_county else render
    return show(
        "users" if of.of_county else "desk/users",
        status=told.status if told else 200,
        of=of,
        people=_people(of, ask(of.people).body["staff"]),
        invited=[row for row in ask(of.invited).body["invitations"] if row["state"] == "open"],
        offered=[(role, words(role).capitalize()) for role in roles],
        scopes={role: sorted(str(scope) for scope in SCOPES_OF[role]) for role in roles_in(_place(of))},
        scope_words=SCOPE_WORDS,
        values=values,
        told=told,
        **({} if of.of_county else {"done": request.args.get(DONE, "")}),
    )


def _people(of: Office, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each person with the roles, how they sign in, and how often they are signed in here now."""
    found: dict[str, dict[str, Any]] = {}
    with service().database.reading(None) as store:
        for row in rows:
            if row["person"] not in found:
                person = get_person(store, row["person"]) or {}
                sessions = [one for one in list_sessions(store, row["person"], call().now) if _is_here(of, one)]
                found[row["person"]] = {
                    **{name: row[name] for name in ("person", "name", "email")},
                    "roles": [],
                    "by_provider": person.get("signs_in") == SignsIn.OIDC.value,
                    "second_factor": factors_of(store, row["person"]) is not None,
                    "sessions": len(sessions),
                }
            found[row["person"]]["roles"].append({"role": row["role"], "since": row["since"], "via": row["via"]})
    return list(found.values())


def _is_here(of: Office, session: Mapping[str, Any]) -> bool:
    place = _place(of)
    return (session["county"], session["contractor_id"]) == (place.county, place.contractor_id)


def _place(of: Office) -> Place:
    holder = call().keyholder
    return Place(county=holder.county) if of.of_county else Place(contractor_id=holder.contractor_id)


@in_own_county
def show_users() -> AnyResponse:
    """The county's staff, who was invited, and the form to invite somebody."""
    return _show(COUNTY)


@in_own_county
def invite_user() -> AnyResponse:
    """Invite somebody to the staff, or the first person of a business."""
    return _invite(COUNTY)


@in_own_county
def give_user_role(person_id: str) -> AnyResponse:
    """Give one of the staff another role."""
    return _give(COUNTY, person_id)


@in_own_county
def take_user_role(person_id: str) -> AnyResponse:
    """Take a role from one of the staff; without any, the sessions end."""
    return _take(COUNTY, person_id)


@in_own_county
def end_user_sessions(person_id: str) -> AnyResponse:
    """Sign one of the staff out everywhere."""
    return _end(COUNTY, person_id)


@in_own_county
def withdraw_invitation(invitation_id: str) -> AnyResponse:
    """Take an open invitation back."""
    return _withdraw(COUNTY, invitation_id)


def show_colleagues() -> AnyResponse:
    """The business's people, for its office."""
    return _show(BUSINESS)


def invite_a_colleague() -> AnyResponse:
    """Invite a technician, or somebody of the office."""
    return _invite(BUSINESS)


def give_colleague_role(person_id: str) -> AnyResponse:
    """Give one of the business's people another role."""
    return _give(BUSINESS, person_id)


def take_colleague_role(person_id: str) -> AnyResponse:
    """Take a role from one of the business's people."""
    return _take(BUSINESS, person_id)


def end_colleague_sessions(person_id: str) -> AnyResponse:
    """Sign one of the business's people out everywhere."""
    return _end(BUSINESS, person_id)


def withdraw_colleague(invitation_id: str) -> AnyResponse:
    """Take an open invitation of the business back."""
    return _withdraw(BUSINESS, invitation_id)
