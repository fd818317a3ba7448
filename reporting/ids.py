"""Names for what is kept: `sys_01K…`, ordered by the time at which they were given, not to be guessed."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base32: no i, l, o, u
_PAIRS: Final = [a + b for a in _ALPHABET for b in _ALPHABET]
_RANDOM_BITS: Final = 80
_LENGTH: Final = 26
_SHIFTS: Final = range(5 * (_LENGTH - 2), -1, -10)
_MILLISECONDS: Final = 2**48


def new_id(prefix: str, now: datetime) -> str:
    """One id: `prefix`, `_` and 26 characters of base32 (48 bits of milliseconds since 1970, 80 random bits).

    Raises `ValueError` for a naive time.
    """
    return new_ids(prefix, now, 1)[0]


def new_ids(prefix: str, now: datetime, count: int) -> list[str]:
    """Several ids given at one moment, in rising order."""
    if now.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    stamp = int(now.timestamp() * 1000) % _MILLISECONDS << _RANDOM_BITS
    tails = sorted(secrets.randbits(_RANDOM_BITS) for _ in range(count))
    return [f"{prefix}_{_base32(stamp | tail)}" for tail in tails]


def _base32(value: int) -> str:
    return "".join([_PAIRS[value >> shift & 1023] for shift in _SHIFTS])
