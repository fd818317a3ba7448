"""Lists in pages: an opaque cursor that says after which row to go on."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, tuple_

from reporting.errors import BadCursor
from reporting.store.engine import Store

LARGEST_PAGE: Final = 200


@dataclass(frozen=True, kw_only=True)
class Page:
    """Some rows of a list, and the cursor of the next page if there is one."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


def read_page(
    store: Store, query: Select[*tuple[Any, ...]], keys: Sequence[ColumnElement[str]], cursor: str | None, limit: int
) -> Page:
    """The page of `query` after `cursor`, ordered by the text expressions `keys`, which together are unique.

    Raises `BadCursor`.
    """
    size = max(1, min(limit, LARGEST_PAGE))
    labels = [f"page_key_{number}" for number in range(len(keys))]
    query = query.add_columns(*(key.label(label) for key, label in zip(keys, labels, strict=True))).order_by(*keys)
    if cursor is not None:
        query = query.where(tuple_(*keys) > tuple_(*_read_cursor(cursor, len(keys))))
    found = store.connection.execute(query.limit(size + 1)).mappings().all()
    rows = [{name: value for name, value in row.items() if name not in labels} for row in found[:size]]
    more = len(found) > size
    return Page(rows=rows, next_cursor=_cursor([found[size - 1][label] for label in labels]) if more else None)


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
