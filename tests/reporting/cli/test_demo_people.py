"""The demonstration's people: each gets in on the day that the server starts, and again at the next start."""

import re
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask
from werkzeug.test import Client

from reporting.api.app import create_app
from reporting.cli.demo import demo_environment, fill
from reporting.cli.demo_people import ways_in
from reporting.config import Config
from reporting.store.engine import Database
from reporting.store.signing import Signer
from tests.services.databases import copied_sqlite

NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)


def entered(app: Flask, lines: list[str]) -> list[int]:
    """The statuses of each way in, used as a browser does."""
    hauler, clerk, owner = lines
    path = {line: line.split("127.0.0.1:8000")[1].split()[0] for line in lines}
    found = re.search(r"signin  (\S+), password (\S+), code (\S+)", clerk)
    assert found is not None
    email, password, code = found.groups()
    forms = [{}, {"email": email, "password": password, "code": code}, {}]
    calls = zip((hauler, clerk, owner), forms, strict=True)
    form = "application/x-www-form-urlencoded"
    return [Client(app).post(path[line], data=data or "", content_type=form).status_code for line, data in calls]


def test_a_hauler_a_clerk_and_an_owner_get_in(sqlite_template: Path, tmp_path: Path) -> None:
    copied_sqlite(sqlite_template, tmp_path)
    environ = {**demo_environment(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path / 'pumper.sqlite'}"}
    config = Config.from_environment({**environ, "LOG_LEVEL": "ERROR"})
    fill(config, Path("examples"))
    database = Database.connect(config.database_url)
    app = create_app(config, database, Signer.load(config.signing_key_file), lambda: NOW)
    for _start in range(2):
        statuses = entered(app, list(ways_in(config, database, NOW)))
        assert all(status in (200, 303) for status in statuses), statuses
    database.dispose()
