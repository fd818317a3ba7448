"""A page looked at in Chromium as the law wants it to be usable: axe, 320 px, text of twice the size, the keyboard."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Error, Page, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.services.availability import ServiceUnavailable
from tests.web.browsing import DESK, PHONE, RULES

SCRIPT: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
HEAVIEST: Final = 200_000
"""Bytes that a page may have in all, without the drawing of maps and the reading of codes."""
COLOURS: Final = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
AXE: Final = """(options) => axe.run(options).then((found) => found.violations.map(
  (one) => `${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 120)}`))"""
Troubles = list[str]
T = TypeVar("T")


def beside(work: Callable[[], T]) -> T:
    """Do it in a thread of its own: one thread drives one Playwright, and the caller's may have one already."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser. Raises ServiceUnavailable where there is none."""
    path = shutil.which("chromium")
    if path is None:
        raise ServiceUnavailable("Chromium is not installed")
    with sync_playwright() as started:
        try:
            found = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error as error:
            raise ServiceUnavailable(f"Chromium does not start: {error}") from error
        try:
            yield found
        finally:
            found.close()


class _Quiet(WSGIRequestHandler):
    def log_request(self, *words: Any) -> None:
        """Nothing: the runner prints lines of its own."""


@contextmanager
def served(app: Callable[..., Any]) -> Iterator[str]:
    """The application on a port of loopback."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ask(page: Page, name: str) -> Any:
    """One of the questions of looking.js."""
    if not page.evaluate("'looking' in window"):
        page.evaluate(SCRIPT)
    return page.evaluate(f"looking.{name}()")


def axe(page: Page, rules: Mapping[str, Any] = RULES) -> Troubles:
    """WCAG 2.1 A and AA and good practice, as axe finds them; of its report, which is long, only the violations."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return [f"axe: {text}" for text in page.evaluate(AXE, {**rules, "resultTypes": ["violations"]})]


def narrow(page: Page) -> Troubles:
    """At 320 px nothing must be scrolled sideways (WCAG 2.1, 1.4.10)."""
    page.set_viewport_size(PHONE)
    return [f"at 320 px {text}" for text in ask(page, "sideways")]


def dark(page: Page) -> Troubles:
    """The colours that axe judges, once more in the dark; all else is as in the light."""
    page.emulate_media(color_scheme="dark")
    try:
        return [f"in the dark {text}" for text in axe(page, COLOURS)]
    finally:
        page.emulate_media(color_scheme="light")


def large(page: Page) -> Troubles:
    """Text of twice the size in a window of 1280 px (WCAG 2.1, 1.4.4): nothing is cut off or lies on another thing.

    The text alone grows and the window does not, which is harder than a browser's zoom.
    """
    page.set_viewport_size(DESK)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    try:
        return [f"at 200 % {text}" for text in [*ask(page, "sideways"), *ask(page, "cut")]]
    finally:
        page.evaluate("document.documentElement.style.fontSize = ''")


def keyboard(page: Page) -> Troubles:
    """Tab leads past the navigation first, then to every control in the page's order, is seen where it is, gets out."""
    page.set_viewport_size(DESK)
    for _ in range(ask(page, "start")):
        page.keyboard.press("Tab")
    told = ask(page, "finish")
    return [f"by keyboard {text}" for text in told["troubles"]]


def light_enough(page: Page) -> Troubles:
    """What it weighs with all that it loads."""
    weight, most = ask(page, "weight"), HEAVIEST
    return [f"weighs {weight:,} bytes"] if weight >= most else []


CHECKS: Final[dict[str, Callable[[Page], Troubles]]] = {
    "320 px": narrow,
    "axe, light": axe,
    "axe, dark": dark,
    "text at 200 %": large,
    "keyboard": keyboard,
    "weight": light_enough,
}
"""In the order in which they are made; the keyboard's marks stay, so that it comes late."""
