"""Reports that wait for a person: reading them in pages, closing them, and the version of a report that stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.facts import load_events, not_ended
from reporting.store.paging import Page, read_page
from reporting.store.rows import chunks

OPEN: Final = "open"
_LONGEST_CHAIN: Final = 100


@dataclass(frozen=True, kw_only=True)
class ReviewFilter:
    """Which reviews to list; empty asks nothing. `license_norm`: of the reports' licence; `system`: the provisional."""

    state: Collection[str] = ()
    reason: Collection[str] = ()
    license_norm: str | None = None
    system: str | None = None


def page_reviews(store: Store, filters: ReviewFilter, cursor: str | None, limit: int) -> Page:
    """Reviews in the order in which they were queued, each with its report's columns; raises `BadCursor`.

    A row has the columns of `review`, and of its report `event_type`, `service_date`, `received_at`, `license_number`,
    `report_ref`, `content`.
    """
    review, event = tables.review, tables.event
    join = review.join(event, and_(event.c.county == review.c.county, event.c.id == review.c.event))
    names = ("event_type", "service_date", "received_at", "license_number", "report_ref", "content")
    query = (
        select(review, *(event.c[name] for name in names))
        .select_from(join)
        .where(review.c.county == store.tenant, *_conditions(filters))
    )
    return read_page(store, query, [_queued_key(store), review.c.id], cursor, limit)


def _queued_key(store: Store) -> ColumnElement[str]:
    """The entry that queued a review, as text that sorts like the number."""
    seq = tables.review.c.created_seq
    if store.dialect == "postgresql":
        return func.to_char(seq, "FM000000000000000").collate("C")
    return func.printf("%015d", seq).collate("BINARY")


def _conditions(filters: ReviewFilter) -> list[ColumnElement[bool]]:
    review, event = tables.review, tables.event
    conditions: list[ColumnElement[bool]] = []
    if filters.state:
        conditions.append(review.c.state.in_(filters.state))
    if filters.reason:
        conditions.append(review.c.reason.in_(filters.reason))
    if filters.license_norm is not None:
        conditions.append(event.c.license_norm == filters.license_norm)
    if filters.system is not None:
        conditions.append(review.c.system == filters.system)
    return conditions


def get_review(store: Store, review_id: str) -> dict[str, Any] | None:
    """One review, or `None`."""
    table = tables.review
    query = select(table).where(table.c.county == store.tenant, table.c.id == review_id)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def open_reviews(store: Store, *, systems: Collection[str] = (), events: Collection[str] = ()) -> list[dict[str, Any]]:
    """The open reviews of some provisional systems or of some reports, in the order in which they were queued."""
    table = tables.review
    found: dict[str, dict[str, Any]] = {}
    for column, wanted in ((table.c.system, systems), (table.c.event, events)):
        for part in chunks(dict.fromkeys(wanted)):
            query = select(table).where(table.c.county == store.tenant, table.c.state == OPEN, column.in_(part))
            found.update((row["id"], dict(row)) for row in store.connection.execute(query).mappings())
    return sorted(found.values(), key=lambda row: (row["created_seq"], row["id"]))


def close_reviews_of(store: Store, event_id: str, *, state: str, seq: int, by: str) -> int:
    """Close whatever review is open of a report that was amended or taken back; gives how many there were."""
    table = tables.review
    statement = (
        update(table)
        .where(table.c.county == store.tenant, table.c.event == event_id, table.c.resolved_seq.is_(None))
        .values(state=state, resolved_seq=seq, resolved_by=by)
        .returning(table)
    )
    decided = store.connection.execute(statement).mappings().all()
    store.journal.decide(decided)
    return len(decided)


def count_events(store: Store, systems: Iterable[str]) -> dict[str, int]:
    """How many reports that stand each system has."""
    table = tables.event
    found = dict.fromkeys(systems, 0)
    for part in chunks(found):
        query = (
            select(table.c.system, func.count())
            .where(table.c.county == store.tenant, table.c.system.in_(part), not_ended(table))
            .group_by(table.c.system)
        )
        found.update(store.connection.execute(query).all())
    return found


def standing_versions(store: Store, event_ids: Iterable[str]) -> dict[str, Mapping[str, Any] | None]:
    """The version of each report that stands now; `None` when it was taken back. Ids that are not known are left out.

    An ended version ends at the entry that brought the next one, or that took the report back.
    """
    at: dict[str, Mapping[str, Any] | None] = dict(load_events(store, event_ids))
    for _ in range(_LONGEST_CHAIN):
        ended = {first: row for first, row in at.items() if row is not None and row["ended_seq"] is not None}
        if not ended:
            break
        following = _successors(store, {row["ended_seq"] for row in ended.values()})
        at |= {first: following.get(row["id"]) for first, row in ended.items()}
    return at


def _successors(store: Store, seqs: Collection[int]) -> dict[str, Mapping[str, Any]]:
    table = tables.event
    found: dict[str, Mapping[str, Any]] = {}
    for part in chunks(sorted(seqs)):
        query = select(table).where(
            table.c.county == store.tenant, table.c.seq.in_(part), table.c.supersedes.is_not(None)
        )
        found.update((row["supersedes"], dict(row)) for row in store.connection.execute(query).mappings())
    return found
