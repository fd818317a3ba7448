"""What a person proves a sign-in with: a password's hash, a sealed TOTP secret, recovery codes that work once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import insert_rows, upsert_rows

_totp: Final = tables.totp
_recovery: Final = tables.recovery_code


@dataclass(frozen=True, kw_only=True)
class Factors:
    """A person's hash and sealed TOTP secret, and the last step of the clock that was used up."""

    method: str
    salt: bytes
    hash: bytes
    sealed: bytes
    last_step: int


def factors_of(store: Store, person: str) -> Factors | None:
    """What a person has set up; `None` where a password or a second factor is missing."""
    password = tables.password
    query = (
        select(password.c.method, password.c.salt, password.c.hash, _totp.c.sealed, _totp.c.last_step)
        .join(_totp, _totp.c.person == password.c.person)
        .where(password.c.person == person)
    )
    row = store.connection.execute(query).mappings().first()
    return Factors(**row) if row else None


def set_factors(store: Store, person: str, factors: Factors, code_hashes: Iterable[str], now: datetime) -> None:
    """Set a person's password, second factor and recovery codes; those before are gone."""
    kept = {"method": factors.method, "salt": factors.salt, "hash": factors.hash, "changed_at": now}
    upsert_rows(store, tables.password, [{"person": person, **kept}])
    second = {"sealed": factors.sealed, "set_at": now, "last_step": factors.last_step}
    upsert_rows(store, _totp, [{"person": person, **second}])
    store.connection.execute(delete(_recovery).where(_recovery.c.person == person))
    rows = [{"person": person, "code_sha256": code, "used_at": None} for code in code_hashes]
    insert_rows(store, _recovery, rows)


def use_step(store: Store, person: str, step: int) -> bool:
    """Use up a step of the clock and all before it; `False` when it was used: a code works once."""
    mine = (_totp.c.person == person, _totp.c.last_step < step)
    return store.connection.execute(update(_totp).where(*mine).values(last_step=step)).rowcount == 1


def use_recovery_code(store: Store, person: str, code_hash: str, now: datetime) -> bool:
    """Use up a recovery code; `False` when it is none of the person's or was used."""
    mine = (_recovery.c.person == person, _recovery.c.code_sha256 == code_hash, _recovery.c.used_at.is_(None))
    return store.connection.execute(update(_recovery).where(*mine).values(used_at=now)).rowcount == 1
