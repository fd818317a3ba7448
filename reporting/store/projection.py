"""The tables computed from the log and compared with what they say, for `pumper verify`.

Every row of `projected_tables` was made by an entry, and perhaps ended or decided by a later one; the entry's detail
has the row. Both sides are read once, in the order of the entries: memory does not grow with the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import msgspec
from sqlalchemy import JSON, ColumnElement, Date, Table, Text, and_, case, cast, select, type_coerce

from reporting import tables
from reporting.store.engine import Store
from reporting.store.journal import DECIDED, MADE, key_columns, left_out, plain_value, projected_tables
from reporting.store.problems import DESTRUCTION, Problem, destroyed_seqs

Key = tuple[Any, ...]
Row = Mapping[str, Any]
Detail = Mapping[str, Any] | None
"""Of an entry: `{}` for one without, `None` for one that is gone or cannot be read."""

_PAGE: Final = 2_000
_END: Final = 1 << 62


@dataclass(frozen=True, kw_only=True)
class Span:
    """Entries from `first` to `last`; `None`: from the beginning, to the end and whatever lies beyond."""

    first: int | None = None
    last: int | None = None

    def holds(self, column: ColumnElement[int]) -> ColumnElement[bool]:
        """The condition for the rows of these entries."""
        bounds: list[ColumnElement[bool]] = [column.is_not(None)]
        if self.first is not None:
            bounds.append(column >= self.first)
        if self.last is not None:
            bounds.append(column <= self.last)
        return and_(*bounds)


WHOLE: Final = Span()


def compare(store: Store, span: Span = WHOLE) -> Iterator[Problem]:
    """What the tables say and the log does not, or the other way round, in the order of the entries.

    The rows of entries that were destroyed under a retention schedule must be gone as well. span: of these entries
    alone; several spans that follow one another make the whole.
    """
    destroyed = _destroyed(store)
    sides = [side for table in projected_tables() for side in _sides(store, table, span)]
    named = {(side.part, side.table.name): side for side in sides}
    for seq, detail in _details(store, span):
        told = [(part, name) for part in ("added", "ended") for name in detail.get(part, ())] if detail else []
        if detail and "decided" in detail:
            told.append(("decided", "review"))
        for side in sides:
            if side.at <= seq:
                yield from side.unknown(seq)
                if side.at == seq and (side.part, side.table.name) not in told:
                    told.append((side.part, side.table.name))
        for name in told:
            if name in named:
                yield from named[name].compare(seq, detail, gone=seq in destroyed)
    for side in sides:
        yield from side.unknown(_END)


class _Added:
    """The rows of one table by the number of the entry that made them."""

    part = "added"

    def __init__(self, store: Store, table: Table, column: str, span: Span) -> None:
        self.table = table
        self._keys = key_columns(table)
        names = [one.name for one in table.columns if one.name != "county"]
        self._key_places = [names.index(name) for name in self._keys]
        self._place = names.index(column)
        self._shown = [(place, name) for place, name in enumerate(names) if name not in left_out(table)]
        self._plain = [(name, made) for _, name in self._shown if (made := _plain_of(store, table.c[name]))]
        order = [table.c[column], *(table.c[name] for name in self._keys)]
        columns = [_as_text(store, table.c[name]) for name in names]
        query = select(*columns).where(table.c.county == store.tenant, span.holds(table.c[column])).order_by(*order)
        found = store.connection.execute(query, execution_options={"yield_per": _PAGE})
        self._rows: Iterator[Any] = iter(found)
        self._names = names
        self._row: Any = None
        self.at = 0
        self._advance()

    def unknown(self, seq: int) -> Iterator[Problem]:
        """The rows under numbers before `seq`, which no entry has."""
        while self.at < seq:
            yield self._problem(self.at, self._key(self._row), "there is no such entry")
            self._advance()

    def compare(self, seq: int, detail: Detail, *, gone: bool) -> Iterator[Problem]:
        """The rows under `seq` against the entry's own."""
        taken = list(self._take(seq))
        if detail and len(taken) == 1 and self._rows_told(detail) == [taken[0][1]]:
            return
        found = dict(taken)
        if detail is None:
            for key in found if gone and self._goes else ():
                yield self._problem(seq, key, "the entry was destroyed, and the row is still there")
            return
        told = self._told(seq, detail)
        if told == found:
            return
        for key in {**told, **found}:
            if key not in found:
                yield self._problem(seq, key, "the table lacks what the entry says")
            elif key not in told:
                yield self._problem(seq, key, "the entry does not say what the table has")
            elif names := self._differences(told[key], found[key]):
                yield self._problem(seq, key, f"the table has another value of {', '.join(names)}")

    @property
    def _goes(self) -> bool:
        """Whether rows go with their entry. That there is a system is no record of what was destroyed."""
        return self.table is not tables.system

    def _take(self, seq: int) -> Iterator[tuple[Key, Row]]:
        while self.at == seq:
            yield self._key(self._row), self._said(self._row)
            self._advance()

    def _advance(self) -> None:
        self._row = next(self._rows, None)
        self.at = _END if self._row is None else self._row[self._place]

    def _key(self, row: Sequence[Any]) -> Key:
        return tuple([row[place] for place in self._key_places])

    def _said(self, row: Sequence[Any]) -> dict[str, Any]:
        """The table's row in the form that entries have."""
        found = {name: value for place, name in self._shown if (value := row[place]) is not None}
        for name, plain in self._plain:
            if name in found:
                found[name] = plain(found[name])
        return found

    def _told(self, seq: int, detail: Row) -> dict[Key, Row]:
        """The entry's rows by their keys."""
        rows = self._rows_told(detail)
        return {tuple(seq if name == "seq" else row.get(name) for name in self._keys): row for row in rows}

    def _rows_told(self, detail: Row) -> Any:
        return detail.get(self.part, {}).get(self.table.name, [])

    def _differences(self, told: Row, found: Row) -> list[str]:
        return sorted(name for name in {**told, **found} if told.get(name) != found.get(name))

    def _problem(self, seq: int, key: Key, words: str) -> Problem:
        name = " ".join(str(part) for part in key if part not in (None, ""))
        message = f"Entry {seq} and table {self.table.name}, row {name}: {words}."
        return Problem(code="projection", seq=seq, message=message)


class _Queued(_Added):
    """Reviews by the entry that queued them: open until a decision, which may also set their system."""

    def _said(self, row: Sequence[Any]) -> dict[str, Any]:
        whole = dict(zip(self._names, row, strict=True))
        found = {**super()._said(row), "decided": whole["resolved_seq"] is not None}
        return found if found["decided"] or whole["state"] == "open" else {**found, "state": whole["state"]}

    def _differences(self, told: Row, found: Row) -> list[str]:
        free = {"decided"} | ({"system"} if found["decided"] else set())
        return [name for name in super()._differences(told, found) if name not in free]


class _Ended(_Added):
    """The rows of one table by the number of the entry that ended them: their keys."""

    part = "ended"
    _goes = False

    def _said(self, row: Sequence[Any]) -> dict[str, Any]:
        return {}

    def _told(self, seq: int, detail: Row) -> dict[Key, Row]:
        return {tuple(key): {} for key in self._rows_told(detail)}


class _Decided(_Added):
    """Reviews by the entry that decided them."""

    part = "decided"
    _goes = False

    def _said(self, row: Sequence[Any]) -> dict[str, Any]:
        whole = dict(zip(self._names, row, strict=True))
        return {name: whole[name] for name in DECIDED}

    def _told(self, seq: int, detail: Row) -> dict[Key, Row]:
        return {(row["id"],): row for row in self._rows_told(detail)}

    def _rows_told(self, detail: Row) -> Any:
        return detail.get(self.part, [])


def _sides(store: Store, table: Table, span: Span) -> Iterator[_Added]:
    made = MADE.get(table.name, "seq")
    if table is tables.review:
        yield _Queued(store, table, made, span)
        yield _Decided(store, table, "resolved_seq", span)
        return
    yield _Added(store, table, made, span)
    if table is not tables.system:
        yield _Ended(store, table, "ended_seq", span)


def _as_text(store: Store, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """JSON as text, and of SQLite days and instants as they are stored: what the driver makes of them takes longest."""
    if store.dialect == "sqlite" and isinstance(column.type, Date | tables.UtcDateTime | JSON):
        return type_coerce(column, Text)
    return cast(column, Text) if isinstance(column.type, JSON) else column


def _plain_of(store: Store, column: ColumnElement[Any]) -> Callable[[Any], Any] | None:
    """What turns a value of `_as_text` into what entries have; `None` where it is that already."""
    if isinstance(column.type, JSON):
        return msgspec.json.decode
    if isinstance(column.type, tables.UtcDateTime):
        return _instant_of_text if store.dialect == "sqlite" else plain_value
    return plain_value if isinstance(column.type, Date) and store.dialect != "sqlite" else None


@lru_cache(maxsize=64)
def _instant_of_text(stored: str) -> str:
    return f"{stored.replace(' ', 'T')}Z"


def _destroyed(store: Store) -> frozenset[int]:
    """Every entry that an entry says was destroyed."""
    table = tables.log_entry
    query = select(table.c.seq, table.c.entry).where(table.c.county == store.tenant, table.c.type == DESTRUCTION)
    found: set[int] = set()
    for seq, entry in store.connection.execute(query):
        try:
            found |= destroyed_seqs(json.loads(entry)["content"], seq)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # the check of the log names it
    return frozenset(found)


def _details(store: Store, span: Span) -> Iterator[tuple[int, Detail]]:
    """The detail of every entry, in order."""
    entry, detail = tables.log_entry, tables.log_detail
    same = and_(detail.c.county == entry.c.county, detail.c.seq == entry.c.seq, span.holds(detail.c.seq))
    joined = entry.outerjoin(detail, same)
    words_alone = case((detail.c.seq.is_(None), entry.c.entry))
    query = (
        select(entry.c.seq, detail.c.detail, words_alone)
        .select_from(joined)
        .where(entry.c.county == store.tenant, span.holds(entry.c.seq))
        .order_by(entry.c.seq)
    )
    # As it stands in an entry that has one: the members are in the order of the alphabet.
    mark = f'"county":"{store.tenant}","detail":"'.encode()
    for seq, text, words in store.connection.execute(query, execution_options={"yield_per": _PAGE}):
        if text is None:
            yield seq, None if mark in words else {}
            continue
        try:
            yield seq, msgspec.json.decode(text)
        except (ValueError, RecursionError):
            yield seq, None
