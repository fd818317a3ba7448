"""A submission from the bytes somebody sent to the answer: every row in exactly one state, all of it in the caller's
transaction, so that the answer is true as soon as that transaction is committed.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from zoneinfo import ZoneInfo

from reporting.histories import NO_LICENCES, Licences
from reporting.ids import new_id
from reporting.intake.answer import Answer, Refused, RowAnswer, answer_row
from reporting.intake.credentials import Sender
from reporting.intake.judging import Progress, judge_rows
from reporting.intake.learned import learned_headings
from reporting.intake.opening import OpenFile, open_file
from reporting.intake.outcomes import Judged, Outcome
from reporting.intake.reading import ReadRow, keepable
from reporting.intake.recording import Recording, Submission, record_chunk, record_submission, try_chunk
from reporting.intake.sheet import FileRefused, Limits
from reporting.store.engine import Store
from reporting.store.events_out import record_domain_events
from reporting.store.log import checkpoint
from reporting.store.signing import SignedHead, Signer, checkpoint_note
from reporting.store.submissions import insert_submission, update_submission
from schemas.calendar import local_date
from schemas.issues import Code, Issue
from schemas.program import Program

CHUNK = 5_000
WORKING = "working"
DONE = "done"
SHOWN_IN_RECEIPT = 50
_LONGEST_NAME = 300


@dataclass(frozen=True, kw_only=True)
class Upload:
    """What was sent: the bytes, and what the sender calls them."""

    data: bytes
    file_name: str | None = None
    content_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a submission is taken.

    historical: backlog, judged for duties and never for lateness. strict: an unknown field is an error (one JSON
    report), not a column to be named (a file). received_on: the day on which the county received a paper report, or of
    its postmark, where a clerk enters it later: lateness is judged by it.
    """

    dry_run: bool = False
    atomic: bool = False
    historical: bool = False
    strict: bool = False
    received_on: dt.date | None = None
    limits: Limits = field(default_factory=Limits)


def submit(
    store: Store,
    program: Program,
    sender: Sender,
    upload: Upload,
    now: dt.datetime,
    signer: Signer,
    options: Options | None = None,
) -> Answer | Refused:
    """Take a file of reports. A file that cannot be read is refused whole, in one sentence, and only that is stored.

    The caller's transaction makes it true; nothing is sent here. program: the county's own on the day of `now`.
    """
    opts = options or Options()
    begun = begin(store, program, sender, upload, now, opts)
    return begun if isinstance(begun, Refused) else take_begun(store, program, sender, begun, signer, opts)


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A file that can be read, before any of its rows is. `head`: its row of `submission`; `learned`: its headings."""

    submission: Submission
    head: dict[str, object]
    file: OpenFile
    learned: Mapping[str, str | None]


def begin(
    store: Store, program: Program, sender: Sender, upload: Upload, now: dt.datetime, opts: Options
) -> Begun | Refused:
    """Open a file and look at its headings; a refusal is stored unless it is a dry run."""
    today = local_date(now, program.timezone)
    live_from = program.day("live_from")
    received_on = opts.received_on or today
    historical = opts.historical or (live_from is not None and received_on < live_from)
    submission = Submission(
        id=new_id("sub", now),
        file_sha256=hashlib.sha256(upload.data).hexdigest(),
        principal=sender.name,
        now=now,
        today=today,
        historical=historical,
        paper=paper_at(program, opts.received_on),
    )
    head = _submission_row(submission, sender, upload, opts)
    learned = learned_headings(store, sender.contractor_id)
    try:
        if received_on > today:
            detail = f"Give a day of receipt that is not in the future: today is {today}."
            raise FileRefused("received_in_future", detail)
        file = open_file(
            program, upload.data, upload.file_name, upload.content_type, opts.limits, received_on,
            strict=opts.strict, learned=learned,
        )  # fmt: skip
    except FileRefused as refusal:
        refused = Refused(code=refusal.code, detail=refusal.detail, status=refusal.status, headings=refusal.headings)
        if not opts.dry_run:
            insert_submission(store, {**head, "status": "refused", "columns": {"refused": refused.as_json()}})
        return refused
    return Begun(submission=submission, head=head, file=file, learned=learned)


def take_begun(store: Store, program: Program, sender: Sender, begun: Begun, signer: Signer, opts: Options) -> Answer:
    """Take a file that was opened, all of it in the caller's transaction."""
    if not opts.dry_run:
        enter(store, begun, status=WORKING)
    work = Work(
        store=store,
        program=program,
        sender=sender,
        signer=signer,
        submission=begun.submission,
        file_name=str(begun.head["file_name"] or "") or None,
        dry_run=opts.dry_run,
        atomic=opts.atomic,
    )
    return work.take(begun.file)


def enter(store: Store, begun: Begun, *, status: str, rows: int = 0) -> None:
    """Store that a file was handed in, before any of its rows is judged."""
    columns = {"headings": [keepable(h) for h in begun.file.sheet.headings]}
    insert_submission(store, {**begun.head, "status": status, "rows": rows, "columns": columns})
    record_submission(store, begun.submission, str(begun.head["file_name"] or "") or None)


def paper_at(program: Program, received_on: dt.date | None) -> dt.datetime | None:
    """Noon of the day on which a paper report was received: of the moment nothing is known."""
    return dt.datetime.combine(received_on, dt.time(12), ZoneInfo(program.timezone)) if received_on else None


def _submission_row(submission: Submission, sender: Sender, upload: Upload, opts: Options) -> dict[str, object]:
    return {
        "id": submission.id,
        "contractor_id": sender.contractor_id,
        "principal": sender.name,
        "received_at": submission.now,
        "file_name": keepable(upload.file_name[:_LONGEST_NAME]) if upload.file_name else None,
        "content_type": keepable(upload.content_type[:_LONGEST_NAME]) if upload.content_type else None,
        "file_sha256": submission.file_sha256,
        "dry_run": opts.dry_run,
        "atomic": opts.atomic,
        "historical": submission.historical,
    }


@dataclass(frozen=True, kw_only=True)
class _Chunk:
    """Some rows judged, with what is on file of the licences they name."""

    rows: list[Judged]
    licences: Licences = NO_LICENCES


@dataclass(frozen=True, kw_only=True)
class Work:
    """One submission under way in one transaction: what every chunk of it needs."""

    store: Store
    program: Program
    sender: Sender
    signer: Signer
    submission: Submission
    file_name: str | None
    dry_run: bool = False
    atomic: bool = False

    def take(self, file: OpenFile) -> Answer:
        """The whole file, to its answer."""
        answer = self._answer(file, self.take_rows(file.rows()))
        if not self.dry_run:
            shown = [o.in_receipt() for o in answer.outcomes[:SHOWN_IN_RECEIPT]]
            self.close(file, answer.counts, answer.columns, shown)
        return answer

    def take_rows(self, rows: Iterator[ReadRow]) -> list[RowAnswer]:
        """Rows, a chunk at a time; with `atomic` nothing is written before the last one has been judged."""
        chunks: Iterable[_Chunk] = self._judge(rows)
        if self.atomic:
            chunks = _all_or_nothing(list(chunks))
        answers: list[RowAnswer] = []
        for part in chunks:
            recording = self._record(part)
            answers += [answer_row(j, recording) for j in part.rows]
        return answers

    def _judge(self, rows: Iterator[ReadRow]) -> Iterator[_Chunk]:
        progress = Progress()
        while part := list(islice(rows, CHUNK)):
            judged = judge_rows(self.store, self.program, self.sender, part, progress, self.submission.now)
            yield _Chunk(rows=judged.rows, licences=judged.licences)

    def _record(self, part: _Chunk) -> Recording:
        if self.dry_run:
            return try_chunk(self.program, part.rows, self.submission, part.licences)
        return record_chunk(self.store, self.program, part.rows, self.submission, part.licences, self.signer)

    def _answer(self, file: OpenFile, answers: Sequence[RowAnswer]) -> Answer:
        signed: SignedHead | None = None
        if not self.dry_run:
            signed = checkpoint(self.store, self.signer, self.submission.now)
        return Answer(
            id=self.submission.id,
            county=self.program.slug,
            received_at=self.submission.now,
            file_sha256=self.submission.file_sha256,
            dry_run=self.dry_run,
            columns=file.columns(chain.from_iterable(a.errors for a in answers)),
            outcomes=tuple(answers),
            head=signed,
            notes=file.notes(),
        )

    def close(
        self,
        file: OpenFile,
        counts: Mapping[str, int],
        columns: Mapping[str, object],
        shown: Sequence[Mapping[str, object]],
    ) -> None:
        """Note what became of the whole file, and leave the event of its receipt. `shown`: rows to be named there."""
        kept = {**columns, "headings": [keepable(h) for h in file.sheet.headings], "notes": list(file.notes())}
        update_submission(self.store, self.submission.id, {**counts, "status": DONE, "columns": kept})
        receipt = {
            "submission": self.submission.id,
            "contractor_id": self.sender.contractor_id,
            "principal": self.sender.name,
            "counts": dict(counts),
            "received_at": (self.submission.received_at or self.submission.now).isoformat(),
            "file_name": self.file_name,
            "historical": self.submission.historical,
            "rows": list(shown),
            "checkpoint": checkpoint_note(checkpoint(self.store, self.signer, self.submission.now)),
        }
        now = self.submission.now
        event = {"id": new_id("dev", now), "kind": "receipt", "cause_key": f"receipt:{self.submission.id}"}
        record_domain_events(self.store, [{**event, "occurred_at": now, "content": receipt}])


def _all_or_nothing(chunks: list[_Chunk]) -> list[_Chunk]:
    """The chunks as they are, or with every row left out that would have come in, where another was rejected.

    A copy of what had come in before stays one.
    """
    if not any(j.outcome is Outcome.REJECTED for part in chunks for j in part.rows):
        return chunks
    return [replace(part, rows=[_held_back(j) for j in part.rows]) for part in chunks]


def _held_back(j: Judged) -> Judged:
    if j.outcome is Outcome.REJECTED or (j.outcome is Outcome.DUPLICATE and j.first_row is None):
        return j
    message = "This row is right; it was left out because another row was rejected and all or nothing was asked for."
    issue = j.row.place(Issue(code=Code.ALL_OR_NOTHING, message=message))
    return Judged(row=j.row, outcome=Outcome.REJECTED, issues=(issue,), warnings=j.row.warnings)
