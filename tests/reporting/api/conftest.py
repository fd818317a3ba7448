"""The service over a fresh database of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reporting.api.world import World, make_world
from tests.services.databases import DatabaseUrls


@pytest.fixture
def world(database: DatabaseUrls, tmp_path: Path) -> Iterator[World]:
    found = make_world(database, tmp_path)
    yield found
    found.database.dispose()
