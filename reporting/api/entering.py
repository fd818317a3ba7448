"""What all ways in have in common: the answer that lets somebody in, the refusals, the mails with links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Response, g

from notifications.access import Letter
from notifications.outbox import add_message
from notifications.records import Notice
from reporting.access.outcomes import Refused, Why
from reporting.access.secret import Secret
from reporting.api.calls import Reply, service
from reporting.api.cookies import caller_address, csrf_token, session_cookie, set_session_cookie
from reporting.api.forms import form, page, paragraph, wants_page
from reporting.api.limits import network_of
from reporting.api.moments import instant
from reporting.api.openapi import Answer
from reporting.api.problems import Problem, field_error, unprocessable
from reporting.store.engine import Store
from reporting.store.people import contractors_of
from reporting.store.persons import get_person
from reporting.store.sessions import Session, end_session, find_session
from reporting.store.signin import hash_secret
from schemas.loader import shipped_program

_FAILED: Final = "That is not right, or not good any more. Check what you typed, or start again from the sign-in page."
_TOO_MANY: Final = "Too many tries. Wait a quarter of an hour, then try again."
ENTERED: Final = {
    303: Answer(tells="Signed in by a page: on to the first page of whoever it is.", headers=("Location",))
}
"""What a browser's form is answered with, beside the answer for programs."""
TRIES_PROBLEMS: Final = {
    401: "Not right, or not good any more; it is not told which.",
    403: "Sent by a page of another site.",
    429: "Too many tries; Retry-After says when to go on.",
}


def server_secret() -> Secret:
    """The secret that the workers share."""
    return Secret.of(service().config)


def client() -> str:
    """Whom tries are counted against: the caller's address, or its network where one customer has a whole one."""
    return network_of(caller_address())


def let_in(token: str, *, status: int = 200, codes: Sequence[str] = ()) -> Response:
    """Answer somebody who is in: the cookie, under a new id, and who they are. The session before it is over."""
    with service().database.reading(None) as store:
        session = find_session(store, token, g.now)
        assert session is not None, "it has just begun"
        shown = session_body(store, session, token)
    if codes:
        shown["recovery_codes"] = list(codes)
    _end_the_one_before()
    response = _entered(shown, codes, status) if wants_page() else Reply(status=status, body=shown).response()
    set_session_cookie(response, token)
    response.headers["Cache-Control"] = "no-store"
    return response


def session_body(store: Store, session: Session, token: str) -> dict[str, Any]:
    """What a session is told of itself."""
    principal = session.principal
    person = get_person(store, principal.person) if principal.person else None
    return {
        "id": session.id,
        "method": session.method,
        "person": principal.person,
        "name": person["name"] if person else None,
        "county": principal.county,
        "contractor_id": principal.contractor_id,
        "system": principal.system,
        "roles": [str(role) for role in principal.member_roles],
        "scopes": sorted(str(scope) for scope in principal.scopes),
        "created_at": instant(session.created_at),
        "expires_at": instant(session.expires_at),
        "csrf_token": csrf_token(token),
    }


def refuse(refused: Refused, method: str) -> Problem:
    """The problem of a sign-in that came to nothing; the service's log is told how, and not under which address."""
    service().log.warning(
        "signin_refused", request_id=g.get("request_id"), method=method, why=refused.why.value, address=caller_address()
    )
    if refused.why is Why.TOO_MANY:
        return Problem(429, "too-many-tries", _TOO_MANY, headers={"Retry-After": "900"})
    if refused.why is Why.CHOOSE:
        with service().database.reading(None) as store:
            names = place_names(store, refused)
        name = "county" if refused.places[0].county else "contractor_id"
        message = f"Say in which place you want to work, as {name}: {', '.join(names)}."
        return Problem(
            422, "choose", message, errors=[field_error(name, "required", message)], extra={"choices": names}
        )
    if refused.why is Why.WEAK_PASSWORD:
        return unprocessable(refused.text, [field_error("password", "weak", refused.text)])
    if refused.why is Why.NO_ROLE:
        return Problem(403, "no-role", refused.text)
    return Problem(401, "sign-in-failed", refused.text or _FAILED)


def place_names(store: Store, refused: Refused) -> dict[str, str]:
    """The places to choose from, by what names them, with their names for people."""
    ids = [place.contractor_id for place in refused.places if place.contractor_id]
    businesses = contractors_of(store, ids)
    return {
        place.holder: shipped_program(place.county).name if place.county else businesses[place.holder]["business_name"]
        for place in refused.places
    }


def letter(recipient: str, secret: str, path: str, life: Any) -> Letter:
    """What a mail with a link says; the link's secret is not what names the message."""
    base_url = service().config.base_url
    return Letter(
        recipient=recipient,
        key=hash_secret(secret).hex()[:32],
        link=f"{base_url}{path}/{secret}",
        expires_at=g.now + life,
        base_url=base_url,
    )


def queue(store: Store, notice: Notice) -> None:
    """Put a mail into the outbox of the store's tenant, in the transaction of what it tells."""
    add_message(store, notice, g.now, urlsplit(service().config.base_url).hostname or "localhost")


def _end_the_one_before() -> None:
    old = session_cookie()
    if old is None:
        return
    with service().database.transaction(None) as store:
        before = find_session(store, old, g.now)
        if before is not None:
            end_session(store, before.id, g.now)


def _entered(shown: Mapping[str, Any], codes: Sequence[str], status: int) -> Response:
    """On to the first page of whoever is in; codes that are shown once are shown before."""
    if not codes:
        return Response(status=303, headers={"Location": "/"})
    kept = (
        paragraph("Without your phone, each of these codes signs you in once. Print them: they are not shown again.")
        + "<ul>" + "".join(f"<li><code>{code}</code></li>" for code in codes) + "</ul>"
        + '<p><a class="usa-button" href="/">I have them: go on</a></p>'
    )  # fmt: skip
    leave = form("/signout", "Sign out", hidden={"csrf_token": shown["csrf_token"]})
    return page("Signed in", paragraph(f"You are signed in, {shown['name']}."), kept, leave, status=status)
