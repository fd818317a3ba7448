"""Destroying what lies beside entries of the log, and the rows that they made; for `reporting.retention`.

On PostgreSQL only the role that owns the tables may: the service's own cannot delete from the log.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Table, and_, delete, or_, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.journal import MADE, projected_tables
from reporting.store.log import settle
from reporting.store.rows import chunks

_SYSTEM: Final = "system"


@dataclass(frozen=True, kw_only=True)
class Held:
    """An entry with something beside it: its words, and the rows that it made by table (as `reporting.store.journal`
    has them), `{}` where it made none.
    """

    seq: int
    type: str
    recorded_at: datetime
    content: dict[str, Any]
    added: dict[str, list[dict[str, Any]]]

    @property
    def systems(self) -> frozenset[str]:
        """The systems that it tells of."""
        named = [row.get(_SYSTEM) or "" for rows in self.added.values() for row in rows]
        named += [row["id"] for row in self.added.get(_SYSTEM, ())]
        named += [str(self.content.get(name) or "") for name in (_SYSTEM, "from_system", "kept", "other")]
        return frozenset(named) - {""}


def entries_before(store: Store, types: Iterable[str], moment: datetime) -> list[Held]:
    """The entries of some types recorded before a moment that have something beside them yet, in order."""
    settle(store)
    entry, raw, detail = tables.log_entry, tables.log_raw, tables.log_detail
    joined = entry.outerjoin(raw, and_(raw.c.county == entry.c.county, raw.c.seq == entry.c.seq)).outerjoin(
        detail, and_(detail.c.county == entry.c.county, detail.c.seq == entry.c.seq)
    )
    query = (
        select(entry.c.seq, entry.c.type, entry.c.recorded_at, entry.c.entry, detail.c.detail)
        .select_from(joined)
        .where(entry.c.county == store.tenant, entry.c.type.in_(sorted(types)), entry.c.recorded_at < moment)
        .where(or_(raw.c.seq.is_not(None), detail.c.seq.is_not(None)))
        .order_by(entry.c.seq)
    )
    return [
        Held(
            seq=seq,
            type=kind,
            recorded_at=at,
            content=json.loads(words)["content"],
            added=json.loads(beside).get("added", {}) if beside else {},
        )
        for seq, kind, at, words, beside in store.connection.execute(query)
    ]


def rows_in_use(store: Store, seqs: Sequence[int], moment: datetime) -> set[int]:
    """Those of the entries that made something which still holds, or was replaced at `moment` or later.

    What replaced a row says since when it does not hold. Reports never end by themselves: see `last_reports`.
    """
    entry = tables.log_entry
    found: set[int] = set()
    for table in projected_tables():
        if table.name in ("system", "event"):
            continue
        made, ended = (
            (table.c.created_seq, table.c.resolved_seq) if table.name == "review" else (table.c.seq, table.c.ended_seq)
        )
        joined = table.outerjoin(entry, and_(entry.c.county == table.c.county, entry.c.seq == ended))
        holds = or_(ended.is_(None), entry.c.recorded_at >= moment)
        for part in chunks(seqs):
            query = select(made).select_from(joined).where(table.c.county == store.tenant, made.in_(part), holds)
            found.update(store.connection.execute(query).scalars())
    return found


def last_reports(store: Store, seqs: Sequence[int]) -> set[int]:
    """Those of the entries that made a report which stands and is the last of its kind on its tank, or waits."""
    event = tables.event
    later = event.alias("later")
    same = and_(
        later.c.county == event.c.county,
        later.c.system == event.c.system,
        later.c.component == event.c.component,
        later.c.component_ref == event.c.component_ref,
        later.c.event_type == event.c.event_type,
        later.c.ended_seq.is_(None),
        later.c.service_date > event.c.service_date,
    )
    found: set[int] = set()
    for part in chunks(seqs):
        query = select(event.c.seq).where(
            event.c.county == store.tenant,
            event.c.seq.in_(part),
            event.c.ended_seq.is_(None),
            or_(event.c.system.is_(None), ~select(later.c.id).where(same).exists()),
        )
        found.update(store.connection.execute(query).scalars())
    return found


def reports_ended_since(store: Store, seqs: Sequence[int], moment: datetime) -> set[int]:
    """Those of the entries that made a report which was amended, moved or taken back at `moment` or later."""
    event, entry = tables.event, tables.log_entry
    joined = event.join(entry, and_(entry.c.county == event.c.county, entry.c.seq == event.c.ended_seq))
    found: set[int] = set()
    for part in chunks(seqs):
        query = (
            select(event.c.seq)
            .select_from(joined)
            .where(event.c.county == store.tenant, event.c.seq.in_(part), entry.c.recorded_at >= moment)
        )
        found.update(store.connection.execute(query).scalars())
    return found


def submissions_of(store: Store, systems: Iterable[str]) -> set[str]:
    """The submissions that brought reports of some systems."""
    event = tables.event
    found: set[str] = set()
    for part in chunks(dict.fromkeys(systems)):
        query = select(event.c.submission).where(event.c.county == store.tenant, event.c.system.in_(part)).distinct()
        found.update(one for one in store.connection.execute(query).scalars() if one)
    return found


def destroy(store: Store, seqs: Sequence[int], submissions: Iterable[str]) -> None:
    """Destroy raw bytes, details, salts and rows of some entries, and what answers repeat of them.

    submissions: those whose own entries are among them: their rejected rows and file names go as well.
    """
    settle(store)
    for table in (tables.log_raw, tables.log_detail):
        _delete(store, table, "seq", seqs)
    for table in projected_tables():
        if table.name != _SYSTEM:
            _delete(store, table, MADE.get(table.name, "seq"), seqs)
    outcome, submission = tables.outcome, tables.submission
    blank: dict[str, Any] = {"cells": {}, "errors": [], "warnings": [], "findings": [], "permit_number": None}
    for part in chunks(seqs):
        statement = update(outcome).where(outcome.c.county == store.tenant, outcome.c.seq.in_(part)).values(blank)
        store.connection.execute(statement)
    for names in chunks(dict.fromkeys(submissions)):
        here = (outcome.c.county == store.tenant, outcome.c.submission.in_(names), outcome.c.seq.is_(None))
        store.connection.execute(update(outcome).where(*here).values(blank))
        named = (submission.c.county == store.tenant, submission.c.id.in_(names))
        store.connection.execute(update(submission).where(*named).values(file_name=None))


def _delete(store: Store, table: Table, column: str, seqs: Sequence[int]) -> None:
    for part in chunks(seqs):
        store.connection.execute(delete(table).where(table.c.county == store.tenant, table.c[column].in_(part)))
