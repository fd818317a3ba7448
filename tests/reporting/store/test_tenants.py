"""Nobody sees another county's rows, on PostgreSQL not even where a query forgets to ask for its own."""

import pytest
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError

from reporting import tables
from reporting.store import facts, log
from reporting.store.engine import Database
from reporting.store.facts import load_history
from tests.reporting.store.builders import NOON, ON_POSTGRESQL, add_systems, an_event


def fill(database: Database) -> None:
    for county, canary in (("portage", "P"), ("ozaukee", "O")):
        with database.transaction(county) as store:
            log.append(store, [log.NewEntry(type="note", content={"canary": canary}, raw=canary.encode())], NOON)
            add_systems(store, f"sys {canary}")
            facts.insert_events(store, [an_event(f"event {canary}", f"sys {canary}")])


def test_a_county_reads_its_own_through_the_store(opened: Database) -> None:
    fill(opened)
    with opened.reading("portage") as store:
        assert list(load_history(store, ["sys P", "sys O"])) == ["sys P"]
        assert facts.load_events(store, ["event O"]) == {}


def test_rows_are_written_in_the_name_of_the_transactions_county(opened: Database) -> None:
    with opened.transaction("portage") as store:
        facts.insert_systems(store, [{"county": "ozaukee", "id": "s", "created_seq": 1}])
    with opened.reading("ozaukee") as store:
        assert load_history(store, ["s"]) == {}


@ON_POSTGRESQL
@pytest.mark.parametrize("name", ["system", "event", "log_entry", "log_head", "log_raw"])
def test_row_security_holds_without_any_filter(opened: Database, name: str) -> None:
    fill(opened)
    table = tables.metadata.tables[name]
    with opened.reading("portage") as store:
        assert set(store.connection.execute(select(table.c.county)).scalars()) == {"portage"}
    with opened.reading(None) as store:
        assert store.connection.execute(select(func.count()).select_from(table)).scalar() == 0


@ON_POSTGRESQL
def test_row_security_holds_for_changes(opened: Database) -> None:
    fill(opened)
    with opened.transaction("portage") as store:
        assert store.connection.execute(update(tables.event).values(visit="x")).rowcount == 1
        assert store.connection.execute(delete(tables.event)).rowcount == 1
    with opened.reading("ozaukee") as store:
        assert store.connection.execute(select(tables.event.c.visit)).scalars().all() == [None]
    with pytest.raises(DBAPIError, match="row-level security"), opened.transaction("portage") as store:
        store.connection.execute(insert(tables.system).values(county="ozaukee", id="s", created_seq=1))


@ON_POSTGRESQL
def test_the_county_ends_with_its_transaction(opened: Database) -> None:
    fill(opened)
    for county in ("portage", "ozaukee", None, "portage"):
        with opened.reading(county) as store:
            found = store.connection.execute(select(tables.system.c.county)).scalars().all()
        assert found == ([county] if county else [])
