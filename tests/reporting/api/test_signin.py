"""Signing in: by link, by password and code, by an owner's letter; what is the same for everybody, what works once."""

import json
import re
import statistics
import time
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import select, update
from werkzeug.test import Client, TestResponse

from notifications.outbox import MessageState, list_messages
from reporting import tables
from reporting.access.entries import note_all_failures
from reporting.access.links import LINKS_AT_ONCE, owners_path
from reporting.access.secret import Secret
from reporting.access.signin import FROM_DEVICE, FROM_ONE, OF_ONE, WINDOW
from reporting.access.totp import new_recovery_codes, recovery_hash
from reporting.api.signin import LINKS_BY_ONE
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG
from reporting.store.persons import Place
from reporting.store.roles import MemberRole
from reporting.store.rows import insert_rows
from reporting.store.signin import count_attempt
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import PASSWORD, add_person, address_of, code_now, give_factors
from tests.reporting.api.world import AWAY, CANARY, HOME, World
from tests.reporting.counties import the_system

FORM = "application/x-www-form-urlencoded"
TECHNICIAN = (Place(contractor_id="con_mine"), MemberRole.TECHNICIAN)
LINK = re.compile(r"/signin/link/([a-z2-7]{32})")


def ask_link(world: World, email: str, client: Client | None = None, **more: Any) -> TestResponse:
    body = json.dumps({"email": email})
    return (client or Client(world.app)).post("/signin/link", data=body, content_type="application/json", **more)


def links(database: Database) -> list[str]:
    """The secrets of the links that wait in the outbox, the oldest first."""
    with database.reading(SERVICE_LOG) as store:
        rows = list_messages(store, [MessageState.QUEUED])
    return [match[1] for row in reversed(rows) if (match := LINK.search(row["content"].get("link", "")))]


def new_link(world: World, name: str) -> str:
    """Ask for a link, and open the mail that comes."""
    before = links(world.database)
    assert ask_link(world, address_of(name)).status_code == 202
    [secret] = [one for one in links(world.database) if one not in before]
    return secret


def use(world: World, secret: str, client: Client | None = None, **body: str) -> TestResponse:
    data = json.dumps(body)
    return (client or Client(world.app)).post(f"/signin/link/{secret}", data=data, content_type="application/json")


def test_a_technician_signs_in_by_link_once(world: World) -> None:
    person = add_person(world, "lena", TECHNICIAN)
    assert ask_link(world, address_of("lena").upper()).status_code == 202
    [secret] = links(world.database)
    browser = Client(world.app)
    for _ in range(3):  # mail scanners
        shown = browser.get(f"/signin/link/{secret}")
        assert (shown.status_code, shown.mimetype) == (200, "text/html")
        assert browser.head(f"/signin/link/{secret}").status_code == 200
    done = use(world, secret, browser)
    assert (done.status_code, done.json["person"], done.json["roles"]) == (200, person, ["technician"])
    assert browser.get("/v1/contractors/me/due").status_code == 200
    assert browser.get("/v1/session").json["csrf_token"] == done.json["csrf_token"]
    again = use(world, secret)
    assert (again.status_code, again.json["type"]) == (401, "urn:pumper:problem:sign-in-failed")
    [entry] = entries_in(world, None)
    assert (entry["type"], entry["content"]["person"], entry["content"]["method"]) == ("signed_in", person, "link")
    assert "people.example" not in json.dumps(entries_in(world, None))


@pytest.mark.parametrize(("after", "status"), [(899, 200), (900, 401)])
def test_a_link_works_for_fifteen_minutes(world: World, after: int, status: int) -> None:
    add_person(world, "lena", TECHNICIAN)
    ask_link(world, address_of("lena"))
    [secret] = links(world.database)
    world.clock.forward(seconds=after)
    assert use(world, secret).status_code == status


def test_of_two_at_once_one_gets_in(world: World) -> None:
    add_person(world, "lena", TECHNICIAN)
    for _ in range(3):
        secret = new_link(world, "lena")
        barrier, answers = Barrier(4), []

        def enter(secret: str = secret, barrier: Barrier = barrier, answers: list[int] = answers) -> None:
            barrier.wait(20)
            answers.append(use(world, secret).status_code)

        run_all(enter, 4)
        assert sorted(answers) == [200, 401, 401, 401]


def run_all(action: Callable[[], None], count: int) -> None:
    threads = [Thread(target=action) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_the_links_before_are_useless_after_a_sign_in(world: World) -> None:
    add_person(world, "lena", TECHNICIAN)
    first, second = new_link(world, "lena"), new_link(world, "lena")
    assert use(world, second).status_code == 200
    assert use(world, first).status_code == 401


def test_the_answer_is_the_same_for_every_address(world: World) -> None:
    add_person(world, "lena", TECHNICIAN)
    add_person(world, "clerk", (Place(county=HOME), MemberRole.CLERK))  # has a password, gets no link
    add_person(world, "nobody any more")
    known, *others = (
        ask_link(world, email)
        for email in (address_of("lena"), address_of("clerk"), address_of("nobody any more"), "no@where.example")
    )
    for other in others:
        assert (other.status_code, other.data) == (known.status_code, known.data)
        assert dict(other.headers).keys() == dict(known.headers).keys()
    assert len(links(world.database)) == 1


def test_the_answer_takes_as_long_for_every_address(world: World) -> None:
    """The same class of time: both are one transaction that writes. Machines under load need a wide guard."""
    add_person(world, "lena", TECHNICIAN)
    times: dict[str, list[float]] = {address_of("lena"): [], "no@where.example": []}
    for _ in range(7):
        world.clock.forward(hours=1)
        for email, taken in times.items():
            start = time.perf_counter()
            assert ask_link(world, email).status_code == 202
            taken.append(time.perf_counter() - start)
    known, unknown = (statistics.median(taken) for taken in times.values())
    assert known < 10 * unknown, (known, unknown)


@pytest.mark.parametrize(
    "email", [None, "", "x", "a@b@c", "Lena <a@b.example>", "a@b.example, c@d.example", 7, "a\n@b.c"]
)
def test_what_is_no_address_is_refused(world: World, email: Any) -> None:
    refused = ask_link(world, email)
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "email")


def test_three_links_a_quarter_of_an_hour_and_the_last_is_good(world: World) -> None:
    """Whoever asks in somebody's name keeps nobody out: there is always a good link in the mail."""
    add_person(world, "lena", TECHNICIAN)
    for number in range(LINKS_AT_ONCE + 5):
        assert ask_link(world, address_of("lena")).status_code == 202
        assert len(links(world.database)) == min(number + 1, LINKS_AT_ONCE)
    assert use(world, links(world.database)[-1]).status_code == 200
    world.clock.forward(minutes=15)
    ask_link(world, address_of("lena"))
    assert len(links(world.database)) == LINKS_AT_ONCE + 1


def test_one_address_of_the_network_asks_for_so_many_links(world: World) -> None:
    here, there = {"REMOTE_ADDR": "192.0.2.1"}, {"REMOTE_ADDR": "192.0.2.2"}
    secure = {"base_url": "https://localhost"}
    for number in range(LINKS_BY_ONE):
        answer = ask_link(world, f"a{number}@where.example", environ_overrides=here, **secure)
        assert answer.status_code == 202
    refused = ask_link(world, "b@where.example", environ_overrides=here, **secure)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "3600")
    assert ask_link(world, "b@where.example", environ_overrides=there, **secure).status_code == 202
    world.clock.forward(hours=1)
    assert ask_link(world, "b@where.example", environ_overrides=here, **secure).status_code == 202


def test_with_roles_in_two_businesses_one_is_chosen(world: World) -> None:
    add_person(world, "lena", TECHNICIAN, (Place(contractor_id="con_others"), MemberRole.OFFICE))
    ask_link(world, address_of("lena"))
    [secret] = links(world.database)
    asked = use(world, secret)
    assert (asked.status_code, asked.json["choices"]) == (
        422, {"con_mine": "Kettle Moraine Septic LLC", "con_others": "Ridge Pumping Inc"},
    )  # fmt: skip
    page = Client(world.app).post(f"/signin/link/{secret}", data="", content_type=FORM)
    assert 'value="con_others"' in page.text
    assert use(world, secret, contractor_id="con_none").status_code == 401
    assert use(world, secret, contractor_id="con_others").json["contractor_id"] == "con_others"


@pytest.mark.parametrize("secret", ["x", "k" * 31, "k" * 33, "K" * 32, "k" * 32])
def test_any_other_link_is_none(world: World, secret: str) -> None:
    assert use(world, secret).status_code in (401, 404)


def test_another_sites_form_signs_nobody_in(world: World) -> None:
    """Login CSRF: somebody is not to work in an attacker's name without knowing."""
    add_person(world, "lena", TECHNICIAN)
    ask_link(world, address_of("lena"))
    [secret] = links(world.database)
    refused = Client(world.app).post(f"/signin/link/{secret}", data={}, headers={"Origin": "https://elsewhere.example"})
    assert refused.status_code == 403
    assert use(world, secret).status_code == 200


def test_a_new_sign_in_ends_the_session_before(world: World) -> None:
    add_person(world, "lena", TECHNICIAN)
    browser = Client(world.app)
    tokens = []
    for _ in range(2):
        assert use(world, new_link(world, "lena"), browser).status_code == 200
        cookie = browser.get_cookie("pumper")
        assert cookie is not None
        tokens.append(cookie.value)
    assert tokens[0] != tokens[1]
    for token, status in zip(tokens, (401, 200), strict=True):
        headers = {"Cookie": f"pumper={token}"}
        assert Client(world.app, use_cookies=False).get("/v1/session", headers=headers).status_code == status


# --- password and code


def staff(world: World, *counties: str) -> str:
    person = add_person(world, "clerk", *((Place(county=county), MemberRole.CLERK) for county in counties or (HOME,)))
    give_factors(world, person)
    return person


def enter(world: World, client: Client | None = None, **changes: Any) -> TestResponse:
    body = {"email": address_of("clerk"), "password": PASSWORD, "code": code_now(world), **changes}
    data = json.dumps({name: value for name, value in body.items() if value is not None})
    return (client or Client(world.app)).post("/signin", data=data, content_type="application/json")


def test_a_clerk_signs_in_with_password_and_code(world: World) -> None:
    person = staff(world)
    browser = Client(world.app)
    done = enter(world, browser)
    assert (done.status_code, done.json["person"], done.json["county"]) == (200, person, HOME)
    assert browser.get(f"/v1/{HOME}/systems").status_code == 200
    [entry] = entries_in(world, HOME)[-1:]
    assert (entry["type"], entry["content"]["method"], entry["content"]["person"]) == ("signed_in", "password", person)


@pytest.mark.parametrize("steps", [-2, -1, 0, 1, 2])
def test_a_code_of_this_half_minute_and_its_neighbours_is_good(world: World, steps: int) -> None:
    staff(world)
    assert enter(world, code=code_now(world, steps)).status_code == (200 if abs(steps) < 2 else 401)


def test_a_code_works_once(world: World) -> None:
    staff(world)
    code = code_now(world)
    assert enter(world, code=f"{code[:3]} {code[3:]}").status_code == 200
    assert enter(world, code=code).status_code == 401
    assert enter(world, code=code_now(world, -1)).status_code == 401  # nor one from before it
    assert enter(world, code=code_now(world, 1)).status_code == 200


def test_of_the_same_code_at_once_one_gets_in(world: World) -> None:
    staff(world)
    barrier, answers = Barrier(3), []

    def go() -> None:
        barrier.wait(20)
        answers.append(enter(world).status_code)

    run_all(go, 3)
    assert sorted(answers) == [200, 401, 401]


def test_what_is_wrong_is_not_told(world: World) -> None:
    staff(world)
    add_person(world, "lena", TECHNICIAN)
    wrong = [
        enter(world, password="heron under the new bridge"),
        enter(world, code="000000" if code_now(world) != "000000" else "000001"),
        enter(world, email="no@where.example"),
        enter(world, email=address_of("lena")),
        enter(world, county=AWAY),
    ]
    assert {(answer.status_code, answer.data) for answer in wrong} == {(401, wrong[0].data)}


def test_an_unknown_address_takes_as_long(world: World, real_passwords: None) -> None:
    staff(world)
    times: dict[str, list[float]] = {"a": [], "b": []}
    for number in range(3):
        world.clock.forward(minutes=15)
        for name, email in (("a", address_of("clerk")), ("b", f"no{number}@where.example")):
            start = time.perf_counter()
            assert enter(world, email=email, password="wrong").status_code == 401
            times[name].append(time.perf_counter() - start)
    known, unknown = (statistics.median(taken) for taken in times.values())
    # Without the same hash for nobody it would be a hundredth.
    assert known / unknown < 10
    assert unknown / known < 10


def test_a_recovery_code_works_once_and_for_its_person(world: World) -> None:
    person = staff(world)
    codes = new_recovery_codes()
    with world.database.transaction(None) as store:
        rows = [{"person": person, "code_sha256": recovery_hash(code), "used_at": None} for code in codes]
        insert_rows(store, tables.recovery_code, rows)
    assert enter(world, code=codes[0].upper()).status_code == 200
    assert enter(world, code=codes[0]).status_code == 401
    assert enter(world, code=new_recovery_codes()[0]).status_code == 401
    assert enter(world, code=codes[1], password="wrong").status_code == 401
    assert enter(world, code=codes[1]).status_code == 200  # a wrong password uses none up


def test_with_roles_in_two_counties_one_is_named(world: World) -> None:
    staff(world, HOME, AWAY)
    asked = enter(world)
    assert (asked.status_code, set(asked.json["choices"])) == (422, {HOME, AWAY})
    assert enter(world, county=AWAY).json["county"] == AWAY  # the code was not used up by the question


def test_five_tries_from_one_place_then_a_quarter_of_an_hour(world: World) -> None:
    staff(world)
    count(world, "password from one", f"none {address_of('clerk')}", FROM_ONE - 1)
    assert enter(world, password="wrong").status_code == 401
    stopped = enter(world)
    assert (stopped.status_code, stopped.headers["Retry-After"]) == (429, "900")
    world.clock.forward(minutes=15)
    assert enter(world).status_code == 200


def test_what_went_well_does_not_count(world: World) -> None:
    staff(world)
    for _ in range(2):
        count(world, "password from one", f"none {address_of('clerk')}", FROM_ONE // 2)
        world.clock.forward(seconds=60)
        assert enter(world).status_code == 200


def from_anywhere(world: World, number: int, client: Client | None = None, **changes: Any) -> int:
    body = {"email": address_of("clerk"), "password": PASSWORD, "code": code_now(world), **changes}
    return (
        (client or Client(world.app))
        .post(
            "/signin",
            data=json.dumps(body),
            content_type="application/json",
            base_url="https://localhost",
            environ_overrides={"REMOTE_ADDR": f"198.51.100.{number}"},
        )
        .status_code
    )


def count(world: World, kind: str, subject: str, tries: int) -> None:
    """As if so many had been tried: each try of a real password takes its time."""
    with world.database.transaction(None) as store:
        for _ in range(tries):
            count_attempt(store, kind, subject, world.clock(), WINDOW)


def test_strangers_do_not_keep_out_who_was_here_before(world: World) -> None:
    """All tries in somebody's name are few; a browser that this person signed in with has tries of its own."""
    staff(world)
    known = Client(world.app)
    assert from_anywhere(world, 1, known) == 200
    world.clock.forward(minutes=15)
    count(world, "password of one", address_of("clerk"), OF_ONE - 1)
    assert from_anywhere(world, 10, password="wrong") == 401
    assert from_anywhere(world, 99) == 429  # from a new browser, even with all right
    assert from_anywhere(world, 99, known) == 200
    stranger = Client(world.app)
    stranger.set_cookie("__Host-pumper-device", "per_none.0123456789abcdef." + "k" * 26)
    assert from_anywhere(world, 98, stranger) == 429
    world.clock.forward(seconds=60)
    cookie = known.get_cookie("__Host-pumper-device")
    assert cookie is not None
    count(world, "password device", cookie.value.rpartition(".")[0], FROM_DEVICE - 1)
    assert from_anywhere(world, 1, known, password="wrong") == 401
    assert from_anywhere(world, 1, known) == 429


def test_failures_make_one_entry_an_hour_however_many(world: World) -> None:
    person = staff(world)
    for number in range(4):
        from_anywhere(world, number, password="wrong", email=f"no{number}@where.example")
    for _ in range(2):
        enter(world, password="wrong")
    size = len(entries_in(world, HOME)), len(entries_in(world, None))
    assert note_all_failures(world.database, world.clock()) == 0  # the hour is not over
    world.clock.forward(hours=1)
    assert note_all_failures(world.database, world.clock()) == 2
    assert note_all_failures(world.database, world.clock()) == 0
    home, service = entries_in(world, HOME), entries_in(world, None)
    assert (len(home), len(service)) == (size[0] + 1, size[1] + 1)
    assert home[-1]["content"]["tries"] == [{"method": "password", "person": person, "tries": 2}]
    assert service[-1]["content"]["tries"] == [{"method": "password", "person": None, "tries": 4}]
    assert home[-1]["content"]["hour"].startswith("2026-07-13T15:00:00")


def test_the_next_entry_brings_the_failures_of_hours_before(world: World) -> None:
    staff(world)
    enter(world, password="wrong")
    world.clock.forward(hours=1)
    assert enter(world).status_code == 200
    assert [e["type"] for e in entries_in(world, HOME)][-2:] == ["signin_failed", "signed_in"]


@pytest.mark.parametrize("field", ["email", "password", "code"])
def test_each_field_is_needed(world: World, field: str) -> None:
    refused = enter(world, **{field: None})
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, field)
    assert PASSWORD not in refused.text


# --- an owner's letter


def owners_address(world: World, permit: str = "SP-1") -> str:
    with world.database.reading(HOME) as store:
        path = owners_path(store, Secret.of(world.config), the_system(store, permit).system_id)
    return f"/owner/{HOME}/{path}"


def open_letter(world: World, address: str, client: Client | None = None) -> TestResponse:
    return (client or Client(world.app)).post(address, data="{}", content_type="application/json")


def test_an_owners_letter_lets_in_for_the_one_system(world: World) -> None:
    address, browser = owners_address(world), Client(world.app)
    shown = browser.get(address)
    assert (shown.status_code, CANARY[HOME] in shown.text) == (200, False)
    assert browser.get_cookie("pumper") is None
    done = open_letter(world, address, browser)
    assert (done.status_code, done.json["method"], done.json["person"]) == (200, "owner_link", None)
    system = done.json["system"]
    assert browser.get(f"/v1/{HOME}/systems/{system}").json["owner"]["name"] == CANARY[HOME]
    assert browser.get(f"/v1/{HOME}/systems").status_code == 403
    assert open_letter(world, address).status_code == 200  # a letter is kept: it works again
    assert entries_in(world, HOME)[-1]["content"]["system"] == system


def test_an_owners_address_is_for_this_system_this_county_and_this_owner(world: World) -> None:
    address = owners_address(world)
    other = owners_address(world, "SP-2")
    mixed = address.rpartition("-")[0] + "-" + other.rpartition("-")[2]
    for wrong in (mixed, address[:-1] + ("a" if address[-1] != "a" else "b"), address.replace(HOME, AWAY)):
        assert open_letter(world, wrong).status_code == 401
    assert open_letter(world, f"/owner/nowhere/{address.rpartition('/')[2]}").status_code == 404
    with world.database.transaction(HOME) as store:
        current = tables.owner_version
        store.connection.execute(update(current).where(current.c.county == HOME).values(name="The next owner"))
    assert open_letter(world, address).status_code == 401


def test_pages_are_whole_and_need_no_script(world: World) -> None:
    for path in ("/signin", f"/signin/link/{'k' * 32}", owners_address(world)):
        page = Client(world.app).get(path, headers={"Accept": "text/html"})
        assert page.text.count("<h1>") == 1
        assert '<html lang="en">' in page.text
        assert "<script" not in page.text
        inputs = re.findall(r'<input class="usa-input" id="([^"]+)"', page.text)
        assert inputs or "<button" in page.text
        assert len(inputs) == len(set(inputs))
        for name in inputs:
            assert f'<label class="usa-label" for="{name}">' in page.text
        policy = page.headers["Content-Security-Policy"]
        assert "form-action 'self'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["Cache-Control"] == "no-store"


def test_a_form_is_answered_with_a_page(world: World) -> None:
    add_person(world, "lena", TECHNICIAN)
    sent = Client(world.app).post("/signin/link", data={"email": address_of("lena")})
    assert (sent.status_code, sent.mimetype) == (202, "text/html")
    wrong = Client(world.app).post("/signin/link", data={"email": "<b>"})
    assert (wrong.status_code, wrong.mimetype, 'role="alert"' in wrong.text) == (422, "text/html", True)
    assert "<b>" not in wrong.text
    done = Client(world.app).post(f"/signin/link/{links(world.database)[0]}", data="", content_type=FORM)
    assert (done.status_code, done.headers["Location"]) == (303, "/")
    assert "Set-Cookie" in done.headers


def test_counts_of_tries_name_no_address(world: World) -> None:
    ask_link(world, "no@where.example")
    with world.database.reading(None) as store:
        rows = store.connection.execute(select(tables.attempt)).all()
    assert rows
    assert "where.example" not in repr(rows)
