"""P10: no file causes an error of ours, a hang or growth. Its smoke: 10,000 mutated files in process, 300 over HTTP.

The controls are readers as they must not be; the same check finds them out.
"""

import csv
import gc
import io
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reporting.intake.opening import open_file
from reporting.intake.sheet import FileRefused, Limits
from schemas.issues import CODES, VALUE_CODES, Issue
from schemas.loader import shipped_program
from schemas.report import check_report
from tests.files.shapes import NAMES, USUAL
from tests.promises.mutating import monsters, mutated
from tests.reporting.api.world import HOME, World, make_world
from tests.services.databases import DatabaseUrls

SEED, MANY, OVER_HTTP = 20_260_713, 10_000, 300
SLOWEST, ALL_WITHIN, GROWTH = 2.0, 40.0, 50_000_000
HANG_GUARD = 10
"""How much slower than the figures a run may be on a busy machine before it counts as hanging."""
OF_THE_WHOLE_ROW = {"shifted_row", "unreadable_row"}
CATALOGUE = {*map(str, CODES), *VALUE_CODES}
TODAY = date(2026, 7, 13)
Read = Callable[[bytes], Iterable[Issue]]


def read(data: bytes) -> Iterator[Issue]:
    """What the intake says of a file's rows; a refusal is one sentence about the whole."""
    program = shipped_program("ozaukee")
    refusal = None
    try:
        file = open_file(program, data, None, None, Limits(), TODAY)
    except FileRefused as error:
        refusal = error
    if refusal is not None:
        assert 10 < len(refusal.detail) < 1_000, refusal.detail
        assert refusal.detail.endswith(".")
        assert refusal.status in (413, 415, 422)
        return
    for row in file.rows():
        yield from row.issues
        if all(issue.field for issue in row.issues):
            unread = {issue.field for issue in row.issues}
            yield from (row.place(i) for i in check_report(program, row.values) if i.field not in unread)


def check(files: Iterable[bytes], read: Read, slowest: float = SLOWEST * HANG_GUARD) -> Counter[str]:
    """Every file is read or refused, in time; every rejection names row, column and reason. Gives how many of each."""
    found: Counter[str] = Counter()
    for number, data in enumerate(files):
        start = time.perf_counter()
        for issue in read(data):
            named = (number, issue)
            assert isinstance(issue.row, int), named
            assert issue.row > 0, named
            assert issue.field or str(issue.code) in OF_THE_WHOLE_ROW, named
            assert str(issue.code) in CATALOGUE, named
            assert 10 < len(issue.message) < 500, named
            assert issue.value is None or len(issue.value) <= 200, named
            found[str(issue.code)] += 1
        assert time.perf_counter() - start < slowest, f"file {number} took too long"
        found["files"] += 1
    return found


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_ten_thousand_mutated_files(capsys: pytest.CaptureFixture[str]) -> None:
    check(mutated(200, SEED + 1), read)  # what is loaded once is loaded
    before, start = resident(), time.perf_counter()
    found = check(mutated(MANY, SEED), read)
    took, grown = time.perf_counter() - start, resident() - before
    with capsys.disabled():
        print(f"\nP10: {MANY} files in {took:.1f} s, memory {grown / 1e6:+.1f} MB, {sum(found.values()) - MANY} faults")
    assert found["files"] == MANY
    assert len(found) > 15, f"inconclusive: too few kinds of fault {found}"
    assert took < ALL_WITHIN * HANG_GUARD
    assert grown < GROWTH


def test_single_monsters() -> None:
    for data in monsters():
        start = time.perf_counter()
        assert check([data], read)["files"] == 1
        assert time.perf_counter() - start < SLOWEST * HANG_GUARD


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
        time.sleep(SLOWEST + 0.1)
    return read(data)


@pytest.mark.parametrize("control", [naive, nameless, hanging])
def test_readers_as_they_must_not_be_are_found_out(control: Read) -> None:
    with pytest.raises((AssertionError, ValueError, KeyError, TypeError, csv.Error)):
        check(mutated(300, SEED), control, slowest=SLOWEST)


@pytest.fixture
def world(database: DatabaseUrls, tmp_path: Path) -> Iterator[World]:
    found = make_world(database, tmp_path)
    yield found
    found.database.dispose()


KINDS = ["text/csv", "application/json", "application/octet-stream", "text/plain", ""]


def shown(answer: Any) -> tuple[int, Any]:
    """An answer without what is another one each time."""
    body = answer.json
    assert isinstance(body, dict)
    outcomes = [(o["row"], o["outcome"], o["errors"]) for o in body.get("outcomes", [])]
    return answer.status_code, outcomes or body.get("detail")


def test_three_hundred_over_http(world: World) -> None:
    files = [*monsters(), *mutated(OVER_HTTP, SEED)][:OVER_HTTP]
    statuses: Counter[int] = Counter()
    slowest = 0.0
    for number, data in enumerate(files):
        start = time.perf_counter()
        answer = world.send(
            HOME, data, content_type=KINDS[number % len(KINDS)], query="?dry_run=true" if number % 2 else ""
        )
        slowest = max(slowest, time.perf_counter() - start)
        status, _ = shown(answer)
        assert status < 500, (number, answer.text[:300])
        for error in answer.json.get("errors", []):
            assert error["row"], (number, error)
            assert error["field"] or error["code"] in OF_THE_WHOLE_ROW, (number, error)
        statuses[status] += 1
    assert slowest < SLOWEST * HANG_GUARD
    assert {201, 207, 422, 415} <= statuses.keys(), f"inconclusive: {statuses}"
    good = {name: value for name, value in USUAL.items() if name in NAMES}
    assert world.post(f"/v1/{HOME}/reports", {**good, "report_ref": "LAST", "gallons_pumped": 900}).status_code == 201
