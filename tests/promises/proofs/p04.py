"""P4: a file is fully accounted for, wherever the one who works it off dies: every row in exactly one state, no report
doubled; and the same file again adds nothing.

Full size, on each database: imports of 5,000 rows, three of which die at random statements and commits, three whose
processes are killed with SIGKILL, and one taken whole in one transaction, which dies halfway and must leave nothing.
The control commits its place in the file before the rows, and is found out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reporting.intake.accept import Options, Upload, Work, submit
from reporting.intake.opening import open_file
from reporting.intake.recording import Submission
from reporting.intake.sheet import Limits
from reporting.intake.waiting import Waiting, receive, work_off
from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.store.submissions import count_outcomes, get_submission, kept_file, update_submission
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.promises.dying import Killed, die_and_go_on, kill_once, killed_after, work_to_the_end, worker_command
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system, tally

SEED, SYSTEMS = 20_260_713, 40
ROWS = {Size.SMOKE: 600, Size.FULL: 5_000}
FILES = {Size.SMOKE: 1, Size.FULL: 3}
DEATHS = {Size.SMOKE: 8, Size.FULL: 12}
"""How often the worker of one file dies at most; then one is let live."""
KILLS = {Size.SMOKE: 2, Size.FULL: 5}
Expected = Counter[str]


def key_of(arena: Arena) -> Path:
    """The file of the signing key: worker processes load it too."""
    return arena.folder / "p4-signing.key"


@contextmanager
def a_desk(arena: Arena) -> Iterator[Desk]:
    """A county with systems, on a database and with a signing key of its own (`key_of`)."""
    database = Database.connect(arena.new_database().app_url)
    desk = Desk(database=database, signer=Signer.load(key_of(arena)))
    desk.stock(*(a_system(f"SP-{n}") for n in range(SYSTEMS)))
    try:
        yield desk
    finally:
        database.dispose()


def a_file(count: int, seed: int) -> tuple[bytes, Expected]:
    """Rows of every kind, and what they come to."""
    pick = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for n in range(count):
        kind = pick.random()
        day = f"2026-07-0{n % 7 + 1}"
        row = a_report(f"T-{n}", f"SP-{n % SYSTEMS}", gallons_pumped=str(500 + n % 900), service_date=day)
        if kind < 0.03:
            row["gallons_pumped"] = "~900"
        elif kind < 0.06:
            row |= {"permit_number": f"XX-{n}", "parcel_number": f"99-{n}", "site_address": f"{n} Nowhere Ln"}
        elif kind < 0.09 and rows:
            row = pick.choice(rows)
        rows.append(row)
    right = [row for row in rows if row["gallons_pumped"] != "~900"]
    first = len({row["report_ref"] for row in right})
    doubted = len({row["report_ref"] for row in right if str(row["permit_number"]).startswith("XX")})
    expected = {
        "rejected": count - len(right),
        "queued_for_review": doubted,
        "accepted": first - doubted,
        "duplicate": len(right) - first,
    }
    return csv_of(*rows), Counter(expected)


def hand_in(desk: Desk, data: bytes) -> str:
    """A long file, kept for a worker."""
    with desk.database.transaction(desk.county) as store:
        taken = receive(
            store, shipped_program(desk.county), STAFF, Upload(data=data, file_name="year.csv"), NOW, desk.signer,
            Options(), longest=100,
        )  # fmt: skip
    assert isinstance(taken, Waiting)
    return taken.id


def faults(desk: Desk, submission: str, expected: Expected, count: int) -> list[str]:
    """What is wrong: each row must be in exactly one state, and just the reports be there that the states say."""
    answered = [
        o for o in desk.rows("outcome", "submission", "row", "outcome", "report_id") if o["submission"] == submission
    ]
    [stored] = [s for s in desk.rows("submission") if s["id"] == submission]
    events = [e for e in desk.events() if e["submission"] == submission]
    came_in = {o["row"]: o["report_id"] for o in answered if o["outcome"] in ("accepted", "queued_for_review")}
    found = Counter(o["outcome"] for o in answered)
    with desk.database.reading(desk.county) as store:
        checked = verify(store, [desk.signer.verifying_key])
    wrong = {
        f"rows with a state: {len(answered)} of {count}": sorted(o["row"] for o in answered)
        == list(range(2, count + 2)),
        f"states {dict(found)}, must be {dict(expected)}": found == expected,
        "the submission's counts are others": {n: stored[n] for n in expected} == dict(expected),
        f"status {stored['status']}, rows {stored['rows']}": (stored["status"], stored["rows"]) == ("done", count),
        f"{len(events)} reports where the states say {len(came_in)}": {e["row"]: e["id"] for e in events} == came_in,
        "a report is doubled": len(events) == len({e["report_ref"] for e in events}),
        "the record does not verify": checked.ok,
    }
    return [fault for fault, right in wrong.items() if not right]


def again(desk: Desk, data: bytes, expected: Expected, count: int) -> list[str]:
    """What is wrong when the whole file is sent once more: it must add nothing."""
    before = len(desk.events())
    told = tally(desk.send(data))  # type: ignore[arg-type]
    wanted = {"rejected": expected["rejected"], "duplicate": count - expected["rejected"]}
    faults = [] if told == wanted else [f"the same file again came to {dict(told)}, must be {wanted}"]
    return faults if len(desk.events()) == before else [*faults, "the same file again added reports"]


def dies_in_process(arena: Arena, count: int, deaths: int, seed: int) -> tuple[list[str], int]:
    """A file whose workers die at random statements and commits; what is wrong, and the deaths."""
    data, expected = a_file(count, seed)
    with a_desk(arena) as desk:
        submission = hand_in(desk, data)
        died = die_and_go_on(
            desk,
            lambda: work_off(desk.database, desk.county, submission, desk.signer, lambda: NOW, chunk=count // 10),
            deaths,
            seed,
        )
        return [*faults(desk, submission, expected, count), *again(desk, data, expected, count)], died


def dies_in_one_transaction(arena: Arena, count: int, seed: int) -> tuple[list[str], int]:
    """A file taken whole that dies on the way: nothing of it is there, and sent again all of it is."""
    data, expected = a_file(count, seed)
    program, upload = shipped_program("ozaukee"), Upload(data=data, file_name="year.csv")
    with a_desk(arena) as desk:
        clean = desk.count("log_entry")

        def send() -> None:
            with desk.database.transaction(desk.county) as store:
                submit(store, program, STAFF, upload, NOW, desk.signer)

        died, wrong = 0, []
        for statements in (20, 35, 50):
            try:
                with killed_after(desk.database, statements):
                    send()
            except Killed:
                died += 1
                if left := {n: desk.count(n) for n in ("submission", "outcome", "event") if desk.count(n)}:
                    wrong.append(f"left behind: {left}")
                if desk.count("log_entry") != clean:
                    wrong.append("entries of the dead submission are in the log")
        send()
        [submission] = [s["id"] for s in desk.rows("submission", "id")]
        return [*wrong, *faults(desk, submission, expected, count)], died


def killed_processes(arena: Arena, count: int, kills: int, seed: int) -> tuple[list[str], int]:
    """A file whose worker processes are killed with SIGKILL somewhere in a chunk; what is wrong, and the kills."""
    data, expected = a_file(count, seed)
    pick = random.Random(seed)
    with a_desk(arena) as desk:
        submission = hand_in(desk, data)
        command = worker_command(desk, key_of(arena), submission, count // 20)
        killed = sum(kill_once(desk, submission, command, pick.uniform(0, 0.15)) for _ in range(kills))
        work_to_the_end(command)
        return [*faults(desk, submission, expected, count), *again(desk, data, expected, count)], killed


def run(arena: Arena, size: Size) -> Outcome:
    """Every way to die, on each of some files."""
    count, wrong = ROWS[size], list[str]()
    deaths = kills = halfway = 0
    for seed in range(SEED, SEED + FILES[size]):
        for told, (found, times) in {
            "dying in process": dies_in_process(arena, count, DEATHS[size], seed),
            "killed": killed_processes(arena, count, KILLS[size], seed),
        }.items():
            wrong += [f"{told}, file {seed}: {fault}" for fault in found]
            deaths, kills = (deaths + times, kills) if told != "killed" else (deaths, kills + times)
    found, halfway = dies_in_one_transaction(arena, count, SEED)
    wrong += [f"in one transaction: {fault}" for fault in found]
    files = 2 * FILES[size] + 1
    return Outcome(
        figures={"files": files, "rows, each in one state": files * count, "faults": len(wrong)},
        windows={"deaths in process": deaths, "SIGKILL within a file": kills, "deaths in one transaction": halfway},
        failures=tuple(wrong),
    )


def forgetful(desk: Desk, submission: str, chunk: int) -> None:
    """A worker as it must not be: its place in the file is committed before the rows are."""
    program = shipped_program(desk.county)
    with desk.database.transaction(desk.county) as store:
        row, kept = get_submission(store, submission), kept_file(store, submission)
    assert row is not None
    assert kept is not None
    file = open_file(program, kept[0], row["file_name"], None, Limits(), NOW.date())
    rows = [r for r in file.rows() if r.number >= row["next_row"]]
    shared = Submission(
        id=submission, file_sha256=row["file_sha256"], principal="clerk", now=NOW, today=NOW.date(), historical=False
    )
    for at in range(0, len(rows), chunk):
        part = rows[at : at + chunk]
        with desk.database.transaction(desk.county) as store:
            update_submission(store, submission, {"next_row": part[-1].number + 1})
        with desk.database.transaction(desk.county) as store:
            work = Work(
                store=store, program=program, sender=STAFF, signer=desk.signer, submission=shared, file_name=None
            )
            work.take_rows(iter(part))
    with desk.database.transaction(desk.county) as store:
        counts = count_outcomes(store, submission)
        update_submission(store, submission, {"status": "done", "rows": sum(counts.values()), **counts})


def place_first(arena: Arena, size: Size) -> Outcome:
    """The control: `forgetful` dying at random points."""
    return forgetful_run(arena, DEATHS[size])


def forgetful_run(arena: Arena, deaths: int) -> Outcome:
    """The same with as many deaths as asked: with none it is right, so that it is its deaths that are found."""
    count = ROWS[Size.SMOKE]
    data, expected = a_file(count, SEED)
    with a_desk(arena) as desk:
        submission = hand_in(desk, data)
        died = die_and_go_on(desk, lambda: forgetful(desk, submission, count // 10), deaths, SEED)
        wrong = faults(desk, submission, expected, count)
    return Outcome(figures={"rows": count}, windows={"deaths": died}, failures=tuple(wrong))


PROOF = Proof(
    promise="P4",
    says="A file is fully accounted for: killed anywhere, every row ends in exactly one state, none is doubled.",
    run=run,
    in_small=(),
    controls={"place in the file committed before its rows": place_first},
    least={
        "deaths in process": (5, 24),
        "SIGKILL within a file": (1, 10),
        "deaths in one transaction": (3, 3),
    },
)
