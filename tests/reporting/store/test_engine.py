"""Transactions: who commits, who waits, what is seen, and what a database that is away looks like."""

import multiprocessing
import sqlite3
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, StatementError

from reporting import tables
from reporting.errors import ConfigurationError, DatabaseUnavailable, QueryTooSlow, StorageFull
from reporting.store import engine
from reporting.store.engine import Database, Store, check_durability, journal_mode
from reporting.store.rows import insert_rows
from tests.reporting.store.builders import NOON, ON_POSTGRESQL
from tests.services.databases import DatabaseUrls
from tests.services.postgres import running_postgres

COUNTY = tables.county


def slugs(store: Store) -> list[str]:
    return list(store.connection.execute(select(COUNTY.c.slug).order_by(COUNTY.c.slug)).scalars())


def add_county(store: Store, slug: str) -> None:
    store.connection.execute(insert(COUNTY).values(slug=slug, name=slug))


def test_a_transaction_commits_at_its_end_and_only_then(opened: Database) -> None:
    with opened.transaction(None) as store:
        add_county(store, "door")
        if opened.dialect == "postgresql":
            with opened.reading(None) as other:
                assert slugs(other) == []
    with opened.reading(None) as store:
        assert slugs(store) == ["door"]


def test_an_exception_rolls_back(opened: Database) -> None:
    def add_and_fail() -> None:
        with opened.transaction(None) as store:
            add_county(store, "door")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_fail()
    with opened.reading(None) as store:
        assert slugs(store) == []


def test_a_reader_cannot_write(opened: Database) -> None:
    with pytest.raises(DBAPIError), opened.reading(None) as store:
        add_county(store, "door")
    with opened.transaction(None) as store:  # the same pooled connection writes again
        add_county(store, "door")
        assert slugs(store) == ["door"]


@ON_POSTGRESQL
def test_a_reader_sees_one_moment(opened: Database) -> None:
    with opened.reading(None) as reader:
        before = slugs(reader)
        with opened.transaction(None) as store:
            add_county(store, "door")
        assert slugs(reader) == before == []


def increment(url: str, times: int) -> None:
    """Read, then write what was read plus one: what a transaction that takes its lock late cannot do."""
    database = Database.connect(url)
    for _ in range(times):
        with database.transaction("door") as store:
            size = store.connection.execute(select(tables.log_head.c.size).with_for_update()).scalar_one()
            store.connection.execute(tables.log_head.update().values(size=size + 1))
    database.dispose()


def test_read_then_write_in_four_processes_loses_nothing(database: DatabaseUrls, opened: Database) -> None:
    with opened.transaction("door") as store:
        row = {"county": "door", "size": 0, "root": b"", "frontier": b"", "last_at": None}
        insert_rows(store, tables.log_head, [row])
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=increment, args=(database.app_url, 20)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    with opened.reading("door") as store:
        assert store.connection.execute(select(tables.log_head.c.size)).scalar_one() == 80
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]


def test_sqlite_is_set_up_to_last(tmp_path: Path) -> None:
    database = Database.connect(f"sqlite:///{tmp_path}/a.db")
    with database.reading(None) as store:
        pragma = {
            name: store.connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "recursive_triggers")
        }
    assert pragma == {
        "journal_mode": journal_mode(sqlite3.sqlite_version_info).lower(),
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": engine.SQLITE_WAIT_MS,
        "recursive_triggers": 1,
    }
    assert check_durability(database) == []


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        ((3, 40, 1), "TRUNCATE"),
        ((3, 44, 5), "TRUNCATE"),
        ((3, 44, 6), "WAL"),
        ((3, 45, 0), "TRUNCATE"),
        ((3, 50, 6), "TRUNCATE"),
        ((3, 50, 7), "WAL"),
        ((3, 51, 2), "TRUNCATE"),
        ((3, 51, 3), "WAL"),
        ((3, 52, 0), "WAL"),
    ],
)
def test_wal_only_where_its_reset_bug_is_fixed(version: tuple[int, ...], mode: str) -> None:
    assert journal_mode(version) == mode


@pytest.mark.needs_postgres
def test_a_server_that_may_forget_is_named(request: pytest.FixtureRequest) -> None:
    database = Database.connect(request.getfixturevalue("postgres_server").admin_url)
    with database.reading(None) as store:
        query = text("SELECT name FROM pg_settings WHERE name LIKE ANY(:names) AND setting = 'off' ORDER BY name")
        parameters = {"names": ["fsync", "full_page_writes", "synchronous_commit"]}
        names = list(store.connection.execute(query, parameters).scalars())
    assert [line.split(" ")[0] for line in check_durability(database)] == names
    assert "fsync" in names
    database.dispose()


@pytest.mark.needs_postgres
def test_a_server_that_lasts_passes(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("postgres_server")  # skips where no server can run
    with running_postgres(settings={}) as server:
        database = Database.connect(server.admin_url)
        assert check_durability(database) == []
        database.dispose()


LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT count(*) FROM n"


def test_a_slow_question_is_ended(opened: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "READ_LIMIT_MS", 200)
    begun = time.monotonic()
    with pytest.raises(QueryTooSlow), opened.reading(None) as store:
        store.connection.execute(text(LONG.format(200_000_000)))
    assert time.monotonic() - begun < 2 * 10  # the hang guard: ten times the usual
    with opened.reading(None) as store:  # the same connection, within its time
        assert store.connection.execute(text(LONG.format(10_000))).scalar_one() == 10_000


def test_the_limit_is_for_one_statement_and_not_for_the_transaction(
    opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "READ_LIMIT_MS", 300)
    with opened.reading(None) as store:
        for _ in range(5):
            assert store.connection.execute(text(LONG.format(20_000))).scalar_one() == 20_000
            time.sleep(0.1)


def test_the_reader_of_the_rows_may_take_its_time(opened: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite rows come as they are asked for: what is done with them in between is not the statement's time."""
    monkeypatch.setattr(engine, "READ_LIMIT_MS", 1_000)
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i FROM n"
    with opened.reading(None) as store:
        seen = 0
        for (number,) in store.connection.execute(text(rows)):
            seen += 1
            if number % 15_000 == 0:
                time.sleep(0.4)
        assert seen == 60_000


def test_a_reader_may_take_five_seconds_and_a_writer_a_minute() -> None:
    assert (engine.READ_LIMIT_MS, engine.WRITE_LIMIT_MS) == (5_000, 60_000)


def test_a_short_patience_ends_the_wait_for_another_writer(opened: Database) -> None:
    with opened.transaction(None) as store:
        add_county(store, "door")
        begun = time.monotonic()
        with pytest.raises(DatabaseUnavailable), opened.transaction(None, patience_ms=100) as other:
            add_county(other, "door")
        assert time.monotonic() - begun < 2


def test_a_database_that_is_away_is_unavailable(tmp_path: Path) -> None:
    for url in ("postgresql://nobody@127.0.0.1:1/nothing", f"sqlite:///{tmp_path}"):
        database = Database.connect(url)
        with pytest.raises(DatabaseUnavailable), database.reading(None):
            pass


@ON_POSTGRESQL
def test_a_connection_lost_in_the_middle_is_unavailable_and_heals(opened: Database) -> None:
    with pytest.raises(DatabaseUnavailable), opened.transaction(None) as store:
        store.connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    with opened.transaction(None) as store:
        assert slugs(store) == []


def test_a_mistake_of_ours_is_not_disguised(opened: Database) -> None:
    with pytest.raises(DBAPIError), opened.reading(None) as store:
        store.connection.execute(text("SELECT nothing FROM nowhere"))


def test_a_full_database_says_so(tmp_path: Path) -> None:
    database = Database.connect(f"sqlite:///{tmp_path}/small.db")
    with database.transaction(None) as store:
        store.connection.exec_driver_sql("CREATE TABLE big (words TEXT)")
        store.connection.exec_driver_sql("PRAGMA max_page_count = 4")
    with pytest.raises(StorageFull), database.transaction(None) as store:
        store.connection.exec_driver_sql("INSERT INTO big VALUES (hex(zeroblob(100000)))")


@pytest.mark.parametrize("url", ["", "mysql://x/y", "nonsense", "sqlite3://x", "oracle://x/y"])
def test_an_address_of_no_database_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        Database.connect(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_goes_by_every_name_in_use(scheme: str) -> None:
    assert str(Database.connect(f"{scheme}://u@h/d").engine.url) == "postgresql+psycopg://u@h/d"


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-5)), timezone(timedelta(hours=9))])
def test_instants_come_back_in_utc(opened: Database, zone: timezone) -> None:
    moment = datetime(2026, 11, 1, 1, 30, 0, 123456, tzinfo=zone)
    row = {"name": "clock", "owner": "me", "until": moment, "fence": 1}
    with opened.transaction(None) as store:
        insert_rows(store, tables.lease, [row])
        found = store.connection.execute(select(tables.lease.c.until)).scalar_one()
    assert (found, found.tzinfo) == (moment, UTC)


def test_an_instant_without_a_zone_is_refused(opened: Database) -> None:
    row = {"name": "clock", "owner": "me", "until": NOON.replace(tzinfo=None), "fence": 1}
    with pytest.raises(StatementError, match="time zone"), opened.transaction(None) as store:
        insert_rows(store, tables.lease, [row])


def test_a_busy_sqlite_file_makes_a_writer_wait(tmp_path: Path) -> None:
    database = Database.connect(f"sqlite:///{tmp_path}/busy.db")
    with database.transaction(None) as store:
        store.connection.exec_driver_sql("CREATE TABLE t (n)")
        other = sqlite3.connect(tmp_path / "busy.db", isolation_level=None, timeout=0.05)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")  # the lock was taken at the start, not at the first write
        other.close()
