"""Everything that goes wrong is a problem document, with the headers that every answer has."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from reporting.api.app import create_app
from reporting.api.calls import EXTENSION
from reporting.api.logs import make_log
from reporting.api.problems import Problem, of_error
from reporting.errors import (
    ConfigurationError,
    DatabaseBusy,
    DatabaseUnavailable,
    PumperError,
    QueryTooSlow,
    RecordNotFound,
    StorageFull,
)
from reporting.store.engine import Database
from tests.reporting.api.world import HOME, World, a_report, make_world
from tests.services.databases import DatabaseUrls

JSON = {"content_type": "application/json"}


def is_problem(answer: TestResponse, status: int) -> bool:
    body = answer.json
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "application/problem+json"
    assert body["status"] == status
    assert all(isinstance(body[name], str) and body[name] for name in ("type", "title", "detail"))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Request-Id"]
    return True


NO_SUCH = [
    ("GET", "/nowhere", 404),
    ("GET", "/v1", 404),
    ("GET", "/v1/nowhere/reports/x/y", 404),
    ("GET", f"/v1/{HOME}/reports/a%00b", 404),
    ("GET", f"/v1/{HOME.upper()}/systems", 404),
    ("GET", f"/v1/{HOME}/systems/", 404),
    ("GET", f"/v1/{HOME}/reports", 405),
    ("DELETE", f"/v1/{HOME}/reports", 405),
    ("OPTIONS", f"/v1/{HOME}/reports", 405),
    ("PUT", f"/v1/{HOME}/reports/x", 405),
    ("POST", "/healthz", 405),
]


def test_no_such_address_or_method(world: World) -> None:
    for method, path, status in NO_SUCH:
        for who in ("", "county"):
            answer = world.call(method, path, who)
            assert is_problem(answer, status), (method, path)
            if status == 405:
                assert "POST" in answer.headers["Allow"] or "GET" in answer.headers["Allow"]


NO_REPORT = [
    (b"", "application/json", 422),
    (b"null", "application/json", 422),
    (b"[]", "application/json", 422),
    (b'"x"', "application/json", 422),
    (b"{", "application/json", 422),
    (b'{"a": NaN}', "application/json", 422),
    (b'{"a": 1, "a": 2}', "application/json", 422),
    (b'{"notes": "\\u0000"}', "application/json", 422),
    (b'{"notes": "\\ud800"}', "application/json", 422),
    (b'{"gallons_pumped": 1e999999}', "application/json", 422),
    (b'{"gallons_pumped": ' + b"9" * 5_000 + b"}", "application/json", 422),
    (b"[" * 100_000, "application/json", 422),
    (b'{"a":' * 50_000, "application/json", 422),
    (b"\xff\xfe{\x00}\x00", "application/json", 422),
    (b"a=1", "application/x-www-form-urlencoded", 415),
    (b"{}", "", 415),
    (b"<a/>", "application/xml", 415),
]


def test_bodies_that_are_no_report(world: World) -> None:
    for body, kind, status in NO_REPORT:
        answer = world.call("POST", f"/v1/{HOME}/reports", data=body, content_type=kind)
        assert is_problem(answer, status), (body[:40], kind)


def test_bodies_too_large_or_packed(world: World) -> None:
    big = json.dumps(a_report(notes="x" * 1_100_000)).encode()
    assert is_problem(world.call("POST", f"/v1/{HOME}/reports", data=big, **JSON), 413)
    assert is_problem(world.send(HOME, b"x" * 10_000_001), 413)
    headers = {"Content-Encoding": "gzip"}
    assert is_problem(world.send(HOME, b"\x1f\x8b", headers=headers), 415)


WRONG_PARAMETERS = [
    (f"/v1/{HOME}/systems?colour=red", "colour"),
    (f"/v1/{HOME}/systems?limit=0", "limit"),
    (f"/v1/{HOME}/systems?limit=201", "limit"),
    (f"/v1/{HOME}/systems?limit=1_0", "limit"),
    (f"/v1/{HOME}/systems?limit=5&limit=6", "limit"),
    (f"/v1/{HOME}/systems?limit=\u0661", "limit"),
    (f"/v1/{HOME}/systems?standing=fine", "standing"),
    (f"/v1/{HOME}/systems?q=", "q"),
    (f"/v1/{HOME}/systems?q=%00", "q"),
    (f"/v1/{HOME}/systems?cursor=xyz", "cursor"),
    (f"/v1/{HOME}/systems?cursor=WyJcdTAwMDAiXQ", "cursor"),
    (f"/v1/{HOME}/obligations?due_before=20260102", "due_before"),
    (f"/v1/{HOME}/obligations?due_before=2026-02-30", "due_before"),
    (f"/v1/{HOME}/obligations?kind=all", "kind"),
    (f"/v1/{HOME}/status", "permit"),
    (f"/v1/{HOME}/status?permit=SP-1&as_of=0001-01-01", "as_of"),
    (f"/v1/{HOME}/status?permit=SP-1&as_of=9999-12-31", "as_of"),
    (f"/v1/{HOME}/status?permit=SP-1&known_at=2026-07-13", "known_at"),
    (f"/v1/{HOME}/status?permit=SP-1&known_at=2026-07-13T10:00:00", "known_at"),
    ("/v1/programs/ozaukee?on=today", "on"),
    ("/v1/programs/ozaukee/report-schema?component=cesspool", "component"),
    ("/healthz?x=1", "x"),
]


def test_parameters_are_read_strictly(world: World) -> None:
    for path, field in WRONG_PARAMETERS:
        answer = world.get(path, "county")
        assert is_problem(answer, 422), path
        assert [error["field"] for error in answer.json["errors"]] == [field]
        assert answer.json["errors"][0]["message"]


def test_an_unknown_parameter_is_answered_with_the_known_ones(world: World) -> None:
    message = world.get(f"/v1/{HOME}/obligations?contracter=1", "county").json["errors"][0]["message"]
    assert "contractor" in message
    assert "due_before" in message


def written_log(world: World) -> io.StringIO:
    """What the service logs from now on."""
    stream = io.StringIO()
    parts = world.app.extensions[EXTENSION]
    world.app.extensions[EXTENSION] = replace(parts, log=make_log("DEBUG", stream))
    return stream


def test_a_mistake_of_ours_tells_nothing(world: World) -> None:
    secret, log = "Laverne Lor of Saukville", written_log(world)

    def broken(**_path: object) -> None:
        raise ValueError(secret)

    world.app.view_functions["service.healthz"] = broken
    answer = world.get("/healthz")
    assert is_problem(answer, 500)
    assert secret not in answer.text + log.getvalue()
    assert '"error": "ValueError"' in log.getvalue()


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (DatabaseUnavailable(), 503, True),
        (DatabaseBusy(), 503, True),
        (QueryTooSlow(), 503, True),
        (StorageFull(), 507, False),
        (RecordNotFound("rep_x"), 404, False),
        (ConfigurationError("password=hunter2"), 500, False),
    ],
)
def test_errors_of_the_service(error: PumperError, status: int, retry: bool) -> None:
    problem = of_error(error)
    assert (problem.status, "Retry-After" in problem.headers) == (status, retry)
    assert "hunter2" not in json.dumps(problem.as_json())


def test_a_database_that_is_away_is_503_and_comes_back(database: DatabaseUrls, tmp_path: Path) -> None:
    world = make_world(database, tmp_path)
    path = f"/v1/{HOME}/systems"
    assert world.get(path, "county").status_code == 200
    away = make_away(world, database)
    for answer in (away.get(path, "county"), away.get("/readyz"), away.post(f"/v1/{HOME}/reports", a_report())):
        assert is_problem(answer, 503)
        assert int(answer.headers["Retry-After"]) > 0
    assert away.get("/healthz").status_code == 200
    assert world.get("/readyz").json == {"status": "ready"}
    world.database.dispose()


def make_away(world: World, urls: DatabaseUrls) -> World:
    """The same world over a database that cannot be reached."""
    lost = {
        "sqlite": "sqlite:///file:/nowhere/at/all.db?mode=ro&uri=true",
        "postgresql": "postgresql://nobody@127.0.0.1:1/none",
    }
    url = lost[urls.kind]
    config = replace(world.config, database_url=url)
    app = create_app(config, Database.connect(url), world.signer, world.clock)
    return replace(world, app=app)


def test_plain_http_from_elsewhere_is_refused(world: World) -> None:
    def from_elsewhere(path: str) -> TestResponse:
        return world.get(path, "county", environ_base={"REMOTE_ADDR": "192.0.2.7"})

    answer = from_elsewhere(f"/v1/{HOME}/systems")
    assert is_problem(answer, 403)
    assert from_elsewhere("/healthz").status_code == 200
    outside = {"REMOTE_ADDR": "192.0.2.7"}
    secure = world.get(f"/v1/{HOME}/systems", "county", environ_base=outside, base_url="https://reports.example.org")
    assert secure.status_code == 200
    assert "max-age" in secure.headers["Strict-Transport-Security"]
    forwarded = world.get(f"/v1/{HOME}/systems", "county", headers={"X-Forwarded-Proto": "http"})
    assert forwarded.status_code == 403
    assert world.get(f"/v1/{HOME}/systems", "county").status_code == 200


def test_every_answer_has_the_safe_headers(world: World) -> None:
    for path in ("/healthz", "/docs", "/openapi.json", "/v1/programs", f"/v1/{HOME}/systems", "/nowhere"):
        headers = world.get(path, "county").headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "no-referrer", path
        assert "default-src 'none'" in headers["Content-Security-Policy"], path
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"], path
    assert world.get(f"/v1/{HOME}/systems", "county").headers["Cache-Control"] == "no-store"


def test_a_requests_id_is_kept_when_it_is_a_word(world: World) -> None:
    good, bad = "abc-123-def", "a b\tc; drop"
    assert world.get("/healthz", headers={"X-Request-Id": good}).headers["X-Request-Id"] == good
    assert world.get("/healthz", headers={"X-Request-Id": bad}).headers["X-Request-Id"] != bad


def test_the_log_names_no_owner_and_no_key(world: World) -> None:
    log = written_log(world)
    world.get(f"/v1/{HOME}/status?address=N257 County Road K", "county")
    world.post(f"/v1/{HOME}/reports", a_report(owner_name="Zzyx Homecanary"))
    world.get(f"/v1/{HOME}/systems", "", headers={"Authorization": "Bearer " + world.keys["county"] + "x"})
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    assert [line["status"] for line in requests] == [200, 201, 401]
    assert {"request_id", "route", "county", "key_id", "level", "timestamp"} <= set(requests[0])
    assert any(line["event"] == "key_refused" for line in lines)
    assert "County Road K" not in log.getvalue()
    assert "canary" not in log.getvalue()
    assert not any(key[-59:] in log.getvalue() for key in world.keys.values() if key)


def test_a_problem_is_an_exception_with_its_sentence() -> None:
    problem = Problem(422, "validation", "Say which.", errors=[{"field": "a"}])
    assert problem.as_json() == {
        "type": "urn:pumper:problem:validation",
        "title": "Unprocessable Entity",
        "status": 422,
        "detail": "Say which.",
        "errors": [{"field": "a"}],
    }
