"""What runs beside the web server, and the databases from which nobody is served."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from notifications.worker import Turn
from reporting.cli.running import jobs_of, refuse_forgetful
from reporting.config import Config
from reporting.errors import ConfigurationError
from reporting.store import idempotency
from reporting.store.engine import Database
from tests.reporting.store.builders import ON_POSTGRESQL
from tests.services.databases import DatabaseUrls

ROOT = Path(__file__).resolve().parents[3]
NOON = datetime(2026, 7, 13, 12, 0, tzinfo=UTC)
KEPT = timedelta(days=400)
FORGETFUL = "?options=-csynchronous_commit%3Doff"


@pytest.fixture
def opened(database: DatabaseUrls) -> Iterator[Database]:
    found = Database.connect(database.app_url)
    yield found
    found.dispose()


def kept(database: Database, county: str | None) -> bool:
    """Whether the answer under the key is still there."""
    with database.reading(county) as store:
        table = idempotency.tables.idempotency
        return store.connection.execute(table.select().where(table.c.county == (county or ""))).first() is not None


def test_the_worker_keeps_answers_400_days_and_no_longer(opened: Database, database: DatabaseUrls) -> None:
    config = Config.from_environment({"DATABASE_URL": database.app_url})
    [job] = [job for job in jobs_of(config, opened) if job.name == "old answers"]
    assert job.daily_at is not None
    counties = ("ozaukee", "portage", None)
    for county in counties:
        with opened.transaction(county) as store:
            idempotency.begin(store, "key", f"POST /v1/{county}/reports", "K", "body", NOON)
            idempotency.finish(store, "key", f"POST /v1/{county}/reports", "K", status=201, answer={})
    for after, there in ((KEPT, True), (KEPT + timedelta(seconds=1), False)):
        job.run(Turn(now=NOON + after, slot="a day", still_mine=lambda: True, stopping=lambda: False))
        assert [kept(opened, county) for county in counties] == [there] * 3


@ON_POSTGRESQL
def test_a_database_that_may_forget_is_not_served_from(database: DatabaseUrls) -> None:
    forgetful = Database.connect(database.app_url + FORGETFUL)
    with pytest.raises(ConfigurationError, match="synchronous_commit is off, must be on"):
        refuse_forgetful(forgetful)
    forgetful.dispose()


@ON_POSTGRESQL
@pytest.mark.parametrize("command", ["web", "serve"])
def test_the_server_does_not_start_on_it(database: DatabaseUrls, tmp_path: Path, command: str) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": database.app_url + FORGETFUL,
        "PUMPER_SIGNING_KEY_FILE": str(tmp_path / "signing.key"),
    }
    run = subprocess.run(
        [sys.executable, "-m", "reporting.cli", command],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.returncode == 2, run.stderr
    assert "synchronous_commit is off" in run.stderr
    assert "Traceback" not in run.stderr


def test_sqlite_as_the_service_opens_it_passes(tmp_path: Path) -> None:
    database = Database.connect(f"sqlite:///{tmp_path}/a.db")
    refuse_forgetful(database)
    database.dispose()
