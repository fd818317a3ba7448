"""Half-years and years over HTTP (WI6, WI7): who reported, who stated why not, who is missing."""

import csv
import io
from typing import Any

import pytest

from reporting.owners import Teller, set_setting
from schemas.loader import shipped_program
from tests.reporting.api.world import MINE, NOW, World, a_report
from tests.reporting.counties import a_row, load

COUNTY = "winnebago"


@pytest.fixture
def filled(world: World) -> World:
    """Three holding tanks and a septic one; the records begin in 2025. One is pumped, one states why not."""
    rows = [
        a_row(f"HT-{n}", component="holding", installed_on="2019-01-01", designated_license_number=MINE) for n in "123"
    ]
    load(world.database, *rows, a_row("SP-9", installed_on="2019-01-01"), county=COUNTY, now=NOW)
    with world.database.transaction(COUNTY) as store:
        teller = Teller(program=shipped_program(COUNTY), by="clerk", now=NOW, signer=world.signer)
        set_setting(store, teller, "records_from", "2025-01-01", NOW.date())
    sent = a_report(
        permit_number="HT-1", parcel_number="08-HT-1", site_address=rows[0]["site_address"], component="holding",
        service_date="2026-02-03", signed_on="2026-02-03",
    )  # fmt: skip
    answer = world.post(f"/v1/{COUNTY}/reports", sent, "admin")
    assert answer.status_code == 201, answer.text
    stated = {"permit_number": "HT-2", "period": "2026-H1", "reason": "vacant"}
    assert world.post(f"/v1/{COUNTY}/statements", stated, "admin").status_code == 201
    return world


def rows_of(world: World, query: str = "?period=2026-H1") -> list[dict[str, Any]]:
    answer = world.get(f"/v1/{COUNTY}/periods{query}", "admin")
    assert answer.status_code == 200, answer.text
    return list(answer.json["periods"])


def test_who_reported_and_who_did_not(filled: World) -> None:
    rows = {r["permit_number"]: r for r in rows_of(filled)}
    assert {p: r["state"] for p, r in rows.items()} == {"HT-1": "reported", "HT-2": "stated", "HT-3": "missing"}
    assert (rows["HT-1"]["services"], rows["HT-1"]["last_service"]) == (1, "2026-02-03")
    assert (rows["HT-3"]["last_day"], rows["HT-3"]["rule"], rows["HT-3"]["duty_of"]) == (
        "2026-07-31", "WI7", "contractor",
    )  # fmt: skip
    assert rows["HT-3"]["contractor"] == MINE


def test_the_list_agrees_with_the_status_of_each(filled: World) -> None:
    """WI7's obligation and finding are there for the missing one, and a statement closes it."""
    for permit, missing in (("HT-1", False), ("HT-2", False), ("HT-3", True)):
        body = filled.get(f"/v1/{COUNTY}/status?permit={permit}", "admin").json
        found = [f["period"] for f in body["findings"] if f["kind"] == "missing_period_report"]
        assert ("2026-H1" in found) is missing, permit
    stated = {"permit_number": "HT-3", "period": "2026-H1", "reason": "winter"}
    assert filled.post(f"/v1/{COUNTY}/statements", stated, "admin").status_code == 201
    assert {r["state"] for r in rows_of(filled)} == {"reported", "stated"}


def test_only_those_asked_for_and_a_period_that_runs(filled: World) -> None:
    assert [r["permit_number"] for r in rows_of(filled, "?period=2026-H1&state=missing")] == ["HT-3"]
    assert {r["state"] for r in rows_of(filled, "?period=2026")} == {"reported", "running"}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?period=2026-H2", "2026-H1, 2026"),  # the amendment asks for the year
        ("?period=2027-H1", "2027"),
        ("?period=26", "2026-H1"),
        ("?period=2024", "2024-H1, 2024-H2"),
    ],
)
def test_a_period_that_no_text_asks_for_is_answered_with_those_there_are(filled: World, query: str, said: str) -> None:
    answer = filled.get(f"/v1/{COUNTY}/periods{query}", "admin")
    assert answer.status_code == 422
    assert said in answer.json["detail"]


def test_a_county_without_reporting_periods_says_so(filled: World) -> None:
    answer = filled.get("/v1/ozaukee/periods?period=2026", "county")
    assert (answer.status_code, "no text asks" in answer.json["detail"]) == (422, True)


def test_without_a_name_it_is_the_last_of_last_year_and_pages_add_up(filled: World) -> None:
    body = filled.get(f"/v1/{COUNTY}/periods", "admin").json
    assert body["period"] == "2025-H2"
    path, seen = "?period=2026-H1&limit=1", []
    while path:
        answer = filled.get(f"/v1/{COUNTY}/periods{path}", "admin")
        seen += [r["permit_number"] for r in answer.json["periods"]]
        link = answer.headers.get("Link", "")
        path = "?" + link.partition("?")[2].partition(">")[0] if link else ""
    assert sorted(seen) == ["HT-1", "HT-2", "HT-3"]


def test_the_same_as_a_file(filled: World) -> None:
    answer = filled.get(f"/v1/{COUNTY}/periods.csv?period=2026-H1", "admin")
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert sorted((r["permit_number"], r["state"]) for r in rows) == [
        ("HT-1", "reported"), ("HT-2", "stated"), ("HT-3", "missing"),
    ]  # fmt: skip
