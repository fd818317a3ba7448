"""A county's counter with a small inventory, and a clerk at it."""

from pathlib import Path

import pytest

from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.sweep import sweep
from tests.reporting.intake.sending import NOW, Desk, a_system
from tests.reporting.reviews.clerk import TODAY, Clerk


@pytest.fixture
def clerk(kept: Database, tmp_path: Path) -> Clerk:
    """Ozaukee with two septic systems, a parcel with two systems, one with two holding tanks."""
    desk = Desk(database=kept, signer=Signer.load(tmp_path / "keys" / "signing.key"))
    desk.stock(
        a_system("SP-1987", last_pumped_on="2023-05-01"),
        a_system("SP-2044", last_pumped_on="2024-05-01"),
        a_system("SP-4", parcel_number="08-TWO"),
        a_system("SP-5", parcel_number="08-TWO"),
        a_system("HT-6", component="holding", component_ref="A"),
        a_system("HT-6", component="holding", component_ref="B"),
    )
    sweep(kept, desk.county, TODAY, NOW)
    return Clerk(desk=desk)
