"""One report by HTTP, with all checks, log, receipt and sync before the 201; and a status call. Both beside a server of
the same kind that says hello: two processes of eight threads, eight clients, calls taken in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

from bench.calling import Ask, called, saying_hello
from bench.measuring import TIMES, Figure, percentile
from tests.promises.arenas import lasting_arena
from tests.promises.posting import posts
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, World
from tests.services.databases import Kind

SYSTEMS, CALLS, CLIENTS = 2_000, 120, 8
SHARE, P99_MS, LOOK = 0.20, 150.0, 2.0


def measured() -> Iterator[Figure]:
    """On both databases."""
    kinds: tuple[Kind, ...] = ("sqlite", "postgresql")
    for kind in kinds:
        with ExitStack() as stack:
            world = stack.enter_context(stocked(stack.enter_context(lasting_arena(kind)), SYSTEMS))
            group, hello = stack.enter_context(serving(ServerGroup(world=world))), stack.enter_context(saying_hello())
            yield from _posted(kind, world, group.port, hello)
            yield from _asked(kind, world, group.port, hello)


def _posted(kind: Kind, world: World, port: int, hello: int) -> Iterator[Figure]:
    keyed = {"Authorization": f"Bearer {world.keys['contractor']}", "Content-Type": "application/json"}
    reports = [
        Ask(
            method="POST",
            path=f"/v1/{HOME}/reports",
            body=one.body,
            wanted=201,
            headers={**keyed, "Idempotency-Key": one.key},
        )
        for one in posts(CALLS * (TIMES + 1), SYSTEMS, 7)
    ]
    greetings = [Ask(method="POST", path="/hello", body=reports[0].body, headers={"Content-Type": "application/json"})]
    called(port, reports[:CALLS], CLIENTS)  # warms up
    rates, bare, each = [], [], []
    for turn in range(1, TIMES + 1):
        bare.append(called(hello, greetings * 1_000, CLIENTS)[0])
        rate, taken = called(port, reports[turn * CALLS : (turn + 1) * CALLS], CLIENTS)
        rates.append(rate)
        each += taken
    ours, base, slowest = median(rates), median(bare), percentile(each, 0.99) * 1000
    step = f"one report by HTTP, {CLIENTS} clients"
    yield Figure(
        step=step, database=kind, ours=ours, unit="calls/s", baseline=base, against="hello",
        aim=f"≥ {SHARE:.2f} ×", held=ours / base >= SHARE,
    )  # fmt: skip
    yield Figure(
        step=f"{step}: 99 % within", database=kind, ours=slowest, unit="ms", aim=f"< {P99_MS:.0f} ms",
        held=slowest < P99_MS,
    )  # fmt: skip


def _asked(kind: Kind, world: World, port: int, hello: int) -> Iterator[Figure]:
    keyed = {"Authorization": f"Bearer {world.keys['county']}"}
    asks = [
        Ask(method="GET", path=f"/v1/{HOME}/status?permit=P-{n * 17 % SYSTEMS}", headers=keyed) for n in range(CALLS)
    ]
    greetings = [Ask(method="GET", path="/hello")] * CALLS
    called(port, asks, 1)
    ours, bare = [], []
    for _ in range(TIMES):
        bare += called(hello, greetings, 1)[1]
        ours += called(port, asks, 1)[1]
    ratio = median(ours) / median(bare)
    yield Figure(
        step="status by permit over HTTP, one client", database=kind, ours=median(ours), unit="s",
        baseline=median(bare), against="hello", aim=f"< {LOOK:.0f} ×", held=ratio < LOOK,
    )  # fmt: skip
