"""The map: points of a view as GeoJSON, the same as the list; drawn, reached by keyboard, and equal without script."""

import json
from typing import Any

import pytest

from reporting.web import desk_map
from tests.reporting.api.world import AWAY, CANARY, HOME, World
from tests.reporting.counties import a_row, load
from tests.web.browsing import DESK, PHONE, Site, hold
from tests.web.mapped import place_systems
from tests.web.test_desk import read

EVERYWHERE = "-89,43,-87,44"


def points(world: World, query: str = "", status: int = 200) -> dict[str, Any]:
    answer = world.get(f"/desk/map.json{query}", "viewer")
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = json.loads(answer.data) if status == 200 else {}
    return found


def permits(found: dict[str, Any]) -> set[str]:
    return {one["properties"]["permit_number"] for one in found["features"]}


def test_a_view_has_the_systems_that_lie_in_it(world: World) -> None:
    place_systems(world)
    found = points(world, f"?bbox={EVERYWHERE}")
    assert (permits(found), found["whole"], found["systems"]) == ({"MP-1", "MP-2", "MP-3"}, True, 3)
    assert found["features"][0]["geometry"]["coordinates"] == [-88.1, 43.5]
    assert CANARY[HOME] not in json.dumps(found)
    for box, expected in (
        ("-88.1,43.35,-88.0,43.5", {"MP-1", "MP-2"}),  # what lies on its edges is within
        ("-88.09,43.35,-88.0,43.49", {"MP-2"}),
        ("-80,40,-79,41", set()),
    ):
        assert permits(points(world, f"?bbox={box}")) == expected, box
    assert permits(points(world, f"?bbox={EVERYWHERE}&standing=overdue&municipality=Town+of+Cedarburg")) == {"MP-3"}
    for wrong in ("1,2,3", "a,b,c,d", "-87,43,-89,44", "-89,44,-87,43", "-181,43,-87,44", "1e1,2,20,30", "nan,1,2,3"):
        points(world, f"?bbox={wrong}", 422)
    assert permits(json.loads(world.get("/desk/map.json", "away manager").data)) == {"AW-1"}
    page = read(world, "/desk/map?standing=overdue")
    assert "2 systems that fit have coordinates on file" in page
    assert page.count('<li><a href="/desk/systems/') == 5  # the list has those without coordinates too
    assert AWAY not in page


def test_too_many_for_one_view_are_counted_in_squares(world_on_sqlite: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world = place_systems(world_on_sqlite)
    more = [a_row(f"N-{n}", latitude=f"43.30{n}", longitude="-87.9001") for n in range(9)]
    load(world.database, *more, county=HOME)
    monkeypatch.setattr(desk_map, "MOST_POINTS", 12)
    assert points(world, f"?bbox={EVERYWHERE}")["whole"] is True
    monkeypatch.setattr(desk_map, "MOST_POINTS", 11)
    found = points(world, f"?bbox={EVERYWHERE}")
    counts = sorted((one["properties"].get("count", 1), one["properties"]["standing"]) for one in found["features"])
    assert (found["whole"], found["systems"]) == (False, 12)
    assert counts == [(1, "compliant"), (1, "overdue"), (10, "overdue")]
    assert points(world, "?bbox=-88.2,43.45,-88.05,43.55")["whole"] is True


@pytest.mark.needs_browser
def test_the_map_draws_what_the_list_has(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    world = place_systems(site.world)
    page = site.page("viewer", size=DESK)
    page.goto("/desk/map")
    drawn = page.locator("#map[data-drawn]")
    drawn.wait_for()
    assert drawn.get_attribute("data-drawn") == "3"
    assert page.locator("#in-view").inner_text() == "3 systems in view."
    listed = page.locator("#systems li")
    assert sorted(listed.all_inner_texts()) == sorted(
        f"{one['properties']['place'][0].upper()}{one['properties']['place'][1:]} {badge}"
        for one, badge in zip(points(world)["features"], ("overdue", "in order", "overdue"), strict=True)
    )
    assert page.evaluate(INKED) > 100  # the canvas is not empty
    hold(page)
    page.locator("#map").focus()
    for _ in range(3):  # the keyboard alone zooms in, and the list follows
        page.keyboard.press("+")
        drawn.wait_for()
    page.locator("#map[data-drawn]:not([data-systems='3'])").wait_for()
    assert listed.count() == int(str(drawn.get_attribute("data-drawn")))
    page.goto("/desk/map?municipality=Town+of+Cedarburg&standing=overdue")
    page.locator("#map[data-drawn='1']").wait_for()
    page.locator("#systems a").click()
    page.wait_for_url("**/desk/systems/*")
    assert "Permit MP-3" in page.locator("h1").inner_text()
    plain = site.page("viewer", scheme="dark", size=PHONE, script=False)
    plain.goto("/desk/map?municipality=Town+of+Cedarburg")
    assert plain.locator("#systems li").count() == 2
    assert not plain.locator("#map").is_visible()
    phone = site.page("viewer", scheme="dark", size=PHONE)
    phone.goto("/desk/map")
    phone.locator("#map[data-drawn='3']").wait_for()
    hold(phone)
    monkeypatch.setattr(desk_map, "MOST_POINTS", 2)
    phone.reload()
    phone.locator("#map[data-drawn='3']").wait_for()  # each alone in its square
    assert "too many to tell apart" in phone.locator("#in-view").inner_text()
    assert phone.locator("#systems li").count() == 6  # the list of the page, as without script


INKED = """() => {
  const canvas = document.querySelector('#map canvas');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return data.filter((value, place) => place % 4 === 3 && value > 0).length;
}"""
