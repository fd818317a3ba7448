"""A page from its template: the frame that all share, its headers, the words and dates as people here write them."""

from __future__ import annotations

import hashlib
from datetime import date
from functools import cache
from typing import Any, Final

from flask import Response, g, request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from notifications.dates import long_day, plain_days
from notifications.kinds import KINDS
from notifications.standing_pdf import standing_words
from reporting.api.calls import Call, service
from reporting.api.cookies import CSRF_FIELD, csrf_token, session_cookie
from reporting.api.problems import Problem
from reporting.intake.signatures import is_drawn
from reporting.store.roles import Principal, Role
from reporting.web.assets import asset_path
from schemas.loader import shipped_program, shipped_slugs

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'; worker-src 'self'"
)
_KINDS: Final = {
    "pump": "Pumping",
    "inspect_tank": "Inspection of the tank",
    "pump_or_inspect": "Pumping or inspection",
    "pump_and_inspect": "Pumping and inspection",
    "inspect_dispersal": "Inspection of the dispersal component",
    "service_holding": "Pumping of the holding tank",
    "period_report": "Report for the period",
    "missing_report": "Report of a service",
    "annual_certification": "Yearly certification",
    "area_pumping": "Pumping in the area's window",
    "schedule_pumping": "Scheduling the pumping",
}


def render(template: str, *, status: int = 200, path: str | None = None, **values: Any) -> Response:
    """A whole page from `templates/<template>.html`. `path`: what the navigation marks, else the page's own address."""
    frame = {**_frame(), **({} if path is None else {"path": path})}
    text = _templates().get_template(f"{template}.html").render(**frame, **values)
    response = Response(text, status, mimetype="text/html")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-store"
    return response


def framed(title: str, html: str, status: int) -> Response:
    """A page from HTML that is ready, for `reporting.api.forms`; whatever came from outside is escaped in it."""
    return render("framed", status=status, title=title, html=html)


def problem_page(problem: Problem) -> Response:
    """What is wrong, in words, with what to do; the headers that the problem has anywhere."""
    if request.accept_mimetypes.best == "application/json":
        return problem.response()  # a script of a page asks
    # Nothing is marked: what is absent looks the same under every address.
    response = render("problem", status=problem.status, path="", problem=problem)
    response.headers.update(problem.headers)
    return response


def county_names() -> dict[str, str]:
    """The counties and districts by their slugs, in the order of their names."""
    return dict(sorted(((slug, shipped_program(slug).name) for slug in shipped_slugs()), key=lambda pair: pair[1]))


def words(name: object) -> str:
    """A name of the API as words: `due_soon` → `due soon`."""
    return str(name).replace("_", " ")


def whose(principal: Principal | None) -> str:
    """A mark of a person in a business, by which a phone tells whose pages and reports it keeps; "" for all others."""
    if principal is None or principal.role is not Role.CONTRACTOR or principal.session is None:
        return ""
    return hashlib.sha256(f"{principal.contractor_id}:{principal.person}".encode()).hexdigest()[:16]


def duty_words(kind: object) -> str:
    """A kind of duty as people call it."""
    return _KINDS.get(str(kind), words(kind).capitalize())


def _frame() -> dict[str, Any]:
    call: Call | None = g.get("call")
    principal = call.principal if call else None
    token = session_cookie()
    return {
        "role": principal.role if principal else None,
        "roles": Role,
        "principal": principal,
        "csrf_field": CSRF_FIELD,
        "csrf": csrf_token(token) if token and principal and principal.session else "",
        "path": request.path,
        "whose": whose(principal),
        "sandbox": service().config.sandbox,
    }


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("reporting.web", "templates"),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals |= {"asset": asset_path, "county_names": county_names}
    found.tests["drawn"] = is_drawn
    found.filters |= {
        "words": words,
        "standing": standing_words,
        "duty": duty_words,
        "day": _day,
        "plain_days": plain_days,
        "notice": lambda kind: KINDS[kind].title if kind in KINDS else words(kind),
        "number": lambda value: f"{value:,}",
    }
    return found


def _day(value: date | str | None) -> str:
    """`July 8, 2026` with its weekday; nothing for none."""
    if not value:
        return ""
    return long_day(value if isinstance(value, date) else date.fromisoformat(value[:10]))
