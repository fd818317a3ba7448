"""How often may be called: limits for each key, each county and each address that brings no key.

Fixed windows of a minute, counted over all workers by `reporting.store.limits`; this worker spends its blocks from
memory, so that a call that is within its limit, or far beyond it, asks the database nothing. The fields are those of
draft-ietf-httpapi-ratelimit-headers-11; they tell the caller's own limit, and never how busy others are.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from reporting.api.problems import Problem
from reporting.config import Config
from reporting.errors import DatabaseBusy, QueryTooSlow, StorageFull
from reporting.store.engine import Database
from reporting.store.limits import WINDOW, Block, take_block, window_of

_PATIENCE_MS: Final = 250
"""How long a call may wait for its allowance where the database has only one writer."""
Network = IPv4Network | IPv6Network
_MOST_HOPS: Final = 10
_MOST_PURSES: Final = 20_000
_SECONDS: Final = int(WINDOW.total_seconds())


class Kind(StrEnum):
    """What is limited: reading, changing, whole files in or out, and calls without a key."""

    READ = "read"
    WRITE = "write"
    FILE = "file"
    ANONYMOUS = "anonymous"


FILES: Final = frozenset({"submissions.submit_file", "facts.import_inventory", "fees.file_payments"})
"""The endpoints that take a whole file."""
_GIVES_FILE: Final = ("_csv", "_geojson", "_pdf")


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The most calls a minute of each kind; 0: no limit. `each`: of one key or address; `county`: of all in one."""

    each: Mapping[Kind, int]
    county: Mapping[Kind, int]

    @classmethod
    def of(cls, config: Config) -> Rates:
        """What the operator chose."""
        return cls(
            each={kind: getattr(config, f"rate_{kind}") for kind in Kind},
            county={kind: getattr(config, f"rate_county_{kind}") for kind in Kind},
        )


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How a caller stands in one limit. `ok`: the call is within it. `left`: about how many more."""

    policy: str
    limit: int
    left: int
    seconds: int
    ok: bool

    def fields(self) -> dict[str, str]:
        """The header fields that tell it."""
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.limit};w={_SECONDS}',
            "RateLimit": f'"{self.policy}";r={self.left};t={self.seconds}',
        }

    def problem(self) -> Problem:
        """The refusal of a call beyond the limit."""
        detail = f"Too many calls: {self.limit} a minute are taken here. Go on in {self.seconds} s."
        headers = {"Retry-After": str(self.seconds), **self.fields()}
        return Problem(429, "quota-exceeded", detail, headers=headers, extra={"violated-policies": [self.policy]})


@dataclass
class _Purse:
    """One bucket in one window, as this worker holds it."""

    window_at: datetime
    lock: threading.Lock = field(default_factory=threading.Lock)
    held: int = 0
    left: int = 0
    is_closed: bool = False
    """Nothing comes to what is held."""


class Limiter:
    """The limits of one worker process; its threads share it.

    database: where the blocks are taken. workers: how many processes share a limit where each counts its part alone:
    for answers that need no database, and while the database is full or busy, which must stop no reader.
    """

    def __init__(self, database: Database, rates: Rates, workers: int, log: Any) -> None:
        self._database, self._rates, self._log = database, rates, log
        self._workers = max(1, workers)
        self._purses: dict[str, _Purse] = {}
        self._spent: dict[tuple[bytes, Kind, str], tuple[datetime, Standing]] = {}
        self._lock = threading.Lock()

    def take_own(self, holder: str, kind: Kind, now: datetime, *, alone: bool = False) -> Standing | None:
        """One call of a key (its id) or an address; `None` where there is no limit.

        alone: ask the database nothing. Raises `DatabaseUnavailable`: the call could not be answered either.
        """
        policy = "address-anonymous" if kind is Kind.ANONYMOUS else f"key-{kind}"
        bucket = f"{policy}:{holder}" + (":alone" if alone else "")
        return self._take(bucket, policy, self._rates.each[kind], now, alone)

    def take_county(self, county: str, kind: Kind, now: datetime) -> Standing | None:
        """One call among all in a county; `None` where there is no limit."""
        policy = f"county-{kind}"
        return self._take(f"{policy}:{county}", policy, self._rates.county[kind], now)

    def note_spent(self, credential: str, kind: Kind, county: str, standing: Standing, now: datetime) -> None:
        """Keep in mind that whoever brings this credential was refused (`county` "": everywhere), for this window."""
        with self._lock:
            if len(self._spent) >= _MOST_PURSES:
                self._spent.clear()
            self._spent[_digest(credential), kind, county] = (window_of(now), standing)

    def spent(self, credential: str, kind: Kind, county: str, now: datetime) -> Standing | None:
        """The refusal that holds for a credential, before anybody looks up whose it is: a flood costs no query."""
        digest = _digest(credential)
        for place in ("", county):
            window_at, standing = self._spent.get((digest, kind, place), (None, None))
            if standing is not None and window_at == window_of(now):
                return replace(standing, seconds=_seconds_left(now))
        return None

    def _take(self, bucket: str, policy: str, limit: int, now: datetime, alone: bool = False) -> Standing | None:
        if limit == 0:
            return None
        window_at = window_of(now)
        purse = self._purse(bucket, window_at)
        with purse.lock:
            if purse.held == 0 and not purse.is_closed:
                block = None if alone else self._block(bucket, window_at, limit)
                granted = max(1, limit // self._workers) if block is None else block.granted
                purse.held, purse.left = granted, block.left if block else 0
                purse.is_closed = block is None or granted == 0
            ok = purse.held > 0
            purse.held -= ok
            left = purse.held + purse.left
        return Standing(policy=policy, limit=limit, left=left, seconds=_seconds_left(now), ok=ok)

    def _purse(self, bucket: str, window_at: datetime) -> _Purse:
        with self._lock:
            purse = self._purses.get(bucket)
            # A clock that goes back a little finds a later window: that one is kept.
            if purse is None or purse.window_at < window_at:
                if len(self._purses) >= _MOST_PURSES:
                    self._purses = {name: one for name, one in self._purses.items() if one.window_at >= window_at}
                if len(self._purses) >= _MOST_PURSES:
                    self._purses.clear()  # the database knows what was taken; only the rests of blocks are lost
                purse = self._purses[bucket] = _Purse(window_at=window_at)
            return purse

    def _block(self, bucket: str, window_at: datetime, limit: int) -> Block | None:
        try:
            with self._database.transaction(None, patience_ms=_PATIENCE_MS) as store:
                return take_block(store, bucket, window_at, limit)
        except (DatabaseBusy, StorageFull, QueryTooSlow) as error:
            self._log.warning("limit_counted_alone", policy=bucket.partition(":")[0], error=type(error).__name__)
            return None


def _seconds_left(now: datetime) -> int:
    return max(1, _SECONDS - int((now - window_of(now)).total_seconds()))


def _digest(credential: str) -> bytes:
    return sha256(credential.encode("utf-8", "backslashreplace")).digest()


def kind_of(endpoint: str, method: str) -> Kind:
    """Which limit a call with a key counts against."""
    if endpoint in FILES or endpoint.endswith(_GIVES_FILE):
        return Kind.FILE
    return Kind.READ if method in ("GET", "HEAD") else Kind.WRITE


def network_of(address: str | None) -> str:
    """Whom an address stands for: an IPv4 address, or the /64 of an IPv6 one, which is what one customer is given."""
    try:
        found = ip_address(address or "")
    except ValueError:
        return "none"
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)


def client_address(remote: str | None, forwarded: str, trusted: Sequence[Network]) -> str | None:
    """Who calls: the last hop that no trusted proxy stands for. What comes before that hop, anybody may have written.

    remote: the connection's other end; "" or None: a socket file of this machine. forwarded: X-Forwarded-For.
    """
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()][-_MOST_HOPS:]
    address = remote
    while hops and _is_trusted(address, trusted):
        address = hops.pop()
    return address or None


def _is_trusted(address: str | None, trusted: Sequence[Network]) -> bool:
    if not address:
        return True
    try:
        found = ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in network for network in trusted)
