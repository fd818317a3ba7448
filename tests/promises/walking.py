"""A way through all pages in a browser, in the name of everybody who may see them."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, Page
from werkzeug.test import TestResponse

from reporting.api.cookies import CSRF_FIELD, csrf_token
from tests.promises.looking import CHECKS, ask
from tests.promises.sights import Sight
from tests.reporting.api.world import World
from tests.web.browsing import PHONE

HTML: Final = {"Accept": "text/html"}
REFUSED: Final = frozenset({401, 403, 404})
SEND: Final = """([path, data]) => {
  const form = Object.assign(document.createElement("form"), { method: "post", action: path });
  for (const [name, value] of Object.entries(data)) {
    const input = document.createElement("input");
    form.append(input);
    if (!name.startsWith("@")) { Object.assign(input, { type: "hidden", name, value }); continue; }
    const files = new DataTransfer();
    files.items.add(new File([value], "sent.csv", { type: "text/csv" }));
    form.enctype = "multipart/form-data";
    Object.assign(input, { type: "file", name: name.slice(1), files: files.files });
  }
  document.body.append(form);
  HTMLFormElement.prototype.submit.call(form);
}"""
"""A form of our own making, which no browser's own checks hold back. A name with @ is a file's, its value the text."""
_VARYING: Final = re.compile(r'<input type="hidden"[^>]*>|data-whose="[^"]*"')


def _refusals(sight: Sight) -> frozenset[int]:
    """What says that the page is not for who asked: whoever may send a form about what is not there is told so, and
    ways in refuse anybody who brings nothing.
    """
    if sight.data is None:
        return REFUSED
    return REFUSED - {404} if sight.endpoint.startswith("web.") else frozenset()


@dataclass
class Walk:
    """A way through the pages. checks: names of `CHECKS`. each_role: all who may see a page, or the first alone."""

    world: World
    browser: Browser
    url: str
    checks: Sequence[str] = tuple(CHECKS)
    each_role: bool = True
    counted: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    heaviest: tuple[int, str] = (0, "")
    _pages: dict[str, Page] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)

    def go(self, sight: Sight) -> None:
        """Look at a page as everybody who may see it; one that nobody sees is a failure."""
        seen = False
        for who in sight.who:
            if seen and not self.each_role:
                break
            answer = self._asked(sight, who)
            if answer.mimetype != "text/html" or 300 <= answer.status_code < 400:
                seen |= answer.status_code == 303 and sight.data is not None  # the form is done: another page follows
                continue
            seen |= answer.status_code not in _refusals(sight)
            self._once(sight, who, answer)
        if not seen:
            self.failures.append(f"{sight} is seen by nobody")

    def _asked(self, sight: Sight, who: str) -> TestResponse:
        if sight.data is None:
            return self.world.get(sight.path, who, headers=HTML)
        files = any(name.startswith("@") for name in sight.data)
        data: dict[str, Any] = {
            name.lstrip("@"): (io.BytesIO(value.encode()), "sent.csv") if name.startswith("@") else value
            for name, value in sight.data.items()
        }
        kind = "multipart/form-data" if files else "application/x-www-form-urlencoded"
        return self.world.call("POST", sight.path, who, data=data, headers=HTML, content_type=kind)

    def _once(self, sight: Sight, who: str, answer: TestResponse) -> None:
        """Look at it, unless it was seen as it is; a refusal looks the same under every address."""
        self.counted["pages asked for"] += 1
        mark = hashlib.sha256(_VARYING.sub("", answer.text).encode()).hexdigest()
        if not self.each_role and answer.status_code in REFUSED:
            mark = str(answer.status_code)
        if mark in self._known:
            return
        self._known.add(mark)
        page = self._page(who)
        status = self._open(page, sight, who)
        what = f"{sight} for {who or 'anybody'}, {answer.status_code}:"
        if status != answer.status_code:
            self.failures.append(f"{what} the browser was answered {status}")
        self.look(page, what)

    def look(self, page: Page, what: str) -> None:
        """All checks on what the browser shows."""
        self.counted["looked at"] += 1
        for name in self.checks:
            self.counted[name] += 1
            self.failures += [f"{what} {trouble}" for trouble in CHECKS[name](page)]
        self.heaviest = max(self.heaviest, (ask(page, "weight"), what))

    def _open(self, page: Page, sight: Sight, who: str) -> int:
        page.set_viewport_size(PHONE)
        if sight.data is None:
            answer = page.goto(self.url + sight.path)
        else:
            token = self.world.sessions.get(who)
            page.goto(f"{self.url}/signin")
            with page.expect_navigation() as coming:
                page.evaluate(SEND, [sight.path, {**sight.data, **({CSRF_FIELD: csrf_token(token)} if token else {})}])
            answer = coming.value
        return answer.status if answer else 0

    def _page(self, who: str) -> Page:
        if who not in self._pages:
            context = self.browser.new_context(viewport=PHONE, color_scheme="light")
            if who:
                context.add_cookies([{"name": "pumper", "value": self.world.sessions[who], "url": self.url}])
            page = context.new_page()
            page.on("pageerror", lambda error: self.failures.append(f"{page.url}: script error: {error}"))
            self._pages[who] = page
        return self._pages[who]
