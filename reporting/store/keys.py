"""API keys: `pmp_<id>_<secret><check>`, shown once and kept as a hash.

The secret is 256 random bits, so that a plain SHA-256 of it gives nothing away; the check digits (CRC-32) tell a
mistyped key from a wrong one without a question to the database, and let scanners of leaked secrets find ours.
"""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Final
from zlib import crc32

from sqlalchemy import select, update

from reporting import tables
from reporting.errors import KeyNotAllowed
from reporting.store.engine import Store
from reporting.store.rows import insert_rows

_TOKEN: Final = re.compile(r"(pmp_([a-z2-7]{13})_([a-z2-7]{52}))([a-z2-7]{7})", re.ASCII)
_NOBODY: Final = bytes(32)


class Role(StrEnum):
    """What a key is for."""

    CONTRACTOR = "contractor"
    COUNTY = "county"
    ADMIN = "admin"


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who asks: a contractor's key has its business, a county's key its county, an administrator's neither."""

    key_id: str
    role: Role
    county: str | None
    contractor_id: str | None


def create_key(
    store: Store,
    role: Role | str,
    county: str | None,
    contractor_id: str | None,
    label: str,
    now: datetime,
    expires_at: datetime | None = None,
) -> tuple[str, str]:
    """Make a key: its id, and the whole key, which is shown this once. Raises `KeyNotAllowed`."""
    kind = _role(role, county, contractor_id)
    if expires_at is not None and expires_at <= now:
        raise KeyNotAllowed("It would have expired already.")
    key_id, secret = _base32(8), _base32(32)
    row = {
        "id": key_id,
        "secret_sha256": _hash(secret),
        "role": kind.value,
        "county": county,
        "contractor_id": contractor_id,
        "label": label,
        "created_at": now,
        "expires_at": expires_at,
        "revoked_at": None,
    }
    insert_rows(store, tables.api_key, [row])
    body = f"pmp_{key_id}_{secret}"
    return key_id, body + _check_digits(body)


def find_key(store: Store, token: str, now: datetime) -> Principal | None:
    """Whose key this is; `None` for one that is mistyped, unknown, revoked or expired at `now`, all alike."""
    parts = _TOKEN.fullmatch(token)
    if parts is None or _check_digits(parts[1]) != parts[4]:
        return None
    row = store.connection.execute(select(tables.api_key).where(tables.api_key.c.id == parts[2])).mappings().first()
    same = compare_digest(row["secret_sha256"] if row else _NOBODY, _hash(parts[3]))
    if row is None or not same:
        return None
    if any(row[end] is not None and row[end] <= now for end in ("revoked_at", "expires_at")):
        return None
    return Principal(key_id=row["id"], role=Role(row["role"]), county=row["county"], contractor_id=row["contractor_id"])


def revoke_key(store: Store, key_id: str, now: datetime) -> bool:
    """End a key at once; `False` when there is none or it was revoked before."""
    table = tables.api_key
    statement = update(table).where(table.c.id == key_id, table.c.revoked_at.is_(None)).values(revoked_at=now)
    return store.connection.execute(statement).rowcount == 1


def list_keys(store: Store) -> list[dict[str, Any]]:
    """Every key by age, without its hash."""
    table = tables.api_key
    columns = [column for column in table.c if column.name != "secret_sha256"]
    return [
        dict(row)
        for row in store.connection.execute(select(*columns).order_by(table.c.created_at, table.c.id)).mappings()
    ]


def _role(role: Role | str, county: str | None, contractor_id: str | None) -> Role:
    try:
        kind = Role(role)
    except ValueError as error:
        raise KeyNotAllowed(f"The role must be one of {', '.join(Role)}.") from error
    if (contractor_id is not None) != (kind is Role.CONTRACTOR):
        raise KeyNotAllowed("A contractor's key names its business, and no other key does.")
    if (county is not None) != (kind is Role.COUNTY):
        raise KeyNotAllowed("A county's key names its county, and no other key does.")
    return kind


def _base32(size: int) -> str:
    return b32encode(secrets.token_bytes(size)).decode().rstrip("=").lower()


def _check_digits(body: str) -> str:
    return b32encode(crc32(body.encode()).to_bytes(4, "big")).decode().rstrip("=").lower()


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
