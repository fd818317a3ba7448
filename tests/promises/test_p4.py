"""P4: a file is fully accounted for, wherever the one who works it off dies: every row in exactly one state, no report
doubled; and the same file again adds nothing. The control commits its place before the rows, and is found out.
"""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event as sqlalchemy_event

from reporting.intake.accept import Options, Upload, Work
from reporting.intake.opening import open_file
from reporting.intake.recording import Submission
from reporting.intake.sheet import Limits
from reporting.intake.waiting import Waiting, receive, work_off
from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.store.submissions import count_outcomes, get_submission, kept_file, update_submission
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, STAFF, Desk, a_report, a_system, tally
from tests.services.databases import DatabaseUrls

ROOT = Path(__file__).resolve().parents[2]
ROWS, CHUNK, SEED = 5_000, 500, 20_260_713
SYSTEMS = 40


@pytest.fixture
def desk(database: DatabaseUrls, tmp_path: Path) -> Iterator[Desk]:
    kept = Database.connect(database.app_url)
    found = Desk(database=kept, signer=Signer.load(tmp_path / "signing.key"))
    found.stock(*(a_system(f"SP-{n}") for n in range(SYSTEMS)))
    yield found
    kept.dispose()


def a_file(count: int = ROWS) -> tuple[bytes, Counter[str]]:
    """Rows of every kind, and what they come to."""
    pick = random.Random(SEED)
    rows: list[dict[str, Any]] = []
    for n in range(count):
        kind = pick.random()
        row = a_report(
            f"T-{n}", f"SP-{n % SYSTEMS}", gallons_pumped=str(500 + n % 900), service_date=f"2026-07-0{n % 7 + 1}"
        )
        if kind < 0.03:
            row["gallons_pumped"] = "~900"
        elif kind < 0.06:
            row |= {"permit_number": f"XX-{n}", "parcel_number": f"99-{n}", "site_address": f"{n} Nowhere Ln"}
        elif kind < 0.09 and rows:
            row = pick.choice(rows)
        rows.append(row)
    wrong = sum(row["gallons_pumped"] == "~900" for row in rows)
    first = len({row["report_ref"] for row in rows if row["gallons_pumped"] != "~900"})
    doubted = len(
        {r["report_ref"] for r in rows if str(r["permit_number"]).startswith("XX") and r["gallons_pumped"] != "~900"}
    )
    expected = {
        "rejected": wrong,
        "queued_for_review": doubted,
        "accepted": first - doubted,
        "duplicate": count - wrong - first,
    }
    return csv_of(*rows), Counter(expected)


def hand_in(desk: Desk, data: bytes) -> str:
    with desk.database.transaction(desk.county) as store:
        taken = receive(
            store, shipped_program(desk.county), STAFF, Upload(data=data, file_name="year.csv"), NOW, desk.signer,
            Options(), longest=100,
        )  # fmt: skip
    assert isinstance(taken, Waiting)
    return taken.id


def check(desk: Desk, submission: str, expected: Counter[str]) -> None:
    """Every row in exactly one state, and just the reports that the states say."""
    answered = [
        o for o in desk.rows("outcome", "submission", "row", "outcome", "report_id") if o["submission"] == submission
    ]
    assert sorted(o["row"] for o in answered) == list(range(2, ROWS + 2))
    assert Counter(o["outcome"] for o in answered) == expected
    [stored] = [s for s in desk.rows("submission") if s["id"] == submission]
    assert {name: stored[name] for name in expected} == dict(expected)
    assert (stored["status"], stored["rows"]) == ("done", ROWS)
    events = desk.events()
    came_in = {o["row"]: o["report_id"] for o in answered if o["outcome"] in ("accepted", "queued_for_review")}
    assert {e["row"]: e["id"] for e in events} == came_in
    assert len(events) == len(came_in) == len({e["report_ref"] for e in events})
    with desk.database.reading(desk.county) as store:
        assert verify(store, [desk.signer.verifying_key]).ok


class Killed(Exception):
    """The process is gone."""


@contextmanager
def killed_after(database: Database, statements: int) -> Iterator[None]:
    """The next worker dies at a statement, or at the commit that comes nearest to it."""
    left = statements

    def at_statement(*_of: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    sqlalchemy_event.listen(database.engine, "before_cursor_execute", at_statement)
    sqlalchemy_event.listen(database.engine, "commit", at_statement)
    try:
        yield
    finally:
        sqlalchemy_event.remove(database.engine, "before_cursor_execute", at_statement)
        sqlalchemy_event.remove(database.engine, "commit", at_statement)


def die_and_go_on(desk: Desk, run: Callable[[], object]) -> int:
    """Run until it is done, dying at random points; gives how often it died."""
    pick = random.Random(SEED)
    deaths = 0
    while deaths < 12:
        try:
            with killed_after(desk.database, pick.randrange(5, 90)):
                run()
                return deaths
        except Killed:
            deaths += 1
    run()
    return deaths


def test_a_worker_that_dies_at_random_points_leaves_every_row_in_one_state(desk: Desk) -> None:
    data, expected = a_file()
    submission = hand_in(desk, data)
    deaths = die_and_go_on(
        desk, lambda: work_off(desk.database, desk.county, submission, desk.signer, lambda: NOW, chunk=CHUNK)
    )
    assert deaths >= 8, "inconclusive: it died too seldom"
    check(desk, submission, expected)
    again = desk.send(data, dry_run=True)
    assert tally(again) == {"rejected": expected["rejected"], "duplicate": ROWS - expected["rejected"]}  # type: ignore[arg-type]


def test_the_control_that_commits_its_place_first_loses_rows(desk: Desk) -> None:
    data, expected = a_file()
    submission = hand_in(desk, data)
    die_and_go_on(desk, lambda: forgetful(desk, submission))
    with pytest.raises(AssertionError):
        check(desk, submission, expected)


def test_the_control_is_right_as_long_as_it_lives(desk: Desk) -> None:
    """So that it is its death that the check has found."""
    data, expected = a_file()
    submission = hand_in(desk, data)
    forgetful(desk, submission)
    check(desk, submission, expected)


def forgetful(desk: Desk, submission: str) -> None:
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
    for at in range(0, len(rows), CHUNK):
        part = rows[at : at + CHUNK]
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


WORKER = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from reporting.intake.waiting import work_off
from reporting.store.engine import Database
from reporting.store.signing import Signer
url, key, submission = sys.argv[1:]
now = datetime(2026, 7, 13, 15, tzinfo=UTC)
work_off(Database.connect(url), "ozaukee", submission, Signer.load(Path(key)), lambda: now, chunk=250)
"""


def test_a_process_killed_with_sigkill_is_followed_by_another(
    desk: Desk, database: DatabaseUrls, tmp_path: Path
) -> None:
    data, expected = a_file()
    submission = hand_in(desk, data)
    pick = random.Random(SEED)
    command = [sys.executable, "-c", WORKER, database.app_url, str(tmp_path / "signing.key"), submission]
    seen = []
    for _ in range(3):
        before = place_of(desk, submission)
        process = subprocess.Popen(command, cwd=ROOT)
        give_up = time.monotonic() + 60
        while place_of(desk, submission) == before and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.02)
        time.sleep(pick.uniform(0, 0.2))  # somewhere in the next chunk
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append(place_of(desk, submission))
    assert 2 < seen[-1] <= ROWS + 1, f"inconclusive: killed at rows {seen}"
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
    check(desk, submission, expected)


def place_of(desk: Desk, submission: str) -> int:
    with desk.database.reading(desk.county) as store:
        row = get_submission(store, submission)
    assert row is not None
    return int(row["next_row"])
