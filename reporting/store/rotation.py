"""Handing a county's log over from one signing key to the next: an entry that the old key signs."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.log import Appended, NewEntry, append, checkpoint, head, hold, put_in_force
from reporting.store.signing import Signer, VerifyingKey, rotation_text

SIGNING_KEY: Final = "signing_key"
"""The type of the entry: `key` and `replaces` (base64, 32 bytes each), and the old key's `signature` (base64)."""


@dataclass(frozen=True, kw_only=True)
class Rotation:
    """From entry `seq` on, `new` signs the log and no longer `old`. `signed`: whether the old key says so."""

    seq: int
    old: VerifyingKey
    new: VerifyingKey
    signed: bool


@dataclass(frozen=True, kw_only=True)
class KeyRing:
    """Which key signs the heads of one log, by their size.

    known: keys that the one who checks trusts; of a log that was handed over, one of its keys must be among them.
    """

    known: tuple[VerifyingKey, ...]
    rotations: tuple[Rotation, ...] = ()

    def in_force(self, size: int) -> tuple[VerifyingKey, ...]:
        """The keys of which one must have signed a head of this size."""
        if not self.rotations:
            return self.known
        before = [one for one in self.rotations if one.seq <= size]
        return (before[-1].new if before else self.rotations[0].old,)

    @property
    def broken_at(self) -> int | None:
        """The first entry that hands the log over and may not: the old key has not signed it, or was not in force."""
        for number, one in enumerate(self.rotations):
            if not one.signed or (number and self.rotations[number - 1].new != one.old):
                return one.seq
        return None

    @property
    def is_anchored(self) -> bool:
        """Whether one of the log's keys is known."""
        keys = {key.raw for one in self.rotations for key in (one.old, one.new)}
        return not self.rotations or bool(keys & {key.raw for key in self.known})


def hand_over(store: Store, signer: Signer, now: datetime) -> Appended | None:
    """Put the signer's key in force for the log of this transaction; `None` when it was before, or nothing was signed.

    Raises `SigningKeyUnusable` where the key in force until now is not to hand.
    """
    hold(store)
    before = head(store).verifying_key
    new = signer.verifying_key
    if before in (None, new.raw):
        put_in_force(store, new)
        return None
    assert before is not None
    old = signer.for_key(before)
    content = {
        "key": b64encode(new.raw).decode(),
        "replaces": b64encode(before).decode(),
        "signature": b64encode(old.key.sign(rotation_text(store.tenant, new))).decode(),
    }
    [entry] = append(store, [NewEntry(type=SIGNING_KEY, content=content)], now)
    put_in_force(store, new)
    checkpoint(store, signer, now)
    return entry


def key_ring(store: Store, known: Sequence[VerifyingKey]) -> KeyRing:
    """The keys of the log of this transaction."""
    table = tables.log_entry
    query = (
        select(table.c.seq, table.c.entry)
        .where(table.c.county == store.tenant, table.c.type == SIGNING_KEY)
        .order_by(table.c.seq)
    )
    found = [_rotation(store.tenant, seq, entry) for seq, entry in store.connection.execute(query)]
    return KeyRing(known=tuple(known), rotations=tuple(one for one in found if one is not None))


def keys_of(store: Store) -> list[tuple[int, VerifyingKey]]:
    """Every key that has signed the log of this transaction, oldest first, each with the entry from which on it did.

    None before the first signed head.
    """
    rotations = key_ring(store, ()).rotations
    if rotations:
        return [(0, rotations[0].old), *((one.seq, one.new) for one in rotations)]
    raw = head(store).verifying_key
    return [(0, VerifyingKey(raw=raw))] if raw else []


def _rotation(county: str, seq: int, entry: bytes) -> Rotation | None:
    """What an entry says of a rotation; `None` for one that cannot be read, which `verify` names for that."""
    try:
        content: Any = json.loads(entry)["content"]
        old, new, signature = (b64decode(content[name], validate=True) for name in ("replaces", "key", "signature"))
        new_key = VerifyingKey(raw=new)
        public = Ed25519PublicKey.from_public_bytes(old)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    try:
        public.verify(signature, rotation_text(county, new_key))
        signed = len(new) == len(old)
    except InvalidSignature:
        signed = False
    return Rotation(seq=seq, old=VerifyingKey(raw=old), new=new_key, signed=signed)
