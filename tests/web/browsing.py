"""A browser's way through the pages, and what every page must hold: no axe violation, no script error, no overflow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import World

PHONE: Final = {"width": 320, "height": 640}
DESK: Final = {"width": 1280, "height": 900}
RULES: Final = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}


@dataclass(kw_only=True)
class Site:
    """The served pages. `troubles`: what the browser's console complained of."""

    world: World
    browser: Browser
    url: str
    troubles: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    def page(self, who: str = "", *, scheme: str = "light", size: Any = None, script: bool = True) -> Page:
        """A fresh browser window in the name of a role of `tests.reporting.api.people`; `""`: nobody."""
        context = self.browser.new_context(
            base_url=self.url, color_scheme=scheme, viewport=size or PHONE, java_script_enabled=script  # type: ignore[arg-type]
        )  # fmt: skip
        self._contexts.append(context)
        if who:
            if not self.world.sessions:
                sign_in_everybody(self.world)
            context.add_cookies([{"name": "pumper", "value": self.world.sessions[who], "url": self.url}])
        page = context.new_page()
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind == "error" and "status of 4" not in text:  # a page that tells of an error has its status
            self.troubles.append(text)

    def close(self) -> None:
        """Close every window; what the console complained of fails the test."""
        for context in self._contexts:
            context.close()
        assert self.troubles == []


def violations(page: Page) -> list[str]:
    """What axe finds against WCAG 2.1 A and AA and good practice, each with the first place."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:120]}" for one in found]


def overflows(page: Page) -> bool:
    """Whether the page must be scrolled sideways (WCAG 2.1, 1.4.10)."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def hold(page: Page) -> None:
    """What every page and state must hold."""
    assert violations(page) == []
    assert not overflows(page)
    assert page.locator("h1").count() == 1
