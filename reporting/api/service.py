"""Whether the service lives and can work, and its own description."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from typing import Any, Final

from flask import Response, g

from reporting.api.calls import Reply, service
from reporting.api.openapi import Answer, Section, document
from reporting.api.pages import STYLE, docs_page
from reporting.api.problems import Problem
from reporting.errors import StoreError
from reporting.store.migrate import is_current

SECTION: Final = Section("service", __name__, description="Health and description.")
_STATE: Final = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
_STYLE_HASH: Final = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


@SECTION.endpoint("/healthz", answers={200: Answer(tells="The process answers.", schema=_STATE)})
def healthz(query: dict[str, Any]) -> Response:
    """Whether the process lives."""
    return Reply(status=200, body={"status": "ok"}).response()


@SECTION.endpoint(
    "/readyz",
    answers={200: Answer(tells="Reports can be taken.", schema=_STATE)},
    problems={503: "The database cannot be reached or is not up to date, or no worker is at work."},
)
def readyz(query: dict[str, Any]) -> Response:
    """Whether all works: the database can be reached and is up to date, and a worker, if there must be one, lives."""
    try:
        current = is_current(service().config.database_url)
        working = not current or _is_worked_for()
    except StoreError as error:
        raise Problem(503, "unavailable", error.message, headers={"Retry-After": "5"}) from error
    if not current:
        detail = "The database is not up to date: run `pumper init`."
        raise Problem(503, "not-migrated", detail, headers={"Retry-After": "30"})
    if not working:
        detail = "No worker has been seen for minutes: nothing is scanned and no mail goes out."
        raise Problem(503, "no-worker", detail, headers={"Retry-After": "30"})
    return Reply(status=200, body={"status": "ready"}).response()


def _is_worked_for() -> bool:
    alive = service().worker_alive
    if alive is None:
        return True
    with service().database.reading(None) as store:
        return alive(store, g.now)


@SECTION.endpoint("/openapi.json", answers={200: Answer(tells="OpenAPI 3.1.", schema={"type": "object"})})
def openapi(query: dict[str, Any]) -> Response:
    """This description, for programs."""
    return Reply(status=200, body=document()).response()


@SECTION.endpoint("/docs", answers={200: Answer(tells="A page.", schema={"type": "string"}, types=("text/html",))})
def docs(query: dict[str, Any]) -> Response:
    """This description, for people."""
    response = Response(docs_page(document()), mimetype="text/html")
    policy = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'"
    response.headers["Content-Security-Policy"] = policy
    return response
