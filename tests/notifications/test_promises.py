"""Small versions of P5 (every notice is delivered) and P6 (several schedulers, one notice).

On PostgreSQL, where workers really are side by side; `make prove` has both databases.
"""

import random
import threading
from collections import Counter
from datetime import timedelta

import pytest

from notifications import outbox
from notifications.compose import Mail
from notifications.delivery import LEASE, deliver
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outbox import MessageState, claim_next, complete, count_messages, list_messages
from notifications.outcomes import Outcome
from notifications.queueing import QueueCounts, queue_notices
from reporting.store.engine import Database
from tests.notifications.breaking_sink import Break, BreakingSink
from tests.notifications.builders import (
    BASE_URL,
    MAIL_FROM,
    NOON,
    TODAY,
    Clock,
    a_notice,
    a_program,
    late_event,
    missing_event,
    record,
)
from tests.notifications.sending import Killed

ON_POSTGRESQL = pytest.mark.parametrize(
    "database", [pytest.param("postgresql", marks=pytest.mark.needs_postgres)], indirect=True
)
COUNTY = "ozaukee"
NOTICES = 500
KILLS = 20


class DyingSender(SmtpSender):
    """A sender whose process is killed now and then, before or after the relay took the message over."""

    def __init__(self, sink: BreakingSink, dice: random.Random, killed: list[str]) -> None:
        super().__init__(read_smtp_url(sink.url), MAIL_FROM, messages_per_connection=2)
        self._dice = dice
        self._killed = killed

    def send(self, mail: Mail) -> Outcome:
        dies = len(self._killed) < KILLS and self._dice.random() < 0.05
        if dies and self._dice.random() < 0.5:
            self._killed.append("before")
            raise Killed
        outcome = super().send(mail)
        if dies:
            self._killed.append("after")
            raise Killed
        return outcome


@ON_POSTGRESQL
def test_every_notice_arrives_though_the_relay_breaks_and_workers_die(opened: Database, sink: BreakingSink) -> None:
    dice = random.Random(383)
    sink.plan = lambda: dice.choice(list(Break)) if dice.random() < 0.3 else None
    sink.refused = frozenset(f"r{number}@example.org" for number in range(0, NOTICES, 50))
    with opened.transaction(COUNTY) as store:
        for number in range(NOTICES):
            outbox.add_message(store, a_notice(number, f"r{number}@example.org"), NOON, "reports.example.org")
    clock, killed = Clock(), []
    for _ in range(400):
        try:
            left = deliver(opened, [COUNTY], DyingSender(sink, dice, killed), clock).still_queued
        except Killed:
            left = 1
        clock.move(minutes=1)
        with opened.reading(COUNTY) as store:
            if not left and not count_messages(store)["sending"]:
                break
    with opened.reading(COUNTY) as store:
        ended = {row["recipient"]: row["state"] for row in list_messages(store, list(MessageState), 10_000)}
    arrived = Counter(sink.kept)
    extras = sum(arrived.values()) - len(arrived)
    assert {recipient for recipient, state in ended.items() if state == "failed"} == sink.refused
    assert {recipient for recipient, state in ended.items() if state == "sent"} == {who for who, _ in arrived}
    assert len(ended) == NOTICES
    # One Message-ID for each recipient, however often it went.
    assert len({who for who, _ in arrived}) == len(arrived)
    assert 0 < extras <= sink.broken.count(Break.AFTER) + killed.count("after")
    # The control: the relay really broke at every point, and workers really died.
    assert set(sink.broken) | {Break.BUSY} == set(Break)
    assert len(killed) == KILLS


@ON_POSTGRESQL
def test_three_workers_make_and_send_each_notice_once(opened: Database, sink: BreakingSink) -> None:
    stages, systems = 3, 60
    events = [
        event
        for number in range(systems)
        for event in (late_event(number), missing_event(number, stage=1), missing_event(1000 + number, stage=2))
    ]
    with opened.transaction(COUNTY) as store:
        record(store, *events)
    start = threading.Barrier(3)
    made: list[QueueCounts] = []

    def work() -> None:
        start.wait()
        for _ in range(2):
            with opened.transaction(COUNTY) as store:
                made.append(queue_notices(store, a_program(), TODAY, NOON, BASE_URL))
            deliver(opened, [COUNTY], SmtpSender(read_smtp_url(sink.url), MAIL_FROM), Clock())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys = {f"{event.cause_key} to {role}" for event in events for role in ("contractor", "county")}
    assert sum(sum(counts.messages.values()) for counts in made) == len(keys) == systems * stages * 2
    assert sum(counts.events for counts in made) == len(events)
    with opened.reading(COUNTY) as store:
        assert count_messages(store)["sent"] == len(keys)
    assert len(sink.kept) == len(set(sink.kept)) == len(keys)


def test_a_worker_stopped_past_its_lease_touches_no_row(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        for number in range(50):
            outbox.add_message(store, a_notice(number), NOON, "reports.example.org")
        stale = [claim_next(store, NOON, LEASE) for _ in range(50)]
    later = NOON + LEASE + timedelta(seconds=1)
    with opened.transaction(COUNTY) as store:
        outbox.reap(store, later)
        for _ in range(50):
            claim = claim_next(store, later, LEASE)
            assert claim is not None
            assert complete(store, claim, MessageState.SENT, sent_at=later)
    with opened.transaction(COUNTY) as store:
        touched = [complete(store, claim, MessageState.FAILED) for claim in stale if claim is not None]
        assert count_messages(store)["sent"] == 50
    assert touched == [False] * 50
