"""P18: a dead scheduler is noticed. A real worker process beats, is stopped (SIGSTOP: as dead as a hung machine), and
`/readyz` must turn red within 3 minutes of its last beat, and not before; a mail that has been due for more than 15
minutes must be shown, and one of 15 minutes not. The clock is moved by hand.

The controls: a service that asks for no sign of life, one that is patient for ten minutes, one that looks at no mail.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from notifications.outbox import add_message, lease_until
from notifications.worker import WorkerOptions, is_alive
from reporting.api.app import create_app
from reporting.api.calls import WorkerAlive
from reporting.store.engine import Database, Store
from reporting.store.jobs import take_lease
from tests.notifications.builders import a_notice
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.reporting.api.world import HOME, World, make_world

ROOT = Path(__file__).resolve().parents[3]
RED_WITHIN = timedelta(minutes=3)
LATE_AFTER = timedelta(minutes=15)
UP_WITHIN = 60
STOPS = {Size.SMOKE: 1, Size.FULL: 5}


@contextmanager
def beating(world: World, url: str) -> Iterator[subprocess.Popen[str]]:
    """A worker process whose clock begins at the world's."""
    command = [sys.executable, "-m", "tests.promises.ticking", url, world.clock().isoformat()]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        if process.stdout is not None:
            process.stdout.close()


def last_lease(database: Database) -> datetime | None:
    with database.reading(None) as store:
        return lease_until(store, "worker")


def wait_for_beats(database: Database, count: int = 3) -> None:
    """Until the worker has been seen to beat."""
    seen: set[datetime] = set()
    end = time.monotonic() + UP_WITHIN
    while len(seen) < count:
        assert time.monotonic() < end, "the worker does not beat"
        seen |= {at for at in [last_lease(database)] if at is not None}
        time.sleep(0.05)


def watch(alive: WorkerAlive | None, arena: Arena, stops: int) -> Outcome:
    """Stop the worker, move the clock on, and note when it is told."""
    urls = arena.new_database()
    world = make_world(urls, arena.folder)
    client = create_app(world.config, world.database, world.signer, world.clock, worker_alive=alive).test_client()
    faults: list[str] = []
    seconds: list[float] = []
    for _ in range(stops):
        with beating(world, urls.app_url) as worker:
            wait_for_beats(world.database)
            os.kill(worker.pid, signal.SIGSTOP)
            time.sleep(0.1)
            until = last_lease(world.database)
            assert until is not None
            beat = until - WorkerOptions().lease
            world.clock.now = beat
            if client.get("/readyz").status_code != 200:
                faults.append("it is red while the worker beats")
            red = turns_red(lambda: client.get("/readyz").status_code, world, beat)
            if red is None or red - beat > RED_WITHIN:
                faults.append(f"the worker was stopped and it was not red within {RED_WITHIN}: {red and red - beat}")
            seconds += [(red - beat).total_seconds()] if red else []
            world.clock.now += timedelta(hours=1)
    faults += late_mail(client.get, world)
    world.database.dispose()
    return Outcome(
        figures={"stops": stops, "slowest to turn red, s": max(seconds, default=0.0)},
        windows={"stopped": stops},
        failures=tuple(faults),
    )


def turns_red(status: Callable[[], int], world: World, beat: datetime) -> datetime | None:
    """The first moment at which it is red, looked at each second about the third minute; `None`: not in 11 minutes."""
    for second in (*range(0, 175, 25), *range(175, 186), *range(200, 660, 50)):
        world.clock.now = beat + timedelta(seconds=second)
        if status() == 503:
            return world.clock.now
    return None


def late_mail(get: Callable[..., object], world: World) -> list[str]:
    """What is wrong with what is said of a mail that waits, a second before and after it is late."""
    begun = world.clock.now
    with world.database.transaction(HOME) as store:
        add_message(store, a_notice(1), begun, "x.example")
    told = []
    for passed in (LATE_AFTER, LATE_AFTER + timedelta(seconds=1)):
        world.clock.now = begun + passed
        with world.database.transaction(None) as store:
            _beat(store, world.clock.now)
        told.append(get("/readyz").json.get("mail"))  # type: ignore[attr-defined]
    wanted = ["ok", "behind"]
    return [] if told == wanted else [f"of a mail 15 min old and one a second older it says {told}"]


def _beat(store: Store, now: datetime) -> None:
    take_lease(store, "worker", "another", now, now + timedelta(minutes=1))


def run(arena: Arena, size: Size) -> Outcome:
    """The service as it is."""
    return watch(is_alive, arena, STOPS[size])


def with_alive(alive: WorkerAlive | None) -> Run:
    """The control with another sign of life."""
    return lambda arena, size: watch(alive, arena, 1)


def looking_at_no_mail(arena: Arena, size: Size) -> Outcome:
    """The control whose mails are gone before anybody looks."""
    world = make_world(arena.new_database(), arena.folder)
    client = create_app(world.config, world.database, world.signer, world.clock, worker_alive=is_alive).test_client()

    def get(path: str) -> object:
        with world.database.transaction(HOME) as store:
            store.connection.exec_driver_sql("UPDATE message SET state = 'failed'")
        return client.get(path)

    faults = late_mail(get, world)
    world.database.dispose()
    return Outcome(figures={}, failures=tuple(faults))


PROOF = Proof(
    promise="P18",
    says="A scheduler that is dead, and mail that does not go, are noticed: within 3 minutes, and 15.",
    run=run,
    controls={
        "no sign of life is asked for": with_alive(lambda store, now: True),
        "a patience of ten minutes": with_alive(lambda store, now: is_alive(store, now, timedelta(minutes=10))),
        "nobody looks at the mail": looking_at_no_mail,
    },
    least={"stopped": (1, 5)},
)
