"""The session's cookie, and what keeps other sites from using it: token, Origin, Sec-Fetch-Site, SameSite."""

from __future__ import annotations

import hmac
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from flask import Response, request

from reporting.api.calls import service
from reporting.api.limits import client_address
from reporting.api.problems import Problem

CSRF_HEADER: Final = "X-CSRF-Token"
CSRF_FIELD: Final = "csrf_token"
_SESSION: Final = "pumper"
_SAFE: Final = ("GET", "HEAD")


def session_cookie() -> str | None:
    """The session's secret as the browser sent it."""
    return read_cookie(_SESSION)


def set_session_cookie(response: Response, token: str) -> None:
    """Let the browser keep a session until it closes; the server ends it sooner."""
    set_cookie(response, _SESSION, token)


def drop_session_cookie(response: Response) -> None:
    """Let the browser forget the session."""
    drop_cookie(response, _SESSION)


def read_cookie(name: str) -> str | None:
    """A cookie of ours, under the name that it has on this connection."""
    return request.cookies.get(_full_name(name))


def set_cookie(response: Response, name: str, value: str, life: timedelta | None = None) -> None:
    """Set a cookie that no script reads, no other host gets and no plain connection carries (but on loopback)."""
    secure = is_https()
    response.set_cookie(_full_name(name), value, max_age=life, secure=secure, httponly=True, samesite="Lax", path="/")


def drop_cookie(response: Response, name: str) -> None:
    """Let the browser forget a cookie."""
    response.delete_cookie(_full_name(name), secure=is_https(), httponly=True, samesite="Lax", path="/")


def csrf_token(session_token: str) -> str:
    """What a page of ours knows of a session and another site cannot: sent along with every change."""
    return hmac.digest(session_token.encode(), b"csrf", "sha256").hex()


def refuse_forgery(session_token: str) -> None:
    """Refuse a change that another site made the browser ask for. Keys need none of it: no browser adds them."""
    if request.method in _SAFE:
        return
    refuse_other_sites()
    given = request.headers.get(CSRF_HEADER) or _field()
    if not hmac.compare_digest(given.encode("utf-8", "backslashreplace"), csrf_token(session_token).encode()):
        detail = f"Send the session's token as the header {CSRF_HEADER}; GET /v1/session tells it."
        raise Problem(403, "csrf", detail)


def refuse_other_sites() -> None:
    """Refuse what a page of another site sent; browsers say so, and programs need not.

    A page that sends no referrer, as ours do, has the Origin `null` (Fetch, "append a request Origin header"): then it
    counts that the browser vouches for the site, which no page can make it do.
    """
    site = request.headers.get("Sec-Fetch-Site", "none")
    origin = request.headers.get("Origin")
    if origin == "null" and site == "same-origin":
        return
    if site not in ("same-origin", "none") or (origin is not None and origin not in _own_origins()):
        raise Problem(403, "other-site", "This was sent by a page of another site: go to the service's own page.")


def caller_address() -> str | None:
    """Where the call comes from, as far as the proxies in front are trusted to say."""
    forwarded = ",".join(request.headers.getlist("X-Forwarded-For"))
    return client_address(request.remote_addr, forwarded, service().config.trusted_proxies)


def is_https() -> bool:
    """Whether the browser speaks https to us or to the proxy on this machine; else it is on loopback."""
    return request.is_secure or request.headers.get("X-Forwarded-Proto", "").strip().lower() == "https"


def _own_origins() -> set[str]:
    base = urlsplit(service().config.base_url)
    scheme = "https" if is_https() else "http"
    return {f"{base.scheme}://{base.netloc}", f"{scheme}://{request.host}"}


def _field() -> str:
    if request.mimetype == "multipart/form-data":
        # The parts around a file are small.
        request.max_content_length = service().config.max_upload_bytes + 100_000
    elif request.mimetype != "application/x-www-form-urlencoded":
        return ""
    return str(request.form.get(CSRF_FIELD, ""))


def _full_name(name: str) -> str:
    # Browsers take a cookie with this prefix over https only, for this host only and from no subdomain.
    return f"__Host-{name}" if is_https() else name
