"""What signing in leaves behind: links that work once, how often was tried, what failed. Never the address itself."""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from reporting import tables
from reporting.ids import new_id
from reporting.store.engine import Store
from reporting.store.rows import insert_rows

LINK_LIFE: Final = timedelta(minutes=15)
SECRET: Final = re.compile(r"[a-z2-7]{32}", re.ASCII)
"""How the secret of a link is written."""
_token: Final = tables.signin_token
_failure: Final = tables.signin_failure


@dataclass(frozen=True, kw_only=True)
class Failures:
    """What failed in one hour in one log: tries by (method, person), the person "" where it is nobody we know."""

    hour: datetime
    tries: tuple[tuple[str, str, int], ...]


def new_secret() -> str:
    """The secret of a link: 160 random bits, short enough for one line of a mail."""
    return b32encode(secrets.token_bytes(20)).decode().lower()


def hash_secret(secret: str) -> bytes:
    """What is kept of it."""
    return sha256(secret.encode()).digest()


def create_signin_token(store: Store, person: str | None, now: datetime) -> str:
    """Make a link's secret for a person; for nobody the same work is done, and the secret is of no use."""
    secret = new_secret()
    row = {"id": new_id("sgn", now), "secret_sha256": hash_secret(secret), "person": person, "used_at": None}
    insert_rows(store, _token, [{**row, "created_at": now, "expires_at": now + LINK_LIFE}])
    return secret


def person_of_token(store: Store, secret: str, now: datetime) -> str | None:
    """Whom an unused link is for; `None` for one that is unknown, used or too old."""
    query = select(_token.c.person).where(*_open(secret, now))
    return store.connection.execute(query).scalar()


def use_signin_token(store: Store, secret: str, now: datetime) -> bool:
    """Use a link up; of several who try at once, one gets `True`."""
    statement = update(_token).where(*_open(secret, now)).values(used_at=now)
    return store.connection.execute(statement).rowcount == 1


def drop_signin_tokens(store: Store, person: str, now: datetime) -> None:
    """Make a person's other links useless."""
    mine = (_token.c.person == person, _token.c.used_at.is_(None))
    store.connection.execute(update(_token).where(*mine).values(used_at=now))


def count_attempt(store: Store, kind: str, subject: str, now: datetime, window: timedelta) -> int:
    """Count a try of a subject in the window that `now` lies in; gives how many it makes, this one included.

    The subject (an address of mail or of the network) is kept as a hash.
    """
    table = tables.attempt
    key = _attempt_key(kind, subject, now, window)
    make = postgresql.insert if store.dialect == "postgresql" else sqlite.insert
    statement = make(table).values(**key, tries=1, on=now.date())
    counted = statement.on_conflict_do_update(
        index_elements=["kind", "subject", "slot"], set_={"tries": table.c.tries + 1}
    )
    return int(store.connection.execute(counted.returning(table.c.tries)).scalar_one())


def uncount_attempt(store: Store, kind: str, subject: str, now: datetime, window: timedelta) -> None:
    """Take back a try that went well."""
    table = tables.attempt
    key = _attempt_key(kind, subject, now, window)
    mine = [table.c[name] == value for name, value in key.items()]
    store.connection.execute(update(table).where(*mine, table.c.tries > 0).values(tries=table.c.tries - 1))


def count_failure(store: Store, log: str, method: str, person: str | None, now: datetime) -> None:
    """Count a sign-in that failed, for the entry that the log gets of its hour."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    make = postgresql.insert if store.dialect == "postgresql" else sqlite.insert
    row = {"log": log, "hour": hour, "method": method, "person": person or "", "tries": 1}
    counted = make(_failure).values(row)
    statement = counted.on_conflict_do_update(
        index_elements=["log", "hour", "method", "person"], set_={"tries": _failure.c.tries + 1}
    )
    store.connection.execute(statement)


def take_failures(store: Store, log: str, now: datetime) -> list[Failures]:
    """Take out what failed in the hours that are over, oldest first; each is given to one caller."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    over = (_failure.c.log == log, _failure.c.hour < hour)
    gone = delete(_failure).where(*over).returning(*_failure.c)
    rows: Sequence[Any] = store.connection.execute(gone).mappings().all()
    by_hour: dict[datetime, list[tuple[str, str, int]]] = {}
    for row in rows:
        by_hour.setdefault(row["hour"], []).append((row["method"], row["person"], row["tries"]))
    return [Failures(hour=at, tries=tuple(sorted(tries))) for at, tries in sorted(by_hour.items())]


def logs_with_failures(store: Store, now: datetime) -> list[str]:
    """The logs that have failures of hours that are over."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    query = select(_failure.c.log).where(_failure.c.hour < hour).distinct().order_by(_failure.c.log)
    return list(store.connection.execute(query).scalars())


def forget_signins(store: Store, now: datetime) -> int:
    """Drop what is of no use any more: links a day after they ended, counts of tries after two days; how many."""
    attempt, day = tables.attempt, timedelta(days=1)
    links = store.connection.execute(delete(_token).where(_token.c.expires_at < now - day)).rowcount
    counts = store.connection.execute(delete(attempt).where(attempt.c.on < (now - 2 * day).date())).rowcount
    return links + counts


def _attempt_key(kind: str, subject: str, now: datetime, window: timedelta) -> dict[str, Any]:
    slot = int(now.timestamp() // window.total_seconds())
    hashed = sha256(f"{kind}\n{subject}".encode("utf-8", "backslashreplace")).hexdigest()
    return {"kind": kind, "subject": hashed, "slot": slot}


def _open(secret: str, now: datetime) -> tuple[Any, ...]:
    return (
        _token.c.secret_sha256 == hash_secret(secret),
        _token.c.used_at.is_(None),
        _token.c.expires_at > now,
        _token.c.person.is_not(None),
    )
