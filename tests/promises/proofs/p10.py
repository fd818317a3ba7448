"""P10: no input causes an error of ours, a hang or growth.

In process, where no database is (so on SQLite's turn only): mutated files, read to their last row. Over HTTP, to a real
gunicorn on each database: mutated files of every content type, every input that the promise names (`seeds`), and
requests whose frame is wrong. PostgreSQL's turn has a twin on SQLite which is sent the same and must answer the same.

Full size: 100,000 files in process and 5,000 over HTTP on each database; none above 2 s; memory below +50 MB.
The controls are readers, a server and a twin as they must not be.
"""

from __future__ import annotations

import csv
import ctypes
import gc
import io
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from reporting.intake.opening import open_file
from reporting.intake.sheet import FileRefused, Limits
from schemas.issues import CODES, VALUE_CODES, Issue
from schemas.loader import shipped_program
from schemas.report import check_report
from tests.promises.mutating import monsters, mutated
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.seeds import deep, seeds, texts
from tests.promises.talking import KINDS, Talk, talking

SEED = 20_260_713
IN_PROCESS = {Size.SMOKE: 10_000, Size.FULL: 100_000}
OVER_HTTP = {Size.SMOKE: 100, Size.FULL: 5_000}
SLOWEST = {Size.SMOKE: 20.0, Size.FULL: 2.0}
"""Seconds for one input: the figure, and in `make test` ten times as much, against a hang on a busy machine."""
GROWTH = 50_000_000
OF_THE_WHOLE_ROW = {"shifted_row", "unreadable_row"}
CATALOGUE = {*map(str, CODES), *VALUE_CODES}
TODAY = date(2026, 7, 13)
Read = Callable[[bytes], Iterable[Issue]]


def read(data: bytes) -> Iterator[Issue]:
    """What the intake says of a file's rows; a refusal is one sentence about the whole."""
    program = shipped_program("ozaukee")
    try:
        file = open_file(program, data, None, None, Limits(), TODAY)
    except FileRefused as refusal:
        detail, status = refusal.detail, refusal.status
        if not (10 < len(detail) < 1_000 and detail.endswith(".") and status in (413, 415, 422)):
            raise ValueError(f"a refusal without a sentence: {status} {detail}") from refusal
        return
    for row in file.rows():
        yield from row.issues
        if all(issue.field for issue in row.issues):
            unread = {issue.field for issue in row.issues}
            yield from (row.place(i) for i in check_report(program, row.values) if i.field not in unread)


def nameless_in(issue: Issue) -> str:
    """What an issue fails to name, in words; empty: nothing."""
    wrong = {
        "row": isinstance(issue.row, int) and issue.row > 0,
        "column": bool(issue.field) or str(issue.code) in OF_THE_WHOLE_ROW,
        "known code": str(issue.code) in CATALOGUE,
        "reason": 10 < len(issue.message) < 500,
        "short value": issue.value is None or len(issue.value) <= 200,
    }
    return ", ".join(name for name, right in wrong.items() if not right)


@dataclass(kw_only=True)
class Tally:
    """What reading many files came to."""

    files: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0


def read_all(files: Iterable[bytes], read: Read, patience: float, stop_at: int = 20) -> Tally:
    """Read every file: it is read or refused, in time, and each rejection names row, column and reason."""
    tally = Tally()
    for number, data in enumerate(files):
        start = time.perf_counter()
        try:
            for issue in read(data):
                tally.codes[str(issue.code)] += 1
                if lacks := nameless_in(issue):
                    tally.faults.append(f"file {number}: an issue without {lacks}: {issue}")
        except Exception as error:
            tally.faults.append(f"file {number}: {type(error).__name__}: {str(error)[:100]}")
        took = time.perf_counter() - start
        tally.slowest = max(tally.slowest, took)
        if took > patience:
            tally.faults.append(f"file {number} took {took:.1f} s")
        tally.files += 1
        if len(tally.faults) >= stop_at:
            break
    return tally


def resident() -> int:
    """Bytes of this process in memory, without what its allocator only holds ready: growth would hide in that."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def in_process(count: int, read: Read, patience: float) -> Outcome:
    """`count` mutated files and the monsters, read here."""
    warm = read_all([*mutated(200, SEED + 1), *monsters()], read, patience)  # what is loaded once is loaded
    before, start = resident(), time.perf_counter()
    tally = read_all(mutated(count, SEED), read, patience)
    grown, took = resident() - before, time.perf_counter() - start
    return Outcome(
        figures={
            "files in process": tally.files, "rejections, each named": sum(tally.codes.values()),
            "slowest file, s": max(warm.slowest, tally.slowest), "memory in process, MB": grown / 1e6,
            "files a second": round(tally.files / took),
        },
        windows={"kinds of rejection in process": len(tally.codes)},
        failures=(*warm.faults, *tally.faults, *_growth(grown, "the reader")),
    )  # fmt: skip


def _growth(grown: int, whose: str) -> list[str]:
    return [f"{whose}: memory grew by {grown / 1e6:.0f} MB"] if grown > GROWTH else []


def over_http(arena: Arena, size: Size) -> Outcome:
    """Mutated files, seeds and wrong frames to a real server and, where there is a twin, to both."""
    count = OVER_HTTP[size]
    with talking(arena, SLOWEST[size]) as talk:
        talk.send_seeds(seeds())
        before = talk.resident()
        send_files(talk, count)
        talk.send_frames()
        if size is Size.FULL:
            talk.send_seeds(deep())  # what was laid aside for the first giants must do for these
        grown = talk.resident() - before
        talk.still_works()
        return _told(talk, count, grown)


def send_files(talk: Talk, count: int) -> None:
    """Mutated files of every content type, half of them for good."""
    for number, data in enumerate(mutated(count, SEED)):
        talk.send_file(data, KINDS[number % len(KINDS)], dry_run=number % 2 == 1)


def _told(talk: Talk, count: int, grown: int) -> Outcome:
    kinds = len({status for status in talk.statuses if status})
    mistakes = sum(times for status, times in talk.statuses.items() if status >= 500)
    return Outcome(
        figures={
            "files over HTTP": count, "named inputs": len(talk.named), "5xx": mistakes,
            "slowest answer, s": talk.slowest, "server's memory, MB": grown / 1e6,
            **({"answers compared with SQLite's": talk.compared} if talk.twin else {}),
        },
        windows={
            "kinds of answer": kinds, "kinds of rejection": len(talk.codes), "rows taken over HTTP": talk.taken,
        },
        failures=(*talk.faults, *_growth(grown, "the server")),
    )  # fmt: skip


def run(arena: Arena, size: Size) -> Outcome:
    """Both parts."""
    told = over_http(arena, size)
    if arena.kind != "sqlite":
        # No database is read in the other part: once is enough.
        return told
    here = in_process(IN_PROCESS[size], read, SLOWEST[size])
    return Outcome(
        figures={**here.figures, **told.figures},
        windows={**here.windows, **told.windows},
        failures=(*here.failures, *told.failures),
    )


def naive(data: bytes) -> Iterator[Issue]:
    """A reader as it must not be: the standard one, and `int`."""
    for number, row in enumerate(csv.DictReader(io.StringIO(data.decode("utf-8"))), start=2):
        if int(row["gallons_pumped"]) < 0:
            yield Issue(code="negative", field="gallons_pumped", message="Give gallons of 0 or more.", row=number)


def nameless(data: bytes) -> Iterator[Issue]:
    """A reader that does not say which column."""
    return (replace(issue, field=None) for issue in read(data))


def hanging(data: bytes) -> Iterator[Issue]:
    """A reader that takes its time over one kind of file."""
    if data.count(b'"') > 3:
        time.sleep(SLOWEST[Size.FULL] + 0.1)
    return read(data)


def hoarding() -> Read:
    """A reader that lets go of nothing."""
    kept: list[bytes] = []

    def read_and_keep(data: bytes) -> Iterator[Issue]:
        kept.append(bytes(200_000))
        kept[-1] = kept[-1].replace(b"\x00", b"\x01")  # else the pages are never touched
        return read(data)

    return read_and_keep


def reader(read: Callable[[], Read]) -> Run:
    """The control with another reader."""

    def run(arena: Arena, size: Size) -> Outcome:
        spoilt = read()
        before = resident()
        tally = read_all(mutated(400, SEED), spoilt, SLOWEST[Size.FULL], stop_at=1)
        return Outcome(figures={}, failures=(*tally.faults, *_growth(resident() - before, "the reader")))

    return run


def server(**how: Any) -> Run:
    """The control with a server that breaks, or with a twin over other data."""

    def run(arena: Arena, size: Size) -> Outcome:
        with talking(arena, SLOWEST[Size.SMOKE], **how) as talk:
            talk.send_seeds(texts())
            send_files(talk, 20)
            return Outcome(figures={}, failures=tuple(talk.faults))

    return run


PROOF = Proof(
    promise="P10",
    says="No input causes an error of ours, a hang or growth; every rejection names row, column and reason.",
    run=run,
    in_small=("sqlite",),
    controls={
        "the standard reader": reader(lambda: naive),
        "a reader that names no column": reader(lambda: nameless),
        "a reader that hangs": reader(lambda: hanging),
        "a reader that keeps everything": reader(hoarding),
        "a server that breaks on NUL": server(spoil="fragile"),
        "a twin with other data": server(unlike=True),
    },
    least={"kinds of rejection": (15, 15), "kinds of answer": (4, 4), "rows taken over HTTP": (20, 500)},
)
