"""Signing in by a link in a mail, for the people of businesses; and owners' links from letters, for one system each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from reporting.access.entries import note
from reporting.access.outcomes import Refused, SignedIn, Why
from reporting.access.secret import Secret
from reporting.store.engine import Store
from reporting.store.facts import load_history
from reporting.store.log import SERVICE_LOG
from reporting.store.persons import Place, find_by_mail, places_of
from reporting.store.sessions import Method, start_owner_session, start_session
from reporting.store.signin import (
    LINK_LIFE,
    count_attempt,
    count_failure,
    create_signin_token,
    drop_signin_tokens,
    person_of_token,
    use_signin_token,
)

LINKS_AT_ONCE: Final = 3
"""Links to one address in 15 minutes, which is as long as one works: whoever asks for more has a good one already.

So nobody can be kept out by others asking in their name, and nobody gets more than 12 mails an hour.
"""
_OWNERS: Final = "owner link"
_OWNERS_LINK: Final = re.compile(r"([A-Za-z0-9_-]{1,37})-([a-z2-7]{26})", re.ASCII)


def request_link(store: Store, email: str, now: datetime) -> tuple[str, str] | None:
    """Make a link for whoever has this address and a role in a business: the person and the secret; else `None`.

    store: a transaction of the service's own log. The same work is done for an address that is nobody's.
    """
    if count_attempt(store, "link", email, now, LINK_LIFE) > LINKS_AT_ONCE:
        return None
    found = find_by_mail(store, email)
    places = _businesses(store, str(found["id"])) if found else []
    person = str(found["id"]) if found and places else None
    secret = create_signin_token(store, person, now)
    return (person, secret) if person else None


def use_link(store: Store, secret: str, contractor_id: str | None, now: datetime) -> SignedIn | Refused:
    """Sign in with a link, once. With roles in several businesses one is to be named, and the link stays good.

    store: a transaction of the service's own log, to be committed whatever comes out.
    """
    person = person_of_token(store, secret, now)
    places = _businesses(store, person) if person else []
    if contractor_id is not None:
        places = [place for place in places if place.contractor_id == contractor_id]
    if len(places) > 1:
        return Refused(why=Why.CHOOSE, places=places)
    if person is None or not places or not use_signin_token(store, secret, now):
        count_failure(store, SERVICE_LOG, Method.LINK, person, now)
        return Refused(why=Why.FAILED)
    drop_signin_tokens(store, person, now)
    session, token = start_session(store, person, places[0], Method.LINK, now)
    content = {"person": person, "method": Method.LINK, "session": session, "contractor_id": places[0].contractor_id}
    note(store, "signed_in", content, now)
    return SignedIn(session=session, token=token, person=person, place=places[0])


def owners_path(store: Store, secret: Secret, system: str) -> str | None:
    """The end of the address that an owner's letter or mail has, for the store's county; `None` without an owner.

    It works for as long as the owner on file is the one whom the letter was for, and shows this one system.
    """
    owner = _owner(store, system)
    return f"{system}-{secret.mark(_OWNERS, _told(store, system, owner))}" if owner else None


def let_owner_in(store: Store, secret: Secret, path: str, now: datetime) -> str | None:
    """Begin an owner's short session by such an address: the cookie's token; `None` where it is not good (any more).

    store: a transaction of the county in the address, to be committed whatever comes out.
    """
    parts = _OWNERS_LINK.fullmatch(path)
    system, mark = (parts[1], parts[2]) if parts else ("", "")
    owner = _owner(store, system)
    if not owner or not secret.is_mark(_OWNERS, _told(store, system, owner), mark):
        count_failure(store, store.tenant, Method.OWNER_LINK, None, now)
        return None
    session, token = start_owner_session(store, store.tenant, system, now)
    content = {"person": None, "method": Method.OWNER_LINK, "session": session, "system": system}
    note(store, "signed_in", content, now)
    return token


def owner_on_file(store: Store, system: str) -> str | None:
    """The name of the owner on file as it is compared, however it is written; `None` where none is."""
    owner = _owner(store, system)
    return _name(owner) if owner else None


def _businesses(store: Store, person: str) -> Sequence[Place]:
    return [place for place in places_of(store, person) if place.contractor_id]


def _owner(store: Store, system: str) -> Mapping[str, Any] | None:
    stored = load_history(store, [system]).get(system)
    return stored.owner if stored else None


def _told(store: Store, system: str, owner: Mapping[str, Any]) -> str:
    """What a link is signed for: a new owner's system is not shown to the one before."""
    return "\n".join((store.tenant, system, _name(owner), str(owner["email"] or "").casefold()))


def _name(owner: Mapping[str, Any]) -> str:
    return " ".join(str(owner["name"] or "").casefold().split())
