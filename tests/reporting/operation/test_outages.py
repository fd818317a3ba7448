"""A disk with no room, a server that hangs, a database that was moved, logs that name nobody: at their limits."""

import json
import shutil
import threading
import time
from pathlib import Path

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.engine import make_url

from notifications.worker import is_alive
from reporting.api.app import create_app
from reporting.api.problems import PROBLEM_JSON
from reporting.cli.common import log_to_stderr
from reporting.errors import DatabaseUnavailable
from reporting.store.copying import mark_moved
from reporting.store.engine import Database
from reporting.store.jobs import take_lease
from reporting.store.prompt import ANSWER_S, LOOK_S, PING_S
from reporting.store.room import Room, room_of
from tests.reporting.api.world import HOME, NOW, World, a_report
from tests.reporting.operation.conftest import Empty
from tests.services.proxies import running_proxy


def test_below_the_least_room_nothing_is_taken_and_reading_goes_on(
    on_sqlite: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = room_of(on_sqlite.config.database_url, None, 1_000)
    assert room is not None
    database = Database.connect(on_sqlite.config.database_url, room=room)
    client = create_app(on_sqlite.config, database, on_sqlite.signer, on_sqlite.clock).test_client()
    headers = {"Authorization": f"Bearer {on_sqlite.keys['contractor']}"}
    disk = shutil.disk_usage(tmp_path)
    for number, (free, status) in enumerate(((1_000, 201), (999, 507), (1_000, 201))):
        monkeypatch.setattr(shutil, "disk_usage", lambda _of, free=free: disk._replace(free=free))
        report = a_report(report_ref=f"R-{number}", gallons_pumped=900 + number, service_date=f"2026-07-0{number + 1}")
        answer = client.post(f"/v1/{HOME}/reports", json=report, headers=headers)
        assert answer.status_code == status, answer.text
        if status == 507:
            assert answer.content_type == PROBLEM_JSON
            assert answer.json["type"] == "urn:pumper:problem:storage-full"
        assert client.get(f"/v1/{HOME}/systems", headers=headers).status_code == 200
    database.dispose()


def test_where_nobody_looks_at_the_disk() -> None:
    assert room_of("sqlite:///var/x.db", None, 0) is None
    assert room_of("sqlite:///var/x.db", None, 5) == Room(folder=Path("var"), least=5)
    assert room_of("sqlite://", None, 5) is None
    assert room_of("postgresql://me@h/a", None, 5) is None
    assert room_of("postgresql://me@h/a", Path("pg"), 5) == Room(folder=Path("pg"), least=5)
    nowhere = Room(folder=Path("nowhere at all"), least=5)
    assert (nowhere.free(), nowhere.is_low()) == (None, False)


@pytest.mark.needs_postgres
def test_a_server_that_hangs_is_away_within_five_seconds_and_well_when_it_is_back(empty: Empty) -> None:
    address = make_url(empty("postgresql").app_url)
    with running_proxy((str(address.host), int(address.port or 5432))) as proxy:
        url = address.set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)
        database = Database.connect(url, prompt=True)
        with database.reading(None) as store:
            assert store.connection.execute(text("SELECT 1")).scalar() == 1
        proxy.hole = True
        begun = time.monotonic()
        with pytest.raises(DatabaseUnavailable), database.reading(None) as store:
            store.connection.execute(text("SELECT 1"))
        assert time.monotonic() - begun < 5
        proxy.hole = False
        with database.reading(None) as store:
            assert store.connection.execute(text("SELECT 1")).scalar() == 1
        database.dispose()


@pytest.mark.needs_postgres
def test_a_call_waits_for_another_writer_as_long_as_the_server_lives(empty: Empty) -> None:
    url = empty("postgresql").owner_url
    database, other = Database.connect(url, prompt=True), Database.connect(url)
    lock = text("SELECT version_num FROM alembic_version FOR UPDATE")
    held, seconds = threading.Event(), 3.5

    def hold() -> None:
        with other.transaction(None) as store:
            store.connection.execute(lock)
            held.set()
            time.sleep(seconds)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    begun = time.monotonic()
    with database.transaction(None) as store:
        assert store.connection.execute(lock).scalar()
        driver = store.connection.connection.driver_connection
        assert seconds - 0.5 < time.monotonic() - begun < seconds + 3  # one look at the server is between
        assert driver.patience == LOOK_S
        store.connection.execute(text("SELECT 1"))
        assert driver.patience == ANSWER_S
    assert driver.patience == PING_S
    holder.join()
    database.dispose()
    other.dispose()


def test_a_moved_database_and_a_worker_are_told_of(on_sqlite: World) -> None:
    made = on_sqlite
    app = create_app(made.config, made.database, made.signer, made.clock, worker_alive=is_alive)
    client = app.test_client()
    headers = {"Authorization": f"Bearer {made.keys['admin']}"}
    assert "pumper_worker_alive 0" in client.get("/metrics", headers=headers).text
    with made.database.transaction(None) as store:
        take_lease(store, "worker", "me", NOW, NOW.replace(minute=10))
    told = client.get("/metrics", headers=headers).text
    assert "pumper_worker_alive 1" in told
    assert f'pumper_log_entries{{county="{HOME}"}} ' in told
    assert client.get("/readyz").status_code == 200
    with made.database.transaction(None) as store:
        mark_moved(store, "postgresql://elsewhere/pumper")
    assert (client.get("/readyz").status_code, client.get("/readyz").json["type"]) == (503, "urn:pumper:problem:moved")


def test_the_workers_log_names_nobody(on_sqlite: World, capsys: pytest.CaptureFixture[str]) -> None:
    kept = structlog.get_config()
    log_to_stderr("INFO")
    try:
        with on_sqlite.database.transaction(HOME) as store:
            values = {"name": "Zzyx Homecanary", "c": HOME}
            store.connection.execute(text("INSERT INTO owner_version (county, name) VALUES (:c, :name)"), values)
    except Exception:
        structlog.get_logger().exception("job failed", job="scan")
    finally:
        structlog.configure(**kept)
    [line] = [json.loads(said) for said in capsys.readouterr().err.splitlines()]
    assert (line["event"], line["job"], line["error"], line["level"]) == (
        "job failed",
        "scan",
        "IntegrityError",
        "error",
    )
    assert any("test_outages.py" in place for place in line["where"])
    assert "canary" not in json.dumps(line)
