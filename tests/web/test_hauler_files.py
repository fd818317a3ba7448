"""Files of reports on the pages: tried, taught, mended, sent; a long one tells how far it is."""

import io
import re
from dataclasses import replace
from typing import Any

import pytest

from reporting.api.calls import EXTENSION
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import HOME, World, a_report
from tests.reporting.counties import csv_of
from tests.web.browsing import PHONE, Site, hold
from tests.web.filling import fields_of, fill, words

ME, OTHER = "technician", "other office"
EVIL = '"><script>alert(1)</script>'


def a_file(*rows: dict[str, Any]) -> dict[str, Any]:
    """With two headings in the business's own words."""
    data = csv_of(*rows).replace(b"gallons_pumped", b"Amt <b>Sucked").replace(b"service_date", b"Svc")
    return {"file": (io.BytesIO(data), "july.csv")}


def test_a_file_is_tried_taught_mended_and_sent(world: World) -> None:
    sign_in_everybody(world)
    path = f"/files/{HOME}"
    assert f'href="{path}"' in world.get("/files", ME).text
    empty = fill(world, world.get(path, ME), path, ME)
    assert (empty.status_code, "Choose a file" in empty.text) == (422, True)
    rows = [a_report(report_ref="F-1"), a_report(report_ref="F-2", gallons_pumped=EVIL), a_report(report_ref="F-3")]
    rows[2]["work_description"] = ""
    tried = fill(world, empty, path, ME, **a_file(*rows))
    assert (tried.status_code, "date of service" in tried.text) == (422, True)
    assert "“Amt &lt;b&gt;Sucked” means" in tried.text
    held = fields_of(tried)
    meaning = {held["heading-0"]: "field-0", held["heading-1"]: "field-1"}
    means = {meaning["Svc"]: "service_date", meaning["Amt <b>Sucked"]: "gallons_pumped"}
    taught = fill(world, tried, path, ME, step="teach", **means)
    assert (taught.status_code, "1 right 2 to mend" in words(taught)) == (200, True)
    assert taught.text.count("<strong>Mend:</strong>") == 2
    assert "9.029(5)(b)4" in taught.text
    assert EVIL not in taught.text
    assert world.get(f"/v1/{HOME}/submissions/sub_x", ME).status_code == 404  # nothing is kept of a trial
    sent, again = (fill(world, taught, path, ME, step="send") for _ in range(2))
    assert (sent.status_code, sent.headers["Location"]) == (303, again.headers["Location"])
    result = world.get(sent.headers["Location"], ME)
    assert "1 kept and credited" in words(result)
    [mend] = re.findall(r'href="(/v1/[^"]+rejected.csv)"', result.text)
    assert "F-2" in world.get(mend, ME).text
    assert world.get(sent.headers["Location"], OTHER).status_code == 404
    known = fill(world, world.get(path, ME), path, ME, **a_file(rows[0]))
    assert (known.status_code, "means" in known.text, "1 in already" in words(known)) == (200, False, True)


def test_a_carried_file_that_is_none_is_asked_for_again(world_on_sqlite: World) -> None:
    sign_in_everybody(world_on_sqlite)
    for packed in ("", "AAAA", "é", "eJwDAAAAAAE="):
        answer = world_on_sqlite.call("POST", f"/files/{HOME}", ME, data={"packed": packed, "step": "send"})
        assert (answer.status_code, "once more" in answer.text) == (422, True), packed


def a_long_file(world: World) -> str:
    """The address of a file that waits to be worked off."""
    parts = world.app.extensions[EXTENSION]
    world.app.extensions[EXTENSION] = replace(parts, config=replace(parts.config, rows_at_once=1))
    sign_in_everybody(world)
    path = f"/files/{HOME}"
    data = {"file": (io.BytesIO(csv_of(a_report(report_ref="L-1"), a_report(report_ref="L-2"))), "long.csv")}
    return str(fill(world, world.get(path, ME), path, ME, step="send", **data).headers["Location"])


def test_a_long_file_tells_how_far_it_is(world_on_sqlite: World) -> None:
    page = world_on_sqlite.get(a_long_file(world_on_sqlite), ME)
    assert "0 of 2 rows so far" in words(page)
    assert "Look again" in page.text


@pytest.mark.needs_browser
def test_pages_of_files_hold_on_a_phone(site: Site) -> None:
    waiting = a_long_file(site.world)
    page = site.page(ME, size=PHONE)
    page.goto(waiting)
    hold(page)
    page.goto(f"/files/{HOME}")
    hold(page)
    wrong = csv_of(a_report(report_ref="B-1", gallons_pumped="many", Truck="Blue"))
    page.set_input_files("#file", {"name": "b.csv", "mimeType": "text/csv", "buffer": wrong})
    page.get_by_role("button", name="Try the file").click()
    hold(page)
