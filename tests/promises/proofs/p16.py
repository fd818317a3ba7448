"""P16: one county cannot starve another. One county's callers call at 50 times the normal rate; they are refused with
429 and told when to go on, and the other county's answers take at most twice as long as when it is alone.

A gunicorn as it is run, two workers; the other county calls at its own pace throughout, alone and beside the flood in
turns, so that both are measured in one run on one server. The limits are set for a machine of two cores that also runs
the clients: a county may call a quarter above the normal rate. The control has no limits: the flood is answered, and
the other county waits.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

from reporting.store.engine import Database
from tests.promises.flooding import Caller, Flood, flooding, percentile_95
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.reporting.api.test_server import SERVE, free_port, serving
from tests.reporting.api.world import AWAY, HOME, NOW, World, make_world
from tests.reporting.counties import load

NORMAL = 2.0
"""Calls a second of a county at work: its staff and its haulers."""
TIMES = 50
LIMITS = {"READ": 150, "FILE": 30, "COUNTY_READ": 150, "COUNTY_FILE": 30}
PACE_S = {Size.SMOKE: 0.15, Size.FULL: 1 / NORMAL}
TURNS = {Size.SMOKE: 2, Size.FULL: 6}
CALLS = {Size.SMOKE: 14, Size.FULL: 40}
"""Of the other county, in each turn alone and in each beside the flood."""
SYSTEMS = {Size.SMOKE: 150, Size.FULL: 400}
SLOWER = {Size.SMOKE: 10.0, Size.FULL: 2.0}
"""By how much the answers may slow down; in small, with other tests beside it, only a hang is told."""
FLOOR_S = 0.010
"""Answers faster than this are as good as each other: the machine's own scheduling is of that size."""


def limited(arena: Arena, size: Size) -> Outcome:
    """The promise."""
    return _measure(arena, size, {f"PUMPER_RATE_{name}": str(limit) for name, limit in LIMITS.items()}, TURNS[size])


def unlimited(arena: Arena, size: Size) -> Outcome:
    """The control: nobody is refused. In small one turn is enough to see it: each takes as long as the flood."""
    return _measure(arena, size, {}, turns=1 if size is Size.SMOKE else TURNS[size])


def _measure(arena: Arena, size: Size, limits: dict[str, str], turns: int) -> Outcome:
    alone: list[float] = []
    beside: list[float] = []
    wrong: list[int] = []
    flood = Flood()
    with _served(arena, size, limits) as (world, port):
        caller = Caller(port, world.keys["other county"])
        paths = cycle([f"/v1/{AWAY}/systems?limit=20", f"/v1/{AWAY}/status?permit=PT-1", f"/v1/{AWAY}/obligations"])

        def work(into: list[float], calls: int) -> None:
            for _ in range(calls):
                answer = caller.get(next(paths))
                into.append(answer.seconds)
                wrong.extend([answer.status] if answer.status != 200 else [])
                time.sleep(max(0.0, PACE_S[size] - answer.seconds))

        work([], 12)  # the workers' first calls load their parts
        theirs = [f"/v1/{HOME}/obligations.csv", f"/v1/{HOME}/systems?limit=200", f"/v1/{HOME}/obligations?limit=200"]
        keys = [world.keys["county"], world.keys["contractor"]]
        for _ in range(turns):
            work(alone, CALLS[size])
            with flooding(port, keys, theirs, NORMAL * TIMES, flood):
                work(beside, CALLS[size])
        caller.close()
    return _outcome(size, alone, beside, wrong, flood)


def _outcome(size: Size, alone: list[float], beside: list[float], wrong: list[int], flood: Flood) -> Outcome:
    quiet, busy = percentile_95(alone), percentile_95(beside)
    ratio = max(busy, FLOOR_S) / max(quiet, FLOOR_S)
    refused = flood.statuses[429]
    failures = {
        f"the other county was answered {wrong[:5]}": not wrong,
        "the flood was never refused": refused > 0,
        f"of {refused} refusals {flood.retry_after} said when to go on": refused == flood.retry_after,
        f"the flood was answered {dict(flood.statuses)}": set(flood.statuses) <= {200, 429},
        f"answers took {ratio:.2f} times as long beside the flood, at most {SLOWER[size]}": ratio <= SLOWER[size],
    }
    return Outcome(
        figures={
            "calls of the flood": flood.calls,
            "a second": round(flood.calls / max(flood.seconds, 0.001), 1),
            "refused": refused,
            "p95 alone, ms": round(quiet * 1000, 1),
            "p95 beside, ms": round(busy * 1000, 1),
            "ratio": round(ratio, 2),
        },
        windows={"refusals": refused, "calls beside": len(beside)},
        failures=tuple(failure for failure, right in failures.items() if not right),
    )


@contextmanager
def _served(arena: Arena, size: Size, limits: dict[str, str]) -> Iterator[tuple[World, int]]:
    urls = arena.new_database()
    world = make_world(urls, arena.folder)
    _stock(world.database, SYSTEMS[size])
    world.database.dispose()
    port = free_port()
    command = [sys.executable, "-c", SERVE.format(bind=f"127.0.0.1:{port}")]
    with serving(world, command, port, dict.fromkeys(ALL, "0") | limits):
        yield world, port


ALL = [f"PUMPER_RATE_{place}{kind}" for place in ("", "COUNTY_") for kind in ("READ", "WRITE", "FILE", "ANONYMOUS")]


def _stock(database: Database, systems: int) -> None:
    """Tanks for the flood's lists, so that an answer of its is real work."""
    rows = [
        {
            "permit_number": f"FL-{number}",
            "parcel_number": f"09-{number}",
            "site_address": f"W{number} River Road",
            "owner_name": f"Owner {number}",
            "permit_issued_on": "2001-05-01",
            "installed_on": "2001-06-01",
            "component": "septic",
            "capacity_gallons": "1000",
        }
        for number in range(systems)
    ]
    load(database, *rows, county=HOME, now=NOW)


PROOF = Proof(
    promise="P16",
    says="one county cannot starve another",
    in_small=(),
    run=limited,
    controls={"no limits": unlimited},
    least={"refusals": (20, 5_000), "calls beside": (28, 240)},
)
