"""Stored facts as a scenario: the same answer as `pumper evaluate`, licences in one spelling, the county's settings."""

from datetime import date, timedelta
from typing import Any

from reporting.contractors import import_contractors
from reporting.domain.assess import assess
from reporting.histories import (
    county_program,
    designated_license,
    load_licences,
    next_setting_on,
    read_domain,
    scenario_of,
)
from reporting.scenario import evaluate, show
from reporting.store.engine import Database
from reporting.store.facts import load_history
from schemas.loader import shipped_program, shipped_slugs
from tests.reporting.counties import NOW, TODAY, a_fact, a_report, a_row, csv_of, load, the_system


def add_licences(kept: Database, *rows: dict[str, Any]) -> None:
    with kept.transaction(None) as store:
        answer = import_contractors(store, csv_of(*rows), counties=shipped_slugs(), now=NOW)
    assert answer.rejected == 0


def a_licence(
    number: str, business: str, kind: str = "septage_operator", expires_on: str = "2030-01-01"
) -> dict[str, Any]:
    return {"license_number": number, "business_name": business, "credential_kind": kind, "expires_on": expires_on}


def test_a_scenario_of_stored_facts_gives_the_answer_of_the_facts(kept: Database) -> None:
    load(
        kept,
        a_row(component="holding", installed_on="2019-01-01", designated_license_number="00412"),
        county="winnebago",
    )
    with kept.transaction("winnebago") as store:
        system = the_system(store).system_id
        content = {"gallons_pumped": 1500, "meter_reading": "1234.5", "sludge_scum_fraction": "1/4", "defects": ["lid"]}
        a_report(store, system, "rep_1", date(2026, 5, 1), component="holding", content=content, license_number="00412")
        a_fact(store, "case", {"kind": "order", "notified_on": "2026-06-01"}, system=system)
        a_fact(store, "owner_notice", {"on": "2026-07-01", "kind": "full"}, system=system)
        a_fact(store, "statement", {"period": "2025", "received_on": "2026-01-05", "reason": "vacant"}, system=system)
        stored = the_system(store)
        program = county_program(store, "winnebago", on=TODAY)
        licences = load_licences(store, program, [stored])
    judged = show(assess(*read_domain(stored, licences, as_of=TODAY), program, TODAY))
    answer = evaluate(scenario_of(stored, "winnebago", licences, as_of=TODAY))
    assert {key: answer[key] for key in judged} == judged
    assert answer.keys() - judged.keys() == {"county"}
    assert judged["standing"] != "unknown"


def test_a_baseline_was_never_received_and_a_report_was(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2024-05-05"))
    with kept.transaction("ozaukee") as store:
        a_report(store, the_system(store).system_id, "rep_1", date(2026, 5, 1), historical=True)
        _, history = read_domain(the_system(store))
    [baseline, report] = history.events
    assert (baseline.baseline, baseline.received_at) == (True, None)
    assert (report.baseline, report.received_at, report.historical) == (False, NOW, True)


def test_none_on_file_is_none_and_of_a_provisional_system_nothing_is_known(kept: Database) -> None:
    load(kept, a_row())
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    system, _ = read_domain(stored)
    assert (system.designation_known, system.designated_contractor, system.contracts) == (True, "", ())
    assert stored.system is not None
    unknown = type(stored)(**{**vars(stored), "system": {**stored.system, "status": "provisional"}})
    system, _ = read_domain(unknown)
    assert (system.status, system.designation_known, system.contracts) == ("provisional", False, None)


def test_kind_and_expiry_come_from_the_credential_where_the_report_is_silent(kept: Database) -> None:
    add_licences(
        kept, a_licence("MP-1", "A", "master_plumber"), a_licence("00857", "B", expires_on="2026-03-31"),
        a_licence("2", "C"), a_licence("2", "C", "powts_maintainer", "2027-01-01"),
    )  # fmt: skip
    load(kept, a_row())
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2026, 5, 1), license_number="mp 1")
        a_report(store, system, "rep_2", date(2026, 5, 2), license_number="00857")
        a_report(store, system, "rep_3", date(2026, 5, 3), license_number="2")
        said = {"credential_kind": "powts_maintainer", "inspector_license_number": "MP1"}
        a_report(store, system, "rep_4", date(2026, 5, 4), license_number="2", content=said)
        stored = the_system(store)
        _, history = read_domain(stored, load_licences(store, shipped_program("ozaukee"), [stored]))
    found = {e.id: (e.license_number, e.credential_kind, e.credential_expires_on) for e in history.events}
    assert found == {
        "rep_1": ("MP-1", "master_plumber", date(2030, 1, 1)),
        "rep_2": ("00857", "septage_operator", date(2026, 3, 31)),
        "rep_3": ("2", "", None),  # two credentials: which of them it was, nobody says
        "rep_4": ("2", "powts_maintainer", date(2027, 1, 1)),
    }
    assert history.events[3].inspector_credential_kind == "master_plumber"


def test_another_licence_of_the_contracted_business_is_nobody_else(kept: Database) -> None:
    add_licences(kept, a_licence("00412", "Kettle"), a_licence("00413", "Kettle"), a_licence("00999", "Other"))
    row = a_row(component="holding", designated_license_number="00412", contract_from="2024-01-01")
    load(kept, row, county="winnebago")
    with kept.transaction("winnebago") as store:
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2026, 5, 1), component="holding", license_number="00413")
        a_report(store, system, "rep_2", date(2026, 6, 1), component="holding", license_number="00999")
        stored = the_system(store)
        program = county_program(store, "winnebago", on=TODAY)
        judged = assess(*read_domain(stored, load_licences(store, program, [stored]), as_of=TODAY), program, TODAY)
    assert [f.event for f in judged.findings if f.kind == "contract_mismatch"] == ["rep_2"]


def test_the_designation_of_a_day_is_the_latest_that_holds_on_it(kept: Database) -> None:
    load(kept, a_row(designated_license_number="00412"))
    load(kept, a_row(designated_license_number="00855"), now=NOW + timedelta(days=30))
    with kept.reading("ozaukee") as store:
        stored = the_system(store)
    changed_on = TODAY + timedelta(days=30)
    assert designated_license(stored, changed_on - timedelta(days=1)) == "00412"
    assert designated_license(stored, changed_on) == "00855"


def test_a_countys_settings_hold_from_their_day_and_as_they_were_known(kept: Database) -> None:
    with kept.transaction("ozaukee") as store:
        shipped = county_program(store, "ozaukee", on=TODAY)
        first = a_fact(store, "setting", {"value": 30}, id="lead_days", valid_from=date(2026, 1, 1))
        a_fact(store, "setting", {"value": 45}, id="lead_days", valid_from=TODAY + timedelta(days=1))
        a_fact(store, "setting", {"value": "2026-01-01"}, id="live_from", valid_from=date(2026, 1, 1))
        a_fact(store, "setting", {"value": 1}, id="no_such_setting", valid_from=date(2026, 1, 1))
        now = county_program(store, "ozaukee", on=TODAY)
        tomorrow = county_program(store, "ozaukee", on=TODAY + timedelta(days=1))
        then = county_program(store, "ozaukee", on=TODAY, at_seq=first)
        assert next_setting_on(store, TODAY) == TODAY + timedelta(days=1)
        assert next_setting_on(store, TODAY + timedelta(days=1)) is None
    assert shipped is shipped_program("ozaukee")
    assert [p.days("lead_days") for p in (shipped, now, tomorrow, then)] == [60, 30, 45, 30]
    assert (now.day("live_from"), then.day("live_from")) == (date(2026, 1, 1), None)
    assert len({p.sha256 for p in (shipped, now, tomorrow, then)}) == 4


def test_the_spelling_of_a_setting_is_the_licences_own(kept: Database) -> None:
    load(kept, a_row(installed_on="2010-01-01"), county="lake-beulah")
    with kept.transaction("lake-beulah") as store:
        a_fact(store, "setting", {"value": "pm-22 07"}, id="district_contractor")
        system = the_system(store).system_id
        a_report(store, system, "rep_1", date(2026, 5, 1), license_number="PM2207")
        stored = load_history(store, [system])[system]
        program = county_program(store, "lake-beulah", on=TODAY)
        _, history = read_domain(stored, load_licences(store, program, [stored]))
    assert history.events[0].license_number == program.text_of("district_contractor")
