"""The append-only log of one county (RFC 6962 style): adding entries, its head, its signed heads.

Every legal fact becomes an entry in the transaction that stores it. Entries are canonical JSON kept as bytes; the raw
bytes that a person sent lie beside them under a salted commitment, so that they can be destroyed one by one and the
log still verifies.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import select, update

from reporting import tables
from reporting.store.encoding import canonical_json, instant_text
from reporting.store.engine import Store
from reporting.store.merkle import Frontier, leaf_hash
from reporting.store.rows import chunks, insert_new_rows, insert_rows
from reporting.store.signing import SignedHead, Signer

SALT_BYTES: Final = 16
_HEAD_COLUMNS: Final = [column.name for column in tables.checkpoint.columns]


@dataclass(frozen=True, kw_only=True)
class NewEntry:
    """An entry to be: what happened, and the bytes as received when a person or a machine sent some."""

    type: str
    content: Mapping[str, Any]
    raw: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class Appended:
    """One entry as the log took it."""

    seq: int
    leaf: bytes
    recorded_at: datetime


@dataclass(frozen=True, kw_only=True)
class Head:
    """Where the county's log stands: an empty log has size 0 and no time."""

    size: int
    root: bytes
    frontier: bytes
    last_at: datetime | None


def append(store: Store, entries: Sequence[NewEntry], now: datetime) -> list[Appended]:
    """Add entries to the county's log; holds its head until the transaction ends.

    `recorded_at` is `now`, or the time of the entry before where the clock went back. Raises `EntryNotAllowed` for
    content that has no canonical JSON.
    """
    if not entries:
        return []
    head = _locked_head(store)
    recorded_at = max(now, head.last_at) if head.last_at else now
    edge = Frontier.unpack(head.size, head.frontier)
    appended, rows, raws = [], [], []
    for seq, entry in enumerate(entries, head.size + 1):
        salt = secrets.token_bytes(SALT_BYTES)
        written = _entry_bytes(store.tenant, seq, entry, recorded_at, salt)
        leaf = leaf_hash(written)
        edge.append(leaf)
        appended.append(Appended(seq=seq, leaf=leaf, recorded_at=recorded_at))
        base = {"county": store.tenant, "seq": seq}
        rows.append({**base, "type": entry.type, "recorded_at": recorded_at, "entry": written, "leaf": leaf})
        if entry.raw is not None:
            raws.append({**base, "salt": salt, "raw": entry.raw})
    insert_rows(store, tables.log_entry, rows)
    insert_rows(store, tables.log_raw, raws)
    _move_head(store, edge, recorded_at)
    return appended


def hold(store: Store) -> Head:
    """Hold the county's log until the transaction ends: what is read from here on, no other writer changes."""
    return _locked_head(store)


def head(store: Store) -> Head:
    """Where the county's log stands."""
    row = store.connection.execute(_select_head(store)).mappings().first()
    return Head(**row) if row else Head(size=0, root=Frontier().root(), frontier=b"", last_at=None)


def seq_at(store: Store, instant: datetime) -> int:
    """The sequence number up to which the county's log had come at `instant`; 0 before its first entry."""
    log_entry = tables.log_entry
    query = (
        select(log_entry.c.seq)
        .where(log_entry.c.county == store.tenant, log_entry.c.recorded_at <= instant)
        .order_by(log_entry.c.recorded_at.desc(), log_entry.c.seq.desc())
        .limit(1)
    )
    return store.connection.execute(query).scalar() or 0


def checkpoint(store: Store, signer: Signer, now: datetime) -> SignedHead:
    """The signed head of the log as it stands: signed now, unless this size has been signed before."""
    at = head(store)
    found = signed_head(store, at.size, exact=True)
    if found:
        return found
    signed = signer.sign(store.tenant, at.size, at.root, now)
    row = {name: getattr(signed, name) for name in _HEAD_COLUMNS}
    insert_new_rows(store, tables.checkpoint, [row])
    return signed


def signed_head(store: Store, size: int, *, exact: bool = False) -> SignedHead | None:
    """The first signed head that includes the first `size` entries, or (`exact`) the one of just that size."""
    table = tables.checkpoint
    bound = table.c.size == size if exact else table.c.size >= size
    query = select(table).where(table.c.county == store.tenant, bound).order_by(table.c.size).limit(1)
    row = store.connection.execute(query).mappings().first()
    return SignedHead(**row) if row else None


def appended_entry(store: Store, seq: int) -> Appended | None:
    """Entry `seq` as the log took it, or `None`."""
    table = tables.log_entry
    query = select(table.c.seq, table.c.leaf, table.c.recorded_at).where(
        table.c.county == store.tenant, table.c.seq == seq
    )
    row = store.connection.execute(query).mappings().first()
    return Appended(**row) if row else None


def entries_of(store: Store, seqs: Sequence[int]) -> dict[int, bytes]:
    """The stored bytes of some entries, by sequence number."""
    table = tables.log_entry
    found: dict[int, bytes] = {}
    for part in chunks(seqs):
        query = select(table.c.seq, table.c.entry).where(table.c.county == store.tenant, table.c.seq.in_(part))
        found.update(store.connection.execute(query).all())
    return found


def raw_of(store: Store, seq: int) -> bytes | None:
    """The bytes as received that entry `seq` commits to; `None` when there were none or they have been destroyed."""
    table = tables.log_raw
    query = select(table.c.raw).where(table.c.county == store.tenant, table.c.seq == seq)
    return store.connection.execute(query).scalar()


def commitment(salt: bytes, raw: bytes) -> str:
    """What an entry says of its raw bytes: `SHA-256(salt || raw)` in hex."""
    return sha256(salt + raw).hexdigest()


def _entry_bytes(county: str, seq: int, entry: NewEntry, recorded_at: datetime, salt: bytes) -> bytes:
    value: dict[str, Any] = {
        "county": county,
        "seq": seq,
        "type": entry.type,
        "recorded_at": instant_text(recorded_at),
        "content": entry.content,
    }
    if entry.raw is not None:
        value["commit"] = commitment(salt, entry.raw)
    return canonical_json(value)


def _select_head(store: Store) -> Any:
    table = tables.log_head
    return select(table.c.size, table.c.root, table.c.frontier, table.c.last_at).where(table.c.county == store.tenant)


def _locked_head(store: Store) -> Head:
    """The head, locked against every other writer of the county: on SQLite the transaction is that lock."""
    query = _select_head(store).with_for_update()
    row = store.connection.execute(query).mappings().first()
    if row is None:
        first = {"county": store.tenant, "size": 0, "root": Frontier().root(), "frontier": b"", "last_at": None}
        insert_new_rows(store, tables.log_head, [first])
        row = store.connection.execute(query).mappings().one()
    return Head(**row)


def _move_head(store: Store, edge: Frontier, last_at: datetime) -> None:
    values = {"size": edge.size, "root": edge.root(), "frontier": edge.pack(), "last_at": last_at}
    store.connection.execute(update(tables.log_head).where(tables.log_head.c.county == store.tenant).values(values))
