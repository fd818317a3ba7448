"""An open database of each kind, and one with a key to sign."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reporting.store.engine import Database
from reporting.store.signing import Signer
from tests.services.databases import DatabaseUrls


@pytest.fixture
def opened(database: DatabaseUrls) -> Iterator[Database]:
    """The fresh database as the service opens it, under the role that owns nothing."""
    found = Database.connect(database.app_url)
    yield found
    found.dispose()


@pytest.fixture
def owner(database: DatabaseUrls) -> Iterator[Database]:
    """The same database for the role that owns the tables."""
    found = Database.connect(database.owner_url)
    yield found
    found.dispose()


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    """A signing key of this test's own."""
    return Signer.load(tmp_path / "keys" / "signing.key")
