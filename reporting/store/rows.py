"""Writing and finding many rows at once, the way each database likes it best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import Column, ColumnDefault, Table, insert
from sqlalchemy.dialects import postgresql, sqlite

from reporting.store.engine import Store

Row = Mapping[str, Any]
T = TypeVar("T")

ID_CHUNK: Final = 500
"""How many ids one question names."""
_COPY_FROM: Final = 200
"""From this many rows on, COPY is worth its temporary table."""


def chunks(items: Iterable[T], size: int = ID_CHUNK) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def tenant_rows(store: Store, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The rows in the name of the store's county, whatever they said themselves."""
    return [{**row, "county": store.tenant} for row in rows]


def insert_rows(store: Store, table: Table, rows: Sequence[Row]) -> None:
    """Insert plain rows: absent columns take their default or NULL; unknown ones raise `KeyError`."""
    complete = [_complete(table, row) for row in rows]
    if not complete:
        return
    if store.dialect == "postgresql" and len(complete) >= _COPY_FROM:
        _copy(store, table, complete)
    else:
        store.connection.execute(insert(table), complete)


def insert_new_rows(store: Store, table: Table, rows: Sequence[Row]) -> None:
    """Insert the rows whose key is not there yet; leave the others as they are."""
    for part in chunks(rows, 5_000):
        statement = _dialect_insert(store, table).on_conflict_do_nothing()
        store.connection.execute(statement, [_complete(table, row) for row in part])


def upsert_rows(store: Store, table: Table, rows: Sequence[Row], *, keep: frozenset[str] = frozenset()) -> None:
    """Insert the rows, or replace those with the same primary key but for the columns in `keep`."""
    key = [column.name for column in table.primary_key]
    for part in chunks(rows, 5_000):
        statement = _dialect_insert(store, table)
        new = {c.name: statement.excluded[c.name] for c in table.columns if c.name not in key and c.name not in keep}
        action = (
            statement.on_conflict_do_update(index_elements=key, set_=new)
            if new
            else statement.on_conflict_do_nothing(index_elements=key)
        )
        store.connection.execute(action, [_complete(table, row) for row in part])


def _dialect_insert(store: Store, table: Table) -> Any:
    return postgresql.insert(table) if store.dialect == "postgresql" else sqlite.insert(table)


def _complete(table: Table, row: Row) -> dict[str, Any]:
    unknown = row.keys() - table.columns.keys()
    if unknown:
        raise KeyError(f"{table.name} has no column {', '.join(sorted(unknown))}")
    return {column.name: row[column.name] if column.name in row else _default(column) for column in table.columns}


def _default(column: Column[Any]) -> Any:
    return column.default.arg if isinstance(column.default, ColumnDefault) else None


def _copy(store: Store, table: Table, rows: Sequence[Row]) -> None:
    """COPY into a temporary table, then INSERT … SELECT: PostgreSQL refuses COPY into a table with row security."""
    dialect = store.connection.dialect
    quote = dialect.identifier_preparer.quote
    target, draft = quote(table.name), quote(f"draft_{table.name}")
    columns = list(table.columns)
    names = ", ".join(quote(column.name) for column in columns)
    store.connection.exec_driver_sql(
        f"CREATE TEMPORARY TABLE IF NOT EXISTS {draft} (LIKE {target}) ON COMMIT DROP"
    ).close()
    processors = [column.type.dialect_impl(dialect).bind_processor(dialect) for column in columns]
    driver = store.connection.connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor, cursor.copy(f"COPY {draft} ({names}) FROM STDIN") as copy:
        for row in rows:
            values = (row[column.name] for column in columns)
            copy.write_row(
                [
                    value if process is None or value is None else process(value)
                    for value, process in zip(values, processors, strict=True)
                ]
            )
    move = f"INSERT INTO {target} ({names}) SELECT {names} FROM {draft}"  # noqa: S608 - quoted names of our own
    store.connection.exec_driver_sql(move)
    store.connection.exec_driver_sql(f"TRUNCATE {draft}")
