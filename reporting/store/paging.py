"""Lists in pages: an opaque cursor that says after which row to go on."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, Select, Text, cast, func, tuple_

from reporting.errors import BadCursor
from reporting.store.engine import Store

LARGEST_PAGE: Final = 200
_NEVER: Final = "9999-12-31"
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Page:
    """Some rows of a list, and the cursor of the next page if there is one."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


def read_page(
    store: Store,
    query: Select[*tuple[Any, ...]],
    keys: Sequence[ColumnElement[str]],
    cursor: str | None,
    limit: int,
    *,
    newest_first: bool = False,
) -> Page:
    """The page of `query` after `cursor`, ordered by the text expressions `keys`, which together are unique.

    newest_first: in the other direction. Raises `BadCursor`.
    """
    size = max(1, min(limit, LARGEST_PAGE))
    labels = [f"page_key_{number}" for number in range(len(keys))]
    query = query.add_columns(*(key.label(label) for key, label in zip(keys, labels, strict=True)))
    query = query.order_by(*((key.desc() for key in keys) if newest_first else keys))
    if cursor is not None:
        place, after = tuple_(*keys), tuple_(*_read_cursor(cursor, len(keys)))
        query = query.where(place < after if newest_first else place > after)
    found = store.connection.execute(query.limit(size + 1)).mappings().all()
    rows = [{name: value for name, value in row.items() if name not in labels} for row in found[:size]]
    more = len(found) > size
    return Page(rows=rows, next_cursor=_cursor([found[size - 1][label] for label in labels]) if more else None)


def cut_page(
    items: Sequence[T], place: Callable[[T], str], cursor: str | None, limit: int
) -> tuple[list[T], str | None]:
    """The page of a whole list, ordered by the text `place` of its items, after the cursor, and the next page's cursor.

    Raises `BadCursor`.
    """
    size = max(1, min(limit, LARGEST_PAGE))
    after = _read_cursor(cursor, 1)[0] if cursor is not None else ""
    rest = [item for item in items if place(item) > after]
    return rest[:size], _cursor([place(rest[size - 1])]) if len(rest) > size else None


def day_key(store: Store, column: ColumnElement[date]) -> ColumnElement[str]:
    """A day of a list as ISO text, for a cursor; none sorts behind every other."""
    text = func.to_char(column, "YYYY-MM-DD") if store.dialect == "postgresql" else cast(column, Text)
    return func.coalesce(text, _NEVER).collate("C" if store.dialect == "postgresql" else "BINARY")


def moment_key(store: Store, column: ColumnElement[datetime]) -> ColumnElement[str]:
    """An instant of a list as text that sorts like it, for a cursor."""
    if store.dialect == "postgresql":
        return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD HH24:MI:SS.US").collate("C")
    return cast(column, Text).collate("BINARY")


def _cursor(values: Sequence[str]) -> str:
    return urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).decode().rstrip("=")


def _read_cursor(cursor: str, length: int) -> list[str]:
    try:
        values = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        for value in values:
            value.encode("utf-8")
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise BadCursor from error
    if not isinstance(values, list) or len(values) != length or any("\x00" in value for value in values):
        raise BadCursor
    return values
