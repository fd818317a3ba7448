"""Moving everything to another database, of the same kind or the other, in one transaction.

Nobody adds to a log meanwhile; afterwards the former database says where everything is, and is not served from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.errors import MoveRefused
from reporting.operation.checking import check_logs, problems_of
from reporting.store.copying import copy_rows, count_rows, differences, heads, hold_writers, is_empty, mark_moved
from reporting.store.engine import Database
from reporting.store.migrate import upgrade
from reporting.store.room import database_address
from reporting.store.signing import VerifyingKey


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What was moved: rows by table, and the size of each log."""

    rows: dict[str, int]
    logs: dict[str, int]


def move(source: Database, url: str, keys: Sequence[VerifyingKey]) -> Moved:
    """Move every row to the database at `url`, of which it is the owner's address; it must be empty.

    Ids and the bytes of the logs are kept. Before anything counts, the other side is held against this one: rows of
    each table, the roots of the logs, and every log against its tables and signed heads. Raises `MoveRefused`,
    `CopyFailed`, `MigrationFailed`, `DatabaseUnavailable`; then the target has nothing, and this one goes on.
    """
    upgrade(url)
    target = Database.connect(url)
    try:
        with source.transaction(None) as holder:
            hold_writers(holder)
            with source.reading(None) as reader, target.transaction(None) as writer:
                if not is_empty(writer):
                    raise MoveRefused("The other database has rows: name a new, empty one.")
                rows = copy_rows(reader, writer)
                before = heads(reader)
                saved = [signed for _at, signed in before.values() if signed is not None]
                wrong = [
                    *differences(count_rows(writer), rows, but=("county", "program_text")),
                    *(f"the log of {one} has another root" for one in before if before[one] != heads(writer).get(one)),
                    *problems_of(check_logs(writer, keys, saved)),
                ]
                if wrong:
                    raise MoveRefused(f"Nothing was moved: {'; '.join(wrong[:5])}.")
            mark_moved(holder, _shown(url))
    finally:
        target.dispose()
    return Moved(rows=rows, logs={county: at.size for county, (at, _signed) in before.items()})


def _shown(url: str) -> str:
    """The address as somebody would write it, without a password."""
    address = database_address(url)
    return address.set(drivername=address.get_backend_name()).render_as_string(hide_password=True)


def is_same(one: str, other: str) -> bool:
    """Whether two addresses name the same database."""
    first, second = database_address(one), database_address(other)
    return (first.get_backend_name(), first.host, first.port, first.database) == (
        second.get_backend_name(), second.host, second.port, second.database,
    )  # fmt: skip
