"""The service over a fresh database of each kind, with passwords that are hashed quickly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reporting.access import passwords
from tests.reporting.api.world import World, make_world
from tests.services.databases import DatabaseUrls, copied_sqlite


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


@pytest.fixture
def world(database: DatabaseUrls, tmp_path: Path) -> Iterator[World]:
    found = make_world(database, tmp_path)
    yield found
    found.database.dispose()


@pytest.fixture
def world_on_sqlite(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    """On SQLite alone, for what is decided before any question to the database."""
    found = make_world(copied_sqlite(sqlite_template, tmp_path), tmp_path)
    yield found
    found.database.dispose()
