"""Where a business is let in no longer, or never was: a contract that has ended, and reports that are nobody's."""

from datetime import timedelta

import pytest

from reporting.store.facts import load_history
from tests.reporting.api.world import HOME, MINE, World
from tests.reporting.counties import TODAY, the_system


@pytest.mark.parametrize(("days", "status"), [(0, 200), (1, 404)])
def test_a_contract_lets_in_until_its_last_day(world_on_sqlite: World, days: int, status: int) -> None:
    world = world_on_sqlite
    with world.database.reading(HOME) as store:
        system = the_system(store, "SP-2").system_id
    contract = {"system": system, "license_number": MINE, "from": "2026-01-01", "to": TODAY.isoformat()}
    assert world.post(f"/v1/{HOME}/contracts", contract, "county").status_code == 201
    world.clock.now += timedelta(days=days)
    assert world.get(f"/v1/{HOME}/systems/{system}").status_code == status


def test_what_the_inventory_says_was_done_is_no_businesss_own(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    with world.database.reading(HOME) as store:
        system = the_system(store, "SP-1").system_id  # it names the business that asks
        done = [row["id"] for row in load_history(store, [system])[system].events]
    assert done
    for report in done:
        assert world.get(f"/v1/{HOME}/reports/{report}", "county").status_code == 200
        assert world.get(f"/v1/{HOME}/reports/{report}").status_code == 404
