"""Bringing the database up to date with Alembic, for `pumper init` and the tests.

One run at a time: the whole upgrade is one transaction, on PostgreSQL behind an advisory lock, on SQLite behind its
write lock, so that of several runs at once one applies and the others find it done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Table, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError

from reporting.errors import MigrationFailed
from reporting.store.engine import Database
from reporting.store.failures import translate
from reporting.store.grants import APP_ROLE, grant, role_exists

_LOCK: Final = 0x70756D706572  # "pumper": the same number for every version of the service
_WAIT: Final = "120s"


def upgrade(url: str, app_role: str | None = None) -> None:
    """Apply every migration still missing at `url`, as the role that owns the tables; does nothing when there is none.

    On PostgreSQL, grants to `app_role` (default `pumper_app`, if there is such a role) what the service needs and no
    more. Raises `MigrationFailed` for a role that does not exist or a database newer than this code, and
    `DatabaseUnavailable`.
    """
    with _connection(url) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), {"wait": _WAIT})
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        try:
            command.upgrade(_alembic(connection), "head")
        except CommandError as error:
            raise MigrationFailed(str(error)) from error
        if connection.dialect.name == "postgresql":
            _grant_to(connection, app_role)


def rebuild(url: str, keep: Sequence[Table]) -> None:
    """Drop every table at `url`, the record with them, and make them anew, all in one transaction; for a sandbox alone.

    url: for the role that owns the tables. keep: tables whose rows stay. Whether it is a sandbox's is the caller's
    business (`reporting.store.sandbox`). Raises `MigrationFailed` and `DatabaseUnavailable`.
    """
    with _connection(url) as connection:
        postgres = connection.dialect.name == "postgresql"
        if postgres:
            connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), {"wait": _WAIT})
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        there = inspect(connection).get_table_names()
        kept = {
            table: [dict(row) for row in connection.execute(select(table)).mappings()]
            for table in keep
            if table.name in there
        }
        quote = connection.dialect.identifier_preparer.quote
        if postgres and there:
            connection.exec_driver_sql(f"DROP TABLE {', '.join(map(quote, there))} CASCADE")
            connection.exec_driver_sql("DROP FUNCTION refuse_change()")
        elif not postgres:
            for name in there:
                connection.exec_driver_sql(f"DROP TABLE {quote(name)}")
        command.upgrade(_alembic(connection), "head")
        for table, rows in kept.items():
            if rows:
                connection.execute(insert(table), rows)
        if postgres:
            _grant_to(connection, None)


def is_blank(url: str) -> bool:
    """Whether the database at `url` has no table at all."""
    with _connection(url, writing=False) as connection:
        return not inspect(connection).get_table_names()


def current(url: str) -> str | None:
    """The number of the last migration applied at `url`; `None` for an empty database."""
    with _connection(url, writing=False) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def latest() -> str | None:
    """The number of the newest migration that this code has."""
    return ScriptDirectory(str(migrations_folder())).get_current_head()


def is_current(url: str) -> bool:
    """Whether the database at `url` has every migration of this code and none that it does not know."""
    return current(url) == latest()


def migrations_folder() -> Path:
    """Where the migrations are: inside the installed package, or beside it in the project."""
    here = Path(__file__).resolve()
    for folder in (here.parents[1] / "migrations", here.parents[2] / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise MigrationFailed("The folder of migrations is missing from this installation.")


def _grant_to(connection: Connection, app_role: str | None) -> None:
    role = app_role or APP_ROLE
    if role_exists(connection, role):
        grant(connection, role)
    elif app_role:
        raise MigrationFailed(f"There is no role {role!r}: create it first (CREATE ROLE … LOGIN).")


def _alembic(connection: Connection) -> Config:
    settings = Config()
    settings.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    settings.attributes["connection"] = connection
    return settings


@contextmanager
def _connection(url: str, *, writing: bool = True) -> Iterator[Connection]:
    """One connection in one transaction; on SQLite without foreign keys, so that a table may be rebuilt."""
    database = Database.connect(url)
    try:
        with database.engine.connect() as connection:
            if database.dialect == "sqlite":
                # No effect inside a transaction, so before SQLAlchemy begins one.
                driver = connection.connection.driver_connection
                assert driver is not None
                driver.execute("PRAGMA foreign_keys = OFF")
            # Rebuilding a large table may take its time.
            connection.execution_options(pumper_writing=writing, pumper_limit_ms=float("inf"))
            with connection.begin():
                yield connection
    except DBAPIError as error:
        raise translate(error) or MigrationFailed(str(error.orig)) from error
    finally:
        database.dispose()
