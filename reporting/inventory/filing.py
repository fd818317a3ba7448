"""Inventory files as staff imports them on a page: just what a trial showed, at once or by the worker; kept a while.

Before anything is written the trial is made again: where the record or the rules have changed since, nothing is
written, and it is said what the file would do now. A long file is worked off by the worker, a commit a chunk; one that
was stopped in the middle goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from reporting.histories import county_program
from reporting.ids import new_id
from reporting.intake.accept import Upload
from reporting.intake.reading import BEYOND, keepable
from reporting.intake.rejected import rejected_table
from reporting.intake.sheet import Limits, Row
from reporting.inventory.answers import REJECTED, InventoryAnswer
from reporting.inventory.columns import COLUMNS, Day
from reporting.inventory.importing import import_inventory, load_inventory, open_inventory
from reporting.store.engine import Database, Store
from reporting.store.imports import forget_imports, get_import, keep_import, list_imports, update_import
from reporting.store.inventory import hold_inventory
from schemas.calendar import local_date
from schemas.program import Program

AT_ONCE: Final = 2_000
"""Rows that are imported in the call itself; about two seconds, in which nobody else writes in the county."""
KEPT: Final = timedelta(days=30)
"""How long a file stays to look at and its wrong rows to download; what it changed stays on record for good."""


class ImportState(StrEnum):
    """How far a file is. `DIFFERS`: nothing was written: the file would do something else now than its trial said."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    DIFFERS = "differs"


OPEN: Final = (ImportState.WAITING, ImportState.WORKING)


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be imported: the file, what its trial promised (`plan_sha256`), by whom, when, how much at most."""

    upload: Upload
    plan_sha256: str
    by: str
    now: datetime
    limits: Limits
    at_once: int = AT_ONCE


def try_import(
    store: Store, program: Program, upload: Upload, by: str, now: datetime, limits: Limits
) -> InventoryAnswer:
    """What a file would do; nothing is written. Raises `FileRefused`."""
    return _take(store, program, upload, by, now, limits, dry_run=True)


def file_import(store: Store, program: Program, order: Order) -> str | InventoryAnswer:
    """Import a file as its trial showed it, or keep a long one for the worker: the id under which its result stands.

    Where it would do something else now, nothing is written, and what it would do is given. Raises `FileRefused`.
    """
    upload, digest = order.upload, hashlib.sha256(order.upload.data).hexdigest()
    opened = open_inventory(
        upload.data, day_of(program, order.now), upload.file_name, upload.content_type, order.limits
    )
    row: dict[str, Any] = {
        "id": new_id("imp", order.now),
        "state": ImportState.WAITING.value,
        "principal": order.by,
        "received_at": order.now,
        "file_name": upload.file_name,
        "content_type": upload.content_type,
        "file_sha256": digest,
        "plan_sha256": order.plan_sha256,
        "data": upload.data,
        "rows": opened.sheet.row_count,
    }
    if opened.sheet.row_count <= order.at_once:
        hold_inventory(store)
        planned = _take(store, program, upload, order.by, order.now, order.limits, dry_run=True)
        if planned.plan_sha256 != order.plan_sha256:
            return planned
        answer = _take(store, program, upload, order.by, order.now, order.limits, dry_run=False)
        row |= {**_ended(answer, ImportState.DONE, order.now), "done": answer.rows}
    keep_import(store, row)
    return str(row["id"])


def work_off_import(
    database: Database,
    county: str,
    import_id: str,
    clock: Callable[[], datetime],
    stopping: Callable[[], bool] = lambda: False,
) -> bool:
    """Import one file that waits; whether it came to its end, rather than was stopped in between."""
    with database.reading(county) as store:
        row = get_import(store, import_id)
        program = county_program(store, county, on=clock().date())
    if row is None or row["state"] not in OPEN:
        return True
    upload = Upload(data=row["data"], file_name=row["file_name"], content_type=row["content_type"])
    about: dict[str, Any] = {
        "file_name": upload.file_name, "content_type": upload.content_type, "principal": row["principal"]
    }  # fmt: skip
    if row["state"] == ImportState.WAITING:
        planned = load_inventory(database, program, upload.data, now=clock(), dry_run=True, **about)
        if planned.plan_sha256 != row["plan_sha256"]:
            _update(database, county, import_id, _ended(planned, ImportState.DIFFERS, clock()))
            return True
        _update(database, county, import_id, {"state": ImportState.WORKING.value})

    def advance(rows: int) -> None:
        _update(database, county, import_id, {"done": rows})
        if stopping():
            raise _StoppedError

    try:
        answer = load_inventory(database, program, upload.data, now=clock(), on_progress=advance, **about)
    except _StoppedError:
        return False
    _update(database, county, import_id, _ended(answer, ImportState.DONE, clock()))
    return True


def waiting_imports(store: Store) -> list[str]:
    """The county's files that wait for the worker, the oldest first."""
    return [row["id"] for row in reversed(list_imports(store, 100, [str(state) for state in OPEN]))]


def forget_old_imports(store: Store, now: datetime) -> int:
    """Drop the files of the county that are done for long; how many."""
    return forget_imports(store, now - KEPT)


def rejected_lines(row: Mapping[str, Any], program: Program) -> list[list[str]]:
    """The wrong rows of a file as a table to mend, heading first: as they came, with what is wrong beside.

    row: as `get_import` gives it, with its answer.
    """
    wrong = {one["row"]: one["errors"] for one in row["answer"]["outcomes"] if one["outcome"] == REJECTED}
    day = day_of(program, row["received_at"])
    opened = open_inventory(row["data"], day, row["file_name"], row["content_type"])
    rows = [{"cells": cells_of(one), "errors": wrong[one.number]} for one in opened.sheet.rows if one.number in wrong]
    aliases = {name: (name, *column.aliases) for name, column in COLUMNS.items()}
    return rejected_table(opened.sheet.headings, rows, aliases, {})


def day_of(program: Program, now: datetime) -> Day:
    """The day on which a file is read."""
    today: date = local_date(now, program.timezone)
    return Day(today=today, time_zone=program.timezone)


def cells_of(row: Row) -> dict[str, str]:
    """A row's cells as they stand in the file, by their headings."""
    beyond: Iterator[tuple[str, str]] = ((f"{BEYOND}{n})", text) for n, text in enumerate(row.surplus, 1))
    return {heading: keepable(cell.text) for heading, cell in row.cells.items()} | {h: keepable(t) for h, t in beyond}


def _take(
    store: Store, program: Program, upload: Upload, by: str, now: datetime, limits: Limits, *, dry_run: bool
) -> InventoryAnswer:
    return import_inventory(
        store,
        program,
        upload.data,
        file_name=upload.file_name,
        content_type=upload.content_type,
        principal=by,
        now=now,
        dry_run=dry_run,
        limits=limits,
    )


def _ended(answer: InventoryAnswer, state: ImportState, now: datetime) -> dict[str, Any]:
    return {"state": state.value, "ended_at": now, "answer": answer.as_json(only_issues=True)}


def _update(database: Database, county: str, import_id: str, changes: Mapping[str, Any]) -> None:
    with database.transaction(county) as store:
        update_import(store, import_id, changes)


class _StoppedError(Exception):
    """The worker is to stop; what is committed stays, and the rest waits."""
