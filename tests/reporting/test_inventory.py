"""A county's inventory into the store: what is added, changed, left, refused, and what of it the log keeps."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from reporting.intake.sheet import FileRefused
from reporting.inventory.importing import CHUNK_ROWS, load_inventory
from reporting.status import find_systems
from reporting.store import log
from reporting.store.derived import dirty_systems, standings_of
from reporting.store.engine import Database
from reporting.store.facts import insert_components, insert_systems, load_history
from reporting.store.matching import PERMIT, add_identifiers
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.reporting.counties import NOW, TODAY, a_row, csv_of, load, the_system

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LATER = NOW + timedelta(days=30)


@pytest.mark.parametrize(
    ("county", "systems", "rows"),
    [("ozaukee", 300, 605), ("portage", 280, 316), ("winnebago", 300, 336), ("lake-beulah", 120, 127)],
)
def test_the_shipped_inventories_come_in_whole_and_once(kept: Database, county: str, systems: int, rows: int) -> None:
    data = (EXAMPLES / "inventory" / f"{county}.csv").read_bytes()
    program = shipped_program(county)
    sent = {"file_name": f"{county}.csv", "content_type": "text/csv", "principal": "clerk", "now": NOW}
    first = load_inventory(kept, program, data, **sent)
    assert (first.rows, first.added, first.changed, first.untouched, first.rejected) == (rows, systems, 0, 0, 0)
    assert {issue.code for issue in first.warnings} == {"placeholder"}
    assert first.columns["unknown"] == []
    with kept.reading(county) as store:
        size = log.head(store).size
        assert size == systems
        assert len(dirty_systems(store, 1_000)) == systems
    again = load_inventory(kept, program, data, **sent)
    assert (again.added, again.changed, again.untouched) == (0, 0, systems)
    with kept.reading(county) as store:
        assert log.head(store).size == size


def test_rows_of_one_permit_are_one_system_and_two_permits_on_a_parcel_are_two(kept: Database) -> None:
    answer = load(
        kept,
        a_row("sp 1", parcel_number="08-1", site_address=a_row("SP-1")["site_address"]),
        a_row("SP-1", parcel_number="08.1", component="dispersal", capacity_gallons=""),
        a_row("SP-2", parcel_number="08-1", component="holding", component_ref="A"),
        a_row("SP-2", parcel_number="08-1", component="holding", component_ref="B"),
    )
    assert (answer.rows, answer.added, answer.rejected) == (4, 2, 0)
    with kept.reading("ozaukee") as store:
        assert len(find_systems(store, parcel="08-1")) == 2
        assert [c["component"] for c in the_system(store, "SP-1").components] == ["dispersal", "septic"]
        assert [c["component_ref"] for c in the_system(store, "SP-2").components] == ["A", "B"]


def test_a_system_without_a_permit_is_known_by_parcel_and_address(kept: Database) -> None:
    row = a_row("", parcel_number="08-7", site_address="N5555 Cty Rd K")
    assert load(kept, row).added == 1
    assert load(kept, {**row, "site_address": "N5555 County Road K", "parcel_number": "08 7"}).added == 0
    assert load(kept, {**row, "site_address": "N5557 County Road K"}).added == 1


def test_facts_are_kept_as_a_scenario_has_them(kept: Database) -> None:
    load(
        kept,
        a_row(
            component="holding", capacity_gallons="2,000", use="Seasonal", season_from="5/1", season_to="10/31",
            building="Event grounds", permit_issued_on="7/2/2019", plan_pump_months="12", meter_serial="A1",
            meter_unit="gallons", meter_digits="6", owner_email="a@example.org", owner_phone="262-555-0101",
            designated_license_number="PM 2207", contract_from="2025-01-01", contract_to="2027-12-31",
            exemption_kind="vacant", exemption_granted_on="2026-01-05", last_pumped_on="2026-05-01",
            flags="meter_ordered; Temporary", latitude="43.5", longitude="-87.9",
        ),
    )  # fmt: skip
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
        standing = standings_of(store, [stored.system_id])[stored.system_id]
    assert stored.system is not None
    assert stored.system["content"] == {
        "status": "active", "use": "seasonal", "season_from": "05-01", "season_to": "10-31",
        "building": "event_grounds",
        "permit_issued_on": "2019-07-02", "plan": {"pump_months": 12}, "flags": ["meter_ordered", "temporary"],
        "latitude": "43.5", "longitude": "-87.9",
    }  # fmt: skip
    [tank] = stored.components
    meter = {"unit": "gal", "digits": 6, "serial": "A1"}
    assert tank["content"] == {"status": "active", "capacity_gallons": 2000, "meter": meter}
    assert stored.owner is not None
    assert (stored.owner["name"], stored.owner["email"]) == ("Laverne Lor", "a@example.org")
    assert stored.owner["content"] == {"phone": "262-555-0101"}
    assert [(d["license_number"], d["license_norm"], d["valid_from"]) for d in stored.designations] == [
        ("PM 2207", "PM2207", None)
    ]
    assert [(c["license_norm"], c["from_on"], c["to_on"]) for c in stored.contracts] == [
        ("PM2207", date(2025, 1, 1), date(2027, 12, 31))
    ]
    assert [f["content"] for f in stored.facts["exemption"]] == [{"kind": "vacant", "granted_on": "2026-01-05"}]
    [event] = stored.events
    assert (event["event_type"], event["service_date"], event["component"]) == ("pumping", date(2026, 5, 1), "holding")
    assert (event["content"], event["submission"], event["historical"]) == ({"baseline": True}, None, True)
    assert (standing["dirty"], standing["contractor"], standing["municipality"]) == (
        True,
        "PM2207",
        "Town of Saukville",
    )


def test_999_gallons_are_kept_and_not_used(kept: Database) -> None:
    answer = load(kept, a_row(capacity_gallons="999"))
    assert [(issue.row, issue.field, issue.code) for issue in answer.warnings] == [
        (2, "capacity_gallons", "placeholder")
    ]
    with kept.reading("ozaukee") as store:
        assert the_system(store).components[0]["content"] == {"status": "active", "capacity_as_sent": "999"}


def test_bad_rows_say_where_and_do_not_stop_the_others(kept: Database) -> None:
    answer = load(
        kept,
        a_row("SP-1"),
        a_row("SP-2", installed_on="2/29/2025", capacity_gallons="~1500"),
        a_row("SP-3", component=""),
        a_row("", parcel_number=""),
        a_row("SP-5", last_pumped_on="2026-07-14"),
        a_row("SP-6", owner_email="nobody"),
        a_row("SP-7", contract_to="2026-12-31"),
    )
    assert (answer.rows, answer.added, answer.rejected) == (7, 2, 5)
    assert [(e.row, e.field, e.code) for e in answer.errors] == [
        (3, "capacity_gallons", "not_whole"),
        (3, "installed_on", "date_impossible"),
        (4, "component", "required"),
        (5, "permit_number", "no_place"),
        (6, "last_pumped_on", "in_future"),
        (8, "designated_license_number", "required"),
    ]
    assert [(w.row, w.field) for w in answer.warnings] == [(7, "owner_email")]
    assert [outcome.outcome for outcome in answer.outcomes] == ["added", *["rejected"] * 4, "added", "rejected"]
    json.dumps(answer.as_json())


def test_rows_that_contradict_their_system_are_refused_or_pointed_out(kept: Database) -> None:
    answer = load(
        kept,
        a_row("SP-1"),
        a_row("SP-1", component="dispersal", site_address="W1 Other Road"),
        a_row("SP-1", component="pump_chamber", installed_on="2001-05-05"),
        a_row("SP-1", component="holding", installed_on="2002-05-05"),
        a_row("SP-1"),
    )
    assert [(e.row, e.field, e.code) for e in answer.errors] == [
        (3, "site_address", "inconsistent"),
        (6, "component", "inconsistent"),
    ]
    assert [(w.row, w.field) for w in answer.warnings] == [(5, "installed_on")]
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    assert stored.system is not None
    assert stored.system["content"]["installed_on"] == "2001-05-05"


def test_rows_of_a_system_may_stand_apart(kept: Database) -> None:
    answer = load(kept, a_row("SP-1"), a_row("SP-2"), a_row("SP-1", component="dispersal"), a_row("SP-1"))
    assert (answer.added, answer.changed, answer.rejected) == (2, 0, 1)
    assert [(e.row, e.field) for e in answer.errors] == [(5, "component")]
    with kept.reading("ozaukee") as store:
        assert [c["component"] for c in the_system(store).components] == ["dispersal", "septic"]


def test_missing_columns_are_named_all_at_once(kept: Database) -> None:
    with pytest.raises(FileRefused, match=r"permit_number, component"):
        load(kept, {"owner_name": "A", "site_address": "B"})
    with pytest.raises(FileRefused, match="both mean parcel_number"):
        load(kept, {**a_row(), "PARCELID": "1"})


def test_unknown_columns_are_named_and_the_states_own_are_known(kept: Database) -> None:
    row = {
        "Sanitary Permit": "SP-1", "PARCELID": "08-1", "SITEADRESS": "1 A Road", "OWNERNME1": "Ann Ode",
        "Component": "Septic Tank", "Colour": "red",
    }  # fmt: skip
    answer = load(kept, row)
    assert (answer.added, answer.columns["unknown"]) == (1, ["Colour"])


def test_changes_end_the_versions_before_and_the_past_can_still_be_asked(kept: Database) -> None:
    load(kept, a_row(plan_pump_months="36", owner_email="a@example.org"))
    with kept.reading("ozaukee") as store:
        before = log.head(store).size
    answer = load(kept, a_row(plan_pump_months="12", owner_name="New Owner", owner_email=""), now=LATER)
    assert (answer.added, answer.changed, answer.untouched) == (0, 1, 0)
    assert {(d.field, d.before, d.after) for d in answer.differences} == {
        ("plan.pump_months", 36, 12), ("name", "Laverne Lor", "New Owner"), ("email", "a@example.org", None),
        ("owner_since", None, "2026-08-12"),
    }  # fmt: skip
    with kept.reading("ozaukee") as store:
        now = the_system(store)
        then = load_history(store, [now.system_id], before)[now.system_id]
    assert now.system is not None
    assert then.system is not None
    assert now.owner is not None
    assert then.owner is not None
    assert (now.system["content"]["plan"], then.system["content"]["plan"]) == ({"pump_months": 12}, {"pump_months": 36})
    assert (now.owner["name"], now.owner["valid_from"]) == ("New Owner", date(2026, 8, 12))
    assert then.owner["name"] == "Laverne Lor"


def test_a_column_that_is_absent_changes_nothing_and_an_empty_cell_clears(kept: Database) -> None:
    load(kept, a_row(installed_on="2001-05-05", access_notes="gate", designated_license_number="00412"))
    only = {name: value for name, value in a_row().items() if name not in ("owner_name", "municipality")}
    assert load(kept, only).untouched == 1
    answer = load(kept, a_row(installed_on="", designated_license_number=""))
    assert [(d.field, d.before, d.after) for d in answer.differences] == [("installed_on", "2001-05-05", None)]
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    assert stored.system is not None
    assert stored.system["content"] == {"status": "active", "access_notes": "gate"}
    assert [d["license_norm"] for d in stored.designations] == ["00412"]


def test_another_designation_holds_from_the_day_it_was_told(kept: Database) -> None:
    load(kept, a_row(designated_license_number="00412"))
    load(kept, a_row(designated_license_number="00855"), now=LATER)
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
        standing = standings_of(store, [stored.system_id])[stored.system_id]
    assert [(d["license_norm"], d["valid_from"]) for d in stored.designations] == [
        ("00412", None),
        ("00855", date(2026, 8, 12)),
    ]
    assert standing["contractor"] == "00855"


def test_another_last_service_takes_the_place_of_the_one_before(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2024-05-05", last_inspected_on="2024-05-05"))
    load(kept, a_row(last_pumped_on="2025-06-06", last_inspected_on="2024-05-05"))
    with kept.reading("ozaukee") as store:
        events = the_system(store).events
    assert [(e["event_type"], e["service_date"].isoformat()) for e in events] == [
        ("inspection", "2024-05-05"),
        ("pumping", "2025-06-06"),
    ]


def test_a_system_that_goes_out_of_use_was_in_use_until_told(kept: Database) -> None:
    load(kept, a_row(status="active"), a_row(component="dispersal", status="active"))
    load(kept, a_row(status="abandoned"), a_row(component="dispersal", status="active"), now=LATER)
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    assert stored.system is not None
    assert stored.system["status"] == "active"
    assert [c["content"]["status"] for c in stored.components] == ["active", "abandoned"]
    load(kept, a_row(status="abandoned"), a_row(component="dispersal", status="abandoned"), now=LATER)
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    assert stored.system is not None
    assert (stored.system["status"], stored.system["content"]["status_since"]) == ("abandoned", "2026-08-12")


def test_another_address_is_found_and_the_old_one_is_not(kept: Database) -> None:
    load(kept, a_row(site_address="N1 Old Road"))
    load(kept, a_row(site_address="N2 New Road"))
    with kept.reading("ozaukee") as store:
        assert find_systems(store, address="N1 Old Rd") == []
        assert len(find_systems(store, address="n2 new rd.")) == 1


def test_a_dry_run_says_the_same_and_writes_nothing(kept: Database) -> None:
    load(kept, a_row("SP-1"), a_row("SP-2"))
    with kept.reading("ozaukee") as store:
        size = log.head(store).size
    rows = [a_row("SP-1"), a_row("SP-2", capacity_gallons="1200"), a_row("SP-3"), a_row("SP-3", component="dispersal")]
    told = load(kept, *rows, dry_run=True)
    with kept.reading("ozaukee") as store:
        assert log.head(store).size == size
        assert find_systems(store, permit="SP-3") == []
    done = load(kept, *rows)
    for answer in (told, done):
        assert (answer.added, answer.changed, answer.untouched) == (1, 1, 1)
        assert [(d.row, d.name, d.field, d.before, d.after) for d in answer.differences] == [
            (3, "SP-2", "septic: capacity_gallons", 1000, 1200)
        ]


def test_the_log_proves_the_change_and_names_no_owner(kept: Database) -> None:
    load(kept, a_row(owner_email="canary@example.org"))
    with kept.reading("ozaukee") as store:
        entry = json.loads(log.entries_of(store, [1])[1])
        raw = log.raw_of(store, 1)
        assert verify(store).problems == ()
    assert entry["type"] == "inventory"
    assert entry["content"]["change"] == "added"
    assert entry["content"]["rows"] == [2]
    assert "Lor" not in json.dumps(entry)
    assert "canary" not in json.dumps(entry)
    assert raw is not None
    assert b"canary@example.org" in raw


def test_numbers_that_a_spreadsheet_spoilt_are_not_taken_for_identifiers(kept: Database) -> None:
    answer = load(kept, a_row("SP-1", parcel_number="1.9E+18"), a_row("SP-2", parcel_number="3-Dec"))
    assert [(e.row, e.field, e.code) for e in answer.errors] == [(2, "parcel_number", "excel_scientific")]
    assert [(w.row, w.field, w.code) for w in answer.warnings] == [(3, "parcel_number", "excel_date")]


def test_a_long_file_is_committed_part_by_part(kept: Database) -> None:
    rows = [a_row(f"P-{number}") for number in range(CHUNK_ROWS + 10)]
    done: list[int] = []
    answer = load_inventory(
        kept, shipped_program("ozaukee"), csv_of(*rows, a_row("P-1", component="dispersal")), file_name="long.csv",
        content_type=None, principal="clerk", now=NOW, on_progress=done.append,
    )  # fmt: skip
    assert (answer.added, answer.changed, answer.rejected) == (CHUNK_ROWS + 10, 0, 0)
    assert done == [CHUNK_ROWS, CHUNK_ROWS + 10, CHUNK_ROWS + 11]
    with kept.reading("ozaukee") as store:
        assert [c["component"] for c in the_system(store, "P-1").components] == ["dispersal", "septic"]


def test_days_are_the_countys_own(kept: Database) -> None:
    evening = datetime(2026, 7, 14, 2, 0, tzinfo=UTC)  # the 13th in Wisconsin
    assert load(kept, a_row(last_pumped_on=TODAY.isoformat()), now=evening).rejected == 0
    assert load(kept, a_row("SP-2", last_pumped_on="2026-07-14"), now=evening).rejected == 1


def test_a_system_that_a_report_opened_becomes_one_of_the_inventory(kept: Database) -> None:
    with kept.transaction("ozaukee") as store:
        [entry] = log.append(store, [log.NewEntry(type="report", content={})], NOW)
        row = {"id": "sys_opened", "created_seq": entry.seq, "status": "provisional", "content": {}}
        insert_systems(store, [{**row, "permit_number": "sp 1"}])
        part = {"system": "sys_opened", "seq": entry.seq, "component": "holding", "content": {}}
        insert_components(store, [part])
        add_identifiers(store, [{"kind": PERMIT, "norm": "SP-1", "system": "sys_opened"}])
    answer = load(kept, a_row("SP-1"))
    assert (answer.added, answer.changed) == (0, 1)
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    assert stored.system is not None
    found = (stored.system_id, stored.system["status"], stored.system["permit_number"])
    assert found == ("sys_opened", "active", "SP-1")
    assert [c["component"] for c in stored.components] == ["septic"]


def test_a_system_of_the_inventory_goes_before_one_that_a_doubtful_report_opened(kept: Database) -> None:
    load(kept, a_row("SP-1"))
    with kept.transaction("ozaukee") as store:
        [entry] = log.append(store, [log.NewEntry(type="report", content={})], NOW)
        insert_systems(store, [{"id": "sys_doubt", "created_seq": entry.seq, "status": "provisional", "content": {}}])
        add_identifiers(store, [{"kind": PERMIT, "norm": "SP-1", "system": "sys_doubt"}])
    assert load(kept, a_row("SP-1")).untouched == 1


def test_two_systems_with_one_permit_on_file_are_not_guessed_between(kept: Database) -> None:
    load(kept, a_row("SP-1"), a_row("SP-2"))
    with kept.transaction("ozaukee") as store:
        other = the_system(store, "SP-2").system_id
        add_identifiers(store, [{"kind": PERMIT, "norm": "SP-1", "system": other}])
    answer = load(kept, a_row("SP-1", capacity_gallons="1200"), a_row("SP-3"))
    assert (answer.added, answer.changed, answer.rejected) == (1, 0, 1)
    assert [(e.row, e.field, e.code) for e in answer.errors] == [(2, "permit_number", "ambiguous_system")]
