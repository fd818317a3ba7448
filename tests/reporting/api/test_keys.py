"""Keys over HTTP: shown once, no more than their maker may, ended at once, each step in the log."""

import json

import pytest
from werkzeug.test import Client

from reporting.store.keys import LIVE_AT_ONCE, get_key
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import AWAY, HOME, World

COUNTY = f"/v1/{HOME}/keys"
MINE = "/v1/contractors/me/keys"


def use(world: World, key: str, path: str) -> int:
    return Client(world.app).get(path, headers={"Authorization": f"Bearer {key}"}).status_code


@pytest.mark.parametrize(
    ("path", "who", "opens", "log"),
    [
        (COUNTY, "county", f"/v1/{HOME}/systems", HOME),
        (COUNTY, "admin", f"/v1/{HOME}/systems", HOME),
        (COUNTY, "manager", f"/v1/{HOME}/systems", HOME),
        (MINE, "contractor", "/v1/contractors/me/due", None),
        (MINE, "office", "/v1/contractors/me/due", None),
    ],
)
def test_a_key_is_shown_once_works_and_ends_at_once(
    world: World, path: str, who: str, opens: str, log: str | None
) -> None:
    sign_in_everybody(world)
    made = world.post(path, {"label": "route planner"}, who)
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    key, key_id = made.json["key"], made.json["id"]
    assert made.json["expires_at"] == "2027-08-17T15:00:00Z"  # 400 days
    assert use(world, key, opens) == 200
    listed = world.get(path, who)
    assert key[20:] not in listed.text
    [row] = [row for row in listed.json["keys"] if row["id"] == key_id]
    assert (row["label"], row["live"], row["last_used_on"]) == ("route planner", True, "2026-07-13")
    gone = world.call("DELETE", f"{path}/{key_id}", who)
    assert (gone.status_code, gone.json["live"]) == (200, False)
    assert use(world, key, opens) == 401
    assert world.call("DELETE", f"{path}/{key_id}", who).status_code == 404
    entries = [e for e in entries_in(world, log) if e["type"].startswith("key_")]
    by = world.ids.get(who) or world.keys[who].split("_")[1]
    assert [(e["type"], e["content"]["key"], e["content"]["by"]) for e in entries] == [
        ("key_created", key_id, by),
        ("key_revoked", key_id, by),
    ]
    assert "route planner" not in json.dumps(entries)
    assert key[20:] not in json.dumps(entries)


def test_two_of_one_name_and_no_third(world: World) -> None:
    keys = [world.post(COUNTY, {"label": "gis"}, "county").json["id"] for _ in range(LIVE_AT_ONCE)]
    refused = world.post(COUNTY, {"label": "gis"}, "county")
    assert (refused.status_code, refused.json["type"]) == (409, "urn:pumper:problem:too-many-keys")
    assert "revoke one" in refused.json["detail"]
    assert world.post(COUNTY, {"label": "backup"}, "county").status_code == 201
    world.call("DELETE", f"{COUNTY}/{keys[0]}", "county")
    assert world.post(COUNTY, {"label": "gis"}, "county").status_code == 201


def test_a_key_makes_none_that_may_more(world: World) -> None:
    made = world.post(MINE, {"label": "keeper", "scopes": ["keys:manage"]}, "contractor").json
    headers = {"Authorization": f"Bearer {made['key']}"}

    def ask(body: dict[str, object]) -> int:
        data = json.dumps({"label": "more", **body})
        return Client(world.app).post(MINE, data=data, content_type="application/json", headers=headers).status_code

    assert ask({"scopes": ["reports:write"]}) == 422
    assert ask({"scopes": ["keys:manage", "reports:write"]}) == 422
    assert ask({}) == 201
    assert use(world, made["key"], "/v1/contractors/me/due") == 403
    [row] = [row for row in world.get(MINE).json["keys"] if row["label"] == "more"]
    assert row["scopes"] == ["keys:manage"]


WRONG = [
    ({}, "label"),
    ({"label": ""}, "label"),
    ({"label": "a\nb"}, "label"),
    ({"label": "x" * 101}, "label"),
    ({"label": 7}, "label"),
    ({"label": "x", "scopes": []}, "scopes"),
    ({"label": "x", "scopes": "reports:write"}, "scopes"),
    ({"label": "x", "scopes": ["facts:write"]}, "scopes"),
    ({"label": "x", "scopes": [["reports:write"]]}, "scopes"),
    ({"label": "x", "days": 0}, "days"),
    ({"label": "x", "days": 731}, "days"),
    ({"label": "x", "days": True}, "days"),
    ({"label": "x", "days": "1"}, "days"),
    ({"label": "x", "kind": "admin"}, "kind"),
    ({"label": "x", "kind": "feed", "scopes": ["reports:write"]}, "scopes"),
    ({"label": "x", "role": "admin"}, "role"),
    ({"label": "x", "county": AWAY}, "county"),
]


@pytest.mark.parametrize(("body", "field"), WRONG)
def test_a_body_that_cannot_be_used_is_told_by_field(world: World, body: dict[str, object], field: str) -> None:
    refused = world.post(MINE, body)
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, field)
    assert len(world.get(MINE).json["keys"]) == 1


@pytest.mark.parametrize("days", [1, 730])
def test_the_limits_of_a_life_are_taken(world: World, days: int) -> None:
    key = world.post(MINE, {"label": "x", "days": days}).json["key"]
    world.clock.forward(days=days, seconds=-1)
    assert use(world, key, "/v1/contractors/me/due") == 200
    world.clock.forward(seconds=1)
    assert use(world, key, "/v1/contractors/me/due") == 401


def test_a_feed_is_a_business_s_and_no_county_s(world: World) -> None:
    feed = world.post(MINE, {"label": "phone", "kind": "feed"}).json
    assert feed["key"].startswith("pmf_")
    assert use(world, feed["key"], "/v1/contractors/me/due") == 401
    assert world.post(COUNTY, {"label": "phone", "kind": "feed"}, "county").status_code == 422


def test_each_holder_sees_and_ends_its_own(world: World) -> None:
    away = world.post(f"/v1/{AWAY}/keys", {"label": "x"}, "other county").json["id"]
    others = world.post(MINE, {"label": "x"}, "other contractor").json["id"]
    for path, who, foreign in ((COUNTY, "county", (away, others)), (MINE, "contractor", (away, others))):
        assert not {row["id"] for row in world.get(path, who).json["keys"]} & set(foreign)
        absent = world.call("DELETE", f"{path}/none", who)
        for key in foreign:
            answer = world.call("DELETE", f"{path}/{key}", who)
            assert (answer.status_code, answer.data) == (404, absent.data)
    with world.database.reading(None) as store:
        for key in (away, others):
            found = get_key(store, key)
            assert found is not None
            assert found["revoked_at"] is None


def test_an_idempotency_key_keeps_no_key(world: World) -> None:
    headers = {"Idempotency-Key": "one"}
    first = world.post(MINE, {"label": "x"}, headers=headers).json
    second = world.post(MINE, {"label": "x"}, headers=headers).json
    assert first["key"] != second["key"]


def test_the_day_of_use_is_written_once_a_day(world: World) -> None:
    world.get("/v1/contractors/me/due")
    [row] = world.get(MINE).json["keys"]
    assert row["last_used_on"] == "2026-07-13"
    world.clock.forward(hours=24)
    world.get("/v1/contractors/me/due")
    [row] = world.get(MINE).json["keys"]
    assert row["last_used_on"] == "2026-07-14"
