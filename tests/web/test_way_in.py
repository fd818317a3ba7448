"""An owner's way in without an account: the link to the address on file, or the office's code; and no answer tells."""

import re
from datetime import timedelta

import pytest
from werkzeug.test import Client, TestResponse

from notifications.outbox import MessageState, list_messages
from notifications.suppression import Reason, Suppressing, suppress_address
from reporting.api.ways_in import CODES_BY_ONE, LINKS_OF_ONE
from reporting.store.ways_in import CODE_LIFE, CODE_TRIES
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import AWAY, CANARY, HOME, World
from tests.reporting.counties import a_row, load, the_system
from tests.web.browsing import DESK, Site, hold
from tests.web.filling import fill

HTML = {"Accept": "text/html"}
MAIL = "laverne@owners.example"


@pytest.fixture
def lived_in(world: World) -> World:
    """With a system whose owner has an e-mail address on file, beside those that have none."""
    return prepared(world)


def prepared(world: World) -> World:
    sign_in_everybody(world)
    about = {"component": "septic", "owner_name": CANARY[HOME], "owner_email": MAIL}
    load(world.database, a_row("SP-8", **about), county=HOME, now=world.clock())
    return world


def system(world: World, permit: str, county: str = HOME) -> str:
    with world.database.reading(county) as store:
        return str(the_system(store, permit).system_id)


def send(world: World, path: str, *, address: str = "127.0.0.7", **values: str) -> TestResponse:
    """A form of a page that somebody sends who is not signed in."""
    client = Client(world.app, use_cookies=False)
    return client.post(path, data=values, headers=HTML, environ_overrides={"REMOTE_ADDR": address})


def ask_link(world: World, permit: str, **more: str) -> TestResponse:
    of = system(world, permit)
    answer = send(world, f"/s/{of}/link", csrf_token="", **more)
    answer.text_without_id = answer.text.replace(of, "")  # type: ignore[attr-defined]
    return answer


def mails(world: World) -> list[tuple[str, str]]:
    with world.database.reading(HOME) as store:
        rows = list_messages(store, tuple(MessageState), 99)
        return [(row["recipient"], row["content"]["link"]) for row in rows if row["kind"] == "owner_link"]


def test_the_link_goes_to_the_address_on_file_and_the_answer_is_always_the_same(lived_in: World) -> None:
    page = lived_in.get(f"/s/{system(lived_in, 'SP-8')}", "", headers=HTML)
    assert f'href="/s/{system(lived_in, "SP-8")}/mine"' in page.text
    known, unknown = ask_link(lived_in, "SP-8"), ask_link(lived_in, "SP-1")
    assert (known.status_code, known.text_without_id) == (202, unknown.text_without_id)  # type: ignore[attr-defined]
    [(recipient, link)] = mails(lived_in)
    assert recipient == MAIL
    assert (MAIL in known.text, CANARY[HOME] in known.text) == (False, False)
    path = link.removeprefix(lived_in.config.base_url)
    browser = Client(lived_in.app)
    assert browser.post(path, data="", content_type="application/x-www-form-urlencoded").status_code == 303
    assert "Permit</dt><dd>SP-8" in browser.get("/my-system", headers=HTML).text
    for _ in range(LINKS_OF_ONE + 2):
        assert ask_link(lived_in, "SP-8").text_without_id == known.text_without_id  # type: ignore[attr-defined]
    assert len(mails(lived_in)) == LINKS_OF_ONE
    lived_in.clock.forward(days=1)
    with lived_in.database.transaction(HOME) as store:
        suppress_address(store, Suppressing(address=MAIL, reason=Reason.BOUNCE, by="t", now=lived_in.clock()))
    ask_link(lived_in, "SP-8")
    assert len(mails(lived_in)) == LINKS_OF_ONE  # mail to it comes back
    assert (
        send(lived_in, "/s/sys_none/link", csrf_token="").status_code
        == lived_in.get("/s/sys_none/mine", "").status_code
        == 404
    )
    foreign = {"Origin": "https://elsewhere.example", **HTML}
    sent = Client(lived_in.app).post(f"/s/{system(lived_in, 'SP-8')}/link", data={"csrf_token": ""}, headers=foreign)
    assert sent.status_code == 403


def test_one_caller_asks_for_so_many_links_and_no_more(world_on_sqlite: World) -> None:
    world = prepared(world_on_sqlite)
    seen = [ask_link(world, f"SP-{1 + n % 3}").status_code for n in range(31)]
    assert (set(seen[:30]), seen[30]) == ({202}, 429)


def make_code(world: World, permit: str = "SP-1", who: str = "clerk") -> str:
    path = f"/desk/systems/{system(world, permit)}/way-in"
    made = fill(world, world.get(path, who), path, who, checked="yes")
    assert made.status_code == 200, made.text
    [code] = re.findall(r'class="code">([A-Z2-9]{5}-[A-Z2-9]{5})<', made.text)
    assert code not in world.get(path, who).text
    return str(code)


def give(world: World, code: str, permit: str = "SP-1", address: str = "127.0.0.7") -> TestResponse:
    return send(world, f"/s/{system(world, permit)}/code", address=address, code=code)


def test_a_code_of_the_office_lets_in_once_for_one_system(lived_in: World) -> None:
    path = f"/desk/systems/{system(lived_in, 'SP-1')}/way-in"
    unsure = fill(lived_in, lived_in.get(path, "clerk"), path, "clerk")
    assert (unsure.status_code, "make sure" in unsure.text or "made sure" in unsure.text) == (422, True)
    code = make_code(lived_in)
    assert give(lived_in, code, "SP-2").status_code == 401
    entered = give(lived_in, code.lower().replace("-", " "))
    assert (entered.status_code, entered.headers["Location"]) == (303, "/")
    cookie = entered.headers["Set-Cookie"].partition(";")[0]
    page = Client(lived_in.app, use_cookies=False).get("/my-system", headers={"Cookie": cookie, **HTML})
    assert "Permit</dt><dd>SP-1" in page.text
    assert give(lived_in, code).status_code == 401
    log = [e for e in entries_in(lived_in, HOME) if "owner_code" in e["type"] or e["type"] == "signed_in"]
    assert [(e["type"], e["content"].get("method")) for e in log] == [
        ("owner_code_made", None),
        ("signed_in", "owner_code"),
    ]
    assert code not in str(log)
    assert "was used on" in lived_in.get(path, "clerk").text


def test_a_wrong_code_is_told_like_none_and_tried_a_few_times_only(world_on_sqlite: World) -> None:
    lived_in = prepared(world_on_sqlite)
    code = make_code(lived_in)
    wrong = {give(lived_in, "AAAAA-AAAAA", permit, f"127.0.1.{n}").text for n, permit in enumerate(("SP-1", "SP-2"))}
    assert len(wrong) == 1
    for n in range(CODE_TRIES - 1):
        assert give(lived_in, "AAAAA-AAAAA", address=f"127.0.2.{n}").status_code == 401
    assert give(lived_in, code, address="127.0.3.1").status_code == 401  # it was tried too often
    assert "tried too often" in lived_in.get(f"/desk/systems/{system(lived_in, 'SP-1')}/way-in", "clerk").text
    fresh = make_code(lived_in)
    for _ in range(CODES_BY_ONE):
        give(lived_in, "AAAAA-AAAAA", "SP-3", "127.0.3.9")
    assert give(lived_in, fresh, address="127.0.3.9").status_code == 429
    for n in range(CODE_TRIES - 1):
        give(lived_in, "AAAAA-AAAAA", address=f"127.0.2.{n}")
    assert give(lived_in, fresh, address="127.0.3.1").status_code == 303  # the last try


def test_a_code_ends_with_its_days_the_owner_or_the_office(world_on_sqlite: World) -> None:
    world = prepared(world_on_sqlite)
    code = make_code(world)
    world.clock.forward(seconds=CODE_LIFE.total_seconds())
    assert give(world, code).status_code == 401
    sign_in_again(world)
    code = make_code(world)
    world.clock.forward(seconds=(CODE_LIFE - timedelta(seconds=1)).total_seconds())
    assert give(world, code).status_code == 303
    sign_in_again(world)
    taken, sold = make_code(world, "SP-2"), make_code(world, "SP-3")
    path = f"/desk/systems/{system(world, 'SP-2')}/way-in"
    assert fill(world, world.get(path, "clerk"), f"{path}/withdrawal", "clerk").status_code == 303
    assert give(world, taken, "SP-2").status_code == 401
    load(world.database, a_row("SP-3", component="septic", owner_name="New Owner"), county=HOME, now=world.clock())
    assert give(world, sold, "SP-3").status_code == 401


def sign_in_again(world: World) -> None:
    world.sessions.clear()
    sign_in_everybody(world)


def test_only_the_countys_own_staff_makes_codes(world_on_sqlite: World) -> None:
    world = prepared(world_on_sqlite)
    mine, theirs = (f"/desk/systems/{one}/way-in" for one in (system(world, "SP-1"), system(world, "PT-1", AWAY)))
    assert [world.get(mine, who).status_code for who in ("clerk", "viewer", "office", "owner", "")] == [
        200, 403, 403, 403, 401,
    ]  # fmt: skip
    token = fill(world, world.get(mine, "clerk"), theirs, "clerk", checked="yes")
    assert (world.get(theirs, "clerk").status_code, token.status_code) == (404, 404)


def test_the_way_in_holds_on_a_phone_and_on_paper(site: Site) -> None:
    of = system(prepared(site.world), "SP-1")
    page = site.page()
    page.goto(f"/s/{of}")
    page.click("text=This is my system")
    hold(page)
    page.click("text=Send me my link")
    assert page.locator("h1").inner_text() == "Look into your mail"
    hold(page)
    desk = site.page("clerk", scheme="dark", size=DESK)
    desk.goto(f"/desk/systems/{of}/way-in")
    hold(desk)
    assert desk.locator("nav a[aria-current=true]").inner_text() == "Systems"
    desk.check("#checked")
    desk.click("main button:has-text('Make a code')")
    hold(desk)
    code = desk.locator(".code").inner_text()
    desk.emulate_media(media="print")
    assert desk.locator("header.site").is_hidden()
    page.goto(f"/s/{of}/mine")
    page.fill("#code", "AAAAA-AAAAA")
    page.click("text=Open my system")
    hold(page)
    page.goto(f"/s/{of}/mine")
    page.fill("#code", code)
    page.click("text=Open my system")
    assert page.url.endswith("/my-system")
