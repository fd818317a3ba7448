"""What happens to every call alike: its moment and id, its key, its policy; headers, log line and problems after it."""

from __future__ import annotations

import re
import secrets
import time
import traceback
from ipaddress import ip_address
from typing import Any, Final

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from reporting.api.calls import Call, service
from reporting.api.credentials import note_key_use, session_principal
from reporting.api.forms import problem_page, wants_page
from reporting.api.limits import Kind, Standing, client_address, kind_of, network_of
from reporting.api.policy import POLICIES, Policy, bad_key, decide
from reporting.api.problems import Problem, field_error, of_error, of_http, of_refusal, unprocessable
from reporting.errors import PumperError
from reporting.intake.sheet import FileRefused
from reporting.store.keys import find_key
from reporting.store.roles import Principal

REQUEST_ID: Final = "X-Request-Id"
SANDBOX: Final = "X-Pumper-Sandbox"
"""In every answer of a sandbox, so that a program can tell."""
_OUTSIDE_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
_BEARER: Final = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.ASCII | re.IGNORECASE)
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}
_HSTS: Final = "max-age=31536000"


def guard(app: Flask) -> None:
    """Put the same door before, and the same words behind, every endpoint of the application."""
    app.before_request(_name)
    app.before_request(_let_in)
    app.after_request(_dress)
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(HTTPException, _framework)
    app.register_error_handler(FileRefused, lambda refusal: of_refusal(refusal).response())
    app.register_error_handler(PumperError, _error)
    app.register_error_handler(Exception, _mistake)


def _name() -> None:
    """Give the call an id; one from a proxy in front is kept when it is a plain word."""
    given = request.headers.get(REQUEST_ID, "")
    g.request_id = given if _OUTSIDE_ID.fullmatch(given) else secrets.token_hex(8)
    g.now = service().clock()
    g.began = time.monotonic()


def _let_in() -> None:
    if request.endpoint is None:
        return  # no such address or method: the framework says so, to everybody alike
    policy = POLICIES[request.endpoint]
    if not policy.ignores_key or not request.endpoint.startswith("service."):
        _refuse_plain_http()
    county = (request.view_args or {}).get("county")
    if not policy.ignores_key:
        _refuse_spent(county)
    principal = None if policy.ignores_key else _principal(policy)
    g.call = Call(principal=principal, county=county, now=g.now)
    _limit_own(policy, principal)
    decide(policy, principal, county)
    _limit_county(policy, principal, county)
    _refuse_repeated()


def _refuse_spent(county: str | None) -> None:
    """A key whose minute is used up is told so without a look at whose it is: a flood costs the database nothing."""
    header = request.headers.get("Authorization")
    if header is None:
        return
    kind = kind_of(str(request.endpoint), request.method)
    standing = service().limiter.spent(header, kind, county or "", g.now)
    if standing is not None:
        raise standing.problem()


def _limit_own(policy: Policy, principal: Principal | None) -> None:
    """Count the call against its key's limit or, without a key, its address's. Health is asked freely from here."""
    endpoint = str(request.endpoint)
    if endpoint == "service.healthz" or (endpoint == "service.readyz" and _is_loopback(_client())):
        return
    if principal is None:
        _count_anonymous(alone=policy.ignores_key)
    else:
        kind = kind_of(endpoint, request.method)
        standing = service().limiter.take_own(principal.key_id, kind, g.now)
        _note_spent(kind, "", standing)
        _admit(standing)


def _note_spent(kind: Kind, county: str, standing: Standing | None) -> None:
    header = request.headers.get("Authorization")
    if standing is not None and not standing.ok and header is not None:
        service().limiter.note_spent(header, kind, county, standing, g.now)


def _count_anonymous(*, alone: bool = False) -> None:
    _admit(service().limiter.take_own(network_of(_client()), Kind.ANONYMOUS, g.now, alone=alone))


def _limit_county(policy: Policy, principal: Principal | None, county: str | None) -> None:
    """Count it among all in its county, so that no county's callers keep another's waiting."""
    if county is None or policy.ignores_key:
        return
    kind = Kind.ANONYMOUS if principal is None else kind_of(str(request.endpoint), request.method)
    standing = service().limiter.take_county(county, kind, g.now)
    if standing is not None and not standing.ok:
        if principal is not None:
            _note_spent(kind, county, standing)
        raise standing.problem()


def _admit(standing: Standing | None) -> None:
    if standing is None:
        return
    g.standing = standing
    if not standing.ok:
        raise standing.problem()


def _client() -> str | None:
    forwarded = ",".join(request.headers.getlist("X-Forwarded-For"))
    return client_address(request.remote_addr, forwarded, service().config.trusted_proxies)


def _refuse_repeated() -> None:
    """A parameter given twice: whichever is taken, somebody meant the other."""
    twice = [name for name, values in request.args.lists() if len(values) > 1]
    if twice:
        message = f"Give {twice[0][:60]!r} once; several values are parted by commas where they are allowed."
        error = {**field_error(twice[0][:60], "repeated_parameter", message), "pointer": ""}
        raise unprocessable(message, [error], "query")


def _principal(policy: Policy) -> Principal | None:
    """Whose key the call brings, or whose session; `None` without one."""
    header = request.headers.get("Authorization")
    if header is None:
        return session_principal(policy, _count_anonymous)
    found = _BEARER.fullmatch(header.strip())
    principal = None
    if found:
        with service().database.reading(None) as store:
            principal = find_key(store, found[1], g.now)
    if principal is None:
        service().log.warning("key_refused", request_id=g.request_id, address=_client())
        _count_anonymous()
        raise bad_key()
    note_key_use(principal)
    return principal


def _refuse_plain_http() -> None:
    """Plain HTTP is for this machine only: elsewhere it is refused and not redirected, since the key went out already.

    The scheme is the server's word: it takes a proxy's only from addresses that it was told to trust. A proxy on this
    machine that names a caller from elsewhere must say how that one came (X-Forwarded-Proto).
    """
    said = request.headers.get("X-Forwarded-Proto", "").strip().lower()
    if request.is_secure or (_is_loopback(_client()) and said in ("", "https")):
        return
    raise Problem(403, "https-only", "Use https: over plain http your key can be read on the way. Get a new key.")


def _is_loopback(address: str | None) -> bool:
    try:
        # A server on a socket file has no address to give: whoever reaches it is on this machine.
        return not address or ip_address(address).is_loopback
    except ValueError:
        return False


def _dress(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    asked = g.get("call")
    keyed = "Authorization" in request.headers or (asked is not None and asked.principal is not None)
    response.headers.setdefault("Cache-Control", "no-store" if keyed or response.status_code >= 400 else "no-cache")
    response.headers.add("Vary", "Authorization, Cookie")
    response.headers[REQUEST_ID] = g.get("request_id", "")
    standing: Standing | None = g.get("standing")
    for name, value in standing.fields().items() if standing else ():
        response.headers.setdefault(name, value)
    if service().config.sandbox:
        response.headers[SANDBOX] = "on"
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = _HSTS
    _log(response)
    return response


def _log(response: Response) -> None:
    """One line a call: the route and not the address, whose query may name an owner's place. And its count."""
    asked: Call | None = g.get("call")
    route = request.url_rule.rule if request.url_rule else None
    seconds = time.monotonic() - g.began if "began" in g else 0.0
    service().counted.note(method=request.method, route=route, status=response.status_code, seconds=seconds)
    principal = asked.principal if asked else None
    line: dict[str, Any] = {
        "request_id": g.get("request_id"),
        "method": request.method,
        "route": route,
        "county": asked.county if asked else None,
        "status": response.status_code,
        "key_id": principal.key_id if principal else None,
        "role": principal.role.value if principal else None,
        "session": principal.session if principal else None,
        "bytes": response.content_length,
        "ms": round(1000 * seconds, 1),
    }
    service().log.info("request", **line)


def _problem(problem: Problem) -> Response:
    return problem.response()


def _framework(error: HTTPException) -> Response:
    problem = of_http(error)
    return problem_page(problem) if wants_page() else problem.response()


def _error(error: PumperError) -> Response:
    problem = of_error(error)
    if problem.status >= 500:
        log_error(error)
    return problem.response()


def _mistake(error: Exception) -> Response:
    log_error(error)
    return of_http(HTTPException()).response()


def log_error(error: Exception) -> None:
    """Where it happened and what kind it was: an error's words may hold what somebody sent."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-12:]]
    service().log.error("failed", request_id=g.get("request_id"), error=type(error).__name__, where=where)
