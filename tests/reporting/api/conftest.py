"""The service over a fresh database of each kind, with passwords that are hashed quickly."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from reporting.access import passwords
from tests.reporting.api.world import World, make_world, serve_world
from tests.services.databases import DatabaseUrls, copied_sqlite, settled, urls_of
from tests.services.postgres import PostgresDatabase, PostgresServer


@pytest.fixture(autouse=True)
def quick_passwords(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same function at a thirtieth of the cost: hundreds of sign-ins would take the suite minutes.

    What the real cost is, is held by tests/reporting/access; a test about time asks for `real_passwords`.
    """
    if "real_passwords" not in request.fixturenames:
        monkeypatch.setattr(passwords, "METHOD", "scrypt:1024:8:3")


@pytest.fixture
def real_passwords() -> None:
    """Passwords cost what they cost in service."""


@dataclass(frozen=True, kw_only=True)
class Mold:
    """A world made once a session, that tests copy: its database, the folder of its signing key, its keys."""

    database: Path | PostgresDatabase
    folder: Path
    keys: Mapping[str, str]

    def served(self, urls: DatabaseUrls, folder: Path) -> World:
        """The world over a copy of the database."""
        shutil.copy2(self.folder / "signing.key", folder / "signing.key")
        return serve_world(urls, folder, self.keys)


def _cast(urls: DatabaseUrls, folder: Path) -> Mapping[str, str]:
    made = make_world(urls, folder)
    made.database.dispose()
    return made.keys


@pytest.fixture(scope="session")
def sqlite_mold(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Mold:
    folder = tmp_path_factory.mktemp("world")
    keys = _cast(copied_sqlite(sqlite_template, folder), folder)
    return Mold(database=settled(folder / "pumper.sqlite"), folder=folder, keys=keys)


@pytest.fixture(scope="session")
def postgres_mold(
    postgres_server: PostgresServer, postgres_template: PostgresDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Mold:
    folder, copy = tmp_path_factory.mktemp("world"), postgres_server.new_database(postgres_template.name)
    keys = _cast(urls_of(copy), folder)
    postgres_server.freeze(copy)
    return Mold(database=copy, folder=folder, keys=keys)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """The service with its two counties, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        yield from _on_sqlite(request.getfixturevalue("sqlite_mold"), tmp_path)
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    mold: Mold = request.getfixturevalue("postgres_mold")
    assert isinstance(mold.database, PostgresDatabase)
    copy = server.new_database(mold.database.name)
    found = mold.served(urls_of(copy), tmp_path)
    yield found
    found.database.dispose()
    server.drop(copy.name)


@pytest.fixture
def world_on_sqlite(sqlite_mold: Mold, tmp_path: Path) -> Iterator[World]:
    """On SQLite alone, for what is decided before any question to the database."""
    yield from _on_sqlite(sqlite_mold, tmp_path)


def _on_sqlite(mold: Mold, folder: Path) -> Iterator[World]:
    assert isinstance(mold.database, Path)
    found = mold.served(copied_sqlite(mold.database, folder), folder)
    yield found
    found.database.dispose()
