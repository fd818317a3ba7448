"""The desk's figures and pictures: each says what its list, its file and its table say."""

import json
import re
from datetime import date, timedelta

import pytest

from reporting.cli.mail import scan_county
from reporting.store.monthly import months_since
from reporting.web.desk_charts import HEIGHT, over_time, stacked
from tests.reporting.api.test_reviews import queue, standing
from tests.reporting.api.test_stories_of_systems import bring, send
from tests.reporting.api.world import HOME, MINE, OTHERS, World
from tests.reporting.counties import TODAY, a_row
from tests.web.browsing import DESK, PHONE, Site, hold
from tests.web.mapped import place_systems
from tests.web.test_desk import a_count, read
from tests.web.test_desk_lists import rows_of


def figures_of(page: str, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, row by row."""
    found = re.search(rf"<caption>{re.escape(caption)}.*?</table>", page, re.DOTALL)
    assert found, caption
    rows = re.findall(r"<tr>(.*?)</tr>", found[0], re.DOTALL)
    return [[re.sub("<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_standings_are_those_of_the_list_and_kept_by_month(world: World) -> None:
    place_systems(world)
    removed = a_row("GONE-1", status="removed")
    bring(world, HOME, removed)
    page = read(world, "/desk/figures")
    assert "kept since today" in page
    counts = dict(re.findall(r'standing=(\w+)">[^<]+</a></th><td class="number">(\d+)', page))
    for one, count in counts.items():
        assert len(rows_of(world, f"/desk/systems.csv?standing={one}")) == int(count), one
    assert sum(map(int, counts.values())) == len(rows_of(world, "/desk/systems.csv")) == 6
    march = date(2026, 3, 31)
    for day in (march, march - timedelta(days=1), date(2025, 8, 31), date(2025, 7, 31)):
        scan_county(world.database, HOME, day, world.clock(), "https://x.example")
    scan_county(world.database, HOME, TODAY, world.clock(), "https://x.example")
    with world.database.reading(HOME) as store:
        kept = months_since(store, "2026-03")
    assert {month: one["counted_on"] for month, one in kept.items()} == {"2026-03": march, "2026-07": TODAY}
    page = read(world, "/desk/figures")
    assert "kept since August 2025" in page  # of eleven months and now; what was kept of July before lies outside
    heading, *rows = figures_of(page, "Systems by how they stood, month by month")
    months = {row[0]: dict(zip(heading[1:], row[1:], strict=True)) for row in rows}
    assert months["Now"]["overdue"] == counts["overdue"]
    assert months["March 2026"]["overdue"] == str(kept["2026-03"]["systems"].get("overdue", 0))
    assert set(months["April 2026"].values()) == {"–"}
    assert "kept since" not in read(world, "/desk/figures", "away manager").replace("kept since today", "")


def test_shares_in_time_are_those_of_the_reports_listed(world: World) -> None:
    place_systems(world)
    for number, (permit, served, licence) in enumerate(
        (
            ("SP-1", "2026-06-01", MINE),
            ("SP-2", "2026-06-30", OTHERS),
            ("SP-3", "2026-05-04", OTHERS),
            ("MP-3", "2026-07-10", OTHERS),  # of this month, which has not ended
        )
    ):
        send(
            world, HOME, permit, report_ref=f"F-{number}", service_date=served, signed_on=served, license_number=licence
        )
    page = read(world, "/desk/figures")
    rows = figures_of(page, "Services of")[1:]
    told = {re.search(r"licence (\S+)", row[0])[1]: tuple(map(int, row[1:4])) for row in rows}  # type: ignore[index]
    for licence in (MINE, OTHERS):
        asked = f"contractor={licence}&served_from=2025-07-01&served_to=2026-06-30"
        listed, late = (rows_of(world, f"/desk/reports.csv?{asked}{state}") for state in ("", "&state=late"))
        share = 100 * (len(listed) - len(late)) // len(listed)
        assert told[licence] == (len(listed), len(late), share), licence
        assert (f'href="/desk/reports?{asked}&state=late"' in page) is bool(late)
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    assert "Ridge Pumping Inc" in page
    by_month = {row[0]: row[1] for row in figures_of(page, "Services reported in time")[1:]}
    monthly = [by_month[name].split(" of ") for name in ("May 2026", "June 2026")]
    judged = sum(int(total) for _in_time, total in monthly)
    assert judged == sum(row[0] for row in told.values()) == 3
    in_month = rows_of(world, "/desk/reports.csv?state=late&served_from=2026-06-13&served_to=2026-07-13")
    assert a_count(read(world, "/desk"), "Reports that came late, of the last 30 days' services") == len(in_month)


def test_a_systems_pictures_have_the_figures_of_its_files(world: World) -> None:
    place_systems(world)
    tank = {"component": "holding", "capacity_gallons": "2000", "meter_unit": "gal", "meter_digits": "6"}
    bring(world, HOME, a_row("H-1", **tank))
    served = (("2026-05-01", 1000, 1500), ("2026-05-31", 4000, 2500), ("2026-06-20", 5000, None))
    for number, (day, reading, gallons) in enumerate(served):
        what = {"component": "holding", "service_date": day, "signed_on": day, "meter_reading": reading}
        send(world, HOME, "H-1", report_ref=f"H-{number}", gallons_pumped=gallons or 1, **what)
    [system] = {row["id"] for row in rows_of(world, "/desk/systems.csv?permit=H-1")}
    page = read(world, f"/desk/systems/{system}")
    api = f"/v1/{HOME}/systems/{system}"
    [told] = json.loads(world.get(f"{api}/meters", "manager").data)["tanks"]
    rows = figures_of(page, "Water by the meter, gallons a day")[1:]
    assert [row[0] for row in rows] == [one["on"] for one in told["readings"]]
    assert [row[4] for row in rows] == ["–", "100", "50"]
    pumped = figures_of(page, "Gallons pumped")[1:]
    record = rows_of(world, f"{api}/records.csv")
    assert [(day, gallons.replace(",", "")) for day, gallons in pumped] == [
        (row["service_date"], row["gallons_pumped"]) for row in record if row["gallons_pumped"]
    ]
    assert page.count('class="dot"') == 2
    before = read(world, f"/desk/systems/{system}?as_of=2026-05-15")
    assert [row[0] for row in figures_of(before, "Gallons pumped")[1:]] == ["2026-05-01"]
    assert f'href="{api}/standing.pdf?as_of=2026-05-15"' in before
    assert f'href="/v1/{HOME}/reports/{record[-1]["report_id"]}/copy"' in page
    assert " style=" not in page


def test_changes_show_what_was_on_file_and_what_is(world: World) -> None:
    place_systems(world)
    world.clock.forward(minutes=5)
    bring(
        world, HOME, a_row("MP-3", latitude="43.3", longitude="-87.9", capacity_gallons="1250", owner_name="New Owner")
    )
    [system] = {row["id"] for row in rows_of(world, "/desk/systems.csv?permit=MP-3")}
    page = read(world, f"/desk/systems/{system}")
    cells = re.findall(r"<td>Capacity gallons</td><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>", page)
    assert cells == [("1000", "1250"), ("–", "1000")]
    assert re.search(r"<td>Name</td><td[^>]*>Zzyx Homecanary</td><td[^>]*>New Owner</td>", page)
    assert world.get(f"/desk/systems/{system}", "away manager").status_code == 404


@pytest.mark.parametrize(("most", "top"), [(1, 1), (3, 5), (10, 10), (11, 20), (251, 500), (0.4, 1)])
def test_a_scale_ends_in_a_round_figure_above_all_others(most: float, top: float) -> None:
    chart = over_time("x", "X", [(TODAY, most)], [], "", bars=True)
    assert chart
    assert [label.text for label in chart.labels if label.anchor == "end"][-1] == f"{top:,}"
    assert all(0 <= box.y <= HEIGHT for box in chart.boxes)
    assert over_time("x", "X", [], [], "") is None


def test_a_stack_is_as_high_as_its_parts_together() -> None:
    chart = stacked("x", "X", [("May", {"a": 3, "b": 1}), ("June", None)], [("a", "A"), ("b", "B")], "")
    assert chart
    lower, upper = chart.boxes
    assert (round(lower.height / upper.height), round(upper.y + upper.height, 1)) == (3, lower.y)
    assert chart.table[1:] == [("May", "3", "1"), ("June", "–", "–")]
    assert stacked("x", "X", [("May", None)], [("a", "A")], "") is None


@pytest.mark.needs_browser
def test_a_key_places_a_report_and_pages_hold(site: Site) -> None:
    world = place_systems(site.world)
    review = queue(world, permit_number="SP1X", site_address="N257 County Road K")
    page = site.page("reviewer", size=DESK)
    at = f"/desk/reviews/{review['id']}"
    page.goto(at)
    page.get_by_label("Number keys decide").uncheck()
    page.reload()
    page.wait_for_timeout(700)
    page.keyboard.press("1")
    page.get_by_label("Why").press_sequentially("12")  # typed, with keys off and in a field
    assert page.url.endswith(at)
    page.get_by_label("Number keys decide").check()
    page.get_by_label("Why").press("1")
    assert page.get_by_label("Why").input_value() == "121"
    page.reload()
    page.wait_for_timeout(700)
    page.keyboard.press("9")  # there is no ninth
    page.keyboard.press("1")
    page.wait_for_url("**/desk/reviews?done=placed")
    assert standing(world, "SP-1") == "compliant"
    assert "address is the same" in read(world, at)
    page = site.page("manager", scheme="dark", size=PHONE)
    for path in ("/figures", "/reports", "/mails", "/systems?standing=overdue"):
        page.goto(f"/desk{path}")
        hold(page)
