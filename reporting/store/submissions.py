"""What was handed in, and what became of each row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import delete, func, literal, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, insert_rows, tenant_rows

COUNTED: Final = ("accepted", "duplicate", "rejected", "queued_for_review")
_PAGE: Final = 1_000


def insert_submission(store: Store, row: Row) -> None:
    """Add a submission; its counts start at 0 unless given."""
    insert_rows(store, tables.submission, tenant_rows(store, [row]))


def update_submission(store: Store, submission_id: str, changes: Mapping[str, Any]) -> bool:
    """Set some columns (`status`, `rows`, counts, `next_row`, `columns`); `False` when there is no such submission."""
    table = tables.submission
    statement = update(table).where(table.c.county == store.tenant, table.c.id == submission_id).values(dict(changes))
    return store.connection.execute(statement).rowcount == 1


def get_submission(store: Store, submission_id: str, *, lock: bool = False) -> dict[str, Any] | None:
    """One submission, or `None`; with `lock`, held until the transaction ends."""
    table = tables.submission
    query = select(table).where(table.c.county == store.tenant, table.c.id == submission_id)
    if lock:
        query = query.with_for_update()
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def list_submissions(store: Store, *, status: str, limit: int) -> list[dict[str, Any]]:
    """The submissions in one status, oldest first: what the background worker takes up."""
    table = tables.submission
    query = (
        select(table)
        .where(table.c.county == store.tenant, table.c.status == status)
        .order_by(table.c.received_at, table.c.id)
        .limit(limit)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def insert_outcomes(store: Store, rows: Sequence[Row]) -> None:
    """Add what became of rows; lists not given are empty."""
    empty: dict[str, Any] = {"findings": [], "errors": [], "warnings": [], "cells": {}}
    insert_rows(store, tables.outcome, tenant_rows(store, [{**empty, **row} for row in rows]))


def count_outcomes(store: Store, submission_id: str) -> dict[str, int]:
    """How many rows had each outcome, every outcome named."""
    table = tables.outcome
    query = (
        select(table.c.outcome, func.count())
        .where(table.c.county == store.tenant, table.c.submission == submission_id)
        .group_by(table.c.outcome)
    )
    return {**dict.fromkeys(COUNTED, 0), **dict(store.connection.execute(query).all())}


def outcomes_of(store: Store, submission_id: str, *, outcome: str | None = None) -> Iterator[dict[str, Any]]:
    """The rows' outcomes in the file's order, only those of one kind if asked, a page at a time."""
    last = -1
    while True:
        page = outcome_page(store, submission_id, after_row=last, limit=_PAGE, outcome=outcome)
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1]["row"]


def outcome_page(
    store: Store, submission_id: str, *, after_row: int = -1, limit: int, outcome: str | None = None
) -> list[dict[str, Any]]:
    """At most `limit` outcomes of rows after `after_row`, in the file's order."""
    table = tables.outcome
    query = select(table).where(
        table.c.county == store.tenant, table.c.submission == submission_id, table.c.row > after_row
    )
    if outcome is not None:
        query = query.where(table.c.outcome == outcome)
    return [dict(row) for row in store.connection.execute(query.order_by(table.c.row).limit(limit)).mappings()]


def outcome_of_report(store: Store, report_id: str) -> dict[str, Any] | None:
    """The outcome that first brought a report in, or `None`."""
    table = tables.outcome
    query = (
        select(table)
        .where(table.c.county == store.tenant, table.c.report_id == report_id)
        .order_by(table.c.seq.nulls_last(), table.c.submission, table.c.row)
        .limit(1)
    )
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def keep_file(store: Store, submission_id: str, data: bytes, options: Mapping[str, Any]) -> None:
    """Keep the bytes of a long file until it has been worked off. options: what its rows are read by."""
    row = {"submission": submission_id, "data": data, "options": dict(options)}
    insert_rows(store, tables.submission_file, tenant_rows(store, [row]))


def kept_file(store: Store, submission_id: str) -> tuple[bytes, dict[str, Any]] | None:
    """The bytes and options of a file that waits, or `None`."""
    table = tables.submission_file
    query = select(table.c.data, table.c.options).where(
        table.c.county == store.tenant, table.c.submission == submission_id
    )
    row = store.connection.execute(query).first()
    return (bytes(row.data), dict(row.options)) if row else None


def drop_file(store: Store, submission_id: str) -> None:
    """Let go of the bytes of a file that has been worked off: its rows are in the record."""
    table = tables.submission_file
    store.connection.execute(delete(table).where(table.c.county == store.tenant, table.c.submission == submission_id))


def standing_reports(store: Store, submission_id: str) -> list[dict[str, Any]]:
    """The reports that a submission brought in and that stand, in the order of the record: id, seq and system.

    A report that was amended stands in its amended version, which belongs to the same submission.
    """
    event = tables.event
    query = (
        select(event.c.id, event.c.seq, event.c.system)
        .where(event.c.county == store.tenant, event.c.submission == submission_id, event.c.ended_seq.is_(None))
        .order_by(event.c.seq, event.c.id)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def end_reports(store: Store, submission_id: str, first_seq: int, by: str) -> int:
    """End a submission's standing reports, the first at `first_seq`, each following one at the next number, and close
    what reviews wait on them; gives how many reports there were.

    Two statements, however many reports: the order is that of `standing_reports`.
    """
    event, review = tables.event, tables.review
    at = literal(first_seq) - 1 + func.row_number().over(order_by=(event.c.seq, event.c.id))
    ending = (
        select(event.c.id.label("ending"), at.label("at"))
        .where(event.c.county == store.tenant, event.c.submission == submission_id, event.c.ended_seq.is_(None))
        .subquery()
    )
    ended = store.connection.execute(
        update(event)
        .where(event.c.county == store.tenant, event.c.id == ending.c.ending)
        .values(ended_seq=ending.c.at)
        .returning(event.c.ended_seq, event.c.id)
    ).all()
    store.journal.end(event, ((seq, (key,)) for seq, key in ended))
    decided = store.connection.execute(
        update(review)
        .where(review.c.county == store.tenant, review.c.resolved_seq.is_(None), review.c.event == event.c.id)
        .where(event.c.county == store.tenant, event.c.submission == submission_id, event.c.ended_seq >= first_seq)
        .values(state="voided", resolved_seq=event.c.ended_seq, resolved_by=by)
        .returning(review)
    ).mappings()
    store.journal.decide(decided.all())
    return len(ended)


def count_repeats(store: Store, submission_id: str) -> int:
    """How many rows of other submissions were answered as duplicates of reports that this one brought in."""
    outcome, event = tables.outcome, tables.event
    query = (
        select(func.count())
        .select_from(outcome)
        .join(event, (event.c.county == outcome.c.county) & (event.c.id == outcome.c.duplicate_of))
        .where(outcome.c.county == store.tenant, outcome.c.submission != submission_id)
        .where(event.c.submission == submission_id)
    )
    return int(store.connection.execute(query).scalar_one())


def lacking_fields(store: Store, submission_id: str, codes: Collection[str]) -> list[str]:
    """The fields named by the errors with one of these codes in what has been answered of a submission."""
    found: dict[str, None] = {}
    for row in outcomes_of(store, submission_id, outcome="rejected"):
        found.update(dict.fromkeys(e["field"] for e in row["errors"] if e["code"] in codes and e["field"]))
    return list(found)
