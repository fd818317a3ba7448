"""A worker's heartbeat in a process of its own, so that a proof can stop it as a dead machine would.

python -m tests.promises.ticking DATABASE_URL INSTANT: beats at that instant's clock until it is killed; prints `up`.
"""

from __future__ import annotations

import sys
import threading
import time
from datetime import datetime, timedelta

from notifications.worker import WorkerOptions, run_worker
from reporting.store.engine import Database


def main(url: str, at: str) -> None:
    """Beat on: the clock goes from `at` as fast as the real one."""
    begun, start = time.monotonic(), datetime.fromisoformat(at)
    database = Database.connect(url)
    options = WorkerOptions(name="the worker", tick=timedelta(seconds=0.2))
    print("up", flush=True)
    run_worker(database, [], options, threading.Event(), lambda: start + timedelta(seconds=time.monotonic() - begun))


if __name__ == "__main__":
    main(*sys.argv[1:])
