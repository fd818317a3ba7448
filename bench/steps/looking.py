"""Look-ups in a county of many systems: by permit, by what is typed with a mistake in it, and a list's first page.

Beside the bare question to the index, one prepared statement each: the system of a permit and its last ten reports.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

from sqlalchemy import text

from bench.measuring import Figure, percentile
from reporting.intake.candidates import find_candidates, index_places
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.likeness import Named
from reporting.status import find_systems
from reporting.store.facts import load_history
from reporting.store.lists import ObligationFilter, SystemFilter, list_obligations, list_systems
from reporting.sweep import sweep
from tests.promises.arenas import lasting_arena
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, NOW, World
from tests.services.databases import Kind

SYSTEMS, LOOKS, TYPED = 10_000, 200, 100
LOOK, NUMBER_MS, PAGE_MS, RIGHT = 3.0, 10.0, 100.0, 0.99


def measured() -> Iterator[Figure]:
    """On both databases."""
    kinds: tuple[Kind, ...] = ("sqlite", "postgresql")
    for kind in kinds:
        with lasting_arena(kind) as arena, stocked(arena, SYSTEMS) as world:
            sweep(world.database, HOME, NOW.date(), NOW)
            with world.database.transaction(HOME) as store:
                while index_places(store):
                    pass
            yield from _by_permit(kind, world)
            yield from _typed(kind, world)
            yield from _pages(kind, world)


def _by_permit(kind: Kind, world: World) -> Iterator[Figure]:
    permits = [f"P-{random.Random(n).randrange(SYSTEMS)}" for n in range(LOOKS)]
    with world.database.reading(HOME) as store:

        def ours(permit: str) -> None:
            assert load_history(store, find_systems(store, permit=permit))

        def bare(permit: str) -> None:
            system = store.connection.execute(
                BY_PERMIT, {"county": HOME, "norm": normalize_identifier(permit)}
            ).scalar()
            store.connection.execute(LAST_TEN, {"county": HOME, "system": system}).all()

        taken, base = _each(ours, permits), _each(bare, permits)
    yield Figure(
        step=f"a system and its history by permit, of {SYSTEMS:,}", database=kind, ours=median(taken), unit="s",
        baseline=median(base), against="the index", aim=f"≤ {LOOK:.0f} ×", held=median(taken) / median(base) <= LOOK,
    )  # fmt: skip


BY_PERMIT = text("SELECT system FROM identifier WHERE county = :county AND kind = 'permit' AND norm = :norm")
LAST_TEN = text("SELECT * FROM event WHERE county = :county AND system = :system ORDER BY service_date DESC LIMIT 10")


def _typed(kind: Kind, world: World) -> Iterator[Figure]:
    """A permit with one character wrong: the right system among the first five?"""
    pick, right, taken = random.Random(3), 0, []
    with world.database.reading(HOME) as store:
        for _ in range(TYPED):
            number = pick.randrange(SYSTEMS // 10, SYSTEMS)
            meant = find_systems(store, permit=f"P-{number}")[0]
            wrong = _mistyped(f"P-{number}", pick)
            begun = time.perf_counter()
            address = f"N{sum(f'P-{number}'.encode())} County Road K"
            named = Named(permit_number=wrong, parcel_number=f"08-P-{number}", site_address=address)
            found = find_candidates(store, {0: named}, {0: ()})
            taken.append(time.perf_counter() - begun)
            right += meant in [one.system for one in found.get(0, ())][:5]
    worst, share = percentile(taken, 0.99) * 1000, right / TYPED
    yield Figure(
        step="a permit typed with one mistake beside its parcel: 99 % within", database=kind, ours=worst, unit="ms",
        aim=f"< {NUMBER_MS:.0f} ms", held=worst < NUMBER_MS,
    )  # fmt: skip
    yield Figure(
        step="the right system among the first five", database=kind, ours=100 * share, unit="%",
        aim=f"≥ {100 * RIGHT:.0f} %", held=share >= RIGHT,
    )  # fmt: skip


def _mistyped(word: str, pick: random.Random) -> str:
    place = pick.randrange(2, len(word))
    return word[:place] + pick.choice("0123456789") + word[place + 1 :]


def _pages(kind: Kind, world: World) -> Iterator[Figure]:
    with world.database.reading(HOME) as store:
        pages: dict[str, Callable[[Any], Any]] = {
            "systems": lambda _: list_systems(store, SystemFilter(), None, 50),
            "overdue duties": lambda _: list_obligations(store, ObligationFilter(state=("overdue",)), None, 50),
        }
        for name, page in pages.items():
            worst = percentile(_each(page, range(60)), 0.99) * 1000
            yield Figure(
                step=f"first page of {name}, {SYSTEMS:,} systems: 99 % within", database=kind, ours=worst, unit="ms",
                aim=f"< {PAGE_MS:.0f} ms", held=worst < PAGE_MS,
            )  # fmt: skip


def _each(work: Callable[[Any], Any], over: Sequence[Any]) -> list[float]:
    taken = []
    for one in over:
        begun = time.perf_counter()
        work(one)
        taken.append(time.perf_counter() - begun)
    return taken
