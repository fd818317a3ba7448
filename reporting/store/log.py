"""The append-only log of one county (RFC 6962 style): adding entries, its head, its signed heads.

Every legal fact becomes an entry in the transaction that stores it. Entries are canonical JSON kept as bytes. Beside
an entry lie, each under a salted commitment that the entry holds, so that they can be destroyed one by one and the log
still verifies: the raw bytes that a person sent, and the detail (what people wrote, and every row of the tables that
the entry made, ended or decided). No person's data stand in an entry itself.

An entry is written when its rows are known: at the next checkpoint or look into the log, at the latest at the commit.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import BindParameter, Select, bindparam, select, update

from reporting import tables
from reporting.store.encoding import canonical_json, instant_text
from reporting.store.engine import Store
from reporting.store.journal import Draft
from reporting.store.merkle import Frontier, leaf_hash
from reporting.store.rows import TENANT, chunks, insert_new_rows, insert_rows
from reporting.store.signing import SignedHead, Signer, VerifyingKey

SALT_BYTES: Final = 16
SERVICE_LOG: Final = "_service"
"""The log of what belongs to no county: keys of contractors and administrators, roles, invitations, signing keys.

A tenant like a county, under a name that no county can have:
`append(store of database.transaction(SERVICE_LOG), [NewEntry(...)], now)`.
"""
_HEAD_COLUMNS: Final = [column.name for column in tables.checkpoint.columns]


@dataclass(frozen=True, kw_only=True)
class NewEntry:
    """An entry to be: what happened, and the bytes as received when a person or a machine sent some.

    content: stays for good, and so holds no person's data: who and what by their ids, dates, kinds. words: what people
    wrote (reasons, names, addresses); lies in the detail.
    """

    type: str
    content: Mapping[str, Any]
    raw: bytes | None = None
    words: Mapping[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Appended:
    """One entry as the log took it. `leaf` is empty until the entry is written, which a checkpoint sees to."""

    seq: int
    recorded_at: datetime
    leaf: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Head:
    """Where the county's log stands: an empty log has size 0 and no time. `verifying_key`: of the key in force."""

    size: int
    root: bytes
    frontier: bytes
    last_at: datetime | None
    verifying_key: bytes | None = None


def append(store: Store, entries: Sequence[NewEntry], now: datetime) -> list[Appended]:
    """Add entries to the county's log; holds its head until the transaction ends.

    `recorded_at` is `now`, or the time of the entry before where the clock went back. What the transaction then adds to
    the tables under an entry's number becomes part of the entry. Raises `EntryNotAllowed` for content that has no
    canonical JSON.
    """
    if not entries:
        return []
    pending = _pending(store)
    recorded_at = max(now, pending.last_at) if pending.last_at else now
    first = pending.size + len(pending.entries) + 1
    for entry in entries:
        canonical_json(entry.content)  # where it is wrong, its caller is to hear of it
    appended = [Appended(seq=seq, recorded_at=recorded_at) for seq in range(first, first + len(entries))]
    pending.entries.extend(zip(appended, entries, strict=True))
    pending.last_at = recorded_at
    store.journal.drafts.update((one.seq, Draft()) for one in appended)
    return appended


def settle(store: Store) -> None:
    """Write the entries that this transaction has appended, with the rows that they made."""
    if store.journal.settle:
        store.journal.settle()


def hold(store: Store) -> Head:
    """Hold the county's log until the transaction ends: what is read from here on, no other writer changes."""
    settle(store)
    return _locked_head(store)


def head(store: Store) -> Head:
    """Where the county's log stands."""
    settle(store)
    row = store.connection.execute(_select_head(), {"tenant": store.tenant}).mappings().first()
    return Head(**row) if row else Head(size=0, root=Frontier().root(), frontier=b"", last_at=None)


def seq_at(store: Store, instant: datetime) -> int:
    """The sequence number up to which the county's log had come at `instant`; 0 before its first entry."""
    settle(store)
    log_entry = tables.log_entry
    query = (
        select(log_entry.c.seq)
        .where(log_entry.c.county == store.tenant, log_entry.c.recorded_at <= instant)
        .order_by(log_entry.c.recorded_at.desc(), log_entry.c.seq.desc())
        .limit(1)
    )
    return store.connection.execute(query).scalar() or 0


def checkpoint(store: Store, signer: Signer, now: datetime) -> SignedHead:
    """The signed head of the log as it stands: signed now, unless this size has been signed before.

    Raises `SigningKeyUnusable` where the key in force is not to hand.
    """
    at = head(store)
    found = signed_head(store, at.size, exact=True)
    if found:
        return found
    in_force = signer.for_key(at.verifying_key)
    if at.verifying_key is None:
        put_in_force(store, in_force.verifying_key)
    signed = in_force.sign(store.tenant, at.size, at.root, now)
    row = {name: getattr(signed, name) for name in _HEAD_COLUMNS}
    insert_new_rows(store, tables.checkpoint, [row])
    return signed


def put_in_force(store: Store, key: VerifyingKey) -> None:
    """Note which key signs the county's log from now on."""
    settle(store)
    _locked_head(store)
    table = tables.log_head
    statement = update(table).where(table.c.county == store.tenant).values(verifying_key=key.raw)
    store.connection.execute(statement)


def signed_head(store: Store, size: int, *, exact: bool = False) -> SignedHead | None:
    """The first signed head that includes the first `size` entries, or (`exact`) the one of just that size."""
    row = (
        store.connection.execute(_select_signed(exact=exact), {"tenant": store.tenant, "least": size})
        .mappings()
        .first()
    )
    return SignedHead(**row) if row else None


@cache
def _select_signed(*, exact: bool) -> Select[Any]:
    table = tables.checkpoint
    least: BindParameter[int] = bindparam("least")
    bound = table.c.size == least if exact else table.c.size >= least
    return select(table).where(table.c.county == TENANT, bound).order_by(table.c.size).limit(1)


def head_now(store: Store, signer: Signer, now: datetime) -> SignedHead:
    """The signed head of the log as it stands, for whoever looks: as `checkpoint`, but nothing is written."""
    at = head(store)
    found = signed_head(store, at.size, exact=True)
    return found or signer.for_key(at.verifying_key).sign(store.tenant, at.size, at.root, now)


def appended_entry(store: Store, seq: int) -> Appended | None:
    """Entry `seq` as the log took it, or `None`."""
    settle(store)
    table = tables.log_entry
    query = select(table.c.seq, table.c.leaf, table.c.recorded_at).where(
        table.c.county == store.tenant, table.c.seq == seq
    )
    row = store.connection.execute(query).mappings().first()
    return Appended(**row) if row else None


def entries_of(store: Store, seqs: Sequence[int]) -> dict[int, bytes]:
    """The stored bytes of some entries, by sequence number."""
    settle(store)
    table = tables.log_entry
    found: dict[int, bytes] = {}
    for part in chunks(seqs):
        query = select(table.c.seq, table.c.entry).where(table.c.county == store.tenant, table.c.seq.in_(part))
        found.update(store.connection.execute(query).all())
    return found


def raw_of(store: Store, seq: int) -> bytes | None:
    """The bytes as received that entry `seq` commits to; `None` when there were none or they have been destroyed."""
    settle(store)
    table = tables.log_raw
    query = select(table.c.raw).where(table.c.county == store.tenant, table.c.seq == seq)
    return store.connection.execute(query).scalar()


def detail_of(store: Store, seq: int) -> dict[str, Any]:
    """What lies beside entry `seq`: `words`, and the rows it `added`, `ended`, `decided`; empty for nothing."""
    settle(store)
    table = tables.log_detail
    query = select(table.c.detail).where(table.c.county == store.tenant, table.c.seq == seq)
    found = store.connection.execute(query).scalar()
    return dict(json.loads(found)) if found is not None else {}


def commitment(salt: bytes, raw: bytes) -> str:
    """What an entry says of its raw bytes, or of its detail: `SHA-256(salt || bytes)` in hex."""
    return sha256(salt + raw).hexdigest()


@dataclass(kw_only=True)
class _Pending:
    """Entries of a transaction that wait to be written, after the log's first `size`."""

    size: int
    last_at: datetime | None
    edge: Frontier
    entries: list[tuple[Appended, NewEntry]] = field(default_factory=list)


def _pending(store: Store) -> _Pending:
    """What waits in this transaction; the first entry takes the log's head."""
    found: _Pending | None = store.journal.waiting
    if found is None:
        at = _locked_head(store)
        found = _Pending(size=at.size, last_at=at.last_at, edge=Frontier.unpack(at.size, at.frontier))
        store.journal.waiting, store.journal.settle = found, partial(_write, store, found)
    return found


def _write(store: Store, pending: _Pending) -> None:
    if not pending.entries:
        return
    rows, raws, details = [], [], []
    for appended, entry in pending.entries:
        base = {"county": store.tenant, "seq": appended.seq}
        value: dict[str, Any] = {
            **base, "type": entry.type, "recorded_at": instant_text(appended.recorded_at), "content": entry.content,
        }  # fmt: skip
        if entry.raw is not None:
            salt = secrets.token_bytes(SALT_BYTES)
            value["commit"] = commitment(salt, entry.raw)
            raws.append({**base, "salt": salt, "raw": entry.raw})
        detail = store.journal.drafts.pop(appended.seq).as_json()
        if detail or entry.words:
            salt = secrets.token_bytes(SALT_BYTES)
            text = canonical_json({**detail, **({"words": entry.words} if entry.words else {})})
            value["detail"] = commitment(salt, text)
            details.append({**base, "salt": salt, "detail": text})
        written = canonical_json(value)
        appended.leaf = leaf_hash(written)
        pending.edge.append(appended.leaf)
        columns = {"type": entry.type, "recorded_at": appended.recorded_at, "entry": written, "leaf": appended.leaf}
        rows.append({**base, **columns})
    pending.size += len(pending.entries)
    pending.entries.clear()
    insert_rows(store, tables.log_entry, rows)
    insert_rows(store, tables.log_raw, raws)
    insert_rows(store, tables.log_detail, details)
    assert pending.last_at is not None
    _move_head(store, pending.edge, pending.last_at)


@cache
def _select_head() -> Select[Any]:
    table = tables.log_head
    columns = (table.c.size, table.c.root, table.c.frontier, table.c.last_at, table.c.verifying_key)
    return select(*columns).where(table.c.county == TENANT)


def _locked_head(store: Store) -> Head:
    """The head, locked against every other writer of the county: on SQLite the transaction is that lock."""
    query, asked = _select_head().with_for_update(), {"tenant": store.tenant}
    row = store.connection.execute(query, asked).mappings().first()
    if row is None:
        first = {"county": store.tenant, "size": 0, "root": Frontier().root(), "frontier": b"", "last_at": None}
        insert_new_rows(store, tables.log_head, [first])
        row = store.connection.execute(query, asked).mappings().one()
    return Head(**row)


def _move_head(store: Store, edge: Frontier, last_at: datetime) -> None:
    values = {"size": edge.size, "root": edge.root(), "frontier": edge.pack(), "last_at": last_at}
    store.connection.execute(update(tables.log_head).where(tables.log_head.c.county == store.tenant).values(values))
