"""P6: two schedulers, one notice. Three worker processes make and send the notices of late systems at three stages,
all at once; in each stage the first one is stopped (SIGSTOP) amid a dialogue with the relay, sleeps past its lease
while the others take its message over, and is let go on. Rows must be as many as distinct keys, each sent; what the
sleeper then notes must touch no row.

Full size: 500 systems at 3 stages. The controls: a queue without its key, a claim without its fence.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from notifications.delivery import LEASE
from notifications.outbox import MessageState, list_messages
from reporting.store.engine import Database
from tests.notifications.breaking_sink import BreakingSink, running_breaking_sink
from tests.notifications.builders import NOON, add_people, missing_event, record
from tests.promises.mailing import COUNTY, Worker, a_worker
from tests.promises.proof import Arena, Outcome, Proof, Run, Size

SYSTEMS = {Size.SMOKE: 12, Size.FULL: 500}
STAGES = 3
WORKERS = 3
ROLES = ("missing_report", "missing_report_copy")


@dataclass(kw_only=True)
class Sleeper:
    """Stops a worker when it asks the relay to take a text: it holds a claim then."""

    worker: Worker | None = None
    stopped: threading.Event = field(default_factory=threading.Event)

    def hear(self, word: str) -> None:
        """Stop it, once."""
        if word == "DATA" and self.worker is not None and not self.stopped.is_set():
            os.kill(self.worker.process.pid, signal.SIGSTOP)
            self.stopped.set()


def rows(database: Database) -> dict[str, dict[str, Any]]:
    with database.reading(COUNTY) as store:
        return {row["dedupe_key"]: row for row in list_messages(store, list(MessageState), 100_000)}


@dataclass(kw_only=True)
class Tally:
    """What all stages came to."""

    stops: int = 0
    lost: int = 0
    touched: int = 0
    made: int = 0


def one_stage(
    database: Database, workers: list[Worker], sleeper: Sleeper, stage: int, systems: int, tally: Tally
) -> None:
    """All workers make the notices of a stage at once; the first sends alone and is stopped, then the others send."""
    now = NOON + timedelta(days=stage)
    with database.transaction(COUNTY) as store:
        record(store, *(missing_event(number, stage=stage) for number in range(systems)), at=now)
    for verb in ("scan", "scan"):
        for worker in workers:
            worker.begin(verb, now)
        tally.made += sum(_told(worker)["messages"] for worker in workers)
    sleeper.worker, first = workers[0], workers[0]
    sleeper.stopped.clear()
    first.begin("deliver", now)
    assert sleeper.stopped.wait(60), "the first worker sent nothing"
    tally.stops += 1
    later = now + LEASE + timedelta(seconds=1)
    for worker in workers[1:]:
        worker.begin("deliver", later)
    for worker in workers[1:]:
        _told(worker)
    before = rows(database)
    os.kill(first.process.pid, signal.SIGCONT)
    tally.lost += _told(first)["lost"]
    after = rows(database)
    tally.touched += sum(before.get(key) != row for key, row in after.items())


def _told(worker: Worker) -> dict[str, Any]:
    answer = worker.answer()
    assert answer is not None, "a worker died"
    return answer


def work(arena: Arena, size: Size, sabotage: str = "") -> Outcome:
    """All stages, and what is wrong afterwards."""
    urls, systems, tally, sleeper = arena.new_database(), SYSTEMS[size], Tally(), Sleeper()
    database = Database.connect(urls.app_url)
    with ExitStack() as stack:
        stack.callback(database.dispose)
        sink = stack.enter_context(running_breaking_sink())
        add_people(database)
        workers = [stack.enter_context(a_worker(urls.app_url, sink.url, sabotage)) for _ in range(WORKERS)]
        sink.heard = sleeper.hear
        for stage in range(1, STAGES + 1):
            one_stage(database, workers, sleeper, stage, systems, tally)
        there = rows(database)
    return told(there, sink, systems, tally)


def told(there: dict[str, dict[str, Any]], sink: BreakingSink, systems: int, tally: Tally) -> Outcome:
    """The figures, and every fault."""
    keys = systems * STAGES * len(ROLES)
    distinct = len({message_id for _, message_id in sink.kept})
    copies = len(sink.kept) - distinct
    wrong = {
        f"{len(there)} rows of {keys} distinct keys": len(there) == keys,
        f"{tally.made} made by all workers together": tally.made == keys,
        "a message has not been sent": {row["state"] for row in there.values()} == {"sent"},
        f"{distinct} messages arrived": distinct == keys,
        f"{copies} extra copies of {tally.stops} stopped dialogues": copies <= tally.stops,
        f"the sleeper's notes touched {tally.touched} rows": tally.touched == 0,
        f"{tally.lost} of {tally.stops} sleepers found that their claim was lost": tally.lost == tally.stops,
    }
    return Outcome(
        figures={
            "distinct keys": keys, "rows": len(there), "messages arrived": distinct,
            "rows that the sleeper touched": tally.touched, "copies of stopped dialogues": copies,
        },
        windows={"leaders stopped past their lease": tally.stops},
        failures=tuple(fault for fault, right in wrong.items() if not right),
    )  # fmt: skip


def run(arena: Arena, size: Size) -> Outcome:
    """The service as it is."""
    return work(arena, size)


def broken(sabotage: str) -> Run:
    """The control, at small size."""
    return lambda arena, size: work(arena, Size.SMOKE, sabotage)


PROOF = Proof(
    promise="P6",
    says="However many schedulers run, a notice is made once; one that slept past its lease changes nothing.",
    run=run,
    in_small=(),
    controls={"no key": broken("no key"), "no fence": broken("no fence")},
    least={"leaders stopped past their lease": (3, 3)},
)
