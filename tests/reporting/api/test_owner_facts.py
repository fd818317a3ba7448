"""What owners file, from the call to the answer: documents, contracts, notices, statements (OZ6, OZ7, OZ18, OZ19, PO8,
PO9, PO22, WI10, WI20, WI22)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reporting.store.events_out import pending_domain_events
from reporting.sweep import sweep
from tests.reporting.api.world import AWAY, HOME, MINE, NOW, OTHERS, World, a_report
from tests.reporting.counties import TODAY, a_row, load

HOLDING = {"component": "holding", "capacity_gallons": "3000", "installed_on": "2019-01-01"}


@pytest.fixture
def filled(world: World) -> World:
    for county in (HOME, AWAY, "winnebago"):
        load(world.database, a_row("HT-1", **HOLDING), county=county, now=NOW - timedelta(days=1))
    return world


def tell(world: World, county: str, what: str, /, **values: Any) -> Any:
    answer = world.post(f"/v1/{county}/{what}", {"permit_number": "HT-1", **values}, "admin")
    assert answer.status_code == 201, answer.text
    return answer.json


def status(world: World, county: str, permit: str = "HT-1", query: str = "") -> dict[str, Any]:
    found = world.get(f"/v1/{county}/status?permit={permit}{query}", "admin").json
    assert isinstance(found, dict)
    return found


def rules(world: World, county: str, kind: str, **more: str) -> list[str]:
    return sorted(f["rule"] for f in status(world, county, **more)["findings"] if f["kind"] == kind)


@pytest.mark.parametrize(
    ("county", "document", "rule"),
    [
        (HOME, "holding_component_agreement", "OZ19"),
        (AWAY, "holding_tank_agreement", "PO9"),
        ("winnebago", "holding_tank_agreement", "WI20"),
    ],
)
def test_an_agreement_is_missing_until_it_is_filed_and_recorded(
    filled: World, county: str, document: str, rule: str
) -> None:
    assert rules(filled, county, "document_missing") == []  # nobody keeps the file here yet
    tell(filled, county, "documents", kind=document, recorded=False)
    assert rules(filled, county, "document_missing") == [rule]
    tell(filled, county, "documents", kind=document, recorded_on="2026-07-01")
    assert rules(filled, county, "document_missing") == []


def test_a_document_has_a_receipt_and_its_note_stays_out_of_the_record(filled: World) -> None:
    told = tell(filled, HOME, "documents", kind="agreement", note="kept in drawer 7", filed_on="2026-07-01")
    assert told["receipt"]["county"] == HOME
    shown = filled.get(f"/v1/{HOME}/systems/{told['system']}", "county").json["facts"]["document"]
    assert [(d["kind"], d["filed_on"], d["note"]) for d in shown] == [("agreement", "2026-07-01", "kept in drawer 7")]


@pytest.mark.parametrize(
    ("values", "field", "said"),
    [
        ({"kind": "shopping_list"}, "kind", "holding_component_agreement"),
        ({}, "kind", ""),
        ({"kind": "agreement", "filed_on": "2026-07-14"}, "filed_on", "2026-07-13"),
        ({"kind": "agreement", "recorded": "yes"}, "recorded", "true or false"),
        ({"kind": "agreement", "recorded": False, "recorded_on": "2026-07-01"}, "recorded", "contradict"),
        ({"kind": "agreement", "year": 26}, "year", "2026"),
        ({"kind": "agreement", "colour": "red"}, "colour", "filed_on"),
        ({"kind": "agreement", "permit_number": "HT-7"}, "permit_number", "No system"),
    ],
)
def test_what_is_wrong_with_a_document_is_said(filled: World, values: dict[str, Any], field: str, said: str) -> None:
    answer = filled.post(f"/v1/{HOME}/documents", {"permit_number": "HT-1", **values}, "county")
    assert answer.status_code == 422
    [error] = answer.json["errors"]
    assert error["field"] == field
    assert said in error["message"]


def test_po22_a_reconnection_asks_for_new_papers_until_they_are_filed(filled: World) -> None:
    tell(filled, AWAY, "documents", kind="reconnection_permit", filed_on="2026-07-01")
    assert rules(filled, AWAY, "document_renewal") == ["PO22"]
    tell(filled, AWAY, "contracts", license_number=MINE, **{"from": "2026-07-02"})
    tell(filled, AWAY, "documents", kind="holding_tank_agreement", recorded_on="2026-07-02")
    assert rules(filled, AWAY, "document_renewal") == []


@pytest.mark.parametrize(("county", "rule"), [(HOME, "OZ19"), (AWAY, "PO8"), ("winnebago", "WI10")])
def test_a_servicing_contract_is_missing_until_it_is_filed_and_again_when_it_has_ended(
    filled: World, county: str, rule: str
) -> None:
    assert rule in rules(filled, county, "contract_missing")
    tell(filled, county, "contracts", license_number=MINE, to="2026-12-31", **{"from": "2026-01-01"})
    assert rules(filled, county, "contract_missing") == []
    assert rules(filled, county, "contract_expired", query="&as_of=2026-12-31") == []
    assert rules(filled, county, "contract_expired", query="&as_of=2027-01-01")


def test_po8_a_renewal_is_filed_before_the_contract_ends(filled: World) -> None:
    tell(filled, AWAY, "contracts", license_number=MINE, to="2026-08-31", **{"from": "2026-01-01"})
    duties = [o for o in status(filled, AWAY)["obligations"] if o["kind"] == "contract"]
    assert [(o["rule"], o["last_day"], o["state"]) for o in duties] == [("PO8", "2026-08-31", "due_soon")]
    tell(filled, AWAY, "contracts", license_number=MINE, to="2027-08-31", **{"from": "2026-09-01"})
    duties = [o for o in status(filled, AWAY)["obligations"] if o["kind"] == "contract"]
    assert [(o["last_day"], o["state"]) for o in duties] == [("2027-08-31", "upcoming")]


def test_s11_a_plan_of_a_year_or_less_needs_a_contract_of_its_kind(filled: World) -> None:
    plan = {"plan_inspect_months": "12", "installed_on": "2019-01-01", "permit_issued_on": "2018-11-01"}
    load(filled.database, a_row("SP-8", **plan), a_row("SP-9", **{**plan, "plan_inspect_months": "13"}), county=HOME)
    assert rules(filled, HOME, "contract_missing", permit="SP-8") == ["S11"]
    assert rules(filled, HOME, "contract_missing", permit="SP-9") == []
    filled.post(f"/v1/{HOME}/contracts", {"permit_number": "SP-8", "license_number": MINE, "from": "2026-01-01",
                                          "kind": "servicing"}, "county")  # fmt: skip
    assert rules(filled, HOME, "contract_missing", permit="SP-8") == ["S11"]  # that is of another kind
    filled.post(f"/v1/{HOME}/contracts", {"permit_number": "SP-8", "license_number": MINE, "from": "2026-01-01",
                                          "kind": "maintenance"}, "county")  # fmt: skip
    assert rules(filled, HOME, "contract_missing", permit="SP-8") == []


def test_wi10_another_pumper_than_the_contracted_one(filled: World) -> None:
    tell(filled, "winnebago", "contracts", license_number=MINE, filed_on="2026-01-02", **{"from": "2026-01-01"})
    place = {"permit_number": "HT-1", "parcel_number": "08-HT-1", "site_address": "N250 County Road K"}
    by_other = a_report(
        **place, component="holding", license_number=OTHERS, service_date="2026-07-08", report_ref="W-1"
    )
    assert filled.post("/v1/winnebago/reports", by_other, "admin").status_code == 201
    [duty] = [o for o in status(filled, "winnebago")["obligations"] if o["kind"] == "contract"]
    assert (duty["rule"], duty["last_day"]) == ("WI10", "2026-07-22")  # ten business days
    tell(filled, "winnebago", "contracts", license_number=OTHERS, **{"from": "2026-07-08"})
    assert rules(filled, "winnebago", "contract_mismatch") == []


@pytest.mark.parametrize("kind", ["full", "alarm"])
@pytest.mark.parametrize("county", [HOME, AWAY, "winnebago"])
def test_wi22_the_owners_call_makes_the_tank_need_service_until_it_is_pumped(
    filled: World, county: str, kind: str
) -> None:
    assert status(filled, county)["needs_service"]["value"] is False
    tell(filled, county, "owner-notices", on="2026-07-12", kind=kind)
    found = status(filled, county)
    assert (found["needs_service"]["value"], found["needs_service"]["on"]) == (True, "2026-07-12")
    assert [o["state"] for o in found["obligations"] if o["kind"] == "service_holding"] == ["due_soon"]
    tell(filled, county, "owner-notices", on="2026-07-13", kind="serviced")
    assert status(filled, county)["needs_service"]["value"] is False


def test_oz6_a_service_that_no_contractor_reports_is_missing_and_a_violation_of_oz12(filled: World) -> None:
    tell(filled, HOME, "owner-notices", on="2026-06-01", kind="serviced", license_number=MINE)
    found = status(filled, HOME)
    [duty] = [o for o in found["obligations"] if o["kind"] == "missing_report"]
    assert (duty["rule"], duty["last_day"], duty["duty_of"]) == ("OZ6", "2026-06-11", "owner")
    assert rules(filled, HOME, "records_violation") == ["OZ12"]
    place = {"permit_number": "HT-1", "parcel_number": "08-HT-1", "site_address": "N250 County Road K"}
    late = a_report(
        **place, component="holding", service_date="2026-06-03", signed_on="2026-06-03", report_ref="L-1",
        meter_reading=5000,
    )  # fmt: skip
    assert filled.post(f"/v1/{HOME}/reports", late).status_code == 201
    found = status(filled, HOME)
    assert not [o for o in found["obligations"] if o["kind"] == "missing_report"]
    [tardy] = [f for f in found["findings"] if f["kind"] == "late_report"]
    assert (tardy["rule"], tardy["duty_of"]) == ("OZ5", "contractor")


def test_oz7_who_is_named_only_by_a_contract_that_runs_has_the_tank_in_lists_and_digests(world: World) -> None:
    """SP-3 designates nobody: that stays said of holding tanks, and the contractor is told all the same."""
    sweep(world.database, HOME, TODAY, NOW)
    mine = f"/v1/{HOME}/systems"
    assert [s["permit_number"] for s in world.get(mine, "other contractor").json["systems"]] == ["SP-2"]
    contract = {"permit_number": "SP-3", "license_number": OTHERS, "from": "2026-01-01", "to": "2026-12-31"}
    assert world.post(f"/v1/{HOME}/contracts", contract, "county").status_code == 201
    assert [s["permit_number"] for s in world.get(mine, "other contractor").json["systems"]] == ["SP-2", "SP-3"]
    due = world.get("/v1/contractors/me/due", "other contractor").json["obligations"]
    assert {d["permit_number"] for d in due} == {"SP-2", "SP-3"}
    later = datetime(2027, 1, 1, 15, tzinfo=UTC)
    sweep(world.database, HOME, later.date(), later)  # the contract ended yesterday, and nothing else happened
    world.clock.now = later
    assert [s["permit_number"] for s in world.get(mine, "other contractor").json["systems"]] == ["SP-2"]


def test_oz7_the_event_of_a_tank_that_comes_due_names_the_contracts_business(world: World) -> None:
    contract = {"permit_number": "SP-3", "license_number": OTHERS, "from": "2026-01-01"}
    assert world.post(f"/v1/{HOME}/contracts", contract, "county").status_code == 201
    with world.database.reading(HOME) as store:
        due = [e["content"] for e in pending_domain_events(store, 99) if e["kind"] == "service_due"]
    assert [(d["permit_number"], d["contractor_id"]) for d in due] == [("SP-3", "con_others")]


def test_a_designation_comes_before_a_contract(world: World) -> None:
    contract = {"permit_number": "SP-1", "license_number": OTHERS, "from": "2026-01-01"}
    assert world.post(f"/v1/{HOME}/contracts", contract, "county").status_code == 201
    listed = world.get(f"/v1/{HOME}/systems?permit=SP-1", "county").json["systems"]
    assert [s["contractor"] for s in listed] == [MINE]


@pytest.mark.parametrize(("kind", "finds"), [("holding", True), ("septic", False)])
def test_oz7_none_designated_is_a_finding_of_holding_tanks_though_a_contract_runs(
    filled: World, kind: str, finds: bool
) -> None:
    load(filled.database, a_row("X-1", **{**HOLDING, "component": kind}), county=HOME, now=NOW)
    contract = {"permit_number": "X-1", "license_number": MINE, "from": "2026-01-01"}
    assert filled.post(f"/v1/{HOME}/contracts", contract, "county").status_code == 201
    assert (rules(filled, HOME, "no_designated_contractor", permit="X-1") == ["OZ7"]) is finds
    designation = {"permit_number": "X-1", "license_number": MINE}
    assert filled.post(f"/v1/{HOME}/designations", designation, "county").status_code == 201
    assert rules(filled, HOME, "no_designated_contractor", permit="X-1") == []
