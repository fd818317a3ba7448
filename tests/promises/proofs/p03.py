"""P3: retries are exact. Generated cases over every kind of call that changes something, from fixed seeds.

A case: a call with a key; sometimes refused first (refusals are not kept) or killed on the way (the answer is stored
in the record's own transaction, or neither is there); repeats up to 400 days later, each the same to the byte; another
body, another holder, another route; the same event under another key (a copy) and another ticket (pointed out). Some
cases send 50 of the same call at once. In the end the worker's daily job runs on the 400th day and after it.

Full size: 2,000 cases on each database. The controls are ways to keep answers as they must not be kept.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from werkzeug.test import TestResponse

from notifications.worker import Turn
from reporting.api import once
from reporting.cli import running
from reporting.store import idempotency
from reporting.store.engine import Store
from reporting.store.keys import create_key
from tests.promises.dying import count_statements
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.repeating import KEPT, Case, replayed
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME, NOW, World, a_report

SEED = 20_260_713
CASES = {Size.SMOKE: 50, Size.FULL: 2_000}
AT_ONCE = {Size.SMOKE: 1, Size.FULL: 20}
"""Of the cases, those that send the same call 50 times at once."""
CONTROL_CASES = 40
KEPT_KEYS = 10
LASTING = "a key that outlasts its answers"


def go_through(arena: Arena, count: int, at_once: int, most: int = 100) -> Outcome:
    """So many cases over one world, then the end of what is kept; after `most` faults it is enough."""
    faults: list[str] = []
    hits: Counter[str] = Counter()
    systems = max(10, count // 10)
    with stocked(arena, systems) as world:
        for number, case in enumerate(cases(world, count, systems)):
            if number < at_once:
                case.run_at_once()
            else:
                case.run()
            faults += case.faults
            hits += case.hits
            if len(faults) >= most:
                break
        faults += kept_long_enough(world)
    at = {name: hits[name] for name in ("died on the way", "at once, replayed", "at once, 409") if hits[name]}
    figures = {name: times for name, times in hits.items() if name not in at}
    exact = count - len({fault.split(":")[0] for fault in faults})
    return Outcome(
        figures={"cases": count, "exact": exact, **figures}, windows={**at, "at once": hits["calls at once"]},
        failures=tuple(faults),
    )  # fmt: skip


def cases(world: World, count: int, systems: int) -> Iterator[Case]:
    """The cases, each with dice of its own."""
    statements = count_statements(world.database, lambda: send_kept(world, -1))
    for number in range(count):
        pick = random.Random(SEED + number)
        yield Case(world=world, number=number, pick=pick, systems=systems, statements=statements)


def send_kept(world: World, number: int) -> TestResponse:
    """One report with a key, always the same for the same number, by somebody whose own key outlasts the answer."""
    if LASTING not in world.keys:
        with world.database.transaction(None) as store:
            made = create_key(store, "admin", None, None, LASTING, NOW, NOW + 2 * KEPT)
        world.keys[LASTING] = made[1]  # type: ignore[index]
    report = a_report(report_ref=f"K-{number}", permit_number="P-1", parcel_number="08-P-1")
    return world.post(f"/v1/{HOME}/reports", report, LASTING, headers={"Idempotency-Key": f"kept-{number}"})


def kept_long_enough(world: World) -> list[str]:
    """What is wrong with answers 400 days later, when the worker has tidied up, and once it has a second after."""

    def ask(number: int, now: datetime) -> tuple[int, bytes, bool]:
        world.clock.now = now
        answer = send_kept(world, number)
        return answer.status_code, answer.data, replayed(answer)

    first = [ask(n, NOW) for n in range(KEPT_KEYS)]
    tidy(world, NOW + KEPT)
    again = [ask(n, NOW + KEPT) for n in range(KEPT_KEYS)]
    after = NOW + KEPT + timedelta(seconds=1)
    tidy(world, after)
    late = [ask(n, after) for n in range(KEPT_KEYS)]
    world.clock.now = NOW
    numbers = range(KEPT_KEYS)
    return [
        *(f"kept {n}: on day 400 answered otherwise" for n in numbers if again[n] != (201, first[n][1], True)),
        *(f"kept {n}: never forgotten" for n in numbers if late[n][2]),
    ]


def tidy(world: World, now: datetime) -> None:
    """The worker's daily job, as the worker has it."""
    [job] = [job for job in running.jobs_of(world.config, world.database) if job.name == "old answers"]
    job.run(Turn(now=now, slot=now.date().isoformat(), still_mine=lambda: True, stopping=lambda: False))


def run(arena: Arena, size: Size) -> Outcome:
    """All cases."""
    return go_through(arena, CASES[size], AT_ONCE[size])


@contextmanager
def kept_as_it_must_not_be(**others: Any) -> Iterator[None]:
    """`once` with other functions of `idempotency`."""
    usual = once.idempotency
    once.idempotency = SimpleNamespace(**{**vars(usual), **others})  # type: ignore[assignment]
    try:
        yield
    finally:
        once.idempotency = usual


def control(**others: Callable[..., Any]) -> Run:
    """A few cases with answers kept otherwise."""

    def spoilt(arena: Arena, size: Size) -> Outcome:
        with kept_as_it_must_not_be(**others):
            return go_through(arena, CONTROL_CASES, 0, most=1)

    return spoilt


def shared_begin(store: Store, principal: str, *of: Any) -> idempotency.Begun:
    """Keys of all holders are one."""
    return idempotency.begin(store, "everybody", *of)


def shared_finish(store: Store, principal: str, *of: Any, **answer: Any) -> None:
    """The other half of it."""
    idempotency.finish(store, "everybody", *of, **answer)


def blind_begin(store: Store, principal: str, route: str, key: str, body: str, now: datetime) -> idempotency.Begun:
    """The body is not looked at."""
    return idempotency.begin(store, principal, route, key, "any", now)


def keep_refusals(store: Store, principal: str, route: str, key: str) -> None:
    """A refusal is stored like an answer."""
    idempotency.finish(store, principal, route, key, status=422, answer={"type": "kept"})


def forget_at_once(store: Store, *of: Any, **answer: Any) -> None:
    """The answer is not stored."""
    idempotency.release(store, *of)


def apart(arena: Arena, size: Size) -> Outcome:
    """The control whose answers are stored in a transaction of their own, after the record's."""
    with stocked(arena, 10) as world:

        def finish(store: Store, *of: Any, **answer: Any) -> None:
            store.connection.exec_driver_sql("COMMIT")
            store.connection.exec_driver_sql("BEGIN")
            if store.dialect == "postgresql":
                store.connection.exec_driver_sql(f"SELECT set_config('app.county', '{HOME}', true)")
            idempotency.finish(store, *of, **answer)

        faults: list[str] = []
        with kept_as_it_must_not_be(finish=finish):
            for case in cases(world, CONTROL_CASES, 10):
                ask, _other, _wrong = case.a_report_to_send()
                case.dies_first(ask, f"apart-{case.number}", earliest=case.statements - 14)
                faults += case.faults
    return Outcome(figures={}, failures=tuple(faults))


def forgetting_early(arena: Arena, size: Size) -> Outcome:
    """The control whose worker keeps answers for 30 days."""
    usual = running.forget_old
    running.forget_old = lambda store, now: usual(store, now, timedelta(days=30))
    try:
        with stocked(arena, 10) as world:
            return Outcome(figures={}, failures=tuple(kept_long_enough(world)))
    finally:
        running.forget_old = usual


PROOF = Proof(
    promise="P3",
    says="Retries are exact: one answer a key, the same to the byte for 400 days, whoever asks when and how often.",
    run=run,
    in_small=("sqlite",),
    controls={
        "answers are not stored": control(finish=forget_at_once),
        "refusals are stored": control(release=keep_refusals),
        "the body is not looked at": control(begin=blind_begin),
        "keys are everybody's": control(begin=shared_begin, finish=shared_finish),
        "answers are stored in a transaction of their own": apart,
        "answers are forgotten after 30 days": forgetting_early,
    },
    least={"died on the way": (1, 100), "at once": (50, 1_000)},
)
