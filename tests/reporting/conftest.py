"""A migrated database as the service opens it, for tests that go through inventory, reports and standing."""

from collections.abc import Iterator

import pytest

from reporting.store.engine import Database
from tests.services.databases import DatabaseUrls


@pytest.fixture
def kept(database: DatabaseUrls) -> Iterator[Database]:
    """The fresh database of each kind under the role that owns nothing."""
    found = Database.connect(database.app_url)
    yield found
    found.dispose()
