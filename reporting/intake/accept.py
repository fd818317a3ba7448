"""A submission from the bytes somebody sent to the answer: every row in exactly one state, all of it in the caller's
transaction, so that the answer is true as soon as that transaction is committed.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from reporting.ids import new_id
from reporting.intake.answer import Answer, Refused, RowAnswer, answer_row
from reporting.intake.files import read_sheet
from reporting.intake.headings import HeadingMatch, match_headings, normalize_heading
from reporting.intake.judging import Judged, Outcome, Sender, judge_rows
from reporting.intake.reading import ReadRow, heading_aliases, read_rows
from reporting.intake.recording import Recording, record_chunk
from reporting.intake.sheet import FileRefused, Limits, Sheet, SheetKind
from reporting.store.engine import Store
from reporting.store.events_out import record_domain_events
from reporting.store.signing import SignedHead, Signer
from reporting.store.submissions import insert_submission, update_submission
from schemas.calendar import local_date
from schemas.fields import FIELDS
from schemas.issues import Code, Issue
from schemas.program import Program

CHUNK = 5_000
SHOWN_IN_RECEIPT = 50


@dataclass(frozen=True, kw_only=True)
class Upload:
    """What was sent: the bytes, and what the sender calls them."""

    data: bytes
    file_name: str | None = None
    content_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a submission is taken. `historical`: backlog, judged for duties and never for lateness."""

    dry_run: bool = False
    atomic: bool = False
    historical: bool = False
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

    The caller's transaction makes it true; nothing is sent here.
    """
    opts = options or Options()
    head = _submission_row(sender, upload, now, opts)
    try:
        sheet, match = _open(program, upload, opts.limits)
    except FileRefused as refusal:
        refused = Refused(code=refusal.code, detail=refusal.detail, status=refusal.status, headings=refusal.headings)
        if not opts.dry_run:
            insert_submission(store, {**head, "status": "refused", "columns": {"refused": refused.as_json()}})
        return refused
    today = local_date(now, program.timezone)
    rows = read_rows(sheet.rows, match.mapping, program, today)
    live_from = program.day("live_from")
    historical = opts.historical or (live_from is not None and today < live_from)
    work = _Work(store=store, program=program, sender=sender, signer=signer, now=now, today=today, head=head)
    return work.take(rows, replace(opts, historical=historical), match, sheet)


def _submission_row(sender: Sender, upload: Upload, now: dt.datetime, opts: Options) -> dict[str, object]:
    return {
        "id": new_id("sub", now),
        "contractor_id": sender.contractor_id,
        "principal": sender.name,
        "received_at": now,
        "file_name": upload.file_name,
        "content_type": upload.content_type,
        "file_sha256": hashlib.sha256(upload.data).hexdigest(),
        "dry_run": opts.dry_run,
        "atomic": opts.atomic,
        "historical": opts.historical,
    }


def _open(program: Program, upload: Upload, limits: Limits) -> tuple[Sheet, HeadingMatch]:
    """The file as rows and what its headings mean. Raises FileRefused, also for two headings that mean one field."""
    aliases = heading_aliases(program)
    names = {normalize_heading(alias) for name in aliases for alias in (name, *aliases[name])}
    sheet = read_sheet(
        upload.data,
        filename=upload.file_name,
        content_type=upload.content_type,
        known_heading=lambda heading: normalize_heading(heading) in names,
        limits=limits,
    )
    match = match_headings(sheet.headings, aliases)
    if match.duplicates:
        named = "; ".join(
            f"{' and '.join(f'“{h}”' for h in found)} both mean {n}" for n, found in match.duplicates.items()
        )
        raise FileRefused(
            "duplicate_heading", f"Rename or remove one column of each pair: {named}.", headings=sheet.headings
        )
    return sheet, match


@dataclass(frozen=True, kw_only=True)
class _Work:
    """One submission under way: what every chunk of it needs."""

    store: Store
    program: Program
    sender: Sender
    signer: Signer
    now: dt.datetime
    today: dt.date
    head: dict[str, object]

    def take(self, rows: Iterator[ReadRow], opts: Options, match: HeadingMatch, sheet: Sheet) -> Answer:
        """All rows, a chunk at a time; with `atomic` nothing is written before the last row has been judged."""
        judged = list(self._judge(rows)) if opts.atomic else None
        failed = judged is not None and any(j.outcome is Outcome.REJECTED for j in judged)
        if judged is not None and failed:
            judged = [_held_back(j) for j in judged]
        writes = not opts.dry_run
        if writes:
            insert_submission(self.store, {**self.head, "historical": opts.historical, "status": "working"})
        source = iter(judged) if judged is not None else self._judge(rows)
        answers: list[RowAnswer] = []
        signed: SignedHead | None = None
        while chunk := list(islice(source, CHUNK)):
            recording = self._record(chunk, opts) if writes else Recording()
            signed = recording.head or signed
            answers += [answer_row(self.program, j, recording, self.today, opts.historical) for j in chunk]
        columns = _columns(match, sheet, answers)
        answer = self._answer(answers, opts, columns, signed, sheet)
        if writes:
            self._close(answer)
        return answer

    def _judge(self, rows: Iterator[ReadRow]) -> Iterator[Judged]:
        seen: dict[str, tuple[str, str, int]] = {}
        while chunk := list(islice(rows, CHUNK)):
            yield from judge_rows(self.store, self.program, self.sender, chunk, seen, lambda: new_id("rep", self.now))

    def _record(self, chunk: list[Judged], opts: Options) -> Recording:
        return record_chunk(
            self.store,
            self.program,
            chunk,
            submission=str(self.head["id"]),
            file_sha256=str(self.head["file_sha256"]),
            principal=self.sender.name,
            now=self.now,
            historical=opts.historical,
            signer=self.signer,
        )

    def _answer(
        self,
        answers: list[RowAnswer],
        opts: Options,
        columns: Mapping[str, object],
        signed: SignedHead | None,
        sheet: Sheet,
    ) -> Answer:
        return Answer(
            id=str(self.head["id"]),
            county=self.program.slug,
            received_at=self.now,
            file_sha256=str(self.head["file_sha256"]),
            dry_run=opts.dry_run,
            columns=columns,
            outcomes=tuple(answers),
            head=signed,
            notes=sheet.notes,
        )

    def _close(self, answer: Answer) -> None:
        counts = answer.counts
        update_submission(self.store, answer.id, {**counts, "status": "done", "columns": dict(answer.columns)})
        receipt = {
            "submission": answer.id,
            "contractor_id": self.sender.contractor_id,
            "principal": self.sender.name,
            "counts": counts,
            "received_at": answer.received_at.isoformat(),
            "file_name": self.head["file_name"],
            "rows": [o.in_receipt() for o in answer.outcomes[:SHOWN_IN_RECEIPT]],
        }
        event = {"id": new_id("dev", self.now), "kind": "receipt", "cause_key": f"receipt:{answer.id}"}
        record_domain_events(self.store, [{**event, "occurred_at": self.now, "content": receipt}])


def _held_back(j: Judged) -> Judged:
    """A good row of a submission that takes all or nothing, where another row was rejected."""
    if j.outcome is Outcome.REJECTED:
        return j
    message = "This row is right; it was left out because another row was rejected and all or nothing was asked for."
    issue = Issue(code=Code.ALL_OR_NOTHING, message=message).at(j.row.number, j.row.pointer)
    return replace(j, outcome=Outcome.REJECTED, issues=(issue,), report_id="")


def _columns(match: HeadingMatch, sheet: Sheet, answers: list[RowAnswer]) -> dict[str, object]:
    """What the headings meant: unknown ones, near misses, and fields that no column gives and every rejected row
    lacks.
    """
    given = set(match.mapping.values())
    lacking = [{str(i.field) for i in a.errors if i.code == Code.REQUIRED} for a in answers if a.errors]
    everywhere = set.intersection(*lacking) if lacking else set()
    missing = [n for n in FIELDS if n in everywhere and n not in given]
    if sheet.kind is SheetKind.JSON:
        missing = []
    return {"unknown": list(match.unknown), "suggested": dict(match.suggested), "missing": missing}
