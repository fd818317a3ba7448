"""Users, keys, log and program on the desk, and the office's own: as over HTTP, and of no other county or business."""

import json
import re
from datetime import timedelta

from werkzeug.test import Client, TestResponse

from reporting.checkpoints import make_checkpoints
from reporting.receipts import Receipt, verify_receipt
from reporting.store.keys import list_keys
from reporting.store.signing import VerifyingKey
from schemas.loader import shipped_program, shipped_slugs
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import address_of, give_factors, sign_in_everybody
from tests.reporting.api.world import AWAY, HOME, World, a_report
from tests.reporting.counties import TODAY
from tests.web.browsing import DESK, Site, hold, overflows
from tests.web.filling import fill, words

HOSTILE = '"><script>alert(1)</script>'


def go(world: World, page: str, path: str, who: str, **values: str) -> TestResponse:
    """A form of a page, sent to where it leads."""
    return fill(world, world.get(page, who), path, who, **values)


def went(answer: TestResponse, place: str) -> None:
    assert (answer.status_code, answer.headers.get("Location")) == (303, place), answer.text


def test_staff_is_invited_given_roles_and_signed_out(world: World) -> None:
    sign_in_everybody(world)
    give_factors(world, world.ids["manager"])
    page = world.get("/desk/users", "manager")
    told = words(page)
    assert (address_of("clerk") in told, address_of("away manager") in told) == (True, False)
    assert told.count("with password and one-time code") == 1
    assert told.count("not yet: no password and no second factor are set") == 4
    new = {"email": "new@people.example", "role": "viewer", "license_number": ""}
    went(go(world, "/desk/users", "/desk/users", "manager", **new), "/desk/users?done=invited")
    page = world.get("/desk/users", "manager")
    assert "new@people.example, viewer" in words(page)
    [invitation] = re.findall(r'action="(/desk/invitations/inv_\w+)"', page.text)
    went(go(world, "/desk/users", invitation, "manager"), "/desk/users?done=withdrawn")
    assert go(world, "/desk/users", invitation, "manager").status_code == 404
    clerk = f"/desk/users/{world.ids['clerk']}"
    went(go(world, "/desk/users", clerk, "manager", role="reviewer"), "/desk/users?done=role_given")
    went(go(world, "/desk/users", f"{clerk}/removal", "manager", role="clerk"), "/desk/users?done=role_taken")
    assert world.get("/desk/reviews", "clerk").status_code == 200
    went(go(world, "/desk/users", f"{clerk}/sessions", "manager"), "/desk/users?done=sessions_ended")
    assert world.get("/desk", "clerk").status_code == 401
    types = [entry["type"] for entry in entries_in(world, HOME)][-5:]
    assert types == ["invited", "invitation_withdrawn", "role_given", "role_taken", "sessions_ended"]
    own = go(world, "/desk/users", f"/desk/users/{world.ids['manager']}/removal", "manager", role="manager")
    assert (own.status_code, "Let somebody else take this role" in own.text) == (409, True)
    wrong = go(world, "/desk/users", "/desk/users", "manager", email="nowhere", role="viewer", license_number="")
    assert (wrong.status_code, 'href="#email"' in wrong.text) == (422, True)


def test_people_and_keys_of_another_county_are_absent(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    for path in (f"/desk/users/{world.ids['away manager']}", f"/desk/users/{world.ids['office']}"):
        assert go(world, "/desk/users", path, "manager", role="viewer").status_code == 404
        assert go(world, "/desk/users", f"{path}/sessions", "manager").status_code == 404
    with world.database.reading(None) as store:
        theirs = {row["id"] for row in list_keys(store) if row["county"] != HOME}
    for key in theirs:
        for path in (f"/desk/keys/{key}/end", f"/desk/keys/{key}/rotation"):
            assert go(world, "/desk/keys", path, "manager").status_code == 404
    with world.database.reading(None) as store:
        assert {row["id"] for row in list_keys(store) if row["revoked_at"] is None} >= theirs
    pages = ("/desk/users", "/desk/keys", "/desk/log")
    assert [world.get(page, "clerk").status_code for page in pages] == [403, 403, 403]
    assert [world.get(page, "enforcement").status_code for page in pages] == [403, 403, 200]
    assert [world.get(page, "technician").status_code for page in ("/office", "/office/keys")] == [403, 403]
    nav = re.search(r"<nav.*?</nav>", world.get("/desk/program", "viewer").text, re.DOTALL)
    assert nav is not None
    assert not {"/desk/users", "/desk/keys", "/desk/log", "/desk/import"} & set(re.findall(r'href="([^"]+)"', nav[0]))


def works(world: World, key: str, path: str) -> int:
    return Client(world.app).get(path, headers={"Authorization": f"Bearer {key}"}).status_code


def shown_key(page: TestResponse) -> str:
    [key] = re.findall(r'<code class="wrapped">(pmp_\w+)</code>', page.text)
    return str(key)


def test_a_key_is_shown_once_followed_by_another_and_ended(world: World) -> None:
    sign_in_everybody(world)
    for page, who, opens in (
        ("/desk/keys", "manager", f"/v1/{HOME}/systems"),
        ("/office/keys", "office", "/v1/contractors/me/due"),
    ):
        made = go(world, page, page, who, label=f"map {HOSTILE}", scopes="systems:read", days="30")
        assert (made.status_code, made.headers["Cache-Control"]) == (200, "no-store")
        key = shown_key(made)
        assert (works(world, key, opens), works(world, key, f"/v1/{HOME}/reports/rep_none")) == (200, 403)
        listed = world.get(page, who)
        assert (key[20:] in listed.text, HOSTILE in listed.text, "systems:read" in listed.text) == (False, False, True)
        of = key.split("_")[1]
        following = shown_key(go(world, page, f"{page}/{of}/rotation", who))
        assert following != key
        assert (works(world, key, opens), works(world, following, opens)) == (200, 200)
        assert works(world, following, f"/v1/{HOME}/reports/rep_none") == 403  # it may no more
        went(go(world, page, f"{page}/{of}/end", who), f"{page}?done=key_ended")
        assert (works(world, key, opens), works(world, following, opens)) == (401, 200)
        assert go(world, page, f"{page}/{of}/rotation", who).status_code == 404
        wrong = go(world, page, page, who, label="", scopes="systems:read", days="731")
        assert (wrong.status_code, 'href="#label"' in wrong.text) == (422, True)
        many = go(world, page, page, who, label="x", scopes="systems:read", days="731")
        assert (many.status_code, 'href="#days"' in many.text) == (422, True)


def test_a_key_that_has_run_over_is_not_rotated(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    old = world.post(f"/v1/{HOME}/keys", {"label": "old", "days": 1}, "manager").json["id"]
    small = world.post(f"/v1/{HOME}/keys", {"label": "small", "scopes": ["keys:manage"]}, "manager").json["key"]
    headers = {"Authorization": f"Bearer {small}"}
    more = Client(world.app).post(f"/v1/{HOME}/keys/{old}/rotation", json={}, headers=headers)
    assert (more.status_code, "may more than you" in more.text) == (422, True)
    answer = world.post(f"/v1/{HOME}/keys/{old}/rotation", {}, "county")
    assert (answer.status_code, answer.json["label"]) == (201, "old")
    world.clock.forward(days=1)
    assert world.post(f"/v1/{HOME}/keys/{old}/rotation", {}, "county").status_code == 404


def test_the_office_invites_and_signs_out_its_own(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    page = words(world.get("/office", "office"))
    assert (address_of("technician") in page, address_of("other office") in page) == (True, False)
    went(go(world, "/office", "/office", "office", email="t@people.example", role="technician"), "/office?done=invited")
    theirs = f"/office/people/{world.ids['other office']}"
    assert go(world, "/office", f"{theirs}/sessions", "office").status_code == 404
    mine = f"/office/people/{world.ids['technician']}"
    went(go(world, "/office", mine, "office", role="office"), "/office?done=role_given")
    went(go(world, "/office", f"{mine}/removal", "office", role="office"), "/office?done=role_taken")
    went(go(world, "/office", f"{mine}/removal", "office", role="technician"), "/office?done=role_taken")
    assert world.get("/work", "technician").status_code == 401
    nav = world.get("/work", "office").text
    assert 'href="/office"' in nav


def test_the_log_is_leafed_through_and_each_entry_has_its_receipt(world: World) -> None:
    sign_in_everybody(world)
    report = world.post(f"/v1/{HOME}/reports", a_report(work_description=HOSTILE), "contractor").json["id"]
    entries = entries_in(world, HOME)
    page = world.get("/desk/log", "manager")
    assert f"It has {len(entries)} entries" in words(page)
    assert f'href="/desk/log/{len(entries)}"' in page.text
    found = re.findall(r'href="(/desk/log/\d+)"', world.get("/desk/log?kind=report", "manager").text)
    seqs = [f"/desk/log/{entry['seq']}" for entry in reversed(entries) if entry["type"] == "report"]
    assert found == seqs[:50]
    assert seqs
    assert re.findall(r'href="(/desk/log/\d+)"', world.get("/desk/log?until=2000-01-01", "manager").text) == []
    assert re.findall(r'href="(/desk/log/\d+)"', world.get("/desk/log?since=2099-01-01", "manager").text) == []
    day = (TODAY - timedelta(days=1)).isoformat()
    assert seqs[0] in world.get(f"/desk/log?since={day}&kind=report", "manager").text
    assert seqs[0] not in world.get(f"/desk/log?until={day}&kind=report", "manager").text
    assert world.get("/desk/log?since=x", "manager").status_code == 422
    one = world.get(seqs[0], "manager")
    assert (one.status_code, HOSTILE in one.text) == (200, False)
    assert report in one.text
    make_checkpoints(world.database, [HOME], world.signer, world.clock())
    receipt = world.get(f"{seqs[0]}/receipt.json", "manager")
    with world.database.reading(HOME) as store:
        keys = [VerifyingKey(raw=world.signer.verifying_key.raw)]
        assert verify_receipt(store, Receipt.from_json(json.loads(receipt.data)), keys).problems == ()
    for path in ("/desk/log/999999", "/desk/log/0", "/desk/log/x", "/desk/log/999999/receipt.json"):
        assert world.get(path, "manager").status_code == 404


def test_a_long_log_goes_on_page_by_page(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    for days in range(60, 112):
        world.post(f"/v1/{HOME}/settings", {"name": "lead_days", "value": days}, "county")
    seen, path = [], "/desk/log"
    while path:
        page = world.get(path, "manager").text
        seen += [int(seq) for seq in re.findall(r'href="/desk/log/(\d+)"', page)]
        [*more] = re.findall(r'href="(/desk/log\?[^"]*before=\d+)"', page)
        path = more[0].replace("&amp;", "&") if more else ""
    assert seen == [entry["seq"] for entry in reversed(entries_in(world, HOME))]
    assert len(seen) > 50


def test_the_program_reads_with_its_sections_in_every_county(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    for slug in shipped_slugs():
        program, page = shipped_program(slug), words(world.get(f"/what-is-asked/{slug}/program", ""))
        for provision in program.at(TODAY).provisions:
            assert provision.rule.cite in page or provision.rule.cite.replace("&", "&amp;") in page
        assert world.get(f"/what-is-asked/{slug}", "").text.count(f"/what-is-asked/{slug}/program") == 1
    desk = world.get("/desk/program", "viewer")
    assert "Within 10 days of the service pumping, inspection" in words(desk)
    assert 'href="/desk/settings#lead_days"' in desk.text
    assert world.get("/desk/program?on=x", "viewer").status_code == 422
    texts = shipped_program("winnebago").texts
    names = [words(world.get(f"/what-is-asked/winnebago/program?on={one.starts_on}", "")) for one in texts]
    assert [f"the text “{one.name}”" in page for one, page in zip(texts, names, strict=True)] == [True] * len(texts)
    assert len(set(names)) == len(texts) > 1
    assert world.get("/what-is-asked/nowhere/program", "").status_code == 404
    assert AWAY not in desk.text


def test_administration_holds_on_a_phone_and_in_the_dark(site: Site) -> None:
    sign_in_everybody(site.world)
    site.world.post(f"/v1/{HOME}/reports", a_report(), "contractor")
    page = site.page("manager")
    dark = site.page("manager", scheme="dark", size=DESK)
    for path in ("/desk/users", "/desk/keys", "/desk/log", "/desk/log/1"):
        page.goto(path)
        for closed in page.locator("main details:not([open]) > summary").all()[:3]:
            closed.click()
        hold(page)
    for path in ("/desk/users", "/desk/log"):
        dark.goto(path)
        hold(dark)
    page.goto("/desk/keys")
    page.fill("#label", "the map of the land office")
    page.click("main form:has(#label) button")
    hold(page)
    assert page.locator("code.wrapped").inner_text().startswith("pmp_")
    page.goto("/desk/log/1")
    assert page.locator("nav a[aria-current=true]").all_inner_texts() == ["Log"]
    page.goto("/desk")
    assert page.locator("nav a[aria-current]").all_inner_texts() == ["Desk"]
    assert not page.locator("nav >> text=Users").is_visible()
    page.click("nav summary")
    page.click("nav >> text=Users")
    assert page.locator("nav a[aria-current=page]").all_inner_texts() == ["Users"]
    office = site.page("office")
    for path in ("/office", "/office/keys"):
        office.goto(path)
        hold(office)
    public = site.page()
    public.goto(f"/what-is-asked/{HOME}/program")
    hold(public)
    public.goto("/docs")  # axe takes minutes over so many tables
    assert (overflows(public), public.locator("h1").count()) == (False, 1)
