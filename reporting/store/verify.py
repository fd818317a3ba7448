"""Checking a county's log against itself, its signed heads, heads that somebody kept outside, and the tables.

For `pumper verify`. Streams: memory does not grow with the log. Without an outside head, whoever holds both database
and signing key could have rewritten everything alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from sqlalchemy import FromClause, Row, Select, and_, select, text

from reporting import tables
from reporting.store.encoding import instant_text
from reporting.store.engine import Database, Store
from reporting.store.log import commitment, head
from reporting.store.merkle import Frontier, leaf_hash
from reporting.store.problems import DESTRUCTION, Problem, destroyed_seqs
from reporting.store.projection import WHOLE, Span, compare
from reporting.store.rotation import KeyRing, key_ring
from reporting.store.signing import SignedHead, VerifyingKey

_PAGE: Final = 5_000
_BEYOND: Final = 1 << 62
_ALL_AT_ONCE: Final = ("enable_sort", "enable_bitmapscan", "enable_seqscan", "enable_hashjoin")
"""Ways of PostgreSQL's planner that read all of a table before the first row comes."""
_MOST_PROBLEMS: Final = 100


@dataclass(frozen=True, kw_only=True)
class VerifyResult:
    """What a check found: `checkpoints` signed heads were compared, of which `signatures` had a key to check with."""

    county: str
    size: int
    root: bytes
    checkpoints: int
    signatures: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return not self.problems

    @property
    def first_bad(self) -> int | None:
        """The first entry that a problem concerns."""
        return min((problem.seq for problem in self.problems if problem.seq is not None), default=None)


def verify(
    store: Store, keys: Sequence[VerifyingKey] = (), saved: Sequence[SignedHead] = (), *, rows: bool = True
) -> VerifyResult:
    """Compute the county's log again: entries, leaves, commitments, roots, signed heads, and the heads in `saved`.

    With `keys`, each signature must be by the key in force at its size, and one of the log's keys known; without,
    signatures are not looked at. rows: whether the tables are computed from the log as well and compared.
    """
    take_time(store)
    check = _Check(county=store.tenant, ring=key_ring(store, keys) if keys else None)
    stored = _signed_heads(store)
    heads = sorted([*stored, *(one for one in saved if one.county == store.tenant)], key=lambda one: one.size)
    at = 0
    while at < len(heads) and heads[at].size == 0:
        check.signed_head(heads[at])
        at += 1
    for row in _entries(store):
        check.entry(row)
        while at < len(heads) and heads[at].size == check.edge.size:
            check.signed_head(heads[at])
            at += 1
    for missing in heads[at:]:
        check.cut_tail(missing)
    check.end(store)
    if rows:
        for problem in compare(store):
            check.problem(problem.code, problem.seq, problem.message)
    return check.result()


def take_time(store: Store) -> None:
    """Let the statements of a transaction run as long as they take: a check reads everything, by its order.

    On PostgreSQL everything is read along an index: a county's whole tables are not sorted on disk first, whatever the
    planner's figures of them are worth just now.
    """
    if store.dialect == "postgresql":
        settings = {"statement_timeout": "0", "jit": "off", **dict.fromkeys(_ALL_AT_ONCE, "off")}
        for name, value in settings.items():
            store.connection.execute(text("SELECT set_config(:name, :value, true)"), {"name": name, "value": value})
    else:
        store.connection.execution_options(pumper_limit_ms=float("inf"))


class Part(StrEnum):
    """What of a check is made: the log itself, or the tables against it. Each is whole in itself."""

    LOG = "log"
    TABLES = "tables"


def verify_part(
    url: str,
    county: str,
    part: Part,
    span: Span = WHOLE,
    keys: Sequence[VerifyingKey] = (),
    saved: Sequence[SignedHead] = (),
) -> VerifyResult:
    """One part of a check on a connection of its own, for a process that does nothing else.

    span: of which entries the tables are compared.
    """
    database = Database.connect(url)
    try:
        with database.reading(county) as store:
            if part is Part.LOG:
                return verify(store, keys, saved, rows=False)
            take_time(store)
            at = head(store)
            problems = tuple(islice(compare(store, span), _MOST_PROBLEMS))
            return VerifyResult(
                county=county, size=at.size, root=at.root, checkpoints=0, signatures=0, problems=problems
            )
    finally:
        database.dispose()


@dataclass(kw_only=True)
class _Check:
    """The state of one pass over a log."""

    county: str
    ring: KeyRing | None
    edge: Frontier = field(default_factory=Frontier)
    problems: list[Problem] = field(default_factory=list)
    missing: dict[tuple[str, int], None] = field(default_factory=dict)
    last_at: datetime | None = None
    text: str = ""
    last_text: str = ""
    last_good: int = 0
    expected: int = 1
    checkpoints: int = 0
    signatures: int = 0

    def entry(self, row: Row[*tuple[Any, ...]]) -> None:
        """Take the next entry: its place, hash, own words, and what lies beside it."""
        seq, kind, recorded_at, entry, leaf, salt, raw, detail_salt, detail = row
        if seq != self.expected:
            missing = f"Entry {self.expected} is missing."
            self.problem("missing", self.expected, missing if seq > self.expected else "Entries are out of order.")
        self.expected = seq + 1
        found = leaf_hash(entry)
        if found != leaf:
            self.problem("leaf", seq, f"Entry {seq} was changed: its hash is another.")
        self.edge.append(found)
        if recorded_at != self.last_at:
            self.last_at, self.text = recorded_at, instant_text(recorded_at)
        commit = b"" if raw is None else b'"commit":"%b",' % sha256(salt + raw).hexdigest().encode()
        told = "" if detail is None else f'"detail":"{sha256(detail_salt + detail).hexdigest()}",'
        end = f'}},"county":"{self.county}",{told}"recorded_at":"{self.text}","seq":{seq},"type":"{kind}"}}'
        # As it was written: an entry begins and ends with what is known of it. Any other is looked into.
        as_written = entry.startswith(b'{%b"content":{' % commit) and entry.endswith(end.encode())
        if not as_written or self.text < self.last_text or kind == DESTRUCTION:
            self._words(row)
        else:
            self.last_text = self.text

    def _words(self, row: Row[*tuple[Any, ...]]) -> None:
        try:
            words = json.loads(row.entry)
            said = (words["county"], words["seq"], words["type"], words["recorded_at"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self.problem("entry", row.seq, f"Entry {row.seq} cannot be read.")
            return
        if said != (self.county, row.seq, row.type, instant_text(row.recorded_at)):
            self.problem("entry", row.seq, f"Entry {row.seq} and its columns say different things.")
        if said[3] < self.last_text:
            self.problem("time", row.seq, f"Entry {row.seq} is dated before the one that it follows.")
        self.last_text = said[3]
        self._commitment("raw bytes", row.seq, row.salt, row.raw, words.get("commit"))
        self._commitment("detail", row.seq, row.detail_salt, row.detail, words.get("detail"))
        if row.type == DESTRUCTION:
            self._destruction(row.seq, words)

    def _commitment(self, of: str, seq: int, salt: bytes | None, found: bytes | None, commit: str | None) -> None:
        if found is None or salt is None:
            if commit is not None:
                self.missing[of, seq] = None
        elif commitment(salt, found) != commit:
            self.problem(of.split()[0], seq, f"What lies beside entry {seq} ({of}) was changed.")

    def _destruction(self, seq: int, words: Any) -> None:
        """Take what an entry says was destroyed: entries before it, by their numbers or from one to another."""
        try:
            said = destroyed_seqs(words["content"], seq)
        except (TypeError, ValueError, KeyError, AttributeError):
            self.problem("entry", seq, f"Entry {seq} cannot be read.")
            return
        for one in said:
            self.missing.pop(("raw bytes", one), None)
            self.missing.pop(("detail", one), None)

    def signed_head(self, signed: SignedHead) -> None:
        """Compare a signed head with the entries that it covers."""
        self.checkpoints += 1
        if signed.root == self.edge.root():
            self.last_good = signed.size
        elif signed.size <= self.last_good:
            # Another head of this size agrees with the entries: this one is of another log.
            self.problem("root", None, f"A signed head of {signed.size} entries is not of this log.")
        else:
            # A bad entry found since the last good head explains it; else all that can be told is: one of these.
            since = [one.seq for one in self.problems if one.seq is not None and one.seq > self.last_good]
            first = min(since, default=self.last_good + 1)
            message = (
                f"The signed head of {signed.size} entries has another root: entry {first} or a later one changed."
            )
            self.problem("root", first, message)
        if self.ring is None:
            return
        self.signatures += 1
        if not any(key.signed(signed) for key in self.ring.in_force(signed.size)):
            message = f"The signature of the head of {signed.size} entries is not by a key that was in force."
            self.problem("signature", None, message)

    def cut_tail(self, signed: SignedHead) -> None:
        """A head that covers more entries than there are."""
        message = f"A signed head covers {signed.size} entries, but the log has {self.edge.size}."
        self.problem("cut", self.edge.size + 1, message)

    def end(self, store: Store) -> None:
        """Compare what the log's own head row says, and name raw bytes that are gone without a word."""
        at = head(store)
        same = (at.size, at.root, at.frontier) == (self.edge.size, self.edge.root(), self.edge.pack())
        if not same or (at.last_at is not None and instant_text(at.last_at) != self.last_text):
            cut = self.edge.size + 1 if at.size > self.edge.size else None
            self.problem(
                "head", cut, f"The log's head says {at.size} entries; {self.edge.size} were found, or other ones."
            )
        for of, seq in self.missing:
            self.problem(of.split()[0], seq, f"What lay beside entry {seq} ({of}) is gone, and no entry says why.")
        if self.ring is not None and at.verifying_key is not None:
            in_force = {key.raw for key in self.ring.in_force(self.edge.size)}
            if at.verifying_key not in in_force:
                self.problem("key", None, "The log's head names another key than the one in force.")
        if self.ring is not None and not self.ring.is_anchored:
            self.problem("key", None, "The log was signed by none of the known keys.")
        if self.ring is not None and (bad := self.ring.broken_at):
            self.problem("key", bad, f"Entry {bad} hands the log over to a key that the one before has not signed.")

    def problem(self, code: str, seq: int | None, message: str) -> None:
        """Note one problem; after the first hundred, no more."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Problem(code=code, seq=seq, message=message))

    def result(self) -> VerifyResult:
        """What was found."""
        return VerifyResult(
            county=self.county,
            size=self.edge.size,
            root=self.edge.root(),
            checkpoints=self.checkpoints,
            signatures=self.signatures,
            problems=tuple(self.problems),
        )


def _entries(store: Store) -> Iterator[Row[*tuple[Any, ...]]]:
    """Every entry with its raw bytes, in order, a page at a time."""
    last = -_BEYOND
    while True:
        rows = store.connection.execute(_page_after(store, last)).all()
        yield from rows
        if len(rows) < _PAGE:
            return
        last = rows[-1].seq


def _page_after(store: Store, last: int) -> Select[*tuple[Any, ...]]:
    """A page's query. All three tables are told where it begins: a merge would read the two beside from their start."""
    entry, raw, detail = tables.log_entry, tables.log_raw, tables.log_detail
    joined: FromClause = entry
    for beside in (raw, detail):
        same = and_(beside.c.county == entry.c.county, beside.c.seq == entry.c.seq, beside.c.seq > last)
        joined = joined.outerjoin(beside, same)
    columns = (
        entry.c.seq, entry.c.type, entry.c.recorded_at, entry.c.entry, entry.c.leaf,
        raw.c.salt, raw.c.raw, detail.c.salt.label("detail_salt"), detail.c.detail,
    )  # fmt: skip
    query = select(*columns).select_from(joined).where(entry.c.county == store.tenant, entry.c.seq > last)
    return query.order_by(entry.c.seq).limit(_PAGE)


def _signed_heads(store: Store) -> list[SignedHead]:
    table = tables.checkpoint
    query = select(table).where(table.c.county == store.tenant).order_by(table.c.size)
    return [SignedHead(**row) for row in store.connection.execute(query).mappings()]
