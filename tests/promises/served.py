"""The service as `pumper serve` runs it, that a test may let die, or spoil: `python -m tests.promises.served …`.

The seam lies here and in no module of the service: production cannot switch it on. Two things are put in the place of
the service's own, in this process alone: the clock, which stands still, and a `Database` whose writing transactions
may die by SIGKILL before their commit (all is written, nothing is kept) and after it (kept, and nobody was told).

--pages: a file that limits how far SQLite may grow.

--spoil: how it must not be. `early`: answers before the commit. `keyless`: ignores Idempotency-Key. `normal`: SQLite
with synchronous=NORMAL. `fragile`: breaks over a NUL in a body. `blunt`: takes a database that is full, busy or away
for a mistake of its own. `patient`: waits for a database as long as it takes. `hasty`: ends in the middle of calls.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime as dt
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Response
from sqlalchemy import event

from reporting.api import bodies, once
from reporting.api.bodies import Sent
from reporting.api.calls import Reply, call, service
from reporting.store import engine
from reporting.store.engine import Database, Store

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
BEFORE, AFTER = "before the commit", "after the commit"


def dying(rate: float, marks: Path | None, *, normal: bool) -> type[Database]:
    """A `Database` of which one writing transaction in `1 / rate` dies; each death leaves a line in `marks`.

    One death in four comes before the commit: the others leave an answer that nobody was given, to be given again.
    """
    left = [-1]
    place = [BEFORE]
    mine = threading.local()

    def prepare() -> None:
        # In each worker, after the fork: else all of them would die at the same turn.
        left[0] = random.Random(os.urandom(8)).randrange(round(2 / rate)) if rate else -1
        told = marks.read_text().count("\n") if marks is not None and marks.exists() else 0
        place[0] = AFTER if told % 4 else BEFORE

    def die(where: str) -> None:
        if left[0] or place[0] != where:
            return
        if marks is not None:
            with marks.open("a") as file:
                file.write(where + "\n")
        os.kill(os.getpid(), signal.SIGKILL)

    class DyingDatabase(Database):
        @classmethod
        def connect(cls, url: str, **how: Any) -> DyingDatabase:
            prepare()
            made = super().connect(url, **how)
            # At the last moment: whatever the transaction writes at its end is written.
            event.listen(made.engine, "commit", lambda _c: die(BEFORE) if getattr(mine, "writing", False) else None)
            if normal and made.dialect == "sqlite":
                event.listen(made.engine, "connect", lambda c, _r: c.execute("PRAGMA synchronous = NORMAL").close())
            return cls(engine=made.engine, dialect=made.dialect, prompt=made.prompt, room=made.room)

        @contextmanager
        def transaction(self, county: str | None, **how: Any) -> Iterator[Store]:
            mine.writing = county is not None
            try:
                with super().transaction(county, **how) as store:
                    yield store
            finally:
                mine.writing = False
            if county is not None:
                die(AFTER)
                left[0] -= 1

    return DyingDatabase


def limited(kind: type[Database], pages: Path) -> type[Database]:
    """A `Database` of SQLite that may grow by no more pages than a file says, as long as there is that file."""

    def limit(connection: Any) -> None:
        if not pages.exists():
            connection.exec_driver_sql("PRAGMA max_page_count = 4294967294")
            return
        have = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        most = pages.with_suffix(".most")
        if not most.exists() or most.stat().st_mtime < pages.stat().st_mtime:
            most.write_text(str(have + int(pages.read_text())))
        connection.exec_driver_sql(f"PRAGMA max_page_count = {int(most.read_text())}")

    class Limited(kind):  # type: ignore[valid-type,misc]
        @classmethod
        def connect(cls, url: str, **how: Any) -> Database:
            made: Database = super().connect(url, **how)
            event.listen(made.engine, "begin", limit)
            return made

    return Limited


def early_change(sent: Sent, work: Callable[[Store], Reply]) -> Response:
    """`once.change` as it must not be: the answer goes out, and then the transaction is committed."""
    key = once._key()
    transaction = service().database.transaction(call().tenant)
    store = transaction.__enter__()
    try:
        reply, headers = (work(store), None) if key is None else once._once(store, key, sent, work)
    except BaseException:
        transaction.__exit__(*sys.exc_info())
        raise
    response = reply.response(headers)
    response.call_on_close(lambda: transaction.__exit__(None, None, None))
    return response


def fragile_body(read: Callable[..., bytes]) -> Callable[..., bytes]:
    """`bodies._body` as it must not be."""

    def read_body(*of: Any, **how: Any) -> bytes:
        data = read(*of, **how)
        if b"\x00" in data:
            raise ValueError("NUL")
        return data

    return read_body


def main(arguments: list[str]) -> None:
    """Serve until SIGTERM; the environment is the configuration, as in production."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--now", type=dt.datetime.fromisoformat, required=True)
    parser.add_argument("--dies", type=float, default=0.0)
    parser.add_argument("--marks", type=Path)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--spoil", choices=["early", "keyless", "normal", "fragile", "blunt", "patient", "hasty"])
    given = parser.parse_args(arguments)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    # Before the application is imported, whose endpoints take these by name.
    if given.spoil == "early":
        once.change = early_change
    elif given.spoil == "keyless":
        once._key = lambda: None
    elif given.spoil == "blunt":
        blunted: Any = engine
        blunted.translate = lambda _error: None
    elif given.spoil == "patient":
        connect = Database.connect
        unhurried: Any = Database
        unhurried.connect = classmethod(lambda _cls, url, **how: connect(url, **{**how, "prompt": False}))
    elif given.spoil == "fragile":
        bodies._body = fragile_body(bodies._body)
    from reporting.api import server
    from reporting.config import read

    spoilt: Any = server
    if given.spoil == "hasty":
        spoilt._STOP_WITHIN = 0
    spoilt.utc_now = lambda: given.now
    spoilt.Database = dying(given.dies, given.marks, normal=given.spoil == "normal")
    if given.pages is not None:
        spoilt.Database = limited(spoilt.Database, given.pages)
    server.serve(read(), workers=given.workers, bind=f"127.0.0.1:{given.port}")


if __name__ == "__main__":
    main(sys.argv[1:])
