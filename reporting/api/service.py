"""Whether the service lives and can work, and its own description."""

from __future__ import annotations

import datetime as dt
import hashlib
from base64 import b64encode
from typing import Any, Final

from flask import Response, g

from reporting.api.calls import Reply, service
from reporting.api.moments import instant
from reporting.api.openapi import Answer, Section, document
from reporting.api.pages import SHAPES, STYLE, docs_page, shapes_page
from reporting.api.problems import Problem
from reporting.errors import StoreError
from reporting.store.copying import moved_to
from reporting.store.log import SERVICE_LOG
from reporting.store.mail import due_since
from reporting.store.migrate import is_current
from schemas.loader import shipped_slugs

SECTION: Final = Section("service", __name__, description="Health and description.")
_STATE: Final = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
_READY: Final = {
    "type": "object",
    "required": ["status"],
    "properties": {"status": {"type": "string"}, "mail": {"enum": ["ok", "behind"]}},
}
_MAIL_LATE: Final = dt.timedelta(minutes=15)
_CONTACT_HOLDS: Final = dt.timedelta(days=180)
"""RFC 9116 wants less than a year; the day moves on as long as the service runs."""
_STYLE_HASH: Final = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


@SECTION.endpoint("/healthz", answers={200: Answer(tells="The process answers.", schema=_STATE)})
def healthz(query: dict[str, Any]) -> Response:
    """Whether the process lives."""
    return Reply(status=200, body={"status": "ok"}).response()


@SECTION.endpoint(
    "/readyz",
    answers={200: Answer(tells="Reports can be taken.", schema=_READY)},
    problems={503: "The database cannot be reached, is not up to date or was moved, or no worker is at work."},
)
def readyz(query: dict[str, Any]) -> Response:
    """Whether all works: the database can be reached and is up to date, and a worker, if there must be one, lives.

    `mail` is `behind` when some mail has been due for more than a quarter of an hour, as with a relay out of reach:
    reports can be taken all the same. `/metrics` and each county's `/mail` say whose.
    """
    try:
        current = is_current(service().config.database_url)
        moved = current and _is_moved()
        working = not current or _is_worked_for()
        told = {"mail": "behind" if current and _is_mail_behind() else "ok"}
    except StoreError as error:
        raise Problem(503, "unavailable", error.message, headers={"Retry-After": "5"}) from error
    if not current:
        detail = "The database is not up to date: run `pumper init`."
        raise Problem(503, "not-migrated", detail, headers={"Retry-After": "30"})
    if moved:
        raise Problem(503, "moved", "The database was moved: this is the former one.", headers={"Retry-After": "30"})
    if not working:
        detail = "No worker has been seen for minutes: nothing is scanned and no mail goes out."
        raise Problem(503, "no-worker", detail, headers={"Retry-After": "30"})
    return Reply(status=200, body={"status": "ready", **(told if service().worker_alive else {})}).response()


def _is_mail_behind() -> bool:
    if service().worker_alive is None:
        return False
    for county in (SERVICE_LOG, *shipped_slugs()):
        with service().database.reading(county) as store:
            since = due_since(store, g.now)
        if since is not None and g.now - since > _MAIL_LATE:
            return True
    return False


def _is_moved() -> bool:
    with service().database.reading(None) as store:
        return moved_to(store) is not None


def _is_worked_for() -> bool:
    alive = service().worker_alive
    if alive is None:
        return True
    with service().database.reading(None) as store:
        return alive(store, g.now)


@SECTION.endpoint(
    "/.well-known/security.txt",
    answers={200: Answer(tells="Whom to tell, RFC 9116.", schema={"type": "string"}, types=("text/plain",))},
    problems={404: "The operator has not said whom to tell."},
)
def security_txt(query: dict[str, Any]) -> Response:
    """Whom to tell of a weakness, in the form of RFC 9116."""
    config = service().config
    if config.security_contact is None:
        raise Problem(404, "not-found", "The operator has not said whom to tell: ask the county.")
    expires = (g.now + _CONTACT_HOLDS).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = (
        f"Contact: {config.security_contact}",
        f"Expires: {instant(expires)}",
        "Preferred-Languages: en",
        f"Canonical: {config.base_url}/.well-known/security.txt",
    )
    return Response("".join(f"{line}\n" for line in lines), mimetype="text/plain")


@SECTION.endpoint("/openapi.json", answers={200: Answer(tells="OpenAPI 3.1.", schema={"type": "object"})})
def openapi(query: dict[str, Any]) -> Response:
    """This description, for programs."""
    return Reply(status=200, body=document()).response()


@SECTION.endpoint("/docs", answers={200: Answer(tells="A page.", schema={"type": "string"}, types=("text/html",))})
def docs(query: dict[str, Any]) -> Response:
    """This description, for people."""
    return _described(docs_page(document()))


@SECTION.endpoint(SHAPES, answers={200: Answer(tells="A page.", schema={"type": "string"}, types=("text/html",))})
def docs_shapes(query: dict[str, Any]) -> Response:
    """What bodies and answers are made of, for people."""
    return _described(shapes_page(document()))


def _described(page: str) -> Response:
    response = Response(page, mimetype="text/html")
    policy = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'"
    response.headers["Content-Security-Policy"] = policy
    return response
