"""The inventory by file on the desk: a trial stores nothing, the import does just what it showed or says otherwise."""

import io
import re
from datetime import timedelta
from typing import Any

import pytest
from werkzeug.test import TestResponse

from reporting.inventory.filing import AT_ONCE, KEPT, forget_old_imports, waiting_imports, work_off_import
from reporting.store.facts import list_system_ids
from reporting.store.imports import get_import, list_imports
from tests.reporting.api.logs import entries_in
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import AWAY, HOME, World
from tests.reporting.counties import a_row, csv_of, the_system
from tests.web.browsing import DESK, Site, hold
from tests.web.filling import fill, words

PAGE = "/desk/import"
EVIL = '"><script>alert(1)</script>'


def a_file(*rows: dict[str, Any], name: str = "systems.csv") -> dict[str, Any]:
    return {"file": (io.BytesIO(csv_of(*rows)), name)}


def three(**first: Any) -> list[dict[str, Any]]:
    """A new system, one that the county has with another town, and a wrong row; with a column that nobody knows."""
    new = {**a_row("SP-9", component="septic", capacity_gallons="1000"), "Color": EVIL, **first}
    known = {"permit_number": "SP-3", "component": "septic", "municipality": "Town of Fredonia"}
    return [new, known, {"permit_number": "SP-10", "component": "sceptic", "municipality": EVIL}]


def owners(world: World) -> tuple[int, int]:
    with world.database.reading(HOME) as store:
        return len(list_system_ids(store)), len(entries_in(world, HOME))


def tried(world: World, *rows: dict[str, Any], who: str = "clerk") -> TestResponse:
    answer = fill(world, world.get(PAGE, who), PAGE, who, **a_file(*rows))
    assert answer.status_code == 200, answer.text
    return answer


def count(page: TestResponse, what: str) -> int:
    found = re.search(rf"<strong>([\d,]+)</strong> {what}", page.text)
    assert found, what
    return int(found[1].replace(",", ""))


def counts(page: TestResponse) -> tuple[int, int, int, int]:
    return count(page, "new"), count(page, "changed"), count(page, "as on file"), count(page, "wrong")


def test_a_trial_stores_nothing_and_the_import_does_just_what_it_showed(world: World) -> None:
    sign_in_everybody(world)
    before = owners(world)
    trial = tried(world, *three())
    assert counts(trial) == (1, 1, 0, 1)
    assert owners(world) == before
    told = words(trial)
    assert "Nothing was stored yet" in told
    assert "SP-3 municipality Town of Saukville Town of Fredonia" in told
    assert trial.text.count("<strong>Mend:</strong>") == 1
    assert "“Color”" in trial.text
    assert EVIL not in trial.text
    done = fill(world, trial, PAGE, "clerk", step="import")
    assert done.status_code == 303, done.text
    again = fill(world, trial, PAGE, "clerk", step="import")  # pressed twice
    assert again.headers["Location"] == done.headers["Location"]
    assert owners(world)[0] == before[0] + 1
    result = world.get(done.headers["Location"], "clerk")
    assert counts(result) == (1, 1, 0, 1)
    with world.database.reading(HOME) as store:
        stored = the_system(store, "SP-3")
        assert stored.system is not None
        assert stored.system["municipality"] == "Town of Fredonia"
    [mend] = re.findall(r'href="([^"]+rejected.csv)"', result.text)
    rejected = world.get(mend, "clerk")
    assert rejected.headers["Content-Disposition"].startswith("attachment")
    assert ("SP-10" in rejected.text, "SP-9" in rejected.text, "errors" in rejected.text) == (True, False, True)
    assert done.headers["Location"] in world.get(PAGE, "clerk").text
    assert counts(tried(world, *three())) == (0, 0, 2, 1)
    assert "There is nothing to import" in tried(world, three()[1]).text


def test_what_changed_since_the_trial_is_shown_and_nothing_is_stored(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    trial = tried(world, *three())
    fill(world, tried(world, {**three()[1], "municipality": "Town of Grafton"}), PAGE, "manager", step="import")
    before = owners(world)
    differs = fill(world, trial, PAGE, "clerk", step="import")
    assert (differs.status_code, owners(world)) == (422, before)
    assert "The record has changed since the trial" in differs.text
    assert "SP-3 municipality Town of Grafton Town of Fredonia" in words(differs)
    assert fill(world, differs, PAGE, "clerk", step="import").status_code == 303
    other = fill(world, tried(world, *three()), PAGE, "clerk", step="import", packed="", **a_file(a_row("SP-11")))
    assert (other.status_code, "The record has changed" in other.text) == (422, True)


def test_what_cannot_be_read_is_asked_for_again(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    for data, message in (
        ({}, "Choose a file"),
        ({"file": (io.BytesIO(b"permit_number,town\n1,2\n"), "x.csv")}, "columns are missing: component"),
        ({"step": "import", "packed": "AAAA"}, "Choose the same file once more"),
    ):
        answer = fill(world, world.get(PAGE, "clerk"), PAGE, "clerk", **data)
        assert (answer.status_code, message in answer.text) == (422, True), answer.text
    assert list_of(world) == []


def list_of(world: World, county: str = HOME) -> list[dict[str, Any]]:
    with world.database.reading(county) as store:
        return list_imports(store, 9)


@pytest.fixture
def long(world_on_sqlite: World) -> tuple[World, str]:
    return a_long_file(world_on_sqlite)[:2]


def a_long_file(world: World) -> tuple[World, str, tuple[int, int, int, int]]:
    """A file too long for a call, filed and waiting for the worker: where its page is, and what its trial said."""
    sign_in_everybody(world)
    rows = [*three(), *({"permit_number": "SP-2", "component": "septic"} for _ in range(AT_ONCE))]
    trial = tried(world, *rows)
    done = fill(world, trial, PAGE, "clerk", step="import")
    assert done.status_code == 303, done.text
    return world, done.headers["Location"], counts(trial)


def test_a_long_file_waits_for_the_worker_and_tells_how_far_it_is(world: World) -> None:
    _, path, promised = a_long_file(world)
    page = world.get(path, "clerk")
    assert ("being imported" in page.text, 'hx-trigger="every 5s"' in page.text) == (True, True)
    assert world.get(f"{path}/rejected.csv", "clerk").status_code == 404
    before = owners(world)
    with world.database.reading(HOME) as store:
        [waiting] = waiting_imports(store)
    assert work_off_import(world.database, HOME, waiting, world.clock)
    assert owners(world)[0] == before[0] + 1
    page = world.get(path, "clerk")
    assert counts(page) == promised
    assert promised[:2] == (1, 2)
    assert "SP-10" in world.get(f"{path}/rejected.csv", "clerk").text
    entries = len(entries_in(world, HOME))
    assert work_off_import(world.database, HOME, waiting, world.clock)  # handed out twice: done once
    assert len(entries_in(world, HOME)) == entries
    assert world.get(path, "away manager").status_code == 404
    assert world.get(path, "viewer").status_code == 403
    with world.database.transaction(HOME) as store:
        assert forget_old_imports(store, world.clock() + KEPT) == 0
        assert forget_old_imports(store, world.clock() + KEPT + timedelta(seconds=1)) == 1
    assert list_of(world) == []


def test_a_long_file_that_would_do_something_else_by_now_is_left_alone(long: tuple[World, str]) -> None:
    world, path = long
    fill(world, tried(world, {**three()[1], "municipality": "Town of Grafton"}), PAGE, "manager", step="import")
    before = owners(world)
    [waiting] = [row["id"] for row in list_of(world) if row["state"] == "waiting"]
    assert work_off_import(world.database, HOME, waiting, world.clock)
    page = world.get(path, "clerk")
    assert ("Nothing was imported" in page.text, owners(world)) == (True, before)
    assert "SP-3 municipality Town of Grafton Town of Fredonia" in words(page)
    assert list_of(world, AWAY) == []


def test_a_long_file_that_was_stopped_goes_on_where_it_was(long: tuple[World, str]) -> None:
    world, path = long
    [waiting] = [row["id"] for row in list_of(world)]
    assert not work_off_import(world.database, HOME, waiting, world.clock, stopping=lambda: True)
    with world.database.reading(HOME) as store:
        row = get_import(store, waiting)
        assert row is not None
        assert (row["state"], row["done"] > 0) == ("working", True)
    assert "of 2,003 rows so far" in world.get(path, "clerk").text
    assert work_off_import(world.database, HOME, waiting, world.clock)
    assert "What was imported" in world.get(path, "clerk").text


def test_the_pages_of_an_import_hold_on_a_phone_and_in_the_dark(site: Site) -> None:
    page = site.page("clerk")
    page.goto(PAGE)
    hold(page)
    rows = csv_of(*three())
    page.set_input_files("#file", files=[{"name": "systems.csv", "mimeType": "text/csv", "buffer": rows}])
    page.click("text=Try the file")
    hold(page)
    assert page.locator("nav a[aria-current=page]").inner_text() == "Import"
    page.click("text=Import these 2 rows")
    assert page.locator("h1").inner_text() == "What was imported"
    assert page.locator("nav a[aria-current=true]").inner_text() == "Import"
    hold(page)
    wide = site.page("clerk", scheme="dark", size=DESK)
    wide.goto(page.url)
    hold(wide)
    assert "hx-get" not in wide.content()
