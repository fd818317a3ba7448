"""Writing and finding many rows at once, the way each database likes it best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import BindParameter, Column, ColumnDefault, Table, bindparam, insert
from sqlalchemy.dialects import postgresql, sqlite

from reporting.store.engine import Store

Row = Mapping[str, Any]
T = TypeVar("T")

ID_CHUNK: Final = 500
"""How many ids one question names."""
_COPY_FROM: Final = 200
"""From this many rows on, COPY is worth its temporary table."""


TENANT: Final[BindParameter[str]] = bindparam("tenant")
"""The county of a question that is put together once and asked often: each time it is given as `tenant`."""


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
    elif store.dialect == "sqlite" and len(complete) >= _COPY_FROM:
        _insert_many(store, table, complete)
    else:
        store.connection.execute(insert(table), complete)


def insert_new_rows(store: Store, table: Table, rows: Sequence[Row]) -> None:
    """Insert the rows whose key is not there yet; leave the others as they are."""
    for part in chunks(rows, 5_000):
        complete = [_complete(table, row) for row in part]
        if store.dialect == "postgresql" and len(complete) >= _COPY_FROM:
            _copy(store, table, complete, "ON CONFLICT DO NOTHING")
        else:
            store.connection.execute(_dialect_insert(store, table).on_conflict_do_nothing(), complete)


def upsert_rows(store: Store, table: Table, rows: Sequence[Row], *, keep: frozenset[str] = frozenset()) -> None:
    """Insert the rows, or replace those with the same primary key but for the columns in `keep`."""
    key = [column.name for column in table.primary_key]
    changing = [name for name in table.columns.keys() if name not in key and name not in keep]  # noqa: SIM118
    for part in chunks(rows, 5_000):
        complete = [_complete(table, row) for row in part]
        if store.dialect == "postgresql" and len(complete) >= _COPY_FROM:
            quote = store.connection.dialect.identifier_preparer.quote
            new = ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in changing)
            action = f"DO UPDATE SET {new}" if new else "DO NOTHING"
            # One statement may not change a row twice: of several rows with one key the last counts, as it would have.
            last = {tuple(row[name] for name in key): row for row in complete}
            _copy(store, table, list(last.values()), f"ON CONFLICT ({', '.join(map(quote, key))}) {action}")
            continue
        statement = _dialect_insert(store, table)
        set_ = {name: statement.excluded[name] for name in changing}
        upsert = (
            statement.on_conflict_do_update(index_elements=key, set_=set_)
            if set_
            else statement.on_conflict_do_nothing(index_elements=key)
        )
        store.connection.execute(upsert, complete)


def _dialect_insert(store: Store, table: Table) -> Any:
    return postgresql.insert(table) if store.dialect == "postgresql" else sqlite.insert(table)


def _complete(table: Table, row: Row) -> dict[str, Any]:
    defaults = _defaults(table)
    complete = {**defaults, **row}
    if len(complete) != len(defaults):
        raise KeyError(f"{table.name} has no column {', '.join(sorted(row.keys() - defaults.keys()))}")
    return complete


@cache
def _defaults(table: Table) -> dict[str, Any]:
    return {column.name: _default(column) for column in table.columns}


def _default(column: Column[Any]) -> Any:
    return column.default.arg if isinstance(column.default, ColumnDefault) else None


def _insert_many(store: Store, table: Table, rows: Sequence[Row]) -> None:
    """What `executemany` of the driver does by itself, with the columns' own conversions and nothing in between."""
    dialect = store.connection.dialect
    quote = dialect.identifier_preparer.quote
    names = ", ".join(quote(column.name) for column in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    processors = [(c.name, c.type.dialect_impl(dialect).bind_processor(dialect)) for c in table.columns]
    values = [tuple(row[name] if make is None else make(row[name]) for name, make in processors) for row in rows]
    statement = f"INSERT INTO {quote(table.name)} ({names}) VALUES ({marks})"  # noqa: S608 - quoted names of our own
    store.connection.exec_driver_sql(statement, values)


def _copy(store: Store, table: Table, rows: Sequence[Row], on_conflict: str = "") -> None:
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
    move = f"INSERT INTO {target} ({names}) SELECT {names} FROM {draft} {on_conflict}"  # noqa: S608 - quoted names of our own
    store.connection.exec_driver_sql(move)
    store.connection.exec_driver_sql(f"TRUNCATE {draft}")
