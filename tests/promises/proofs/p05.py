"""P5: every notice is delivered, an extra copy only where SMTP itself is ambiguous (the end of DATA, RFC 1047), and
then with the same Message-ID; what is refused for good has failed and is shown at once.

A relay on loopback breaks 30 % of its sessions: at connecting, EHLO, MAIL, RCPT, DATA, amid the text, before and after
taking the message over; or answers 421, 450, 451; to some recipients always 550, to some always 450. The worker is a
process that is killed with SIGKILL in the middle of a dialogue, wherever it stands. The clock is moved by hand from one
due moment to the next. Full size: 5,000 notices, 20 deaths.
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from notifications import outbox
from notifications.delivery import BACKOFF
from notifications.outbox import MessageState, list_messages
from reporting import tables
from reporting.store.counties import save_counties
from reporting.store.engine import Database
from tests.notifications.breaking_sink import Break, BreakingSink, running_breaking_sink
from tests.notifications.builders import NOON, a_notice
from tests.promises.mailing import COUNTY, Worker, a_worker
from tests.promises.proof import Arena, Outcome, Proof, Run, Size

SEED = 383
NOTICES = {Size.SMOKE: 100, Size.FULL: 5_000}
KILLS = {Size.SMOKE: 3, Size.FULL: 20}
BUSY = 2
"""Recipients who are always answered 450."""
END_BY = timedelta(hours=9)
"""Longer than the waits after refusals and deaths come to."""
WORDS = ("EHLO", "MAIL", "RCPT", "DATA", "END", "KEPT")


@dataclass(kw_only=True)
class Fate:
    """Where the worker dies: at which words of the dialogue, counted from the beginning of the run."""

    dice: random.Random
    left: int
    apart: int
    worker: Worker | None = None
    heard: int = 0
    next_at: int = 0
    wanted: str = ""
    deaths: Counter[str] = field(default_factory=Counter)

    def hear(self, word: str) -> None:
        """Kill the worker when its hour has come."""
        self.heard += 1
        if self.worker is None or not self.left or self.heard < self.next_at or word != self.wanted:
            return
        os.kill(self.worker.process.pid, signal.SIGKILL)
        self.worker.process.wait()
        self.deaths[word] += 1
        self.left -= 1
        self.plan()

    def plan(self) -> None:
        """Choose the next death: later on, at another word."""
        self.next_at = self.heard + self.dice.randrange(self.apart // 2, self.apart)
        self.wanted = WORDS[sum(self.deaths.values()) % len(WORDS)] if self.left > 1 else "KEPT"
        self.worker = None


def queue(database: Database, count: int) -> tuple[frozenset[str], frozenset[str]]:
    """Notices, each to somebody of its own; who is always answered 550, and who always 450."""
    refused = frozenset(f"r{number}@example.org" for number in range(0, count, 25))
    busy = frozenset(f"busy{number}@example.org" for number in range(BUSY))
    people = [*(f"r{number}@example.org" for number in range(count)), *sorted(busy)]
    with database.transaction(None) as store:
        save_counties(store, {COUNTY: "Ozaukee County"})
    with database.transaction(COUNTY) as store:
        for number, who in enumerate(people):
            outbox.add_message(store, a_notice(number, who), NOON, "reports.example.org")
    return refused, busy


def next_moment(database: Database, now: datetime) -> datetime | None:
    """When something is to be done next: a message is due or a dead sender's lease runs out; `None`: all is done."""
    table = tables.message
    with database.reading(COUNTY) as store:
        mine = table.c.county == COUNTY
        due = select(func.min(table.c.not_before)).where(mine, table.c.state.in_(("queued", "uncertain")))
        lease = select(func.min(table.c.lease_until)).where(mine, table.c.state == "sending")
        found = [store.connection.execute(query).scalar() for query in (due, lease)]
    moments = [at for at in found if at is not None]
    return max(now, min(moments)) if moments else None


def work(
    database: Database, url: str, sink: BreakingSink, fate: Fate, sabotage: str
) -> tuple[list[str], int, datetime]:
    """Let workers deliver, one after the other, until nothing waits; refusals not shown, the rounds, the end."""
    unshown: list[str] = []
    now, rounds = NOON, 0
    while True:
        with a_worker(url, sink.url, sabotage) as worker:
            while True:
                at = next_moment(database, now)
                if at is None or now > NOON + END_BY:
                    return unshown, rounds, now
                # A relay out of reach leaves a message due: let a minute pass.
                now, rounds = (at if at > now else now + timedelta(minutes=1)), rounds + 1
                fate.worker = worker
                worker.begin("deliver", now)
                if worker.answer() is None:
                    break
                unshown += not_shown(database, sink)


def not_shown(database: Database, sink: BreakingSink) -> list[str]:
    """Who has been answered 550 and is not among the county's failed mails, with that answer."""
    with database.reading(COUNTY) as store:
        failed = {row["recipient"] for row in list_messages(store, ["failed"], 100_000) if "550" in row["last_error"]}
    return sorted(sink.refused & set(sink.asked) - failed)


def faults_of(ended: list[dict[str, Any]], sink: BreakingSink, fate: Fate, unshown: list[str]) -> list[str]:
    """What is wrong with how it ended."""
    refused, busy = sink.refused, sink.busy
    state = {row["recipient"]: row for row in ended}
    arrived = Counter(sink.kept)
    names: dict[str, set[str]] = {}
    for who, message_id in arrived:
        names.setdefault(who, set()).add(message_id)
    extras = sum(arrived.values()) - len(names)
    ambiguous = ambiguous_ends(sink, fate)
    asked = Counter(sink.asked)
    waits = sum(BACKOFF, timedelta())
    failed = {who for who, row in state.items() if row["state"] == MessageState.FAILED}
    missing = state.keys() - refused - busy - names.keys()
    wrong = {
        f"{len(missing)} notices were not delivered": not missing,
        f"{len(failed - refused - busy)} failed that were not refused for good": not failed - refused - busy,
        "a notice that was refused for good has not failed": refused <= failed,
        "a notice that was refused for now for four hours has not failed": busy <= failed,
        "a notice is not noted as sent": all(row["state"] in ("sent", "failed") for row in ended),
        "one notice came under several names": all(len(ids) == 1 for ids in names.values()),
        f"{extras} extra copies and {ambiguous} ambiguous ends": extras <= ambiguous,
        "a refusal for good was tried again": sum(asked[who] - 1 for who in refused) <= fate.deaths["RCPT"],
        f"{len(unshown)} refusals were not shown as failed at once": not unshown,
        "somebody who is busy was not tried over four hours": all(
            state[who]["attempts"] > len(BACKOFF) for who in busy
        ),
        f"the waits come to {waits}": waits == timedelta(hours=4),
    }  # fmt: skip
    return [fault for fault, right in wrong.items() if not right]


def ambiguous_ends(sink: BreakingSink, fate: Fate) -> int:
    """How often nobody could know whether the message had been taken over."""
    return sink.broken.count(Break.AFTER) + fate.deaths["KEPT"] + fate.deaths["END"]


def deliver_all(arena: Arena, size: Size, sabotage: str = "") -> Outcome:
    """The whole run."""
    urls, count = arena.new_database(), NOTICES[size]
    dice = random.Random(SEED)
    database = Database.connect(urls.app_url)
    fate = Fate(dice=random.Random(SEED + 1), left=KILLS[size], apart=count * 3 // KILLS[size])
    fate.plan()
    with ExitStack() as stack:
        stack.callback(database.dispose)
        sink = stack.enter_context(running_breaking_sink())
        sink.plan = lambda: dice.choice(list(Break)) if dice.random() < 0.3 else None
        sink.heard = fate.hear
        sink.refused, sink.busy = queue(database, count)
        unshown, rounds, end = work(database, urls.app_url, sink, fate, sabotage)
        with database.reading(COUNTY) as store:
            ended = list_messages(store, list(MessageState), 100_000)
    faults = faults_of(ended, sink, fate, unshown)
    delivered = len({who for who, _ in sink.kept})
    copies = len(sink.kept) - delivered
    return Outcome(
        figures={
            "notices": count, "delivered": delivered, "refused for good and shown": len(sink.refused),
            "refused for now until they failed": len(sink.busy), "extra copies": copies,
            "ambiguous ends": ambiguous_ends(sink, fate), "sessions": sink.sessions,
            "sessions broken": len(sink.broken), "rounds": rounds,
            "hours by the clock": round((end - NOON).total_seconds() / 3600, 1),
        },
        windows={"workers killed": sum(fate.deaths.values()), "points of breaking": len(set(sink.broken))},
        failures=tuple(faults),
    )  # fmt: skip


def run(arena: Arena, size: Size) -> Outcome:
    """The service as it is."""
    return deliver_all(arena, size)


def broken(sabotage: str) -> Run:
    """The control, at small size."""
    return lambda arena, size: deliver_all(arena, Size.SMOKE, sabotage)


SABOTAGES = ("unknown is delivered", "550 is tried again", "a new name each time", "the dead are forgotten")
PROOF = Proof(
    promise="P5",
    says="Every notice is delivered; an extra copy only where SMTP itself is ambiguous, under the same Message-ID.",
    run=run,
    in_small=(),
    controls={sabotage: broken(sabotage) for sabotage in SABOTAGES},
    least={"workers killed": (3, 20), "points of breaking": (5, 10)},
)
