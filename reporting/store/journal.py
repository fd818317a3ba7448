"""What a transaction has promised the log and not written yet: entries, and the rows that each of them makes or ends.

`reporting.store.log.append` opens a draft for each entry; whatever then adds a fact, ends one or decides a review
notes it here under the entry's number; the log writes the draft, rows and all, at the next checkpoint or at the commit.
So the record holds all that the tables say, and `reporting.store.projection` can compute the tables from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any, Final

from sqlalchemy import ColumnDefault, Table

from reporting import tables
from reporting.store.encoding import instant_text

Row = Mapping[str, Any]

MADE: Final = {"system": "created_seq", "review": "created_seq"}
"""The column with the number of the entry that made a row, where it is not `seq`."""
DECIDED: Final = ("id", "state", "system", "resolved_by")
"""What a decision says of a review."""
_UNDECIDED: Final = frozenset({"state", "resolved_seq", "resolved_by"})
"""The columns of a review that its decision fills."""


@dataclass(kw_only=True)
class Draft:
    """What one entry does to the tables: rows by table, in the order in which they came.

    added: whole rows; ended: their keys; decided: what reviews came to.
    """

    added: dict[str, list[Row]] = field(default_factory=dict)
    ended: dict[str, list[list[Any]]] = field(default_factory=dict)
    decided: list[Row] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The parts that say something."""
        parts = {"added": self.added, "ended": self.ended, "decided": self.decided}
        return {name: part for name, part in parts.items() if part}


@dataclass(kw_only=True)
class Journal:
    """The drafts of one transaction by their entries' numbers; what waits beside them, and what writes both."""

    drafts: dict[int, Draft] = field(default_factory=dict)
    waiting: Any = None
    settle: Callable[[], None] | None = None

    def add(self, table: Table, rows: Iterable[Row]) -> None:
        """Note rows as inserted. Those of no open entry are left out: `pumper verify` names them."""
        column = MADE.get(table.name, "seq")
        for row in rows:
            draft = self.drafts.get(row[column])
            if draft is not None:
                draft.added.setdefault(table.name, []).append(plain_row(table, row))

    def end(self, table: Table, ended: Iterable[tuple[int, Sequence[Any]]]) -> None:
        """Note rows as ended: the entry's number and the row's key (`key_columns`)."""
        for seq, key in ended:
            draft = self.drafts.get(seq)
            if draft is not None:
                draft.ended.setdefault(table.name, []).append(list(key))

    def decide(self, rows: Iterable[Any]) -> None:
        """Note reviews as decided (`id`, `state`, `system`, `resolved_seq`, `resolved_by`)."""
        for row in rows:
            draft = self.drafts.get(row["resolved_seq"])
            if draft is not None:
                draft.decided.append({name: row[name] for name in DECIDED})


def key_columns(table: Table) -> list[str]:
    """The columns that name a row within its county."""
    return [column.name for column in table.primary_key if column.name != "county"]


@cache
def left_out(table: Table) -> frozenset[str]:
    """The columns that an entry does not repeat: the log itself has them, or a later entry fills them."""
    own = {"county", "ended_seq", MADE.get(table.name, "seq")}
    return frozenset(own | (_UNDECIDED if table.name == "review" else set()))


def plain_row(table: Table, row: Row) -> dict[str, Any]:
    """A row as the record has it: what the log itself says and what is empty left out, days and instants as text.

    A review without what its decision fills.
    """
    absent = left_out(table)
    return {
        column.name: plain_value(value)
        for column in table.columns
        if column.name not in absent and (value := _value(column, row)) is not None
    }


def plain_value(value: Any) -> Any:
    """A column's value as JSON has it."""
    if isinstance(value, datetime):
        return _text_of(value)
    if isinstance(value, date):
        return value.isoformat()
    return value


@lru_cache(maxsize=64)
def _text_of(moment: datetime) -> str:
    """As `instant_text`: the rows of a batch share their moments."""
    return instant_text(moment)


def _value(column: Any, row: Row) -> Any:
    if column.name in row:
        return row[column.name]
    return column.default.arg if isinstance(column.default, ColumnDefault) else None


def projected_tables() -> tuple[Table, ...]:
    """The tables that the log can be asked for, row by row."""
    return (
        tables.system,
        tables.system_version,
        tables.component_version,
        tables.owner_version,
        tables.designation,
        tables.contract,
        tables.fact,
        tables.event,
        tables.review,
    )
