"""What the county's staff keep of their lists: the filters of one under a name, for all colleagues."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import delete, func, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.rows import Row, insert_new_rows, tenant_rows

_view: Final = tables.saved_view


def add_view(store: Store, row: Row) -> bool:
    """Keep a view (columns of `saved_view`); `False` where its list has one of that name."""
    insert_new_rows(store, _view, tenant_rows(store, [row]))
    return get_view(store, str(row["id"])) is not None


def get_view(store: Store, view: str) -> dict[str, Any] | None:
    """One view, or `None`."""
    query = select(_view).where(_view.c.county == store.tenant, _view.c.id == view)
    row = store.connection.execute(query).mappings().first()
    return dict(row) if row else None


def list_views(store: Store, of_list: str) -> list[dict[str, Any]]:
    """The views of one list, by name."""
    query = select(_view).where(_view.c.county == store.tenant, _view.c.of_list == of_list)
    return [dict(row) for row in store.connection.execute(query.order_by(_view.c.name, _view.c.id)).mappings()]


def count_views(store: Store) -> int:
    """How many views the county has."""
    query = select(func.count()).select_from(_view).where(_view.c.county == store.tenant)
    return int(store.connection.execute(query).scalar_one())


def drop_view(store: Store, view: str) -> bool:
    """Take a view away; `False` where there is none."""
    statement = delete(_view).where(_view.c.county == store.tenant, _view.c.id == view)
    return store.connection.execute(statement).rowcount == 1
