"""Pictures of the main pages on the demonstration's data, and their index, under docs/screens.

python docs/screens.py            make them anew (with Chromium)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from docs.demonstration import (  # noqa: E402
    CLERK,
    COUNTY,
    HAULER,
    LICENSE,
    OWNER,
    PERMIT,
    Demonstration,
    demonstration,
)
from tests.promises.looking import chromium, served  # noqa: E402

FOLDER: Final = Path(__file__).resolve().parent / "screens"
LARGEST: Final = 130_000
"""Bytes of one picture."""
PHONE: Final = {"width": 390, "height": 844}
DESK: Final = {"width": 1280, "height": 900}
DOUBTED: Final = {
    "report_ref": "T-20777", "permit_number": "SP-1978", "component": "septic", "event_type": "pumping",
    "service_date": "2026-07-09", "signed_on": "2026-07-09", "gallons_pumped": 1000, "tank_condition": "good",
    "ponding": "none", "work_description": "Pumped, checked baffles and lid", "disposal_site": "Saukville plant",
    "business_name": "Kettle Moraine Septic LLC", "business_address": "N4820 County Road I, Saukville, WI 53080",
    "technician_name": "Lena Oestreich", "license_number": LICENSE, "credential_kind": "septage_operator",
    "owner_name": "Laverne Lor", "site_address": "N5555 County Rd K", "parcel_number": "08-058-02-001.00",
    "signature": "Lena Oestreich",
}  # fmt: skip
"""A report whose permit has two figures the wrong way round, so that the county places it."""


@dataclass(frozen=True, kw_only=True)
class Screen:
    """One picture: its file, the page with `{system}` and `{review}` in it, who looks, what to look at."""

    name: str
    path: str
    who: str
    look: str
    dark: bool = False
    prepare: Callable[[Page], None] | None = None

    @property
    def size(self) -> Any:
        """A phone for haulers, owners and anybody, a desk for the county."""
        return DESK if self.who == CLERK else PHONE


def keep_a_report(page: Page) -> None:
    """A report signed while the phone has no signal: it waits on the phone."""
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    look_over(page)
    page.context.set_offline(True)
    page.fill("#f-signature", "Lena Oestreich")
    page.get_by_role("button", name="Sign and send").click()
    page.locator("#waits:not([hidden])").wait_for()


def look_over(page: Page) -> None:
    """Filled in and looked over: what is about to be signed."""
    for name, text in (("gallons_pumped", "1000"), ("owner_name", "Laverne Lor"), ("work_description", "Pumped")):
        page.fill(f"#f-{name}", text)
    page.get_by_role("button", name="Look it over").click()
    page.get_by_role("button", name="Sign and send").wait_for()


def down_to_candidates(page: Page) -> None:
    """The report and the first candidates in one view."""
    page.evaluate("scrollTo(0, document.querySelector('h1').offsetTop + 120)")


_FORM: Final = f"/report/{COUNTY}/{{system}}?day=today&event_type=pumping&tank=septic"
SCREENS: Final = (
    Screen(
        name="hauler-work",
        path="/work",
        who=HAULER,
        look="What is due at the business's systems, the soonest first, each with its rule and the way to report.",
    ),
    Screen(
        name="hauler-work-dark",
        path="/work",
        who=HAULER,
        dark=True,
        look="The same in dark colours, as the phone is set.",
    ),
    Screen(
        name="hauler-report",
        path=_FORM,
        who=HAULER,
        look="Only the fields that this county's ordinance asks for this tank and service; what is known is filled in.",
    ),
    Screen(
        name="hauler-sign",
        path=_FORM,
        who=HAULER,
        prepare=look_over,
        look="The report as it will be kept, and what is certified by signing it.",
    ),
    Screen(
        name="hauler-waiting",
        path=_FORM,
        who=HAULER,
        prepare=keep_a_report,
        look="A report signed without a signal waits on the phone and is sent when there is one.",
    ),
    Screen(
        name="owner-system",
        path="/my-system",
        who=OWNER,
        look="The owner's own system: how it stands, what is due and why, what was reported.",
    ),
    Screen(
        name="public-system",
        path="/s/{system}",
        who="",
        look="What the code on a letter shows everybody: standing and dates, no names.",
    ),
    Screen(
        name="desk",
        path="/desk",
        who=CLERK,
        look="What waits for the county: reviews, overdue systems, cases, letters, mails that failed.",
    ),
    Screen(
        name="desk-review",
        path="/desk/reviews/{review}",
        who=CLERK,
        prepare=down_to_candidates,
        look="A report that fits no system for certain beside its candidates; a number key places it.",
    ),
    Screen(
        name="desk-systems",
        path="/desk/systems",
        who=CLERK,
        look="All systems with how they stand; filters, saved views, files.",
    ),
    Screen(
        name="desk-system",
        path="/desk/systems/{system}",
        who=CLERK,
        look="One system: duties with their rules, history, papers, and how it stood on any day.",
    ),
    Screen(
        name="desk-map",
        path="/desk/map",
        who=CLERK,
        look="The list's systems by place, with shapes as well as colours; no tiles are fetched from anywhere.",
    ),
    Screen(
        name="desk-figures",
        path="/desk/figures",
        who=CLERK,
        dark=True,
        look="The county's figures, each chart with its table, in dark colours.",
    ),
)


def main() -> int:
    """Make the pictures and their index; exit 1 where one is too large."""
    FOLDER.mkdir(exist_ok=True)
    large = 0
    with demonstration() as found, served(found.app) as url, chromium() as browser:
        ids = named(found)
        for screen in SCREENS:
            data = picture(found, browser, url, screen, ids)
            (FOLDER / f"{screen.name}.png").write_bytes(data)
            print(f"{screen.name}.png  {len(data):,} bytes")
            large += len(data) > LARGEST
    (FOLDER / "README.md").write_text(index(), encoding="utf-8")
    return 1 if large else 0


def named(found: Demonstration) -> dict[str, str]:
    """What the addresses name; the county names the hauler's business for the system, and a doubted report comes."""
    business = {"permit_number": PERMIT, "license_number": LICENSE}
    told = found.call("POST", f"/v1/{COUNTY}/designations", CLERK, json=business)
    assert told.status_code < 300, told.text
    sent = found.call("POST", f"/v1/{COUNTY}/reports", HAULER, json=DOUBTED)
    assert "queued_for_review" in sent.text, sent.text
    queue = found.call("GET", "/desk/reviews", CLERK).text
    reviews = re.findall(r"/desk/reviews/(rev_\w+)", queue)
    doubted = next(one for one in reviews if "SP-1978" in found.call("GET", f"/desk/reviews/{one}", CLERK).text)
    return {"system": found.system, "review": doubted}


def picture(found: Demonstration, browser: Browser, url: str, screen: Screen, ids: dict[str, str]) -> bytes:
    """One page as its reader sees it first."""
    context = browser.new_context(
        base_url=url, viewport=screen.size, color_scheme="dark" if screen.dark else "light", reduced_motion="reduce"
    )
    try:
        if screen.who:
            context.add_cookies([{"name": "pumper", "value": found.sessions[screen.who], "url": url}])
        page = context.new_page()
        page.goto(screen.path.format(**ids))
        page.wait_for_load_state("networkidle")
        if screen.prepare:
            screen.prepare(page)
        return page.screenshot()
    finally:
        context.close()


def index() -> str:
    """docs/screens/README.md: each picture with its page, who sees it and what to look at."""
    lines = [
        "# The main pages",
        "",
        "Made by `make screens` from the demonstration's invented data, on its fixed day.",
        "",
    ]
    who = {HAULER: "a hauler, on a phone", OWNER: "an owner, on a phone", CLERK: "the county's staff", "": "anybody"}
    for screen in SCREENS:
        page = screen.path.partition("?")[0].replace("{system}", "…").replace("{review}", "…")
        lines += [
            f"## `{page}`",
            "",
            f"Seen by {who[screen.who]}. {screen.look}",
            "",
            f"![{screen.name}]({screen.name}.png)",
            "",
        ]
    lines += ["Letters on paper lie in [letters](letters).", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
