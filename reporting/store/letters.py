"""Letters in the queue, and the print runs that take them: a letter is a row of `message` with channel `letter`.

`queued` → `printed` (in a run) → `sent` (the run was mailed); a cancelled run puts its letters back into the queue.
What keeps a letter out of two runs is the index `uq_letter_live_message`, and the lock that `hold_letters` takes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.mail import is_held
from reporting.store.paging import Page, read_page
from reporting.store.rows import Row, chunks, insert_rows, tenant_rows

LETTER: Final = "letter"
QUEUED, PRINTED, SENT, FAILED, CANCELLED = "queued", "printed", "sent", "failed", "cancelled"
MAILED: Final = "mailed"
"""Of a run; the other states of runs are `printed` and `cancelled`."""
_message: Final = tables.message
_run: Final = tables.print_run
_letter: Final = tables.letter


def waiting_letters(store: Store, now: datetime) -> list[dict[str, Any]]:
    """The letters whose time has come and that no pause holds, oldest first."""
    query = select(_message).where(_waiting(store), _message.c.not_before <= now, ~is_held())
    found = store.connection.execute(query.order_by(_message.c.created_at, _message.c.dedupe_key))
    return [dict(row) for row in found.mappings()]


def count_held_letters(store: Store) -> int:
    """How many letters that wait are held by a pause of the county."""
    query = select(func.count()).select_from(_message).where(_waiting(store), is_held())
    return int(store.connection.execute(query).scalar_one())


def hold_letters(store: Store, messages: Collection[str]) -> dict[str, Any]:
    """The contents of those of these letters that still wait, held until the transaction ends: nobody else prints,
    changes or cancels them.
    """
    held: dict[str, Any] = {}
    for part in chunks(sorted(messages)):
        query = select(_message.c.dedupe_key, _message.c.content).where(
            _waiting(store), _message.c.dedupe_key.in_(part)
        )
        held.update(store.connection.execute(query.order_by(_message.c.dedupe_key).with_for_update()).all())
    return held


def page_letters(store: Store, states: Collection[str], cursor: str | None, limit: int) -> Page:
    """Letters in these states (none: in any) in the order of their ids, each with the live run that it is in.

    A row has the columns of `message`, and `run`, `position`, `mailed_on`, `text_sha256` (`None` outside of a run).
    """
    here = and_(
        _letter.c.county == _message.c.county,
        _letter.c.message == _message.c.dedupe_key,
        _letter.c.cancelled_at.is_(None),
    )
    run = and_(_run.c.county == _letter.c.county, _run.c.id == _letter.c.run)
    query = (
        select(_message, _letter.c.run, _letter.c.position, _letter.c.text_sha256, _run.c.mailed_on)
        .select_from(_message.outerjoin(_letter, here).outerjoin(_run, run))
        .where(_message.c.county == store.tenant, _message.c.channel == LETTER)
    )
    if states:
        query = query.where(_message.c.state.in_(list(states)))
    return read_page(store, query, [_message.c.id], cursor, limit)


def count_letters(store: Store) -> dict[str, int]:
    """How many letters of the county are in each state that has any."""
    query = (
        select(_message.c.state, func.count())
        .where(_message.c.county == store.tenant, _message.c.channel == LETTER)
        .group_by(_message.c.state)
    )
    return dict(store.connection.execute(query).all())


def end_letters(store: Store, reasons: Iterable[tuple[str, str, str]]) -> None:
    """Take letters out of the queue: (`dedupe_key`, state `cancelled` or `failed`, the reason)."""
    for key, state, reason in reasons:
        statement = update(_message).where(_waiting(store), _message.c.dedupe_key == key)
        store.connection.execute(statement.values(state=state, last_error=reason, fence=_message.c.fence + 1))


def insert_run(store: Store, run: Row, letters: Sequence[Row]) -> None:
    """Add a run with its letters, and note these as printed; raises `IntegrityError` for one in another live run."""
    insert_rows(store, _run, tenant_rows(store, [run]))
    insert_rows(store, _letter, tenant_rows(store, [{**row, "run": run["id"]} for row in letters]))
    _move(store, [row["message"] for row in letters], QUEUED, state=PRINTED, last_error=None)


def get_run(store: Store, run_id: str) -> dict[str, Any] | None:
    """One run, or `None`."""
    query = select(_run).where(_run.c.county == store.tenant, _run.c.id == run_id)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def list_runs(store: Store, states: Collection[str], limit: int = 100) -> list[dict[str, Any]]:
    """Runs in these states (none: in any), newest first."""
    query = select(_run).where(_run.c.county == store.tenant)
    if states:
        query = query.where(_run.c.state.in_(list(states)))
    found = store.connection.execute(query.order_by(_run.c.created_at.desc(), _run.c.id.desc()).limit(limit))
    return [dict(row) for row in found.mappings()]


def letters_of(store: Store, run_id: str) -> list[dict[str, Any]]:
    """The letters of a run in the order in which they were printed."""
    query = select(_letter).where(_letter.c.county == store.tenant, _letter.c.run == run_id)
    return [dict(row) for row in store.connection.execute(query.order_by(_letter.c.position)).mappings()]


def mailed_letters(store: Store, from_on: date | None = None, to_on: date | None = None) -> list[dict[str, Any]]:
    """The mailing log: every letter of a mailed run in order of mailing, with the run's day, class and hash."""
    join = _letter.join(_run, and_(_run.c.county == _letter.c.county, _run.c.id == _letter.c.run))
    columns = (_run.c.mailed_on, _run.c.mail_class, _run.c.pdf_sha256, _run.c.seq)
    query = select(_letter, *columns).select_from(join).where(_run.c.county == store.tenant, _run.c.state == MAILED)
    query = query.where(_run.c.mailed_on >= from_on) if from_on else query
    query = query.where(_run.c.mailed_on <= to_on) if to_on else query
    found = store.connection.execute(query.order_by(_run.c.mailed_on, _run.c.id, _letter.c.position))
    return [dict(row) for row in found.mappings()]


def end_run(store: Store, run_id: str, **values: Any) -> bool:
    """Give a printed run its end (`state`, `ended_at`, `ended_by`, …); `False` when it has come to one before."""
    statement = update(_run).where(_run.c.county == store.tenant, _run.c.id == run_id, _run.c.state == PRINTED)
    return store.connection.execute(statement.values(**values)).rowcount == 1


def note_entry(store: Store, run_id: str, seq: int) -> None:
    """Note the entry of the log that confirms a run as mailed."""
    statement = update(_run).where(_run.c.county == store.tenant, _run.c.id == run_id)
    store.connection.execute(statement.values(seq=seq))


def mark_mailed(store: Store, messages: Sequence[str], sent_at: datetime) -> None:
    """Note a run's letters as sent at an instant."""
    _move(store, messages, PRINTED, state=SENT, sent_at=sent_at)


def redate_run(store: Store, run_id: str, *, mailed_on: date, mail_class: str, seq: int) -> None:
    """Give a mailed run another day and class of mail, and the entry of the log that says so."""
    statement = update(_run).where(_run.c.county == store.tenant, _run.c.id == run_id, _run.c.state == MAILED)
    store.connection.execute(statement.values(mailed_on=mailed_on, mail_class=mail_class, seq=seq))


def redate_letters(store: Store, messages: Sequence[str], sent_at: datetime) -> None:
    """Give a mailed run's letters another instant of sending."""
    _move(store, messages, SENT, sent_at=sent_at)


def free_letters(store: Store, run_id: str, now: datetime) -> None:
    """Put the letters of a cancelled run back into the queue."""
    rows = letters_of(store, run_id)
    statement = update(_letter).where(_letter.c.county == store.tenant, _letter.c.run == run_id)
    store.connection.execute(statement.values(cancelled_at=now))
    _move(store, [row["message"] for row in rows], PRINTED, state=QUEUED)


def _waiting(store: Store) -> ColumnElement[bool]:
    return and_(_message.c.county == store.tenant, _message.c.channel == LETTER, _message.c.state == QUEUED)


def _move(store: Store, messages: Sequence[str], was: str, **values: Any) -> None:
    """Change letters from the state in which they must be; raises `RuntimeError` when one is not."""
    moved = 0
    for part in chunks(messages):
        statement = update(_message).where(
            _message.c.county == store.tenant,
            _message.c.channel == LETTER,
            _message.c.dedupe_key.in_(part),
            _message.c.state == was,
        )
        moved += store.connection.execute(statement.values(**values, fence=_message.c.fence + 1)).rowcount
    if moved != len(messages):
        raise RuntimeError(f"{len(messages) - moved} of {len(messages)} letters are not {was}")
