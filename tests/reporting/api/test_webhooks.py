"""Webhooks over HTTP: whose they are, what is refused, the secret shown once, the log, tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from notifications.webhooks_delivery import send_hooks
from notifications.webhooks_queue import queue_hooks
from reporting.access.secret import Secret
from reporting.cli.webhooks import door_of
from reporting.store.events_out import record_domain_events
from reporting.store.webhooks import disable_webhook
from schemas.loader import shipped_slugs
from tests.reporting.api.world import AWAY, HOME, World, make_world
from tests.services.databases import DatabaseUrls
from tests.services.receivers import receiving

COUNTY, MINE = f"/v1/{HOME}/webhooks", "/v1/contractors/me/webhooks"
URL = "https://hooks.example.org/in?key=1"


def add(world: World, path: str = COUNTY, who: str = "county", **body: object) -> dict[str, object]:
    made = world.post(path, {"url": URL, **body}, who)
    assert made.status_code == 201, made.text
    assert isinstance(made.json, dict)
    return made.json


def test_a_secret_is_shown_once(world: World) -> None:
    made = add(world, kinds=["report.late", "case.opened"], label="permits")
    secret = str(made["secret"])
    assert secret.startswith("whsec_")
    listed = world.get(COUNTY, "county")
    [row] = listed.json["webhooks"]
    assert (row["url"], row["kinds"], row["label"], row["state"]) == (
        URL,
        ["case.opened", "report.late"],
        "permits",
        "active",
    )
    assert row == {name: value for name, value in made.items() if name != "secret"}
    assert "whsec" not in listed.text
    turned = world.post(f"{COUNTY}/{made['id']}/secret", {}, "county")
    assert turned.status_code == 201
    assert turned.json["secret"] != secret
    assert turned.json["former_secret_until"] == "2026-07-20T15:00:00Z"


def test_each_has_its_own_and_foreign_ones_are_absent(world: World) -> None:
    homes, mine = add(world), add(world, MINE, "contractor")
    assert len(world.get(MINE, "contractor").json["webhooks"]) == 1
    assert world.get(MINE, "other contractor").json["webhooks"] == []
    assert world.get(f"/v1/{AWAY}/webhooks", "other county").json["webhooks"] == []
    for path, who in (
        (f"{COUNTY}/{mine['id']}", "county"),
        (f"{MINE}/{mine['id']}", "other contractor"),
        (f"{MINE}/{homes['id']}", "contractor"),
        (f"/v1/{AWAY}/webhooks/{homes['id']}", "other county"),
        (f"/v1/{AWAY}/webhooks/{homes['id']}", "admin"),
    ):
        for method, more in (
            ("DELETE", ""),
            ("POST", "/secret"),
            ("POST", "/test"),
            ("POST", "/enable"),
            ("GET", "/deliveries"),
        ):
            assert world.call(method, path + more, who).status_code == 404, (method, path, more)
    assert world.call("DELETE", f"{COUNTY}/{homes['id']}", "admin").status_code == 200
    assert world.get(COUNTY, "county").json["webhooks"] == []
    assert world.call("DELETE", f"{COUNTY}/{homes['id']}", "county").status_code == 404


def test_kinds_that_may_be_chosen(world: World) -> None:
    staff, business = world.get(COUNTY, "county").json["kinds"], world.get(MINE, "contractor").json["kinds"]
    assert "case.opened" in staff
    assert set(business) < set(staff)
    refused = world.post(MINE, {"url": URL, "kinds": ["case.opened"]}, "contractor")
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "kinds")


BAD = [
    ({}, "url"),
    ({"url": ""}, "url"),
    ({"url": 5}, "url"),
    ({"url": "http://hooks.example.org/"}, "url"),
    ({"url": "https://127.0.0.1/"}, "url"),
    ({"url": "https://2130706433/"}, "url"),
    ({"url": "https://user:word@hooks.example.org/"}, "url"),
    ({"url": "https://hooks.example.org:8443/"}, "url"),
    ({"url": "https://hooks.example.org/\nx"}, "url"),
    ({"url": "https://hooks.example.org/" + "a" * 2_000}, "url"),
    ({"url": URL, "kinds": "report.late"}, "kinds"),
    ({"url": URL, "kinds": [1]}, "kinds"),
    ({"url": URL, "kinds": ["moon.landed"]}, "kinds"),
    ({"url": URL, "label": "x" * 101}, "label"),
    ({"url": URL, "secret": "whsec_mine"}, "secret"),
]


@pytest.mark.parametrize(("body", "field"), BAD, ids=range(len(BAD)))
def test_a_bad_body_names_its_member(world: World, body: dict[str, object], field: str) -> None:
    refused = world.post(COUNTY, body, "county")
    assert (refused.status_code, [e["field"] for e in refused.json["errors"]]) == (422, [field]), refused.text
    assert world.get(COUNTY, "county").json["webhooks"] == []


@pytest.fixture
def open_world(database: DatabaseUrls, tmp_path: Path) -> Iterator[tuple[World, str]]:
    """A world whose operator allows one receiver on this machine, and that receiver's address."""
    with receiving() as receiver:
        world = make_world(database, tmp_path, PUMPER_WEBHOOK_ALLOW=receiver.origin)
        yield world, receiver.url()
        world.database.dispose()


def send(world: World) -> None:
    for slug in shipped_slugs():
        queue_hooks(world.database, slug, world.clock())
    secret = Secret.of(world.config)
    send_hooks(world.database, shipped_slugs(), door_of(world.config), secret, world.clock, lanes=1)


def test_tests_and_events_stand_in_the_log(open_world: tuple[World, str]) -> None:
    world, url = open_world
    made = add(world, MINE, "contractor", url=url)
    queued = world.post(f"{MINE}/{made['id']}/test", {}, "contractor")
    assert queued.status_code == 202
    again = world.post(f"{MINE}/{made['id']}/test", {}, "contractor")
    assert (again.status_code, again.json["type"]) == (409, "urn:pumper:problem:test-waits")
    world.clock.forward(seconds=1)
    event = {"id": "evt_1", "kind": "late_report", "cause_key": "late:1", "occurred_at": world.clock()}
    with world.database.transaction(AWAY) as store:
        record_domain_events(store, [{**event, "content": {"contractor_id": "con_mine", "event": "rep_1"}}])
    path = f"{MINE}/{made['id']}/deliveries"
    [waiting] = world.get(path, "contractor").json["deliveries"]
    assert (waiting["id"], waiting["state"], waiting["county"]) == (queued.json["delivery"], "queued", None)
    send(world)
    late, test = world.get(path, "contractor").json["deliveries"]
    assert (late["kind"], late["county"], late["state"], late["status"]) == ("report.late", AWAY, "sent", 204)
    assert (test["kind"], test["state"], test["attempts"]) == ("test", "sent", 1)
    assert late["body"]["data"] == {"event": "evt_1", "county": AWAY, "report": "rep_1"}
    [row] = world.get(MINE, "contractor").json["webhooks"]
    assert row["last_sent_at"] == "2026-07-13T15:00:01Z"


def test_a_disabled_one_says_why_and_is_enabled_again(open_world: tuple[World, str]) -> None:
    world, url = open_world
    made = add(world, url=url)
    with world.database.transaction(HOME) as store:
        disable_webhook(store, str(made["id"]), world.clock(), "It answered 410: gone.")
    [row] = world.get(COUNTY, "county").json["webhooks"]
    assert (row["state"], row["because"]) == ("disabled", "It answered 410: gone.")
    assert world.post(f"{COUNTY}/{made['id']}/test", {}, "county").status_code == 409
    again = world.post(f"{COUNTY}/{made['id']}/enable", {}, "county")
    assert (again.status_code, again.json["state"], again.json["because"]) == (200, "active", None)
    assert world.post(f"{COUNTY}/{made['id']}/test", {}, "county").status_code == 202


def test_nothing_secret_is_logged(database: DatabaseUrls, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    world = make_world(database, tmp_path, LOG_LEVEL="INFO")
    made = add(world)
    said = "".join(capfd.readouterr())
    assert "/v1/<slug:county>/webhooks" in said  # the control: the call itself is
    assert str(made["secret"]) not in said
    assert "hooks.example.org" not in said
    world.database.dispose()
