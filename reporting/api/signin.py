"""Ways in for people: a link by mail, password and code, an owner's letter. No answer tells who is known here."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from flask import Response

from notifications.access import signin_notice
from reporting.access.links import let_owner_in, request_link, use_link
from reporting.access.outcomes import Refused, Why
from reporting.access.signin import PasswordTry, device_of, sign_in
from reporting.api.calls import Reply, call, service
from reporting.api.cookies import read_cookie, refuse_other_sites, set_cookie
from reporting.api.entering import (
    ENTERED,
    TRIES_PROBLEMS,
    client,
    let_in,
    letter,
    place_names,
    queue,
    refuse,
    server_secret,
)
from reporting.api.forms import as_pages, choice, field, form, form_or_object, page, paragraph, wants_page
from reporting.api.members import address_member, refuse_unknown, secret_member, text_member
from reporting.api.openapi import Answer, Section, form_body
from reporting.api.problems import Problem, absent
from reporting.api.shapes import ref
from reporting.store.log import SERVICE_LOG
from reporting.store.persons import get_person
from reporting.store.sessions import Method
from reporting.store.signin import LINK_LIFE, SECRET, count_attempt
from schemas.loader import shipped_program

SECTION: Final = Section("signin", __name__, description="Ways in for people; programs bring a key.")
LINKS_BY_ONE: Final = 30
"""Links that one address of the network may ask for in an hour, for whomever."""
DEVICE_LIFE: Final = timedelta(days=180)
_HOUR: Final = timedelta(hours=1)
_DEVICE: Final = "pumper-device"
_SENT: Final = "If this address is known here, a mail with a link is on its way. It works once, for 15 minutes."
_PAGE: Final = {200: Answer(tells="A page with a form.", schema={"type": "string"}, types=("text/html",))}
_BOTH: Final = ("application/json", "text/html")
_IN: Final = {200: Answer(tells="Signed in; the cookie is set.", schema=ref("SignedIn")), **ENTERED}
_LINK: Final = "/signin/link"


@SECTION.endpoint("/signin", answers=_PAGE)
@as_pages
def show_signin(query: dict[str, Any]) -> Response:
    """The ways in, on a page."""
    by_link = form(_LINK, "Send me a link", field("email", "Mail address", "email", complete="email"))
    by_password = form(
        "/signin",
        "Sign in",
        field("email", "Mail address", "email", complete="username", place="staff-"),
        field("password", "Password", "password", complete="current-password"),
        field("code", "Code", complete="one-time-code", hint="From your authenticator app; or a recovery code."),
    )
    haulers = "<h2>Haulers</h2>" + paragraph("You get a link by mail; you need no password.")
    return page("Sign in", haulers, by_link, "<h2>The county's staff</h2>", by_password)


@SECTION.endpoint(
    "/signin", method="POST", body=form_body(ref("PasswordSignIn")), answers=_IN, problems=TRIES_PROBLEMS, pages=True
)
@as_pages
def sign_in_by_password(query: dict[str, Any]) -> Response:
    """Sign in with password and one-time code, or a recovery code; a code works once."""
    refuse_other_sites()
    body = form_or_object()
    refuse_unknown(body, "email", "password", "code", "county")
    secret = server_secret()
    given = PasswordTry(
        email=address_member(body),
        password=secret_member(body, "password"),
        code=secret_member(body, "code", longest=40),
        county=text_member(body, "county") or None,
        client=client(),
        device=read_cookie(_DEVICE),
    )
    done = sign_in(service().database, secret, given, call().now)
    if isinstance(done, Refused):
        raise refuse(done, Method.PASSWORD)
    response = let_in(done.token)
    set_cookie(response, _DEVICE, device_of(secret, done.person), DEVICE_LIFE)
    return response


@SECTION.endpoint(
    _LINK,
    method="POST",
    body=form_body(ref("LinkWanted")),
    answers={202: Answer(tells="Always the same.", schema=ref("LinkSent"), types=_BOTH)},
    problems={name: TRIES_PROBLEMS[name] for name in (403, 429)},
    pages=True,
)
@as_pages
def send_link(query: dict[str, Any]) -> Response:
    """Ask for a link by mail. The answer is the same for every address, whether or not a mail goes out."""
    refuse_other_sites()
    body = form_or_object()
    refuse_unknown(body, "email")
    email, now = address_member(body), call().now
    with service().database.transaction(SERVICE_LOG) as store:
        if count_attempt(store, "link by one", client(), now, _HOUR) > LINKS_BY_ONE:
            raise Problem(429, "too-many-tries", "Too many links were asked for from here.", headers=_wait())
        made = request_link(store, email, now)
        if made is not None:
            person, secret = made
            found = get_person(store, person) or {}
            queue(store, signin_notice(letter(email, secret, _LINK, LINK_LIFE), str(found.get("name", ""))))
    if wants_page():
        return page("Look into your mail", paragraph(_SENT), status=202)
    return Reply(status=202, body={"status": "accepted", "detail": _SENT}).response()


@SECTION.endpoint(f"{_LINK}/<id:token>", answers=_PAGE)
@as_pages
def show_link(query: dict[str, Any], token: str) -> Response:
    """Where the link of a mail leads: a button. Looking at it changes nothing and asks nothing of the database."""
    words = paragraph("Press the button to sign in. The link works once.")
    return page("Sign in", words, form(f"{_LINK}/{_secret(token)}", "Sign in"))


@SECTION.endpoint(
    f"{_LINK}/<id:token>",
    method="POST",
    body=form_body(ref("LinkUsed")),
    answers=_IN,
    problems=TRIES_PROBLEMS,
    pages=True,
)
@as_pages
def use_sent_link(query: dict[str, Any], token: str) -> Response:
    """Sign in with a link, once. With roles in several businesses, name one."""
    refuse_other_sites()
    body = form_or_object()
    refuse_unknown(body, "contractor_id")
    secret = _secret(token)
    with service().database.transaction(SERVICE_LOG) as store:
        done = use_link(store, secret, text_member(body, "contractor_id") or None, call().now)
    if isinstance(done, Refused):
        if done.why is Why.CHOOSE and wants_page():
            return _choose(done, f"{_LINK}/{secret}")
        raise refuse(done, Method.LINK)
    return let_in(done.token)


@SECTION.endpoint("/owner/<slug:county>/<id:path>", answers=_PAGE)
@as_pages
def show_owner_link(query: dict[str, Any], county: str, path: str) -> Response:
    """Where an owner's letter leads: a button. Looking at it changes nothing and tells nothing."""
    name = shipped_program(county).name
    words = paragraph(f"Press the button to see what {name} has on file for your system, for half an hour.")
    return page("Your septic system", words, form(f"/owner/{county}/{path}", "Show my system"))


@SECTION.endpoint(
    "/owner/<slug:county>/<id:path>",
    method="POST",
    body=form_body({"type": "object", "additionalProperties": False}),
    answers=_IN,
    problems=TRIES_PROBLEMS,
    pages=True,
)
@as_pages
def use_owner_link(query: dict[str, Any], county: str, path: str) -> Response:
    """Let an owner in for half an hour, for the one system that the letter was about."""
    refuse_other_sites()
    refuse_unknown(form_or_object())
    with service().database.transaction(county) as store:
        if count_attempt(store, "owner link by one", client(), call().now, _HOUR) > LINKS_BY_ONE:
            raise refuse(Refused(why=Why.TOO_MANY), Method.OWNER_LINK)
        token = let_owner_in(store, server_secret(), path, call().now)
    if token is None:
        raise refuse(Refused(why=Why.FAILED), Method.OWNER_LINK)
    return let_in(token)


def _choose(refused: Refused, action: str) -> Response:
    with service().database.reading(None) as store:
        names = place_names(store, refused)
    asked = choice("contractor_id", "For which business do you work now?", list(names.items()))
    return page("Sign in", form(action, "Sign in", asked))


def _secret(token: str) -> str:
    if not SECRET.fullmatch(token):
        raise absent()
    return token


def _wait() -> dict[str, str]:
    return {"Retry-After": "3600"}
