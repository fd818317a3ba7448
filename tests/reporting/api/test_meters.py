"""Meters over HTTP (S12, WI12, PO10): a table for each tank, from an import and reports to the forecast's range."""

import csv
import io
from typing import Any

import pytest

from tests.reporting.api.world import HOME, MINE, NOW, OTHERS, World, a_report
from tests.reporting.counties import a_row, load, the_system

VISITS = [("2026-04-01", 1000, 0), ("2026-05-01", 4000, 2900), ("2026-06-01", 7100, 1500), ("2026-07-01", 7100, 2800)]
"""Day, reading, gallons pumped: in balance, far less than metered, and a meter that stands still."""


@pytest.fixture
def metered(world: World) -> World:
    row = a_row(
        "HT-1", component="holding", capacity_gallons="3000", meter_unit="gal", meter_digits="6", meter_serial="A1",
        designated_license_number=MINE, installed_on="2019-01-01",
    )  # fmt: skip
    load(world.database, row, county=HOME, now=NOW)
    for n, (day, reading, gallons) in enumerate(VISITS):
        sent = a_report(
            report_ref=f"M-{n}", permit_number="HT-1", parcel_number="08-HT-1", site_address=row["site_address"],
            component="holding", service_date=day, meter_reading=reading, meter_unit="gal", signed_on=day,
            event_type="meter_reading" if not gallons else "pumping", gallons_pumped=gallons or None,
        )  # fmt: skip
        if not gallons:
            sent |= {"event_type": "pumping", "gallons_pumped": 2500}
        answer = world.post(f"/v1/{HOME}/reports", sent)
        assert answer.status_code == 201, answer.text
        world.ids[str(n)] = answer.json["report_id"]
    with world.database.reading(HOME) as store:
        world.ids["HT-1"] = the_system(store, "HT-1").system_id
    return world


def tank(world: World, who: str = "county", query: str = "") -> dict[str, Any]:
    answer = world.get(f"/v1/{HOME}/systems/{world.ids['HT-1']}/meters{query}", who)
    assert answer.status_code == 200, answer.text
    [found] = answer.json["tanks"]
    return dict(found)


def test_interval_metered_pumped_ratio_and_finding(metered: World) -> None:
    rows = [
        (r["from"], r["to"], r["metered_gallons"], r["pumped_gallons"], r["ratio"], r["finding"])
        for r in tank(metered)["intervals"]
    ]
    assert rows == [
        ("2026-04-01", "2026-05-01", 3000, 2900, 0.967, None),
        ("2026-05-01", "2026-06-01", 3100, 1500, 0.484, "unaccounted_water"),
        ("2026-06-01", "2026-07-01", 0, 2800, None, "infiltration, meter_stuck"),
    ]


def test_readings_stand_as_they_were_read_with_what_they_come_to(metered: World) -> None:
    rows = [(r["on"], r["reading"], r["unit"], r["serial"], r["gallons_since"]) for r in tank(metered)["readings"]]
    assert rows[0] == ("2026-04-01", 1000, "gal", "A1", None)
    assert [r[4] for r in rows] == [None, 3000, 3100, 0]


def test_the_forecast_has_a_range_and_goes_by_what_was_pumped_where_the_meter_stands_still(metered: World) -> None:
    ahead = tank(metered)["forecast"]
    assert ahead["gallons_per_day"] == pytest.approx((3000 + 3100 + 2800) / 91, abs=0.01)
    assert ahead["full_on"] == "2026-07-29"  # 2,700 at 97.8 a day
    assert ahead["earliest_on"] < ahead["full_on"] < ahead["latest_on"]
    status = metered.get(f"/v1/{HOME}/status?permit=HT-1", "county").json["forecast"]
    assert {name: status[name] for name in ("full_on", "earliest_on", "latest_on")} == {
        name: ahead[name] for name in ("full_on", "earliest_on", "latest_on")
    }


def test_another_day_is_judged_by_what_lies_before_it(metered: World) -> None:
    assert len(tank(metered, query="?as_of=2026-06-30")["intervals"]) == 2


def test_the_same_as_a_file_for_a_spreadsheet(metered: World) -> None:
    answer = metered.get(f"/v1/{HOME}/systems/{metered.ids['HT-1']}/meters.csv", "county")
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert [r["pumped_gallons"] for r in rows] == ["2900", "1500", "2800"]
    assert rows[1]["finding"] == "unaccounted_water"


def test_a_business_is_not_shown_which_reports_of_others_they_are(metered: World) -> None:
    assert tank(metered, "contractor")["intervals"][0]["report_id"] == metered.ids["1"]
    system = metered.ids["HT-1"]
    change = {"system": system, "license_number": OTHERS}
    assert metered.post(f"/v1/{HOME}/designations", change, "county").status_code == 201
    found = tank(metered, "other contractor")
    assert {row["report_id"] for row in (*found["intervals"], *found["readings"])} == {None}
    assert found["intervals"][0]["pumped_gallons"] == 2900
    assert metered.get(f"/v1/{HOME}/systems/{system}/meters", "contractor").status_code == 404


def test_a_commercial_tank_asked_for_its_peaks(world: World) -> None:
    """WI12, 16.05(1)(g)(3): the flag `peaks_asked` asks each reading for the peak, held against the limit."""
    row = a_row(
        "HT-9", component="holding", capacity_gallons="5000", building="commercial", flags="peaks_asked",
        meter_unit="gal", installed_on="2019-01-01",
    )  # fmt: skip
    load(world.database, row, county="winnebago", now=NOW)
    reading = {"permit_number": "HT-9", "component": "holding", "service_date": "2026-07-02", "meter_reading": 4000}
    reading |= {"report_ref": "W-1", "site_address": row["site_address"], "license_number": MINE}
    refused = world.post("/v1/winnebago/meter-readings", reading, "admin")
    assert [(e["field"], e["cite"]) for e in refused.json["errors"]] == [("peak_daily_gallons", "16.05(1)(g)(3)")]
    for ref, day, peak in (("W-2", "2026-07-02", 95), ("W-3", "2026-07-10", 101)):
        sent = {**reading, "report_ref": ref, "service_date": day, "peak_daily_gallons": peak}
        assert world.post("/v1/winnebago/meter-readings", sent, "admin").status_code == 201
    with world.database.reading("winnebago") as store:
        system = the_system(store, "HT-9").system_id
    [found] = world.get(f"/v1/winnebago/systems/{system}/meters", "admin").json["tanks"]
    assert found["peaks"] == [{"month": "2026-07", "peak_daily_gallons": 101, "over_limit": True}]
    assert found["use"]["limit_gallons_per_day"] == 100
