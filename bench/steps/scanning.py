"""The daily scan: what it costs when as many systems come due among few as among many."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measuring import Figure, seconds
from reporting.sweep import sweep
from tests.promises.arenas import lasting_arena
from tests.promises.proof import Arena
from tests.reporting.api.world import HOME, MINE, World, make_world
from tests.reporting.counties import a_row, inspected, load
from tests.services.databases import Kind

FEW, MANY, DUE = 1_000, 10_000, 200
BEFORE, AFTER = dt.datetime(2026, 7, 13, 15, 0, tzinfo=dt.UTC), dt.datetime(2026, 9, 15, 15, 0, tzinfo=dt.UTC)
PUMPED_LATELY, PUMPED_LONG_AGO = "2026-05-01", "2023-08-01"
"""Due beyond the scan, and due between the two scans."""
AIM = 1.5


def measured() -> Iterator[Figure]:
    """On both databases."""
    kinds: tuple[Kind, ...] = ("sqlite", "postgresql")
    for kind in kinds:
        with lasting_arena(kind) as arena:
            few, many = (_scan(arena, systems) for systems in (FEW, MANY))
        yield Figure(
            step=f"a scan in which {DUE} of {MANY:,} systems come due", database=kind, ours=many, unit="s",
            baseline=few, against=f"{DUE} of {FEW:,}", aim=f"≤ {AIM} ×", held=many / few <= AIM,
        )  # fmt: skip


def _scan(arena: Arena, systems: int) -> float:
    world = _county(arena, systems)
    try:
        while sweep(world.database, HOME, BEFORE.date(), BEFORE).assessed:
            pass
        return seconds(lambda: sweep(world.database, HOME, AFTER.date(), AFTER))
    finally:
        world.database.dispose()


def _county(arena: Arena, systems: int) -> World:
    world = make_world(arena.new_database(), Path(tempfile.mkdtemp(prefix="world-", dir=arena.folder)))
    apart = systems // DUE
    rows = []
    for n in range(systems):
        pumped = PUMPED_LONG_AGO if n % apart == 0 else PUMPED_LATELY
        known = {"installed_on": "2001-06-01", "last_pumped_on": pumped, "designated_license_number": MINE}
        rows += [a_row(f"P-{n}", **known), inspected(f"P-{n}", **known)]
    load(world.database, *rows, county=HOME, now=BEFORE - dt.timedelta(days=20))
    return world
