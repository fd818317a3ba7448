"""A county's counter over a fresh database of each kind, with the contractors but no system yet."""

from pathlib import Path

import pytest

from reporting.store.engine import Database
from reporting.store.signing import Signer
from tests.reporting.intake.sending import Desk


@pytest.fixture
def desk(kept: Database, tmp_path: Path) -> Desk:
    found = Desk(database=kept, signer=Signer.load(tmp_path / "keys" / "signing.key"))
    found.stock()
    return found
