"""For a business without a signal: the worker that keeps pages and reports on the phone, and the list of what waits."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from flask import Response, request

from reporting.api.calls import Reply, call
from reporting.api.cookies import csrf_token, session_cookie
from reporting.api.once import HEADER
from reporting.web.assets import asset_path
from reporting.web.hauler_chosen import Errors, said, summary_of
from reporting.web.hauler_fields import SIGNING, title_of
from reporting.web.rendering import render, whose
from schemas.calendar import COUNTY_TIME_ZONE
from schemas.fields import FIELDS, Type

_SHELL: Final = (
    "uswds.css", "site.css", "favicon.svg", "kept.js", "phone.js", "waiting.js", "pad.js", "look.js",
)  # fmt: skip
"""What the kept pages load; the reader of codes needs a signal, and is fetched where it is asked for."""
_WORKER_POLICY: Final = (
    "default-src 'none'; connect-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
KINDS: Final = ("pumping", "pumping_and_inspection", "inspection")
"""The services whose forms are on the phone for every system of today's list."""


def show_waiting() -> Response:
    """The reports that are on this phone and not with the county yet. The phone fills the list in: it alone knows."""
    titles = {name: title_of(name) for name in FIELDS if name not in SIGNING}
    dates = [name for name, field in FIELDS.items() if field.type is Type.DATE]
    choices = [name for name, field in FIELDS.items() if field.type is Type.CHOICE]
    return render(
        "hauler/waiting",
        titles=json.dumps(titles),
        dates=json.dumps(dates),
        choices=json.dumps(choices),
        zone=COUNTY_TIME_ZONE,
    )


def show_who() -> Response:
    """Whose session this is, and what a change must bring along: a phone asks just before it sends."""
    body = {"whose": whose(call().principal), "csrf": csrf_token(session_cookie() or "")}
    return Reply(status=200, body=body).response()


def serve_worker() -> Response:
    """The service worker, from the root so that it may stand before every page; the same bytes until an upgrade."""
    response = Response(_worker(), mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    # What a worker may fetch follows from its own answer's policy (CSP 3, "Policy applicability").
    response.headers["Content-Security-Policy"] = _WORKER_POLICY
    return response


@cache
def _worker() -> str:
    known = {"shell": [asset_path(name) for name in _SHELL], "kept": asset_path("kept.js"), "zone": COUNTY_TIME_ZONE}
    text = (files("reporting.web") / "static" / "worker.js").read_text("utf-8")
    return f'"use strict";\nconst KNOWN = {json.dumps(known)};\n{text}'


def by_phone() -> bool:
    """Whether the phone sends what it kept, and wants the answer as JSON: it brings the form's key as a header."""
    return HEADER in request.headers


def sent_to_phone(path: str) -> Response:
    """The phone's report is in: where to see it."""
    return Reply(status=200, body={"sent": path}).response()


def refused_to_phone(errors: Errors) -> Response:
    """What is wrong with the phone's report, each with its field and in the order of the form."""
    return Reply(status=422, body={"errors": summary_of(errors)}).response()


def doubts_for_phone(errors: Errors, doubts: list[dict[str, Any]]) -> Errors:
    """What has to be confirmed, said at its field: the phone shows no form to tick it in."""
    told: Errors = {name: list(rows) for name, rows in errors.items() if name != "confirm"}
    for one in doubts if "confirm" in errors else ():
        told.setdefault(str(one["field"]), []).append(said(str(one["message"])))
    return told
