"""The clockwork: one worker at a time, each daily job once a local date, a heartbeat that can be missed."""

import threading
from datetime import UTC, date, datetime, time, timedelta

import pytest

from notifications.worker import Job, Turn, WorkerOptions, beat, is_alive, run_worker, take_turn
from reporting.store.engine import Database
from tests.notifications.builders import NOON, Clock


def nothing(turn: Turn) -> None:
    return None


def daily(run: object = nothing, at: time = time(6, 0)) -> Job:
    return Job(name="scan", run=run, daily_at=at)  # type: ignore[arg-type]


def local(day: date, hour: int, offset: int = 5) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=hour + offset)


def test_a_daily_job_runs_once_a_local_date_whoever_asks(opened: Database) -> None:
    slots: list[str] = []
    job = daily(lambda turn: slots.append(turn.slot))
    clock = Clock(local(date(2026, 7, 13), 0))
    for _ in range(3 * 24):
        for name in ("a", "b"):
            take_turn(opened, job, WorkerOptions(name=name), clock)
        clock.move(hours=1)
    assert slots == ["2026-07-13", "2026-07-14", "2026-07-15"]


@pytest.mark.parametrize(("day", "offset"), [(date(2026, 3, 8), 5), (date(2026, 11, 1), 6)])
def test_days_of_23_and_25_hours_have_one_run(day: date, offset: int, opened: Database) -> None:
    runs: list[datetime] = []
    job = daily(lambda turn: runs.append(turn.now))
    clock = Clock(local(day, 0, 5 if day.month == 11 else 6))
    for _ in range(23 * 4):
        take_turn(opened, job, WorkerOptions(name="a"), clock)
        clock.move(minutes=15)
    assert runs == [local(day, 6, offset)]


def test_after_a_week_off_only_today_is_made_up_for(opened: Database) -> None:
    slots: list[str] = []
    job = daily(lambda turn: slots.append(turn.slot))
    clock = Clock(local(date(2026, 7, 13), 9))
    take_turn(opened, job, WorkerOptions(name="a"), clock)
    clock.move(days=7)
    take_turn(opened, job, WorkerOptions(name="a"), clock)
    assert slots == ["2026-07-13", "2026-07-20"]


def test_a_daily_job_that_failed_is_taken_up_again_later(opened: Database) -> None:
    tries: list[str] = []

    def fails_first(turn: Turn) -> None:
        tries.append(turn.slot)
        if len(tries) == 1:
            raise RuntimeError("the first time")

    clock = Clock(local(date(2026, 7, 13), 7))
    options = WorkerOptions(name="a")
    with pytest.raises(RuntimeError):
        take_turn(opened, daily(fails_first), options, clock)
    assert take_turn(opened, daily(fails_first), options, clock) is False
    clock.move(minutes=31)
    assert take_turn(opened, daily(fails_first), options, clock) is True
    assert take_turn(opened, daily(fails_first), options, clock) is False
    assert tries == ["2026-07-13"] * 2


def test_a_repeated_job_stays_with_one_worker_until_it_is_gone(opened: Database) -> None:
    ran: list[str] = []
    mine: list[bool] = []
    clock = Clock()

    def job_of(name: str) -> Job:
        return Job(name="deliver", run=lambda turn: ran.append(name), every=timedelta(seconds=20))

    for _ in range(3):
        for name in ("a", "b"):
            take_turn(opened, job_of(name), WorkerOptions(name=name), clock)
        clock.move(seconds=20)
    assert ran == ["a", "a", "a"]

    def sleeps(turn: Turn) -> None:
        mine.append(turn.still_mine())
        clock.move(minutes=5)
        assert take_turn(opened, job_of("b"), WorkerOptions(name="b"), clock)
        mine.append(turn.still_mine())

    sleeping = Job(name="deliver", run=sleeps, every=timedelta(seconds=20))
    take_turn(opened, sleeping, WorkerOptions(name="a"), clock)
    assert mine == [True, False]
    assert ran[-1] == "b"


def test_a_dead_scheduler_is_noticed_within_three_minutes(opened: Database) -> None:
    with opened.reading(None) as store:
        assert not is_alive(store, NOON)
    beat(opened, WorkerOptions(name="a"), NOON)
    with opened.reading(None) as store:
        assert is_alive(store, NOON + timedelta(seconds=179))
        assert not is_alive(store, NOON + timedelta(seconds=180))


@pytest.mark.parametrize("wrong", [{}, {"every": timedelta(1), "daily_at": time(6)}, {"daily_at": time(2, 30)}])
def test_a_job_has_one_time_and_one_that_every_day_has(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="job"):
        Job(name="job", run=nothing, **wrong)  # type: ignore[arg-type]


def test_workers_tick_beat_survive_failing_jobs_and_stop(opened: Database) -> None:
    stop, enough = threading.Event(), threading.Event()
    days: list[str] = []
    ticks: list[str] = []

    def fails(turn: Turn) -> None:
        raise RuntimeError("every time")

    def counts(turn: Turn) -> None:
        ticks.append(turn.slot)
        if len(ticks) >= 3:
            enough.set()

    jobs = [
        Job(name="fails", run=fails, every=timedelta(seconds=0.05)),
        Job(name="counts", run=counts, every=timedelta(seconds=0.05)),
        daily(lambda turn: days.append(turn.slot), time(4)),
    ]
    workers = [
        threading.Thread(
            target=run_worker,
            args=(opened, jobs, WorkerOptions(name=name, tick=timedelta(seconds=0.1)), stop, lambda: NOON),
        )
        for name in ("a", "b")
    ]
    for worker in workers:
        worker.start()
    assert enough.wait(20)
    with opened.reading(None) as store:
        assert is_alive(store, NOON)
    stop.set()
    for worker in workers:
        worker.join(20)
        assert not worker.is_alive()
    assert days == ["2026-07-13"]
