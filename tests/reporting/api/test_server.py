"""gunicorn really serving, on both databases: a report in, its status out, and an end on SIGTERM."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reporting.api.server import settings_of
from tests.reporting.api.world import HOME, World, a_report, make_world
from tests.reporting.store.builders import ON_SQLITE
from tests.services.databases import DatabaseUrls

ROOT = Path(__file__).resolve().parents[3]
SERVE = (
    "from reporting.config import read; from reporting.api.server import serve; serve(read(), workers=2, bind={bind!r})"
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def serving(world: World, command: list[str], port: int, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """The server that a command starts, over the world's database, until the block ends."""
    environment = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": world.config.database_url,
        "PUMPER_SIGNING_KEY_FILE": str(world.config.signing_key_file),
        "LOG_LEVEL": "WARNING",
        **(settings or {}),
    }
    base = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until_up(base, process)
            yield base
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                _out, said = process.communicate(timeout=40)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    assert process.returncode == 0, said
    assert "Traceback" not in said


def wait_until_up(base: str, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AssertionError(process.stderr.read() if process.stderr else "it ended")
        try:
            if ask(base + "/readyz")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not come up")


def ask(url: str, key: str = "", body: Any = None, headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
    """Status and body of one request, as a client of its own sends it."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=dict(headers or {}))
    if data is not None:
        request.add_header("Content-Type", "application/json")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_a_report_goes_in_and_its_status_comes_out(database: DatabaseUrls, tmp_path: Path) -> None:
    world = make_world(database, tmp_path)
    world.database.dispose()
    port = free_port()
    command = [sys.executable, "-c", SERVE.format(bind=f"127.0.0.1:{port}")]
    with serving(world, command, port) as base:
        once = {"Idempotency-Key": "first"}
        report = a_report()
        status, taken = ask(f"{base}/v1/{HOME}/reports", world.keys["contractor"], report, once)
        assert (status, taken["outcome"]) == (201, "accepted"), taken
        assert ask(f"{base}/v1/{HOME}/reports", world.keys["contractor"], report, once) == (201, taken)
        status, found = ask(f"{base}/v1/{HOME}/status?permit=SP-1", world.keys["county"])
        assert status == 200
        assert found["services"][0]["report_id"] == taken["id"]
        assert ask(f"{base}/v1/{HOME}/systems")[0] == 401
        assert ask(f"{base}/metrics")[0] == 401


@ON_SQLITE  # once is enough: the databases are the other test's
def test_any_wsgi_server_may_run_it(database: DatabaseUrls, tmp_path: Path) -> None:
    world = make_world(database, tmp_path)
    world.database.dispose()
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--no-control-socket", "wsgi:app"]
    with serving(world, [sys.executable, "-m", "gunicorn", *options], port) as base:
        assert ask(f"{base}/healthz") == (200, {"status": "ok"})


def test_workers_share_nothing_across_a_fork() -> None:
    settings = settings_of(3, "127.0.0.1:0")
    assert settings["preload_app"] is False
    assert settings["control_socket_disable"] is True
    assert (settings["worker_class"], settings["workers"]) == ("reporting.api.workers.Worker", 3)
