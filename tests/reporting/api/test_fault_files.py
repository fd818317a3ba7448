"""The fault files come to the same by `submit`, over HTTP and by the command line, on both databases."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import time_machine
from click.testing import CliRunner
from flask import Flask
from werkzeug.test import Client

from reporting.api.app import create_app
from reporting.cli.main import pumper
from reporting.config import Config
from reporting.intake.answer import Answer, Refused
from reporting.store.engine import Database
from reporting.store.keys import Role, create_key
from reporting.store.signing import Signer
from tests.files.faults import HERE
from tests.reporting.intake.sending import NOW, Desk, a_system
from tests.reporting.store.builders import ON_SQLITE
from tests.services.databases import DatabaseUrls

FILES = sorted(
    path
    for path in HERE.iterdir()
    if path.is_file() and path.suffix != ".py" and not path.name.endswith(".expected.json")
)
LARGER_AT_A_TERMINAL = {"bomb.xlsx"}
"""What the command line, whose limits are its user's own, may read."""


@pytest.fixture
def environ(database: DatabaseUrls, tmp_path: Path) -> dict[str, str]:
    return {
        "DATABASE_URL": database.app_url,
        "PUMPER_SIGNING_KEY_FILE": str(tmp_path / "signing.key"),
        "LOG_LEVEL": "ERROR",
    }


@pytest.fixture
def desk(environ: dict[str, str]) -> Any:
    config = Config.from_environment(environ)
    kept = Database.connect(config.database_url)
    found = Desk(database=kept, signer=Signer.load(config.signing_key_file))
    found.stock(a_system("SP-1"), a_system("SP-2", component="holding"), a_system("0412", parcel_number="08-412"))
    yield found
    kept.dispose()


def submitted(desk: Desk, path: Path) -> dict[str, Any]:
    """What `submit` says, as JSON."""
    answer = desk.send(path.read_bytes(), name=path.name, dry_run=True)
    if isinstance(answer, Refused):
        return {"detail": answer.detail, "status": answer.status, "code": answer.code.replace("_", "-")}
    assert isinstance(answer, Answer)
    return bare(json.loads(json.dumps(answer.as_json(), default=str)))


def bare(body: dict[str, Any]) -> dict[str, Any]:
    """An answer without what is another one each time, and without a problem's own members."""
    away = {"id", "received_at", "type", "title", "status", "detail", "errors"}
    return {name: value for name, value in body.items() if name not in away}


def over_http(app: Flask, key: str, path: Path) -> dict[str, Any]:
    form = {"file": (io.BytesIO(path.read_bytes()), path.name)}
    answer = Client(app).post(
        "/v1/ozaukee/submissions?dry_run=true", data=form, headers={"Authorization": f"Bearer {key}"}
    )
    body = answer.json
    assert body is not None
    if "outcomes" in body:
        return bare(body)
    return {"detail": body["detail"], "status": answer.status_code, "code": body["type"].rpartition(":")[2]}


def test_http_answers_as_submit_does(desk: Desk, environ: dict[str, str]) -> None:
    with desk.database.transaction(None) as store:
        key = create_key(store, Role.COUNTY, "ozaukee", None, "clerk", NOW)[1]
    app = create_app(Config.from_environment(environ), desk.database, desk.signer, lambda: NOW)
    for path in FILES:
        assert over_http(app, key, path) == submitted(desk, path), path.name


@ON_SQLITE
def test_the_command_line_answers_as_submit_does(desk: Desk, environ: dict[str, str]) -> None:
    with time_machine.travel(NOW, tick=False):
        for path in FILES:
            if path.name in LARGER_AT_A_TERMINAL:
                continue
            words = ["submit", "ozaukee", str(path), "--dry-run", "--json"]
            said = CliRunner().invoke(pumper, words, env=environ)
            wanted = submitted(desk, path)
            shown = json.loads(said.stdout)
            if "refused" in shown:
                assert (said.exit_code, shown["detail"], shown["status"]) == (2, wanted["detail"], wanted["status"])
            else:
                assert bare(shown) == wanted, path.name
                assert said.exit_code == (1 if wanted["rejected"] else 0)
