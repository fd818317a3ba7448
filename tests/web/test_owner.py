"""What an owner does on the pages, from the link of a mail: look, tell, name, state, change; only of the own system."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from notifications.outbox import list_messages
from notifications.print_runs import print_run
from notifications.queueing import queue_notices
from reporting.access.links import owners_path
from reporting.access.secret import Secret
from reporting.api.cookies import csrf_token
from reporting.histories import county_program
from reporting.store.facts import load_history
from reporting.store.mail import list_suppressions
from reporting.store.sessions import start_owner_session
from reporting.store.verify import verify
from tests.notifications.letters import a_maker, queue_letter, read_pdf
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import AWAY, CANARY, HOME, MINE, NOW, OTHERS, World, a_report
from tests.reporting.counties import a_row, csv_of, load, the_system
from tests.web.browsing import DESK, PHONE, Site, hold, overflows

HTML = {"Accept": "text/html"}
HOSTILE = '<script>alert("x")</script>'


@pytest.fixture
def owned(world: World) -> World:
    """An owner's session at home, after a pumping on July 8 by the designated business."""
    return prepared(world)


def prepared(world: World) -> World:
    sign_in_everybody(world)
    sent = world.send(HOME, csv_of(a_report(work_description=HOSTILE)))
    assert sent.status_code == 201, sent.text
    return world


def look(world: World, path: str = "", who: str = "owner") -> TestResponse:
    return world.get(f"/my-system{path}", who, headers=HTML)


def fill(world: World, path: str, who: str = "owner", **values: str) -> TestResponse:
    """A form as a browser without script sends it: with the token that the page has."""
    token = world.sessions[who]
    page = look(world, path if path != "/mail" else "/contact", who)
    if page.status_code == 200:
        assert f'value="{csrf_token(token)}"' in page.text
    data = {**values, "csrf_token": csrf_token(token)}
    client = Client(world.app, use_cookies=False)
    return client.post(f"/my-system{path}", data=data, headers={"Cookie": f"pumper={token}", **HTML})


def done(answer: TestResponse, place: str) -> None:
    assert (answer.status_code, answer.headers["Location"]) == (303, place), answer.text


def entry(world: World, county: str = HOME) -> dict[str, Any]:
    """The last entry of the county's log."""
    found: dict[str, Any] = entries_in(world, county)[-1]
    return found


def test_the_link_of_a_mail_leads_to_the_own_system(world: World) -> None:
    with world.database.reading(HOME) as store:
        path = owners_path(store, Secret.of(world.config), the_system(store, "SP-1").system_id)
    browser = Client(world.app)
    entered = browser.post(f"/owner/{HOME}/{path}", data="", content_type="application/x-www-form-urlencoded")
    assert (entered.status_code, entered.headers["Location"]) == (303, "/")
    assert browser.get("/", headers=HTML).headers["Location"] == "/my-system"
    assert "Permit</dt><dd>SP-1" in browser.get("/my-system", headers=HTML).text


def test_an_owner_sees_standing_arithmetic_sections_and_services(owned: World) -> None:
    page, told = look(owned), owned.get(f"/v1/{HOME}/systems/{owned.ids['system']}/status", "owner").json
    assert (page.status_code, len(page.data) < 200_000) == (200, True)
    for duty in told["obligations"]:
        assert f"Rule {duty['rule']}, {duty['cite']}" in page.text
    assert "pumped July 8, 2026; every 36 months" in page.text
    assert "Due Sunday, July 8, 2029 (last day Monday, July 9, 2029)" in page.text
    assert "Kettle Moraine Septic LLC, Lena Oestreich, license 00412" in page.text
    assert page.text.index("July 8, 2026</h3>") < page.text.index("June 1, 2023</h3>")
    assert HOSTILE not in page.text
    assert "&lt;script&gt;alert" in page.text
    assert "/my-system/statement" not in page.text  # no reporting periods here
    assert look(owned, "/statement").status_code == 404
    nav = re.search(r"<nav.*?</nav>", page.text, re.DOTALL)
    assert nav is not None
    assert re.findall(r'href="([^"]+)"', nav[0]) == ["/my-system", "/look-up"]
    assert owned.get("/my-system", "owner", headers={"Accept": "text/plain"}).status_code == 200
    for path in re.findall(r'href="(/v1/[^"]+)"', page.text):
        assert owned.get(path, "owner").status_code in (200, 503), path


def test_nobody_else_has_the_pages_and_an_owner_has_no_others(owned: World) -> None:
    paths = ("", "/notice", "/contractor", "/contact", "/standing.pdf")
    for who, status in (("", 401), ("contractor", 403), ("county", 403), ("manager", 403), ("office", 403)):
        assert {look(owned, path, who).status_code for path in paths} == {status}, who
    for path in ("/desk", f"/v1/{HOME}/designations"):
        assert owned.get(path, "owner").status_code in (403, 405)
    body = {"system": owned.ids["system"], "license_number": OTHERS}
    assert owned.post(f"/v1/{HOME}/designations", body, "owner").status_code == 403
    owned.clock.forward(minutes=31)
    assert look(owned).status_code == 401


def test_a_form_without_its_token_does_nothing(owned: World) -> None:
    client = Client(owned.app, use_cookies=False)
    headers = {"Cookie": f"pumper={owned.sessions['owner']}", **HTML}
    before = len(entries_in(owned, HOME))
    sent = client.post("/my-system/contractor", data={"license_number": OTHERS}, headers=headers)
    assert (sent.status_code, len(entries_in(owned, HOME))) == (403, before)


def test_a_notice_is_told_mended_and_kept_with_the_session_as_teller(owned: World) -> None:
    wrong = fill(owned, "/notice", kind="flood", on="2026-07-14", license_number=HOSTILE)
    assert wrong.status_code == 422
    for name in ("kind", "on", "license_number"):
        assert f'href="#{name}"' in wrong.text
        assert f'id="{name}-error"' in wrong.text
    assert 'value="2026-07-14"' in wrong.text
    assert HOSTILE not in wrong.text
    done(fill(owned, "/notice", kind="alarm", on="2026-07-13"), "/my-system?done=told_alarm")
    assert "alarm is on record" in look(owned, "?done=told_alarm").text
    told = entry(owned)
    assert (told["type"], told["content"]["system"]) == ("owner_notice", owned.ids["system"])
    assert told["content"]["by"].startswith("ses_")


def test_a_business_is_named_by_number_or_from_those_that_were_here(owned: World) -> None:
    page = look(owned, "/contractor").text
    assert "On file: Kettle Moraine Septic LLC, license 00412." in page
    empty = fill(owned, "/contractor")
    assert (empty.status_code, 'id="license_number-error"' in empty.text) == (422, True)
    done(fill(owned, "/contractor", license_number=OTHERS, known=MINE), "/my-system?done=named")
    assert "license 00555" in look(owned).text
    assert owned.get(f"/v1/{HOME}/systems/{owned.ids['system']}", "contractor").status_code == 404
    done(fill(owned, "/contractor", known=MINE), "/my-system?done=named")
    assert owned.get(f"/v1/{HOME}/systems/{owned.ids['system']}", "contractor").status_code == 200


def test_a_form_can_name_no_other_system(owned: World) -> None:
    with owned.database.reading(HOME) as store:
        other = the_system(store, "SP-2").system_id
    more = {"system": other, "permit_number": "SP-2", "parcel_number": "08-SP-2"}
    done(fill(owned, "/contractor", license_number="00777", **more), "/my-system?done=named")
    assert entry(owned)["content"]["system"] == owned.ids["system"]
    with owned.database.reading(HOME) as store:
        numbers = [row["license_number"] for row in load_history(store, [other])[other].designations]
    assert numbers == [OTHERS]


def test_contact_and_mail_choices(owned: World) -> None:
    """Error, mended, done; the person's words stay out of the entry; the record proves the new row; mail on and off."""
    wrong = fill(owned, "/contact", email="Jan <jan@x.example>", phone=HOSTILE)
    assert (wrong.status_code, 'id="email-error"' in wrong.text, HOSTILE in wrong.text) == (422, True, False)
    nothing = fill(owned, "/contact", phone="262 555 0100")
    assert (nothing.status_code, 'href="#mailing_address"' in nothing.text) == (422, True)
    words = {
        "mailing_address": "PO Box 7\r\nSaukville WI 53080",
        "email": "jan@owners.example",
        "phone": "262 555 0100",
    }
    done(fill(owned, "/contact", **words), "/my-system/contact?done=reached")
    told = entry(owned)
    assert (told["type"], told["content"]["changed"]) == ("owner_contact", ["email", "mailing_address", "phone"])
    assert not any(word in json.dumps(told) for word in ("owners.example", "Box 7", "555 0100", "5550100"))
    owner = owned.get(f"/v1/{HOME}/systems/{owned.ids['system']}", "owner").json["owner"]
    assert (owner["name"], owner["email"], owner["phone"]) == (CANARY[HOME], words["email"], words["phone"])
    done(fill(owned, "/mail", choice="stop"), "/my-system/contact?done=mail_stop")
    assert reasons(owned) == ["unsubscribed"]
    assert entry(owned)["content"]["by"].startswith("ses_")
    assert "Send me reminders again" in look(owned, "/contact").text
    done(fill(owned, "/mail", choice="again"), "/my-system/contact?done=mail_again")
    assert reasons(owned) == []
    assert fill(owned, "/mail", choice="x").status_code == 422
    done(fill(owned, "/contact", mailing_address=words["mailing_address"]), "/my-system/contact?done=reached")
    assert "notices come by letter" in look(owned, "/contact").text
    assert told_before(owned) == ["jan@owners.example"]
    with owned.database.reading(HOME) as store:
        assert verify(store).ok


def told_before(world: World) -> list[str]:
    """Who is told that a contact was changed: whoever was reached until then, and nobody at the first address."""
    with world.database.transaction(HOME) as store:
        program = county_program(store, HOME, on=NOW.date())
        queue_notices(store, program, NOW.date(), NOW, "https://reports.example.org")
        rows = list_messages(store, ["queued"], 100)
    return [row["recipient"] for row in rows if row["kind"] == "contact_changed"]


def reasons(world: World) -> list[str]:
    with world.database.reading(HOME) as store:
        return [row["reason"] for row in list_suppressions(store, ["jan@owners.example"])]


def test_a_period_without_service_is_stated_where_a_program_has_periods(world: World) -> None:
    row = a_row("HT-1", component="holding", capacity_gallons="3000", installed_on="2019-01-01")
    load(world.database, row, county="winnebago", now=NOW - timedelta(days=1))
    with world.database.transaction("winnebago") as store:
        system = the_system(store, "HT-1").system_id
        world.sessions["owner"] = start_owner_session(store, "winnebago", system, world.clock())[1]
    page = look(world, "/statement").text
    assert re.findall(r'<option value="(\d[^"]*)"', page)[0] == "2026-H1"
    assert "2026-H2" not in page  # it has not ended
    wrong = fill(world, "/statement", period="2026-H2", reason=" ")
    assert wrong.status_code == 422
    assert all(f'id="{name}-error"' in wrong.text for name in ("period", "reason"))
    done(fill(world, "/statement", period="2026-H1", reason="The house stood empty."), "/my-system?done=stated")
    told = entry(world, "winnebago")
    assert (told["type"], told["content"]["period"], "empty" in json.dumps(told)) == ("statement", "2026-H1", False)


def test_meter_forecast_letters_and_fees_are_shown_to_the_owner_alone(world: World) -> None:
    row = a_row(
        "HT-1", component="holding", capacity_gallons="3000", meter_unit="gal", meter_digits="6", meter_serial="A1",
        designated_license_number=MINE, installed_on="2019-01-01",
    )  # fmt: skip
    load(world.database, row, now=NOW)
    for day, reading in (("2026-06-01", 1000), ("2026-07-01", 4000)):
        place = {"permit_number": "HT-1", "parcel_number": "08-HT-1", "site_address": row["site_address"]}
        visit = a_report(component="holding", gallons_pumped=2900, service_date=day, signed_on=day, report_ref=day)
        sent = world.post(f"/v1/{HOME}/reports", {**visit, **place, "meter_reading": reading, "meter_unit": "gal"})
        assert sent.status_code == 201, sent.text
    assert world.post(f"/v1/{HOME}/fees", {"permit_number": "HT-1", "rule": "OZ13"}, "county").status_code == 201
    with world.database.transaction(HOME) as store:
        system = the_system(store, "HT-1").system_id
        queue_letter(store, system=system)
        world.sessions["owner"] = start_owner_session(store, HOME, system, world.clock())[1]
    run = print_run(world.database, HOME, a_maker(HOME)).run
    mailed = world.post(f"/v1/{HOME}/print-runs/{run}/confirm", {"mailed_on": "2026-07-13"}, "county")
    assert mailed.status_code == 200, mailed.text
    page = look(world).text
    for words in ("By the readings it is full about", "at about 100 gallons a day", "4,000 gal", "$90.00"):
        assert words in page
    assert "Monday, July 13, 2026: case opened, by letter" in page


def test_the_certificate_of_standing_has_duties_sections_and_the_records_head(owned: World) -> None:
    pytest.importorskip("typst")
    mine, path = look(owned, "/standing.pdf"), f"/v1/{HOME}/systems/{owned.ids['system']}/standing.pdf"
    assert (mine.status_code, mine.mimetype) == (200, "application/pdf")
    assert owned.get(path, "county").data == mine.data
    assert (owned.get(path, "office").status_code, owned.get(path, "away manager").status_code) == (403, 404)
    text = " ".join(read_pdf(mine.data).pages[0].extract_text().split())
    head = owned.get(f"/v1/{HOME}/checkpoint", "").text
    for word in ("in order", "SP-1", "Sunday, July 8, 2029", "last day Monday, July 9, 2029", "145.20(5)(b)"):
        assert word in text
    assert f"{head.splitlines()[1]} entries" in text
    assert CANARY[HOME] not in text


def test_who_is_not_signed_in_is_told_the_way_in(owned: World) -> None:
    path = f"/s/{owned.ids['system']}"
    assert "Is it yours?" in owned.get(path, "").text
    assert 'href="/my-system">see its whole record' in owned.get(path, "owner").text
    with owned.database.reading(AWAY) as store:
        other = the_system(store, "PT-1").system_id
    assert "whole record" not in owned.get(f"/s/{other}", "owner").text


@pytest.mark.needs_browser
@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", DESK)])
def test_owners_pages_hold_for_everybody(site: Site, scheme: str, size: Any) -> None:
    """On a phone of 320 px and at a desk, in light and in dark, with errors shown too; at 200 % nothing is cut off."""
    prepared(site.world)
    page = site.page("owner", scheme=scheme, size=size)
    for path in ("/notice", "/contractor", "/contact"):
        page.goto(f"/my-system{path}")
        hold(page)
    page.fill("#email", "nowhere")
    page.get_by_role("button", name="Save").click()
    assert page.locator("#errors").is_visible()
    hold(page)
    page.goto("/my-system")
    hold(page)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert not overflows(page)
