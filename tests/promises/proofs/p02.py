"""P2: an acknowledged report survives a power cut. (SIGKILL proves nothing here: the page cache survives it.)

Every 201 is watched with strace. On SQLite the thread that answers has written to the database's files; whatever it
wrote must have been synced, file by file, before the first byte of its answer left. On PostgreSQL the thread has sent
its COMMIT; between that and its answer the server's own processes must have synced the write-ahead log, and the
settings that could undo it are asserted. One client there, so that no other's sync is taken for ours.

Full size: 200 of 200 answers on each database. The controls: synchronous=NORMAL, and synchronous_commit=off.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from reporting.store.engine import check_durability
from tests.promises.arenas import postgres_arena
from tests.promises.posting import Posting, posts
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.promises.watching import SYNCS, WRITES, Call, answers, attached, check_allowed, command, threads
from tests.reporting.api.world import World
from tests.services.databases import migrated_postgres
from tests.services.postgres import running_postgres

SEED, SYSTEMS = 20_260_713, 40
POSTS = {Size.SMOKE: 50, Size.FULL: 200}


def post_watched(world: World, count: int, clients: int, prefix: Path, spoil: str = "") -> list[str]:
    """Post reports to a server under strace; what went wrong."""
    options = ["--spoil", spoil] if spoil else []
    with serving(ServerGroup(world=world, options=options, workers=1, before=command(prefix))) as group:
        posting = Posting(port=group.port, key=world.keys["contractor"])
        posting.start(posts(count, SYSTEMS, SEED), clients)
        posting.join(300)
    return posting.faults


def unsynced(calls: list[Call], database: str) -> Iterator[list[str]]:
    """For each 201 of a thread: the database's files that it had written and not synced; `[""]`: nothing was synced."""
    pending: set[str] = set()
    synced = False
    leaving = set(answers(calls))
    for number, call in enumerate(calls):
        if number in leaving:
            yield sorted(pending) if pending or synced else [""]
            synced = False
        elif not call.path.startswith(database) or not call.ok:
            continue
        elif call.name in WRITES:
            pending.add(call.path)
        elif call.name in SYNCS:
            pending.discard(call.path)
            synced = True


def on_sqlite(arena: Arena, count: int, spoil: str = "") -> Outcome:
    """Answers over SQLite, four clients at once."""
    prefix = _folder(arena) / "web"
    with stocked(arena, SYSTEMS) as world:
        faults = post_watched(world, count, 4, prefix, spoil)
        file = str(world.database.engine.url.database)
        weak = check_durability(world.database)
    told = [left for calls in threads(prefix) for left in unsynced(calls, file)]
    late = [left for left in told if left]
    if late:
        names = sorted({Path(name).name or "nothing synced at all" for left in late for name in left})
        faults.append(f"{len(late)} answers of {len(told)} before a sync of what was written: {', '.join(names)}")
    return _told(count, len(told), len(late), [*faults, *weak])


def on_postgresql(arena: Arena, count: int, settings: Mapping[str, str]) -> Outcome:
    """Answers over a PostgreSQL of this proof's own, whose processes are watched too, one client."""
    folder = _folder(arena)
    with own_postgres(arena, settings) as (mine, pid), stocked(mine, SYSTEMS) as world:
        weak = check_durability(world.database)
        world.database.dispose()
        with attached(pid, folder / "pg"):
            faults = post_watched(world, count, 1, folder / "web")
    syncs = sorted(
        (call.began, call.ended)
        for calls in threads(folder / "pg")
        for call in calls
        if call.name in SYNCS and call.ok and "/pg_wal/" in call.path
    )
    spans = [span for calls in threads(folder / "web") for span in commit_to_answer(calls)]
    late = [span for span in spans if not any(span[0] <= began and ended <= span[1] for began, ended in syncs)]
    if late:
        faults.append(f"{len(late)} answers of {len(spans)} left before the log of their COMMIT was synced")
    return _told(count, len(spans), len(late), [*faults, *weak])


def commit_to_answer(calls: list[Call]) -> Iterator[tuple[float, float]]:
    """For each 201 of a thread: from when its last COMMIT was sent until the answer began to leave."""
    leaving = set(answers(calls))
    committed = float("inf")  # without a COMMIT no sync will do
    for number, call in enumerate(calls):
        if number in leaving:
            yield committed, call.began
            committed = float("inf")
        elif call.name in ("sendto", "sendmsg") and "COMMIT" in call.text:
            committed = call.began


@contextmanager
def own_postgres(arena: Arena, settings: Mapping[str, str]) -> Iterator[tuple[Arena, int]]:
    """An arena on a server started here, and the server's process."""
    with running_postgres(settings, may_be_lent=False) as server:
        assert server.pid is not None
        with postgres_arena(server, migrated_postgres(server), arena.folder) as mine:
            yield mine, server.pid


def _folder(arena: Arena) -> Path:
    return Path(tempfile.mkdtemp(prefix="strace-", dir=arena.folder))


def _told(count: int, seen: int, late: int, faults: list[str]) -> Outcome:
    if seen != count:
        faults = [*faults, f"{seen} answers watched of {count} posts"]
    return Outcome(
        figures={"answers 201": count, "after the sync": seen - late},
        windows={"answers watched": seen},
        failures=tuple(faults),
    )


def run(arena: Arena, size: Size) -> Outcome:
    """The promise, with the database as it is in service."""
    check_allowed()
    if arena.kind == "sqlite":
        return on_sqlite(arena, POSTS[size])
    return on_postgresql(arena, POSTS[size], {})


def lazy(arena: Arena, size: Size) -> Outcome:
    """The control: a database that acknowledges first and syncs later."""
    count = POSTS[Size.SMOKE]
    if arena.kind == "sqlite":
        return on_sqlite(arena, count, "normal")
    told = on_postgresql(arena, count, {"synchronous_commit": "off"})
    # What the settings' check says is taken away: strace alone must find it.
    return Outcome(figures=told.figures, failures=tuple(f for f in told.failures if "synchronous_commit" not in f))


PROOF = Proof(
    promise="P2",
    says="An acknowledged report survives a power cut: every 201 leaves after the sync of what it acknowledges.",
    run=run,
    controls={"synchronous=NORMAL, synchronous_commit=off": lazy},
    least={"answers watched": (POSTS[Size.SMOKE], POSTS[Size.FULL])},
    needs=("strace",),
)
