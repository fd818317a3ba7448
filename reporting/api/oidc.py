"""A county's staff signs in at its own provider: going there, and coming back.

What must be remembered meanwhile (state, nonce, PKCE verifier) is in a signed cookie of the same browser, so that
strangers can fill nothing here, and an answer in another browser opens nothing.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from types import ModuleType
from typing import Any, Final

from flask import Response, request

from reporting.access.outcomes import Refused
from reporting.access.providers import Provider, enter, load_providers
from reporting.api.calls import call, service
from reporting.api.cookies import drop_cookie, read_cookie, set_cookie
from reporting.api.entering import ENTERED, TRIES_PROBLEMS, let_in, refuse, server_secret
from reporting.api.forms import as_pages
from reporting.api.openapi import Answer, Section
from reporting.api.problems import Problem, absent
from reporting.api.queries import CallbackQuery
from reporting.api.shapes import ref
from reporting.errors import PumperError
from reporting.store.sessions import Method
from reporting.store.signin import count_failure

SECTION: Final = Section("oidc", __name__, description="Sign-in at a county's own provider.")
_TRY: Final = "pumper-oidc"
_BACK: Final = "/signin/callback"
_PROBLEMS: Final = {401: TRIES_PROBLEMS[401], 403: "Recognized, but without a role here.", 502: "The provider fails."}


@SECTION.endpoint(
    "/signin/oidc/<slug:county>",
    answers={303: Answer(tells="Go to the provider.", headers=("Location",))},
    problems={502: _PROBLEMS[502]},
    pages=True,
)
@as_pages
def go_to_provider(query: dict[str, Any], county: str) -> Response:
    """Send the browser to the county's provider; nothing is kept here."""
    provider = _provider(county)
    client = _library()
    try:
        address, started = client.start(provider, _redirect_uri())
    except client.ProviderRefused as error:
        raise _failing(error) from error
    kept = {"county": county, "state": started.state, "nonce": started.nonce, "verifier": started.verifier}
    response = Response(status=303)
    response.headers["Location"] = address
    set_cookie(response, _TRY, _sign({**kept, "at": call().now.isoformat()}), client.TRY_LIFE)
    return response


@SECTION.endpoint(
    _BACK,
    query=CallbackQuery,
    answers={200: Answer(tells="Signed in.", schema=ref("SignedIn")), **ENTERED},
    problems=_PROBLEMS,
    pages=True,
)
@as_pages
def come_back(query: dict[str, Any]) -> Response:
    """Where the provider sends the browser back to. By OpenID Connect this GET signs in; only its own browser can."""
    client = _library()
    kept = _kept(client)
    if kept is None:
        raise Problem(401, "sign-in-failed", "This sign-in was not begun here, or took too long: start again.")
    county = kept.pop("county")
    provider = _provider(county)
    try:
        started = client.Started(county=county, **kept)
        claims = client.finish(provider, _redirect_uri(), started, request.args.to_dict(), call().now)
    except client.ProviderRefused as error:
        with service().database.transaction(county) as store:
            count_failure(store, county, Method.OIDC, None, call().now)
        raise _failing(error, 401) from error
    with service().database.transaction(county) as store:
        done = enter(store, provider, claims, call().now)
    if isinstance(done, Refused):
        raise refuse(done, Method.OIDC)
    response = let_in(done.token)
    drop_cookie(response, _TRY)
    return response


def _library() -> ModuleType:
    try:
        from reporting.access import oidc
    except ImportError as error:
        detail = "Sign-in at a provider is not installed here: pip install 'pumper-reporting[oidc]'."
        raise Problem(503, "not-installed", detail) from error
    return oidc


def _provider(county: str) -> Provider:
    found = load_providers(service().config.oidc_file).get(county)
    if found is None:
        raise absent()
    return found


def _failing(error: PumperError, status: int = 502) -> Problem:
    service().log.warning("provider_refused", reason=error.detail)
    detail = "The county's provider cannot be reached, or its answer cannot be used. Start again from the sign-in page."
    return Problem(status, "provider", detail)


def _redirect_uri() -> str:
    return service().config.base_url + _BACK


def _sign(kept: dict[str, str]) -> str:
    text = urlsafe_b64encode(json.dumps(kept).encode()).decode()
    return f"{text}.{server_secret().mark(_TRY, text)}"


def _kept(client: ModuleType) -> dict[str, str] | None:
    """What was remembered of this browser's try; `None` for none, a forged one and one that took too long."""
    text, _dot, mark = (read_cookie(_TRY) or "").rpartition(".")
    if not text or not server_secret().is_mark(_TRY, text, mark):
        return None
    kept: dict[str, str] = json.loads(urlsafe_b64decode(text))
    begun = datetime.fromisoformat(kept.pop("at"))
    return kept if begun <= call().now < begun + client.TRY_LIFE else None
