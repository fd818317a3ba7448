"""A repeated request: one piece of work, one answer."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from reporting.store import idempotency
from reporting.store.engine import Database, Store
from reporting.store.idempotency import Begun, Fresh, Mismatch, Replay, Running
from tests.reporting.store.builders import NOON, ON_POSTGRESQL

ROUTE = "POST /v1/portage/reports"


def begin(store: Store, *, who: str = "key", route: str = ROUTE, body: str = "body", minutes: int = 0) -> Begun:
    return idempotency.begin(store, who, route, "K-1", body, NOON + timedelta(minutes=minutes))


def finish(store: Store) -> None:
    answer = {"z": 1, "a": ["é", None], "id": "rep"}
    idempotency.finish(store, "key", ROUTE, "K-1", status=201, answer=answer, headers={"Location": "/x"})


def test_a_repeat_gets_the_first_answer(opened: Database) -> None:
    with opened.transaction("portage") as store:
        assert begin(store) == Fresh()
        finish(store)
    with opened.transaction("portage") as store:
        again = begin(store, minutes=10_000)
        assert again == Replay(status=201, answer={"z": 1, "a": ["é", None], "id": "rep"}, headers={"Location": "/x"})
        assert isinstance(again, Replay)
        assert list(again.answer) == ["z", "a", "id"]
        assert begin(store, body="other") == Mismatch()


def test_keys_belong_to_their_holder_and_route(opened: Database) -> None:
    with opened.transaction("portage") as store:
        begin(store)
        finish(store)
        assert begin(store, who="somebody else") == Fresh()
        assert begin(store, route="POST /v1/portage/submissions") == Fresh()


def test_an_answer_is_looked_up_without_taking_its_key(opened: Database) -> None:
    def answered(store: Store, key: str = "K-1", body: str = "body") -> Replay | Mismatch | None:
        return idempotency.answered(store, "key", ROUTE, key, body)

    with opened.transaction("portage") as store:
        assert answered(store) is None
        begin(store)
        assert answered(store) is None
        finish(store)
        found = answered(store)
        assert isinstance(found, Replay)
        assert (found.status, found.answer["id"], found.headers) == (201, "rep", {"Location": "/x"})
        assert answered(store, body="other") == Mismatch()
        assert answered(store, key="K-2") is None
        assert idempotency.begin(store, "key", ROUTE, "K-2", "body", NOON) == Fresh()


def test_work_that_failed_leaves_the_key_free(opened: Database) -> None:
    def work_that_fails() -> None:
        with opened.transaction("portage") as store:
            assert begin(store) == Fresh()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work_that_fails()
    with opened.transaction("portage") as store:
        assert begin(store, body="mended") == Fresh()
        idempotency.release(store, "key", ROUTE, "K-1")
        assert begin(store, body="mended again") == Fresh()


def test_a_done_answer_is_not_released(opened: Database) -> None:
    with opened.transaction("portage") as store:
        begin(store)
        finish(store)
        idempotency.release(store, "key", ROUTE, "K-1")
        assert isinstance(begin(store), Replay)


def test_work_over_several_transactions_is_running_until_it_is_stale(opened: Database) -> None:
    with opened.transaction("portage") as store:
        begin(store)
    for minutes, body, expected in ((14, "body", Running()), (14, "other", Mismatch()), (15, "body", Fresh())):
        with opened.transaction("portage") as store:
            assert begin(store, minutes=minutes, body=body) == expected
    with opened.transaction("portage") as store:
        assert begin(store, minutes=29) == Running()  # counted from when it was taken over


@ON_POSTGRESQL
def test_a_key_held_by_an_open_transaction_is_running(opened: Database) -> None:
    with opened.transaction("portage") as store:
        assert begin(store) == Fresh()
        with opened.transaction("portage") as other:
            assert begin(other) == Running()
            assert begin(other, route="another") == Fresh()
        finish(store)
    with opened.transaction("portage") as store:
        assert isinstance(begin(store), Replay)


def test_of_many_at_once_one_does_the_work(opened: Database) -> None:
    def request(_: int) -> str:
        with opened.transaction("portage") as store:
            begun = begin(store)
            if begun == Fresh():
                finish(store)
        return type(begun).__name__

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(request, range(50)))
    assert results.count("Fresh") == 1
    assert set(results) <= {"Fresh", "Replay", "Running"}


def test_answers_are_kept_400_days(opened: Database) -> None:
    with opened.transaction("portage") as store:
        begin(store)
        finish(store)
        assert idempotency.forget_old(store, NOON + timedelta(days=400)) == 0
        assert idempotency.forget_old(store, NOON + timedelta(days=400, seconds=1)) == 1
        assert begin(store) == Fresh()


def test_an_answer_outside_of_any_county(opened: Database) -> None:
    with opened.transaction(None) as store:
        assert begin(store, route="POST /v1/keys") == Fresh()
    with opened.transaction(None) as store:
        assert begin(store, route="POST /v1/keys") == Running()
