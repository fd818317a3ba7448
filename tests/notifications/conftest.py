"""An open database of each kind with the people in it, and relays that break as told."""

import sqlite3
from collections.abc import Iterator

import pytest
from sqlalchemy import event

from reporting.store.engine import Database
from tests.notifications.breaking_sink import BreakingSink, running_breaking_sink
from tests.notifications.builders import add_people
from tests.services.databases import DatabaseUrls


@pytest.fixture
def opened(database: DatabaseUrls) -> Iterator[Database]:
    """The fresh database as the service opens it, with Kettle Moraine Septic on the list."""
    found = Database.connect(database.app_url)
    if found.dialect == "sqlite":
        event.listen(found.engine, "connect", _without_sync)
    add_people(found)
    yield found
    found.dispose()


def _without_sync(connection: sqlite3.Connection, _record: object) -> None:
    # Thousands of commits, and no test here cuts the power: only processes die, and to them it makes no difference.
    connection.execute("PRAGMA synchronous = OFF").close()


@pytest.fixture
def sink() -> Iterator[BreakingSink]:
    """A relay that breaks off where the test tells it to."""
    with running_breaking_sink() as found:
        yield found
