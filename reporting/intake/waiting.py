"""Long files: kept as they came, answered at once, and worked off by the worker, a commit a chunk.

What has been committed of a file is known by its `next_row`, which moves in the same transaction as the rows before it:
a worker that dies leaves whole chunks behind, and the next one goes on there. Every chunk is judged by the database
alone, so that it does not matter who did the one before.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from reporting.histories import county_program
from reporting.intake.accept import (
    CHUNK,
    SHOWN_IN_RECEIPT,
    WORKING,
    Begun,
    Options,
    Upload,
    Work,
    begin,
    enter,
    paper_at,
    take_begun,
)
from reporting.intake.answer import Answer, Refused, RowAnswer, stored_in_receipt
from reporting.intake.credentials import Sender
from reporting.intake.opening import LACKING, OpenFile, open_file
from reporting.intake.reading import ReadRow
from reporting.intake.recording import Submission
from reporting.intake.sheet import Limits
from reporting.store.engine import Database, Store
from reporting.store.log import hold
from reporting.store.signing import Signer
from reporting.store.submissions import (
    count_outcomes,
    drop_file,
    get_submission,
    keep_file,
    kept_file,
    lacking_fields,
    list_submissions,
    outcome_page,
    update_submission,
)
from schemas.calendar import local_date
from schemas.program import Program

WAITING: Final = "waiting"
OPEN: Final = (WAITING, WORKING)
_AT_ONCE: Final = 100
# A file that waits was held against its limits when it came.
_NO_LIMITS: Final = Limits(
    max_bytes=2**40, max_rows=2**40, max_columns=2**20, max_unpacked_bytes=2**40, max_cells=2**40
)


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A long file that was taken in: its rows are judged later, and its address tells how far they are."""

    id: str
    rows: int


def receive(
    store: Store,
    program: Program,
    sender: Sender,
    upload: Upload,
    now: dt.datetime,
    signer: Signer,
    opts: Options,
    *,
    longest: int,
) -> Answer | Refused | Waiting:
    """Take a file now, or where it has more than `longest` rows, keep it for the worker.

    What cannot be read at all is refused in either case. A dry run stores nothing, so that it is always done now.
    """
    begun = begin(store, program, sender, upload, now, opts)
    if isinstance(begun, Refused):
        return begun
    if begun.file.sheet.row_count > longest and not opts.dry_run:
        return keep_waiting(store, begun, upload, opts)
    return take_begun(store, program, sender, begun, signer, opts)


def keep_waiting(store: Store, begun: Begun, upload: Upload, opts: Options) -> Waiting:
    """Store a file that was opened, for the worker."""
    rows = begun.file.sheet.row_count
    enter(store, begun, status=WAITING, rows=rows)
    received_on = opts.received_on.isoformat() if opts.received_on else None
    options = {"received_on": received_on, "learned": dict(begun.learned)}
    keep_file(store, begun.submission.id, upload.data, options)
    return Waiting(id=begun.submission.id, rows=rows)


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one chunk came to: the rows' answers, and whether the file is done."""

    answers: list[RowAnswer]
    done: bool


@dataclass(kw_only=True)
class WaitingFile:
    """One file that is being worked off: opened once, and again from the start wherever another worker has gone on."""

    id: str
    chunk: int = CHUNK
    _file: OpenFile | None = None
    _options: Mapping[str, Any] = field(default_factory=dict)
    _rows: Iterator[ReadRow] = field(default_factory=lambda: iter(()))
    _next_row: int = -1

    def step(self, store: Store, signer: Signer, now: dt.datetime) -> Step | None:
        """Judge and store the next chunk in the caller's transaction, which holds the submission from here on.

        With `atomic`, the chunk is all of it. None when there is nothing (more) to do.
        """
        row = get_submission(store, self.id, lock=True)
        if row is None or row["status"] not in OPEN:
            return None
        hold(store)  # reports that somebody else sends at this moment wait, or have been found
        program = county_program(store, store.tenant, on=_receipt_day(store, row))
        file = self._open(store, program, row)
        if file is None:
            return None
        if self._next_row != row["next_row"]:
            file.totals.clear()
            self._rows = (each for each in file.rows() if each.number >= row["next_row"])
        part = list(self._rows if row["atomic"] else islice(self._rows, self.chunk))
        self._next_row = -1  # until the caller has committed, nobody knows where the rows stand
        work = _work(store, program, signer, row, self._options, now)
        answers = work.take_rows(iter(part))
        next_row = part[-1].number + 1 if part else row["next_row"]
        done = row["atomic"] or len(part) < self.chunk
        counts = count_outcomes(store, self.id)
        update_submission(store, self.id, {**counts, "status": WORKING, "next_row": next_row})
        if done:
            _finish(store, work, file, counts)
        return Step(answers=answers, done=done)

    def committed(self, step: Step) -> None:
        """Go on behind the rows of this step, which are in the database now."""
        if step.answers:
            self._next_row = step.answers[-1].row + 1

    def _open(self, store: Store, program: Program, row: Mapping[str, Any]) -> OpenFile | None:
        if self._file is None and (kept := kept_file(store, self.id)) is not None:
            data, self._options = kept
            day = _received_on(self._options) or local_date(row["received_at"], program.timezone)
            self._file = open_file(
                program, data, row["file_name"], row["content_type"], _NO_LIMITS, day, learned=self._options["learned"]
            )
        return self._file


def _received_on(options: Mapping[str, Any]) -> dt.date | None:
    return dt.date.fromisoformat(options["received_on"]) if options["received_on"] else None


def _receipt_day(store: Store, row: Mapping[str, Any]) -> dt.date:
    zone = county_program(store, store.tenant, on=row["received_at"].date()).timezone
    return local_date(row["received_at"], zone)


def _work(
    store: Store,
    program: Program,
    signer: Signer,
    row: Mapping[str, Any],
    options: Mapping[str, Any],
    now: dt.datetime,
) -> Work:
    submission = Submission(
        id=row["id"],
        file_sha256=row["file_sha256"],
        principal=row["principal"],
        now=max(now, row["received_at"]),
        today=local_date(row["received_at"], program.timezone),
        historical=row["historical"],
        paper=paper_at(program, _received_on(options)),
        received_at=row["received_at"],
    )
    sender = Sender(name=row["principal"], contractor_id=row["contractor_id"])
    return Work(
        store=store,
        program=program,
        sender=sender,
        signer=signer,
        submission=submission,
        file_name=row["file_name"],
        atomic=row["atomic"],
    )


def _finish(store: Store, work: Work, file: OpenFile, counts: Mapping[str, int]) -> None:
    columns = file.columns_without(lacking_fields(store, work.submission.id, [str(code) for code in LACKING]))
    shown = [stored_in_receipt(row) for row in outcome_page(store, work.submission.id, limit=SHOWN_IN_RECEIPT)]
    work.close(file, {"rows": sum(counts.values()), **counts}, columns, shown)
    drop_file(store, work.submission.id)


def work_off(
    database: Database,
    county: str,
    submission_id: str,
    signer: Signer,
    clock: Callable[[], dt.datetime],
    *,
    chunk: int = CHUNK,
    stopping: Callable[[], bool] = lambda: False,
    on_step: Callable[[Step], None] = lambda step: None,
) -> bool:
    """Work off one file, a transaction a chunk; whether it is done, rather than stopped in between."""
    waiting = WaitingFile(id=submission_id, chunk=chunk)
    while not stopping():
        with database.transaction(county) as store:
            step = waiting.step(store, signer, clock())
        if step is None:
            return True
        waiting.committed(step)
        on_step(step)
        if step.done:
            return True
    return False


def waiting_files(database: Database, county: str) -> list[str]:
    """The files of a county that are to be worked off, the oldest first."""
    with database.reading(county) as store:
        rows = [row for status in OPEN for row in list_submissions(store, status=status, limit=_AT_ONCE)]
    return [row["id"] for row in sorted(rows, key=lambda row: (row["received_at"], row["id"]))]
