"""A county's counter on a fresh database of each kind."""

from pathlib import Path

import pytest

from reporting.store.engine import Database
from reporting.store.signing import Signer
from tests.reporting.intake.sending import Desk


@pytest.fixture
def desk(kept: Database, tmp_path: Path) -> Desk:
    """Ozaukee's counter without any data."""
    return Desk(database=kept, signer=Signer.load(tmp_path / "keys" / "signing.key"))
