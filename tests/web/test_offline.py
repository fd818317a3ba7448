"""A phone without a signal: what it keeps, what it sends and how often, and what it forgets; in a real browser."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Error, Page, expect

from reporting.store.persons import Place
from reporting.store.sessions import Method, start_session
from reporting.sweep import sweep
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import HOME, World
from tests.reporting.counties import TODAY, the_system
from tests.web.browsing import PHONE, Site, hold

ME, OTHER = "technician", "other office"
pytestmark = pytest.mark.needs_browser


READY = """async () => {
  const wanted = 2 + JSON.parse(document.getElementById("forms").dataset.forms).length;
  const held = async () => (await (await caches.open("pages")).keys()).length;
  while (!navigator.serviceWorker.controller || (await held()) < wanted) await new Promise((r) => setTimeout(r, 50));
}"""


HELD = """async () => {
  const base = await new Promise((done) => { indexedDB.open("reports").onsuccess = (e) => done(e.target.result); });
  const asked = base.transaction("reports").objectStore("reports").count();
  await new Promise((done) => { asked.onsuccess = done; });
  return [(await (await caches.open("pages")).keys()).length, asked.result];
}"""
"""How many pages and how many reports a phone holds."""


class Line:
    """The line between the phone and the service: `cut` loses what is sent, `deaf` what is answered to a form."""

    def __init__(self, world: World) -> None:
        self.inner = world.app.wsgi_app
        self.cut = self.deaf = False
        self.lost = 0
        world.app.wsgi_app = self  # type: ignore[method-assign]

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if self.cut:
            hang_up(environ)
        answer = self.inner(environ, start_response)
        if self.deaf and environ["REQUEST_METHOD"] == "POST":
            self.lost += 1
            hang_up(environ)
        return answer


def hang_up(environ: dict[str, Any]) -> None:
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    raise ConnectionResetError


def system_of(world: World, permit: str = "SP-1") -> str:
    with world.database.reading(HOME) as store:
        return the_system(store, permit).system_id


def phone(site: Site, who: str = ME) -> Page:
    """A phone on which today's list was opened once, with a signal."""
    page = site.page(who, size=PHONE)
    page.goto("/work")
    page.evaluate(READY)
    return page


def fill_in(page: Page, gallons: str = "1000") -> None:
    """A form filled in and sent on its way."""
    fill_to_check(page, gallons)
    page.get_by_role("button", name="Look it over").click()


def fill_to_check(page: Page, gallons: str) -> None:
    """From today's list to the form of its first system, or where one is open already."""
    if page.url.endswith("/work"):
        page.get_by_role("link", name="Report a service at").first.click()
    page.check("#day-other")
    page.fill("#service_date", "2026-07-12")
    page.get_by_role("button", name="Go on").click()
    for name, text in (("gallons_pumped", gallons), ("owner_name", "Laverne Lor"), ("work_description", "Pumped")):
        page.fill(f"#f-{name}", text)


def sign(page: Page, name: str = "Lena Oestreich") -> None:
    """By the keyboard alone: the name, past the offer to draw, and the button."""
    page.get_by_label("Your name, as your signature").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def reports_of(world: World) -> list[dict[str, Any]]:
    """The reports in the store as their business reads them, ."""
    ids = sorted(set(re.findall(r"/reports/ozaukee/(rep_\w+)", world.get("/reports", ME).text)))
    return [world.get(f"/v1/{HOME}/reports/{one}", ME).json for one in ids]


def without_signal(site: Site) -> None:
    """What the console says of calls that found no signal is no trouble; whatever else it says is."""
    site.troubles[:] = [text for text in site.troubles if "Failed to load resource: net::ERR_" not in text]


@pytest.fixture
def ready(site: Site) -> Site:
    sign_in_everybody(site.world)
    sweep(site.world.database, HOME, TODAY, site.world.clock())
    return site


def test_reports_without_a_signal_are_kept_and_each_is_sent_once(ready: Site) -> None:
    world, page = ready.world, phone(ready)
    page.context.set_offline(True)
    page.clock.set_fixed_time("2026-07-13T15:00:00Z")
    page.goto("/work")
    hold(page)
    expect(page.locator("#kept-note")).to_contain_text("No signal")
    page.goto("/report")  # never opened with a signal
    expect(page.locator("#kept-told")).to_contain_text("that page is not on the phone")
    hold(page)
    page.goto("/work")
    fill_in(page)
    expect(page.locator("#kept-told")).to_contain_text("kept on this phone")
    expect(page.get_by_role("cell", name="Sunday, July 12, 2026")).to_be_visible()
    hold(page)
    page.get_by_role("button", name="Sign and keep").click()
    expect(page.get_by_text("Type your name or draw your signature.")).to_be_visible()
    sign(page)
    expect(page.locator("#waits")).to_have_text("1 report waits for a signal")
    expect(page.locator(".card")).to_contain_text("Waits for a signal")
    hold(page)
    page.goto("/work")
    expect(page.locator("#waits")).to_have_text("1 report waits for a signal")
    fill_in(page, "900")  # from the same kept form
    sign(page)
    expect(page.locator("#waits")).to_have_text("2 reports wait for a signal")
    assert reports_of(world) == []
    page.context.set_offline(False)
    expect(page.locator(".card", has_text="What became of it")).to_have_count(2)
    hold(page)
    expect(page.locator("#waits")).to_be_hidden()
    page.goto("/waiting")
    page.evaluate("kept.send()")
    told = reports_of(world)
    assert {one["content"]["gallons_pumped"] for one in told} == {1000, 900}
    assert len(told) == 2
    assert {(one["content"]["signature"], one["content"]["signed_on"]) for one in told} == {
        ("Lena Oestreich", "2026-07-13")
    }
    without_signal(ready)


def test_a_lost_answer_makes_no_second_report_and_a_refused_one_is_mended(ready: Site) -> None:
    world, page, line = ready.world, phone(ready), Line(ready.world)
    fill_in(page)
    line.deaf = True
    sign(page)
    expect(page.locator("#kept-told")).to_contain_text("There is no signal")
    [first] = reports_of(world)
    assert line.lost >= 1
    hold(page)
    line.deaf = False
    page.get_by_role("button", name="Send now").click()
    expect(page.locator(".card")).to_contain_text("What became of it")
    assert reports_of(world) == [first]
    page.goto(f"/report/{HOME}/{system_of(world)}")
    line.cut = True
    fill_in(page, "many")
    page.clock.set_fixed_time("2026-07-13T15:00:00Z")
    sign(page)
    expect(page.locator("#waits")).to_have_text("1 report waits for a signal")
    line.cut = False
    page.get_by_role("button", name="Send now").click()
    card = page.locator(".card", has_text="Not taken")
    expect(card).to_contain_text("Gallons pumped: Give gallons as a whole number")
    expect(page.locator("#waits")).to_have_text("1 report needs you")
    hold(page)
    page.reload()
    card.get_by_role("button", name="Mend it").click()
    page.fill("#f-gallons_pumped", "800")
    page.get_by_role("button", name="Look it over").click()
    sign(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("The report is kept")
    expect(page.locator("#waits")).to_be_hidden()
    assert sorted(one["content"]["gallons_pumped"] for one in reports_of(world)) == [800, 1000]
    line.cut = True
    page.goto(f"/report/{HOME}/{system_of(world)}")
    expect(page.locator("#kept-note")).to_be_visible()
    line.cut = False
    with world.database.transaction(None) as store:  # a kept page of an ended session, sent in a new one
        place, now = Place(contractor_id="con_mine"), world.clock()
        token = start_session(store, world.ids[ME], place, Method.PASSWORD, now)[1]
    page.context.set_offline(True)
    fill_to_check(page, "600")
    page.context.set_offline(False)
    page.context.add_cookies([{"name": "pumper", "url": ready.url, "value": token}])
    page.get_by_role("button", name="Look it over").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Look it over and sign")
    without_signal(ready)


def test_what_is_kept_is_of_one_person_and_gone_when_that_one_signs_out(ready: Site) -> None:
    world, page = ready.world, phone(ready)
    cookie = {"name": "pumper", "url": ready.url}
    fill_in(page)
    page.context.clear_cookies()
    sign(page)
    expect(page.locator("#kept-told")).to_contain_text("You are signed out. Nothing is lost")
    expect(page.locator("#waits")).to_have_text("1 report waits until you sign in again")
    hold(page)
    page.context.add_cookies([{**cookie, "value": world.sessions[OTHER]}])
    page.goto("/waiting")
    expect(page.locator("#kept-others")).to_contain_text("1 unsent report of somebody else is on this phone")
    assert "Laverne" not in page.content()
    hold(page)
    page.evaluate("kept.send()")
    assert reports_of(world) == []
    page.context.set_offline(True)
    page.goto("/work")
    expect(page.get_by_role("heading", level=1)).to_have_text("Reports on this phone")  # not the list of the first
    page.context.set_offline(False)
    page.context.add_cookies([{**cookie, "value": world.sessions[ME]}])
    page.goto("/waiting")
    expect(page.locator(".card")).to_contain_text("What became of it")
    assert len(reports_of(world)) == 1
    page.goto("/work")
    page.evaluate(READY)
    page.context.add_cookies([{**cookie, "value": world.sessions["manager"]}])
    page.goto("/desk")
    assert page.evaluate(HELD)[0] == 0
    page.context.add_cookies([{**cookie, "value": world.sessions[ME]}])
    page.goto("/work")
    page.evaluate(READY)
    page.context.set_offline(True)
    page.goto(f"/report/{HOME}")
    fill_in(page, "700")
    page.context.set_offline(False)
    page.get_by_role("button", name="Sign out").first.click()
    expect(page.get_by_role("heading", name="Sign out all the same?")).to_be_visible()
    hold(page)
    page.get_by_role("button", name="Delete them and sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Signed out")
    page.goto("/look-up")
    assert page.evaluate(HELD) == [0, 0]
    page.context.set_offline(True)
    with pytest.raises(Error, match="ERR_FAILED"):
        page.goto("/work")
    without_signal(ready)
