"""How long the server takes for the first pages: on the demonstration's data, in process, the median of many.

    python bench/pages.py [--rounds 20]

The habit of the house is under 100 milliseconds a page. Each page is also told as a multiple of `/healthz` in the same
run, since machines differ, and with the number of its SQL statements.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from sqlalchemy import Engine, event

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.demonstration import CLERK, HAULER, OWNER, Demonstration, demonstration  # noqa: E402

BASELINE = "/healthz"
PAGES = (
    ("/", ""),
    ("/work", HAULER),
    ("/my-system", OWNER),
    ("/desk", CLERK),
    ("/desk/systems", CLERK),
    ("/desk/reports", CLERK),
    ("/desk/figures", CLERK),
    ("/desk/map", CLERK),
)
"""The first page of everybody, and the longest lists."""


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """The SQL statements that are sent meanwhile."""
    said: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        said.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(engine, "before_cursor_execute", note)


def timed(found: Demonstration, path: str, who: str, rounds: int) -> tuple[float, float]:
    """The medians of so many requests, in milliseconds by the clock and of the processor; one before them warms up."""
    taken, worked = [], []
    for _ in range(rounds + 1):
        start, begun = time.perf_counter(), time.process_time()
        answer = found.call("GET", path, who)
        taken.append((time.perf_counter() - start) * 1000)
        worked.append((time.process_time() - begun) * 1000)
        assert answer.status_code == 200, (path, answer.status_code)
    return median(taken[1:]), median(worked[1:])


def main() -> None:
    """Print a line for each page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    with demonstration() as found:
        base, _ = timed(found, BASELINE, "", asked.rounds)
        print(f"{BASELINE:<16} {base:7.1f} ms")
        for path, who in PAGES:
            usual, work = timed(found, path, who, asked.rounds)
            with counted(found.database.engine) as said:
                found.call("GET", path, who)
            told = f"{usual:7.1f} ms ({work:.1f} of the processor), {usual / base:5.1f} × {BASELINE}"
            print(f"{path:<16} {told}, {len(said)} statements")


if __name__ == "__main__":
    main()
