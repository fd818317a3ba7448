"""Keys given, rotated and ended, each with its entry in the log of whom they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from reporting.access.entries import log_of, note
from reporting.errors import KeyNotAllowed
from reporting.store.engine import Store
from reporting.store.keys import KEY_LIFE, KeyKind, create_key, end_key_at, get_key, list_keys, revoke_key
from reporting.store.roles import Role, Scope

LONGEST_DAYS: Final = 730
OVERLAP: Final = timedelta(days=7)
"""How long a key goes on beside the one that takes its place."""


@dataclass(frozen=True, kw_only=True)
class KeyOrder:
    """A key as it is wanted. `scopes` None: those of its role; `days`: how long it lives."""

    role: Role
    county: str | None = None
    contractor_id: str | None = None
    label: str = ""
    scopes: Sequence[Scope] | None = None
    days: int = KEY_LIFE.days
    kind: KeyKind = KeyKind.API


@dataclass(frozen=True, kw_only=True)
class IssuedKey:
    """A key just made: `key` is the whole of it, and is shown this once."""

    id: str
    key: str = field(repr=False)
    expires_at: datetime


def issue_key(store: Store, order: KeyOrder, by: str, now: datetime) -> IssuedKey:
    """Make a key in a transaction of `log_of(order.county)`. Raises `KeyNotAllowed`."""
    _check_log(store, order.county)
    if not 1 <= order.days <= LONGEST_DAYS:
        raise KeyNotAllowed(f"A key lives 1 to {LONGEST_DAYS} days.")
    if len(order.label) > 100 or not order.label.isprintable():
        raise KeyNotAllowed("A key's name is a text of at most 100 characters in one line.")
    ends = now + timedelta(days=order.days)
    key_id, key = create_key(
        store,
        order.role,
        order.county,
        order.contractor_id,
        order.label,
        now,
        ends,
        scopes=order.scopes,
        kind=order.kind,
        by=by,
    )
    content = {
        "key": key_id,
        "kind": order.kind,
        "role": order.role,
        "contractor_id": order.contractor_id,
        "scopes": None if order.scopes is None else sorted(order.scopes),
        "expires_at": ends,
        "by": by,
    }
    note(store, "key_created", content, now, {"label": order.label})
    return IssuedKey(id=key_id, key=key, expires_at=ends)


def rotate_key(store: Store, key_id: str, by: str, now: datetime, overlap: timedelta = OVERLAP) -> IssuedKey:
    """Make the key that takes another's place; the old one ends after the overlap.

    Raises `KeyNotAllowed` for a key that has ended, and where two live ones are there already.
    """
    old = get_key(store, key_id)
    if old is None or old["revoked_at"] is not None or (old["expires_at"] is not None and old["expires_at"] <= now):
        raise KeyNotAllowed("Only a key in force can be rotated; make a new one.")
    order = KeyOrder(
        role=Role(old["role"]),
        county=old["county"],
        contractor_id=old["contractor_id"],
        label=old["label"],
        scopes=None if old["scopes"] is None else [Scope(scope) for scope in old["scopes"]],
        kind=KeyKind(old["kind"]),
    )
    made = issue_key(store, order, by, now)
    end_key_at(store, key_id, now + overlap)
    note(store, "key_rotated", {"key": key_id, "next": made.id, "ends_at": now + overlap, "by": by}, now)
    return made


def end_key(
    store: Store, key_id: str, by: str, now: datetime, *, county: str | None = None, contractor_id: str | None = None
) -> bool:
    """Revoke a key at once; `False` when none such is in force. With a county or a business, only one of its own."""
    found = get_key(store, key_id)
    if found is None or found["revoked_at"] is not None:
        return False
    if (county is not None and found["county"] != county) or (
        contractor_id is not None and found["contractor_id"] != contractor_id
    ):
        return False
    _check_log(store, found["county"])
    if not revoke_key(store, key_id, now, by):
        return False
    content = {"key": key_id, "kind": found["kind"], "role": found["role"], "contractor_id": found["contractor_id"]}
    note(store, "key_revoked", {**content, "by": by}, now)
    return True


def end_keys_of(
    store: Store, by: str, now: datetime, *, county: str | None = None, contractor_id: str | None = None
) -> list[str]:
    """Revoke every live key of a county or a business, as when one was lost and nobody knows which; their ids."""
    held = [row["id"] for row in list_keys(store, county=county, contractor_id=contractor_id) if is_live(row, now)]
    return [key for key in held if end_key(store, key, by, now)]


def is_live(row: dict[str, Any], now: datetime) -> bool:
    """Whether a key as `list_keys` gives it opens anything."""
    return row["revoked_at"] is None and (row["expires_at"] is None or row["expires_at"] > now)


def _check_log(store: Store, county: str | None) -> None:
    if store.tenant != log_of(county):
        raise RuntimeError(f"a key of {county or 'no county'} in a transaction of {store.tenant}")
