"""P9: an outage of the database degrades the service and heals by itself.

A TCP proxy stands before PostgreSQL. While clients post and read it ends every connection with a reset, answers late,
takes everything and gives nothing, and is stopped and started again ten times. Whatever is not carried out is answered
with 503 and Retry-After, each within 5 seconds; within 5 seconds of the return all is answered as before; and every
report that was acknowledged is there. SQLite has no server to be away: of it a writer that holds the lock for 15
seconds stands for it. The controls: a service that calls such an error its own fault, and one that waits as long as it
takes for a server that hangs.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.engine import make_url

from reporting import tables
from reporting.store.verify import verify
from tests.promises.calling import Answered, Calling, calling
from tests.promises.posting import posts
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, World, serve_world
from tests.services.databases import DatabaseUrls
from tests.services.proxies import Proxy, running_proxy

SEED, CLIENTS, SYSTEMS = 20_260_715, 4, 20
STOPS = {Size.SMOKE: 1, Size.FULL: 10}
SLOWEST_S, HEALED_S = 5.0, 5.0
HOLE_S, DOWN_S, HELD_S = 8.0, 1.0, 15.0
Outage = Callable[[], None]


def outages(proxy: Proxy, size: Size) -> list[tuple[str, Outage]]:
    """What happens to the database, one after the other."""

    def hole() -> None:
        proxy.hole = True
        time.sleep(HOLE_S)
        proxy.hole = False

    def late() -> None:
        proxy.delay = 0.03
        time.sleep(DOWN_S)
        proxy.delay = 0.0

    def down() -> None:
        proxy.stop()
        time.sleep(DOWN_S)
        proxy.start()

    return [("reset", proxy.reset), ("late", late), ("black hole", hole), *[("stopped", down)] * STOPS[size]]


def locked(path: str) -> Outage:
    """Somebody who holds SQLite's write lock, as a copy of a large database might."""

    def hold() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA busy_timeout = 20000")
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(HELD_S)
            connection.execute("ROLLBACK")

    return hold


def run_with(spoil: str = "") -> Run:
    """The proof, with a server that is broken in one way."""

    def run(arena: Arena, size: Size) -> Outcome:
        folder = Path(tempfile.mkdtemp(prefix="p09-", dir=arena.folder))
        with ExitStack() as stack:
            world = stack.enter_context(stocked(arena, SYSTEMS))
            served, ordeals = before_it(world, folder, size, stack)
            options = ["--spoil", spoil] if spoil else []
            group = stack.enter_context(serving(ServerGroup(world=served, options=options)))
            clients = stack.enter_context(
                calling(group.port, world.keys["contractor"], posts(20_000, SYSTEMS, SEED), CLIENTS)
            )
            slowest = HELD_S + SLOWEST_S if arena.kind == "sqlite" else SLOWEST_S
            healing, faults = suffer(clients, ordeals, slowest)
            clients.stop.set()
            time.sleep(0.2)
            stack.pop_all().close()
        return judge(world, clients, healing, faults, slowest)

    return run


def before_it(world: World, folder: Path, size: Size, stack: ExitStack) -> tuple[World, Sequence[tuple[str, Outage]]]:
    """The world as the server sees it, through the proxy, and what is to happen."""
    if world.database.dialect == "sqlite":
        return world, [("locked", locked(str(world.database.engine.url.database)))]
    address = make_url(world.config.database_url)
    proxy = stack.enter_context(running_proxy((str(address.host), int(address.port or 5432))))
    url = address.set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)
    (folder / "signing.key").write_bytes(world.config.signing_key_file.read_bytes())
    (folder / "signing.key").chmod(0o600)
    served = serve_world(DatabaseUrls(kind="postgresql", app_url=url, owner_url=url), folder, world.keys)
    stack.callback(served.database.dispose)
    return served, outages(proxy, size)


def suffer(clients: Calling, ordeals: Sequence[tuple[str, Outage]], slowest: float) -> tuple[list[float], list[str]]:
    """Let it all happen; how long each healing took, and what was not healed at all."""
    healing, faults = [], []
    for name, ordeal in ordeals:
        time.sleep(0.5)
        ordeal()
        back = time.monotonic()
        healed = back + HEALED_S
        while time.monotonic() < healed + 1 and not well(clients.since(back)):
            time.sleep(0.02)
        found = [one for one in clients.since(back) if not one.good]
        last = max((one.at + one.seconds for one in found), default=back)
        healing.append(last - back)
        if not well(clients.since(back)) or last > healed:
            faults.append(f"{name}: not well {HEALED_S:.0f} s after the return")
    return healing, faults


def well(calls: Sequence[Answered]) -> bool:
    """Whether the last calls were all carried out, of every client's."""
    return len(calls) >= 5 * CLIENTS and all(one.good for one in calls[-4 * CLIENTS :])


def judge(world: World, clients: Calling, healing: Sequence[float], faults: list[str], slowest: float) -> Outcome:
    """What the clients were told, against what was promised and what is on record."""
    told = clients.told
    refused = [one for one in told if not one.good]
    odd = [one.status for one in refused if one.status != 503]
    silent = [one for one in refused if one.status == 503 and not one.retry_after]
    slow = [one for one in told if one.seconds > slowest]
    with world.database.reading(HOME) as store:
        there = set(store.connection.execute(select(tables.event.c.id).where(tables.event.c.county == HOME)).scalars())
        whole = verify(store, [world.signer.verifying_key]).ok
    lost = [one.report_id for one in told if one.report_id is not None and one.report_id not in there]
    wrong = {
        f"{len(odd)} calls were answered with something else than 503: {sorted(set(odd))}": not odd,
        f"{len(silent)} answers of 503 without Retry-After": not silent,
        f"{len(slow)} calls took longer than {slowest:.0f} s: {[(o.status, round(o.seconds, 1)) for o in slow[:5]]}": (
            not slow
        ),
        f"{len(lost)} acknowledged reports are lost": not lost,
        "the record does not verify": whole,
    }
    return Outcome(
        figures={
            "calls": len(told), "answered 503": len(refused), "acknowledged": sum(bool(o.report_id) for o in told),
            "lost": len(lost), "slowest answer, s": round(max((o.seconds for o in told), default=0.0), 1),
            "slowest to be well again, s": round(max(healing, default=0.0), 1),
        },
        windows={"outages": len(healing), "calls refused": len(refused)},
        failures=(*faults, *(fault for fault, right in wrong.items() if not right)),
    )  # fmt: skip


PROOF = Proof(
    promise="P9",
    says="An outage of the database is answered with 503 within 5 s, and 5 s after its return all is well.",
    run=run_with(),
    controls={"an outage is called a mistake": run_with("blunt"), "waits for a server that hangs": run_with("patient")},
    least={"outages": (1, 1), "calls refused": (2, 2)},
    kinds=("postgresql", "sqlite"),
    in_small=(),
)
