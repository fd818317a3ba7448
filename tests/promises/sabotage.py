"""The service with one of its walls taken down on purpose: what stands behind it must hold, or the proof must tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from flask import request
from sqlalchemy import select, text

from notifications import queueing
from notifications.addresses import read_addresses
from reporting import tables
from reporting.api import calls, edge, policy, visibility
from reporting.api.calls import EXTENSION
from reporting.store.engine import Database, Store
from tests.promises.tenants import COUNTIES, Stage
from tests.reporting.api.world import AWAY, HOME

OTHER = {HOME: AWAY, AWAY: HOME}


@contextmanager
def changed(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Something else in the place of a function, for a while."""
    kept = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)


@dataclass(frozen=True, kw_only=True)
class Lying(Database):
    """A database whose transactions are one county's, while every query asks for the other's."""

    @contextmanager
    def _begin(self, county: str | None, **options: Any) -> Iterator[Store]:
        with super()._begin(county, **options) as store:
            yield replace(store, county=OTHER.get(str(county), county))


@contextmanager
def filter_sabotaged(stage: Stage) -> Iterator[None]:
    """The application's own filter asks for the wrong county, everywhere and always."""
    app = stage.world.app
    service = app.extensions[EXTENSION]
    lying = Lying(engine=service.database.engine, dialect=service.database.dialect)
    app.extensions[EXTENSION] = replace(service, database=lying)
    try:
        yield
    finally:
        app.extensions[EXTENSION] = service


@contextmanager
def policies_off(owner: Database) -> Iterator[None]:
    """PostgreSQL's row security switched off, as by a migration that forgot it."""
    with owner.transaction(None) as store:
        for table in tables.tenant_tables():
            store.connection.execute(text(f'ALTER TABLE "{table.name}" DISABLE ROW LEVEL SECURITY'))
    yield


def rows_of_others(database: Database) -> tuple[int, list[str]]:
    """Every tenant table read in each county's name without any condition: how many rows were seen, whose were not."""
    seen, wrong = 0, []
    for county in (*COUNTIES, None):
        with database.reading(county) as store:
            for table in tables.tenant_tables():
                found = store.connection.execute(select(table.c.county)).scalars().all()
                seen += len(found)
                others = sorted({str(one) for one in found} - {str(county)})
                wrong += [f"{table.name} shows {county or 'no county'} rows of {', '.join(others)}"] if others else []
    return seen, wrong


def all_are_named(_stored: Any, _licences: Any, _today: Any) -> bool:
    """In the place of what says whether a system names a business."""
    return True


def visibility_broken() -> Any:
    """Every business sees every system."""
    return changed(visibility, "_names", all_are_named)


def county_unchecked() -> Any:
    """A key is good for every county."""
    return changed(policy, "_within", lambda _principal, _county: True)


def owner_unchecked() -> Any:
    """Every report and file is everybody's."""
    return changed(calls.Call, "owns", lambda _call, _row: True)


def log_names_queries() -> Any:
    """The log names whole addresses, as servers' own logs do."""
    kept = edge._log

    def log(response: Any) -> None:
        kept(response)
        calls.service().log.info("asked", address=request.full_path)

    return changed(edge, "_log", log)


def mail_to_a_neighbour() -> Any:
    """Every business is written to at one address."""
    kept = queueing.load_book

    def load_book(*arguments: Any) -> Any:
        book = kept(*arguments)
        mixed = {
            key: replace(one, mail=read_addresses("mine@business.example")) for key, one in book.contractors.items()
        }
        return replace(book, contractors=mixed)

    return changed(queueing, "load_book", load_book)
