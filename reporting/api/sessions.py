"""Sessions of people who are signed in: this one, the others, and their end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response, g

from reporting.access.entries import log_of, note
from reporting.api.calls import Reply, call, service
from reporting.api.cookies import drop_session_cookie, session_cookie
from reporting.api.entering import session_body
from reporting.api.forms import as_pages, page, paragraph, wants_page
from reporting.api.moments import instant
from reporting.api.openapi import Answer, Section, form_body
from reporting.api.problems import absent
from reporting.api.shapes import ref
from reporting.store.engine import Store
from reporting.store.sessions import end_session, end_sessions_of, list_sessions

SECTION: Final = Section("sessions", __name__, description="Who is signed in.")
_ENDED: Final = {200: Answer(tells="How many sessions ended.", schema=ref("Ended"))}
_FORM: Final = {"type": "object", "properties": {"csrf_token": {"type": "string"}}}


@SECTION.endpoint("/v1/session", answers={200: Answer(tells="Who you are here.", schema=ref("SignedIn"))})
def show_session(query: dict[str, Any]) -> Response:
    """This session: who it is, what it may, and the token that every change sends along."""
    with service().database.reading(None) as store:
        body = session_body(store, g.session, session_cookie() or "")
    return Reply(status=200, body=body).response()


@SECTION.endpoint("/v1/session", method="DELETE", answers=_ENDED)
def end_this_session(query: dict[str, Any]) -> Response:
    """Sign out."""
    return _sign_out()


@SECTION.endpoint(
    "/signout",
    method="POST",
    body=form_body(_FORM),
    answers={200: Answer(tells="Signed out.", schema=ref("Ended"), types=("application/json", "text/html"))},
    pages=True,
)
@as_pages
def sign_out(query: dict[str, Any]) -> Response:
    """Sign out, by the button of a page."""
    return _sign_out()


@SECTION.endpoint("/v1/sessions", answers={200: Answer(tells="Your sessions.", schema=ref("Sessions"))})
def list_own_sessions(query: dict[str, Any]) -> Response:
    """The sessions that you have, in all places; an owner has this one."""
    person = call().keyholder.person
    with service().database.reading(None) as store:
        rows = list_sessions(store, person, call().now) if person else []
    return Reply(status=200, body={"sessions": [_shown(row) for row in rows]}).response()


@SECTION.endpoint("/v1/sessions", method="DELETE", answers=_ENDED)
def end_own_sessions(query: dict[str, Any]) -> Response:
    """Sign out everywhere, here too: for whoever left a session open somewhere."""
    person = call().keyholder.person
    with service().database.transaction(log_of(call().keyholder.county)) as store:
        if person is None:
            ended = int(end_session(store, str(call().keyholder.session), call().now))
        else:
            ended = end_sessions_of(store, person, call().now)
        _note(store, ended)
    response = Reply(status=200, body={"ended": ended}).response()
    drop_session_cookie(response)
    return response


@SECTION.endpoint("/v1/sessions/<id:session_id>", method="DELETE", answers=_ENDED)
def end_own_session(query: dict[str, Any], session_id: str) -> Response:
    """Sign out one of your sessions."""
    principal = call().keyholder
    with service().database.transaction(log_of(principal.county)) as store:
        own = session_id == principal.session
        if not own and principal.person is None:
            raise absent()
        if not end_session(store, session_id, call().now, principal.person):
            raise absent()
        _note(store, 1)
    return Reply(status=200, body={"ended": 1}).response()


def _sign_out() -> Response:
    principal = call().keyholder
    with service().database.transaction(log_of(principal.county)) as store:
        ended = int(end_session(store, str(principal.session), call().now))
        _note(store, ended)
    if wants_page():
        response = page("Signed out", paragraph("You are signed out. Close the browser on a shared computer."))
    else:
        response = Reply(status=200, body={"ended": ended}).response()
    drop_session_cookie(response)
    return response


def _note(store: Store, ended: int) -> None:
    principal = call().keyholder
    content = {"person": principal.person, "session": principal.session, "sessions": ended, "by": principal.key_id}
    note(store, "signed_out", content, call().now)


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    instants = {name: instant(row[name]) for name in ("created_at", "seen_at", "expires_at")}
    named = {name: row[name] for name in ("id", "method", "county", "contractor_id")}
    return {**named, **instants, "this": row["id"] == call().keyholder.session}
