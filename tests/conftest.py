"""Fixtures of the whole suite: real servers, and fresh migrated databases of both kinds."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.services.availability import SERVICE_MARKERS, ServiceUnavailable, in_ci, unavailable
from tests.services.databases import DatabaseUrls, copied_sqlite, migrated_postgres, migrated_sqlite, urls_of
from tests.services.folders import quick_folder
from tests.services.postgres import PostgresDatabase, PostgresServer, running_postgres
from tests.services.smtp import SmtpServer, running_smtp_server

MARKER_OF_FIXTURE = {"postgres_server": "needs_postgres", "smtp_server": "needs_smtp"}


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest's own folders be in memory where there is room; what passed is removed at once (pyproject.toml)."""
    quick = quick_folder()
    if quick and not config.option.basetemp:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", quick)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by fixture, so that nobody can forget to."""
    for item in items:
        for fixture, marker in MARKER_OF_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, whatever skipped a test that needs a service, it has failed."""
    report = yield
    needs = [marker for marker in SERVICE_MARKERS if item.get_closest_marker(marker)]
    if report.skipped and needs and in_ci() and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where {', '.join(needs)} must run: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One PostgreSQL server for the session (with xdist: for each worker)."""
    try:
        with running_postgres() as server:
            yield server
    except ServiceUnavailable as error:
        unavailable("PostgreSQL", error)


@pytest.fixture
def smtp_server() -> Iterator[SmtpServer]:
    """A mail server of this test's own."""
    try:
        with running_smtp_server() as server:
            yield server
    except OSError as error:
        unavailable("SMTP", error)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The migrated SQLite file that tests copy."""
    return migrated_sqlite(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> PostgresDatabase:
    """The migrated PostgreSQL database that tests copy."""
    return migrated_postgres(postgres_server)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DatabaseUrls]:
    """A fresh migrated database without data, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        yield copied_sqlite(request.getfixturevalue("sqlite_template"), tmp_path)
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    template: PostgresDatabase = request.getfixturevalue("postgres_template")
    copy = server.new_database(template.name)
    yield urls_of(copy)
    server.drop(copy.name)
