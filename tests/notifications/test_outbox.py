"""The queue: claims, leases and fences."""

from datetime import timedelta

from notifications import outbox
from notifications.delivery import LEASE, DeliveryCounts, deliver
from notifications.outbox import MessageState, claim_next, complete, reap, release
from reporting.store.engine import Database
from tests.notifications.builders import NOON, Clock, a_notice
from tests.notifications.sending import COUNTY, Postman, queue, rows


def test_whoever_slept_past_the_lease_changes_no_row(opened: Database) -> None:
    queue(opened, a_notice())
    with opened.transaction(COUNTY) as store:
        stale = claim_next(store, NOON, LEASE)
    assert stale is not None
    later = NOON + LEASE
    with opened.transaction(COUNTY) as store:
        assert reap(store, later) == 1
        current = claim_next(store, later, LEASE)
    assert current is not None
    before = rows(opened)
    with opened.transaction(COUNTY) as store:
        assert complete(store, stale, MessageState.SENT, sent_at=later) is False
        assert release(store, stale) is False
    assert rows(opened) == before
    with opened.transaction(COUNTY) as store:
        assert complete(store, current, MessageState.SENT, sent_at=later) is True
        assert complete(store, current, MessageState.FAILED) is False


def test_what_a_lost_sender_held_may_have_arrived(opened: Database) -> None:
    queue(opened, a_notice())
    with opened.transaction(COUNTY) as store:
        assert claim_next(store, NOON, LEASE) is not None
    later = NOON + LEASE
    for at, freed in ((later - timedelta(seconds=1), 0), (later, 1), (later, 0)):
        with opened.transaction(COUNTY) as store:
            assert reap(store, at) == freed
    [row] = rows(opened)
    assert (row["state"], row["fence"], row["attempts"]) == ("uncertain", 2, 1)
    assert (row["not_before"], row["lease_until"]) == (later, None)


def test_what_has_waited_longest_goes_first(opened: Database) -> None:
    with opened.transaction(COUNTY) as store:
        for number, minutes in ((1, 5), (2, 0), (3, 2)):
            not_before = NOON + timedelta(minutes=minutes)
            assert outbox.add_message(store, a_notice(number), NOON, "pumper.example", not_before)
    found = []
    for _ in range(3):
        with opened.transaction(COUNTY) as store:
            claim = claim_next(store, NOON + timedelta(minutes=5), LEASE)
            assert claim is not None
            found.append(claim.dedupe_key)
    assert found == [a_notice(number).dedupe_key for number in (2, 3, 1)]


def test_a_cancelled_message_is_not_sent(opened: Database) -> None:
    queue(opened, a_notice())
    with opened.transaction(COUNTY) as store:
        assert outbox.cancel(store, a_notice().dedupe_key, "the county says so")
        assert not outbox.cancel(store, a_notice().dedupe_key, "again")
        assert outbox.oldest_waiting(store, NOON) is None
    assert deliver(opened, [COUNTY], Postman(), Clock()) == DeliveryCounts()


def test_the_rate_is_shared_by_senders_side_by_side(opened: Database) -> None:
    slots = []
    for _ in range(3):
        with opened.transaction(COUNTY) as store:
            slots.append(outbox.reserve_slot(store, NOON, 30))
    assert slots == [NOON, NOON + timedelta(seconds=2), NOON + timedelta(seconds=4)]
