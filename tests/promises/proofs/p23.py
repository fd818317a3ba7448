"""P23: pages usable by everyone. Every page of the map of addresses × every role that may see it × its states, seen
in Chromium: axe in light and dark (WCAG 2.1 A and AA, good practice), 320 px wide, text of twice the size at 1280 px,
the keyboard alone, and at most 200 kB in all.

A page that shows what one before it did is not looked at twice. In small each page is looked at once, in light at
320 px, and without what its forms lead to. What is proved lies before the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from werkzeug.wrappers import Response

from tests.promises.looking import CHECKS, beside, chromium, served
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.promises.sights import sights
from tests.promises.sights_world import grounds
from tests.promises.walking import Walk
from tests.reporting.api.world import serve_world

SMALL: Final = ("320 px", "axe, light", "weight")
TOLD: Final = 40


def run(arena: Arena, size: Size) -> Outcome:
    """The promise."""
    return beside(lambda: _run(arena, size))


def _run(arena: Arena, size: Size) -> Outcome:
    full = size is Size.FULL
    with grounds(arena) as found, served(found.world.app) as url, chromium() as browser:
        table = sights(found)
        walk = Walk(
            world=found.world, browser=browser, url=url, checks=tuple(CHECKS) if full else SMALL, each_role=full
        )
        for sight in table.all:
            if full or sight.plain:
                walk.go(sight)
    weight, _page = walk.heaviest
    pages = {sight.endpoint for sight in table.all}
    figures = {"pages": len(pages), "states": len(table.all), **walk.counted, "heaviest, kB": round(weight / 1000)}
    failures = (*table.lacking, *walk.failures)
    return Outcome(
        figures={**figures, "violations": len(failures)},
        windows={"pages": len(pages), "looked at": walk.counted["looked at"]},
        failures=failures[:TOLD],
    )


Wsgi = Callable[..., Iterable[bytes]]


def changed(app: Wsgi, before: str, after: str) -> Wsgi:
    """The application with other words in its pages and style sheets."""

    def answer(environ: Any, start: Any) -> Iterable[bytes]:
        response = Response.from_app(app, environ)
        if response.mimetype in ("text/html", "text/css"):
            response.data = response.data.replace(before.encode(), after.encode())
        return response(environ, start)

    return answer


def control(before: str, after: str, check: str, path: str = "/look-up") -> Callable[[Arena, Size], Outcome]:
    """One page, whose template or style sheet somebody spoilt, and the one check that must tell."""

    def broken(arena: Arena, size: Size) -> Outcome:
        return beside(lambda: _spoilt(arena, before, after, check, path))

    return broken


def _spoilt(arena: Arena, before: str, after: str, check: str, path: str) -> Outcome:
    world = serve_world(arena.new_database(), arena.folder, {"": ""})
    try:
        with served(world.app) as whole, served(changed(world.app, before, after)) as url, chromium() as browser:
            walks = [Walk(world=world, browser=browser, url=at, checks=(check,)) for at in (whole, url)]
            for walk in walks:
                page = browser.new_page()
                page.goto(walk.url + path)
                walk.look(page, path)
    finally:
        world.database.dispose()
    if walks[0].failures:
        raise AssertionError(f"the page was not in order before: {walks[0].failures}")
    return Outcome(figures=dict(walks[1].counted), failures=tuple(walks[1].failures))


_ROOT: Final = ":root {"
PROOF = Proof(
    promise="P23",
    says="Everybody can use every page: with a screen reader, by keyboard alone, on a narrow phone, with large text.",
    run=run,
    in_small=(),
    controls={
        "a field without a label": control('<label class="usa-label" for="q">', "<label>", "axe, light"),
        "grey on white": control("--quiet: #565c65", "--quiet: #a9aeb1", "axe, light"),
        "dark on dark": control("--quiet: #c6cace", "--quiet: #565c65", "axe, dark"),
        "a link that Tab does not reach": control('class="name"', 'class="name" tabindex="-1"', "keyboard"),
        "no sign of the focus": control(_ROOT, ":focus { outline: 0 !important } :root {", "keyboard"),
        "a table wider than a phone": control(_ROOT, "table { min-width: 40rem } :root {", "320 px", "/docs"),
        "a button of fixed height": control(
            _ROOT,
            ".usa-button { height: 44px; line-height: 1; overflow: hidden; width: 90px } :root {",
            "text at 200 %",
        ),
        "a page of 200 kB": control("</body>", f"<!-- {'x' * 200_000} --></body>", "weight"),
    },
    least={"pages": (60, 60), "looked at": (50, 200)},
    kinds=("sqlite",),
    needs=("chromium",),
)
