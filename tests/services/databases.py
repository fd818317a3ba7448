"""Migrated databases for the tests: made once a session on each of the two kinds, copied for every test."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.services.postgres import PostgresDatabase, PostgresServer

Kind = Literal["sqlite", "postgresql"]


@dataclass(frozen=True, kw_only=True)
class DatabaseUrls:
    """A fresh migrated database without data, as `DATABASE_URL` and `MIGRATION_DATABASE_URL` take it."""

    kind: Kind
    app_url: str
    owner_url: str


def migrated_sqlite(folder: Path) -> Path:
    """One migrated SQLite file, closed and whole in itself."""
    from reporting.store.migrate import upgrade

    path = folder / "migrated.sqlite"
    upgrade(f"sqlite:///{path}", app_role="pumper_app")
    return settled(path)


def settled(path: Path) -> Path:
    """A SQLite file that nobody writes to, whole in itself: whatever its journal mode, nothing stays beside it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def copied_sqlite(template: Path, folder: Path) -> DatabaseUrls:
    """A copy of the migrated file for one test."""
    path = shutil.copyfile(template, folder / "pumper.sqlite")
    url = f"sqlite:///{path}"
    return DatabaseUrls(kind="sqlite", app_url=url, owner_url=url)


def migrated_postgres(server: PostgresServer) -> PostgresDatabase:
    """One migrated PostgreSQL database, frozen so that it can be copied."""
    from reporting.store.migrate import upgrade

    database = server.new_database()
    upgrade(database.owner_url, app_role=server.app_role)
    server.freeze(database)
    return database


def urls_of(database: PostgresDatabase) -> DatabaseUrls:
    """The same database as tests of both kinds take it."""
    return DatabaseUrls(kind="postgresql", app_url=database.app_url, owner_url=database.owner_url)
