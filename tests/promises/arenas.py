"""Where proofs run: fresh copies of one migrated database of each kind, for `make prove` and for the smoke tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.promises.proof import Arena
from tests.services.databases import (
    DatabaseUrls,
    Kind,
    copied_sqlite,
    migrated_postgres,
    migrated_sqlite,
    urls_of,
)
from tests.services.postgres import PostgresDatabase, PostgresServer, running_postgres


def sqlite_arena(template: Path, folder: Path) -> Arena:
    """An arena whose databases are copies of a migrated file, each in a folder of its own below `folder`."""

    def new_database() -> DatabaseUrls:
        return copied_sqlite(template, Path(tempfile.mkdtemp(prefix="database-", dir=folder)))

    return Arena(kind="sqlite", folder=folder, new_database=new_database)


@contextmanager
def postgres_arena(server: PostgresServer, template: PostgresDatabase, folder: Path) -> Iterator[Arena]:
    """An arena whose databases are copies of a frozen one; they are dropped afterwards."""
    made: list[str] = []

    def new_database() -> DatabaseUrls:
        copy = server.new_database(template.name)
        made.append(copy.name)
        return urls_of(copy)

    try:
        yield Arena(kind="postgresql", folder=folder, new_database=new_database)
    finally:
        for name in made:
            server.drop(name)


@contextmanager
def lasting_arena(kind: Kind) -> Iterator[Arena]:
    """An arena for full size: a PostgreSQL of its own whose commits are as durable as they are in service.

    Raises ServiceUnavailable.
    """
    with tempfile.TemporaryDirectory(prefix="pumper-prove-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if kind == "sqlite":
            yield sqlite_arena(migrated_sqlite(folder), folder)
            return
        with running_postgres({}) as server, postgres_arena(server, migrated_postgres(server), folder) as arena:
            yield arena
