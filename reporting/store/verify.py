"""Checking a county's log against itself, its signed heads, and heads that somebody kept outside.

For `pumper verify`. Streams: memory does not grow with the log. Without an outside head, whoever holds both database
and signing key could have rewritten everything alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Row, and_, select

from reporting import tables
from reporting.store.encoding import instant_text
from reporting.store.engine import Store
from reporting.store.log import commitment, head
from reporting.store.merkle import Frontier, leaf_hash
from reporting.store.signing import SignedHead, VerifyingKey

DESTRUCTION: Final = "destruction"
"""The type of the entry that says which raw rows were destroyed, as `seqs` in its content."""
_PAGE: Final = 5_000
_MOST_PROBLEMS: Final = 100


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that does not hold. `seq` is the first entry that it can concern; `None` when it concerns none."""

    code: str
    seq: int | None
    message: str


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


def verify(store: Store, keys: Sequence[VerifyingKey] = (), saved: Sequence[SignedHead] = ()) -> VerifyResult:
    """Compute the county's log again: entries, leaves, commitments, roots, signed heads, and the heads in `saved`.

    With `keys`, each signature must be by one of them; without, signatures are not looked at.
    """
    check = _Check(county=store.tenant, keys=tuple(keys))
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
    return check.result()


@dataclass(kw_only=True)
class _Check:
    """The state of one pass over a log."""

    county: str
    keys: tuple[VerifyingKey, ...]
    edge: Frontier = field(default_factory=Frontier)
    problems: list[Problem] = field(default_factory=list)
    raw_missing: dict[int, None] = field(default_factory=dict)
    last_text: str = ""
    last_good: int = 0
    expected: int = 1
    checkpoints: int = 0
    signatures: int = 0

    def entry(self, row: Row[*tuple[Any, ...]]) -> None:
        """Take the next entry: its place, hash, own words and commitment."""
        if row.seq != self.expected:
            missing = f"Entry {self.expected} is missing."
            self.problem("missing", self.expected, missing if row.seq > self.expected else "Entries are out of order.")
        self.expected = row.seq + 1
        leaf = leaf_hash(row.entry)
        if leaf != row.leaf:
            self.problem("leaf", row.seq, f"Entry {row.seq} was changed: its hash is another.")
        self.edge.append(leaf)
        self._words(row)

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
        self._commitment(row, words.get("commit"))
        if row.type == DESTRUCTION:
            for seq in words["content"].get("seqs", ()):
                self.raw_missing.pop(seq, None)

    def _commitment(self, row: Row[*tuple[Any, ...]], commit: str | None) -> None:
        if row.raw is None:
            if commit is not None:
                self.raw_missing[row.seq] = None
        elif commitment(row.salt, row.raw) != commit:
            self.problem("raw", row.seq, f"The raw bytes of entry {row.seq} were changed.")

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
        if not self.keys:
            return
        self.signatures += 1
        if not any(key.signed(signed) for key in self.keys):
            self.problem("signature", None, f"The signature of the head of {signed.size} entries is by no known key.")

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
        for seq in self.raw_missing:
            self.problem("raw", seq, f"The raw bytes of entry {seq} are gone, and no entry says why.")

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
    entry, raw = tables.log_entry, tables.log_raw
    joined = entry.outerjoin(raw, and_(raw.c.county == entry.c.county, raw.c.seq == entry.c.seq))
    columns = (entry.c.seq, entry.c.type, entry.c.recorded_at, entry.c.entry, entry.c.leaf, raw.c.salt, raw.c.raw)
    query = select(*columns).select_from(joined).where(entry.c.county == store.tenant).order_by(entry.c.seq)
    last: int | None = None
    while True:
        page = query.limit(_PAGE) if last is None else query.where(entry.c.seq > last).limit(_PAGE)
        rows = store.connection.execute(page).all()
        yield from rows
        if len(rows) < _PAGE:
            return
        last = rows[-1].seq


def _signed_heads(store: Store) -> list[SignedHead]:
    table = tables.checkpoint
    query = select(table).where(table.c.county == store.tenant).order_by(table.c.size)
    return [SignedHead(**row) for row in store.connection.execute(query).mappings()]
