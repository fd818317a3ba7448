"""P1: an acknowledged report is never lost and none is doubled, though the server is killed again and again.

Eight clients post reports with keys over sockets to a real gunicorn and repeat each until it is acknowledged. All of
the server's processes are killed with SIGKILL at random moments; beside that one writing transaction in a hundred
kills its worker at a fail point, before its commit (all written, nothing kept) or after it (kept, nobody told). Then
the acknowledgements are held against the database.

Full size: 10,000 posts and 30 kills of the whole group on each database. A power cut is another matter: P2.
The controls answer before they commit, and ignore the key.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from reporting import tables
from reporting.store.verify import verify
from tests.promises.posting import Acknowledged, Posting, posts
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.served import AFTER, BEFORE
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, World

SEED, CLIENTS = 20_260_713, 8
POSTS = {Size.SMOKE: 1_000, Size.FULL: 10_000}
KILLS = {Size.SMOKE: 3, Size.FULL: 30}
FAILS = 0.01
"""The share of writing transactions at which a worker dies."""
PATIENCE = {Size.SMOKE: 400.0, Size.FULL: 3_600.0}
"""Seconds until the clients are told to stop: a guard against a hang, not a figure."""


def post_and_kill(arena: Arena, count: int, kills: int, fails: float, patience: float, spoil: str = "") -> Outcome:
    """Post, kill, post on; then count."""
    systems = max(20, count // 25)
    marks = Path(tempfile.mkdtemp(prefix="marks-", dir=arena.folder)) / "deaths"
    options = ["--dies", str(fails), "--marks", str(marks), *(["--spoil", spoil] if spoil else [])]
    begun = time.monotonic()
    with stocked(arena, systems) as world:
        todo = posts(count, systems, SEED)
        with serving(ServerGroup(world=world, options=options)) as group:
            posting = Posting(port=group.port, key=world.keys["contractor"])
            posting.start(todo, CLIENTS)
            killed = kill_at_random(group, posting, count, kills, begun + patience)
            posting.join(patience - (time.monotonic() - begun))
        took = time.monotonic() - begun
        deaths = Counter(marks.read_text().splitlines()) if marks.exists() else Counter[str]()
        counted, faults = hold_against(world, posting.acknowledged, count)
    return Outcome(
        figures={"posts": count, **counted, "posts a second": round(count / took)},
        windows={
            "whole group killed": killed, BEFORE: deaths[BEFORE], AFTER: deaths[AFTER],
            "replayed answers": sum(ack.replayed for ack in posting.acknowledged),
            "calls made again": sum(ack.tries - 1 for ack in posting.acknowledged),
        },
        failures=(*posting.faults, *faults),
    )  # fmt: skip


def kill_at_random(group: ServerGroup, posting: Posting, count: int, kills: int, end: float) -> int:
    """SIGKILL to the whole group when so many random shares of the work are done, and up again; how often."""
    pick = random.Random(SEED)
    killed = 0
    for share in sorted(pick.uniform(0.02, 0.98) for _ in range(kills)):
        while len(posting.acknowledged) < share * count and not posting.done and time.monotonic() < end:
            time.sleep(0.005)
        if posting.done:
            break
        time.sleep(pick.uniform(0, 0.05))
        group.kill()
        killed += 1
        group.start()
    return killed


def hold_against(world: World, acknowledged: Sequence[Acknowledged], count: int) -> tuple[dict[str, int], list[str]]:
    """The acknowledgements against the database: figures, and what is wrong."""
    event, submission, entry = tables.event, tables.submission, tables.log_entry
    with world.database.reading(HOME) as store:

        def rows(*columns: Any) -> list[Any]:
            return list(store.connection.execute(select(*columns).where(columns[0].table.c.county == HOME)))

        kept = {r.id: r.report_ref for r in rows(event.c.id, event.c.report_ref, event.c.submission) if r.submission}
        leaves = {r.seq: r.leaf.hex() for r in rows(entry.c.seq, entry.c.leaf)}
        submissions = len(rows(submission.c.id))
        whole = verify(store, [world.signer.verifying_key]).ok
    lost = [a.number for a in acknowledged if kept.get(a.report_id) != f"A-{a.number}" or leaves.get(a.seq) != a.leaf]
    tickets = Counter(kept.values())
    doubled = [ticket for ticket, times in tickets.items() if times > 1]
    repeated = [a.number for a in acknowledged if a.outcome != "accepted"]
    wrong = {
        f"{len(lost)} acknowledged reports are lost: {lost[:5]}": not lost,
        f"{len(doubled)} reports are doubled: {doubled[:5]}": not doubled,
        f"{len(repeated)} calls were carried out twice: {repeated[:5]}": not repeated,
        f"{submissions} submissions of {count} posts": submissions == count,
        f"{len(acknowledged)} of {count} acknowledged": len({a.number for a in acknowledged}) == count,
        f"{len(kept)} reports are there": len(kept) == count,
        "the record does not verify": whole,
    }
    figures = {
        "acknowledged": len(acknowledged),
        "lost": len(lost),
        "doubled": len(doubled) + max(0, submissions - count),
    }
    return figures, [fault for fault, right in wrong.items() if not right]


def run(arena: Arena, size: Size) -> Outcome:
    """The promise itself."""
    return post_and_kill(arena, POSTS[size], KILLS[size], FAILS, PATIENCE[size])


def control(spoil: str) -> Run:
    """Few posts to a server as it must not be, which dies often."""
    return lambda arena, size: post_and_kill(arena, 100, 1, 0.1, PATIENCE[Size.SMOKE], spoil)


PROOF = Proof(
    promise="P1",
    says="An acknowledged report is never lost and none is doubled, though the server is killed again and again.",
    run=run,
    in_small=("postgresql",),
    controls={"answers before the commit": control("early"), "ignores Idempotency-Key": control("keyless")},
    least={
        "whole group killed": (3, 30),
        BEFORE: (1, 15),
        AFTER: (2, 45),
        "replayed answers": (2, 50),
    },
)
