"""What every answer says to browsers, whatever its address and status; who may come by plain http."""

import http.client
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from reporting.api.policy import POLICIES
from tests.reporting.api.test_access import IDS, ask, path_of, rules
from tests.reporting.api.test_server import SERVE, free_port, serving
from tests.reporting.api.world import HOME, World, make_world
from tests.services.databases import DatabaseUrls, copied_sqlite

EXACT = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
ELSE = {"GET /report 200": {"Permissions-Policy": EXACT["Permissions-Policy"].replace("camera=()", "camera=(self)")}}
"""The one page that reads the code on a tank."""
OUTSIDE = {"base_url": "https://reports.example.org", "environ_overrides": {"REMOTE_ADDR": "203.0.113.9"}}
PLAIN = {"base_url": "http://reports.example.org", "environ_overrides": {"REMOTE_ADDR": "203.0.113.9"}}


def check(answer: TestResponse, what: str) -> None:
    for name, value in (EXACT | ELSE.get(what, {})).items():
        assert answer.headers.getlist(name) == [value], (what, name)
    [policy] = answer.headers.getlist("Content-Security-Policy")
    rules_of = dict(part.strip().partition(" ")[::2] for part in policy.split(";") if part.strip())
    assert rules_of["default-src"] == "'none'", what
    assert rules_of["frame-ancestors"] == "'none'", what
    assert rules_of["base-uri"] == "'none'", what
    assert "unsafe" not in policy, what
    assert set(rules_of.get("script-src", "'none'").split()) <= {"'none'", "'self'"}, what
    assert re.fullmatch(r"[A-Za-z0-9._-]{8,64}", answer.headers["X-Request-Id"]), what
    assert {word.strip() for value in answer.headers.getlist("Vary") for word in value.split(",")} >= {"Authorization"}
    assert "Server" not in answer.headers, what
    assert "X-Powered-By" not in answer.headers, what
    assert answer.headers["Cache-Control"] in ("no-store", "no-cache"), what
    if answer.status_code >= 400:
        assert answer.headers["Cache-Control"] == "no-store", what


@pytest.mark.parametrize("who", ["", "contractor", "county"])
def test_every_route_says_the_same_to_browsers(world_on_sqlite: World, who: str) -> None:
    world, seen = world_on_sqlite, set()
    for endpoint, method, rule in rules(world):
        for county in (HOME, "nowhere") if "county" in rule.arguments else ("",):
            answer = ask(world, endpoint, method, path_of(rule, county, IDS), who)
            check(answer, f"{method} {rule.rule} {answer.status_code}")
            if who and not POLICIES[endpoint].ignores_key:
                assert answer.headers["Cache-Control"] == "no-store", endpoint
            assert "Strict-Transport-Security" not in answer.headers  # of plain http it would mean nothing
            seen.add(endpoint)
    assert seen == set(POLICIES)


def test_what_is_no_route_says_it_too(world: World) -> None:
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("GET", "/v1//systems", 404),
        ("GET", f"/v1/{HOME}/systems/", 404),
        ("DELETE", "/healthz", 405),
        ("OPTIONS", f"/v1/{HOME}/systems", 405),
        ("TRACE", "/healthz", 405),
        ("GET", f"/v1/{HOME}/systems?limit=x", 422),
    ):
        answer = world.call(method, path, "county")
        assert answer.status_code == status, (method, path)
        check(answer, f"{method} {path}")


def test_https_is_asked_for_from_then_on(world: World) -> None:
    for path in ("/healthz", "/nothing", f"/v1/{HOME}/systems"):
        answer = world.get(path, "county", **OUTSIDE)
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
        check(answer, path)


def test_plain_http_from_elsewhere_is_refused_and_not_redirected(world: World) -> None:
    refused = 0
    for endpoint, method, rule in rules(world):
        path = path_of(rule, HOME, IDS)
        answer = world.call(method, path, "county", **PLAIN)
        if endpoint.startswith("service."):
            assert answer.status_code != 403, endpoint  # health, descriptions: no key goes along
            continue
        assert answer.status_code == 403, endpoint
        if endpoint.startswith("web."):
            assert "Use https" in answer.text, endpoint
        else:
            assert answer.json["type"] == "urn:pumper:problem:https-only", endpoint
        assert "Location" not in answer.headers
        check(answer, endpoint)
        refused += 1
    assert refused > 30
    assert world.get(f"/v1/{HOME}/systems", "county", **OUTSIDE).status_code == 200


@pytest.mark.parametrize(
    ("remote", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),  # this machine
        ("::1", {}, 200),
        ("203.0.113.9", {}, 403),
        ("203.0.113.9", {"X-Forwarded-Proto": "https"}, 403),  # said by nobody who is trusted
        ("203.0.113.9", {"X-Forwarded-For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"X-Forwarded-Proto": "http"}, 403),  # the proxy says how its caller came
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, 403),  # and must, for one from elsewhere
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9, 127.0.0.1"}, 403),
    ],
)
def test_whose_word_for_the_scheme_is_taken(world: World, remote: str, headers: dict[str, str], status: int) -> None:
    asked = {"base_url": "http://localhost", "environ_overrides": {"REMOTE_ADDR": remote}, "headers": headers}
    assert world.get(f"/v1/{HOME}/systems", "county", **asked).status_code == status


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[tuple[World, int, int]]:
    """The real server, once as it trusts this machine's proxy and once as it trusts another one's alone."""
    folder = tmp_path_factory.mktemp("headers")
    world = make_world(copied_sqlite(sqlite_template, folder), folder)
    world.database.dispose()
    ports = free_port(), free_port()
    commands = [[sys.executable, "-c", SERVE.format(bind=f"127.0.0.1:{port}")] for port in ports]
    with (
        serving(world, commands[0], ports[0]),
        serving(world, commands[1], ports[1], {"PUMPER_TRUSTED_PROXIES": "192.0.2.0/24"}),
    ):
        yield world, *ports


def served_headers(port: int, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders())


def test_the_server_names_no_version(served: tuple[World, int, int]) -> None:
    status, headers = served_headers(served[1], "/healthz")
    assert status == 200
    assert not re.search(r"[0-9]", headers.get("Server", "")), headers


def test_the_scheme_is_taken_from_a_trusted_proxy_alone(served: tuple[World, int, int]) -> None:
    world, trusting, wary = served
    says = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    says["Authorization"] = f"Bearer {world.keys['county']}"
    status, headers = served_headers(trusting, f"/v1/{HOME}/systems", **says)
    assert (status, headers.get("Strict-Transport-Security")) == (200, "max-age=31536000")
    status, headers = served_headers(wary, f"/v1/{HOME}/systems", **says)
    assert (status, headers.get("Strict-Transport-Security")) == (200, None)  # from this machine, by plain http


def test_whom_to_tell_of_a_weakness(database: DatabaseUrls, tmp_path: Path) -> None:
    world = make_world(
        database,
        tmp_path,
        PUMPER_SECURITY_CONTACT="mailto:security@example.org",
        BASE_URL="https://reports.example.org",
    )
    answer = world.get("/.well-known/security.txt", "")
    assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
    lines = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert lines == {
        "Contact": "mailto:security@example.org",
        "Expires": "2027-01-09T00:00:00Z",
        "Preferred-Languages": "en",
        "Canonical": "https://reports.example.org/.well-known/security.txt",
    }
    expires = datetime.fromisoformat(lines["Expires"]).astimezone(UTC)
    assert timedelta(days=30) < expires - world.clock() < timedelta(days=365)  # RFC 9116, section 2.5.5
    world.database.dispose()


def test_nobody_is_named_where_the_operator_named_nobody(world: World) -> None:
    assert world.get("/.well-known/security.txt", "").status_code == 404
