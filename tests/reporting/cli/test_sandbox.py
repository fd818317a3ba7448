"""A sandbox is made anew as often as asked, and nothing that is real is ever taken for one."""

import datetime as dt
import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, text

from notifications.worker import WorkerOptions, take_turn
from reporting import tables
from reporting.api.calls import EXTENSION
from reporting.api.server import application
from reporting.cli.running import jobs_of
from reporting.config import Config
from reporting.errors import ConfigurationError
from reporting.store.engine import Database
from reporting.store.migrate import rebuild
from tests.reporting.cli.test_commands import EXAMPLES, Desk, desk, office, prepared  # noqa: F401 - fixtures
from tests.services.databases import DatabaseUrls

FEW = 4
AT_NOON = dt.datetime(2027, 1, 5, 18, 0, tzinfo=dt.UTC)


@pytest.fixture
def place(tmp_path: Path, database: DatabaseUrls, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A sandbox's terminal: a database of its own that nothing was put into, and the first rows of the examples."""
    for folder in ("inventory", "history"):
        (tmp_path / "examples" / folder).mkdir(parents=True)
        for path in (EXAMPLES / folder).iterdir():
            with path.open(encoding="utf-8") as whole:
                (tmp_path / "examples" / folder / path.name).write_text("".join(itertools.islice(whole, FEW)), "utf-8")
    (tmp_path / "examples" / "contractors.csv").write_bytes((EXAMPLES / "contractors.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    environ = {
        "PUMPER_SANDBOX": "on", "DATABASE_URL": database.app_url, "MIGRATION_DATABASE_URL": database.owner_url,
        "PUMPER_SIGNING_KEY_FILE": str(tmp_path / "signing.key"), "PUMPER_MAIL_DIR": str(tmp_path / "mail"),
        "SMTP_URL": "", "LOG_LEVEL": "ERROR", "SECRET_KEY": "s" * 32,
    }  # fmt: skip
    return Desk(folder=tmp_path, environ=environ)


@contextmanager
def served(place: Desk) -> Iterator[FlaskClient]:
    """The service of that configuration, asked without a server."""
    app = application(Config.from_environment(place.environ))
    yield app.test_client()
    app.extensions[EXTENSION].database.dispose()


def changed(place: Desk, **values: str) -> Desk:
    return replace(place, environ={**place.environ, **values})


def keys_of(place: Desk, command: str = "reset") -> Mapping[str, str]:
    ran = place.run("sandbox", command, "--json")
    assert ran.returncode == 0, ran.stderr
    return {one["holder"]: one["key"] for one in json.loads(ran.stdout)["keys"]}


def test_it_is_made_anew_twice_and_its_keys_stay(place: Desk) -> None:
    keys = keys_of(place)
    assert {"00412", "ozaukee"} <= keys.keys()
    bare = json.loads(place.run("checkpoint", "ozaukee", "--json").stdout)[0]["size"]
    assert place.run("settings", "set", "ozaukee", "lead_days", "61").returncode == 0
    assert json.loads(place.run("checkpoint", "ozaukee", "--json").stdout)[0]["size"] == bare + 1
    asked = {"Authorization": f"Bearer {keys['ozaukee']}", "Host": "127.0.0.1:8000"}
    with served(place) as client:
        assert client.get("/v1/ozaukee/systems", headers=asked).status_code == 200
        assert keys_of(place) == keys == keys_of(place, "status")
        assert client.get("/v1/ozaukee/systems", headers=asked).status_code == 200, "those who are at it go on"
    assert json.loads(place.run("checkpoint", "ozaukee", "--json").stdout)[0]["size"] == bare
    assert place.run("verify").returncode == 0
    elsewhere = changed(place, SECRET_KEY="t" * 32)
    assert not set(keys_of(elsewhere, "status").values()) & set(keys.values()), "who knows one sandbox knows no other"


def test_nothing_real_is_touched(place: Desk) -> None:
    real = changed(place, PUMPER_SANDBOX="")
    ran = real.run("sandbox", "reset")
    assert (ran.returncode, "PUMPER_SANDBOX is not on" in ran.stderr) == (2, True)
    assert real.run("sandbox", "status").returncode == 2
    assert real.run("init").returncode == 0
    assert real.run("key", "create", "--role", "county", "--county", "portage").returncode == 0
    ran = place.run("sandbox", "reset")
    assert (ran.returncode, "Nothing was touched" in ran.stderr) == (2, True)
    assert "portage" in real.run("key", "list").stdout
    ran = place.run("key", "list")
    assert (ran.returncode, "no sandbox's" in ran.stderr) == (2, True)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_record_however_short_is_real(place: Desk, database: DatabaseUrls) -> None:
    real = changed(place, PUMPER_SANDBOX="")
    assert real.run("init").returncode == 0
    assert real.run("settings", "set", "portage", "lead_days", "61").returncode == 0
    assert place.run("sandbox", "reset").returncode == 2
    crossed = changed(place, DATABASE_URL=f"sqlite:///{place.folder}/new.db")
    ran = crossed.run("sandbox", "reset")
    assert (ran.returncode, "Nothing was touched" in ran.stderr) == (2, True), "the owner's address leads to another"
    assert '"valid_from"' in real.run("settings", "list", "portage", "--json").stdout


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_another_s_database_is_real(place: Desk, database: DatabaseUrls) -> None:
    owner = Database.connect(database.owner_url)
    with owner.transaction(None) as store:
        store.connection.execute(text("DROP TABLE alembic_version"))
    owner.dispose()
    ran = place.run("sandbox", "reset")
    assert (ran.returncode, "Nothing was touched" in ran.stderr) == (2, True)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_it_mails_nobody_says_so_everywhere_and_is_not_served_as_real(place: Desk) -> None:
    keys_of(place)
    real = changed(place, PUMPER_SANDBOX="")
    for command in (("verify",), ("web",), ("worker",), ("deliver",), ("key", "list")):
        ran = real.run(*command)
        assert (ran.returncode, "is a sandbox's" in ran.stderr) == (2, True), command
    _mails_nobody(place)
    _says_so(place, said=True)
    _says_so(real, said=False)
    with pytest.raises(ConfigurationError, match="must be on, or empty"):
        Config.from_environment({"PUMPER_SANDBOX": "yes"})


def _mails_nobody(place: Desk) -> None:
    assert place.run("scan").returncode == 0
    outside = changed(place, SMTP_URL="smtp://127.0.0.1:9").run("deliver")
    assert (outside.returncode, "a sandbox mails nobody" in outside.stderr) == (2, True)
    nowhere = changed(place, PUMPER_MAIL_DIR="").run("deliver")
    assert (nowhere.returncode, "There is no mail server" in nowhere.stderr) == (2, True)
    assert place.run("deliver").returncode == 0
    assert list((place.folder / "mail").glob("*.eml")), "they are in the folder, to be looked at"


def _says_so(place: Desk, *, said: bool) -> None:
    with served(place) as client:
        for path in ("/", "/signin", "/look-up", "/what-is-asked/ozaukee", "/no-such-page", "/healthz", "/v1/programs"):
            answer = client.get(path, headers={"Host": "127.0.0.1:8000", "Accept": "text/html"})
            assert ("X-Pumper-Sandbox" in answer.headers) is said, path
            if answer.mimetype == "text/html":
                assert ('class="sandbox"' in answer.text) is said, path
        refused = client.get("/v1/ozaukee/systems", headers={"Host": "127.0.0.1:8000"})
        assert (refused.status_code, refused.headers.get("X-Pumper-Sandbox")) == (401, "on" if said else None)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_worker_makes_it_anew_once_a_night(place: Desk) -> None:
    config = Config.from_environment(place.environ)
    database = Database.connect(config.database_url)
    try:
        [job] = [one for one in jobs_of(config, database) if one.name == "sandbox"]
        options = WorkerOptions(name="w")
        assert job.daily_at == dt.time(4)
        assert take_turn(database, job, options, lambda: AT_NOON)
        assert place.run("settings", "set", "ozaukee", "lead_days", "61").returncode == 0
        assert not take_turn(database, job, options, lambda: AT_NOON + dt.timedelta(hours=1)), "once is enough"
        assert place.run("settings", "list", "ozaukee").stdout.count("61") > 0
        with database.reading(None) as store:
            [slot] = store.connection.execute(select(tables.job_run.c.slot)).scalars()
        assert slot == "2027-01-05"
        plain = Config.from_environment({**place.environ, "PUMPER_SANDBOX": ""})
        assert "sandbox" not in {one.name for one in jobs_of(plain, database)}
    finally:
        database.dispose()


def test_a_reset_that_breaks_off_leaves_what_was(place: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = changed(place, PUMPER_SANDBOX="")
    assert real.run("init").returncode == 0
    assert real.run("settings", "set", "portage", "lead_days", "61").returncode == 0
    before = real.run("checkpoint", "--json").stdout
    monkeypatch.setattr("reporting.store.migrate.insert", lambda table: text("INSERT INTO nowhere VALUES (1)"))
    with pytest.raises(Exception, match="nowhere"):
        rebuild(place.environ["MIGRATION_DATABASE_URL"], (tables.county,))
    assert real.run("checkpoint", "--json").stdout == before
