"""A story each of what systems are and become: from the inventory over reports by HTTP to the status (OZ1 to OZ4, OZ14,
OZ18, OZ21, OZ22, OZ24, PO12, PO15, S15, S20, WI11, WI13, WI21, WI24)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from reporting.cases.steps import open_case, step_case
from reporting.owners import Teller, set_setting
from reporting.sweep import sweep
from schemas.loader import shipped_program
from tests.reporting.api.world import AWAY, HOME, MINE, NOW, World, a_report
from tests.reporting.counties import a_row, load, the_system

WEST = "winnebago"


def bring(world: World, county: str, *rows: dict[str, Any]) -> None:
    answer = load(world.database, *rows, county=county, now=world.clock())
    assert answer.rejected == 0, answer.errors


def status(world: World, county: str, permit: str = "P-1", query: str = "") -> dict[str, Any]:
    answer = world.get(f"/v1/{county}/status?permit={permit}{query}", "admin")
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def duties(world: World, county: str, permit: str = "P-1", query: str = "") -> dict[tuple[str, str], dict[str, Any]]:
    found = status(world, county, permit, query)["obligations"]
    return {(o["kind"], o.get("component_ref") or o["component"] or ""): o for o in found}


def send(world: World, county: str, permit: str = "P-1", **values: Any) -> dict[str, Any]:
    place = {
        "permit_number": permit,
        "parcel_number": f"08-{permit}",
        "site_address": f"N{sum(permit.encode())} County Road K",
    }
    day = {"service_date": "2026-07-01", "signed_on": values.get("service_date", "2026-07-01")}
    sent = a_report(**{**place, "report_ref": f"R-{len(world.ids)}", **day, **values})
    answer = world.post(f"/v1/{county}/reports", sent, "admin")
    assert answer.status_code == 201, answer.text
    assert answer.json["outcome"] == "accepted", answer.text
    world.ids[f"R-{len(world.ids)}"] = answer.json["report_id"]
    return dict(answer.json)


def tell(world: World, county: str, what: str, /, **values: Any) -> None:
    answer = world.post(f"/v1/{county}/{what}", {"permit_number": "P-1", **values}, "admin")
    assert answer.status_code == 201, answer.text


def a_teller(world: World, county: str) -> Teller:
    return Teller(program=shipped_program(county), by="clerk", now=world.clock(), signer=world.signer)


@pytest.mark.parametrize(
    ("permit_on", "rule", "due_on"),
    [("2000-06-30", "OZ1", "2026-05-04"), ("2000-07-01", "OZ3", "2025-05-04"), (None, "OZ1", "2026-05-04")],
)
def test_existing_or_new_decides_which_rule_and_whose_months(
    world: World, permit_on: str | None, rule: str, due_on: str
) -> None:
    """OZ1: 36 months; OZ3: as the plan says (24). A permit of July 1 itself is of a new system, no papers of an old."""
    dates = {"permit_issued_on": permit_on, "installed_on": permit_on} if permit_on else {}
    bring(world, HOME, a_row("P-1", plan_pump_months="24", last_pumped_on="2023-05-04", **dates))
    found = duties(world, HOME)["pump_or_inspect", "septic"]
    assert (found["rule"], found["due_on"]) == (rule, due_on)


def test_a_new_system_without_a_plan_has_the_states_interval_and_says_so(world: World) -> None:
    bring(world, HOME, a_row("P-1", permit_issued_on="2020-05-01", last_pumped_on="2025-05-05"))
    assert duties(world, HOME)["pump_or_inspect", "septic"]["rule"] == "S20"
    assert [f["rule"] for f in status(world, HOME)["findings"] if f["kind"] == "management_plan_missing"] == ["OZ3"]


def test_each_component_has_a_plan_of_its_own(world: World) -> None:
    new = {"permit_issued_on": "2020-05-01", "installed_on": "2020-06-01"}
    bring(
        world, HOME,
        a_row("P-1", plan_pump_months="36", last_pumped_on="2025-05-05", **new),
        a_row("P-1", component="pretreatment", plan_pump_months="6", last_pumped_on="2026-05-05", **new),
        a_row("P-1", component="dispersal", capacity_gallons="", plan_dispersal_months="12",
              last_inspected_on="2026-01-05", **new),
    )  # fmt: skip
    found = duties(world, HOME)
    assert found["pump_or_inspect", "septic"]["due_on"] == "2028-05-05"
    assert found["pump_or_inspect", "pretreatment"]["due_on"] == "2026-11-05"
    assert found["inspect_dispersal", "dispersal"]["due_on"] == "2027-01-05"


def test_oz4_a_defect_holds_the_service_back_until_it_is_corrected(world: World) -> None:
    bring(world, HOME, a_row("P-1", installed_on="1995-06-01", last_pumped_on="2023-05-05"))
    report = send(world, HOME, defects="baffle broken", gallons_pumped=900)["report_id"]
    assert duties(world, HOME)["pump_or_inspect", "septic"]["state"] == "overdue"
    assert "defect_not_corrected" in {f["kind"] for f in status(world, HOME)["findings"]}
    body = {"reason": "baffle replaced", "changes": {"defects_corrected_on": "2026-07-10"}}
    assert world.post(f"/v1/{HOME}/reports/{report}/amendments", body, "admin").status_code == 201
    assert duties(world, HOME)["pump_or_inspect", "septic"]["due_on"] == "2029-07-10"


def test_oz24_the_dispersal_inspection_says_whether_effluent_ponds(world: World) -> None:
    cell = {"component": "dispersal", "capacity_gallons": "", "last_inspected_on": "2023-05-05"}
    bring(world, HOME, a_row("P-1", installed_on="1995-06-01"), a_row("P-1", installed_on="1995-06-01", **cell))
    look = {"component": "dispersal", "event_type": "inspection", "gallons_pumped": None, "license_number": "MP-9"}
    look |= {"credential_kind": "master_plumber"}
    refused = world.post(
        f"/v1/{HOME}/reports",
        a_report(permit_number="P-1", parcel_number="08-P-1", site_address="N174 County Road K", ponding=None, **look),
        "admin",
    )
    assert [(e["field"], e["cite"]) for e in refused.json["errors"]] == [("ponding", "9.029(2)(a)2")]
    assert duties(world, HOME)["inspect_dispersal", "dispersal"]["state"] == "overdue"
    send(world, HOME, **look, ponding="none")
    assert duties(world, HOME)["inspect_dispersal", "dispersal"]["due_on"] == "2029-07-01"


def test_of_several_tanks_each_has_its_own_dates(world: World) -> None:
    tanks = [
        a_row("P-1", component="holding", component_ref=ref, capacity_gallons="2000", installed_on="2019-06-01",
              use="seasonal", season_from="05-01", season_to="10-31")
        for ref in ("north", "south")
    ]  # fmt: skip
    bring(world, WEST, *tanks)
    assert {o["due_on"] for o in duties(world, WEST).values() if o["rule"] == "WI9"} == {"2019-12-31"}
    send(world, WEST, component="holding", component_ref="north")
    found = {ref: o["due_on"] for (kind, ref), o in duties(world, WEST).items() if kind == "service_holding"}
    assert found == {"north": "2027-12-31", "south": "2019-12-31"}


def test_a_privy_is_kept_reported_on_and_owes_no_interval(world: World) -> None:
    bring(world, HOME, a_row("P-1", component="privy", installed_on="2010-06-01", capacity_gallons="500"))
    assert status(world, HOME)["standing"] == "compliant"
    send(world, HOME, component="privy", gallons_pumped=300)
    assert [s["component"] for s in status(world, HOME)["services"]] == ["privy"]


def test_s15_oz14_oz22_an_abandoned_system_owes_nothing_but_what_its_end_asks(world: World) -> None:
    bring(world, HOME, a_row("P-1", installed_on="1995-06-01", last_pumped_on="2023-05-05"))
    assert status(world, HOME)["standing"] == "overdue"
    end = {"event_type": "abandonment", "gallons_pumped": None, "service_date": "2026-07-06"}
    send(world, HOME, **end)
    found = status(world, HOME)
    assert (found["standing"], found["obligations"]) == ("inactive", [])
    assert "abandonment_not_pumped" in {f["kind"] for f in found["findings"]}
    send(world, HOME, service_date="2026-07-06")  # the pumping is reported after all
    assert "abandonment_not_pumped" not in {f["kind"] for f in status(world, HOME)["findings"]}
    tell(world, HOME, "documents", kind="annexation_certification", filed_on="2026-07-10")
    assert [f["kind"] for f in status(world, HOME)["findings"]] == ["abandonment_not_observed"]
    tell(world, HOME, "documents", kind="abandonment_inspection", filed_on="2026-07-06")
    assert status(world, HOME)["findings"] == []
    assert status(world, HOME, query="&as_of=2026-07-05")["standing"] == "overdue"  # the day before


@pytest.mark.parametrize(("received", "late"), [("2026-08-03", False), ("2026-08-04", True)])
def test_wi13_the_contractor_tells_of_an_abandonment_within_thirty_days(
    world: World, received: str, late: bool
) -> None:
    """The thirtieth day is a Saturday, on which the office is closed: Monday is the last."""
    bring(world, WEST, a_row("P-1", installed_on="1995-06-01"))
    end = {"event_type": "abandonment", "gallons_pumped": None, "service_date": "2026-07-02"}
    world.clock.now = datetime.fromisoformat(f"{received}T20:00:00+00:00")
    answer = send(world, WEST, **end)
    assert [f["rule"] for f in answer["findings"] if f["kind"] == "late_report"] == (["WI13"] if late else [])


@pytest.mark.parametrize(("county", "rule"), [(HOME, "OZ21"), (AWAY, "PO15")])
def test_sewer_that_has_come_gives_a_year_to_connect(world: World, county: str, rule: str) -> None:
    usual = {"installed_on": "1995-06-01", "last_pumped_on": "2026-05-05", "last_inspected_on": "2026-05-05"}
    bring(world, county, a_row("P-1", sewer_available_on="2025-07-14", **usual))
    assert duties(world, county)["connect_sewer", ""]["rule"] == rule
    assert duties(world, county)["connect_sewer", ""]["due_on"] == "2026-07-14"
    assert duties(world, county, query="&as_of=2026-07-15")["connect_sewer", ""]["state"] == "overdue"
    bring(world, county, a_row("P-1", sewer_available_on="2025-07-14", status="sewered", **usual))
    assert status(world, county)["standing"] == "inactive"


def test_wi21_use_ends_within_the_ordered_period(world: World) -> None:
    bring(world, WEST, a_row("P-1", component="holding", installed_on="1995-06-01", last_pumped_on="2026-05-05"))
    case = {"permit_number": "P-1", "kind": "sewer_order", "ordered_on": "2026-02-02", "due_on": "2026-08-03"}
    with world.database.transaction(WEST) as store:
        opened = open_case(store, a_teller(world, WEST), case)
        assert not hasattr(opened, "issues"), opened
    found = duties(world, WEST)["connect_sewer", ""]
    assert (found["rule"], found["due_on"], found["state"]) == ("WI21", "2026-08-03", "due_soon")
    with world.database.transaction(WEST) as store:
        done = step_case(store, a_teller(world, WEST), opened.system, opened.id, {"connected_on": "2026-07-10"})
        assert not hasattr(done, "issues"), done
    assert ("connect_sewer", "") not in duties(world, WEST)


def test_po12_a_temporary_tank_is_on_sewer_or_replaced_in_two_years(world: World) -> None:
    row = a_row(
        "P-1", component="holding", permit_issued_on="2024-08-03", flags="temporary", last_inspected_on="2026-05-05"
    )
    bring(world, AWAY, row, a_row("P-2", component="holding", permit_issued_on="2024-08-03"))
    found = duties(world, AWAY)["replace_temporary_tank", ""]
    assert (found["rule"], found["due_on"], found["state"]) == ("PO12", "2026-08-03", "due_soon")
    assert ("replace_temporary_tank", "") not in duties(world, AWAY, "P-2")


def test_oz18_a_temporary_tank_needs_its_agreement_and_contract(world: World) -> None:
    bring(world, HOME, a_row("P-1", component="holding", flags="temporary", installed_on="2026-01-01"))
    tell(world, HOME, "documents", kind="holding_component_agreement", recorded=True)
    missing = [f for f in status(world, HOME)["findings"] if f["rule"] == "OZ18"]
    assert ["service contract" in f["because"] for f in missing] == [True]
    tell(world, HOME, "contracts", license_number=MINE, **{"from": "2026-01-01"})
    assert not [f for f in status(world, HOME)["findings"] if f["rule"] == "OZ18"]


def test_wi11_event_grounds_report_with_the_meter_reading_to_the_nearest_hundred(world: World) -> None:
    row = a_row("P-1", component="holding", building="event_grounds", meter_unit="gal", installed_on="2015-06-01")
    bring(world, WEST, row)
    bare = a_report(permit_number="P-1", parcel_number="08-P-1", site_address="N174 County Road K", component="holding")
    refused = world.post(f"/v1/{WEST}/reports", bare, "admin")
    assert [(e["field"], e["cite"]) for e in refused.json["errors"]] == [("meter_reading", "16.05(1)(e)(5)")]
    answer = send(world, WEST, component="holding", meter_reading=12300)
    assert [w for w in answer["warnings"] if w["field"] == "meter_reading"] == []


def test_wi24_event_grounds_give_up_the_tank_when_the_event_is_over(world: World) -> None:
    row = a_row(
        "P-1", component="holding", building="event_grounds", installed_on="2015-06-01", last_pumped_on="2026-07-01"
    )
    bring(world, WEST, row)
    with world.database.transaction(WEST) as store:
        case = {"permit_number": "P-1", "kind": "event_over", "ended_on": "2026-07-10", "opened_on": "2026-07-11"}
        assert not hasattr(open_case(store, a_teller(world, WEST), case), "issues")
    found = status(world, WEST)
    [duty] = [o for o in found["obligations"] if o["kind"] == "abandon"]
    assert (found["standing"], duty["rule"], duty["due_on"]) == ("violation", "WI24", "2026-07-10")
    send(world, WEST, component="holding", event_type="abandonment", gallons_pumped=None, meter_reading=None,
         service_date="2026-07-12")  # fmt: skip
    assert status(world, WEST)["standing"] == "inactive"


def test_without_any_history_the_standing_is_unknown_until_the_county_says_from_when(world: World) -> None:
    """`assigned_due_on` and `records_from`: a county that goes live makes nobody overdue by its own empty files."""
    bring(world, AWAY, a_row("P-1"), a_row("P-2", assigned_due_on="2026-09-01"))
    assert status(world, AWAY)["standing"] == "unknown"
    assert duties(world, AWAY, "P-2")["pump", "septic"]["due_on"] == "2026-09-01"
    with world.database.transaction(AWAY) as store:
        set_setting(store, a_teller(world, AWAY), "records_from", "2026-01-01", NOW.date())
    sweep(world.database, AWAY, NOW.date(), NOW.astimezone(UTC))
    assert duties(world, AWAY)["pump", "septic"]["due_on"] == "2029-01-01"
    assert status(world, AWAY)["standing"] == "compliant"
    with world.database.reading(AWAY) as store:
        assert the_system(store, "P-1").system is not None
