"""Whose session a call's cookie is, and the notes that are kept of use: few writes, none of which a call depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from flask import current_app, g

from reporting.api.calls import service
from reporting.api.cookies import refuse_forgery, session_cookie
from reporting.api.policy import Policy, no_session, permits
from reporting.errors import StoreError
from reporting.store.engine import Store
from reporting.store.keys import mark_used
from reporting.store.roles import Principal
from reporting.store.sessions import find_session, mark_seen

_PATIENCE_MS: Final = 250
"""How long a call may wait, for a note only, where the database has one writer."""
_NOTED: Final = "pumper-key-use"


def session_principal(policy: Policy, count_refused: Callable[[], None]) -> Principal | None:
    """In whose name the call's session acts; `None` without one, and where anybody may ask and this one may no more.

    Raises the problem of a session that has ended, and of a change that the service's own pages did not send.
    count_refused: counts the call against its address.
    """
    token = session_cookie()
    if token is None:
        return None
    with service().database.reading(None) as store:
        session = find_session(store, token, g.now)
    if session is None:
        if policy.public:
            return None
        count_refused()
        raise no_session()
    if policy.public and not permits(policy, session.principal):
        return None
    refuse_forgery(token)
    if session.stale:
        _write_down(lambda store: mark_seen(store, session.id, g.now))
    g.session = session
    return session.principal


def note_key_use(principal: Principal) -> None:
    """Keep the day on which a key was used: one write a day, tried again each minute where it could not be kept."""
    today = g.now.date()
    if principal.used_on is not None and principal.used_on >= today:
        return
    noted = cast(dict[str, Any], current_app.extensions.setdefault(_NOTED, {}))
    minute = g.now.replace(second=0, microsecond=0)
    if noted.get(principal.key_id) == minute:
        return
    noted[principal.key_id] = minute
    _write_down(lambda store: mark_used(store, principal.key_id, today))


def _write_down(work: Callable[[Store], object]) -> None:
    """Do what no call may fail for: a full or busy database keeps the note for another time."""
    try:
        with service().database.transaction(None, patience_ms=_PATIENCE_MS) as store:
            work(store)
    except StoreError as error:
        service().log.warning("use_not_noted", request_id=g.get("request_id"), error=type(error).__name__)
