"""Every column of an inventory does something: what it says is kept where the assessment and people look for it."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from reporting.histories import scenario_of
from reporting.inventory.columns import ALIASES, COLUMNS, read_headings
from reporting.store.engine import Database
from reporting.store.facts import StoredHistory
from tests.reporting.counties import NOW, a_row, load, the_system

BASE = {
    "municipality": "Town of Grafton", "owner_name": "Laverne Lor", "component": "holding", "capacity_gallons": "1500",
    "meter_serial": "A1", "meter_unit": "gal", "designated_license_number": "00412", "exemption_kind": "vacant",
    "exemption_granted_on": "2025-01-01", "contract_from": "2025-01-01",
}  # fmt: skip
IN_SYSTEM: dict[str, tuple[str, Any]] = {
    "use": ("seasonal", "seasonal"),
    "season_from": ("5/1", "05-01"),
    "season_to": ("10/31", "10-31"),
    "building": ("commercial", "commercial"),
    "permit_issued_on": ("7/2/2019", "2019-07-02"),
    "installed_on": ("2019-08-02", "2019-08-02"),
    "occupied_on": ("2019-09-02", "2019-09-02"),
    "sewer_available_on": ("2026-01-02", "2026-01-02"),
    "design_flow_gpd": ("450", 450),
    "service_area": ("2", 2),
    "agreement_recorded_on": ("2019-10-02", "2019-10-02"),
    "assigned_due_on": ("2027-05-01", "2027-05-01"),
    "postcode": ("53080", "53080"),
    "legal_description": ("NE1/4 SW1/4", "NE1/4 SW1/4"),
    "latitude": ("43.5", "43.5"),
    "longitude": ("-87.9", "-87.9"),
    "access_notes": ("gate code 12", "gate code 12"),
    "flags": ("meter_ordered", ["meter_ordered"]),
    "plan_pump_months": ("12", {"pump_months": 12}),
    "plan_inspect_months": ("12", {"inspect_months": 12}),
    "plan_dispersal_months": ("12", {"dispersal_months": 12}),
}
PLAN = "plan_"


def stored_after(kept: Database, column: str, text: str) -> StoredHistory:
    """A first file without the column, a second one with it: it is told as a change, and told once."""
    missing = {column, *({"contract_from"} if column == "designated_license_number" else ())}
    row = {name: value for name, value in a_row(**BASE).items() if name not in missing}
    load(kept, row)
    later = NOW + timedelta(days=1)
    answer = load(kept, {**row, column: text}, now=later)
    assert (answer.changed, answer.rejected) == (1, 0), (column, answer.errors)
    json.dumps(answer.as_json())
    assert load(kept, {**row, column: text}, now=later).untouched == 1
    with kept.reading("ozaukee") as store:
        return the_system(store)


@pytest.mark.parametrize("column", IN_SYSTEM)
def test_what_the_system_is(kept: Database, column: str) -> None:
    text, value = IN_SYSTEM[column]
    stored = stored_after(kept, column, text)
    key = "plan" if column.startswith(PLAN) else column
    assert scenario_of(stored, "ozaukee")["system"][key] == value


OTHERS = {
    "parcel_number": ("08-99", lambda s: s.system["parcel_number"], "08-99"),
    "site_address": ("N9 Other Road", lambda s: s.system["site_address"], "N9 Other Road"),
    "municipality": ("Town of Fredonia", lambda s: s.system["municipality"], "Town of Fredonia"),
    "owner_name": ("Ann Ode", lambda s: s.owner["name"], "Ann Ode"),
    "owner_name_2": ("Ann Ode", lambda s: s.owner["name"], "Laverne Lor & Ann Ode"),
    "owner_since": ("2020-02-02", lambda s: s.owner["valid_from"], date(2020, 2, 2)),
    "owner_email": ("a@example.org", lambda s: s.owner["email"], "a@example.org"),
    "owner_phone": ("262-555-0101", lambda s: s.owner["content"]["phone"], "262-555-0101"),
    "owner_mailing_address": ("PO Box 1", lambda s: s.owner["content"]["mailing_address"], "PO Box 1"),
    "capacity_gallons": ("2000", lambda s: s.components[0]["content"]["capacity_gallons"], 2000),
    "status": ("sewered", lambda s: s.system["status"], "sewered"),
    "meter_serial": ("B2", lambda s: s.components[0]["content"]["meter"]["serial"], "B2"),
    "meter_unit": ("m3", lambda s: s.components[0]["content"]["meter"]["unit"], "m3"),
    "meter_digits": ("7", lambda s: s.components[0]["content"]["meter"]["digits"], 7),
    "designated_license_number": ("00855", lambda s: s.designations[-1]["license_norm"], "00855"),
    "contract_to": ("2027-12-31", lambda s: s.contracts[0]["to_on"], date(2027, 12, 31)),
    "last_pumped_on": ("2025-03-03", lambda s: s.events[0]["service_date"], date(2025, 3, 3)),
    "last_inspected_on": ("2025-04-04", lambda s: s.events[0]["event_type"], "inspection"),
}
# With others: they name which system or part a row is of, or need another column beside them to say something new.
NAMES = {"permit_number", "component", "component_ref"}
TOGETHER = {"status_since", "meter_since", "exemption_kind", "exemption_granted_on", "contract_from"}


@pytest.mark.parametrize("column", OTHERS)
def test_what_belongs_to_it(kept: Database, column: str) -> None:
    text, look, value = OTHERS[column]
    assert look(stored_after(kept, column, text)) == value


def test_no_column_is_without_its_test() -> None:
    """Rule S1 asks for parcel number, legal description, owner's name and address: each is tried above."""
    # test_life_of_a_system and test_inventory have those of `NAMES` and `TOGETHER`.
    assert {*IN_SYSTEM, *OTHERS, *NAMES, *TOGETHER} == set(COLUMNS)


def test_the_headings_are_data_and_name_columns_only() -> None:
    assert set(ALIASES) <= set(COLUMNS)
    assert ALIASES["parcel_number"] == ("parcel", "tax parcel", "tax key", "PARCELID")
    assert read_headings('[own]\nuse = ["u"]\n[statewide]\nUSE1 = "use"\nOWN = "owner_name"') == {
        "use": ("u", "USE1"), "owner_name": ("OWN",),
    }  # fmt: skip
