"""An owner's way in from the page that a letter leads to: a link to the address on file, or the office's code.

No answer tells whether an address or a code is there.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from flask import Response

from notifications.access import Letter, owner_link_notice
from notifications.addresses import read_addresses
from notifications.suppression import DEAD
from reporting.access.codes import let_in_by_code
from reporting.access.links import owners_path
from reporting.access.outcomes import Refused, Why
from reporting.api.calls import Reply, call, service
from reporting.api.cookies import refuse_other_sites
from reporting.api.entering import ENTERED, TRIES_PROBLEMS, client, let_in, queue, refuse, server_secret
from reporting.api.forms import as_pages, form_or_object, page, paragraph, wants_page
from reporting.api.members import refuse_unknown, secret_member
from reporting.api.openapi import Answer, Section, form_body
from reporting.api.problems import Problem, absent
from reporting.api.shapes import ref
from reporting.api.signin import LINKS_BY_ONE
from reporting.store.engine import Store
from reporting.store.facts import has_system, load_history
from reporting.store.mail import list_suppressions
from reporting.store.sessions import Method
from reporting.store.signin import count_attempt, hash_secret, new_secret
from schemas.loader import shipped_program, shipped_slugs

SECTION: Final = Section("ways_in", __name__, description="An owner's way in to the own system.")
LINKS_OF_ONE: Final = 3
"""Links of one system that are mailed in a day; whoever asks for more has a good one already."""
CODES_BY_ONE: Final = 10
"""Codes that one address of the network may try in an hour, for whatever systems."""
_DAY: Final = dt.timedelta(days=1)
_HOUR: Final = dt.timedelta(hours=1)
_MOST_ADDRESSES: Final = 3
_SENT: Final = (
    "If an e-mail address of this system's owner is on file, a mail with a link is on its way to it. If none comes "
    "within a quarter of an hour, look into the folder for junk mail, or ask the county's office for a code."
)


@SECTION.endpoint(
    "/s/<id:system_id>/link",
    method="POST",
    body=form_body({"type": "object", "additionalProperties": False}),
    answers={
        202: Answer(
            tells="Always the same.", schema=ref("LinkSent"), types=("application/json", "text/html")
        )
    },
    problems={403: TRIES_PROBLEMS[403], 404: "There is no such system.", 429: TRIES_PROBLEMS[429]},
    pages=True,
)  # fmt: skip
@as_pages
def mail_owner_link(query: dict[str, Any], system_id: str) -> Response:
    """Ask for the owner's link. It goes to the address on file and to no other, whoever asks."""
    refuse_other_sites()
    refuse_unknown(form_or_object(), "csrf_token")
    county = _county_of(system_id)
    with service().database.transaction(county) as store:
        _count(store, "owner link asked by one", LINKS_BY_ONE)
        if _tries(store, "owner link of", f"{county} {system_id}", _DAY) <= LINKS_OF_ONE:
            _mail(store, system_id)
    if wants_page():
        return page("Look into your mail", paragraph(_SENT), _back(system_id), status=202)
    return Reply(status=202, body={"status": "accepted", "detail": _SENT}).response()


@SECTION.endpoint(
    "/s/<id:system_id>/code",
    method="POST",
    body=form_body(ref("CodeGiven")),
    answers={200: Answer(tells="Signed in; the cookie is set.", schema=ref("SignedIn")), **ENTERED},
    problems={**TRIES_PROBLEMS, 404: "There is no such system."},
    pages=True,
)
@as_pages
def use_owner_code(query: dict[str, Any], system_id: str) -> Response:
    """Let an owner in for half an hour by the code that the county's office gave, once."""
    refuse_other_sites()
    body = form_or_object()
    refuse_unknown(body, "code", "csrf_token")
    given = secret_member(body, "code", longest=40)
    county = _county_of(system_id)
    with service().database.transaction(county) as store:
        if _tries(store, "owner code by one", client(), _HOUR) > CODES_BY_ONE:
            raise refuse(Refused(why=Why.TOO_MANY), Method.OWNER_CODE)
        token = let_in_by_code(store, server_secret(), system_id, given, call().now)
    if token is None:
        raise refuse(Refused(why=Why.FAILED, text=_WRONG_CODE), Method.OWNER_CODE)
    return let_in(token)


_WRONG_CODE: Final = (
    "This code is not right, or not good any more: it works once, for 14 days. Check what you typed, or ask the "
    "county's office for a new one."
)


def county_of_system(system: str) -> str | None:
    """The county that has a system of this id; ids are random, so that one is enough to name it."""
    for slug in shipped_slugs():
        with service().database.reading(slug) as store:
            if has_system(store, system):
                return slug
    return None


def _county_of(system: str) -> str:
    county = county_of_system(system)
    if county is None:
        raise absent()
    return county


def _mail(store: Store, system: str) -> None:
    """Queue the link to each address on file that takes mail; nothing where there is none."""
    stored = load_history(store, [system]).get(system)
    if stored is None or stored.owner is None:
        return
    path = owners_path(store, server_secret(), system)
    addresses = read_addresses(stored.owner["email"]).addresses[:_MOST_ADDRESSES]
    dead = {row["address"] for row in list_suppressions(store, list(addresses)) if row["reason"] in DEAD}
    base_url = service().config.base_url
    version = stored.system or {}
    permit, address = version.get("permit_number"), version.get("site_address")
    named = ", ".join(str(part) for part in (f"permit {permit}" if permit else "", address) if part)
    for one in addresses:
        if one.lower() in dead:
            continue
        letter = Letter(
            recipient=one,
            key=hash_secret(new_secret()).hex()[:32],
            link=f"{base_url}/owner/{store.tenant}/{path}",
            expires_at=None,
            base_url=base_url,
        )
        queue(store, owner_link_notice(letter, shipped_program(store.tenant).name, named or "your system"))


def _count(store: Store, kind: str, most: int) -> None:
    if _tries(store, kind, client(), _HOUR) > most:
        raise Problem(
            429, "too-many-tries", "Too many links were asked for from here.", headers={"Retry-After": "3600"}
        )


def _tries(store: Store, kind: str, subject: str, window: dt.timedelta) -> int:
    return count_attempt(store, kind, subject, call().now, window)


def _back(system: str) -> str:
    return f'<p><a href="/s/{system}/mine">Back</a></p>'
