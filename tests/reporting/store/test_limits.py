"""Allowances taken in blocks by several workers: never more than the limit, and never a write for every call."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import select

from reporting import tables
from reporting.store.engine import Database
from reporting.store.limits import KEPT, Block, block_size, forget_windows, take_block, window_of
from tests.reporting.store.builders import NOON


@pytest.mark.parametrize(("limit", "size"), [(1, 1), (19, 1), (20, 1), (40, 2), (999, 49), (1000, 50), (100_000, 50)])
def test_a_block_is_small_beside_its_limit(limit: int, size: int) -> None:
    assert block_size(limit) == size


def test_a_window_is_a_minute_of_the_clock() -> None:
    assert window_of(NOON + timedelta(seconds=59, microseconds=999_999)) == NOON
    assert window_of(NOON + timedelta(seconds=60)) == NOON + timedelta(minutes=1)


def test_blocks_add_up_to_the_limit_and_no_further(opened: Database) -> None:
    with opened.transaction(None) as store:
        taken = [take_block(store, "key-read:a", NOON, 45) for _ in range(25)]
        other = take_block(store, "key-read:b", NOON, 45)
        later = take_block(store, "key-read:a", NOON + timedelta(minutes=1), 45)
    assert [block.granted for block in taken] == [2] * 22 + [1, 0, 0]
    assert (taken[0].left, taken[22].left, taken[24]) == (43, 0, Block(granted=0, left=0))
    assert other == later == Block(granted=2, left=43)


def test_a_limit_that_was_lowered_gives_nothing_more(opened: Database) -> None:
    with opened.transaction(None) as store:
        take_block(store, "key-read:a", NOON, 1000)
        assert take_block(store, "key-read:a", NOON, 40) == Block(granted=0, left=0)


def test_workers_at_once_never_take_more_than_the_limit(opened: Database) -> None:
    """Eight workers, 200 tries for a limit of 600: exactly 600 are given."""
    given: list[int] = []

    def work() -> None:
        for _ in range(25):
            with opened.transaction(None) as store:
                given.append(take_block(store, "county-write:x", NOON, 600).granted)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(given), sum(given)) == (200, 600)


def test_old_windows_are_forgotten(opened: Database) -> None:
    with opened.transaction(None) as store:
        for age in (timedelta(0), KEPT, KEPT + timedelta(minutes=1)):
            take_block(store, "address-anonymous:192.0.2.1", NOON - age, 60)
        assert forget_windows(store, NOON) == 1
        kept = store.connection.execute(select(tables.rate_allowance.c.window_at).order_by("window_at")).scalars().all()
    assert kept == [NOON - KEPT, NOON]
