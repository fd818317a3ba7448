"""P22: the whole holds. Random walks of submitting, correcting, taking back, retrying, importing, ticking, letting time
go by, dying within a report, backing up and restoring, each step on the service and on a model of a few lines
(`tests/promises/model.py`); after each step they are compared, and now and then the log is verified.

Full size: 200 walks of 100 steps on each database, from fixed seeds. The controls: answers that are forgotten, voids
that do not count, corrections of late reports that are told of again.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import true

from reporting import sweep
from reporting.store import facts
from reporting.store.people import upsert_contractors
from tests.promises.model import Model
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.proofs.p03 import forget_at_once, kept_as_it_must_not_be
from tests.promises.sabotage import changed
from tests.promises.tanks import long_ago, mail_to, tank_rows
from tests.promises.whole import Whole
from tests.reporting.api.world import HOME, NOW, make_world
from tests.reporting.counties import load

_BUSINESS = {"business_name": "Kettle Moraine Septic LLC", "created_at": NOW}
SEED = 20_261_130
WALKS = {Size.SMOKE: 1, Size.FULL: 200}
STEPS = {Size.SMOKE: 60, Size.FULL: 100}
VERIFIED_EACH = 10
OVER_ONE_DATABASE = 20
"""Walks; then a new one, since what earlier walks left makes every backup longer."""
STEP: tuple[tuple[int, Callable[[Whole], None]], ...] = (
    (6, Whole.submit), (3, Whole.correct), (2, Whole.void), (3, Whole.retry), (2, Whole.crash), (1, Whole.forward),
    (1, Whole.bring_inventory), (2, Whole.tick), (1, Whole.back_up), (1, Whole.restore),
)  # fmt: skip
"""Each step with how often it is chosen."""
WINDOWS = ("died within a report", "restores", "retries")


def a_walk(before: Whole, number: int) -> Whole:
    """The next walk over the same world, with tanks of its own."""
    permits = [f"W{number}-{name}" for name in "abc"]
    pick = Random(SEED + number)
    pumped = {permit: long_ago(before.model.today, pick) for permit in permits}
    rows = [row for permit, day in pumped.items() for row in tank_rows(permit, day)]
    load(before.world.database, *rows, county=HOME, now=before.world.clock.now)
    model = Model(pumped=pumped, today=before.model.today)
    return Whole(
        arena=before.arena, world=before.world, urls=before.urls, folder=before.folder, pick=pick, model=model,
        number=number,
    )  # fmt: skip


def first_world(arena: Arena) -> Whole:
    """A world with the people that notices go to; no walk yet."""
    folder = Path(tempfile.mkdtemp(prefix="whole-", dir=arena.folder))
    urls = arena.new_database()
    made = make_world(urls, folder, **mail_to(folder))
    with made.database.transaction(None) as store:
        upsert_contractors(store, [{"id": "con_mine", "email": "office@kettle-moraine.example", **_BUSINESS}])
    whole = Whole(
        arena=arena, world=made, urls=urls, folder=folder, pick=Random(0), model=Model(pumped={}, today=date.min),
        number=0,
    )  # fmt: skip
    whole.set_today()
    return whole


def walk(arena: Arena, walks: int, steps: int, sabotage: AbstractContextManager[Any]) -> Outcome:
    """So many walks, some one after the other over one database; the first step on which the two part ends it."""
    last, taken, hits = first_world(arena), 0, Counter[str]()
    weights, choices = zip(*STEP, strict=True)
    with sabotage:
        for number in range(1, walks + 1):
            if number % OVER_ONE_DATABASE == 0:
                last.verify()
                if last.faults:
                    break
                last.world.database.dispose()
                last = first_world(arena)
            last = a_walk(last, number)
            for _ in range(steps):
                [step] = last.pick.choices(choices, weights)
                step(last)
                last.compare()
                taken += 1
                if last.faults:
                    break
            if number % VERIFIED_EACH == 1:
                last.verify()
            hits += last.hits
            if last.faults:
                break
    last.world.database.dispose()
    return Outcome(
        figures={
            "walks": number, "steps": taken, "divergences": len(last.faults),
            **{name: times for name, times in sorted(hits.items()) if name not in WINDOWS},
        },
        windows={name: hits[name] for name in WINDOWS},
        failures=tuple(last.faults),
    )  # fmt: skip


def run(arena: Arena, size: Size) -> Outcome:
    """The service as it is."""
    return walk(arena, WALKS[size], STEPS[size], nullcontext())


def broken(sabotage: Callable[[], AbstractContextManager[Any]]) -> Run:
    """A control: walks with something broken, until it is found out."""
    return lambda arena, size: walk(arena, 5, 60, sabotage())


PROOF = Proof(
    promise="P22",
    says="Whatever people do in whatever order, and though it dies or is restored, it says what a simple model says.",
    run=run,
    in_small=("sqlite",),
    controls={
        "answers are forgotten": broken(lambda: kept_as_it_must_not_be(finish=forget_at_once)),
        "voids do not count": broken(lambda: changed(facts, "not_ended", lambda _table: true())),
        "told again of a correction": broken(lambda: changed(sweep, "first_versions", lambda *_of: {})),
    },
    least={"died within a report": (1, 200), "restores": (1, 50), "retries": (5, 1_000)},
)
