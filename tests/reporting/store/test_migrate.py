"""Migrations: equal to the tables, one run at a time, and what protects the rows is there."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from reporting import tables
from reporting.errors import DatabaseUnavailable, MigrationFailed
from reporting.store import migrate
from reporting.store.engine import Database
from tests.reporting.store.builders import ON_POSTGRESQL
from tests.services.postgres import PostgresServer

ROOT = Path(__file__).resolve().parents[3]
UPGRADE = "import sys; from reporting.store.migrate import upgrade; upgrade(sys.argv[1])"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The owner's address of a database in which there is nothing."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'not yet' / 'made.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    made = server.new_database()
    yield made.owner_url
    server.drop(made.name)


def test_migrations_make_what_the_tables_say(owner: Database) -> None:
    with owner.reading(None) as store:
        context = MigrationContext.configure(store.connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []


def test_an_empty_database_becomes_current(empty: str) -> None:
    assert (migrate.current(empty), migrate.is_current(empty)) == (None, False)
    migrate.upgrade(empty)
    assert (migrate.current(empty), migrate.is_current(empty)) == (migrate.latest(), True)
    migrate.upgrade(empty)
    assert migrate.is_current(empty)


def test_three_upgrades_at_once_all_succeed(empty: str) -> None:
    runs = [subprocess.Popen([sys.executable, "-c", UPGRADE, empty], cwd=ROOT) for _ in range(3)]
    assert [run.wait(120) for run in runs] == [0, 0, 0]
    assert migrate.is_current(empty)


def test_a_database_newer_than_the_code_is_refused(empty: str) -> None:
    migrate.upgrade(empty)
    database = Database.connect(empty)
    with database.transaction(None) as store:
        store.connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.dispose()
    assert not migrate.is_current(empty)
    with pytest.raises(MigrationFailed, match="9999"):
        migrate.upgrade(empty)


def test_a_failed_upgrade_leaves_nothing(empty: str) -> None:
    database = Database.connect(empty)
    with database.transaction(None) as store:
        store.connection.execute(text("CREATE TABLE review (other TEXT)"))  # in the way of one of the last tables
    with pytest.raises(MigrationFailed, match="review"):
        migrate.upgrade(empty)
    with database.transaction(None) as store:
        store.connection.execute(text("DROP TABLE review"))
    database.dispose()
    migrate.upgrade(empty)
    assert migrate.is_current(empty)


def test_migrations_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in (migrate.migrations_folder() / "versions").glob("*.py"))
    assert [name[:5] for name in names] == [f"{number:04}_" for number in range(1, len(names) + 1)]
    assert migrate.latest() == names[-1][:4]


def test_no_server_is_a_plain_error() -> None:
    with pytest.raises(DatabaseUnavailable):
        migrate.current("postgresql://nobody@127.0.0.1:1/nothing")


@pytest.mark.needs_postgres
def test_a_role_that_does_not_exist_is_named(postgres_server: PostgresServer) -> None:
    made = postgres_server.new_database()
    with pytest.raises(MigrationFailed, match="no_such_role"):
        migrate.upgrade(made.owner_url, app_role="no_such_role")
    assert migrate.current(made.owner_url) is None
    postgres_server.drop(made.name)


@ON_POSTGRESQL
def test_every_tenant_table_is_under_row_security(owner: Database) -> None:
    query = text(
        "SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid "
        "WHERE relrowsecurity AND relforcerowsecurity AND polqual IS NOT NULL AND polwithcheck IS NOT NULL"
    )
    with owner.reading(None) as store:
        secured = set(store.connection.execute(query).scalars())
    assert secured == {table.name for table in tables.tenant_tables()}


@ON_POSTGRESQL
def test_the_service_may_only_add_to_what_must_last(opened: Database) -> None:
    query = text(
        "SELECT privilege_type FROM information_schema.role_table_grants "
        "WHERE grantee = current_user AND table_name = :name ORDER BY 1"
    )
    with opened.reading(None) as store:
        granted = {
            name: list(store.connection.execute(query, {"name": name}).scalars()) for name in tables.metadata.tables
        }
        owned = store.connection.execute(
            text("SELECT count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = current_user")
        ).scalar()
    for name in ("log_entry", "log_raw", "log_detail", "checkpoint"):
        assert granted.pop(name) == ["INSERT", "SELECT"]
    assert set(map(tuple, granted.values())) == {("DELETE", "INSERT", "SELECT", "UPDATE")}
    assert owned == 0


@ON_POSTGRESQL
def test_identifiers_compare_by_bytes(owner: Database) -> None:
    identifiers = {
        (table.name, column.name)
        for table in tables.metadata.sorted_tables
        for column in table.c
        if column.type is tables.IDENTIFIER
    }
    query = text(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND collation_name = 'C'"
    )
    with owner.reading(None) as store:
        found = {tuple(row) for row in store.connection.execute(query)}
    assert found == identifiers
