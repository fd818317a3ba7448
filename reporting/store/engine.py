"""The database and its transactions, for the entry points: the only place that begins, commits or rolls back.

    database = Database.connect(config.database_url)
    with database.transaction("ozaukee") as store:
        ...

A store function takes the `Store` first and never commits. Engines do not survive a fork: connect in each worker.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from reporting.errors import CountyMissing, DatabaseUnavailable, StorageFull
from reporting.store.encoding import encode_json
from reporting.store.failures import translate
from reporting.store.journal import Journal
from reporting.store.room import Room, database_address

Dialect = Literal["sqlite", "postgresql"]

SQLITE_WAIT_MS: Final = 10_000
"""How long a SQLite writer waits for another one."""
READ_LIMIT_MS: Final = 5_000
"""How long one statement of a reader may run."""
PROMPT_READ_LIMIT_MS: Final = 3_500
"""The same for a call on PostgreSQL: the server ends it before the call gives the server up."""
WRITE_LIMIT_MS: Final = 60_000
CONNECT_LIMIT_S: Final = 4
PROMPT_CONNECT_S: Final = 2
"""The same for a call, which looks first whether a connection that it has is still good."""
_LOOK_EVERY: Final = 20_000
"""Steps of SQLite's machine between two looks at the clock: about a millisecond."""
_LONGEST_GAP_S: Final = 0.05


@dataclass(frozen=True, kw_only=True)
class Store:
    """One open transaction, in the name of one county or (county `None`) of none.

    journal: what it has promised the county's log and is written at the latest when it ends.
    """

    connection: Connection
    county: str | None
    dialect: Dialect
    journal: Journal = field(default_factory=Journal, repr=False, compare=False)

    @property
    def tenant(self) -> str:
        """The county's slug; raises `CountyMissing` in a transaction of none."""
        if not self.county:
            raise CountyMissing
        return self.county


@dataclass(frozen=True, kw_only=True)
class Database:
    """One database and its pool of connections. prompt: for calls. room: its disk, when somebody watches it."""

    engine: Engine
    dialect: Dialect
    prompt: bool = False
    room: Room | None = None

    @classmethod
    def connect(cls, url: str, *, prompt: bool = False, room: Room | None = None) -> Database:
        """Make ready to use the database at `url` (`sqlite:///…`, `postgresql://…`); nothing is opened yet.

        prompt: for calls that somebody waits for: a server that does not answer within 5 s counts as away. Raises
        `ConfigurationError` for an address that names neither.
        """
        address = database_address(url)
        if address.get_backend_name() == "sqlite":
            return cls(engine=_sqlite(address), dialect="sqlite", room=room)
        return cls(engine=_postgresql(address, prompt=prompt), dialect="postgresql", prompt=prompt, room=room)

    def dispose(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    @contextmanager
    def transaction(self, county: str | None, *, patience_ms: int | None = None) -> Iterator[Store]:
        """One writing transaction: committed at the end, rolled back on any exception.

        On SQLite it holds the write lock from the start. `patience_ms`: how long it may wait for another writer, where
        that is shorter than usual. Raises `DatabaseUnavailable`, `DatabaseBusy`, `StorageFull`, `QueryTooSlow`.
        """
        if county is not None and self.room is not None and self.room.is_low():
            raise StorageFull
        with self._begin(county, writing=True, patience_ms=patience_ms) as store:
            yield store

    @contextmanager
    def reading(self, county: str | None) -> Iterator[Store]:
        """One transaction that sees a single moment and may not write; statements end after 5 s.

        Raises `DatabaseUnavailable`, `QueryTooSlow`.
        """
        with self._begin(county, writing=False) as store:
            yield store

    @contextmanager
    def _begin(self, county: str | None, *, writing: bool, patience_ms: int | None = None) -> Iterator[Store]:
        try:
            with self.engine.connect() as connection:
                if self.dialect == "postgresql" and not writing:
                    connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                connection.execution_options(pumper_writing=writing, pumper_patience_ms=patience_ms)
                with connection.begin():
                    if self.dialect == "postgresql":
                        reading_ms = PROMPT_READ_LIMIT_MS if self.prompt else READ_LIMIT_MS
                        _enter_county(connection, county, WRITE_LIMIT_MS if writing else reading_ms, patience_ms)
                    store = Store(connection=connection, county=county, dialect=self.dialect)
                    yield store
                    if store.journal.settle:
                        store.journal.settle()
        except PoolTimeout as error:
            raise DatabaseUnavailable("All connections are in use.") from error
        except DBAPIError as error:
            failure = translate(error)
            if failure is None:
                raise
            raise failure from error


def check_durability(database: Database) -> list[str]:
    """What keeps an acknowledged report from surviving a power cut; empty when nothing does. For `pumper serve`."""
    if database.dialect == "sqlite":
        with database.reading(None) as store:
            level = store.connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
        return [] if level >= 2 else ["synchronous must be FULL"]
    with database.reading(None) as store:
        query = text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names) ORDER BY name")
        names = ["fsync", "full_page_writes", "synchronous_commit"]
        settings = store.connection.execute(query, {"names": names}).all()
    return [f"{name} is {setting}, must be on" for name, setting in settings if setting == "off"]


def journal_mode(version: tuple[int, ...]) -> str:
    """The journal of SQLite: WAL only where its reset bug is fixed (3.51.3, and 3.50.7 and 3.44.6 of older lines)."""
    fixed = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    return "WAL" if fixed else "TRUNCATE"


def _enter_county(connection: Connection, county: str | None, limit_ms: int, patience_ms: int | None) -> None:
    # All of it ends with the transaction, so that a pooled connection carries no county into the next one.
    query = text(
        "SELECT set_config('app.county', :county, true), set_config('statement_timeout', :limit, true), "
        "set_config('lock_timeout', :patience, true)"
    )
    connection.execute(query, {"county": county or "", "limit": str(limit_ms), "patience": str(patience_ms or 0)})


def _sqlite(address: URL) -> Engine:
    if address.database and address.database != ":memory:" and not address.database.startswith("file:"):
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address, json_serializer=encode_json, connect_args={"timeout": SQLITE_WAIT_MS / 1000})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "before_cursor_execute", _start_clock)
    event.listen(engine, "commit", _stop_clock)
    event.listen(engine, "rollback", _stop_clock)
    return engine


class _Clock:
    """Ends a statement of SQLite that runs past its time, as PostgreSQL's `statement_timeout` does.

    SQLite asks it every so many steps, in the statement's own thread. A long gap between two questions is time that the
    reader of the rows took, and not the statement.
    """

    def __init__(self) -> None:
        self._left, self._asked = float("inf"), 0.0

    def start(self, limit_ms: float) -> None:
        """A statement begins; it may run so long."""
        self._left, self._asked = limit_ms / 1000, time.monotonic()

    def __call__(self) -> bool:
        """Whether SQLite is to stop: the statement then fails as "interrupted"."""
        asked = time.monotonic()
        self._left -= min(asked - self._asked, _LONGEST_GAP_S)
        self._asked = asked
        return self._left < 0


def _start_clock(
    connection: Connection, _cursor: object, _statement: str, _values: object, _context: object, _many: bool
) -> None:
    options = connection.get_execution_options()
    usual = WRITE_LIMIT_MS if options.get("pumper_writing", True) else READ_LIMIT_MS
    connection.info["clock"].start(options.get("pumper_limit_ms", usual))


def _stop_clock(connection: Connection) -> None:
    # One that was given up, because the process is ending in the middle of a statement, has no clock any more.
    if not connection.invalidated:
        connection.info["clock"].start(float("inf"))


def _prepare_sqlite(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
    record.info["clock"] = _Clock()
    connection.set_progress_handler(record.info["clock"], _LOOK_EVERY)
    # The driver's own transactions begin late and without the write lock; `_begin_sqlite` begins them instead.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {SQLITE_WAIT_MS}",
        f"journal_mode = {journal_mode(sqlite3.sqlite_version_info)}",
        "synchronous = FULL",
        "foreign_keys = ON",
        "recursive_triggers = ON",  # else INSERT OR REPLACE deletes past the triggers of the log
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    writing, patience = options.get("pumper_writing", True), options.get("pumper_patience_ms")
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {SQLITE_WAIT_MS if patience is None else int(patience)}")
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writing else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _postgresql(address: URL, *, prompt: bool = False) -> Engine:
    limit = PROMPT_CONNECT_S if prompt else CONNECT_LIMIT_S
    options: dict[str, Any] = {
        "connect_timeout": limit,
        "keepalives_idle": 1 if prompt else 5,
        "keepalives_interval": 1 if prompt else 2,
        "keepalives_count": 2,
        "tcp_user_timeout": CONNECT_LIMIT_S * 1000,
        # Lists of ids of every length would each be prepared, and planned without knowing their length: far slower.
        "prepare_threshold": None,
    }
    engine = create_engine(
        address,
        json_serializer=encode_json,
        connect_args=options,
        pool_pre_ping=True,
        pool_timeout=limit,
        max_overflow=5,
    )
    if prompt:
        from reporting.store.prompt import make_prompt  # needs PostgreSQL's driver, which SQLite's users may not have

        make_prompt(engine)
    return engine
