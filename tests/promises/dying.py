"""Workers of long files that die: in process at a statement or a commit, and as processes, by SIGKILL."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import event as sqlalchemy_event

from reporting.store.engine import Database
from reporting.store.submissions import get_submission
from tests.reporting.intake.sending import Desk

ROOT = Path(__file__).resolve().parents[2]
WORKER_TIMEOUT = 300
WORKER = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from reporting.intake.waiting import work_off
from reporting.store.engine import Database
from reporting.store.signing import Signer
url, key, submission, chunk = sys.argv[1:]
now = datetime(2026, 7, 13, 15, tzinfo=UTC)
work_off(Database.connect(url), "ozaukee", submission, Signer.load(Path(key)), lambda: now, chunk=int(chunk))
"""


class Killed(BaseException):
    """The process is gone: no `except Exception` on the way may save it."""


@contextmanager
def killed_after(database: Database, statements: int) -> Iterator[None]:
    """The next worker dies at a statement, or at the commit that comes nearest to it."""
    left = statements

    def at_statement(*_of: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    with at_each_statement(database, at_statement):
        yield


def count_statements(database: Database, work: Callable[[], object]) -> int:
    """How many statements and commits some work takes."""
    seen: list[int] = []
    with at_each_statement(database, lambda *_of: seen.append(1)):
        work()
    return len(seen)


@contextmanager
def at_each_statement(database: Database, at_statement: Callable[..., None]) -> Iterator[None]:
    """Do something before each statement and each commit."""
    sqlalchemy_event.listen(database.engine, "before_cursor_execute", at_statement)
    sqlalchemy_event.listen(database.engine, "commit", at_statement)
    try:
        yield
    finally:
        sqlalchemy_event.remove(database.engine, "before_cursor_execute", at_statement)
        sqlalchemy_event.remove(database.engine, "commit", at_statement)


def die_and_go_on(desk: Desk, work: Callable[[], object], most: int, seed: int) -> int:
    """Work until it is done, dying at random points; gives how often it died."""
    pick = random.Random(seed)
    deaths = 0
    while deaths < most:
        try:
            with killed_after(desk.database, pick.randrange(5, 90)):
                work()
                return deaths
        except Killed:
            deaths += 1
    work()
    return deaths


def worker_command(desk: Desk, key: Path, submission: str, chunk: int) -> list[str]:
    """A worker of one file as a process of its own."""
    url = desk.database.engine.url.render_as_string(hide_password=False)
    return [sys.executable, "-c", WORKER, url, str(key), submission, str(chunk)]


def work_to_the_end(command: list[str]) -> None:
    """A worker that nobody kills."""
    subprocess.run(command, cwd=ROOT, check=True, timeout=WORKER_TIMEOUT)


def kill_once(desk: Desk, submission: str, command: list[str], after: float) -> bool:
    """Start a worker, wait for its first chunk, kill it `after` seconds; whether it had more to do."""
    before = place_of(desk, submission)[0]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        give_up = time.monotonic() + WORKER_TIMEOUT
        while place_of(desk, submission)[0] == before and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.01)
        time.sleep(after)  # somewhere in the next chunk
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    at, status = place_of(desk, submission)
    return process.returncode == -signal.SIGKILL and at > before and status != "done"


def place_of(desk: Desk, submission: str) -> tuple[int, str]:
    """The next row of a file that is being worked off, and its status."""
    with desk.database.reading(desk.county) as store:
        row = get_submission(store, submission)
    assert row is not None
    return int(row["next_row"]), str(row["status"])
