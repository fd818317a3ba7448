"""A page's form filled in as a browser without script does: what stands in its fields, and what a person changes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from werkzeug.test import TestResponse

from tests.reporting.api.world import World


class Fields(HTMLParser):
    """The successful controls of all forms of a page (HTML, "constructing the entry list") but sign-out's."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._select = self._area = ""
        self._form = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._form = given.get("action") != "/signout"
        name, value = given.get("name") or "", given.get("value") or ""
        if not self._form:
            return
        if tag == "select":
            self._select = name
            self.values[name] = ""
        elif tag == "option" and "selected" in given:
            self.values[self._select] = value
        elif tag == "textarea":
            self._area = name
            self.values[name] = ""
        elif tag == "input" and name:
            picked = given.get("type") not in ("radio", "checkbox", "file") or "checked" in given
            if picked:
                self.values[name] = value

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""
        if tag == "form":
            self._form = False


def fields_of(page: TestResponse) -> dict[str, str]:
    """What stands in a page's forms."""
    return Fields(page.text).values


def fill(world: World, page: TestResponse, path: str, who: str, **changes: Any) -> TestResponse:
    """Send a page's form to its address with some fields changed; a text, or a file as (bytes, name)."""
    data = {**fields_of(page), **changes}
    return world.call("POST", path, who, data=data)


def words(page: TestResponse) -> str:
    """What a page says, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.text).replace("&#39;", "'").split())


def summary(page: TestResponse) -> set[str]:
    """The fields that the top of a page leads to; each is on the page."""
    found = set(re.findall(r'<li><a href="#f-(\w+)">', page.text))
    assert all(f'id="f-{name}"' in page.text for name in found), found
    return found
