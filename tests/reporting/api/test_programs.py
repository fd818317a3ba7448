"""What is asked, where and since when: for everybody."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from notifications.worker import WorkerOptions, beat, is_alive
from reporting.api.app import create_app
from reporting.store.engine import Database
from schemas.loader import shipped_slugs
from tests.reporting.api.offline import offline_world
from tests.reporting.api.world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return offline_world(tmp_path_factory.mktemp("programs"))


def test_every_program_is_listed_with_its_texts(world: World) -> None:
    programs = world.get("/v1/programs", "").json["programs"]
    assert [p["county"] for p in programs] == list(shipped_slugs())
    assert all(p["authority"] and p["texts"] for p in programs)


def test_a_program_shows_the_text_of_the_day(world: World) -> None:
    old, new = (world.get(f"/v1/programs/winnebago?on={day}", "").json for day in ("2026-06-30", "2026-07-01"))
    assert old["text"]["name"] != new["text"]["name"]
    rules = {rule["id"]: rule for rule in new["rules"]}
    assert rules["WI1"]["cite"]
    assert all(rule["cite"] and rule["title"] for rule in rules.values())
    assert world.get("/v1/programs/nowhere", "").status_code == 404


@pytest.mark.parametrize("county", shipped_slugs())
def test_the_shape_of_a_report(world: World, county: str) -> None:
    path = f"/v1/programs/{county}/report-schema?component=holding&event=pumping"
    schema = world.get(path, "")
    assert (schema.status_code, schema.mimetype) == (200, "application/schema+json")
    assert schema.json["$schema"].endswith("2020-12/schema")
    table = world.get(path + "&format=table-schema", "").json
    assert {f["name"] for f in table["fields"]} == set(schema.json["properties"])
    template = world.get(path + "&format=csv", "")
    assert template.mimetype == "text/csv"
    assert template.data.startswith(b"\xef\xbb\xbf")
    [head] = csv.reader(io.StringIO(template.data.decode("utf-8-sig")))
    assert set(head) == set(schema.json["properties"])
    book = world.get(path + "&format=xlsx", "")
    assert book.mimetype.endswith("spreadsheetml.sheet")
    assert book.data.startswith(b"PK")
    assert ".xlsx" in book.headers["Content-Disposition"]


def test_health(world: World) -> None:
    assert world.get("/healthz", "").json == {"status": "ok"}
    assert world.get("/readyz", "").json == {"status": "ready"}
    assert world.get("/metrics", "").status_code == 401  # an administrator's key alone


def test_a_database_that_is_not_up_to_date_is_not_ready(tmp_path: Path) -> None:
    made = offline_world(tmp_path)
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"
    app = create_app(replace(made.config, database_url=url), Database.connect(url), made.signer, made.clock)
    answer = replace(made, app=app).get("/readyz", "")
    assert (answer.status_code, answer.json["type"]) == (503, "urn:pumper:problem:not-migrated")


def test_without_a_sign_of_life_of_the_worker_it_is_not_ready(tmp_path: Path) -> None:
    made = offline_world(tmp_path)
    app = create_app(made.config, made.database, made.signer, made.clock, worker_alive=is_alive)
    watched = replace(made, app=app)
    assert watched.get("/readyz", "").json["type"] == "urn:pumper:problem:no-worker"
    beat(made.database, WorkerOptions(name="w1"), made.clock())
    assert watched.get("/readyz", "").status_code == 200
    made.clock.forward(minutes=4)
    assert watched.get("/readyz", "").status_code == 503
    assert watched.get("/healthz", "").status_code == 200
