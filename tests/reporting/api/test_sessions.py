"""Sessions: their ends on both sides of each limit, their cookie, what other sites cannot do with them, their log."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from werkzeug.test import Client

from reporting import tables
from reporting.api.cookies import csrf_token
from reporting.store.persons import Place, SignsIn, Via, create_person, give_role, take_role
from reporting.store.roles import MemberRole
from reporting.store.sessions import IDLE, LONGEST, OWNERS_LONGEST, Method, forget_sessions, start_session
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import add_person, sign_in_everybody
from tests.reporting.api.world import AWAY, CANARY, HOME, World

SYSTEMS = f"/v1/{HOME}/systems"
TICK = timedelta(seconds=1)


def clerk(world: World) -> str:
    """A clerk of HOME who is signed in; gives the person."""
    person = add_person(world, "clerk", (Place(county=HOME), MemberRole.CLERK))
    world.sessions["clerk"] = another_session(world, person)
    return person


def another_session(world: World, person: str) -> str:
    with world.database.transaction(None) as store:
        return start_session(store, person, Place(county=HOME), Method.PASSWORD, world.clock())[1]


@pytest.mark.parametrize(("unused", "status"), [(IDLE - TICK, 200), (IDLE, 401), (IDLE + TICK, 401)])
def test_half_an_hour_unused_ends_a_session(world: World, unused: timedelta, status: int) -> None:
    clerk(world)
    world.clock.forward(seconds=unused.total_seconds())
    assert world.get(SYSTEMS, "clerk").status_code == status
    if status == 401:
        world.clock.forward(seconds=-unused.total_seconds() + 1)
        assert world.get(SYSTEMS, "clerk").status_code == 200  # nothing was written by the refusal
    assert timedelta(minutes=30) == IDLE


def test_use_keeps_a_session_up_to_twelve_hours(world: World) -> None:
    clerk(world)
    for _ in range(35):
        world.clock.forward(minutes=20)
        assert world.get(SYSTEMS, "clerk").status_code == 200
    world.clock.forward(minutes=19, seconds=59)
    assert world.get(SYSTEMS, "clerk").status_code == 200
    world.clock.forward(seconds=1)
    assert world.get(SYSTEMS, "clerk").json["type"] == "urn:pumper:problem:no-session"
    assert timedelta(hours=12) == LONGEST


def test_the_last_use_is_kept_to_the_minute(world: World) -> None:
    """Not every call writes; a session ends at most a minute before its half hour is over."""
    clerk(world)
    world.clock.forward(seconds=59)
    world.get(SYSTEMS, "clerk")  # not written
    world.clock.forward(minutes=29, seconds=1)
    assert world.get(SYSTEMS, "clerk").status_code == 401
    world.clock.forward(minutes=-29, seconds=0)
    world.get(SYSTEMS, "clerk")  # 60 s after the beginning: written
    world.clock.forward(minutes=29, seconds=59)
    assert world.get(SYSTEMS, "clerk").status_code == 200


def test_roles_are_read_at_each_call(world: World) -> None:
    person = clerk(world)
    place = Place(county=HOME)
    assert world.get(f"/v1/{HOME}/staff", "clerk").status_code == 403
    with world.database.transaction(None) as store:
        give_role(store, person, place, MemberRole.MANAGER, Via.COMMAND, "test", world.clock())
    assert world.get(f"/v1/{HOME}/staff", "clerk").status_code == 200
    with world.database.transaction(None) as store:
        for role in (MemberRole.CLERK, MemberRole.MANAGER):
            assert take_role(store, person, place, role, world.clock())
    assert world.get(SYSTEMS, "clerk").status_code == 401


def test_a_session_acts_in_its_own_place_only(world: World) -> None:
    """A role in another county, held by the same person, opens nothing through this session."""
    person = clerk(world)
    with world.database.transaction(None) as store:
        give_role(store, person, Place(county=AWAY), MemberRole.MANAGER, Via.COMMAND, "test", world.clock())
    assert world.get(SYSTEMS, "clerk").status_code == 200
    assert world.get(f"/v1/{AWAY}/systems", "clerk").status_code == 404
    assert world.get(f"/v1/{HOME}/staff", "clerk").status_code == 403


WRONG: list[dict[str, str]] = [
    {"X-CSRF-Token": ""},
    {"X-CSRF-Token": "0" * 64},
    {"X-CSRF-Token": "é"},
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost.elsewhere.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]
RIGHT: list[dict[str, str]] = [
    {},
    {"Origin": "http://localhost"},
    {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"},  # BASE_URL
    {"Sec-Fetch-Site": "none"},
]


@pytest.mark.parametrize("headers", WRONG)
def test_a_change_that_another_site_asks_for_is_refused(world: World, headers: dict[str, str]) -> None:
    clerk(world)
    refused = world.call("DELETE", "/v1/session", "clerk", headers=headers)
    assert (refused.status_code, refused.json["type"].split(":")[-1] in ("csrf", "other-site")) == (403, True)
    assert world.get("/v1/session", "clerk", headers=headers).status_code == 200  # and it goes on


@pytest.mark.parametrize("headers", RIGHT)
def test_the_services_own_pages_and_programs_may(world: World, headers: dict[str, str]) -> None:
    clerk(world)
    assert world.call("DELETE", "/v1/session", "clerk", headers=headers).json == {"ended": 1}
    assert world.get("/v1/session", "clerk").status_code == 401


def test_a_form_brings_the_token_as_a_field(world: World) -> None:
    clerk(world)
    token = world.sessions["clerk"]
    headers = {"Cookie": f"pumper={token}"}
    browser = Client(world.app, use_cookies=False)
    refused = browser.post("/signout", headers=headers, data={"csrf_token": "x"})
    assert refused.status_code == 403
    done = browser.post("/signout", headers=headers, data={"csrf_token": csrf_token(token)})
    assert (done.status_code, done.mimetype) == (200, "text/html")
    assert "pumper=;" in done.headers["Set-Cookie"]
    assert world.get("/v1/session", "clerk").status_code == 401


def test_a_key_beside_a_cookie_counts_and_needs_no_token(world: World) -> None:
    clerk(world)
    headers = {"Cookie": f"pumper={world.sessions['clerk']}", "Origin": "https://elsewhere.example"}
    body = {"permit_number": "SP-1", "on": "2026-07-01", "kind": "full"}
    assert world.post(f"/v1/{HOME}/owner-notices", body, "county", headers=headers).status_code == 201
    assert world.post(f"/v1/{AWAY}/owner-notices", body, "county", headers=headers).status_code == 404


@pytest.mark.parametrize("cookie", ["", "x", "0" * 64, "é" * 64, "A" * 64, "0" * 63, "0" * 10_000])
def test_any_other_cookie_is_no_session(world: World, cookie: str) -> None:
    headers = {"Cookie": f"pumper={cookie}".encode().decode("latin-1")}
    answer = Client(world.app, use_cookies=False).get(SYSTEMS, headers=headers)
    assert (answer.status_code, answer.json["type"].split(":")[-1] in ("no-session", "no-key")) == (401, True)
    anybody = Client(world.app, use_cookies=False).get(f"/v1/{HOME}/status?permit=SP-1", headers=headers)
    assert anybody.status_code == 200  # as for everybody
    assert CANARY[HOME] not in anybody.text


def test_the_secret_is_nowhere_but_in_the_cookie(world: World) -> None:
    person = clerk(world)
    shown = world.get("/v1/session", "clerk")
    listed = world.get("/v1/sessions", "clerk")
    assert shown.json["person"] == person
    assert world.sessions["clerk"] not in shown.text + listed.text + str(entries_in(world, HOME))


def test_somebody_sees_and_ends_the_own_sessions_and_no_others(world: World) -> None:
    person = clerk(world)
    second = another_session(world, person)
    other = add_person(world, "other", (Place(county=HOME), MemberRole.CLERK))
    world.sessions["other"] = another_session(world, other)
    [mine, this] = sorted(world.get("/v1/sessions", "clerk").json["sessions"], key=lambda one: one["this"])
    assert (mine["this"], this["this"]) == (False, True)
    [theirs] = world.get("/v1/sessions", "other").json["sessions"]
    for session, status in ((theirs["id"], 404), ("ses_none", 404), (mine["id"], 200), (mine["id"], 404)):
        assert world.call("DELETE", f"/v1/sessions/{session}", "clerk").status_code == status
    world.sessions["second"] = second
    assert world.get("/v1/session", "second").status_code == 401
    another_session(world, person)
    assert world.call("DELETE", "/v1/sessions", "clerk").json == {"ended": 2}
    assert world.get("/v1/session", "clerk").status_code == 401
    assert world.get("/v1/session", "other").status_code == 200
    assert [e["type"] for e in entries_in(world, HOME)].count("signed_out") == 2


def test_an_owner_sees_the_one_system_for_half_an_hour(world: World) -> None:
    sign_in_everybody(world)
    system = world.ids["system"]
    path = f"{SYSTEMS}/{system}"
    own = world.get(path, "owner").json
    assert own["owner"]["name"] == CANARY[HOME]
    assert "facts" not in own
    assert world.get(f"{path}/status", "owner").status_code == 200
    with_others = world.get(SYSTEMS, "county").json["systems"]
    for row in with_others:
        assert world.get(f"{SYSTEMS}/{row['id']}", "owner").status_code == (200 if row["id"] == system else 404)
    assert world.get(SYSTEMS, "owner").status_code == 403
    assert world.get(f"/v1/{AWAY}/systems/{system}", "owner").status_code == 404
    assert world.get("/v1/sessions", "owner").json == {"sessions": []}
    world.clock.forward(seconds=(OWNERS_LONGEST - TICK).total_seconds() / 2)
    assert world.get(path, "owner").status_code == 200
    world.clock.forward(seconds=(OWNERS_LONGEST - TICK).total_seconds() / 2)
    assert world.get(path, "owner").status_code == 200
    world.clock.forward(seconds=1)
    assert world.get(path, "owner").status_code == 401


def test_over_https_the_cookie_is_for_this_host_only(world: World) -> None:
    person = clerk(world)
    token = another_session(world, person)
    browser = Client(world.app, use_cookies=False)
    over_https: dict[str, Any] = {"base_url": "https://reports.example.org"}
    for name, status in (("__Host-pumper", 200), ("pumper", 401)):
        answer = browser.get("/v1/session", headers={"Cookie": f"{name}={token}"}, **over_https)
        assert answer.status_code == status
    headers = {"Cookie": f"__Host-pumper={token}", "X-CSRF-Token": csrf_token(token)}
    gone = browser.delete("/v1/sessions", headers=headers, **over_https)
    attributes = {part.strip() for part in gone.headers["Set-Cookie"].split(";")}
    assert {"__Host-pumper=", "Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= attributes


def test_a_full_or_busy_database_costs_a_note_and_not_the_answer(world: World) -> None:
    """The last use of a session and of a key are notes: what reads goes on without them."""
    clerk(world)
    world.clock.forward(minutes=5)
    with world.database.transaction(HOME):  # on SQLite nobody else can write now
        assert world.get(SYSTEMS, "clerk").status_code == 200
        assert world.get(SYSTEMS, "county").status_code == 200


def test_sessions_that_are_over_are_forgotten(world: World) -> None:
    person = clerk(world)
    world.clock.forward(hours=13)
    another_session(world, person)
    with world.database.transaction(None) as store:
        assert forget_sessions(store, world.clock()) == 1
        assert forget_sessions(store, world.clock()) == 0


def test_a_person_who_has_left_is_out(world: World) -> None:
    person = clerk(world)
    with world.database.transaction(None) as store:
        store.connection.execute(update(tables.person).values(ended_at=world.clock()))
        again = create_person(store, "Clerk", "clerk@people.example", SignsIn.MAIL, world.clock())
    assert again != person  # the address is free for somebody else
    assert world.get(SYSTEMS, "clerk").status_code == 401
