"""A world with as many systems as a proof needs, so that no system's history grows out of the ordinary."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from tests.promises.proof import Arena
from tests.reporting.api.world import HOME, MINE, NOW, World, make_world
from tests.reporting.counties import a_row, inspected, load


@contextmanager
def stocked(arena: Arena, systems: int) -> Iterator[World]:
    """A world over a fresh database, with systems `P-0`, `P-1`, … that the business of `MINE` services."""
    world = make_world(arena.new_database(), Path(tempfile.mkdtemp(prefix="world-", dir=arena.folder)))
    tank = {"installed_on": "2001-06-01", "last_pumped_on": "2025-06-01", "designated_license_number": MINE}
    rows = [row for n in range(systems) for row in (a_row(f"P-{n}", **tank), inspected(f"P-{n}", **tank))]
    try:
        load(world.database, *rows, county=HOME, now=NOW - timedelta(days=20))
        yield world
    finally:
        world.database.dispose()
