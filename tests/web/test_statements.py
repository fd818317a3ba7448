"""However many systems there are, a page asks the database as often: nothing is loaded one system at a time."""

from bench.pages import PAGES, counted
from docs.demonstration import CLERK, HAULER
from reporting.sweep import sweep
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import HOME, MINE, World, a_report
from tests.reporting.counties import TODAY, a_row, csv_of, load

WHO = {HAULER: "technician", CLERK: "manager"}
MORE = 40


def statements(world: World) -> dict[str, int]:
    """How many statements each page sends, once it was looked at before."""
    found = {}
    for path, who in PAGES:
        world.get(path, WHO.get(who, who))
        with counted(world.database.engine) as said:
            answer = world.get(path, WHO.get(who, who), headers={"Accept": "text/html"})
        assert answer.status_code == 200, path
        found[path] = len(said)
    return found


def test_the_statements_of_a_page_do_not_grow_with_the_systems(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    bring(world, range(10, 12))
    few = statements(world)
    bring(world, range(12, 12 + MORE))
    many = statements(world)
    assert "SP-51" in world.get("/work", "technician").text
    assert many == few
    assert few["/desk"] > few["/"], "the count counts"


def bring(world: World, numbers: range) -> None:
    """Systems that are overdue and name the business, with a report each of which some wait to be placed."""
    old = {"last_pumped_on": "2022-06-01", "designated_license_number": MINE, "latitude": "43.4", "longitude": "-87.9"}
    load(world.database, *(a_row(f"SP-{n}", **old) for n in numbers), county=HOME, now=world.clock())
    rows = [a_report(permit_number=f"ZZ-{n}", parcel_number=f"9-{n}", report_ref=f"D-{n}") for n in numbers]
    rows += [a_report(permit_number="SP-1", report_ref=f"R-{n}", gallons_pumped=900 + n) for n in numbers]
    sent = world.send(HOME, csv_of(*rows))
    assert sent.status_code < 300, sent.text
    sweep(world.database, HOME, TODAY, world.clock())
