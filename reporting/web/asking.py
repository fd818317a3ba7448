"""How pages ask and tell: by the functions that answer over HTTP, in the county of whoever is signed in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from flask import Response, g, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.bodies import give_object
from reporting.api.calls import call
from reporting.api.forms import form_or_object
from reporting.api.problems import Problem, absent, field_error, of_error, unprocessable
from reporting.api.queries import Query
from reporting.errors import PumperError
from reporting.store.roles import Scope

PAGE_SIZE: Final = 25
DONE: Final = "done"
"""The parameter that says on the next page what was done."""
_NEXT: Final = re.compile(r"<([^<>]+)>")
View = Callable[..., Response]
Answer = Callable[..., AnyResponse]


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What an endpoint answers; `more`: the address of the list's next page, `None` on the last."""

    body: dict[str, Any]
    more: str | None

    @property
    def cursor(self) -> str | None:
        """Where the next page goes on."""
        return next(iter(parse_qs(urlsplit(self.more or "").query).get("cursor", ())), None)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What came of a form: the endpoint's answer, or what is wrong; `errors`: the message of each field."""

    body: dict[str, Any] = field(default_factory=dict)
    status: int = 200
    summary: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.status < 400


def in_own_county(view: Answer) -> Answer:
    """Let a page be of the county that the caller is of, as if the address named it."""

    @wraps(view)
    def shown(**values: Any) -> AnyResponse:
        county = call().keyholder.county
        if county is None:
            raise absent()
        g.call = replace(call(), county=county)
        return view(**values)

    return shown


def query_of(schema: type[Query], *own: str) -> dict[str, Any]:
    """The parameters of the page's address, read as the endpoint reads them; empty fields of a form ask nothing.

    own: parameters of the page alone, left out.
    """
    values = {n: v for n, v in request.args.items() if v.strip() and n not in (DONE, *own)}
    if "limit" in schema().fields:
        values.setdefault("limit", str(PAGE_SIZE))
    wrong = schema().validate(values)
    if wrong:
        errors = [field_error(n[:60], "bad_value", " ".join(map(str, told))) for n, told in wrong.items()]
        raise unprocessable(f"{errors[0]['field']}: {errors[0]['message']}", errors, "query")
    return dict(schema().load(values))


def ask(view: View, query: Mapping[str, Any] | None = None, **ids: str) -> Listed:
    """What an endpoint answers this caller. Raises its problems."""
    response = view(dict(query or {}), call().county or "", **ids)
    return Listed(body=response.get_json(), more=next_address(response.headers.get("Link", "")))


def next_address(header: str) -> str | None:
    """The address of a list's next page, from the Link header of this one; `None` on the last."""
    link = _NEXT.search(header)
    return link[1] if link else None


def without_county(view: View) -> View:
    """An endpoint of a business or a person, which names no county, to be asked and told as the county's are."""
    return lambda query, county, **ids: view(query, **ids)


def form_values() -> dict[str, Any]:
    """What the page's form says, but for the token that every form has."""
    return {name: value for name, value in form_or_object().items() if name != "csrf_token"}


def tell(view: View, values: Mapping[str, Any], query: Mapping[str, Any] | None = None, **ids: str) -> Told:
    """Do what an endpoint does with these members of its body; what is refused is told, absence is raised."""
    give_object(values)
    try:
        response = view(dict(query or {}), call().county or "", **ids)
    except Problem as problem:
        return _refused(problem)
    except PumperError as error:
        return _refused(of_error(error))
    body = response.get_json()
    if response.status_code >= 400:
        errors = body.get("errors", ())
        return _refused(Problem(response.status_code, "refused", body["detail"], errors=errors))
    return Told(body=body, status=response.status_code)


def go(path: str, done: str) -> AnyResponse:
    """On to a page that says what was done (`done`: one of `desk/done.html`)."""
    page, _, place = path.partition("#")
    return redirect(f"{page}?{DONE}={done}{'#' if place else ''}{place}", 303)


def may(scope: Scope) -> bool:
    """Whether the caller may do this."""
    return scope in call().keyholder.scopes


def _refused(problem: Problem) -> Told:
    if problem.status in (401, 403, 404) or problem.status >= 500:
        raise problem
    errors: dict[str, str] = {}
    for error in problem.errors:
        errors.setdefault(str(error.get("field") or ""), str(error["message"]))
    return Told(status=problem.status, summary=problem.detail, errors=errors)
