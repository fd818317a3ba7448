"""Who may do what, by HTTP in every program (PO4, PO16, WI3, WI14, OZ1, OZ2, S13, S14): kinds, dates, two people."""

from typing import Any

import pytest

from reporting.contractors import import_contractors
from schemas.loader import shipped_slugs
from tests.reporting.api.world import AWAY, HOME, MINE, NOW, World, a_report
from tests.reporting.counties import a_row, csv_of, load

LICENCES = {
    "SO-1": ("septage_operator", "2026-06-30"),
    "SO-2": ("septage_operator", "2030-01-01"),
    "MP-1": ("master_plumber", "2030-01-01"),
    "IN-1": ("powts_inspector", "2026-06-30"),
    "IN-2": ("powts_inspector", "2030-01-01"),
    "ST-1": ("soil_tester", "2030-01-01"),
    "RO-1": ("registered_owner", "2030-01-01"),
}
SLUGS = shipped_slugs()


@pytest.fixture
def filled(world: World) -> World:
    names = {number: f"Business of {number}" for number in LICENCES} | {"RO-1": "Laverne Lor"}
    rows = [
        {"license_number": n, "business_name": names[n], "credential_kind": kind, "expires_on": until}
        for n, (kind, until) in LICENCES.items()
    ]
    rows.append({**rows[-1], "license_number": "TW-2", "business_name": "Two", "credential_kind": "soil_tester"})
    rows.append({**rows[-1], "credential_kind": "septage_operator"})
    with world.database.transaction(None) as store:
        assert import_contractors(store, csv_of(*rows), counties=SLUGS, now=NOW).rejected == 0
    for county in SLUGS:
        place = {"installed_on": "1995-01-01", "permit_issued_on": "1994-10-01"}
        tank = a_row("C-1", **place, last_pumped_on="2022-01-05", last_inspected_on="2022-01-05")
        cell = a_row("C-1", **place, component="dispersal", capacity_gallons="", last_inspected_on="2022-01-05")
        load(world.database, tank, cell, county=county, now=NOW)
    return world


def send(world: World, county: str, **values: Any) -> dict[str, Any]:
    place = {"permit_number": "C-1", "parcel_number": "08-C-1", "site_address": "N161 County Road K"}
    usual = {"owner_name": "Laverne Lor", "service_date": "2026-07-01", "signed_on": "2026-07-01"}
    answer = world.post(
        f"/v1/{county}/reports", a_report(**{**place, **usual, "credential_kind": None, **values}), "admin"
    )
    assert answer.status_code == 201, answer.text
    assert answer.json["outcome"] == "accepted", answer.text
    body = world.get(f"/v1/{county}/status?permit=C-1", "admin").json
    return {
        "said": sorted({f["kind"] for f in answer.json["findings"] if f["kind"] != "late_report"}),
        "rules": {f["rule"] for f in answer.json["findings"] if f["kind"] == "not_qualified"},
        "open": {o["kind"] for o in body["obligations"] if o["state"] == "overdue"},
    }


@pytest.mark.parametrize("county", SLUGS)
@pytest.mark.parametrize(
    ("number", "day", "counts"),
    [
        ("SO-1", "2026-06-30", True),  # its last day
        ("SO-1", "2026-07-01", False),
        ("SO-2", "2026-07-01", True),
        ("MP-1", "2026-07-01", False),  # a plumber inspects and does not pump: PO4, WI3
        ("ST-1", "2026-07-01", False),
        ("TW-2", "2026-07-01", True),  # one of two credentials under the number entitles
    ],
)
def test_pumping_takes_a_current_operators_licence(
    filled: World, county: str, number: str, day: str, counts: bool
) -> None:
    found = send(filled, county, license_number=number, service_date=day, signed_on=day)
    pumping = {"pump", "pump_or_inspect"} & found["open"]
    assert ("not_qualified" not in found["said"]) is counts, found
    # A plumber's pumping that says what was found is an inspection, which meets OZ1.
    assert (not pumping) is counts or number == "MP-1", found


@pytest.mark.parametrize("county", SLUGS)
@pytest.mark.parametrize(("number", "counts"), [("IN-1", False), ("IN-2", True), ("SO-2", False), ("MP-1", True)])
def test_oz2_the_dispersal_inspection_takes_one_of_the_four_kinds_there_and_elsewhere_more(
    filled: World, county: str, number: str, counts: bool
) -> None:
    found = send(
        filled, county, license_number=number, component="dispersal", event_type="inspection", gallons_pumped=None,
        not_pumped_reason=None, tank_condition="good",
    )  # fmt: skip
    operator_elsewhere = number == "SO-2" and county != HOME
    assert ("not_qualified" not in found["said"]) is (counts or operator_elsewhere), found
    if county == HOME:
        assert found["rules"] == (set() if counts else {"OZ2"})
        assert ("inspect_dispersal" in found["open"]) is not counts


@pytest.mark.parametrize(("component", "counts"), [("septic", True), ("dispersal", False)])
def test_po16_a_septage_operator_evaluates_tanks_only(filled: World, component: str, counts: bool) -> None:
    found = send(filled, AWAY, license_number="SO-2", component=component, event_type="evaluation", gallons_pumped=None)
    assert found["rules"] == (set() if counts else {"PO16"})
    plumber = send(
        filled, AWAY, license_number="MP-1", component=component, event_type="evaluation", gallons_pumped=None,
        report_ref="T-9",
    )  # fmt: skip
    assert plumber["rules"] == set()


@pytest.mark.parametrize(("inspector", "counts"), [("IN-2", True), ("IN-1", False), ("ST-1", False)])
def test_two_people_on_a_report_each_with_an_own_licence(filled: World, inspector: str, counts: bool) -> None:
    """PO5 asks for both signatures; PO1's inspection is the second person's, PO2's pumping the first one's."""
    two = {"event_type": "pumping_and_inspection", "license_number": "SO-2", "inspector_name": "Lena Oestreich"}
    two |= {"inspector_license_number": inspector}
    place = {"permit_number": "C-1", "parcel_number": "08-C-1", "site_address": "N161 County Road K"}
    unsigned = a_report(**place, **two, credential_kind=None)
    refused = filled.post(f"/v1/{AWAY}/reports", unsigned, "admin")
    assert [(e["field"], e["cite"]) for e in refused.json["errors"]] == [("inspector_signature", "7.9.34(5)")]
    found = send(filled, AWAY, **two, inspector_signature="Lena Oestreich")
    assert "pump" not in found["open"]
    assert ("inspect_tank" not in found["open"]) is counts
    assert found["rules"] == (set() if counts else {"PO1"})


@pytest.mark.parametrize(("owner", "counts"), [("Laverne Lor", True), ("Lor, Otis & Laverne", True), ("Mo Nye", False)])
@pytest.mark.parametrize(("county", "rule"), [(AWAY, "S13"), ("winnebago", "WI14")])
def test_s13_wi14_a_registered_owner_on_the_own_tank_and_on_no_other(
    filled: World, county: str, rule: str, owner: str, counts: bool
) -> None:
    """WI4 leaves the septic report to the licensed individual since the amendment, but for the registered owner's."""
    tank = a_row("C-1", owner_name=owner, installed_on="1995-01-01", last_pumped_on="2022-01-05")
    load(filled.database, tank, county=county, now=NOW)
    found = send(filled, county, license_number="RO-1", submitter="owner", owner_name=owner)
    assert found["rules"] == (set() if counts else {rule})
    assert ("pump" not in found["open"]) is counts
    assert ("wrong_submitter" in found["said"]) is (not counts and county == "winnebago")


def test_s13_the_county_says_whose_tank_it_is_by_a_designation(filled: World) -> None:
    """A farm in the name of a trust: the registration is on file under a person's name."""
    load(
        filled.database, a_row("C-1", owner_name="Lor Family Trust", last_pumped_on="2022-01-05"), county=AWAY, now=NOW
    )
    assert send(filled, AWAY, license_number="RO-1", owner_name="Lor Family Trust")["rules"] == {"S13"}
    designation = {"permit_number": "C-1", "license_number": "RO-1", "valid_from": "2026-01-01"}
    assert filled.post(f"/v1/{AWAY}/designations", designation, "other county").status_code == 201
    body = filled.get(f"/v1/{AWAY}/status?permit=C-1", "admin").json
    assert not [f for f in body["findings"] if f["kind"] == "not_qualified"]


@pytest.mark.parametrize(("submitter", "day", "wrong"), [
    ("owner", "2026-06-30", False), ("owner", "2026-07-01", True), ("agent", "2026-07-01", True),
    ("contractor", "2026-07-01", False),
])  # fmt: skip
def test_wi4_s14_who_filed_is_told_by_whoever_enters_the_paper(
    filled: World, submitter: str, day: str, wrong: bool
) -> None:
    found = send(filled, "winnebago", license_number=MINE, submitter=submitter, service_date=day, signed_on=day)
    assert ("wrong_submitter" in found["said"]) is wrong
    elsewhere = send(filled, AWAY, license_number=MINE, submitter=submitter, service_date=day, signed_on=day)
    assert "wrong_submitter" not in elsewhere["said"]
