"""What a business signs, and how a phone sends it: typed or drawn, once, whenever its answer arrives."""

import re
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import expect
from werkzeug.test import TestResponse

from reporting.intake.signatures import LARGEST
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import HOME, World, a_report
from tests.reporting.counties import load, the_system
from tests.reporting.intake.test_signatures import address, sized
from tests.web.browsing import PHONE, Site, hold
from tests.web.filling import fields_of, fill, summary, words

ME, OTHER = "technician", "other office"
KEY = "k" * 24


def path_to(world: World) -> str:
    with world.database.reading(HOME) as store:
        return f"/report/{HOME}/{the_system(store, 'SP-1').system_id}"


def reviewed(world: World, path: str, **changes: str) -> TestResponse:
    form = world.get(f"{path}?day=today&event_type=pumping&tank=septic", ME)
    given = {"gallons_pumped": "1000", "owner_name": "Laverne Lor", "work_description": "Pumped", **changes}
    return fill(world, form, path, ME, **given)


def phoned(world: World, path: str, key: str = KEY, **changes: Any) -> TestResponse:
    """A kept form as a phone sends it."""
    data = {**fields_of(reviewed(world, path)), "signature": "Lena O.", **changes, "step": "send", "once": key}
    headers = {"Idempotency-Key": key, "Accept": "application/json"}
    return world.call("POST", path, ME, data=data, headers=headers)


def test_a_signature_is_drawn_kept_as_it_came_and_shown_to_those_who_may_see_it(world: World) -> None:
    sign_in_everybody(world)
    path = path_to(world)
    review = reviewed(world, path)
    assert fields_of(review)["drawn"] == ""
    for data, told in ((sized(LARGEST + 1), "at most 40,000 bytes"), (b"GIF89a", "not a whole PNG")):
        wrong = fill(world, review, path, ME, step="send", drawn=address(data))
        assert (wrong.status_code, summary(wrong), told in wrong.text) == (422, {"signature"}, True)
        assert fields_of(wrong)["drawn"] == ""
    drawn = address(sized(LARGEST))
    sent = fill(world, review, path, ME, step="send", drawn=drawn, signature="Typed too")
    assert sent.status_code == 303
    done = world.get(sent.headers["Location"], ME)
    [report] = set(re.findall(r"/reports/ozaukee/(rep_\w+)", done.text))
    image = f'<img class="drawing" src="{drawn}"'
    for page, who in ((f"/reports/{HOME}/{report}", ME), (f"/desk/reports/{report}", "manager")):
        shown = world.get(page, who)
        assert image in shown.text, page
        assert shown.text.count(drawn) == 1
        assert len(shown.data) < 200_000
    assert world.get(f"/reports/{HOME}/{report}", OTHER).status_code == 404
    copy = world.get(f"/v1/{HOME}/reports/{report}/copy.txt", ME).text
    assert "drawn by hand (PNG image, 40,000 bytes, SHA-256 " in copy
    assert drawn in copy  # in what was sent, as received
    refused = world.post(f"/v1/{HOME}/reports", a_report(signature="data:text/html,<b>", report_ref="S-1"), ME)
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "signature")


def test_a_kept_form_is_taken_once_whenever_its_answer_arrives(world: World) -> None:
    sign_in_everybody(world)
    path = path_to(world)
    wrong = phoned(world, path, gallons_pumped="many", signature="")
    assert (wrong.status_code, [one["name"] for one in wrong.json["errors"]]) == (422, ["gallons_pumped", "signature"])
    doubted = phoned(world, path, gallons_pumped="30000")
    assert (doubted.status_code, doubted.json["errors"][0]["title"]) == (422, "Gallons pumped")
    assert "is a lot" in doubted.json["errors"][0]["message"]
    kept = {**fields_of(reviewed(world, path)), "signature": "Lena O.", "step": "send", "once": KEY}
    headers = {"Idempotency-Key": KEY, "Accept": "application/json"}
    first = world.call("POST", path, ME, data=kept, headers=headers)
    assert (first.status_code, first.json["sent"][:14]) == (200, f"/sent/{HOME}/"[:14])
    world.clock.now += timedelta(days=2)  # the day of signing is the form's, so that it is the same form still
    sign_in_everybody_again(world)
    again = world.call("POST", path, ME, data=kept, headers=headers)
    assert (again.status_code, again.json) == (200, first.json)
    other = world.call("POST", path, ME, data={**kept, "gallons_pumped": "900"}, headers=headers)
    assert (other.status_code, other.json["type"].endswith("key-reused")) == (409, True)
    assert world.get("/reports", ME).text.count("/reports/ozaukee/rep_") == 1
    report = world.get(f"/reports/{HOME}/{re.findall('rep_[0-9a-z]+', world.get('/reports', ME).text)[0]}", ME)
    assert "Monday, July 13, 2026" in words(report)


def sign_in_everybody_again(world: World) -> None:
    world.sessions.clear()
    sign_in_everybody(world)


def test_a_day_of_signing_that_cannot_be_is_today(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    path = path_to(world)
    for given, kept in (("2026-07-13", "13"), ("2026-07-14", "13"), ("2026-07-12", "13"), ("soon", "13")):
        page = fill(world, reviewed(world, path, signed_on=given), path, ME, step="check")
        assert fields_of(page)["signed_on"] == f"2026-07-{kept}", given
    early = {"day": "other", "service_date": "2026-07-11", "signed_on": "2026-07-12"}
    assert fields_of(reviewed(world, path, **early))["signed_on"] == "2026-07-12"


def test_what_is_typed_is_looked_at_at_once(world_on_sqlite: World) -> None:
    """By the checks that judge the report when it is in, and without storing or refusing anything."""
    world = world_on_sqlite
    sign_in_everybody(world)
    tank = {"permit_number": "SP-1", "component": "holding", "capacity_gallons": "2000", "meter_unit": "gal"}
    load(world.database, {**tank, "meter_digits": "6"}, county=HOME, now=world.clock())
    for day, reading in (("2026-06-01", "998000"), ("2026-07-01", "999500")):
        before = a_report(component="holding", meter_reading=reading, service_date=day, report_ref=reading)
        assert world.post(f"/v1/{HOME}/reports", before, ME).json["outcome"] == "accepted"
    path = path_to(world)
    form = world.get(f"{path}?day=today&event_type=pumping&tank=holding", ME)
    look = {
        reading: words(fill(world, form, path, ME, step="look", meter_reading=reading, gallons_pumped=gallons))
        for reading, gallons in (("999980", "3000"), ("500", "3001"), ("900000", ""), ("", "x"), ("many", ""))
    }
    assert "480 gallons since Wednesday, July 1, 2026, 40 a day; usual here are 50 a day" in look["999980"]
    assert "a lot" not in look["999980"]
    assert "1,000 gallons since" in look["500"]
    assert "passed its last digit" in look["500"]
    assert "3,001 is a lot, the tank on file holds 2,000" in look["500"]
    assert "900000 is lower than the last one on file, 999,500" in look["900000"]
    assert "gallons since" not in look["900000"]
    assert (look[""], look["many"]) == ("", "")
    assert world.get("/reports", ME).text.count("/reports/ozaukee/rep_") == 2  # nothing was stored
    told = {"meter_reading": "999980", "gallons_pumped": "900", "owner_name": "Laverne Lor", "work_description": "x"}
    form = world.get(f"{path}?day=other&service_date=2026-07-12&event_type=pumping&tank=holding", ME)
    kept = {**fields_of(fill(world, form, path, ME, **told)), "signature": "Lena O.", "step": "send", "once": KEY}
    sends = [world.call("POST", path, ME, data=kept, headers={"Idempotency-Key": KEY})]
    later = {"meter_reading": "999990", "service_date": "2026-07-13", "signed_on": "2026-07-13", "report_ref": "later"}
    assert world.post(f"/v1/{HOME}/reports", a_report(component="holding", **later), ME).json["outcome"] == "accepted"
    sends.append(world.call("POST", path, ME, data=kept, headers={"Idempotency-Key": KEY}))
    assert [one.status_code for one in sends] == [200, 200]  # what was right when it came is not doubted afterwards
    assert sends[0].json == sends[1].json


def test_no_page_weighs_more_than_a_slow_line_carries(world_on_sqlite: World) -> None:
    """With its scripts and style sheets, at most 200 kB; the reader of codes comes only when it is asked for."""
    world = world_on_sqlite
    sign_in_everybody(world)
    path = path_to(world)
    form = f"{path}?day=today&event_type=pumping&tank=septic"
    pages = {name: world.get(name, ME) for name in ("/work", "/waiting", "/report", path, form)}
    for name, page in {**pages, "review": reviewed(world, path)}.items():
        assets = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text))
        assert len(assets) >= 5, name
        whole = len(page.data) + sum(len(world.get(one, "").data) for one in assets)
        assert whole < 200_000, (name, whole)


@pytest.mark.needs_browser
def test_a_signature_is_drawn_on_a_phone_and_a_reading_is_doubted_while_it_is_typed(site: Site) -> None:
    world = site.world
    sign_in_everybody(world)
    tank = {"permit_number": "SP-1", "component": "holding", "capacity_gallons": "2000", "meter_unit": "gal"}
    load(world.database, tank, county=HOME, now=world.clock())
    before = a_report(component="holding", meter_reading="12000", service_date="2026-07-01", report_ref="M-1")
    assert world.post(f"/v1/{HOME}/reports", before, ME).json["outcome"] == "accepted"
    page = site.page(ME, size=PHONE, scheme="dark")
    page.goto(f"{path_to(world)}?day=today&event_type=pumping&tank=holding")
    page.fill("#f-meter_reading", "11000")
    expect(page.locator("#looked")).to_contain_text("11000 is lower than the last one on file, 12,000")
    page.fill("#f-gallons_pumped", "3001")
    expect(page.locator("#looked")).to_contain_text("3,001 is a lot")
    hold(page)
    page.fill("#f-gallons_pumped", "1500")
    page.fill("#f-meter_reading", "13500")
    expect(page.locator("#looked")).to_contain_text("1,500 gallons since Wednesday, July 1, 2026")
    page.fill("#f-owner_name", "Laverne Lor")
    page.fill("#f-work_description", "Pumped")
    page.get_by_role("button", name="Look it over").click()
    page.get_by_text("Draw your signature instead").click()
    canvas = page.get_by_role("img", name="Field for drawing")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + 20 + 25 * step, box["y"] + 20 + 40 * (step % 2))
    page.mouse.up()
    expect(page.get_by_text("Your drawing is the signature")).to_be_visible()
    hold(page)
    page.get_by_role("button", name="Sign and send").click()
    page.locator("dd a[href*='/reports/']").first.click()
    image = page.get_by_role("img", name="Signature, drawn by hand")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.complete && image.naturalWidth") == 600
    hold(page)
