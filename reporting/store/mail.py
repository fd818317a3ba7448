"""What keeps a county's mails from going: its pauses, the addresses that get none, what bounces told of a message."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, exists, func, or_, select, update

from reporting import tables
from reporting.store.engine import Store
from reporting.store.paging import Page, moment_key, read_page
from reporting.store.rows import Row, chunks, insert_new_rows, tenant_rows, upsert_rows

ALL: Final = ""
"""A pause of every kind or of everybody; a suppression of every kind that its reason is about."""
_pause: Final = tables.mail_pause
_suppression: Final = tables.mail_suppression
_bounce: Final = tables.mail_bounce
_message: Final = tables.message
_WAITING: Final = ("queued", "uncertain")


def is_held() -> ColumnElement[bool]:
    """The condition, for a query of `message`, that a pause of its county keeps it from going now."""
    return exists().where(
        _pause.c.county == _message.c.county,
        _pause.c.ended_at.is_(None),
        or_(_pause.c.kind == ALL, _pause.c.kind == _message.c.kind),
        or_(_pause.c.recipient == ALL, _pause.c.recipient == func.lower(_message.c.recipient)),
    )


def add_pause(store: Store, row: Row) -> bool:
    """Begin a pause (columns of `mail_pause`); `False` where the same kind and recipient are paused already."""
    insert_new_rows(store, _pause, tenant_rows(store, [row]))
    query = select(_pause.c.id).where(_pause.c.county == store.tenant, _pause.c.id == row["id"])
    return store.connection.execute(query).first() is not None


def end_pause(store: Store, pause: str, **values: Any) -> bool:
    """Give a pause its end (`ended_at`, `ended_by`, `end_reason`); `False` for one that has ended or is not there."""
    live = (_pause.c.county == store.tenant, _pause.c.id == pause, _pause.c.ended_at.is_(None))
    return store.connection.execute(update(_pause).where(*live).values(**values)).rowcount == 1


def list_pauses(store: Store, *, ended: bool = False) -> list[dict[str, Any]]:
    """The county's pauses that hold now, oldest first; with `ended`, those that are over, too."""
    query = select(_pause).where(_pause.c.county == store.tenant)
    query = query if ended else query.where(_pause.c.ended_at.is_(None))
    return [dict(row) for row in store.connection.execute(query.order_by(_pause.c.created_at, _pause.c.id)).mappings()]


def count_held(store: Store) -> dict[str, int]:
    """How many mails of each kind a pause holds now, whenever they would have been due."""
    waiting = (_message.c.county == store.tenant, _message.c.channel == "mail", _message.c.state.in_(_WAITING))
    query = select(_message.c.kind, func.count()).where(*waiting, is_held()).group_by(_message.c.kind)
    return dict(sorted(store.connection.execute(query).all()))


def due_since(store: Store, now: datetime) -> datetime | None:
    """Since when the mail that nobody has taken longest has been due, those apart that a pause holds; `None`: none."""
    waiting = (_message.c.county == store.tenant, _message.c.channel == "mail", _message.c.state.in_(_WAITING))
    query = select(_message.c.not_before).where(*waiting, _message.c.not_before <= now, ~is_held())
    return store.connection.execute(query.order_by(_message.c.not_before).limit(1)).scalar()


def waiting_mails(store: Store) -> list[dict[str, Any]]:
    """Every mail that waits, in the order in which they go; `held`: whether a pause keeps it."""
    query = (
        select(_message, is_held().label("held"))
        .where(_message.c.county == store.tenant, _message.c.channel == "mail", _message.c.state.in_(_WAITING))
        .order_by(_message.c.not_before, _message.c.created_at, _message.c.dedupe_key)
    )
    return [dict(row) for row in store.connection.execute(query).mappings()]


def suppress(store: Store, rows: Sequence[Row]) -> None:
    """Add suppressions (columns of `mail_suppression`); one that is there stays as it was."""
    insert_new_rows(store, _suppression, tenant_rows(store, rows))


def lift(store: Store, address: str, reasons: Collection[str]) -> int:
    """Take an address's suppressions for these reasons back: how many there were."""
    mine = (_suppression.c.county == store.tenant, _suppression.c.address == address)
    statement = delete(_suppression).where(*mine, _suppression.c.reason.in_(list(reasons)))
    return store.connection.execute(statement).rowcount


def list_suppressions(store: Store, addresses: Collection[str] | None = None) -> list[dict[str, Any]]:
    """The county's suppressions, or those of these addresses, by address, reason and kind."""
    query = select(_suppression).where(_suppression.c.county == store.tenant)
    order = (_suppression.c.address, _suppression.c.reason, _suppression.c.kind)
    if addresses is None:
        return [dict(row) for row in store.connection.execute(query.order_by(*order)).mappings()]
    found: list[dict[str, Any]] = []
    for part in chunks(sorted(set(addresses))):
        some = query.where(_suppression.c.address.in_(part)).order_by(*order)
        found += [dict(row) for row in store.connection.execute(some).mappings()]
    return found


def note_bounce(store: Store, row: Row) -> None:
    """Keep what a bounce told of a message (columns of `mail_bounce`): the last word counts."""
    upsert_rows(store, _bounce, tenant_rows(store, [row]))


def get_bounce(store: Store, message: str) -> dict[str, Any] | None:
    """What a bounce told of a message, by its key; `None`: none did."""
    query = select(_bounce).where(_bounce.c.county == store.tenant, _bounce.c.message == message)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def last_outcomes(store: Store, address: str, count: int) -> list[str | None]:
    """What bounces told of the last mails that went to an address, newest first; `None`: nothing."""
    join = _message.outerjoin(
        _bounce, (_bounce.c.county == _message.c.county) & (_bounce.c.message == _message.c.dedupe_key)
    )
    query = (
        select(_bounce.c.outcome)
        .select_from(join)
        .where(
            _message.c.county == store.tenant,
            _message.c.channel == "mail",
            func.lower(_message.c.recipient) == address,
            _message.c.sent_at.is_not(None),
        )
        .order_by(_message.c.sent_at.desc(), _message.c.dedupe_key)
        .limit(count)
    )
    return list(store.connection.execute(query).scalars())


def fail_message(store: Store, message: str, error: str) -> bool:
    """Note a mail that went, or may have, as failed after all; `False` where it had not gone."""
    statement = (
        update(_message)
        .where(
            _message.c.county == store.tenant,
            _message.c.dedupe_key == message,
            _message.c.channel == "mail",
            _message.c.state.in_(("sent", "uncertain")),
        )
        .values(state="failed", last_error=error, fence=_message.c.fence + 1)
    )
    return store.connection.execute(statement).rowcount == 1


@dataclass(frozen=True, kw_only=True)
class MailFilter:
    """Which mails to list; `None` and empty ask nothing. `q`: a piece of the address; `written_before`: not then."""

    state: Collection[str] = ()
    kind: Collection[str] = ()
    q: str | None = None
    written_from: datetime | None = None
    written_before: datetime | None = None


def page_mails(store: Store, filters: MailFilter, cursor: str | None, limit: int) -> Page:
    """The county's mails, those written last first. Raises `BadCursor`.

    A row has the columns of `message`, and `held`: whether a pause keeps it from going.
    """
    query = select(_message, is_held().label("held")).where(
        _message.c.county == store.tenant, _message.c.channel == "mail"
    )
    if filters.state:
        query = query.where(_message.c.state.in_(list(filters.state)))
    if filters.kind:
        query = query.where(_message.c.kind.in_(list(filters.kind)))
    if filters.q:
        query = query.where(func.lower(_message.c.recipient).contains(filters.q.lower(), autoescape=True))
    if filters.written_from is not None:
        query = query.where(_message.c.created_at >= filters.written_from)
    if filters.written_before is not None:
        query = query.where(_message.c.created_at < filters.written_before)
    keys = [moment_key(store, _message.c.created_at), _message.c.dedupe_key]
    return read_page(store, query, keys, cursor, limit, newest_first=True)
