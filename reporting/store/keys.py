"""Keys: `pmp_<id>_<secret><check>` for the API, `pmf_…` for a calendar feed; shown once and kept as a hash.

The secret is 256 random bits, so that a plain SHA-256 of it gives nothing away; the check digits (CRC-32) tell a
mistyped key from a wrong one without a question to the database, and let scanners of leaked secrets find ours.
"""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Final
from zlib import crc32

from sqlalchemy import ColumnElement, and_, or_, select, text, update

from reporting import tables
from reporting.errors import KeyNotAllowed, TooManyKeys
from reporting.store.engine import Store
from reporting.store.roles import KEY_ROLES, SCOPES_OF_FEEDS, SCOPES_OF_KEYS, Principal, Role, Scope
from reporting.store.rows import insert_rows

__all__ = [
    "KEY_LIFE",
    "LIVE_AT_ONCE",
    "LIVE_IN_ALL",
    "KeyKind",
    "Principal",
    "Role",
    "create_key",
    "end_key_at",
    "find_feed",
    "find_key",
    "get_key",
    "list_keys",
    "mark_used",
    "revoke_key",
]

KEY_LIFE: Final = timedelta(days=400)
"""How long a key lives unless it was made for less: a year, and some weeks to rotate it in."""
LIVE_AT_ONCE: Final = 2
"""Keys of one holder, role and label that may live side by side, so that a program can go over to the next."""
DRAWN: Final = 40
"""Random bytes in a key: 8 of its id, 32 of its secret."""
_ID_BYTES: Final = 8
LIVE_IN_ALL: Final = 20
"""Keys of one holder, of any label."""
_TOKEN: Final = re.compile(r"((pm[pf])_([a-z2-7]{13})_([a-z2-7]{52}))([a-z2-7]{7})", re.ASCII)
_NOBODY: Final = bytes(32)
_table: Final = tables.api_key


class KeyKind(StrEnum):
    """What a key opens: the API as a bearer, or one calendar feed, where it stands in the address."""

    API = "api"
    FEED = "feed"


_PREFIXES: Final = {KeyKind.API: "pmp", KeyKind.FEED: "pmf"}


def create_key(
    store: Store,
    role: Role | str,
    county: str | None,
    contractor_id: str | None,
    label: str,
    now: datetime,
    expires_at: datetime | None = None,
    *,
    scopes: Iterable[Scope] | None = None,
    kind: KeyKind = KeyKind.API,
    by: str | None = None,
    drawn: bytes | None = None,
) -> tuple[str, str]:
    """Make a key: its id, and the whole key, which is shown this once. `scopes` None: those of its role.

    drawn: the 40 bytes that it is made of, for a sandbox, whose keys outlive its data; None: random ones.

    Raises `KeyNotAllowed`, and `TooManyKeys` where the holder has as many live ones as it may.
    """
    holder_role = _role(role, county, contractor_id)
    ends = now + KEY_LIFE if expires_at is None else expires_at
    if ends <= now:
        raise KeyNotAllowed("It would have expired already.")
    row = {"role": holder_role.value, "county": county, "contractor_id": contractor_id, "label": label}
    kept = _scopes(scopes, holder_role, kind)
    _make_room(store, row, kind, now)
    key_id, secret, token = written_key(drawn or secrets.token_bytes(DRAWN), kind)
    made = {"id": key_id, "secret_sha256": _hash(secret), "created_at": now, "expires_at": ends, "revoked_at": None}
    more = {"kind": kind.value, "scopes": kept, "last_used_on": None, "created_by": by, "revoked_by": None}
    insert_rows(store, _table, [{**row, **made, **more}])
    return key_id, token


def written_key(drawn: bytes, kind: KeyKind = KeyKind.API) -> tuple[str, str, str]:
    """The id, the secret and the whole key that `DRAWN` bytes make."""
    key_id, secret = _base32(drawn[:_ID_BYTES]), _base32(drawn[_ID_BYTES:DRAWN])
    body = f"{_PREFIXES[kind]}_{key_id}_{secret}"
    return key_id, secret, body + _check_digits(body)


def find_key(store: Store, token: str, now: datetime) -> Principal | None:
    """Whose API key this is; `None` for one that is mistyped, unknown, revoked, expired or a feed's, all alike."""
    row = _find(store, token, KeyKind.API, now)
    return _principal(row) if row else None


def find_feed(store: Store, token: str, now: datetime) -> Principal | None:
    """Whose calendar feed this token opens: read-only, and nothing but the feed; `None` like `find_key`."""
    row = _find(store, token, KeyKind.FEED, now)
    return _principal(row) if row else None


def mark_used(store: Store, key_id: str, on: date) -> bool:
    """Keep the last day on which a key was used; `False` where it is kept already."""
    earlier = or_(_table.c.last_used_on.is_(None), _table.c.last_used_on < on)
    statement = update(_table).where(_table.c.id == key_id, earlier).values(last_used_on=on)
    return store.connection.execute(statement).rowcount == 1


def get_key(store: Store, key_id: str) -> dict[str, Any] | None:
    """A key by its id, without its hash; `None` when there is none."""
    row = store.connection.execute(select(*_shown()).where(_table.c.id == key_id)).mappings().first()
    return dict(row) if row else None


def revoke_key(store: Store, key_id: str, now: datetime, by: str | None = None) -> bool:
    """End a key at once; `False` when there is none or it was revoked before."""
    statement = update(_table).where(_table.c.id == key_id, _table.c.revoked_at.is_(None))
    return store.connection.execute(statement.values(revoked_at=now, revoked_by=by)).rowcount == 1


def end_key_at(store: Store, key_id: str, at: datetime) -> None:
    """Bring a key's end forward to `at`; one that ends sooner stays as it is."""
    later = or_(_table.c.expires_at.is_(None), _table.c.expires_at > at)
    store.connection.execute(update(_table).where(_table.c.id == key_id, later).values(expires_at=at))


def list_keys(store: Store, *, county: str | None = None, contractor_id: str | None = None) -> list[dict[str, Any]]:
    """Every key by age, without its hash; with a county or a business, only its own."""
    query = select(*_shown()).order_by(_table.c.created_at, _table.c.id)
    if county is not None:
        query = query.where(_table.c.county == county)
    if contractor_id is not None:
        query = query.where(_table.c.contractor_id == contractor_id)
    return [dict(row) for row in store.connection.execute(query).mappings()]


def _find(store: Store, token: str, kind: KeyKind, now: datetime) -> Mapping[str, Any] | None:
    parts = _TOKEN.fullmatch(token)
    if parts is None or parts[2] != _PREFIXES[kind] or _check_digits(parts[1]) != parts[5]:
        return None
    row = store.connection.execute(select(_table).where(_table.c.id == parts[3])).mappings().first()
    same = compare_digest(row["secret_sha256"] if row else _NOBODY, _hash(parts[4]))
    if row is None or not same or row["kind"] != kind:
        return None
    if any(row[end] is not None and row[end] <= now for end in ("revoked_at", "expires_at")):
        return None
    return dict(row)


def _principal(row: Mapping[str, Any]) -> Principal:
    role = Role(row["role"])
    most = SCOPES_OF_FEEDS if row["kind"] == KeyKind.FEED else SCOPES_OF_KEYS[role]
    # A scope that this code does not know, as after going back to an older version, opens nothing.
    scopes = most if row["scopes"] is None else frozenset(scope for scope in most if scope in row["scopes"])
    holder = {"role": role, "county": row["county"], "contractor_id": row["contractor_id"]}
    return Principal(key_id=row["id"], scopes=scopes, used_on=row["last_used_on"], **holder)


def _role(role: Role | str, county: str | None, contractor_id: str | None) -> Role:
    if role not in KEY_ROLES:
        raise KeyNotAllowed(f"The role must be one of {', '.join(KEY_ROLES)}.")
    kind = Role(role)
    if (contractor_id is not None) != (kind is Role.CONTRACTOR):
        raise KeyNotAllowed("A contractor's key names its business, and no other key does.")
    if (county is not None) != (kind is Role.COUNTY):
        raise KeyNotAllowed("A county's key names its county, and no other key does.")
    return kind


def _scopes(given: Iterable[Scope] | None, role: Role, kind: KeyKind) -> list[str] | None:
    if kind is KeyKind.FEED:
        if role is not Role.CONTRACTOR or given is not None:
            raise KeyNotAllowed("A feed is a contractor's, and its token is for nothing but the feed.")
        return None
    if given is None:
        return None
    wanted = sorted(set(given))
    beyond = [str(scope) for scope in wanted if scope not in SCOPES_OF_KEYS[role]]
    if beyond or not wanted:
        allowed = ", ".join(sorted(SCOPES_OF_KEYS[role]))
        raise KeyNotAllowed(f"A key of the role {role} may have these scopes: {allowed}.")
    return [str(scope) for scope in wanted]


def _make_room(store: Store, row: Mapping[str, Any], kind: KeyKind, now: datetime) -> None:
    """Refuse a key too many; whoever counts at the same time waits, or two would both find room."""
    holder = row["county"] or row["contractor_id"] or "the service"
    if store.dialect == "postgresql":
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended('keys of ' || :holder, 0))")
        store.connection.execute(lock, {"holder": holder})
    live = and_(_table.c.revoked_at.is_(None), or_(_table.c.expires_at.is_(None), _table.c.expires_at > now))
    mine = [_same(name, row[name]) for name in ("role", "county", "contractor_id")]
    query = select(_table.c.label, _table.c.kind).where(live, *mine)
    found = [(label, held_as) for label, held_as in store.connection.execute(query).all()]
    if found.count((row["label"], kind.value)) >= LIVE_AT_ONCE:
        named = f"named {row['label']!r}" if row["label"] else "without a name"
        raise TooManyKeys(f"There are {LIVE_AT_ONCE} live keys {named}: revoke one, or give the new one its own name.")
    if len(found) >= LIVE_IN_ALL:
        raise TooManyKeys(f"There are {LIVE_IN_ALL} live keys of this holder: revoke those that are no longer used.")


def _same(name: str, value: object) -> ColumnElement[bool]:
    column = _table.c[name]
    return column.is_(None) if value is None else column == value


def _shown() -> list[Any]:
    return [column for column in _table.c if column.name != "secret_sha256"]


def _base32(data: bytes) -> str:
    return b32encode(data).decode().rstrip("=").lower()


def _check_digits(body: str) -> str:
    return b32encode(crc32(body.encode()).to_bytes(4, "big")).decode().rstrip("=").lower()


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
