"""Slots that run once, and leases with a fence."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from reporting.store import jobs
from reporting.store.engine import Database, Store
from reporting.store.jobs import take_lease
from tests.reporting.store.builders import NOON

MINUTE = timedelta(minutes=1)


def claim(store: Store, by: str, minutes: int = 0, slot: str = "2026-07-13") -> bool:
    now = NOON + minutes * MINUTE
    return jobs.claim_slot(store, "scan", slot, by, now, now - 60 * MINUTE)


def test_a_slot_runs_once(opened: Database) -> None:
    with opened.transaction(None) as store:
        assert claim(store, "a")
        assert not claim(store, "b", 59)
        assert claim(store, "b", slot="2026-07-14")
        assert not jobs.finish_slot(store, "scan", "2026-07-13", "b", NOON)
        assert jobs.finish_slot(store, "scan", "2026-07-13", "a", NOON)
        assert not claim(store, "b", 10_000)


def test_a_slot_whose_worker_died_is_taken_over(opened: Database) -> None:
    with opened.transaction(None) as store:
        assert claim(store, "a")
        assert not claim(store, "b", 60)
        assert claim(store, "b", 61)
        assert not jobs.finish_slot(store, "scan", "2026-07-13", "a", NOON)


def test_of_many_workers_one_has_the_slot(opened: Database) -> None:
    def work(name: str) -> bool:
        with opened.transaction(None) as store:
            return claim(store, name)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(work, "abcdefgh")) == [False] * 7 + [True]


def test_a_lease_has_one_holder_and_a_fence_that_rises(opened: Database) -> None:
    def take(store: Store, owner: str, minute: int) -> int | None:
        return take_lease(store, "worker", owner, NOON + minute * MINUTE, NOON + (minute + 3) * MINUTE)

    with opened.transaction(None) as store:
        assert take(store, "a", 0) == 1
        assert take(store, "b", 1) is None
        assert take(store, "a", 2) == 1  # renewed until 5
        assert take(store, "b", 4) is None
        assert take(store, "b", 5) == 2
        assert (jobs.holds_lease(store, "worker", 1), jobs.holds_lease(store, "worker", 2)) == (False, True)
        assert take(store, "a", 6) is None
        jobs.release_lease(store, "worker", "a", NOON)  # not its own
        assert take(store, "a", 6) is None
        jobs.release_lease(store, "worker", "b", NOON + 6 * MINUTE)
        assert take(store, "a", 6) == 3
        assert take(store, "a", 20) == 4  # it had run out: somebody may have been in between
