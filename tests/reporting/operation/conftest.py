"""Databases with rows, and empty ones of either kind to restore into and to move to."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.reporting.api.world import HOME, World, a_report, make_world
from tests.services.databases import DatabaseUrls, Kind, copied_sqlite, urls_of
from tests.services.postgres import PostgresDatabase, PostgresServer

Empty = Callable[[Kind], DatabaseUrls]


@pytest.fixture
def office(database: DatabaseUrls, tmp_path: Path) -> Iterator[World]:
    """The service over a fresh database, with three reports."""
    world = make_world(database, tmp_path)
    for number in (1, 2, 3):
        assert world.post(f"/v1/{HOME}/reports", a_report(report_ref=f"T-{number}")).status_code in (200, 201)
    yield world
    world.database.dispose()


@pytest.fixture
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Empty]:
    """Makes empty migrated databases."""
    dropped = []

    def make(kind: Kind) -> DatabaseUrls:
        if kind == "sqlite":
            return copied_sqlite(request.getfixturevalue("sqlite_template"), Path(tempfile.mkdtemp(dir=tmp_path)))
        server: PostgresServer = request.getfixturevalue("postgres_server")
        template: PostgresDatabase = request.getfixturevalue("postgres_template")
        made = server.new_database(template.name)
        dropped.append((server, made.name))
        return urls_of(made)

    yield make
    for server, name in dropped:
        server.drop(name)


@pytest.fixture
def on_sqlite(sqlite_template: Path, tmp_path: Path, empty: Empty) -> Iterator[World]:
    """The same over SQLite alone, with one report."""
    world = make_world(empty("sqlite"), tmp_path)
    world.post(f"/v1/{HOME}/reports", a_report())
    yield world
    world.database.dispose()
