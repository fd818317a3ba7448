"""Sessions: a row on the server for each, known by the hash of 256 random bits that the browser has in a cookie.

A session ends 30 minutes after it was last used, 12 hours after it began (an owner's after 30 minutes), when it is
ended, or when its person has no role in its place any more: roles are read anew at each call.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import delete, or_, select, update

from reporting import tables
from reporting.ids import new_id
from reporting.store.engine import Store
from reporting.store.persons import Place, current_roles, get_person
from reporting.store.roles import SCOPES_OF_OWNERS, Principal, Role, scopes_of
from reporting.store.rows import insert_rows

IDLE: Final = timedelta(minutes=30)
LONGEST: Final = timedelta(hours=12)
OWNERS_LONGEST: Final = timedelta(minutes=30)
SEEN_EVERY: Final = timedelta(minutes=1)
"""How exactly the last use is kept: not every call writes, and a session may end that much before its half hour."""
_TOKEN: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_table: Final = tables.session


class Method(StrEnum):
    """How somebody signed in."""

    LINK = "link"
    PASSWORD = "password"  # noqa: S105 - the name of a way in
    OIDC = "oidc"
    INVITATION = "invitation"
    OWNER_LINK = "owner_link"
    OWNER_CODE = "owner_code"


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session that holds, and in whose name it acts. `stale`: its last use is to be written down."""

    id: str
    principal: Principal
    method: Method
    created_at: datetime
    expires_at: datetime
    stale: bool


def start_session(store: Store, person: str, place: Place, method: Method, now: datetime) -> tuple[str, str]:
    """Begin a person's session in a place: its public id, and what goes into the cookie and nowhere else."""
    return _insert(store, method, now, LONGEST, person=person, county=place.county, contractor_id=place.contractor_id)


def start_owner_session(
    store: Store, county: str, system: str, now: datetime, method: Method = Method.OWNER_LINK
) -> tuple[str, str]:
    """Begin an owner's short session for one system; like `start_session`."""
    return _insert(store, method, now, OWNERS_LONGEST, county=county, system=system)


def find_session(store: Store, token: str, now: datetime) -> Session | None:
    """The session of a cookie; `None` for one that is unknown, ended, too old or too long unused, all alike."""
    if not _TOKEN.fullmatch(token):
        return None
    found = store.connection.execute(select(_table).where(_table.c.secret_sha256 == _hash(token))).mappings().first()
    row = dict(found) if found else None
    if row is None or not _lives(row, now):
        return None
    principal = _principal(store, row)
    if principal is None:
        return None
    return Session(
        id=row["id"],
        principal=principal,
        method=Method(row["method"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        stale=now - row["seen_at"] >= SEEN_EVERY,
    )


def mark_seen(store: Store, session: str, now: datetime) -> None:
    """Write down that a session was used."""
    mine = (_table.c.id == session, _table.c.seen_at < now, _table.c.ended_at.is_(None))
    store.connection.execute(update(_table).where(*mine).values(seen_at=now))


def end_session(store: Store, session: str, now: datetime, person: str | None = None) -> bool:
    """End a session, with `person` only one of theirs; `False` when there is none such that still goes on."""
    mine = [_table.c.id == session, _table.c.ended_at.is_(None)]
    mine += [] if person is None else [_table.c.person == person]
    return store.connection.execute(update(_table).where(*mine).values(ended_at=now)).rowcount == 1


def end_sessions_of(store: Store, person: str, now: datetime, place: Place | None = None) -> int:
    """End every session of a person (in a place); gives how many."""
    mine = [_table.c.person == person, _table.c.ended_at.is_(None)]
    if place is not None:
        mine += [_table.c.county == place.county] if place.county else [_table.c.contractor_id == place.contractor_id]
    return store.connection.execute(update(_table).where(*mine).values(ended_at=now)).rowcount


def list_sessions(store: Store, person: str, now: datetime) -> list[dict[str, Any]]:
    """The sessions of a person that still go on, the newest first, without their secrets."""
    columns = [column for column in _table.c if column.name != "secret_sha256"]
    query = select(*columns).where(_table.c.person == person).order_by(_table.c.created_at.desc(), _table.c.id)
    rows = [dict(row) for row in store.connection.execute(query).mappings()]
    return [row for row in rows if _lives(row, now)]


def forget_sessions(store: Store, before: datetime) -> int:
    """Drop the sessions that ended before; gives how many. What was signed in stays in the log."""
    over = or_(_table.c.expires_at < before, _table.c.ended_at < before)
    return store.connection.execute(delete(_table).where(over)).rowcount


def _insert(store: Store, method: Method, now: datetime, longest: timedelta, **of: str | None) -> tuple[str, str]:
    token, session = secrets.token_hex(32), new_id("ses", now)
    row = {"id": session, "secret_sha256": _hash(token), "method": method.value, "ended_at": None, **of}
    insert_rows(store, _table, [{**row, "created_at": now, "seen_at": now, "expires_at": now + longest}])
    return session, token


def _lives(row: Mapping[str, Any], now: datetime) -> bool:
    over = row["ended_at"] is not None or row["expires_at"] <= now
    return not over and row["seen_at"] + IDLE > now


def _principal(store: Store, row: Mapping[str, Any]) -> Principal | None:
    named = {"county": row["county"], "contractor_id": row["contractor_id"], "session": row["id"]}
    if row["person"] is None:
        return Principal(key_id=row["id"], role=Role.OWNER, system=row["system"], scopes=SCOPES_OF_OWNERS, **named)
    person = get_person(store, row["person"])
    roles = current_roles(store, row["person"], Place(county=row["county"], contractor_id=row["contractor_id"]))
    if person is None or person["ended_at"] is not None or not roles:
        return None
    role = Role.COUNTY if row["county"] else Role.CONTRACTOR
    return Principal(
        key_id=person["id"], role=role, person=person["id"], member_roles=roles, scopes=scopes_of(roles), **named
    )


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
