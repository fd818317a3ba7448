"""What anybody may do on the pages: look a system up, follow the code on a letter, read what is asked."""

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from schemas.loader import shipped_slugs
from tests.reporting.api.world import AWAY, CANARY, HOME, World
from tests.reporting.counties import the_system
from tests.web.browsing import DESK, PHONE, Site, hold, overflows

HTML = {"Accept": "text/html"}


def system_of(world: World, permit: str = "SP-1", county: str = HOME) -> str:
    with world.database.reading(county) as store:
        return the_system(store, permit).system_id


def test_a_system_is_found_by_what_was_typed(world: World) -> None:
    for query in (f"county={HOME}&q=SP-1", "q=sp-1", f"county={HOME}&q=08-SP-1", "county=&q=+SP-1++"):
        found = world.get(f"/look-up?{query}", "").text
        assert "1 system" in found, query
        assert "Permit SP-1" in found
        assert "overdue" in found
        assert CANARY[HOME] not in found


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("", 200, "Look up a system"),
        (f"?county={HOME}&q=XX-404", 200, "Nothing found"),
        (f"?county={AWAY}&q=SP-1", 200, "Nothing found"),
        ("?county=nowhere&q=SP-1", 404, "That did not work"),
        (f"?county={HOME}&q={'x' * 200}", 200, "Nothing found"),
        (f"?county={HOME}&q={'x' * 201}", 422, "at most 200"),
        (f"?county={HOME}&q=%3Cscript%3Ealert(1)%3C/script%3E", 200, "&lt;script&gt;"),
    ],
)
def test_what_is_not_there_is_said(world: World, query: str, status: int, says: str) -> None:
    answer = world.get(f"/look-up{query}", "")
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert says in answer.text
    assert "<script>alert" not in answer.text


def test_the_code_on_a_letter_leads_to_the_system(world: World) -> None:
    """The same standing, dates and sections as the public answer over HTTP, and no name."""
    system = system_of(world)
    page = world.get(f"/s/{system}", "").text
    told = world.get(f"/v1/{HOME}/status?permit=SP-1", "").json
    assert told["standing"] in page
    for duty in told["obligations"]:
        assert f"Rule {duty['rule']}, {duty['cite']}" in page
    assert CANARY[HOME] not in page
    assert "County Road K" not in page
    assert world.get("/s/sys_none", "").status_code == 404
    assert "Permit PT-1" in world.get(f"/s/{system_of(world, 'PT-1', AWAY)}", "").text


def test_what_is_asked_has_every_rule_with_its_section(world: World) -> None:
    assert all(f"/what-is-asked/{slug}" in world.get("/what-is-asked", "").text for slug in shipped_slugs())
    page = world.get(f"/what-is-asked/{HOME}", "").text
    for cite in ("9.029(2)(a)1", "9.023(2)(b)", "SPS 383.55(2)(b)"):
        assert cite in page
    assert world.get("/what-is-asked/nowhere", "").status_code == 404


def test_files_of_pages_are_kept_by_the_browser_and_others_are_not_there(world: World) -> None:
    page = world.get("/", "").text
    names = re.findall(r'(?:href|src)="(/assets/[^"]+)"', page)
    assert len(names) >= 2
    for name in names:
        answer = world.get(name, "")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "public, max-age=31536000, immutable")
    sheet = world.get(next(name for name in names if name.endswith("uswds.css")), "").text
    pictures = {f"/assets/x/{url}" for url in re.findall(r"url\(\"?(img/[^\")]+)", sheet)}
    assert pictures
    assert {world.get(url, "").status_code for url in pictures} == {200}
    for wrong in ("/assets/x/nothing.css", "/assets/x/../app.py", "/assets/x/%2e%2e/pages.py"):
        assert world.get(wrong, "").status_code == 404
    whole = len(page) + sum(len(world.get(name, "").data) for name in names)
    assert whole < 200_000


def test_an_error_of_the_framework_is_a_page_for_a_browser_and_a_problem_for_a_program(world: World) -> None:
    page, told = (world.get("/nowhere", "", headers=headers) for headers in (HTML, {}))
    assert (page.status_code, page.mimetype, told.mimetype) == (404, "text/html", "application/problem+json")


PAGES: Mapping[str, str] = {
    "look-up": "/look-up",
    "found": f"/look-up?county={HOME}&q=SP-1",
    "nothing": f"/look-up?county={HOME}&q=nothing",
    "asked": f"/what-is-asked/{HOME}",
    "sign-in": "/signin",
    "problem": "/s/sys_none",
}


@pytest.mark.needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_public_pages_hold_for_everybody(site: Site, scheme: str) -> None:
    """On a phone of 320 px and at a desk, in light and in dark: axe finds nothing, nothing is cut off."""
    pages = {**PAGES, "system": f"/s/{system_of(site.world)}"}
    for size in (PHONE, DESK):
        page = site.page(scheme=scheme, size=size)
        for path in pages.values():
            page.goto(path)
            hold(page)


@pytest.mark.needs_browser
def test_a_letters_code_to_the_standing_by_keyboard_alone_and_large(site: Site) -> None:
    page = site.page(size=PHONE)
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.locator("#q").focus()
    page.keyboard.type("SP-1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="1 system")).to_be_visible()
    page.get_by_role("link", name="Permit SP-1").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Permit SP-1")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert not overflows(page)


@pytest.mark.needs_browser
def test_the_search_needs_no_script(site: Site) -> None:
    page = site.page(script=False, size=DESK)
    page.goto("/")
    page.fill("#q", "SP-1")
    page.get_by_role("button", name="Look up").click()
    assert "Permit SP-1" in page.content()
