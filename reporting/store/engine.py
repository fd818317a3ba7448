"""The database and its transactions, for the entry points: the only place that begins, commits or rolls back.

    database = Database.connect(config.database_url)
    with database.transaction("ozaukee") as store:
        ...

A store function takes the `Store` first and never commits. Engines do not survive a fork: connect in each worker.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from reporting.errors import ConfigurationError, CountyMissing, DatabaseUnavailable
from reporting.store.encoding import encode_json
from reporting.store.failures import translate

Dialect = Literal["sqlite", "postgresql"]

SQLITE_WAIT_MS: Final = 10_000
"""How long a SQLite writer waits for another one."""
READ_LIMIT_MS: Final = 5_000
"""How long one statement of a reader may run on PostgreSQL."""
WRITE_LIMIT_MS: Final = 60_000
CONNECT_LIMIT_S: Final = 4


@dataclass(frozen=True, kw_only=True)
class Store:
    """One open transaction, in the name of one county or (county `None`) of none."""

    connection: Connection
    county: str | None
    dialect: Dialect

    @property
    def tenant(self) -> str:
        """The county's slug; raises `CountyMissing` in a transaction of none."""
        if not self.county:
            raise CountyMissing
        return self.county


@dataclass(frozen=True, kw_only=True)
class Database:
    """One database and its pool of connections."""

    engine: Engine
    dialect: Dialect

    @classmethod
    def connect(cls, url: str) -> Database:
        """Make ready to use the database at `url` (`sqlite:///…`, `postgresql://…`); nothing is opened yet.

        Raises `ConfigurationError` for an address that names neither.
        """
        address = database_address(url)
        if address.get_backend_name() == "sqlite":
            return cls(engine=_sqlite(address), dialect="sqlite")
        return cls(engine=_postgresql(address), dialect="postgresql")

    def dispose(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    @contextmanager
    def transaction(self, county: str | None) -> Iterator[Store]:
        """One writing transaction: committed at the end, rolled back on any exception.

        On SQLite it holds the write lock from the start. Raises `DatabaseUnavailable`, `DatabaseBusy`, `StorageFull`.
        """
        with self._begin(county, writing=True) as store:
            yield store

    @contextmanager
    def reading(self, county: str | None) -> Iterator[Store]:
        """One transaction that sees a single moment and may not write; statements end after 5 s on PostgreSQL.

        Raises `DatabaseUnavailable`, `QueryTooSlow`.
        """
        with self._begin(county, writing=False) as store:
            yield store

    @contextmanager
    def _begin(self, county: str | None, *, writing: bool) -> Iterator[Store]:
        try:
            with self.engine.connect() as connection:
                if self.dialect == "postgresql" and not writing:
                    connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                connection.execution_options(pumper_writing=writing)
                with connection.begin():
                    if self.dialect == "postgresql":
                        _enter_county(connection, county, WRITE_LIMIT_MS if writing else READ_LIMIT_MS)
                    yield Store(connection=connection, county=county, dialect=self.dialect)
        except PoolTimeout as error:
            raise DatabaseUnavailable("All connections are in use.") from error
        except DBAPIError as error:
            failure = translate(error)
            if failure is None:
                raise
            raise failure from error


def database_address(url: str) -> URL:
    """Parse a `DATABASE_URL` as people write it; raises `ConfigurationError`."""
    try:
        address = make_url(url)
        backend = address.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise ConfigurationError("DATABASE_URL is not the address of a database.") from error
    if backend == "sqlite":
        return address.set(drivername="sqlite+pysqlite")
    if backend in ("postgresql", "postgres"):
        return address.set(drivername="postgresql+psycopg")
    raise ConfigurationError("DATABASE_URL must begin with sqlite:// or postgresql://.")


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


def _enter_county(connection: Connection, county: str | None, limit_ms: int) -> None:
    # Both end with the transaction, so that a pooled connection carries no county into the next one.
    query = text("SELECT set_config('app.county', :county, true), set_config('statement_timeout', :limit, true)")
    connection.execute(query, {"county": county or "", "limit": str(limit_ms)})


def _sqlite(address: URL) -> Engine:
    if address.database and address.database != ":memory:" and not address.database.startswith("file:"):
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address, json_serializer=encode_json, connect_args={"timeout": SQLITE_WAIT_MS / 1000})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
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
    writing = connection.get_execution_options().get("pumper_writing", True)
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writing else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _postgresql(address: URL) -> Engine:
    options: dict[str, Any] = {
        "connect_timeout": CONNECT_LIMIT_S,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 2,
        "tcp_user_timeout": CONNECT_LIMIT_S * 1000,
        # Lists of ids of every length would each be prepared, and planned without knowing their length: far slower.
        "prepare_threshold": None,
    }
    return create_engine(
        address,
        json_serializer=encode_json,
        connect_args=options,
        pool_pre_ping=True,
        pool_timeout=CONNECT_LIMIT_S,
        max_overflow=5,
    )
