"""A desk with places: systems that have coordinates, in both counties, one of them with hostile texts."""

from reporting.sweep import sweep
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import AWAY, CANARY, HOME, World
from tests.reporting.counties import TODAY, a_row, inspected, load

FORMULA = "=HYPERLINK(1)"
NORTH, WEST = "43.5", "-88.1"
OVERDUE, IN_ORDER = {"last_pumped_on": "2023-06-01"}, {"last_pumped_on": "2026-06-01"}


def place_systems(world: World) -> World:
    """Three systems with coordinates beside the world's three without; everybody signed in, and all judged."""
    sign_in_everybody(world)
    mark = {"owner_name": CANARY[HOME]}
    second = {"latitude": "43.4", "longitude": "-88.0", "municipality": "Town of Cedarburg", **mark}
    rows = [
        a_row("MP-1", latitude=NORTH, longitude=WEST, site_address=FORMULA, **mark, **OVERDUE),
        a_row("MP-2", **second, **IN_ORDER),
        inspected("MP-2", **second),
        a_row("MP-3", latitude="43.3", longitude="-87.9", municipality="Town of Cedarburg", **mark, **OVERDUE),
    ]
    load(world.database, *rows, county=HOME)
    away = {"owner_name": CANARY[AWAY], "municipality": "Town of Amherst", "site_address": "9 Awaycanary Rd"}
    load(world.database, a_row("AW-1", latitude="44.4", longitude="-89.3", **away), county=AWAY)
    for county in (HOME, AWAY):
        sweep(world.database, county, TODAY, world.clock())
    return world
