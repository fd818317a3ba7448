"""`docs/scale.md` says what was measured and what the code is ready for, and the code is."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import UniqueConstraint, text

from bench.scale import measured_table, written
from reporting import tables
from reporting.cli.main import pumper
from reporting.store.engine import Database
from tests.commands_of_pages import ROOT, commands_of, lost_files, misfit
from tests.services.postgres import PostgresDatabase, PostgresServer

PAGE = ROOT / "docs" / "scale.md"
TEXT = PAGE.read_text(encoding="utf-8")
FIGURES = json.loads((ROOT / "docs" / "scale.json").read_text(encoding="utf-8"))
SET = "SELECT current_setting('app.county', true), current_setting('statement_timeout'), pg_backend_pid()"


def test_its_tables_are_those_of_the_figures() -> None:
    assert written(TEXT, FIGURES) == TEXT, "run bench/scale.py --write"
    assert {one["database"] for one in FIGURES} == {"sqlite", "postgresql"}
    assert len({one["systems"] for one in FIGURES}) == 2
    assert all(one["events"] == 5 for one in FIGURES)
    assert measured_table(FIGURES).count("\n") == 9
    with pytest.raises(ValueError, match="no place measured"):
        written(TEXT.replace("<!-- measured -->", ""), FIGURES)


def test_what_it_says_of_the_figures_is_so() -> None:
    """Ten times the systems: no more rows and bytes a system, statements the same, times not half as much again."""
    for kind in ("sqlite", "postgresql"):
        small, large = sorted((one for one in FIGURES if one["database"] == kind), key=lambda one: one["systems"])
        assert large["systems"] == 10 * small["systems"]
        for name in ("rows a system", "bytes a system"):
            assert large[name] <= small[name], (kind, name)
        assert large["statements a status call"] == small["statements a status call"]
        for name in ("look-up by permit, ms", "status call, ms"):
            assert large[name] < 1.5 * small[name], (kind, name)


def test_its_commands_and_links_are_there() -> None:
    assert [wrong for one in commands_of(TEXT) if (wrong := misfit(one))] == []
    assert lost_files(PAGE) == []


def test_the_county_is_in_the_key_of_every_table_that_it_says() -> None:
    lacking = {
        table.name
        for table in tables.metadata.sorted_tables
        if "county" in table.c
        for keys in (
            [
                table.primary_key,
                *(one for one in table.constraints if isinstance(one, UniqueConstraint)),
                *(one for one in table.indexes if one.unique),
            ],
        )
        if not all("county" in key.columns for key in keys)
    }
    section = TEXT.split("Before partitions or Citus")[1]
    assert lacking == set(re.findall(r"`([a-z_]+)`", section))


@pytest.fixture
def server(postgres_server: PostgresServer, postgres_template: PostgresDatabase) -> Iterator[PostgresDatabase]:
    """A fresh PostgreSQL."""
    copy = postgres_server.new_database(postgres_template.name)
    yield copy
    postgres_server.drop(copy.name)


def test_nothing_of_a_caller_stays_on_a_connection_for_the_next(server: PostgresDatabase) -> None:
    database, seen = Database.connect(server.app_url), []
    for county in ("portage", "ozaukee", None):
        with database.transaction(county) as store:
            seen.append(tuple(store.connection.execute(text(SET)).one()))
            for _ in range(7):  # the driver would prepare one that comes again
                store.connection.execute(text("SELECT count(*) FROM system WHERE id = :id"), {"id": "x"})
    with database.engine.connect() as connection:
        left = tuple(connection.execute(text(SET)).one())
        prepared = connection.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar_one()
    database.dispose()
    assert [county for county, _, _ in seen] == ["portage", "ozaukee", ""]
    assert len({pid for _, _, pid in (*seen, left)}) == 1, "all of them had the same connection"
    assert "0" not in {limit for _, limit, _ in seen}
    assert left[:2] == ("", "0")
    assert prepared == 0


def test_commands_that_only_read_run_where_nothing_can_be_written(server: PostgresDatabase, tmp_path: Path) -> None:
    """No right to write or to lock a row stands for a replica, where neither can be done."""
    owner = Database.connect(server.owner_url)
    with owner.transaction(None) as store:
        store.connection.execute(text("REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM pumper_app"))
    owner.dispose()
    key = str(tmp_path / "key")
    environ = {"DATABASE_URL": server.app_url, "MIGRATION_DATABASE_URL": "", "PUMPER_SIGNING_KEY_FILE": key}
    for line in ("due ozaukee --csv", "summary ozaukee --year 2026 --csv", "periods winnebago --period 2026 --csv"):
        ran = CliRunner().invoke(pumper, line.split(), env=environ)
        assert ran.exit_code == 0, (line, ran.output)
    refused = CliRunner().invoke(pumper, ["settings", "set", "ozaukee", "lead_days", "61"], env=environ)
    assert refused.exit_code != 0
    assert "permission denied" in f"{refused.output} {refused.exception}"
