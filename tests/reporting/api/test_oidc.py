"""A county's staff signs in at its own provider: a real one on loopback, with every lie refused."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from werkzeug.test import Client, TestResponse

from reporting.store.groups import map_group
from reporting.store.log import head
from reporting.store.persons import Place, list_members
from reporting.store.roles import MemberRole
from reporting.store.signin import take_failures
from tests.reporting.api.logs import entries_in
from tests.reporting.api.world import AWAY, HOME, World, make_world
from tests.services.databases import DatabaseUrls
from tests.services.oidc import CLIENT_ID, CLIENT_SECRET, Fault, OidcProvider, running_oidc_provider

HOST = "127.0.0.1"
BASE_URL = f"http://{HOST}:8000"


@pytest.fixture(scope="module")
def running() -> Iterator[OidcProvider]:
    with running_oidc_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: OidcProvider) -> OidcProvider:
    running.fault, running.subject, running.claims = "", "subject-1", {"name": "Ada Lind", "groups": ["Land Records"]}
    return running


@pytest.fixture
def world(database: DatabaseUrls, tmp_path: Path, provider: OidcProvider) -> Iterator[World]:
    (tmp_path / "secret").write_text(CLIENT_SECRET + "\n")
    settings = f"""
    [{HOME}]
    issuer = "{provider.issuer}"
    client_id = "{CLIENT_ID}"
    client_secret_file = "{tmp_path / "secret"}"
    """
    (tmp_path / "oidc.toml").write_text(settings)
    found = make_world(database, tmp_path, PUMPER_OIDC_FILE=str(tmp_path / "oidc.toml"), BASE_URL=BASE_URL)
    provider.now = int(found.clock().timestamp())
    with found.database.transaction(HOME) as store:
        map_group(store, provider.issuer, "Land Records", MemberRole.CLERK)
        map_group(store, provider.issuer, "Land Records Leads", MemberRole.MANAGER)
    yield found
    found.database.dispose()


def go(browser: Client) -> str:
    """Where the provider sends the browser back to, as a path of ours."""
    there = browser.get(f"/signin/oidc/{HOME}", base_url=BASE_URL)
    assert there.status_code == 303, there.text
    parts = urlsplit(there.headers["Location"])
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        answer.read()
        back = answer.headers["Location"]
    finally:
        connection.close()
    assert back.startswith(f"{BASE_URL}/signin/callback?")
    return back.removeprefix(BASE_URL)


def sign_in(browser: Client) -> TestResponse:
    return browser.get(go(browser), base_url=BASE_URL)


def test_a_group_makes_a_clerk_who_may_what_clerks_may(world: World) -> None:
    browser = Client(world.app)
    done = sign_in(browser)
    assert (done.status_code, done.json["roles"], done.json["county"]) == (200, ["clerk"], HOME)
    assert browser.get_cookie("pumper-oidc", HOST) is None
    assert browser.get_cookie("pumper", HOST) is not None
    assert done.headers["Cache-Control"] == "no-store"
    assert browser.get(f"/v1/{HOME}/systems", base_url=BASE_URL).status_code == 200
    assert browser.get(f"/v1/{AWAY}/systems", base_url=BASE_URL).status_code == 404
    assert browser.get(f"/v1/{HOME}/staff", base_url=BASE_URL).status_code == 403
    kinds = [entry["type"] for entry in entries_in(world, HOME)]
    assert kinds[-2:] == ["role_given", "signed_in"]
    assert "Ada" not in json.dumps(entries_in(world, HOME))


FAULTS: list[Fault] = [
    "nonce", "no nonce", "audience", "more audiences", "expired", "alg none", "hs256", "issuer", "unknown key",
    "signature", "at_hash", "no id token", "other client's code", "iss in answer", "denied",
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_lies_lets_nobody_in(world: World, provider: OidcProvider, fault: Fault) -> None:
    browser = Client(world.app)
    provider.fault = fault
    refused = sign_in(browser)
    assert (refused.status_code, refused.json["type"]) == (401, "urn:pumper:problem:provider")
    assert browser.get_cookie("pumper", HOST) is None
    with world.database.transaction(HOME) as store:
        world.clock.forward(hours=1)
        [failures] = take_failures(store, HOME, world.clock())
    assert failures.tries == (("oidc", "", 1),)
    provider.fault = ""
    provider.now = int(world.clock().timestamp())
    assert sign_in(Client(world.app)).status_code == 200  # the control


@pytest.mark.parametrize("fault", ["discovery issuer", "http endpoint", "down"])
def test_a_provider_that_is_not_itself_is_not_gone_to(world: World, provider: OidcProvider, fault: Fault) -> None:
    provider.fault = fault
    answer = Client(world.app).get(f"/signin/oidc/{HOME}", base_url=BASE_URL)
    assert (answer.status_code, answer.json["type"]) == (502, "urn:pumper:problem:provider")


@pytest.mark.parametrize(("after", "status"), [(360, 200), (361, 401)])
def test_an_id_token_is_taken_until_it_expires_and_a_minute_more(
    world: World, provider: OidcProvider, after: int, status: int
) -> None:
    """300 s and 60 s for clocks that differ; the 10 minutes of the try are not over."""
    browser = Client(world.app)
    back = go(browser)
    world.clock.forward(seconds=after - 1)
    assert browser.get(back, base_url=BASE_URL).status_code == status


@pytest.mark.parametrize(("after", "status"), [(599, 200), (600, 401)])
def test_a_try_lasts_ten_minutes(world: World, provider: OidcProvider, after: int, status: int) -> None:
    browser = Client(world.app)
    back = go(browser)
    world.clock.forward(seconds=after)
    provider.now = int(world.clock().timestamp())
    assert browser.get(back, base_url=BASE_URL).status_code == status


def test_an_answer_is_good_in_its_own_browser_and_once(world: World) -> None:
    browser, other = Client(world.app), Client(world.app)
    back = go(browser)
    assert other.get(back, base_url=BASE_URL).status_code == 401
    go(other)
    assert other.get(back, base_url=BASE_URL).status_code == 401  # another state
    assert browser.get(back.replace("state=", "state=x"), base_url=BASE_URL).status_code == 401
    assert browser.get(back, base_url=BASE_URL).status_code == 200
    assert browser.get(back, base_url=BASE_URL).status_code == 401


def test_a_forged_cookie_is_none(world: World) -> None:
    browser = Client(world.app)
    back = go(browser)
    cookie = browser.get_cookie("pumper-oidc", HOST)
    assert cookie is not None
    for value in ("", "x", cookie.value[:-1] + ("a" if cookie.value[-1] != "a" else "b"), "x" + cookie.value):
        browser.set_cookie("pumper-oidc", value, domain=HOST)
        assert browser.get(back, base_url=BASE_URL).status_code == 401


def test_without_a_mapped_group_the_refusal_says_what_to_do(world: World, provider: OidcProvider) -> None:
    for groups in (["Parks"], [], "land records", None, 7, [["Land Records"]]):
        provider.claims = {"groups": groups}
        refused = sign_in(Client(world.app))
        assert (refused.status_code, refused.json["type"]) == (403, "urn:pumper:problem:no-role")
        assert "groups" in refused.json["detail"]
    with world.database.reading(HOME) as store:
        assert list_members(store, Place(county=HOME)) == []


def test_roles_follow_the_groups_at_the_next_sign_in(world: World, provider: OidcProvider) -> None:
    browser = Client(world.app)
    sign_in(browser)
    provider.claims = {"name": "Ada Lindqvist", "groups": ["Land Records Leads"]}
    promoted = sign_in(Client(world.app))
    assert (promoted.json["roles"], promoted.json["name"]) == (["manager"], "Ada Lindqvist")
    # The role is read at each call: the session from before has it too.
    assert browser.get("/v1/session", base_url=BASE_URL).json["roles"] == ["manager"]
    provider.claims = {"groups": []}
    assert sign_in(Client(world.app)).status_code == 403
    assert browser.get("/v1/session", base_url=BASE_URL).status_code == 401
    with world.database.reading(HOME) as store:
        ended = list_members(store, Place(county=HOME), ended=True)
        assert [row["ended_at"] is None for row in ended] == [False, False]
    assert [e["type"] for e in entries_in(world, HOME)].count("role_taken") == 2


def test_an_address_that_the_provider_tells_opens_nobody_elses_account(world: World, provider: OidcProvider) -> None:
    """Persons are told apart by issuer and subject: a provider may say any address it likes."""
    provider.claims |= {"email": "boss@county.example", "email_verified": True}
    first = sign_in(Client(world.app)).json
    provider.subject = "subject-2"
    second = sign_in(Client(world.app)).json
    assert first["person"] != second["person"]


def test_a_county_without_a_provider_has_no_such_address(world: World) -> None:
    assert Client(world.app).get(f"/signin/oidc/{AWAY}", base_url=BASE_URL).status_code == 404
    with world.database.reading(AWAY) as store:
        assert head(store).size > 0
