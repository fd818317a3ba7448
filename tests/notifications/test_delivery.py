"""Sending: each once however many send, and a known end for every message."""

import itertools
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from notifications import delivery
from notifications.compose import Mail
from notifications.delivery import BACKOFF, LEASE, DeliveryCounts, deliver, next_wait
from notifications.folder import FolderSender
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outcomes import Outcome, Sent, Uncertain
from notifications.queueing import queue_notices
from notifications.records import Notice
from reporting.store.engine import Database
from reporting.store.facts import end_versions, insert_system_versions
from reporting.tables import system_version
from tests.notifications.builders import (
    BASE_URL,
    KETTLE_MAIL,
    MAIL_FROM,
    NOON,
    TODAY,
    Clock,
    a_notice,
    a_program,
    add_tanks,
    due_event,
    late_event,
    receipt_event,
    record,
)
from tests.notifications.sending import COUNTY, Killed, Postman, queue, rows
from tests.services.smtp import SmtpServer


def states(database: Database) -> dict[str, str]:
    return {row["recipient"]: row["state"] for row in rows(database)}


def smtp(server: SmtpServer) -> SmtpSender:
    return SmtpSender(read_smtp_url(server.url), MAIL_FROM)


def test_what_is_queued_arrives_once(opened: Database, smtp_server: SmtpServer) -> None:
    clock = Clock()
    with opened.transaction(COUNTY) as store:
        add_tanks(store, [1, 2])
        record(store, due_event(1), late_event(2), receipt_event())
        queue_notices(store, a_program(), TODAY, NOON, BASE_URL)
    assert deliver(opened, [COUNTY], smtp(smtp_server), clock) == DeliveryCounts(sent=4)
    assert deliver(opened, [COUNTY], smtp(smtp_server), clock) == DeliveryCounts()
    assert sorted((mail.recipients[0], mail.message["Subject"]) for mail in smtp_server.received) == [
        ("office@kettle-septic.example", "Ozaukee County: 1 tank due for service"),
        ("office@kettle-septic.example", "Ozaukee County: receipt for july-route.csv, 4 rows"),
        (
            "office@kettle-septic.example",
            "Ozaukee County: report received late, permit SP-1988, N5552 County Road K",
        ),
        ("office@ozaukee.example", "Ozaukee County: report received late, permit SP-1988, N5552 County Road K"),
    ]
    for row in rows(opened):
        assert (row["state"], row["sent_at"], row["attempts"], row["last_error"]) == ("sent", NOON, 1, None)
        assert row["content"]["proof"]["answer"].startswith("250 ")
        assert len(row["content"]["proof"]["text_sha256"]) == 64


def test_two_senders_at_once_send_each_once(opened: Database, smtp_server: SmtpServer) -> None:
    queue(opened, *[a_notice(number) for number in range(60)])
    start = threading.Barrier(2)
    found: list[DeliveryCounts] = []

    def run() -> None:
        start.wait()
        found.append(deliver(opened, [COUNTY], smtp(smtp_server), Clock()))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts.sent for counts in found) == 60
    assert min(counts.sent for counts in found) > 0
    assert len({mail.message["Message-ID"] for mail in smtp_server.received}) == len(smtp_server.received) == 60


def test_killed_between_sending_and_noting_it_goes_again_under_the_same_message_id(
    opened: Database, smtp_server: SmtpServer
) -> None:
    queue(opened, a_notice())
    clock = Clock()
    sender = smtp(smtp_server)

    class KilledAfterwards(Postman):
        def send(self, mail: Mail) -> Outcome:
            assert isinstance(sender.send(mail), Sent)
            raise Killed

    with sender, pytest.raises(Killed):
        deliver(opened, [COUNTY], KilledAfterwards(), clock)
    assert deliver(opened, [COUNTY], smtp(smtp_server), clock).sent == 0  # the lease still runs
    clock.move(seconds=LEASE.total_seconds() - 1)
    assert deliver(opened, [COUNTY], smtp(smtp_server), clock).sent == 0
    clock.move(seconds=1)
    assert deliver(opened, [COUNTY], smtp(smtp_server), clock) == DeliveryCounts(sent=1)
    first, second = smtp_server.received
    assert first.message["Message-ID"] == second.message["Message-ID"] == rows(opened)[0]["message_id"]
    assert rows(opened)[0]["attempts"] == 2


def test_a_refusal_for_good_fails_at_once_and_stops_nobody(opened: Database, smtp_server: SmtpServer) -> None:
    smtp_server.mailbox.answer("gone@example.org", "550 5.1.1 No such mailbox")
    queue(opened, a_notice(1, "gone@example.org"), a_notice(2, "a@x.example; b@y.example"), a_notice(3))
    counts = deliver(opened, [COUNTY], smtp(smtp_server), Clock())
    assert (counts.sent, counts.failed, counts.still_queued) == (1, 2, 0)
    assert states(opened) == {"gone@example.org": "failed", "a@x.example; b@y.example": "failed", KETTLE_MAIL: "sent"}
    assert sorted(trouble.text for trouble in counts.troubles) == [
        "Not exactly one plain mail address.",
        "RCPT TO: 550 5.1.1 No such mailbox",
    ]
    assert rows(opened)[0]["last_error"] == "RCPT TO: 550 5.1.1 No such mailbox"


def test_a_notice_that_cannot_be_written_fails_and_stops_nobody(opened: Database) -> None:
    broken = a_notice(1)
    without = {key: value for key, value in broken.context.items() if key != "unit"}
    queue(
        opened,
        Notice(kind=broken.kind, recipient="a@x.example", dedupe_key="broken", context=without),
        a_notice(2),
    )
    counts = deliver(opened, [COUNTY], Postman(), Clock())
    assert (counts.sent, counts.failed) == (1, 1)
    assert "'unit' is undefined" in counts.troubles[0].text


def test_refused_for_now_it_waits_longer_each_time_and_fails_after_four_hours(
    opened: Database, smtp_server: SmtpServer
) -> None:
    smtp_server.mailbox.answer(KETTLE_MAIL, "450 4.2.1 Mailbox busy")
    queue(opened, a_notice())
    clock = Clock()
    for wait in BACKOFF:
        counts = deliver(opened, [COUNTY], smtp(smtp_server), clock)
        assert (counts.waiting, counts.still_queued) == (1, 1)
        clock.move(seconds=wait.total_seconds() - 1)
        assert deliver(opened, [COUNTY], smtp(smtp_server), clock) == DeliveryCounts(still_queued=1)
        clock.move(seconds=1)
    counts = deliver(opened, [COUNTY], smtp(smtp_server), clock)
    assert (counts.failed, counts.still_queued) == (1, 0)
    assert rows(opened)[0]["last_error"] == "RCPT TO: 450 4.2.1 Mailbox busy"
    assert sum(BACKOFF, timedelta()) == timedelta(hours=4)
    assert next_wait(len(BACKOFF) + 1) is None


def test_busy_for_a_while_it_arrives_later(opened: Database, smtp_server: SmtpServer) -> None:
    smtp_server.mailbox.answer(KETTLE_MAIL, "451 4.3.0 Later", stage="data", times=2)
    queue(opened, a_notice())
    clock = Clock()
    for sent in (0, 0, 1):
        assert deliver(opened, [COUNTY], smtp(smtp_server), clock).sent == sent
        clock.move(minutes=5)
    assert len(smtp_server.received) == 1


def test_with_the_relay_away_everything_stays_queued_and_no_attempt_is_used_up(opened: Database) -> None:
    queue(opened, a_notice(1), a_notice(2))
    away = SmtpSender(read_smtp_url("smtp://127.0.0.1:1"), MAIL_FROM)
    for _ in range(20):
        counts = deliver(opened, [COUNTY], away, Clock())
        assert (counts.sent, counts.failed, counts.still_queued) == (0, 0, 2)
        assert counts.unreachable == delivery.MOST_UNREACHABLE
    assert {(row["state"], row["attempts"]) for row in rows(opened)} == {("queued", 0)}
    assert deliver(opened, [COUNTY], Postman(), Clock()).sent == 2


def test_an_unknown_end_is_shown_and_goes_again(opened: Database) -> None:
    queue(opened, a_notice())
    clock = Clock()
    postman = Postman(Uncertain(text="lost"))
    counts = deliver(opened, [COUNTY], postman, clock)
    assert (counts.uncertain, counts.still_queued, rows(opened)[0]["state"]) == (1, 1, "uncertain")
    assert deliver(opened, [COUNTY], postman, clock).sent == 0
    clock.move(minutes=1)
    assert deliver(opened, [COUNTY], postman, clock).sent == 1
    assert len({mail.message_id for mail in postman.mails}) == 1


def test_once_uncertain_it_stays_so_through_a_relay_that_is_busy_or_away(opened: Database) -> None:
    queue(opened, a_notice())
    clock = Clock()
    busy = delivery.Temporary(text="450")
    away = delivery.Unreachable(text="away")
    for outcome in (Uncertain(text="lost"), busy, away):
        deliver(opened, [COUNTY], Postman(outcome, away, away), clock)
        assert rows(opened)[0]["state"] == "uncertain"
        clock.move(minutes=5)


def test_a_sender_that_dies_every_time_is_given_up(opened: Database) -> None:
    queue(opened, a_notice())
    clock = Clock()
    for _ in range(len(BACKOFF) + 1):
        with pytest.raises(Killed):
            deliver(opened, [COUNTY], Postman(Killed()), clock)
        clock.move(minutes=20)
    assert deliver(opened, [COUNTY], Postman(), clock).failed == 1
    assert "may have arrived" in rows(opened)[0]["last_error"]


def test_a_tank_serviced_meanwhile_leaves_the_digest_and_an_empty_one_is_cancelled(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        add_tanks(store, [1, 2])
        record(store, due_event(1), due_event(2))
        queue_notices(store, a_program(), TODAY, NOON, BASE_URL)
    abandon(opened, ["sys_1"], 5)
    postman = Postman(delivery.Temporary(text="450 later"))
    clock = Clock()
    deliver(opened, [COUNTY], postman, clock)
    assert "N5551" not in postman.mails[0].text
    assert "N5552" in postman.mails[0].text
    abandon(opened, ["sys_2"], 6)
    clock.move(minutes=1)
    assert deliver(opened, [COUNTY], postman, clock) == DeliveryCounts(cancelled=1)
    assert (rows(opened)[0]["state"], rows(opened)[0]["last_error"]) == ("cancelled", "inactive")
    assert len(postman.mails) == 1


def abandon(database: Database, systems: Sequence[str], seq: int) -> None:
    with database.transaction(COUNTY) as store:
        end_versions(store, system_version, [{"system": system} for system in systems], seq)
        changed = [{"system": system, "seq": seq, "status": "abandoned", "content": {}} for system in systems]
        insert_system_versions(store, changed)


def test_an_outcome_after_the_lease_is_counted_as_lost(opened: Database) -> None:
    queue(opened, a_notice())
    clock = Clock()

    class Slow(Postman):
        def send(self, mail: Mail) -> Outcome:
            clock.move(hours=1)
            assert deliver(opened, [COUNTY], Postman(), clock).sent == 1
            return Sent()

    counts = deliver(opened, [COUNTY], Slow(), clock)
    assert (counts.sent, counts.lost) == (0, 1)
    assert rows(opened)[0]["state"] == "sent"


def test_counties_take_turns_and_a_limit_ends_the_run(opened: Database) -> None:
    queue(opened, *[a_notice(number, f"o{number}@x.example") for number in range(5)])
    queue(opened, *[a_notice(number, f"p{number}@x.example") for number in range(2)], county="portage")
    postman = Postman()
    counts = deliver(opened, [COUNTY, "portage"], postman, Clock(), 4)
    assert [mail.recipient[0] for mail in postman.mails] == ["o", "p", "o", "p"]
    assert (counts.sent, counts.still_queued) == (4, 3)


def test_a_run_that_is_to_stop_stops_between_messages(opened: Database) -> None:
    queue(opened, a_notice(1), a_notice(2))
    postman = Postman()
    counts = deliver(opened, [COUNTY], postman, Clock(), stopping=lambda: bool(postman.mails))
    assert (counts.sent, counts.still_queued) == (1, 1)


def test_the_rate_holds_over_several_senders(opened: Database) -> None:
    queue(opened, *[a_notice(number) for number in range(30)])
    clock = Clock()
    postmen = [Postman(), Postman(), Postman()]
    for postman in postmen:
        deliver(opened, [COUNTY], postman, clock, 10, rate_per_minute=60, sleep=clock.sleep)
    moments = sorted(mail.dated_at for postman in postmen for mail in postman.mails)
    assert len(moments) == 30
    assert {later - earlier for earlier, later in itertools.pairwise(moments)} == {timedelta(seconds=1)}


def test_the_folder_gets_each_message_as_a_file(opened: Database, tmp_path: Path) -> None:
    queue(opened, a_notice(1), a_notice(2))
    folder = tmp_path / "outgoing"
    assert deliver(opened, [COUNTY], FolderSender(folder, MAIL_FROM), Clock()) == DeliveryCounts(sent=2)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        row["message_id"].strip("<").partition("@")[0] + ".eml" for row in rows(opened)
    )
