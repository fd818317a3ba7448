"""A county's inventory file into the store: an upsert by permit, row by row accounted for.

For the command line, the HTTP twin and the demo. `import_inventory` works in the caller's transaction (a file of the
size that HTTP takes); `load_inventory` commits every few thousand rows, so that a long file neither holds the county's
log for a minute nor is lost as a whole: run again, it goes on where it stopped.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from reporting.intake.sheet import Limits
from reporting.inventory.answers import (
    ADDED,
    CHANGED,
    REJECTED,
    UNTOUCHED,
    InventoryAnswer,
    RowOutcome,
    ShownDifference,
    count_outcomes,
)
from reporting.inventory.changes import Change, compare
from reporting.inventory.columns import COLUMNS, Day
from reporting.inventory.drafts import OF_SYSTEM, PLAN, Draft, Key, RowVerdict, Seen, draft_system, key_of, refuse_row
from reporting.inventory.finding import ambiguous, find_systems, merged_away
from reporting.inventory.headed import HeadedFile, ReadRow, open_headed
from reporting.inventory.writing import Origin, write_changes
from reporting.store.engine import Database, Store
from reporting.store.facts import StoredHistory
from reporting.store.inventory import hold_inventory
from schemas.calendar import local_date
from schemas.program import Program

CHUNK_ROWS: Final = 4_000
LONG_FILE: Final = Limits(max_bytes=500_000_000, max_rows=1_000_000, max_unpacked_bytes=2_000_000_000)
"""How much the command line takes."""
_SHOWN_DIFFERENCES: Final = 20
_REQUIRED: Final = (("permit_number", "parcel_number+site_address"), ("component",))
_IDENTIFIERS: Final = frozenset({"permit_number", "parcel_number"})

Group = tuple[Key, list[ReadRow]]


def import_inventory(
    store: Store,
    program: Program,
    data: bytes,
    *,
    file_name: str | None,
    content_type: str | None,
    principal: str,
    now: datetime,
    dry_run: bool = False,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> InventoryAnswer:
    """Import a whole inventory file in the caller's transaction; with `dry_run` nothing is written.

    principal: who sends it, for the log. Raises `FileRefused` for a file that cannot be read or lacks columns.
    """
    run = _open(program, data, file_name, content_type, principal, now, dry_run, limits)
    for groups in run.chunks():
        run.take(store, groups)
    return run.answer()


def load_inventory(
    database: Database,
    program: Program,
    data: bytes,
    *,
    file_name: str | None,
    content_type: str | None,
    principal: str,
    now: datetime,
    dry_run: bool = False,
    limits: Limits = LONG_FILE,
    on_progress: Callable[[int], None] = lambda rows: None,
) -> InventoryAnswer:
    """The same with a transaction for every `CHUNK_ROWS` rows; tells how many rows are done after each.

    Raises `FileRefused` before anything is written.
    """
    run = _open(program, data, file_name, content_type, principal, now, dry_run, limits)
    with _few_collections():
        for groups in _read_ahead(run.chunks()):
            with database.reading(program.slug) if dry_run else database.transaction(program.slug) as store:
                run.take(store, groups)
            on_progress(len(run.outcomes))
    return run.answer()


def open_inventory(
    data: bytes, day: Day, file_name: str | None, content_type: str | None, limits: Limits = LONG_FILE
) -> HeadedFile:
    """An inventory file, opened: its rows and what its headings mean. Raises `FileRefused`."""
    return open_headed(
        data,
        file_name=file_name,
        content_type=content_type,
        limits=limits,
        columns=COLUMNS,
        required=_REQUIRED,
        day=day,
        identifiers=_IDENTIFIERS,
    )


def _read_ahead(chunks: Iterator[list[Group]]) -> Iterator[list[Group]]:
    """The same chunks, the next one read while the database writes the one before."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, chunks, None)
        while (groups := following.result()) is not None:
            following = reader.submit(next, chunks, None)
            yield groups


@contextmanager
def _few_collections() -> Iterator[None]:
    """Rows hold no cycles: looking for them among a million values would take a fifth of a long import."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _open(
    program: Program,
    data: bytes,
    file_name: str | None,
    content_type: str | None,
    principal: str,
    now: datetime,
    dry_run: bool,
    limits: Limits,
) -> _Run:
    today = local_date(now, program.timezone)
    file = open_inventory(data, Day(today=today, time_zone=program.timezone), file_name, content_type, limits)
    digest = sha256(data).hexdigest()
    origin = Origin(principal=principal, file_name=file_name, file_sha256=digest, now=now, today=today)
    return _Run(county=program.slug, file=file, origin=origin, dry_run=dry_run)


@dataclass(kw_only=True)
class _Run:
    """One file on its way in: what has been seen of it, and what became of it so far."""

    county: str
    file: HeadedFile
    origin: Origin
    dry_run: bool
    seen: dict[Key, Seen] = field(default_factory=dict)
    outcomes: list[RowOutcome] = field(default_factory=list)
    differences: list[ShownDifference] = field(default_factory=list)
    plan: Any = field(default_factory=sha256)

    def chunks(self) -> Iterator[list[Group]]:
        """The systems of the file with their rows, about `CHUNK_ROWS` rows at a time.

        The rows of one system stand together in nearly every file; those that come back to a system further down are
        taken up last, as components added to it.
        """
        late: dict[Key, list[ReadRow]] = {}
        met: set[Key] = set()
        part: list[Group] = []
        size = 0
        for key, rows in self._systems():
            if key in met:
                late.setdefault(key, []).extend(rows)
                continue
            met.add(key)
            part.append((key, rows))
            size += len(rows)
            if size >= CHUNK_ROWS:
                yield part
                part, size = [], 0
        yield part
        yield list(late.items())

    def _systems(self) -> Iterator[Group]:
        """Runs of rows of one system; rows that name none are refused on the way."""
        key: Key | None = None
        rows: list[ReadRow] = []
        for row in self.file.rows():
            found = key_of(row.values)
            if found is None:
                self._refuse(refuse_row(row))
                continue
            if key is not None and found != key:
                yield key, rows
                rows = []
            key = found
            rows.append(row)
        if key is not None:
            yield key, rows

    def take(self, store: Store, groups: Sequence[Group]) -> None:
        """Hold some systems against the store and write what is new."""
        if not self.dry_run:
            hold_inventory(store)
        drafts: list[tuple[Draft, list[RowVerdict]]] = []
        for key, rows in groups:
            draft, verdicts = draft_system(key, rows, self.seen.get(key))
            if draft is None:
                for verdict in verdicts:
                    self._refuse(verdict)
            else:
                drafts.append((draft, verdicts))
        stored = find_systems(store, [draft for draft, _ in drafts])
        changes: list[tuple[Change, list[RowVerdict]]] = []
        for draft, verdicts in drafts:
            found = stored[draft.key]
            if len(found.systems) > 1:
                for verdict in verdicts:
                    self._refuse(ambiguous(verdict, found))
            elif found.merged:
                self._note_merged(draft, verdicts, found.systems[0])
            else:
                changes.append((self._compare(draft, found.systems[0] if found.systems else None), verdicts))
        new = [change for change, _ in changes if not change.is_empty]
        ids = iter([] if self.dry_run else write_changes(store, new, self.origin))
        for change, verdicts in changes:
            written = None if change.is_empty or self.dry_run else next(ids)
            self._note(change, verdicts, written or change.system)

    def _compare(self, draft: Draft, stored: StoredHistory | None) -> Change:
        given = self.file.given
        if draft.key in self.seen:  # what the system is, its first rows have said
            given -= {*OF_SYSTEM, *PLAN}
        return compare(draft, stored, given, self.origin.today)

    def _note(self, change: Change, verdicts: Sequence[RowVerdict], system: str | None) -> None:
        draft, before = change.draft, self.seen.get(change.draft.key)
        outcome = UNTOUCHED if change.is_empty else ADDED if change.system is None else CHANGED
        if before is not None and before.outcome == ADDED:
            outcome = ADDED
        name = draft.values.get("permit_number") or draft.key.permit or None
        self._settle(name, verdicts, outcome, system)
        if outcome == CHANGED:
            self.plan.update(repr(change.differences).encode("utf-8", "backslashreplace"))
            found = (ShownDifference(draft.rows[0], name, *difference) for difference in change.differences)
            self.differences = [*self.differences, *found][:_SHOWN_DIFFERENCES]
        self._see(draft, outcome)

    def _note_merged(self, draft: Draft, verdicts: Sequence[RowVerdict], kept: StoredHistory) -> None:
        told = [merged_away(verdict, kept) for verdict in verdicts]
        self._settle(draft.values.get("permit_number"), told, UNTOUCHED, kept.system_id)
        self._see(draft, UNTOUCHED)

    def _settle(self, name: str | None, verdicts: Sequence[RowVerdict], outcome: str, system: str | None) -> None:
        for verdict in verdicts:
            state = REJECTED if verdict.errors else outcome
            self._keep(RowOutcome(verdict.row, state, name, system, verdict.errors, verdict.warnings))

    def _see(self, draft: Draft, outcome: str) -> None:
        before = self.seen.get(draft.key)
        if before is None:
            place = (draft.values.get("parcel_number", ""), draft.values.get("site_address", ""))
            self.seen[draft.key] = Seen(draft.rows[0], *place, tuple(draft.parts), outcome)
        else:
            both = outcome if outcome != UNTOUCHED else before.outcome
            self.seen[draft.key] = before._replace(parts=(*before.parts, *draft.parts), outcome=both)

    def _refuse(self, verdict: RowVerdict) -> None:
        name = verdict.key.permit if verdict.key else None
        self._keep(RowOutcome(verdict.row, REJECTED, name, None, verdict.errors, verdict.warnings))

    def _keep(self, outcome: RowOutcome) -> None:
        self.outcomes.append(outcome)
        codes = [issue.code for issue in outcome.errors]
        self.plan.update(f"{outcome.row} {outcome.outcome} {codes}\n".encode())

    def answer(self) -> InventoryAnswer:
        """What has become of the file so far."""
        counts: dict[str, Any] = count_outcomes([one.outcome for one in self.seen.values()])
        return InventoryAnswer(
            county=self.county,
            file_name=self.origin.file_name,
            file_sha256=self.origin.file_sha256,
            dry_run=self.dry_run,
            rows=len(self.outcomes),
            rejected=sum(outcome.outcome == REJECTED for outcome in self.outcomes),
            columns=self.file.shown_columns(),
            outcomes=tuple(sorted(self.outcomes, key=lambda one: one.row)),
            differences=tuple(self.differences),
            notes=self.file.sheet.notes,
            plan_sha256=sha256(f"{self.origin.file_sha256} {self.plan.hexdigest()}".encode()).hexdigest(),
            **counts,
        )
