"""A change in one transaction, and once for one Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07).

An answer of success is kept in the record's own transaction and given again to every repeat; a refusal leaves the key
free, so that the same key may come back with a mended body.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from flask import Response, request

from reporting.api.bodies import Sent
from reporting.api.calls import Reply, call, service
from reporting.api.problems import Problem
from reporting.store import idempotency
from reporting.store.engine import Store

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = {"Idempotency-Replayed": "true"}
_KEY: Final = re.compile(r"[!-~]{1,255}")


def change(sent: Sent, work: Callable[[Store], Reply]) -> Response:
    """Do `work` in one transaction of the call's county and answer when it is committed."""
    reply, headers = change_once(sent, work, _key())
    return reply.response(headers)


def change_once(sent: Sent, work: Callable[[Store], Reply], key: str | None) -> tuple[Reply, dict[str, str] | None]:
    """The same for a page, whose form brings the key along: what is to be answered, and headers of a repeat."""
    with service().database.transaction(call().tenant) as store:
        return (work(store), None) if key is None else _once(store, key, sent, work)


def answered_before(store: Store, sent: Sent, key: str) -> Reply | None:
    """What the same form was answered with when it came before; `None` for one that comes for the first time.

    For a page that looks a form over before it takes it: what was found right once is not to be judged anew when only
    the answer was lost. Raises the problem of a key that came with another form.
    """
    found = idempotency.answered(store, call().keyholder.key_id, request.path, key, sent.fingerprint)
    if isinstance(found, idempotency.Mismatch):
        raise _reused()
    return Reply(status=found.status, body=found.answer, headers=found.headers) if found else None


def _reused() -> Problem:
    return Problem(
        422, "key-reused", "This Idempotency-Key was used for another request: give a new request a new key."
    )


def _once(store: Store, key: str, sent: Sent, work: Callable[[Store], Reply]) -> tuple[Reply, dict[str, str] | None]:
    holder, route = call().keyholder.key_id, request.path
    begun = idempotency.begin(store, holder, route, key, sent.fingerprint, call().now)
    if isinstance(begun, idempotency.Replay):
        return Reply(status=begun.status, body=begun.answer, headers=begun.headers), REPLAYED
    if isinstance(begun, idempotency.Running):
        detail = "A request with this Idempotency-Key is still being carried out; ask again shortly."
        raise Problem(409, "key-in-use", detail, headers={"Retry-After": "1"})
    if isinstance(begun, idempotency.Mismatch):
        raise _reused()
    reply = work(store)
    if reply.status < 300:
        idempotency.finish(store, holder, route, key, status=reply.status, answer=reply.body, headers=reply.headers)
    else:
        idempotency.release(store, holder, route, key)
    return reply, None


def _key() -> str | None:
    """The key as sent; the quotes of a structured field (RFC 8941) are not part of it."""
    given = request.headers.get(HEADER)
    if given is None:
        return None
    key = given.strip()
    key = key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key
    if not _KEY.fullmatch(key):
        raise Problem(400, "bad-key-header", f"{HEADER} must be 1 to 255 visible ASCII characters, such as a UUID.")
    return key
