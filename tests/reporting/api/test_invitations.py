"""Invitations: who may invite whom to what, the mail, the page, accepted once; the people and roles that come of it."""

import json
import re
from base64 import b32decode
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from notifications.outbox import MessageState, list_messages
from reporting.access.entries import log_of
from reporting.access.totp import RECOVERY_CODES, code_at, step_at
from reporting.api.invitations import INVITATIONS_A_DAY
from reporting.store.people import upsert_contractors, upsert_credentials
from reporting.store.persons import Place, find_by_mail
from reporting.store.roles import MemberRole
from reporting.store.signin import count_attempt
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import add_person, code_now, give_factors, sign_in_everybody
from tests.reporting.api.world import AWAY, HOME, MINE, OTHERS, World

COUNTY = f"/v1/{HOME}/invitations"
MY = "/v1/contractors/me/invitations"
NEW = "new@people.example"
GOOD = "seven herons fly over town"
LINK = re.compile(r"/invitations/([a-z2-7]{32})")


def secrets_of(world: World, log: str | None) -> list[str]:
    """The secrets of the invitations in a log's outbox, the oldest first."""
    with world.database.reading(log_of(log)) as store:
        rows = list_messages(store, [MessageState.QUEUED])
    return [match[1] for row in reversed(rows) if (match := LINK.search(row["content"].get("link", "")))]


def accept(world: World, secret: str, client: Client | None = None, **body: Any) -> TestResponse:
    data = json.dumps({"name": "Nell Novak", **body})
    return (client or Client(world.app)).post(f"/invitations/{secret}", data=data, content_type="application/json")


def totp_of(world: World, secret: str) -> bytes:
    shown = Client(world.app).get(f"/invitations/{secret}").json["totp"]
    return b32decode(re.search(r"secret=([A-Z2-7]+)", shown)[1])  # type: ignore[index]


def code_of(world: World, secret: str) -> str:
    return code_at(totp_of(world, secret), step_at(world.clock()))


def test_a_clerk_is_invited_accepts_and_signs_in(world: World) -> None:
    made = world.post(COUNTY, {"email": NEW.upper(), "role": "clerk"}, "county")
    assert (made.status_code, made.json["state"], made.json["email"]) == (201, "open", NEW)
    [secret] = secrets_of(world, HOME)
    assert secret not in made.text
    browser = Client(world.app)
    for _ in range(3):  # mail scanners
        shown = browser.get(f"/invitations/{secret}", headers={"Accept": "text/html"})
        assert (shown.status_code, shown.mimetype) == (200, "text/html")
    done = accept(world, secret, browser, password=GOOD, code=code_of(world, secret))
    assert (done.status_code, done.json["roles"], done.json["county"]) == (201, ["clerk"], HOME)
    assert len(done.json["recovery_codes"]) == RECOVERY_CODES
    assert browser.get(f"/v1/{HOME}/systems").status_code == 200
    assert accept(world, secret, password=GOOD, code="000000").status_code == 401
    assert Client(world.app).get(f"/invitations/{secret}").status_code == 404
    kinds = [entry["type"] for entry in entries_in(world, HOME)]
    assert kinds[-5:] == ["invited", "invitation_accepted", "role_given", "factors_set", "signed_in"]
    assert not {NEW, "Novak", GOOD} & set(re.findall(r"[\w@. ]+", json.dumps(entries_in(world, HOME))))
    # And again from now on, with a recovery code too.
    body = {"email": NEW, "password": GOOD, "code": done.json["recovery_codes"][3]}
    later = Client(world.app).post("/signin", data=json.dumps(body), content_type="application/json")
    assert later.status_code == 200


def test_the_code_of_the_set_up_works_once(world: World) -> None:
    world.post(COUNTY, {"email": NEW, "role": "clerk"}, "county")
    [secret] = secrets_of(world, HOME)
    code = code_of(world, secret)
    accept(world, secret, password=GOOD, code=code)
    body = {"email": NEW, "password": GOOD, "code": code}
    again = Client(world.app).post("/signin", data=json.dumps(body), content_type="application/json")
    assert again.status_code == 401


def test_the_first_of_a_business_then_its_colleagues(world: World) -> None:
    made = world.post(COUNTY, {"email": NEW, "license_number": MINE}, "county")
    assert (made.status_code, made.json["role"]) == (201, "office")
    [secret] = secrets_of(world, None)
    office = Client(world.app)
    signed = accept(world, secret, office).json
    assert (signed["roles"], signed["contractor_id"]) == (["office"], "con_mine")
    world.sessions["new"] = office.get_cookie("pumper").value  # type: ignore[union-attr]
    world.clock.forward(seconds=1)
    assert world.post(MY, {"email": "tech@people.example", "role": "technician"}, "new").status_code == 201
    technician = Client(world.app)
    done = accept(world, secrets_of(world, None)[-1], technician, name="Tom Tech").json
    assert done["roles"] == ["technician"]
    assert technician.get("/v1/contractors/me/due").status_code == 200
    assert technician.get(MY).status_code == 403
    people = world.get("/v1/contractors/me/people", "new").json["staff"]
    assert [(p["name"], p["role"], p["email"]) for p in people] == [
        ("Nell Novak", "office", NEW),
        ("Tom Tech", "technician", "tech@people.example"),
    ]
    path = f"/v1/contractors/me/people/{done['person']}"
    assert world.call("DELETE", f"{path}/roles/technician", "new").json["roles"] == []
    assert technician.get("/v1/contractors/me/due").status_code == 401
    kinds = [entry["type"] for entry in entries_in(world, None)]
    assert kinds[-2:] == ["role_taken", "sessions_ended"]


def test_a_county_invites_only_where_nobody_is_and_under_the_address_on_file(world: World) -> None:
    """Whoever is of a business sees its reports in all counties."""
    with world.database.transaction(None) as store:
        row = {"id": "con_others", "business_name": "Ridge Pumping Inc", "email": "a@ridge.example; B@ridge.example"}
        upsert_contractors(store, [{**row, "created_at": world.clock()}])
    ask = {"license_number": OTHERS}
    refused = world.post(COUNTY, {**ask, "email": NEW}, "county")
    assert (refused.status_code, "address on file" in refused.json["detail"]) == (422, True)
    assert "ridge.example" not in refused.text
    assert world.post(COUNTY, {**ask, "email": "b@ridge.example"}, "county").status_code == 201
    world.clock.forward(seconds=1)
    assert world.post(COUNTY, {**ask, "email": NEW}, "admin").status_code == 201
    accept(world, secrets_of(world, None)[0])
    refused = world.post(COUNTY, {**ask, "email": "a@ridge.example"}, "county")
    assert (refused.status_code, "is there already" in refused.json["detail"]) == (422, True)
    assert world.post(COUNTY, {**ask, "email": NEW}, "admin").status_code == 201


def test_a_licence_of_other_counties_only_is_none_here(world: World) -> None:
    with world.database.transaction(None) as store:
        row = {"license_norm": OTHERS, "license_number": OTHERS, "kind": "septage_operator"}
        upsert_credentials(store, [{**row, "contractor_id": "con_others", "counties": [AWAY]}])
    ask = {"email": NEW, "license_number": OTHERS}
    assert world.post(COUNTY, ask, "county").status_code == 422
    assert world.post(f"/v1/{AWAY}/invitations", ask, "other county").status_code == 201


@pytest.mark.parametrize(("after", "status"), [(7 * 24 * 3600 - 1, 201), (7 * 24 * 3600, 401)])
def test_an_invitation_is_open_for_seven_days(world: World, after: int, status: int) -> None:
    world.post(COUNTY, {"email": NEW, "license_number": MINE}, "county")
    [secret] = secrets_of(world, None)
    world.clock.forward(seconds=after)
    assert Client(world.app).get(f"/invitations/{secret}").status_code == (200 if status == 201 else 404)
    assert accept(world, secret).status_code == status


def test_of_two_at_once_one_accepts(world: World) -> None:
    world.post(COUNTY, {"email": NEW, "license_number": MINE}, "county")
    [secret] = secrets_of(world, None)
    barrier, answers = Barrier(4), []

    def go() -> None:
        barrier.wait(20)
        answers.append(accept(world, secret).status_code)

    threads = [Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answers) == [201, 401, 401, 401]
    assert len(world.get(COUNTY, "county").json["invitations"]) == 0  # it is the business's
    with world.database.reading(None) as store:
        assert find_by_mail(store, NEW) is not None


def test_an_invitation_is_withdrawn_by_its_own_place(world: World) -> None:
    sign_in_everybody(world)
    invitation = world.post(COUNTY, {"email": NEW, "role": "viewer"}, "manager").json["id"]
    [secret] = secrets_of(world, HOME)
    for path, who in ((f"/v1/{AWAY}/invitations", "away manager"), (MY, "office")):
        absent = world.call("DELETE", f"{path}/inv_none", who)
        foreign = world.call("DELETE", f"{path}/{invitation}", who)
        assert (foreign.status_code, foreign.data) == (404, absent.data)
    assert world.call("DELETE", f"{COUNTY}/{invitation}", "manager").json["state"] == "withdrawn"
    assert world.call("DELETE", f"{COUNTY}/{invitation}", "manager").status_code == 404
    assert accept(world, secret, password=GOOD, code="000000").status_code == 401
    assert "invitation_withdrawn" in [e["type"] for e in entries_in(world, HOME)]


def test_the_same_address_again_makes_the_first_mail_useless(world: World) -> None:
    for _ in range(2):
        world.post(COUNTY, {"email": NEW, "license_number": MINE}, "county")
        world.clock.forward(seconds=1)
    first, second = secrets_of(world, None)
    assert accept(world, first).status_code == 401
    assert accept(world, second).status_code == 201


WEAK = ["short", "x" * 129, "aaaaaaaaaaaaaa", "password1234", "Nell Novak Novak", "ozaukee", ""]


@pytest.mark.parametrize("password", WEAK)
def test_a_weak_password_is_told_and_the_invitation_stays(world: World, password: str) -> None:
    world.post(COUNTY, {"email": NEW, "role": "clerk"}, "county")
    [secret] = secrets_of(world, HOME)
    refused = accept(world, secret, password=password, code=code_of(world, secret))
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "password")
    assert accept(world, secret, password=GOOD, code="000000").status_code == 401
    assert accept(world, secret, password=GOOD, code=code_of(world, secret)).status_code == 201


def test_staff_that_is_there_sets_everything_anew(world: World) -> None:
    """What a lost phone comes to: the manager invites once more; old password, code and sessions are over."""
    person = add_person(world, "clerk", (Place(county=HOME), MemberRole.CLERK))
    give_factors(world, person)
    body = {"email": "clerk@people.example", "password": "heron under the old bridge", "code": code_now(world)}
    before = Client(world.app)
    assert before.post("/signin", data=json.dumps(body), content_type="application/json").status_code == 200
    world.post(COUNTY, {"email": "clerk@people.example", "role": "clerk"}, "county")
    [secret] = secrets_of(world, HOME)
    done = accept(world, secret, password=GOOD, code=code_of(world, secret))
    assert (done.status_code, done.json["person"], done.json["name"]) == (201, person, "Clerk")
    assert before.get("/v1/session").status_code == 401
    world.clock.forward(seconds=60)
    body["code"] = code_now(world)
    assert Client(world.app).post("/signin", data=json.dumps(body), content_type="application/json").status_code == 401


WRONG = [
    ({"email": NEW}, "role"),
    ({"email": NEW, "role": "clerk", "license_number": MINE}, "role"),
    ({"email": NEW, "role": "technician"}, "role"),
    ({"email": NEW, "role": "admin"}, "role"),
    ({"email": NEW, "role": ["clerk"]}, "role"),
    ({"role": "clerk"}, "email"),
    ({"email": "a@b.example, c@d.example", "role": "clerk"}, "email"),
    ({"email": NEW, "license_number": "99999"}, "license_number"),
    ({"email": NEW, "role": "clerk", "county": AWAY}, "county"),
]


@pytest.mark.parametrize(("body", "field"), WRONG)
def test_a_body_that_cannot_be_used_is_told_by_field(world: World, body: dict[str, Any], field: str) -> None:
    refused = world.post(COUNTY, body, "county")
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, field)
    assert secrets_of(world, HOME) + secrets_of(world, None) == []


def test_so_many_invitations_a_day(world: World) -> None:
    holder = world.keys["county"].split("_")[1]
    with world.database.transaction(None) as store:
        for _ in range(INVITATIONS_A_DAY - 1):
            count_attempt(store, "invitations by one", holder, world.clock(), timedelta(days=1))
    assert world.post(COUNTY, {"email": NEW, "role": "clerk"}, "county").status_code == 201
    assert world.post(COUNTY, {"email": NEW, "role": "clerk"}, "county").status_code == 429


def test_the_page_asks_what_the_role_needs(world: World) -> None:
    world.post(COUNTY, {"email": NEW, "role": "clerk"}, "county")
    world.post(COUNTY, {"email": NEW, "license_number": MINE}, "county")
    html = {"Accept": "text/html"}
    [staff], [office] = secrets_of(world, HOME), secrets_of(world, None)
    for secret, fields in ((staff, ["name", "password", "code"]), (office, ["name"])):
        page = Client(world.app).get(f"/invitations/{secret}", headers=html)
        assert re.findall(r'<input class="usa-input" id="(\w+)"', page.text) == fields
        assert page.headers["Referrer-Policy"] == "no-referrer"
    wrong = Client(world.app).post(f"/invitations/{office}", data={"name": "<script>"})
    assert (wrong.status_code, wrong.headers["Location"], "<script>" in wrong.text) == (303, "/", False)


def test_roles_are_given_and_taken_by_those_who_manage(world: World) -> None:
    sign_in_everybody(world)
    path = f"/v1/{HOME}/staff/{world.ids['viewer']}"
    assert world.post(f"{path}/roles", {"role": "clerk"}, "manager").json["roles"] == ["clerk", "viewer"]
    assert world.get("/v1/session", "viewer").json["roles"] == ["clerk", "viewer"]
    assert world.post(f"{path}/roles", {"role": "office"}, "manager").status_code == 422
    assert world.call("DELETE", f"{path}/roles/reviewer", "manager").status_code == 404
    assert world.call("DELETE", f"{path}/roles/clerk", "manager").json["roles"] == ["viewer"]
    assert world.call("DELETE", f"{path}/sessions", "manager").json == {"ended": 1}
    assert world.get("/v1/session", "viewer").status_code == 401
    own = f"/v1/{HOME}/staff/{world.ids['manager']}/roles/manager"
    assert world.call("DELETE", own, "manager").status_code == 409
    assert world.call("DELETE", own, "county").json["roles"] == []
    assert world.get("/v1/session", "manager").status_code == 401
    by = [e["content"].get("by") for e in entries_in(world, HOME) if e["type"] in ("role_given", "role_taken")]
    assert by == [world.ids["manager"], world.ids["manager"], world.keys["county"].split("_")[1]]


def test_another_places_people_are_absent(world: World) -> None:
    sign_in_everybody(world)
    clerk, technician = world.ids["clerk"], world.ids["technician"]
    for place, who, foreign in (
        (f"/v1/{AWAY}/staff", "away manager", clerk),
        (f"/v1/{HOME}/staff", "manager", technician),
        ("/v1/contractors/me/people", "other office", technician),
    ):
        role = "technician" if "people" in place else "viewer"
        for method, end in (("POST", "roles"), ("DELETE", f"roles/{role}"), ("DELETE", "sessions")):
            answers = []
            for person in (foreign, "per_none"):
                body = {"data": json.dumps({"role": role}), "content_type": "application/json"}
                answers.append(world.call(method, f"{place}/{person}/{end}", who, **(body if method == "POST" else {})))
            assert [a.status_code for a in answers] == [404, 404], (place, end)
            assert answers[0].data == answers[1].data
        assert foreign not in world.get(place, who).text
