"""The main jobs with a keyboard and nothing else: a hauler from the mail's link to the receipt, a report placed."""

import pytest
from playwright.sync_api import Locator, Page, expect

from reporting.store.signin import create_signin_token
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.test_reviews import queue, standing
from tests.web.browsing import DESK, PHONE, Site

MOST = 90
"""So many times somebody presses Tab at most to come to what is wanted."""


def tab_to(page: Page, wanted: Locator) -> None:
    """Tab on until it has the focus; it is on the page, once."""
    expect(wanted).to_have_count(1)
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{wanted} is not reached by Tab")


def press(page: Page, role: str, name: str) -> None:
    tab_to(page, page.get_by_role(role, name=name, exact=True))  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def write(page: Page, field: str, text: str) -> None:
    tab_to(page, page.locator(field))
    page.keyboard.type(text)


@pytest.mark.needs_browser
def test_a_report_from_the_link_of_a_mail_to_its_receipt(site: Site) -> None:
    world = site.world
    sign_in_everybody(world)
    with world.database.transaction(None) as store:
        secret = create_signin_token(store, world.ids["technician"], world.clock())
    page = site.page(size=PHONE)
    page.goto(f"/signin/link/{secret}")
    press(page, "button", "Sign in")
    page.wait_for_url("**/work")
    press(page, "link", "Report")
    page.wait_for_url("**/report")
    write(page, "#q", "SP-1")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=SP-1**")
    tab_to(page, page.locator("main a[href^='/report/ozaukee/sys_']"))
    page.keyboard.press("Enter")
    press(page, "button", "Go on")
    for name, text in (("gallons_pumped", "1000"), ("owner_name", "Laverne Lor"), ("work_description", "Pumped")):
        write(page, f"#f-{name}", text)
    press(page, "button", "Look it over before signing")
    write(page, "#f-signature", "Lena Oestreich")
    press(page, "button", "Sign and send")
    expect(page.get_by_text("The report is kept")).to_be_visible()
    expect(page.locator("main")).to_contain_text("ozaukee:")  # the receipt's number
    assert standing(world, "SP-1") == "compliant"


@pytest.mark.needs_browser
def test_a_report_is_placed_from_the_desk_with_one_key(site: Site) -> None:
    world = site.world
    sign_in_everybody(world)
    queue(world, permit_number="SP1X", site_address="N257 County Road K")
    page = site.page("reviewer", size=DESK)
    page.goto("/desk")
    press(page, "link", "Reviews")
    page.wait_for_url("**/desk/reviews")
    tab_to(page, page.locator("main a[href^='/desk/reviews/rev_']").first)
    page.keyboard.press("Enter")
    page.wait_for_url("**/desk/reviews/rev_*")
    page.wait_for_timeout(700)  # a key that was struck for the page before decides nothing
    page.keyboard.press("1")
    page.wait_for_url("**/desk/reviews?done=placed")
    assert standing(world, "SP-1") == "compliant"
