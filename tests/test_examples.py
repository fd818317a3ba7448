"""The sample data: made by their script, shaped by the contract, and with the traits that their README promises."""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
COUNTIES = ("ozaukee", "portage", "winnebago", "lake-beulah")
AS_OF = date(2026, 7, 13)
INVENTORY = (
    "permit_number parcel_number site_address municipality postcode legal_description owner_name owner_email"
    " owner_phone owner_mailing_address component capacity_gallons use season_from season_to building status"
    " permit_issued_on installed_on occupied_on design_flow_gpd service_area plan_pump_months plan_inspect_months"
    " plan_dispersal_months meter_serial meter_unit meter_digits component_ref agreement_recorded_on exemption_kind"
    " exemption_granted_on designated_license_number contract_from contract_to last_pumped_on last_inspected_on"
    " assigned_due_on latitude longitude access_notes flags"
)
CONTRACTORS = "license_number credential_kind business_name email phone address expires_on counties"
REPORT_FIELDS = (
    "report_ref permit_number parcel_number site_address municipality owner_name component event_type service_date"
    " gallons_pumped partial not_pumped_reason next_pump_date sludge_scum_fraction tank_condition ponding defects"
    " defects_corrected_on meter_reading meter_unit meter_serial meter_estimated work_description notes disposal_site"
    " business_name business_address technician_name license_number credential_kind inspector_name"
    " inspector_license_number inspector_signature inspector_credential_kind signature signed_on component_ref"
    " failure_condition surface_discharge tampering no_access liquid_level peak_daily_gallons plan_measurements"
    " service_time waste_type disposal_date disposal_time operator_in_charge vehicle_operator load_ref sent_on"
)
ASKED = (
    "report_ref site_address owner_name service_date work_description tank_condition ponding business_name"
    " business_address technician_name license_number credential_kind signature signed_on"
)
PARCELS = {
    "ozaukee": r"\d\d-\d{3}-\d\d-\d{3}\.\d\d",
    "portage": r"0\d{8}-\d\d\.\d{2,3}",
    "winnebago": r"\d{7}|\d{3}-\d{4}(-\d\d)?",
    "lake-beulah": r"N LB \d{5}|NBH \d{5}|P ET\d{6}|P ET \d{5}A",
}

Rows = list[dict[str, str]]


def read(name: str) -> Rows:
    with (EXAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def inventory(county: str) -> Rows:
    return read(f"inventory/{county}.csv")


def history(county: str) -> Rows:
    return read(f"history/{county}-history.csv")


def systems(county: str) -> dict[str, dict[str, str]]:
    """First row of each system, by permit."""
    return {row["permit_number"]: row for row in reversed(inventory(county))}


def day(text: str) -> date:
    return date.fromisoformat(text)


def expected() -> dict[str, list[dict[str, object]]]:
    files: list[dict[str, list[dict[str, object]]]] = json.loads((EXAMPLES / "expected.json").read_text())["files"]
    return {str(item["file"]): item["outcomes"] for item in files}


def report_rows(name: str) -> list[list[object]]:
    """A report file's rows, its heading first (JSON has none), read in the way its README says it is written."""
    content = (EXAMPLES / name).read_bytes()
    if name.endswith(".xlsx"):
        sheet = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0)
        return [list(row) for row in sheet.to_python()]
    if name.endswith(".json"):
        value = json.loads(content)
        return [list(item.values()) for item in (value if isinstance(value, list) else [value])]
    text = content.decode("cp1252" if "winnebago" in name else "utf-8-sig")
    delimiter = {"winnebago": "\t", "portage": ";"}.get(name.split("/")[1].split("-")[0], ",")
    return [list(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]


def parts(workbook: bytes) -> dict[str, bytes]:
    """A workbook's members without their compression, which may differ between builds of zlib."""
    if not zipfile.is_zipfile(io.BytesIO(workbook)):
        return {"": workbook}
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_script_makes_the_shipped_files(tmp_path: Path) -> None:
    script = EXAMPLES / "make_examples.py"
    subprocess.run([sys.executable, str(script), "--out", str(tmp_path)], check=True, capture_output=True)
    made = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*") if path.is_file()}
    kept = {
        str(path.relative_to(EXAMPLES))
        for path in EXAMPLES.rglob("*")
        if path.is_file()
        and path.suffix not in {".py", ".pyc"}
        and not path.is_relative_to(EXAMPLES / "programs")  # written by hand
        and not re.search(r"/\.", f"/{path.relative_to(EXAMPLES)}")
    }
    assert set(made) == kept
    for name, path in made.items():
        fresh, shipped = path.read_bytes(), (EXAMPLES / name).read_bytes()
        same = parts(fresh) == parts(shipped) if name.endswith(".xlsx") else fresh == shipped
        assert same, f"{name} is not what make_examples.py makes"


def test_columns_are_those_of_the_contract() -> None:
    for county in COUNTIES:
        assert list(inventory(county)[0]) == INVENTORY.split()
        assert set(history(county)[0]) <= set(REPORT_FIELDS.split())
    assert list(read("contractors.csv")[0]) == CONTRACTORS.split()


def test_about_a_thousand_systems() -> None:
    counts = {county: len(systems(county)) for county in COUNTIES}
    assert counts == {"ozaukee": 300, "portage": 280, "winnebago": 300, "lake-beulah": 120}


@pytest.mark.parametrize("county", COUNTIES)
def test_identifiers_are_unique_where_they_should_be(county: str) -> None:
    rows = inventory(county)
    components = Counter((row["permit_number"], row["component"], row["component_ref"]) for row in rows)
    assert max(components.values()) == 1
    normalised = {re.sub(r"[^a-z0-9]", "", permit.lower()) for permit in systems(county)}
    assert len(normalised) == len(systems(county))
    assert len({row["site_address"] for row in systems(county).values()}) == len(systems(county))
    # One system is one place and one owner, however many rows it has.
    shared = ("parcel_number", "site_address", "owner_name", "status", "service_area", "permit_issued_on")
    assert len({(row["permit_number"], *(row[name] for name in shared)) for row in rows}) == len(systems(county))


@pytest.mark.parametrize("county", COUNTIES)
def test_parcels_are_written_as_the_county_writes_them(county: str) -> None:
    assert [
        row["parcel_number"] for row in inventory(county) if not re.fullmatch(PARCELS[county], row["parcel_number"])
    ] == []


@pytest.mark.parametrize("county", COUNTIES)
def test_each_inventory_has_the_traits_of_a_real_one(county: str) -> None:
    rows, by_permit = inventory(county), systems(county)
    parcels: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        parcels[row["parcel_number"]].add(row["permit_number"])
    tanks = Counter(row["permit_number"] for row in rows if row["component"] == "septic")
    assert sum(len(permits) == 2 for permits in parcels.values()) >= 2
    assert any(count == 2 for count in tanks.values())
    assert len({row["municipality"] for row in rows}) >= (2 if county == "lake-beulah" else 5)
    assert 0.2 < sum(not row["owner_email"] for row in by_permit.values()) / len(by_permit) < 0.6
    assert any(row["capacity_gallons"] == "999" for row in rows)
    assert sum(not row["permit_issued_on"] for row in by_permit.values()) >= 10
    assert any(row["status"] in {"abandoned", "sewered", "removed"} for row in by_permit.values())
    assert any(row["component"] == "holding" and row["use"] == "seasonal" and row["meter_serial"] for row in rows)
    assert all(
        row["agreement_recorded_on"] for row in rows if row["component"] == "holding" and row["permit_issued_on"]
    )
    assert any(row["last_pumped_on"] for row in rows)
    assert all(row["legal_description"] and row["owner_name"] and row["owner_mailing_address"] for row in rows)


def test_each_county_has_what_its_own_rules_need() -> None:
    ozaukee, portage, winnebago, beulah = (inventory(county) for county in COUNTIES)
    assert any(re.match(r"N\d{4} County Road K$", row["site_address"]) for row in ozaukee)
    assert any(re.match(r"W\d\dN\d{3,4} Washington Ave$", row["site_address"]) for row in ozaukee)
    new = [row for row in ozaukee if row["component"] == "septic" and row["permit_issued_on"] >= "2000-07-01"]
    assert sum(bool(row["plan_pump_months"]) for row in new) > 80
    assert any(not row["plan_pump_months"] for row in new)
    holding = [row for row in ozaukee if row["component"] == "holding"]
    assert sum(not row["designated_license_number"] for row in holding) == 2
    assert sum("meter_ordered" in row["flags"] for row in portage) == 6
    assert Counter(row["building"] for row in winnebago)["event_grounds"] == 6
    assert Counter(row["building"] for row in winnebago)["commercial"] >= 1
    assert {row["service_area"] for row in beulah} == {"1", "2", "3"}
    kinds = {row["exemption_kind"] for row in beulah}
    assert kinds == {"", "commercial", "vacant", "infrequent_use", "inspection_only"}


def test_mail_and_telephone_lead_nowhere() -> None:
    people = [row for county in COUNTIES for row in inventory(county)]
    mails = [row["owner_email"] for row in people if row["owner_email"]] + [
        row["email"] for row in read("contractors.csv")
    ]
    assert [
        mail
        for mail in mails
        if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*@([a-z-]+\.)?example\.(com|net|org)", mail)
    ] == []
    phones = [row["owner_phone"] for row in people if row["owner_phone"]] + [
        row["phone"] for row in read("contractors.csv")
    ]
    assert [phone for phone in phones if not re.fullmatch(r"\d{3}-555-01\d\d", phone)] == []


def test_contractors_hold_several_licences_and_one_has_run_out() -> None:
    rows = read("contractors.csv")
    assert len({row["license_number"] for row in rows}) == len(rows)
    assert len({row["business_name"] for row in rows}) == 12
    assert {row["credential_kind"] for row in rows} == {
        "septage_operator",
        "powts_inspector",
        "powts_maintainer",
        "master_plumber",
    }
    assert [row["license_number"] for row in rows if day(row["expires_on"]) < AS_OF] == ["00857"]
    designated = {row["designated_license_number"] for county in COUNTIES for row in inventory(county)} - {""}
    assert designated <= {row["license_number"] for row in rows}


@pytest.mark.parametrize("county", COUNTIES)
def test_history_speaks_of_the_inventorys_tanks(county: str) -> None:
    tanks = {(row["permit_number"], row["component"], row["component_ref"]): row for row in inventory(county)}
    licences = {row["license_number"]: row for row in read("contractors.csv")}
    rows = history(county)
    assert len(rows) > 200
    identities = Counter(
        (row["business_name"], row["report_ref"], row["component"], row["component_ref"]) for row in rows
    )
    assert max(identities.values()) == 1
    for row in rows:
        tank, licence = (
            tanks[row["permit_number"], row["component"], row["component_ref"]],
            licences[row["license_number"]],
        )
        assert (row["parcel_number"], row["owner_name"]) == (tank["parcel_number"], tank["owner_name"])
        assert (tank["installed_on"] or "1900-01-01") <= row["service_date"] < AS_OF.isoformat()
        assert row["service_date"] > tank["last_pumped_on"]
        assert day(row["service_date"]) <= day(licence["expires_on"])
        assert row["credential_kind"] == licence["credential_kind"]
        assert row["credential_kind"] == "septage_operator" or not row["gallons_pumped"]
        assert county in licence["counties"].split(";")


@pytest.mark.parametrize("county", COUNTIES)
def test_history_holds_what_every_program_asks(county: str) -> None:
    for row in history(county):
        assert [name for name in ASKED.split() if not row[name]] == [], row["report_ref"]
        assert (row["gallons_pumped"] and row["disposal_site"]) or (row["not_pumped_reason"] and row["next_pump_date"])
        assert (
            bool(row["inspector_name"])
            == bool(row["inspector_signature"])
            == (row["event_type"] == "pumping_and_inspection")
        )
        metered = county == "ozaukee" and row["component"] == "holding"
        assert row["meter_reading"] or not metered


def pumpings(county: str) -> dict[str, Rows]:
    """The pumpings of each year-round, metered holding tank, oldest first."""
    year_round = {
        row["permit_number"]
        for row in inventory(county)
        if row["component"] == "holding" and row["use"] == "year_round" and row["meter_unit"] == "gal"
    }
    found: dict[str, Rows] = defaultdict(list)
    for row in history(county):
        if row["permit_number"] in year_round and row["component"] == "holding":
            found[row["permit_number"]].append(row)
    return found


def daily_gallons(rows: Rows) -> list[float]:
    pairs = pairwise(rows)
    return [
        (int(b["meter_reading"]) - int(a["meter_reading"])) % 1_000_000
        / (day(b["service_date"]) - day(a["service_date"])).days
        for a, b in pairs
    ]  # fmt: skip


@pytest.mark.parametrize("county", COUNTIES)
def test_year_round_holding_tanks_can_be_forecast(county: str) -> None:
    for permit, rows in pumpings(county).items():
        usual = sorted(daily_gallons(rows))
        assert len(usual) >= 3, permit
        assert usual[0] > 40, permit
        assert usual[-1] < 140, permit
        assert usual[-1] / usual[0] < 1.1, permit


def test_some_holding_tanks_fill_within_the_week_and_some_were_forgotten() -> None:
    days = []
    for county in COUNTIES:
        capacities = {
            row["permit_number"]: int(row["capacity_gallons"])
            for row in inventory(county)
            if row["component"] == "holding"
        }
        for permit, rows in pumpings(county).items():
            level = 0.9 * capacities[permit] / daily_gallons(rows)[-1]
            days.append((day(rows[-1]["service_date"]) + timedelta(days=level) - AS_OF).days)
    assert sum(0 <= left <= 7 for left in days) >= 10
    assert sum(left < -20 for left in days) >= 4
    assert sum(left > 7 for left in days) >= 20


def balances(county: str, permit: str) -> list[float]:
    rows = pumpings(county)[permit]
    metered = [(int(b["meter_reading"]) - int(a["meter_reading"])) % 1_000_000 for a, b in pairwise(rows)]
    return [int(row["gallons_pumped"]) / used for row, used in zip(rows[1:], metered, strict=True)]


def test_the_tanks_that_the_readme_points_out() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    named = re.findall(r"  - `([^`]+)`: ", readme)
    leaking, infiltrated, rolled, cubic, estimated, undesignated, temporary = named
    tanks = systems("ozaukee")
    assert max(balances("ozaukee", leaking)) < 0.75
    assert min(balances("ozaukee", infiltrated)) > 1.25
    odd = {
        permit
        for permit in pumpings("ozaukee")
        if permit not in {leaking, infiltrated}
        and not 0.75 <= min(balances("ozaukee", permit)) <= max(balances("ozaukee", permit)) <= 1.25
    }
    assert odd == set()
    readings = [int(row["meter_reading"]) for row in pumpings("ozaukee")[rolled]]
    assert readings != sorted(readings)
    assert tanks[cubic]["meter_unit"] == "ft3"
    assert [row["permit_number"] for row in history("ozaukee") if row["meter_estimated"] == "true"] == [estimated]
    assert tanks[undesignated]["designated_license_number"] == ""
    assert tanks[temporary]["flags"] == "temporary"


def test_four_winnebago_cottages_missed_2025() -> None:
    cottages = {
        row["permit_number"]: row
        for row in inventory("winnebago")
        if row["season_from"] and row["component"] == "holding"
    }
    years: dict[str, set[str]] = defaultdict(set)
    for row in history("winnebago"):
        years[row["permit_number"]].add(row["service_date"][:4])
    standing = {permit for permit, row in cottages.items() if (row["installed_on"] or "2000") < "2025"}
    assert len(cottages) == 32
    assert sum("2025" not in years[permit] for permit in standing) == 4
    assert 5 <= sum("2026" not in years[permit] for permit in standing) <= 16


def last_service(county: str) -> dict[str, date]:
    """The last pumping or inspection of each active septic system that has one, from inventory and history."""
    found: dict[str, date] = {}
    for row in inventory(county):
        if row["component"] == "septic" and row["status"] == "active" and row["last_pumped_on"]:
            found[row["permit_number"]] = day(row["last_pumped_on"])
    for row in history(county):
        if row["component"] == "septic":
            found[row["permit_number"]] = max(day(row["service_date"]), found.get(row["permit_number"], date.min))
    return found


@pytest.mark.parametrize("county", ["ozaukee", "portage", "winnebago", "lake-beulah"])
def test_most_are_in_order_some_due_some_overdue(county: str) -> None:
    due = [AS_OF - timedelta(days=1096), AS_OF - timedelta(days=1036)]
    days = list(last_service(county).values())
    overdue = sum(on < due[0] for on in days)
    soon = sum(due[0] <= on <= due[1] for on in days)
    assert overdue / len(days) < 0.2
    assert overdue >= 4
    assert soon >= 4
    assert len(days) - overdue - soon > len(days) * 0.6


def test_report_files_have_a_row_for_each_expectation() -> None:
    files = expected()
    assert len(files) == 7
    for name, outcomes in files.items():
        rows = report_rows(name) if name.endswith(".json") else report_rows(name)[1:]
        assert len(rows) == len(outcomes), name
        assert {item["outcome"] for item in outcomes} <= {"accepted", "duplicate", "rejected", "queued_for_review"}


def test_every_expectation_is_in_the_readme() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    for name, outcomes in expected().items():
        table = readme.split(f"### `{name}`")[1].split("###")[0]
        for item in outcomes:
            assert re.search(
                rf"^\| {item['row']} \| [^|]+ \| {item['outcome']} \| .*{re.escape(str(item['why']))} \|$", table, re.M
            )


def test_the_wrong_rows_are_wrong_in_the_way_the_readme_says() -> None:
    rows = report_rows("reports/ozaukee-hauler-export.csv")[1:]
    head = (EXAMPLES / "reports/ozaukee-hauler-export.csv").read_bytes()
    assert head.startswith(b"\xef\xbb\xbfTicket #,Permit #,")
    assert head.count(b"\n") == head.count(b"\r\n") == 14
    ticket, permit, kind, on, gallons, meter, licence = 0, 1, 6, 8, 9, 10, 18
    assert (rows[0][permit], rows[0][on]) == ("SP-1987", "6/30/2026")
    assert re.fullmatch(r"\d,\d{3}", str(rows[1][gallons]))
    assert rows[1][meter]
    assert (rows[2][kind], rows[2][meter]) == ("Holding", "")
    assert rows[3] == rows[1]
    assert rows[4][on] == "7/2/2062"
    assert rows[5][gallons] == "~1500"
    known = systems("ozaukee")
    assert str(rows[6][permit]).strip() not in known
    assert re.sub(r"\W", "", str(rows[6][permit])) in {re.sub(r"\W", "", number.lower()) for number in known}
    assert rows[7][permit] not in known
    assert rows[9][ticket] == rows[8][ticket]
    assert rows[9][gallons] != rows[8][gallons]
    assert rows[10][gallons] == ""
    assert rows[11][licence] == ""


def test_the_workbook_has_real_days_and_numbers() -> None:
    rows = report_rows("reports/ozaukee-reports.xlsx")[1:]
    assert [row[7] for row in rows] == [
        date(2026, 7, 10),
        date(2026, 7, 10),
        date(2026, 7, 11),
        "7/8/2026",
        "last Wednesday",
        date(2026, 7, 9),
    ]
    assert all(isinstance(row[8], float) for row in rows)


def test_winnebago_reports_lie_on_both_sides_of_the_amendment() -> None:
    text = (EXAMPLES / "reports/winnebago-route-sheet.csv").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        text.decode()
    rows = list(csv.DictReader(io.StringIO(text.decode("cp1252")), delimiter="\t"))
    assert {row["Component"] for row in rows} == {"septic", "holding"}
    assert any(row["Service Date"].startswith("6/2") for row in rows)
    assert any(row["Service Date"].startswith("7/") for row in rows)
    june, july = rows[0], rows[1]
    assert (june["Disposal Site"], july["Disposal Site"]) == ("", "")


REPORTED = [
    ("ozaukee", "ozaukee-hauler-export.csv", ["Permit #", "Gallons", "Meter"]),
    ("ozaukee", "ozaukee-reports.xlsx", ["Permit Number", "Gallons Pumped", "Meter Reading"]),
    ("portage", "portage-route-export.csv", ["permit_number", "gallons_pumped", "meter_reading"]),
    ("winnebago", "winnebago-route-sheet.csv", ["Sanitary Permit", "Gallons Pumped", "Meter Reading"]),
    ("lake-beulah", "lake-beulah-area-round.csv", ["permit_number", "gallons_pumped", "meter_reading"]),
]


@pytest.mark.parametrize(("county", "name", "headings"), REPORTED)
def test_reported_holding_tanks_go_on_from_their_history(county: str, name: str, headings: list[str]) -> None:
    last = {permit: rows[-1] for permit, rows in pumpings(county).items()}
    capacity = {row["permit_number"]: row["capacity_gallons"] for row in inventory(county) if row["meter_serial"]}
    heading, *rows = report_rows(f"reports/{name}")
    seen = 0
    for row in rows:
        permit, gallons, reading = (str(row[heading.index(word)]).replace(",", "") for word in headings)
        if permit in last and reading:
            seen += 1
            metered = float(reading) - int(last[permit]["meter_reading"])
            assert 0.75 < float(gallons) / metered < 1.25
            assert float(gallons) <= int(capacity[permit])
    assert seen >= 1


def test_wrong_files_are_listed_and_wrong() -> None:
    folder = EXAMPLES / "reports/wrong"
    refused = json.loads((EXAMPLES / "expected.json").read_text())["refused"]
    readme = (EXAMPLES / "README.md").read_text()
    assert {f"reports/wrong/{path.name}" for path in folder.iterdir()} == {item["file"] for item in refused}
    assert all(f"| `{Path(item['file']).name}` | {item['why']} |" in readme for item in refused)
    assert (folder / "empty.csv").read_bytes() == b""
    assert (folder / "header-only.csv").read_text().count("\n") == 1
    assert "Date Pumped" not in (folder / "missing-columns.csv").read_text()
    assert (folder / "two-date-columns.csv").read_text().splitlines()[0].count("Date Pumped") == 2
    assert not zipfile.is_zipfile(folder / "not-a-table.xlsx")
    assert b"\0" in (folder / "not-text.csv").read_bytes()
    with pytest.raises(json.JSONDecodeError):
        json.loads((folder / "broken.json").read_text())
    assert not set(json.loads((folder / "unknown-key.json").read_text())) <= set(REPORT_FIELDS.split())
