"""Signing in with password and code, for a county's staff: slow to guess, the same for every address, hard to block."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from reporting.access.entries import note
from reporting.access.outcomes import Refused, SignedIn, Why
from reporting.access.passwords import is_password, pretend
from reporting.access.secret import Secret
from reporting.access.totp import recovery_hash, step_of
from reporting.store.engine import Database, Store
from reporting.store.factors import Factors, factors_of, use_recovery_code, use_step
from reporting.store.log import SERVICE_LOG
from reporting.store.persons import Place, find_by_mail, places_of
from reporting.store.sessions import Method, start_session
from reporting.store.signin import count_attempt, count_failure, uncount_attempt

WINDOW: Final = timedelta(minutes=15)
FROM_ONE: Final = 5
"""Tries of one address of mail from one address of the network."""
OF_ONE: Final = 20
"""Tries of one address of mail from anywhere. Whoever signed in before from the same browser is not counted here."""
BY_ONE: Final = 100
"""Tries of any address of mail from one address of the network."""
FROM_DEVICE: Final = 10
"""Tries from a browser that this person signed in with before; strangers cannot use them up (OWASP, device cookies)."""
_DEVICE: Final = "device"


@dataclass(frozen=True, kw_only=True)
class PasswordTry:
    """One try. `client`: the caller's network; `device`: the cookie of a browser known from before, if any."""

    email: str
    password: str = field(repr=False)
    code: str = field(repr=False)
    county: str | None = None
    client: str = ""
    device: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class _Account:
    """Who an address is, as far as that person can sign in so."""

    person: str
    factors: Factors
    counties: tuple[str, ...]


def sign_in(database: Database, secret: Secret, given: PasswordTry, now: datetime) -> SignedIn | Refused:
    """Let somebody in who knows password and code. A code works once; what was wrong is not told."""
    with database.reading(None) as store:
        account = _account(store, given.email)
    buckets = _buckets(secret, given, account)
    with database.transaction(None) as store:
        # Counted before it is tried, or many at once would all be tried.
        over = [count_attempt(store, kind, subject, now, WINDOW) > most for kind, subject, most in buckets]
    if any(over):
        return Refused(why=Why.TOO_MANY)
    step = _proof(secret, given, account, now)
    if account is None or step is None:
        return _failed(database, account, now)
    counties = [county for county in account.counties if given.county in (None, county)]
    if len(counties) > 1:
        return Refused(why=Why.CHOOSE, places=[Place(county=county) for county in counties])
    if not counties:
        return _failed(database, account, now)
    done = _enter(database, account, counties[0], step, now)
    if done is None:
        return _failed(database, account, now)
    with database.transaction(None) as store:
        for kind, subject, _most in buckets:
            uncount_attempt(store, kind, subject, now, WINDOW)
    return done


def device_of(secret: Secret, person: str) -> str:
    """The cookie by which a browser is known again. It opens nothing."""
    named = f"{person}.{secrets.token_hex(8)}"
    return f"{named}.{secret.mark(_DEVICE, named)}"


def _enter(database: Database, account: _Account, county: str, step: int | str, now: datetime) -> SignedIn | None:
    """Use the code up and begin the session; `None` when somebody else used the same code a moment ago."""
    person, place = account.person, Place(county=county)
    with database.transaction(county) as store:
        used = use_step(store, person, step) if isinstance(step, int) else use_recovery_code(store, person, step, now)
        if not used:
            return None
        session, token = start_session(store, person, place, Method.PASSWORD, now)
        content: dict[str, Any] = {"person": person, "method": Method.PASSWORD, "session": session}
        note(store, "signed_in", {**content, "by_recovery_code": isinstance(step, str)}, now)
    return SignedIn(session=session, token=token, person=person, place=place)


def _proof(secret: Secret, given: PasswordTry, account: _Account | None, now: datetime) -> int | str | None:
    """The step of the clock that the code is of, or the hash of a recovery code; `None` where anything is wrong.

    Takes as long for an address that is nobody's.
    """
    if account is None:
        pretend(given.password)
        return None
    factors = account.factors
    right = is_password(given.password, factors.method, factors.salt, factors.hash)
    totp = secret.unseal(f"totp of {account.person}", factors.sealed)
    step = step_of(totp, given.code, now) if totp else None
    proof = step if step is not None else recovery_hash(given.code)
    return proof if right else None


def _failed(database: Database, account: _Account | None, now: datetime) -> Refused:
    logs = account.counties if account and account.counties else (SERVICE_LOG,)
    with database.transaction(None) as store:
        for log in logs:
            count_failure(store, log, Method.PASSWORD, account.person if account else None, now)
    return Refused(why=Why.FAILED)


def _account(store: Store, email: str) -> _Account | None:
    found: Mapping[str, Any] | None = find_by_mail(store, email)
    factors = factors_of(store, found["id"]) if found else None
    if found is None or factors is None:
        return None
    counties = tuple(place.county for place in places_of(store, found["id"]) if place.county)
    return _Account(person=found["id"], factors=factors, counties=counties)


def _buckets(secret: Secret, given: PasswordTry, account: _Account | None) -> list[tuple[str, str, int]]:
    """What a try is counted against: kind, subject and how many are taken in a quarter of an hour."""
    named, _dot, mark = (given.device or "").rpartition(".")
    known = account is not None and named.startswith(f"{account.person}.") and secret.is_mark(_DEVICE, named, mark)
    if known:
        return [("password device", named, FROM_DEVICE)]
    return [
        ("password from one", f"{given.client} {given.email.lower()}", FROM_ONE),
        ("password of one", given.email.lower(), OF_ONE),
        ("password by one", given.client, BY_ONE),
    ]
