"""P8: a full disk is clean. Nothing more is taken, with 507 and a problem that says so; reading goes on; nothing that
was acknowledged is lost; when there is room again all goes on without a restart.

SQLite lies on a disk of 6 MB of its own that is really full, with nobody looking ahead; where no disk may be made, its
pages are limited instead. PostgreSQL, which would stop and stay down when its log cannot grow, lies on a small disk as
well, with the service looking ahead (PUMPER_LEAST_FREE). The control: a service that takes a full disk for a mistake of
its own and, on PostgreSQL, looks at nothing.
"""

from __future__ import annotations

import http.client
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.promises.arenas import postgres_arena
from tests.promises.posting import Post, Posting, posts
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.proofs.p01 import hold_against
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, World
from tests.services.availability import ServiceUnavailable
from tests.services.databases import DatabaseUrls, migrated_postgres, migrated_sqlite
from tests.services.disks import small_disk
from tests.services.postgres import _start_first_that_works, _stop

SEED, CLIENTS, SYSTEMS = 20_260_708, 4, 10
POSTS = {Size.SMOKE: 100, Size.FULL: 1_000}
TIMES = {Size.SMOKE: 1, Size.FULL: 5}
"""How often the disk is full and has room again."""
SQLITE_DISK, POSTGRES_DISK = 6_000_000, 190_000_000
LEAST_FREE = 40_000_000
REFUSED, FULL_WITHIN, PATIENCE = 20, 60.0, 120.0


@dataclass(frozen=True, kw_only=True)
class Disk:
    """Where the database lies: fill it until `left` bytes are free, make room again; what it is made of."""

    arena: Arena
    fill: Callable[[], None]
    free: Callable[[], None]
    settings: dict[str, str]
    made_of: str
    options: tuple[str, ...] = ()


@contextmanager
def disk_of(arena: Arena, *, ahead: bool) -> Iterator[Disk]:
    """A small disk with a database on it."""
    if arena.kind == "sqlite":
        with _sqlite_disk(arena, Path(tempfile.mkdtemp(prefix="p08-", dir=arena.folder))) as disk:
            yield disk
        return
    with ExitStack() as stack:
        # Not below the arena's folder, which the server's own user may not enter.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pumper-p08-")))
        folder.chmod(0o755)
        place = stack.enter_context(small_disk(folder, POSTGRES_DISK))
        process, server = _start_first_that_works(place, {"max_wal_size": "32MB", "min_wal_size": "32MB"})
        stack.callback(_stop, process)
        mine = stack.enter_context(postgres_arena(server, migrated_postgres(server), arena.folder))
        least = LEAST_FREE if ahead else 0
        ballast = place / "ballast"
        yield Disk(
            arena=mine,
            # A hundred kilobytes more than what is looked for: as few reports.
            fill=lambda: put(ballast, place, (least or 0) + 100_000),
            free=lambda: ballast.unlink(missing_ok=True),
            settings={"PUMPER_DATABASE_FOLDER": str(place), "PUMPER_LEAST_FREE": str(least)},
            made_of="a disk of its own",
        )


@contextmanager
def _sqlite_disk(arena: Arena, folder: Path) -> Iterator[Disk]:
    settings = {"PUMPER_LEAST_FREE": "0"}
    with ExitStack() as stack:
        try:
            place = stack.enter_context(small_disk(folder, SQLITE_DISK))
        except ServiceUnavailable:
            pages = folder / "pages"
            yield Disk(
                arena=arena, fill=lambda: put_limit(pages), free=lambda: pages.unlink(missing_ok=True),
                settings=settings, made_of="a limit on its pages", options=("--pages", str(pages)),
            )  # fmt: skip
            return
        template = migrated_sqlite(arena.folder / tempfile.mkdtemp(dir=arena.folder))

        def new_database() -> DatabaseUrls:
            url = f"sqlite:///{shutil.copyfile(template, place / 'pumper.db')}"
            return DatabaseUrls(kind="sqlite", app_url=url, owner_url=url)

        ballast = place / "ballast"
        yield Disk(
            arena=replace(arena, new_database=new_database), fill=lambda: put(ballast, place, 200_000),
            free=lambda: ballast.unlink(missing_ok=True), settings=settings, made_of="a disk of its own",
        )  # fmt: skip


def put(ballast: Path, place: Path, left: int) -> None:
    """Fill a disk until so many bytes are free."""
    size = max(0, shutil.disk_usage(place).free - left)
    with ballast.open("wb") as file:
        for _ in range(size // 65_536):
            file.write(bytes(65_536))
        file.write(bytes(size % 65_536))


def put_limit(pages: Path) -> None:
    """Let the database grow by so many pages more."""
    pages.write_text("20", encoding="utf-8")


def run_with(spoil: str = "", *, ahead: bool = True) -> Run:
    """The proof with a server that is broken in one way, or that does not look ahead."""

    def run(arena: Arena, size: Size) -> Outcome:
        times, each = TIMES[size], POSTS[size]
        begun = time.monotonic()
        with disk_of(arena, ahead=ahead) as disk, stocked(disk.arena, SYSTEMS) as world:
            options = [*disk.options, *(["--spoil", spoil] if spoil else [])]
            group = ServerGroup(world=world, options=options, settings=disk.settings)
            todo = posts(times * each, SYSTEMS, SEED)
            faults: list[str] = []
            with serving(group):
                posting = Posting(port=group.port, key=world.keys["contractor"])
                for turn in range(times):
                    faults += fill_and_free(disk, group, world, posting, todo[turn * each : (turn + 1) * each])
                    if faults:
                        break
            counted, wrong = ({}, []) if faults else hold_against(world, posting.acknowledged, len(todo))
        said = posting.said
        # Where its pages are limited, asking for their number may meet a writer.
        expected = ("201", "507", "503") if disk.options else ("201", "507")
        odd = {what: n for what, n in said.items() if what not in expected}
        return Outcome(
            figures={
                **counted, "the database lies on": disk.made_of, "answered 507": said["507"],
                "seconds": round(time.monotonic() - begun),
            },
            windows={"times full": times, "answered 507": said["507"]},
            failures=(*posting.faults, *faults, *wrong, *([f"answered otherwise: {odd}"] if odd else [])),
        )  # fmt: skip

    return run


def fill_and_free(disk: Disk, group: ServerGroup, world: World, posting: Posting, todo: list[Post]) -> list[str]:
    """Post until the disk is full, look how that is told, make room and let the clients end; what was wrong."""
    faults = []
    before = posting.said["507"]
    disk.fill()
    posting.stop.clear()
    posting.start(todo, CLIENTS)
    end = time.monotonic() + FULL_WITHIN
    while posting.said["507"] - before < REFUSED and not posting.done and time.monotonic() < end:
        time.sleep(0.01)
    if posting.said["507"] - before < REFUSED:
        faults.append(f"the disk was full and was not told: {dict(posting.said)}")
    else:
        faults += what_is_told(group, world)
    disk.free()
    begun = time.monotonic()
    posting.join(PATIENCE if not faults else 15)
    if not faults and time.monotonic() - begun > PATIENCE - 1:
        faults.append("it did not go on when there was room again")
    return faults


def what_is_told(group: ServerGroup, world: World) -> list[str]:
    """What is wrong with the answers while the disk is full."""
    faults = []
    connection = http.client.HTTPConnection("127.0.0.1", group.port, timeout=20)
    headers = {"Authorization": f"Bearer {world.keys['contractor']}"}
    for path in (f"/v1/{HOME}/systems", "/healthz", f"/v1/{HOME}/checkpoint"):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            faults.append(f"GET {path} was answered with {answer.status}")
    [post] = posts(1, SYSTEMS, SEED + 1)
    more = {**headers, "Content-Type": "application/json", "Idempotency-Key": post.key}
    connection.request("POST", f"/v1/{HOME}/reports", post.body, more)
    answer = connection.getresponse()
    said = json.loads(answer.read())
    told = (answer.status, answer.headers.get("Content-Type"), said.get("type"))
    if told != (507, "application/problem+json", "urn:pumper:problem:storage-full"):
        faults.append(f"a report was answered with {told}")
    connection.close()
    return faults


PROOF = Proof(
    promise="P8",
    says="A full disk is told with 507, reading goes on, nothing is lost, and it goes on by itself when there is room.",
    run=run_with(),
    controls={"a full disk is taken for a mistake": run_with("blunt", ahead=False)},
    least={"times full": (1, 5), "answered 507": (5, 100)},
    in_small=(),
)
